"""Boruta: all relevant features by comparison with shuffled shadows (Kursa & Rudnicki 2010)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import Dataset, FloatArray
from losaw.importance.described import Described, described
from losaw.importance.explained import read_rows, require_complete
from losaw.importance.jobs import checked_jobs
from losaw.importance.out_of_bag_permutation import out_of_bag_z_scores
from losaw.importance.result import ImportanceResult
from losaw.outcomes import Task, task_of, unnamed_response
from losaw.rng import as_generator, seed_integer
from losaw.tables.kinds import Kinds

CONFIRMED, TENTATIVE, REJECTED = 1, 0, -1
_MIN_SHADOWS = 5


def boruta(
    X: ArrayLike,
    y: ArrayLike,
    *,
    task: Task | None = None,
    n_estimators: int = 500,
    max_runs: int = 100,
    alpha: float = 0.01,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    verbose: bool = False,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
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
    X, y : array or frame (n_samples, n_features), array (n_samples,)
        All rows. Levels enter as their codes, as in R. No model: Boruta grows its own forests.
    task : {"regression", "classification"} or None, default None
        None: classification of text and bools, regression of numbers.
    n_estimators : int, default 500
        Trees of a forest, with the defaults of the R package ranger.
    max_runs : int, default 100
        Runs with decisions, at most.
    alpha : float, default 0.01
    kinds, feature_names, verbose, random_state
        As in :func:`losaw.importance.cpi`.

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

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.importance import boruta
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> result = boruta(X, X[:, 0], n_estimators=20, max_runs=12, random_state=0)
    >>> result.details["selected"].tolist()
    [True, False, False]
    """
    from scipy.stats import binom

    _check(n_estimators, max_runs, alpha)
    rng = as_generator(random_state)
    sample = read_rows(X, y, kinds=kinds, feature_names=feature_names)
    require_complete(sample.table, "Boruta's forests cannot split them", "impute them first")
    if task is None:
        task = "regression" if sample.y.dtype.kind in "fiu" else "classification"
    rows, response = sample.table.codes, unnamed_response(sample.y, task)
    n_features = rows.shape[1]
    decisions = np.full(n_features, TENTATIVE)
    hits, runs = np.zeros(n_features, dtype=int), np.zeros(n_features, dtype=int)
    history = np.full((max_runs, n_features), np.nan)
    best_shadows: list[float] = []
    for run in checked_jobs(None, verbose).each(int, range(max_runs), max_runs, "boruta, runs"):
        if not (decisions == TENTATIVE).any():
            break
        kept = np.flatnonzero(decisions != REJECTED)
        importances, shadows = _one_run(rows[:, kept], response, task, n_estimators, rng)
        history[run, kept] = importances
        best_shadows.append(float(shadows.max()))
        hits[kept] += importances > best_shadows[-1]
        runs[kept] += 1
        open_ones = decisions == TENTATIVE
        limit = alpha / n_features
        decisions[open_ones & (binom.sf(hits - 1, run + 1, 0.5) < limit)] = CONFIRMED
        decisions[open_ones & (binom.cdf(hits, run + 1, 0.5) < limit)] = REJECTED
    medians = np.nanmedian(history[: len(best_shadows)], axis=0)
    scores = medians - np.median(best_shadows)
    tentative = decisions == TENTATIVE
    return ImportanceResult(
        scores,
        sample.table.names,
        p_values=np.minimum(1.0, n_features * binom.sf(hits - 1, runs, 0.5)),
        details={
            "selected": (decisions == CONFIRMED) | (tentative & (scores > 0)),
            "decisions": decisions,
            "n_runs": len(best_shadows),
        },
        method=described(
            "boruta", n_estimators=n_estimators, max_runs=max_runs, alpha=alpha, task=task
        ),
        kinds=sample.table.kinds,
        table=sample.table,
    )


def _one_run(
    X: FloatArray, y: FloatArray, task: str, n_estimators: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Importances of the features and of their shadows (five or more)."""
    source: NDArray[np.intp] = np.resize(np.arange(X.shape[1]), max(_MIN_SHADOWS, X.shape[1]))
    shadows = np.column_stack([X[rng.permutation(len(X)), j] for j in source])
    z_scores = out_of_bag_z_scores(
        np.hstack([X, shadows]), y, task, n_estimators, seed_integer(rng)
    )
    return z_scores[: X.shape[1]], z_scores[X.shape[1] :]


def _check(n_estimators: int, max_runs: int, alpha: float) -> None:
    if n_estimators < 2 or max_runs < 1:
        raise ValueError(
            f"n_estimators must be at least 2 and max_runs at least 1, got {n_estimators!r} "
            f"and {max_runs!r}"
        )
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")


class Boruta(Described):
    """:func:`boruta` of a study's training sample; the given model is not used.

    Parameters
    ----------
    n_estimators, max_runs, alpha
        As in :func:`boruta`.
    """

    # A hundred forests of 500 trees are no example.
    examples = ({"n_estimators": 20, "max_runs": 5},)

    def __init__(self, n_estimators: int = 500, max_runs: int = 100, alpha: float = 0.01) -> None:
        _check(n_estimators, max_runs, alpha)
        self.n_estimators = n_estimators
        self.max_runs = max_runs
        self.alpha = alpha

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Decisions on every feature, from the training sample."""
        if model is not None:
            task_of(model, data.task)
        return boruta(
            *data.train,
            task=data.task,
            n_estimators=self.n_estimators,
            max_runs=self.max_runs,
            alpha=self.alpha,
            feature_names=data.feature_names,
            kinds=data.feature_kinds,
            random_state=rng,
        )
