"""The result of an explanation: numbers, sentences, and their files."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.explaining.answers import Answer, answer, in_words, statement
from losaw.explaining.association import MEASURE, Associations
from losaw.explaining.computing import Quality
from losaw.explaining.curves import Curve
from losaw.explaining.design import Design
from losaw.explaining.disagreements import Disagreement, decimal
from losaw.explaining.drawn_once import recognised
from losaw.explaining.methods import DECIDING, METHODS
from losaw.explaining.treated_columns import TreatedColumn
from losaw.knockoffs.diagnostics import DrawTest
from losaw.scoring.importance_result import ImportanceResult
from losaw.scoring.one_sided_tests import adjust
from losaw.support.errors import LosawError
from losaw.support.json_values import json_value
from losaw.support.whole_files import write_together

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

ENDINGS = (".html", ".png", ".csv", ".json")
_SHOWN = 30
# A cell that begins so is a formula to a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_PIXELS_PER_INCH = 150


@dataclass(frozen=True)
class Explanation:
    """The importances of a table's features, with an answer, warnings and disagreements.

    Attributes
    ----------
    target, task : str
    columns : tuple of TreatedColumn
        Every column of the table but the target, with its treatment.
    notes, cautions, cuts : tuple of str
        Decisions on the table, warnings, and cuts by the budget.
    n_rows : int
        Rows with a response.
    design : Design
    results : dict of method to ImportanceResult
        Scores, errors and p-values (not adjusted) of single features.
    group_results : dict of method to ImportanceResult
        The same of the groups of ``associations``.
    associations : Associations
    quality : dict of model to Quality
    disagreements : tuple of Disagreement
    fdr : float
    random_state : int
    model : str
        The model that PFI, CPI and LOCO explain, in words.
    draw_tests, group_draws : dict of feature, or of group, to DrawTest
        Of features that CPI may select, and groups of ``finest``: are their draws recognised?
    finest : tuple of tuple of str
        The finest groups of features that are found to matter, all of them with probability .95
        (:func:`losaw.importance.hierarchy`).
    curves : dict of feature to Curve
        How the prediction changes along a number.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import losaw
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame(rng.standard_normal((200, 2)), columns=["size", "noise"])
    >>> frame["price"] = frame["size"] + 0.1 * rng.standard_normal(200)
    >>> explanation = losaw.explain(frame, "price", methods=["pfi"], folds=4, budget=None)
    >>> explanation.selected_by("pfi"), [column.kind for column in explanation.columns]
    (('size',), ['continuous', 'continuous'])
    """

    target: str
    task: str
    columns: tuple[TreatedColumn, ...]
    notes: tuple[str, ...]
    cautions: tuple[str, ...]
    cuts: tuple[str, ...]
    n_rows: int
    design: Design
    results: dict[str, ImportanceResult]
    group_results: dict[str, ImportanceResult]
    associations: Associations
    quality: dict[str, Quality]
    disagreements: tuple[Disagreement, ...]
    fdr: float
    random_state: int
    model: str
    draw_tests: dict[str, DrawTest] = field(default_factory=dict)
    finest: tuple[tuple[str, ...], ...] = ()
    curves: dict[str, Curve] = field(default_factory=dict)
    group_draws: dict[tuple[str, ...], DrawTest] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The features in the order of their mean rank over all methods.

        Scores in :attr:`results` are in the order of each result's own ``feature_names``.
        """
        first = self.associations.names
        ranked = [r for name, r in self.results.items() if METHODS[name].family != "direction"]
        if not ranked:
            return first
        ranks = [np.argsort(np.argsort(-r.ranking_scores(), kind="stable")) for r in ranked]
        order = np.argsort(np.mean(ranks, axis=0), kind="stable")
        return tuple(first[j] for j in order)

    @property
    def deciding(self) -> str | None:
        """The method whose selection is :attr:`selected`: the first of CPI, LOCO, … that ran."""
        return next((name for name in DECIDING if name in self.results), None)

    @property
    def selected(self) -> tuple[str, ...]:
        """The features with a score above 0 at the false discovery rate."""
        return tuple(name for name in self._passed if name not in self.doubtful)

    @property
    def doubtful(self) -> tuple[str, ...]:
        """Features that CPI would select, but whose draws can be recognised as draws."""
        if self.deciding != "cpi":
            return ()
        return tuple(name for name in self._passed if name in self.recognised)

    @property
    def recognised(self) -> frozenset[str]:
        """Features whose draws are distinguished from real values: their CPI may be wrong."""
        return recognised(self.draw_tests)

    @property
    def doubted(self) -> frozenset[Any]:
        """Features, and groups of :attr:`finest`, whose draws are not trusted."""
        return self.recognised | recognised(self.group_draws)

    @property
    def _passed(self) -> tuple[str, ...]:
        return () if self.deciding is None else self.selected_by(self.deciding)

    @property
    def answer(self) -> Answer | None:
        """The first sentences of the page; None if no method tests."""
        return answer(self)

    @property
    def statements(self) -> tuple[str, ...]:
        """A sentence for each of :attr:`finest`, without features whose draws are recognised."""
        groups = [g for g in self.finest if len(g) > 1 or g[0] not in self.recognised]
        n, doubted, selected = len(self.names), self.doubted, self.selected
        return tuple(statement(group, n, doubted, selected) for group in groups)

    @property
    def in_words(self) -> dict[str, str]:
        """A sentence for each feature that says what is known of it; empty if nothing is tested."""
        return {name: in_words(self, name) for name in self.names} if self.deciding else {}

    def selected_by(self, method: str) -> tuple[str, ...]:
        """The features that a given method selects, as :attr:`selected`."""
        return self.results[method].select(fdr=self.fdr)

    def adjusted(self, method: str, of_groups: bool = False) -> "np.ndarray[Any, Any] | None":
        """The p-values of a method, adjusted over features (Benjamini and Hochberg)."""
        result = (self.group_results if of_groups else self.results)[method]
        if result.p_values is None:
            return None
        return adjust(np.asarray(result.details["raw_p_values"]), "benjamini-hochberg")

    def to_frame(self) -> "pd.DataFrame":
        """One row per feature: kind, group, selection; score, error and p-value by method."""
        import pandas as pd

        kinds = {column.name: column.kind for column in self.columns}
        group_of = {m: group for group, ms in self.associations.groups.items() for m in ms}
        frame = pd.DataFrame({"feature": list(self.associations.names)})
        frame["kind"] = frame["feature"].map(kinds)
        frame["group"] = frame["feature"].map(lambda name: group_of.get(name, ""))
        if self.deciding is not None:
            frame["selected"] = frame["feature"].isin(self.selected)
        self._add_scores(frame, self.results, of_groups=False)
        return frame.set_index("feature").loc[list(self.names)].reset_index()

    def groups_to_frame(self) -> "pd.DataFrame":
        """One row per group of associated features, scored as one."""
        import pandas as pd

        groups = next((r.feature_names for r in self.group_results.values()), ())
        frame = pd.DataFrame({"group": list(groups)})
        frame["features"] = [", ".join(self.associations.groups[group]) for group in groups]
        self._add_scores(frame, self.group_results, of_groups=True)
        return frame

    def _add_scores(
        self, frame: "pd.DataFrame", results: dict[str, ImportanceResult], of_groups: bool
    ) -> None:
        for name, result in results.items():
            label = METHODS[name].label
            place = [
                result.feature_names.index(unit) if unit in result.feature_names else -1
                for unit in frame.iloc[:, 0]
            ]

            def spread(values: Any, place: list[int] = place) -> Any:
                return np.append(np.asarray(values, dtype=float), np.nan)[place]

            frame[label] = spread(result.scores)
            if result.std_error is not None:
                frame[f"{label}_error"] = spread(result.std_error)
            p_values = self.adjusted(name, of_groups)
            if p_values is not None:
                frame[f"{label}_p"] = spread(p_values)
                # A score from which a test at .05 finds the feature: half of its interval.
                frame[f"{label}_smallest"] = spread(result.scores - result.details["lower"])

    def __repr__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """The table and the sentences, for a terminal."""
        frame = self.to_frame()
        table = frame[["feature", "kind"]].copy()
        for name in self.results:
            label = METHODS[name].label
            mark = {True: "*", False: " "}
            below = frame.get(f"{label}_p", np.full(len(frame), np.nan)) <= self.fdr
            table[label] = [
                ""
                if np.isnan(score)
                else decimal(score)
                + mark[bool(star)] * METHODS[name].is_tested
                + "?" * (name == "cpi" and feature in self.recognised)
                for feature, score, star in zip(frame["feature"], frame[label], below, strict=True)
            ]
        lines = [self.headline(), ""]
        if self.answer is not None:
            lines += [self.answer.head, *(f"  {s}" for s in self.answer.sentences), ""]
        lines += table.head(_SHOWN).to_string(index=False).split("\n")
        if len(table) > _SHOWN:
            lines.append(f"… and {len(table) - _SHOWN} more features")
        if any(METHODS[name].is_tested for name in self.results):
            lines.append(f"* above 0 at a false discovery rate of {self.fdr:g}")
        if self.recognised:
            lines.append("? its draws can be distinguished from real values: CPI may be wrong")
        for head, sentences in (
            ("Beware", self.cautions),
            ("What the data tell (family-wise error .05)", self.statements),
            ("In a sentence", list(self.in_words.values())[:_SHOWN]),
            ("Groups", self.group_lines()),
            ("Disagreements", [d.text for d in self.disagreements]),
            ("Cut by the budget", self.cuts),
            ("Notes", [*self.notes, *self.treatments()]),
        ):
            if sentences:
                lines += ["", head, *(f"  - {sentence}" for sentence in sentences)]
        return "\n".join(lines)

    def headline(self) -> str:
        """The target, the number of rows, and the part that the models explain."""
        rows, n = f"{self.n_rows:,} row{'s' * (self.n_rows != 1)}", len(self.names)
        if self.design.rows < self.n_rows:
            rows = f"{self.design.rows:,} of {rows}"
        parts = [f"{self.target} ({self.task}): {rows}, {n} feature{'s' * (n != 1)}"]
        said = {"model": self.model, "losaw": "losawRF"}
        parts += [
            f"{said[name]} explains {100 * q.share:z.0f} % (± {100 * q.std_error:.0f})"
            for name, q in self.quality.items()
        ]
        return "; ".join(parts) + (" of the variation of unseen rows" if self.quality else "")

    def group_lines(self) -> list[str]:
        """The scores of the groups next to those of their features."""
        name = next((n for n in ("loco", "pfi") if n in self.group_results), None)
        if name is None:
            return []
        result, label, lines = self.group_results[name], METHODS[name].label, []
        how = "left out" if name == "loco" else "shuffled"
        alone = dict(zip(self.results[name].feature_names, self.results[name].scores, strict=True))
        for group, score in zip(result.feature_names, result.scores, strict=True):
            members = self.associations.groups[group]
            single = ", ".join(f"{m} {decimal(float(alone[m]))}" for m in members[:4])
            more = ", …" if len(members) > 4 else ""
            together = f"{label} {decimal(float(score))} together"
            lines.append(f"{group}: {together}; each {how} alone: {single}{more}")
        return lines

    def treatments(self) -> list[str]:
        """The treatment of columns that were not taken as they are."""
        return [f"{c.name}: {c.treatment}" for c in self.columns if c.treatment]

    def to_json(self) -> str:
        """Everything as JSON; numbers that are not finite are null."""
        content = {
            "target": self.target,
            "task": self.task,
            "n_rows": self.n_rows,
            "model": self.model,
            "random_state": self.random_state,
            "design": self.design.__dict__,
            "cuts": self.cuts,
            "false_discovery_rate": self.fdr,
            "selected_by": self.deciding,
            "selected": self.selected,
            "doubtful": self.doubtful,
            "statements": self.statements,
            "in_words": self.in_words,
            "curves": {name: curve._asdict() for name, curve in self.curves.items()},
            "draws": {name: test._asdict() for name, test in self.draw_tests.items()},
            "draws_of_groups": [[g, t._asdict()] for g, t in self.group_draws.items()],
            "answer": None if self.answer is None else [self.answer.head, *self.answer.sentences],
            "quality": {name: q.__dict__ for name, q in self.quality.items()},
            "columns": [
                {"name": c.name, "kind": c.kind, "used": c.values is not None,
                 "treatment": c.treatment, "missing": c.n_missing, "values": c.n_values}
                for c in self.columns
            ],
            "features": self.to_frame().to_dict("records"),
            "groups": self.groups_to_frame().to_dict("records"),
            "association": {
                "measure": MEASURE,
                "names": self.associations.names,
                "strength": np.round(self.associations.strength, 6).tolist(),
            },
            "disagreements": [d._asdict() for d in self.disagreements],
            "cautions": self.cautions,
            "notes": self.notes,
        }  # fmt: skip
        return json.dumps(json_value(content), indent=1, ensure_ascii=False)

    def to_html(self) -> str:
        """One HTML page that loads nothing from the network."""
        from losaw.explaining.page import page

        return page(self)

    def _repr_html_(self) -> str:
        from losaw.explaining.page import page

        return page(self, "explain/content.html")

    def plot(self, top: int = 20) -> "Figure":
        """Bars of the ``top`` features, a panel per method, with 95 % intervals."""
        from losaw.explaining.page import bars

        return bars(self, top)

    def save(self, prefix: str | Path) -> tuple[Path, ...]:
        """Write ``prefix.html``, ``.png``, ``.csv`` and ``.json``: all of them, or none.

        Raises
        ------
        LosawError
            If they cannot be written there.
        """
        figure = self.plot()
        picture = partial(
            figure.savefig, format="png", dpi=_PIXELS_PER_INCH, metadata={"Software": None}
        )
        frame = self.to_frame()
        for column in ("feature", "group"):
            frame[column] = frame[column].map(_as_text_of_a_cell)
        table = frame.to_csv(index=False, lineterminator="\n")
        contents = (self.to_html(), picture, table, self.to_json() + "\n")
        return write_results(paths_of(prefix, ENDINGS), contents)


def _as_text_of_a_cell(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula."""
    return f"'{name}" if name.startswith(_FORMULA) else name


def paths_of(prefix: str | Path, endings: Sequence[str]) -> list[Path]:
    """The files that ``save`` of an explanation or an audit writes."""
    path = Path(prefix)
    return [path.with_name(path.name + ending) for ending in endings]


def write_results(
    paths: Sequence[Path], contents: Sequence[str | Callable[[Path], object]]
) -> tuple[Path, ...]:
    """Write texts, or call functions that fill a file: all of them, or none."""
    writers = [partial(_write_text, c) if isinstance(c, str) else c for c in contents]
    advice = "choose another place with --output"
    write_together(list(zip(paths, writers, strict=True)), LosawError, advice)
    return tuple(paths)


def _write_text(text: str, place: Path) -> None:
    place.write_text(text, encoding="utf-8")
