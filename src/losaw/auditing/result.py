"""The result of an audit: ranked methods, sentences, and their files."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import losaw
from losaw.auditing.rounds import LEVEL, by_chance, standings
from losaw.explaining.design import METHODS, Design
from losaw.explaining.scores import Quality
from losaw.pages import Result, text_table
from losaw.support.words import decimal, percent

if TYPE_CHECKING:
    import pandas as pd

# Shares that differ by less are printed alike.
_SAME = 0.01
_HEAD = (
    "method", "pr-AUC", "behind the best", "first places right", "finds", "false", "keeps its rate"
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """The success of each method at finding known causes among the features of a table.

    Attributes
    ----------
    target, task : str
    features : tuple of str
    design : Design
    rounds : DataFrame
        One line per round and method: pr_auc, first, found, false, the part of the simulated
        response that the model explained on unseen rows (``explained``), and its signals.
    share : float
        The part of a simulated response that its best prediction explains; of classes, of the
        numbers that they are cut from.
    quality : Quality
        Of the model on the table's own response.
    n_signals : int
    fdr : float
    random_state : int
    model : str
    notes : tuple of str
        Decisions on the rows and the target, as those of explain.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import losaw
    >>> frame = pd.DataFrame({name: np.sin(k * np.arange(80.0)) for k, name in enumerate("abc", 1)})
    >>> found = losaw.audit(frame, "c", methods="ufi,pfi", rounds=5, folds=3, budget=None)
    >>> len(found.rounds), found.n_signals
    (10, 1)
    """

    template: ClassVar[str] = "audit/content.html"
    title: ClassVar[str] = "Methods for"

    target: str
    task: str
    features: tuple[str, ...]
    design: Design
    rounds: "pd.DataFrame"
    share: float
    quality: Quality
    n_signals: int
    fdr: float
    random_state: int
    model: str
    notes: tuple[str, ...] = ()

    @cached_property
    def standings(self) -> "pd.DataFrame":
        """The methods, best first: means over rounds, errors, verdicts."""
        return standings(self.rounds, self.fdr)

    @property
    def trusted(self) -> tuple[str, ...]:
        """The best method, and those that are not significantly worse."""
        return tuple(self.standings.query("trusted")["method"])

    def to_frame(self) -> "pd.DataFrame":
        """:attr:`standings`, with the methods by the names that tables have for them."""
        return self.standings.assign(method=[METHODS[m].label for m in self.standings["method"]])

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The answer in sentences."""
        frame = self.to_frame()
        level = list(frame.loc[frame["behind"] == 0, "method"])
        best, *others = frame.loc[frame["trusted"], "method"]
        others = [label for label in others if label not in level]
        worse = list(frame.loc[~frame["trusted"], "method"])
        lines = [
            "Best at separating causes from the other features (highest mean pr-AUC): "
            f"{', '.join(level)}."
        ]
        first = self.standings.iloc[0]
        labels = [method.label for method in METHODS.values()]
        if gone := [
            n for n in labels if any(c.startswith(f"{n} is left") for c in self.design.cuts)
        ]:
            lines.append(f"Not compared, since the budget leaves them out: {', '.join(gone)}.")
        of_best = self.rounds.loc[self.rounds["method"] == first["method"], "first"]
        chance = self.n_signals / len(self.features)
        if by_chance(of_best.to_numpy(), len(self.features), self.n_signals) > LEVEL:
            none = ", and at the false discovery rate it selects no cause"
            lines.append(
                f"The order of {best} is not shown to be better than chance (first places "
                f"right {decimal(first['first'])}, {decimal(chance)} by chance)"
                f"{none if first['found'] == 0 else ''}."
            )
        elif first["found"] == 0:
            lines.append(
                f"The scores of {best} put causes first more often than chance (first places right "
                f"{decimal(first['first'])}, {decimal(chance)} by chance), but at the false "
                "discovery rate it selects none of them: use its order, not its selection."
            )
        if others:
            lines.append(f"Not significantly worse in {self.n_rounds} rounds: {', '.join(others)}.")
        if worse:
            lines.append(f"Worse than {best} (p ≤ .05, Holm): {', '.join(worse)}.")
        elif others:
            lines.append("No method is significantly worse than the best. More rounds may show it.")
        counted = self.rounds.drop_duplicates("round")
        if counted["statements"].sum() > 0:
            n, false = (int(counted[c].sum()) for c in ("statements", "false_statements"))
            lines.append(
                f"Statements of explain on the finest groups that matter: {n} in {self.n_rounds} "
                f"rounds, of which {false} name no cause; {percent(counted['named'].mean())} of "
                "the causes are in one."
            )
        rate = f"a false discovery rate of {self.fdr:g}"
        for answer, claim in (
            ("yes", f"Selections that keep {rate}"),
            ("no", f"Selections that exceed {rate}, so that their stars cannot be trusted"),
            ("open", f"Open after {self.n_rounds} rounds, whether a selection keeps {rate}"),
        ):
            names = [
                f"{s.method} ({decimal(s.false)} false, finds {decimal(s.found)})"
                for s in frame[frame["keeps"] == answer].itertuples()
            ]
            if names:
                lines.append(f"{claim}: {', '.join(names)}.")
        return tuple(lines)

    @property
    def cautions(self) -> tuple[str, ...]:
        """The limits of an audit."""
        kind = (
            "as a line, a step or a hump of one number, or as effects of the levels of one factor"
        )
        if self.n_signals > 1:
            kind = "as sums of lines, steps and humps of numbers and of effects of levels"
            kind += ", with one product"
        lines = [
            f"The features are the table's own. The responses are simulated, {kind}. For a real "
            "response of another kind the order may differ.",
            '"False" counts selected features that were not used to simulate the response. PFI, '
            "MDI and others that credit a copy of a cause answer another question, and are false "
            "by this count.",
        ]
        if self.design.rows < self.design.n_rows:
            lines.append(
                f"{self.design.rows:,} of {self.design.n_rows:,} rows were used: on all of them "
                "the order may differ."
            )
        if "losaw" in self.design.methods and self.design.losaw_rows < self.design.rows:
            lines.append(
                f"losawRF was fitted to {self.design.losaw_rows:,} of the {self.design.rows:,} "
                "rows, the other methods to all: use --rows for a fair comparison."
            )
        if self.quality.share < self.share - _SAME:
            lines.append(
                f"{self.model[0].upper()}{self.model[1:]} explains "
                f"{percent(self.quality.share)} of {self.target}; of the simulated responses "
                f"up to {100 * self.share:.0f} % can be explained."
            )
        return tuple(lines)

    @property
    def n_rounds(self) -> int:
        """The number of simulated responses."""
        return int(self.rounds["round"].nunique())

    def headline(self) -> str:
        """The simulated responses in words."""
        explained = self.rounds.drop_duplicates("round")["explained"].mean()
        causes = f"from {self.n_signals} of {len(self.features)} features"
        cut = "" if self.task == "regression" else " before it is cut into classes"
        of_them = "" if np.isnan(explained) else f"{percent(explained)} of them and "
        return (
            f"{self.target} ({self.task}): {self.n_rounds} responses were simulated on "
            f"{self.design.rows:,} rows, each {causes}. The best prediction explains "
            f"{100 * self.share:.0f} % of each{cut}. "
            f"{self.model[0].upper()}{self.model[1:]} explains {of_them}"
            f"{percent(self.quality.share)} of {self.target}."
        )

    def _lines(self) -> list[str]:
        import pandas as pd

        return text_table(pd.DataFrame(self.cells(), columns=list(_HEAD)))

    def _sentences(self) -> dict[str, Any]:
        model = f"The model is {self.model}; random state {self.random_state}; losaw "
        again = f" --rounds {self.n_rounds} --signals {self.n_signals} --share {self.share:.17g}"
        return {
            "Verdict": self.verdicts,
            "Beware": self.cautions,
            "How it was computed": [
                *self.design.said(*self.notes, options=again),
                f"{model}{losaw.__version__}.",
            ],
        }

    def cells(self) -> list[list[str]]:
        """The table as it is shown, below the head of the table."""
        return [
            [
                s.method,
                _with_error(s.pr_auc, s.pr_auc_error),
                _with_error(s.behind, s.behind_error) + "*" * (not s.trusted) if s.Index else "",
                decimal(s.first),
                "" if np.isnan(s.found) else decimal(s.found),
                _with_error(s.false, s.false_error),
                s.keeps,
            ]
            for s in self.to_frame().itertuples()
        ]

    def _content(self) -> dict[str, Any]:
        content = asdict(self)
        content["explained_of_the_target"] = content.pop("quality")
        content["false_discovery_rate"] = content.pop("fdr")
        return content | {
            "trusted": self.trusted,
            "verdicts": self.verdicts,
            "cautions": self.cautions,
            "methods": self.to_frame().to_dict("records"),
            "rounds": self.rounds.to_dict("records"),
        }

    def _values(self) -> dict[str, Any]:
        return {
            "head": _HEAD,
            "rows": self.cells(),
        }


def _with_error(value: float, error: float) -> str:
    return "" if np.isnan(value) else f"{decimal(value)} ± {decimal(error)}"
