"""Boruta: all relevant features by comparison with shuffled shadows (Kursa & Rudnicki 2010)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import Dataset, FloatArray
from losaw.importance.out_of_bag_permutation import out_of_bag_z_scores
from losaw.importance.result import ImportanceResult
from losaw.outcomes import numeric_response
from losaw.rng import as_generator, seed_integer

CONFIRMED, TENTATIVE, REJECTED = 1, 0, -1
_MIN_SHADOWS = 5


class Boruta:
    """Does a feature beat the best of shuffled copies more often than by chance?

    In every run a forest is grown on the features and their shuffled shadows, and a feature that
    has a larger importance than the best shadow scores a hit. A feature with h hits in r runs is
    confirmed if P(Bin(r, 1/2) >= h), and rejected if P(Bin(r, 1/2) <= h), is below ``alpha``
    after Bonferroni's correction. Rejected features leave. What is undecided in the end is
    confirmed if its median importance is above the median of the best shadow's.

    The importance is the one of the R package: the permutation increase of a tree's out-of-bag
    loss, its mean over the trees divided by its standard error. It is marginal: with enough rows
    every feature that correlates with a relevant one is confirmed.

    Own code: BorutaPy uses impurity importance and another correction.

    Parameters
    ----------
    n_estimators : int, default 500
        Trees of a forest, with the defaults of the R package ranger.
    max_runs : int, default 100
        Runs with decisions, at most.
    alpha : float, default 0.01

    Returns
    -------
    ImportanceResult
        ``scores``: median importance of a feature over its runs minus the median of the best
        shadow; ``p_values``: P(Bin(r, 1/2) >= h) with Bonferroni's correction at the last run of
        the feature; ``details``: ``selected`` (mask of confirmed features), ``decisions`` before
        the tentative ones are decided (1, 0, -1), ``n_runs``.

    Raises
    ------
    ValueError
        For a parameter out of range, missing values, or more than two classes.

    Notes
    -----
    The given model is not used. Nominal features enter as their codes, as in R.
    """

    # A hundred forests of 500 trees are no example.
    examples = ({"n_estimators": 20, "max_runs": 5},)

    def __init__(self, n_estimators: int = 500, max_runs: int = 100, alpha: float = 0.01) -> None:
        if n_estimators < 2 or max_runs < 1:
            raise ValueError(
                f"n_estimators must be at least 2 and max_runs at least 1, got {n_estimators!r} "
                f"and {max_runs!r}"
            )
        if not 0 < alpha < 1:
            raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")
        self.n_estimators = n_estimators
        self.max_runs = max_runs
        self.alpha = alpha

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Decisions on every feature, from the training sample."""
        rng = as_generator(rng)
        from scipy.stats import binom

        X, y = data.train.X, numeric_response(data.train.y, data.task)
        n_features = X.shape[1]
        decisions = np.full(n_features, TENTATIVE)
        hits, runs = np.zeros(n_features, dtype=int), np.zeros(n_features, dtype=int)
        history, best_shadows = np.full((self.max_runs, n_features), np.nan), []
        for run in range(self.max_runs):
            if not (decisions == TENTATIVE).any():
                break
            kept = np.flatnonzero(decisions != REJECTED)
            importances, shadows = self._one_run(X[:, kept], y, data.task, rng)
            history[run, kept] = importances
            best_shadows.append(shadows.max())
            hits[kept] += importances > best_shadows[-1]
            runs[kept] += 1
            open_ones = decisions == TENTATIVE
            limit = self.alpha / n_features
            decisions[open_ones & (binom.sf(hits - 1, run + 1, 0.5) < limit)] = CONFIRMED
            decisions[open_ones & (binom.cdf(hits, run + 1, 0.5) < limit)] = REJECTED
        medians = np.nanmedian(history[: len(best_shadows)], axis=0)
        scores = medians - np.median(best_shadows)
        tentative = decisions == TENTATIVE
        selected = (decisions == CONFIRMED) | (tentative & (scores > 0))
        return ImportanceResult(
            scores,
            data.feature_names,
            p_values=np.minimum(1.0, n_features * binom.sf(hits - 1, runs, 0.5)),
            details={
                "selected": selected,
                "decisions": decisions,
                "n_runs": len(best_shadows),
            },
        )

    def _one_run(
        self, X: FloatArray, y: FloatArray, task: str, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Importances of the features and of their shadows (five or more)."""
        source: NDArray[np.intp] = np.resize(np.arange(X.shape[1]), max(_MIN_SHADOWS, X.shape[1]))
        shadows = np.column_stack([X[rng.permutation(len(X)), j] for j in source])
        found = out_of_bag_z_scores(
            np.hstack([X, shadows]), y, task, self.n_estimators, seed_integer(rng)
        )
        return found[: X.shape[1]], found[X.shape[1] :]
