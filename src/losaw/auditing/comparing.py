"""Methods compared with the best one, round by round, and the rate of false selections."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from losaw.data import FloatArray
from losaw.scoring.one_sided_tests import adjust, t_test

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05


@dataclass(frozen=True)
class Standing:
    """The results of one method over all rounds.

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
        Means over rounds of its selection, and the error of the second; NaN if it does not test.
    false_low, false_high : float
        One-sided 95 % bounds of ``false`` (:func:`bounds`).
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
    false_low: float
    false_high: float

    @property
    def is_trusted(self) -> bool:
        """True if it is not significantly worse than the best method."""
        return not self.p_value <= LEVEL

    def keeps(self, fdr: float) -> str:
        """Return "yes", "no" or "open": its share of false selections is at most ``fdr``.

        By its one-sided 95 % bounds; empty if it does not test.
        """
        if np.isnan(self.false):
            return ""
        if self.false_low > fdr:
            return "no"
        return "yes" if self.false_high <= fdr else "open"


def bounds(shares: FloatArray) -> tuple[float, float]:
    """Return one-sided 95 % bounds of the mean share of false selections, from one share a round.

    Below by Student's t. Above as well, after one more round that is as bad as the worst: shares
    are mostly 0 with a few large ones, and Student's t alone claims too often that such a mean is
    small. Where all rounds agree there is no error to go by: then a round counts as one yes-or-no
    decision.

    Parameters
    ----------
    shares : array of shape (n_rounds,)
    """
    from scipy.special import stdtrit

    if np.isnan(shares).any():
        return np.nan, np.nan
    n_rounds = len(shares)
    if np.ptp(shares) == 0:
        slack = 1.0 - LEVEL ** (1.0 / n_rounds)
        return float(shares[0] - slack), float(shares[0] + slack)
    worse = np.append(shares, shares.max())
    low = shares.mean() - stdtrit(n_rounds - 1, 1 - LEVEL) * _errors(shares)
    return float(low), float(worse.mean() + stdtrit(n_rounds, 1 - LEVEL) * _errors(worse))


def standings(rounds: "pd.DataFrame") -> list[Standing]:
    """Return the methods from the best mean pr-AUC down, each compared with the first.

    The best is chosen by the rounds that it is compared on, which favours it slightly.
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
    limits = {name: bounds(part["false"].to_numpy(dtype=float)) for name, part in measured}
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
            false_low=limits[method][0],
            false_high=limits[method][1],
        )
        for place, method in enumerate(order)
    ]


def _errors(values: FloatArray) -> FloatArray:
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))
