"""The result of an explanation: numbers and sentences as a frame, text, JSON and a page."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from unicodedata import east_asian_width

import numpy as np

import losaw
from losaw.data import FloatArray
from losaw.explaining.curves import Curve
from losaw.explaining.design import METHODS, Design
from losaw.explaining.disagreements import (
    GROUPED_ABOVE,
    MEASURE,
    Associations,
    Disagreement,
    contrasts_of,
)
from losaw.explaining.draws import Decision, recognised
from losaw.explaining.scores import Work
from losaw.explaining.sentences import Section, Sentence
from losaw.pages import Result, text_table
from losaw.scoring.importance_result import ImportanceResult
from losaw.scoring.several_tests import adjust
from losaw.support.words import decimal, p_text

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 30
MOST_DRAWN = 40
_CELL, _TREE = 18, 120
# The names next to the map: pixels of a Latin letter, and letters of the longest that is not cut.
_LETTER, _LETTERS = 7, 40
_CURVE_WIDTH, _CURVE_HEIGHT = 110, 36


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """The importances of a table's features, with an answer, warnings and disagreements.

    Attributes
    ----------
    work : Work
        The rows in use, the models, and the results of all methods.
    decision : Decision
        What is selected, by which method, and what stays open.
    associations : Associations
    curves : dict of feature to Curve
        How the prediction changes along a number.
    disagreements : tuple of Disagreement
    sections : tuple of Section
        Everything that is said: the answer, statements on groups, warnings, disagreements, notes.
    fdr : float

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import losaw
    >>> size = np.sin(np.arange(80.0))
    >>> frame = pd.DataFrame({"size": size, "price": size**3})
    >>> found = losaw.explain(frame, "price", methods="pfi", folds=4, budget=None)
    >>> found.selected, [sentence.kind for sentence in found.sentences][:2]
    (('size',), ['selected', 'rate'])
    """

    template: ClassVar[str] = "explain/content.html"
    title: ClassVar[str] = "Features of"

    work: Work
    decision: Decision
    associations: Associations
    curves: dict[str, Curve]
    disagreements: tuple[Disagreement, ...]
    sections: tuple[Section, ...]
    fdr: float

    @property
    def target(self) -> str:  # type: ignore[override]
        """The column that is explained."""
        return self.work.data.target

    @property
    def model(self) -> str:
        """The model that PFI, CPI and LOCO explain, in words."""
        return self.work.model

    @property
    def task(self) -> str:
        """Regression or classification."""
        return self.work.data.task

    @property
    def design(self) -> Design:
        """The size of the computation."""
        return self.work.design

    @property
    def results(self) -> dict[str, ImportanceResult]:
        """Scores, errors and p-values (not adjusted) of single features, by method."""
        return {n: self.work.results[n] for n in METHODS if n in self.work.results}

    @property
    def selected(self) -> tuple[str, ...]:
        """The features that are found to matter, at the false discovery rate."""
        return self.decision.selected

    @property
    def _failed(self) -> set[str]:
        return {name for name, *others in recognised(self.work) if not others}

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Everything that is said, in the order of the page."""
        return tuple(sentence for section in self.sections for sentence in section.sentences)

    @property
    def answer(self) -> str:
        """The headline; empty if no method tests."""
        first = self.sections[0].sentences
        return first[0].text if first else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The features in the order of their mean rank over all methods.

        Scores in :attr:`results` are in the order of each result's own ``feature_names``.
        """
        first = self.associations.names
        ranked = [r.ranking_scores() for r in self.results.values()]
        ranks = [np.argsort(np.argsort(-scores, kind="stable")) for scores in ranked]
        order = np.argsort(np.mean(ranks, axis=0), kind="stable")
        return tuple(first[j] for j in order)

    def to_frame(self) -> "pd.DataFrame":
        """One row per feature: kind, group, selection; score, error and p-value by method."""
        import pandas as pd

        group_of = {m: group for group, ms in self.associations.groups.items() for m in ms}
        features = list(self.associations.names)
        frame = pd.DataFrame({"feature": features})
        frame["kind"] = [self.work.data.kinds[name] for name in features]
        frame["group"] = [group_of.get(name, "") for name in features]
        if self.decision.method is not None:
            frame["selected"] = frame["feature"].isin(self.selected)
            other = METHODS[self.decision.method].label
            by_loco = self.decision.by_loco
            frame["decided_by"] = ["LOCO" if (name,) in by_loco else other for name in features]
        for name, result in self.results.items():
            label = METHODS[name].label
            frame[label] = result.scores
            frame[f"{label}_error"] = result.std_error
            if METHODS[name].is_tested:
                raw = np.asarray(result.details["raw_p_values"])
                frame[f"{label}_p"] = adjust(raw, "benjamini-hochberg")
                # A score from which a test at .05 finds the feature: half of its interval.
                smallest = result.scores - result.interval(0.9)[:, 0]
                frame[f"{label}_smallest"] = np.where(np.isnan(raw), np.nan, smallest)
        return frame.set_index("feature").loc[list(self.names)].reset_index()

    def groups_to_frame(self) -> "pd.DataFrame":
        """One row per tested group of features: CPI with its interval, and LOCO where it is known.

        Of :func:`losaw.importance.hierarchy`; empty without CPI.
        """
        import pandas as pd

        if self.work.groups is None:
            return pd.DataFrame()
        left_out = {unit: float(v.mean()) for unit, v in self.work.left_out.items()}
        loco = [left_out.get(tuple(unit), np.nan) for unit in self.work.groups["features"]]
        return self.work.groups.assign(loco=loco)

    def headline(self) -> str:
        """The data and the quality of the models in one line."""
        used = f"{self.design.n_rows:,} rows"
        if self.design.rows < self.design.n_rows:
            used = f"{self.design.rows:,} of {used}"
        n = len(self.associations.names)
        found = [
            f"{'losawRF' if name == 'losaw' else self.model} explains {100 * quality.share:z.0f} %"
            for name, quality in self.work.quality.items()
        ]
        shares = f"; {' and '.join(found)} of the variation of unseen rows" if found else ""
        return f"{self.target} ({self.task}): {used}, {n} feature{'s' * (n > 1)}{shares}"

    def _lines(self) -> list[str]:
        frame, failed = self.to_frame(), self._failed
        table = frame[["feature", "kind"]].copy()
        for name in self.results:
            label, tested = METHODS[name].label, METHODS[name].is_tested
            below = frame[f"{label}_p"] <= self.fdr if tested else np.zeros(len(frame), dtype=bool)
            table[label] = [
                decimal(score) + ("*" if star else " ") * tested
                + "?" * (name == "cpi" and feature in failed)
                for feature, score, star in zip(frame["feature"], frame[label], below, strict=True)
            ]  # fmt: skip
        lines = []
        first = self.sections[0].sentences
        if first:
            lines += [first[0].text, *(f"  {sentence.text}" for sentence in first[1:]), ""]
        lines += text_table(table.head(_SHOWN))
        if len(table) > _SHOWN:
            lines.append(f"… and {len(table) - _SHOWN} more features")
        if any(METHODS[name].is_tested for name in self.results):
            lines.append(f"* above 0 at a false discovery rate of {self.fdr:g}")
        if failed:
            lines.append("? its draws can be distinguished from real values: CPI may be wrong")
        return lines

    def _said(self) -> dict[str, list[str]]:
        said = {s.head: [sentence.text for sentence in s.sentences] for s in self.sections[1:]}
        columns = [f"{c.name}: {c.treatment}" for c in self.work.data.columns if c.treatment]
        said |= {"Columns": columns, "How it was computed": self.design.said()}
        return {head: sentences for head, sentences in said.items() if sentences}

    def _content(self) -> dict[str, Any]:
        decision, columns, draws = self.decision, self.work.data.columns, self.work.draw_tests
        return {
            "target": self.target,
            "task": self.task,
            "model": self.model,
            "random_state": self.work.seed,
            "design": self.design.__dict__,
            "false_discovery_rate": self.fdr,
            "selected_by": decision.method,
            "selected": decision.selected,
            "decided_by_loco": sorted(decision.by_loco),
            "open": decision.open,
            "sentences": [
                {"section": s.head, **sentence._asdict()} for s in self.sections
                for sentence in s.sentences
            ],
            "curves": {name: curve._asdict() for name, curve in self.curves.items()},
            "draws": {u[0]: t._asdict() for u, t in draws.items() if len(u) == 1},
            "draws_of_groups": [[u, t._asdict()] for u, t in draws.items() if len(u) > 1],
            "quality": {name: q.__dict__ for name, q in self.work.quality.items()},
            "columns": [
                {"name": c.name, "kind": c.kind, "used": c.values is not None,
                 "treatment": c.treatment, "missing": c.n_missing, "values": c.n_values}
                for c in columns
            ],
            "features": self.to_frame().to_dict("records"),
            "groups": self.groups_to_frame().to_dict("records"),
            "association": {
                "measure": MEASURE,
                "names": self.associations.names,
                "strength": np.round(self.associations.strength, 6).tolist(),
            },
            "disagreements": [d._asdict() for d in self.disagreements],
        }  # fmt: skip

    def _values(self) -> dict[str, Any]:
        from markupsafe import Markup

        frame, failed = self.to_frame(), self._failed
        merged = {column.name: column.merged for column in self.work.data.columns}
        largest = max((float(np.abs(c.effect).max()) for c in self.curves.values()), default=0.0)
        half = largest or 1.0
        methods = [METHODS[name] for name in self.results]
        ranks = {
            METHODS[name].label: dict(result.ranks()[["feature", "ranks"]].itertuples(index=False))
            for name, result in self.results.items()
            if result.deviations is not None
        }
        rows = [
            {
                "feature": row["feature"],
                "kind": row["kind"],
                "selected": row["feature"] in self.selected,
                "remarks": [
                    *["CPI may be wrong: its draws fail their test"] * (row["feature"] in failed),
                    *[merged[row["feature"]]] * bool(merged[row["feature"]]),
                ],
                "curve": Markup(small_curve(self.curves[row["feature"]], half))
                if row["feature"] in self.curves
                else "",
                "cells": [self._cell(row, method.label, frame, ranks) for method in methods],
            }
            for row in frame.to_dict("records")
        ]
        return {
            "answer": [sentence.text for sentence in self.sections[0].sentences],
            "methods": list(zip(methods, self.results.values(), strict=True)),
            "half": decimal(half) if half >= 0.001 else f"{half:.2g}",
            "rows": rows,
            "are_compared": bool(contrasts_of(self.results)),
            "drawing": Markup(heat_map(self.associations, self.names)),
            "most_drawn": MOST_DRAWN,
            "grouped_above": f"{GROUPED_ABOVE:g}",
            "measure": MEASURE,
            "version": losaw.__version__,
        }

    def _cell(
        self,
        row: dict[Any, Any],
        label: str,
        frame: "pd.DataFrame",
        ranks: Mapping[str, Mapping[str, str]],
    ) -> dict[str, Any]:
        """The content of a cell: a score with its star, and the rest when it is pointed at."""
        score, p_value = row[label], row.get(f"{label}_p", np.nan)
        more = [f"{label} {decimal(score)} ± {decimal(row[f'{label}_error'])}"]
        if np.isfinite(p_value):
            smallest = decimal(row[f"{label}_smallest"])
            more += [f"p {p_text(p_value)}", f"finds {smallest}"]
        if label in ranks:
            more.append(f"rank {ranks[label][row['feature']]} of {len(frame)}")
        share = abs(score) / (float(np.nanmax(np.abs(frame[label]))) or 1.0)
        return {
            "score": decimal(score),
            "more": "; ".join(more),
            "star": p_value <= self.fdr,
            "width": f"{100 * share:.0f}",
            "colour": "--bar" if score >= 0 else "--bar-minus",
        }


def heat_map(related: Associations, names: tuple[str, ...]) -> str:
    """Associations of features, in the order of a tree that joins the closest.

    Of more than ``MOST_DRAWN`` names the first are drawn, with a tree of their own.
    """
    from scipy.cluster.hierarchy import dendrogram

    from losaw.scoring.group_tree import average_linkage

    places, linkage = list(range(len(related.names))), related.linkage
    if len(places) > MOST_DRAWN:
        places = [related.names.index(name) for name in names[:MOST_DRAWN]]
        linkage = average_linkage(related.strength[np.ix_(places, places)])
    if len(places) < 2:
        return ""
    tree = dendrogram(linkage, no_plot=True)
    order = [places[leaf] for leaf in tree["leaves"]]
    size = _CELL * len(order)
    labels = [related.names[j] for j in order]
    left = _LETTER * min(_LETTERS, max(map(_letters, labels))) + 12
    parts = [
        f'<svg viewBox="0 0 {left + size + _TREE} {size + 24}" role="img" '
        f'width="{left + size + _TREE}" aria-label="Associations of {len(order)} features">'
    ]
    parts += [
        f'<text x="{left - 6}" y="{_CELL * row + 13}" text-anchor="end">'
        f"{html.escape(_short(label))}</text>"
        for row, label in enumerate(labels)
    ]
    parts += _cells(related.strength[np.ix_(order, order)], labels, left)
    parts += _branches(tree, left + size)
    parts.append(
        f'<text x="{left + size + 4}" y="{size + 16}">1</text>'
        f'<text x="{left + size + _TREE - 10}" y="{size + 16}" text-anchor="end">0</text>'
        f'<text x="{left + size + _TREE / 2}" y="{size + 16}" text-anchor="middle">'
        "association</text></svg>"
    )
    return "".join(parts)


def small_curve(curve: Curve, half: float) -> str:
    """A curve with a band of two standard errors, as SVG; ``half`` is half of the height."""
    span = float(curve.at[-1] - curve.at[0])
    x = 4 + (_CURVE_WIDTH - 8) * (curve.at - curve.at[0]) / span
    low, middle, high = (
        np.clip(_CURVE_HEIGHT / 2 * (1 - 0.9 * (curve.effect + side * curve.error) / half), 0, 99)
        for side in (-2.0, 0.0, 2.0)
    )
    band = _points(np.append(x, x[::-1]), np.append(low, high[::-1]))
    return (
        f'<svg viewBox="0 0 {_CURVE_WIDTH} {_CURVE_HEIGHT}" width="{_CURVE_WIDTH}" '
        f'height="{_CURVE_HEIGHT}" role="img"><title>from {curve.at[0]:.6g} to {curve.at[-1]:.6g}: '
        f"{curve.effect[0]:+.3g} to {curve.effect[-1]:+.3g}</title>"
        f'<polygon points="{band}" fill="#0072b2" opacity=".25"/><polyline '
        f'points="{_points(x, middle)}" fill="none" stroke="#0072b2" stroke-width="1.5"/></svg>'
    )


def _points(x: FloatArray, y: FloatArray) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _cells(strength: FloatArray, labels: list[str], left: int) -> list[str]:
    return [
        f'<rect x="{left + _CELL * j}" y="{_CELL * i}" width="{_CELL - 1}" '
        f'height="{_CELL - 1}" fill="{_colour(strength[i, j])}"><title>'
        f"{html.escape(labels[i])}, {html.escape(labels[j])}: {strength[i, j]:.2f}</title></rect>"
        for i in range(len(labels))
        for j in range(len(labels))
    ]


def _branches(tree: dict[str, list[list[float]]], right: int) -> list[str]:
    """Draw the tree next to the map; scipy places the leaves at 5, 15, 25, …"""
    left, width = right + 4, _TREE - 14
    paths = []
    for places, heights in zip(tree["icoord"], tree["dcoord"], strict=True):
        points = [
            f"{left + width * h:.1f} {_CELL * (p - 5) / 10 + _CELL / 2:.1f}"
            for p, h in zip(places, heights, strict=True)
        ]
        paths.append(f'<path d="M{" L".join(points)}"/>')
    return paths


def _colour(strength: float) -> str:
    """Return a colour from pale grey to blue, readable on a light and on a dark background."""
    share = float(np.clip(strength, 0.0, 1.0))
    low, high = (233, 236, 240), (0, 82, 150)
    return "#" + "".join(
        f"{round(a + (b - a) * share):02x}" for a, b in zip(low, high, strict=True)
    )


def _letters(text: str) -> int:
    """The width of a text in Latin letters: Chinese, Japanese and Korean ones are two wide."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def _short(label: str) -> str:
    if _letters(label) <= _LETTERS:
        return label
    while _letters(label) >= _LETTERS:
        label = label[:-1]
    return f"{label}…"
