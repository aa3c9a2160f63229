"""The page of an explanation: one HTML file, nothing from the network."""

import html
from collections.abc import Iterable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

import losaw
from losaw.explaining.association import GROUPED_ABOVE, MEASURE
from losaw.explaining.disagreements import decimal
from losaw.explaining.drawings import MOST_DRAWN, heat_map
from losaw.explaining.methods import METHODS

if TYPE_CHECKING:
    import pandas as pd


_AXES = {
    "marginal or conditional": "Used by the model, but known by others",
    "seen or unseen rows": "Gained on rows that the trees had seen",
    "refitted or fixed": "Fitted again without it",
    "importance or direction": "Without a direction",
}


def page(explanation: Any) -> str:
    """The whole page."""
    return shell(f"What {explanation.target} depends on", body(explanation))


def shell(title: str, content: str) -> str:
    """A page around what stands on it."""
    style = files("losaw.explaining").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>{html.escape(title)}</title>\n<style>\n{style}</style></head>\n<body><main>\n"
        f"{content}\n</main></body></html>\n"
    )


def body(explanation: Any) -> str:
    """What stands on the page, without its style."""
    parts = [
        f"<h1>What {html.escape(explanation.target)} depends on</h1>",
        f"<p class='soft'>{html.escape(explanation.headline())}.</p>",
        _answer(explanation),
        listed("Beware", explanation.cautions, "warn"),
        _table(explanation),
        _disagreements(explanation),
        _groups(explanation),
        _key(explanation),
        _columns(explanation),
        _made(explanation),
    ]
    return "\n".join(part for part in parts if part)


def _answer(explanation: Any) -> str:
    if explanation.deciding is None:
        return ""
    method = METHODS[explanation.deciding]
    names = ", ".join(f"<b>{html.escape(name)}</b>" for name in explanation.selected)
    n_left = len(explanation.names) - len(explanation.selected)
    verdict = (
        f"{names} matter{'s' * (len(explanation.selected) == 1)}"
        if names
        else "Nothing is found to matter"
    )
    return (
        f"<section><h2>The answer of {method.label}</h2><p>{verdict}: with a false discovery rate "
        f"of {explanation.fdr:g}, over {len(explanation.names)} features "
        f"({n_left} not selected). {html.escape(method.question)}</p></section>"
    )


def listed(head: str, sentences: Iterable[str], style: str = "") -> str:
    """A section of sentences; nothing where there are none."""
    items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in sentences)
    return f"<section class='{style}'><h2>{head}</h2><ul>{items}</ul></section>" if items else ""


def _table(explanation: Any) -> str:
    frame = explanation.to_frame()
    labels = [METHODS[name].label for name in explanation.results]
    head = "".join(f"<th>{html.escape(label)}</th>" for label in ["feature", "kind", *labels])
    selected = set(explanation.selected)
    rows = []
    for row in frame.to_dict("records"):
        cells = "".join(_cell(row, label, frame, explanation.fdr) for label in labels)
        name = row["feature"]
        style = " class='in'" if name in selected else ""
        rows.append(
            f"<tr{style}><th>{html.escape(name)}</th><td>{html.escape(row['kind'])}</td>{cells}</tr>"
        )
    return (
        "<section><h2>Features and methods</h2><div class='scroll'><table><thead><tr>"
        f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        "<p class='soft'>Score, its standard error (±), and the p-value, adjusted over features "
        "(Benjamini and Hochberg). Bold: above 0 at the false discovery rate. Features in the "
        "order of their mean rank.</p></section>"
    )


def _cell(row: dict[Any, Any], label: str, frame: "pd.DataFrame", fdr: float) -> str:
    score = row[label]
    if not np.isfinite(score):
        return "<td class='n'></td>"
    largest = float(np.nanmax(np.abs(frame[label]))) or 1.0
    width = 100 * abs(score) / largest
    colour = "var(--bar)" if score >= 0 else "var(--bar-minus)"
    p_value = row.get(f"{label}_p", np.nan)
    shown = decimal(score)
    shown = f"<b>{shown}</b>" if p_value <= fdr else shown
    error = row.get(f"{label}_error", np.nan)
    small = f"± {decimal(error)}" if np.isfinite(error) else ""
    if np.isfinite(p_value):
        small += f"<br>p {'&lt; .001' if p_value < 0.001 else decimal_p(p_value)}"
    return (
        f"<td class='n' style='background:linear-gradient(to right,{colour} {width:.0f}%,"
        f"transparent {width:.0f}%)'>{shown}<small>{small}</small></td>"
    )


