"""The page of an audit: one HTML file, nothing from the network."""

import html
from typing import Any

import losaw
from losaw.explaining.page import listed, shell


def page(audit: Any) -> str:
    """The whole page."""
    return shell(f"Which method to trust on {audit.target}", body(audit))


def body(audit: Any) -> str:
    """What stands on the page, without its style."""
    again = (
        f"{audit.design.options()} --rounds {audit.n_rounds} --signals {audit.n_signals} "
        f"--share {audit.share:.17g}"
    )
    made = [
        f"{audit.design.words()}.",
        *(f"Cut by the budget: {cut}." for cut in audit.cuts),
        f"The same numbers on any machine: {again}",
        f"The model is {audit.model}; random state {audit.random_state}; losaw "
        f"{losaw.__version__}.",
    ]
    return "\n".join(
        [
            f"<h1>Which method to trust on {html.escape(audit.target)}</h1>",
            f"<p class='soft'>{html.escape(audit.headline())}.</p>",
            listed("Verdict", audit.verdicts),
            _table(audit),
            listed("Beware", audit.cautions, "warn"),
            listed("How it was made", made),
        ]
    )


def _table(audit: Any) -> str:
    head = "".join(f"<th>{html.escape(words)}</th>" for words in audit.head)
    rows = []
    for standing, (label, *cells) in zip(audit.standings, audit.cells(), strict=True):
        style = " class='in'" if standing.is_trusted else ""
        values = "".join(f"<td class='n'>{html.escape(cell)}</td>" for cell in cells)
        rows.append(f"<tr{style}><th>{html.escape(label)}</th>{values}</tr>")
    return (
        "<section><h2>Methods</h2><div class='scroll'><table><thead><tr>"
        f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div><p class='soft'>pr-AUC: "
        "area under the precision-recall curve of the scores, causes against all others; mean and "
        "standard error over rounds. Behind the best: over the same rounds; * worse (p ≤ .05, "
        "Holm). First places right: share of causes among as many features with the highest "
        "scores. Finds and false: the share of causes that is selected, and the share of what is "
        f"selected that is none, at a false discovery rate of {audit.fdr:g}.</p></section>"
    )
