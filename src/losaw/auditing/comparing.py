"""Methods beside the best one, round by round, and whether a selection keeps its rate."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from losaw.data import FloatArray
from losaw.importance.one_sided_tests import adjust
from losaw.importance.row_differences import t_test

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05


@dataclass(frozen=True)
class Standing:
    """What the rounds say of one method.

    Attributes
    ----------
    method : str
    pr_auc, pr_auc_error, first : float
        Means over rounds; the standard error of the first.
    behind, behind_error : float
        Mean difference of pr-AUC to the best method, over the same rounds.
    p_value : float
        One-sided, of a method that is as good as the best; adjusted over methods (Holm).
    found, false, false_error : float
        Means over rounds of what it selects, and the error of the second; NaN if it does not test.
    rounds : int
    """

    method: str
    pr_auc: float
    pr_auc_error: float
    first: float
    behind: float
    behind_error: float
    p_value: float
    found: float
    false: float
    false_error: float
    rounds: int

    @property
    def is_trusted(self) -> bool:
        """Whether the rounds do not tell it from the best method."""
        return not self.p_value <= LEVEL

    def keeps(self, fdr: float) -> str:
        """Whether its share of false selections is ``fdr`` at most: "yes", "no" or "open".

        By one-sided 95 % bounds; empty if it does not test. Where all rounds agree there is no
        error to go by: then a round counts as one yes-or-no decision.
        """
        if np.isnan(self.false):
            return ""
        if self.false_error == 0:
            slack = 1.0 - LEVEL ** (1.0 / self.rounds)
            if self.false - slack > fdr:
                return "no"
            return "yes" if self.false + slack <= fdr else "open"
        excess, freedom = self.false - fdr, self.rounds - 1
        if t_test(excess, self.false_error, freedom, 1 - LEVEL).p_value <= LEVEL:
            return "no"
        below = t_test(-excess, self.false_error, freedom, 1 - LEVEL).p_value
        return "yes" if below <= LEVEL else "open"


def standings(rounds: "pd.DataFrame") -> list[Standing]:
    """The methods from the best mean pr-AUC down, each beside the first one.

    The best is chosen by the rounds that it is compared on, which favours it a little.
    """
    by_method = rounds.pivot(index="round", columns="method", values="pr_auc")
    order = by_method.mean().sort_values(ascending=False, kind="stable").index
    n_rounds = len(by_method)
    behind = by_method[order[0]].to_numpy()[:, None] - by_method[order].to_numpy()
    errors = _errors(behind)
    p_values = [
        t_test(float(mean), float(error), n_rounds - 1, 1 - LEVEL).p_value
        for mean, error in zip(behind.mean(axis=0), errors, strict=True)
    ]
    adjusted = [1.0, *adjust(np.array(p_values[1:]), "holm")]
    measured = rounds.groupby("method")
    means = measured[["pr_auc", "first", "found", "false"]].mean()
    spread = measured[["pr_auc", "false"]].std() / np.sqrt(n_rounds)
    return [
        Standing(
            method=str(method),
            pr_auc=float(means.at[method, "pr_auc"]),
            pr_auc_error=float(spread.at[method, "pr_auc"]),
            first=float(means.at[method, "first"]),
            behind=float(behind[:, place].mean()),
            behind_error=float(errors[place]),
            p_value=float(adjusted[place]),
            found=float(means.at[method, "found"]),
            false=float(means.at[method, "false"]),
            false_error=float(spread.at[method, "false"]),
            rounds=n_rounds,
        )
        for place, method in enumerate(order)
    ]


def _errors(values: FloatArray) -> FloatArray:
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))