def decimal_p(p_value: float) -> str:
    """A p-value with three digits."""
    return f"{p_value:.3f}".removeprefix("0")


def _disagreements(explanation: Any) -> str:
    if not explanation.disagreements:
        return (
            "<section><h2>Where the methods disagree</h2><p>No difference between two methods is "
            "significant beyond what their definitions bring along.</p></section>"
        )
    parts = ["<section><h2>Where the methods disagree</h2>"]
    for axis, head in _AXES.items():
        items = [d.text for d in explanation.disagreements if d.axis == axis]
        if items:
            listed = "".join(f"<li>{html.escape(text)}</li>" for text in items)
            parts.append(f"<p><b>{head}</b></p><ul>{listed}</ul>")
    parts.append(
        "<p class='soft'>Only differences that are significant at a false discovery rate of "
        f"{explanation.fdr:g}, over all features and kinds of disagreement together.</p></section>"
    )
    return "".join(parts)


def _groups(explanation: Any) -> str:
    drawing = heat_map(explanation.associations, explanation.names)
    if not drawing:
        return ""
    n_drawn = min(len(explanation.names), MOST_DRAWN)
    few = f"The first {n_drawn} features. " if n_drawn < len(explanation.names) else ""
    lines = "".join(f"<li>{html.escape(line)}</li>" for line in explanation.group_lines())
    listed = (
        f"<ul>{lines}</ul>"
        if lines
        else f"<p>No features hang together by more than {GROUPED_ABOVE:g} on average.</p>"
        if not explanation.associations.groups
        else ""
    )
    return (
        f"<section><h2>What hangs together</h2>{listed}<div class='scroll'>{drawing}</div>"
        f"<p class='soft'>{few}Association: {html.escape(MEASURE)}. Groups: average linkage, cut "
        f"at {GROUPED_ABOVE:g}.</p></section>"
    )


def _key(explanation: Any) -> str:
    items = "".join(
        f"<dt>{html.escape(METHODS[name].label)}</dt><dd>{html.escape(METHODS[name].question)} "
        f"Score: {html.escape(METHODS[name].unit)}. Error: "
        f"{html.escape(str(result.std_error_kind))}.</dd>"
        for name, result in explanation.results.items()
    )
    return f"<section><h2>What the columns mean</h2><dl class='key'>{items}</dl></section>"


def _columns(explanation: Any) -> str:
    rows = "".join(
        f"<tr><th>{html.escape(c.name)}</th><td>{html.escape(c.kind or '–')}</td>"
        f"<td class='n'>{c.n_values:,}</td><td class='n'>{c.n_missing:,}</td>"
        f"<td>{html.escape(c.treatment)}</td></tr>"
        for c in explanation.columns
    )
    return (
        "<section><h2>Columns</h2><div class='scroll'><table><thead><tr><th>column</th><th>kind"
        "</th><th>values</th><th>missing</th><th>treatment</th></tr></thead><tbody>"
        f"{rows}</tbody></table></div></section>"
    )


def _made(explanation: Any) -> str:
    cuts = "".join(f"<li>Cut by the budget: {html.escape(cut)}.</li>" for cut in explanation.cuts)
    again = html.escape(explanation.design.options())
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in explanation.notes)
    return (
        f"<section><h2>How it was made</h2><ul>{notes}"
        f"<li>{html.escape(explanation.design.words())}.</li>{cuts}"
        f"<li>The same numbers on any machine: <code>{again}</code>.</li>"
        f"<li>PFI, CPI and LOCO explain {html.escape(explanation.model)}; random state "
        f"{explanation.random_state}; losaw {losaw.__version__}.</li></ul></section>"
    )
