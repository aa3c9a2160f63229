"""The result of an explanation: numbers and sentences as a frame, text, JSON and a page."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import losaw
from losaw.explaining.curves import Curve
from losaw.explaining.design import METHODS, Design
from losaw.explaining.disagreements import GROUPED_ABOVE, MEASURE, Associations, Disagreement
from losaw.explaining.draws import Decision, loco_of
from losaw.explaining.scores import LEVEL, Work, over_folds
from losaw.explaining.sentences import Sentence, and_listed
from losaw.importance.group_tree import average_linkage
from losaw.pages import Result, text_table
from losaw.scoring.many_tests import adjust
from losaw.scoring.result import ImportanceResult
from losaw.support.words import counted, decimal, listed, p_text, percent

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 30
MOST_DRAWN = 40


@dataclass(frozen=True, eq=False, repr=False)
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
    sections : dict of head to tuple of Sentence
        All sentences: the answer (""), statements on groups, warnings, disagreements, notes.
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
    sections: dict[str, tuple[Sentence, ...]]
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
        """The features that are found to matter: at the false discovery rate, or by groups."""
        return self.decision.selected

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Everything that is said, in the order of the page."""
        return tuple(sentence for some in self.sections.values() for sentence in some)

    @property
    def answer(self) -> str:
        """The headline; empty if no method tests."""
        return self.sections[""][0].text if self.sections[""] else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The features in the order of their mean rank over all methods.

        Scores in :attr:`results` are in the order of each result's own ``feature_names``.
        """
        first = self._features
        ranked = [r.ranking_scores() for r in self.results.values()]
        ranks = [np.argsort(np.argsort(-scores, kind="stable")) for scores in ranked]
        order = np.argsort(np.mean(ranks, axis=0), kind="stable")
        return tuple(first[j] for j in order)

    @property
    def _features(self) -> list[str]:
        """The features, without those that are given."""
        return [name for name in self.associations.names if name not in self.design.given]

    def to_frame(self) -> "pd.DataFrame":
        """One row per feature: kind, group, selection; score, error and p-value by method."""
        import pandas as pd
        from scipy.stats import t

        group_of = {m: group for group, ms in self.associations.groups.items() for m in ms}
        features = self._features
        frame = pd.DataFrame({"feature": features})
        frame["kind"] = [self.work.data.kinds[name] for name in features]
        frame["group"] = [group_of.get(name, "") for name in features]
        if self.decision.method is not None:
            frame["selected"] = frame["feature"].isin(self.selected)
            frame["found"] = [self.decision.verdict(name) for name in features]
            directions = {s.features: s.text for s in self.sections.get("Directions", ())}
            frame["direction"] = [directions.get((name,), "") for name in features]
            frame["decided_by"] = [self.decision.by((name,)) for name in features]
        for name, result in self.results.items():
            label = METHODS[name].label
            frame[label] = result.scores
            frame[f"{label}_error"] = result.std_error
            if METHODS[name].is_tested:
                raw = np.asarray(result.details["raw_p_values"])
                frame[f"{label}_p"] = adjust(raw, "benjamini-hochberg")
                # A score from which a test at .05 finds the feature.
                smallest = t.ppf(0.95, result.degrees_of_freedom) * result.details["test_error"]
                frame[f"{label}_smallest"] = np.where(np.isnan(raw), np.nan, smallest)
                ranks = result.ranks().set_index("feature")
                if ((ranks["best"] > 1) | (ranks["worst"] < len(ranks))).any():
                    frame[f"{label}_rank"] = ranks["ranks"][features].to_numpy()
        if "LOCO" in self._labels() and "loco" not in self.results:  # where it decides
            loco = {u[0]: over_folds(v) for u, v in self.work.left_out.items() if len(u) == 1}
            frame["LOCO"] = [loco[n].share if n in loco else np.nan for n in features]
            frame["LOCO_error"] = [loco[n].std_error if n in loco else np.nan for n in features]
        return frame.set_index("feature").loc[list(self.names)].reset_index()

    def _labels(self) -> list[str]:
        """The columns of scores: of methods, and of LOCO where it decides on a feature."""
        labels = [METHODS[name].label for name in self.results]
        needs_loco = any(len(unit) == 1 for unit in self.work.left_out)
        return labels + ["LOCO"] * (needs_loco and "LOCO" not in labels)

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
        part = f"{self.design.rows:,} of " * (self.design.rows < self.design.n_rows)
        used = f"{part}{self.design.n_rows:,} rows"
        n = len(self.associations.names)
        explained = []
        for name, quality in self.work.quality.items():
            share = f"{100 * quality.share:z.3g} ± {100 * quality.std_error:.3g} %"
            share = percent(quality.share) if quality.p_value <= LEVEL else share.replace("-", "−")
            explained.append(f"{'losawRF' if name == 'losaw' else self.model} explains {share}")
        shares = f"; {' and '.join(explained)} of the variation of unseen rows" if explained else ""
        return f"{self.target} ({self.task}): {used}, {n} feature{'s' * (n > 1)}{shares}"

    def _lines(self) -> list[str]:
        frame, by_loco = self.to_frame(), self.decision.by_loco
        table = frame[["feature", *(["found"] if "found" in frame else []), "kind"]].copy()
        for label in self._labels():
            tested = f"{label}_p" in frame
            below = frame[f"{label}_p"] <= self.fdr if tested else np.zeros(len(frame), dtype=bool)
            table[label] = [
                decimal(score) + ("*" if star else " ") * tested
                + "?" * (label == "CPI" and (feature,) in by_loco)
                if score == score else ""
                for feature, score, star in zip(frame["feature"], frame[label], below, strict=True)
            ]  # fmt: skip
        lines = []
        if first := self.sections[""]:
            lines += [first[0].text, *(f"  {sentence.text}" for sentence in first[1:]), ""]
        lines += text_table(table.head(_SHOWN))
        if len(table) > _SHOWN:
            lines.append(f"… and {counted(len(table) - _SHOWN, 'more [feature|features]')}")
        if any(METHODS[name].is_tested for name in self.results):
            lines.append(
                f"* above 0 by this method alone, at a false discovery rate of {self.fdr:g}"
            )
        if any(len(unit) == 1 for unit in by_loco):
            lines.append("? its draws fail their test or are copies: LOCO decides, or its group")
        return lines

    def _sentences(self) -> dict[str, list[str]]:
        said = {head: [s.text for s in some] for head, some in self.sections.items() if head}
        treated: dict[str, list[str]] = {}
        for column in self.work.data.columns:
            what, name = re.sub(r"^\d+ missing", "missing", column.treatment), column.name
            several = f"{name} ({column.n_missing:,})" if what != column.treatment else name
            treated.setdefault(what, []).append(several)
        columns = [f"{listed(names)}: {what}" for what, names in treated.items() if what]
        model = f"Model of PFI, CPI and LOCO: {self.model}. Random state {self.work.seed}; losaw "
        how = self.design.said(f"{model}{losaw.__version__}.")
        said |= {"Columns": columns, "How it was computed": how}
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
            "decisions": [finding._asdict() for finding in decision.findings],
            "decided_by_loco": sorted(decision.by_loco),
            "open": decision.open,
            "sentences": [
                {"section": head, **sentence._asdict()} for head, some in self.sections.items()
                for sentence in some
            ],
            "curves": {name: curve._asdict() for name, curve in self.curves.items()},
            "draws": [{"features": u, **test._asdict()} for u, test in draws.items()],
            "left_out": [
                {"features": unit, "loco": loco, "std_error": error}
                for unit, (loco, error) in ((u, loco_of(u, self.work)) for u in self.work.left_out)
            ],
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
        frame, labels = self.to_frame(), self._labels()
        methods = [method for method in METHODS.values() if method.label in labels]
        drawn = self.names[:MOST_DRAWN]
        return {
            "methods": methods,
            "errors": {METHODS[n].label: r.std_error_kind for n, r in self.results.items()},
            "rows": frame.to_dict("records"),
            "largest": frame[[method.label for method in methods]].abs().max().replace(0.0, 1.0),
            "curves": {name: small_curve(curve) for name, curve in self.curves.items()},
            "map": heat_map(self.associations, drawn) if len(drawn) > 1 else None,
            "given": and_listed(self.design.given),
            "grouped_above": f"{GROUPED_ABOVE:g}",
            "measure": MEASURE,
            "decimal": decimal,
            "p_text": p_text,
            "signed": signed,
        }


def signed(value: float) -> str:
    """Return a change with its sign and two digits, of hundreds and more all before the point."""
    text = f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.2g}"
    return text.replace("-", "−")


def heat_map(related: Associations, names: Sequence[str]) -> dict[str, Any]:
    """What the map is drawn of: names and associations in the order of a tree, and its branches.

    A branch joins the closest; its points are heights from 0 to 1, and places, 10 a name.
    """
    from scipy.cluster.hierarchy import dendrogram

    places = [related.names.index(name) for name in names]
    linkage = average_linkage(related.strength[np.ix_(places, places)])
    tree = dendrogram(linkage, no_plot=True)
    order = [places[leaf] for leaf in tree["leaves"]]
    return {
        "names": [related.names[j] for j in order],
        "strength": related.strength[np.ix_(order, order)],
        "branches": [_points(*one) for one in zip(tree["dcoord"], tree["icoord"], strict=True)],
    }


def small_curve(curve: Curve) -> dict[str, str]:
    """The points of a curve, and of its band of two errors: parts of its length and height."""
    x = (curve.at - curve.at[0]) / (curve.at[-1] - curve.at[0])
    height = np.abs(curve.effect).max() + 2 * curve.error.max() or 1.0
    low, middle, high = ((curve.effect + n * curve.error) / height for n in (-2, 0, 2))
    band = _points(np.append(x, x[::-1]), np.append(low, high[::-1]))
    return {"line": _points(x, middle), "band": band}


def _points(x: Iterable[float], y: Iterable[float]) -> str:
    return " ".join(f"{a:.3f},{b:.3f}" for a, b in zip(x, y, strict=True))
