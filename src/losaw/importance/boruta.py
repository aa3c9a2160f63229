"""Boruta: all relevant features by comparison with shuffled shadows (Kursa & Rudnicki 2010)."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.forest.ranger import RangerTrees
from losaw.importance.refit import read_refit
from losaw.rng import as_generator, seed_integer
from losaw.scoring.result import ImportanceResult, checked_by, parameter_repr
from losaw.support.arguments import between_0_and_1, whole_number
from losaw.support.models import Task
from losaw.support.threads import checked_jobs, each
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups, Units
from losaw.trees.exchanged import exchanged_predictions

CONFIRMED, TENTATIVE, REJECTED = 1, 0, -1
_MIN_SHADOWS = 5


def _check(n_estimators: int, max_runs: int, alpha: float) -> None:
    whole_number("n_estimators", n_estimators, 2)
    whole_number("max_runs", max_runs, 1)
    between_0_and_1("alpha", alpha)


@checked_by(_check)
def boruta(
    X: ArrayLike,
    y: ArrayLike,
    *,
    task: Task | None = None,
    n_estimators: int = 500,
    max_runs: int = 100,
    alpha: float = 0.01,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Test whether a feature beats the best shuffled copy more often than by chance.

    In every run a forest is grown on the features and their shuffled shadows, and a feature that
    has a larger importance than the best shadow scores a hit. A feature with h hits in r runs is
    confirmed if P(Bin(r, 1/2) >= h), and rejected if P(Bin(r, 1/2) <= h), is below ``alpha``
    after Bonferroni's correction. Rejected features leave. What is undecided in the end is
    confirmed if its median importance is above the median of the best shadow's.

    The importance is the one of the R package: the permutation increase of a tree's out-of-bag
    loss, its mean over the trees divided by its standard error. It is marginal: with enough rows
    every feature that correlates with a relevant one is confirmed.

    Every run grows a forest as the R package ranger does by default, as in the paper; levels enter
    as their codes, as in R. BorutaPy takes the impurity importance, and by default another
    correction; it is the library for a model of your own.

    Parameters
    ----------
    X, y : array or frame (n_samples, n_features), array (n_samples,)
        All rows.
    task : {"regression", "classification"} or None, default None
        None: classification of text, bools and categories, regression of numbers.
    n_estimators : int, default 500
        Trees of a forest.
    max_runs : int, default 100
        Runs with decisions, at most.
    alpha : float, default 0.01
    groups : dict of str to sequence of str, or None
        Group name -> columns that are shuffled together and decided on as one.
    kinds, feature_names, random_state
        As in :func:`losaw.importance.cpi`.
    n_jobs : int or None
        Threads that grow and permute trees; the result does not depend on it.

    Returns
    -------
    ImportanceResult
        ``scores``: median importance of a feature over its runs minus the median of the best
        shadow; ``p_values``: P(Bin(r, 1/2) >= h) with Bonferroni's correction at the last run of
        the feature; ``details``: ``selected`` (mask of confirmed features), ``decisions`` before
        the tentative ones are decided (1, 0, -1), ``n_runs``, ``raw_p_values`` without the
        correction. No standard error: a feature leaves when it is decided, so that its runs are not
        a sample. All runs use one sample: a feature that goes with y by chance looks like a signal
        in every run, and the p-values do not bound how often that happens.

    Raises
    ------
    ValueError
        For a parameter out of range, missing values, a constant y, or more than two classes.

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
    sample = read_refit(X, y, task, groups, kinds, feature_names, dummies=False)
    n_threads = checked_jobs(n_jobs)
    units = sample.units.members
    n_units = len(units)
    decisions = np.full(n_units, TENTATIVE)
    hits, runs = np.zeros(n_units, dtype=int), np.zeros(n_units, dtype=int)
    history = np.full((max_runs, n_units), np.nan)
    best_shadows: list[float] = []
    for run in range(max_runs):
        if not (decisions == TENTATIVE).any():
            break
        kept = np.flatnonzero(decisions != REJECTED)
        columns, places = _with_shadows(sample.columns, [units[unit] for unit in kept], rng)
        seed = seed_integer(rng)
        both = out_of_bag_z_scores(
            columns, sample.y, sample.task, n_estimators, seed, places, n_threads
        )
        importances, shadows = both[: len(kept)], both[len(kept) :]
        history[run, kept] = importances
        best_shadows.append(float(shadows.max()))
        hits[kept] += importances > best_shadows[-1]
        runs[kept] += 1
        open_ones = decisions == TENTATIVE
        limit = alpha / n_units
        decisions[open_ones & (binom.sf(hits - 1, run + 1, 0.5) < limit)] = CONFIRMED
        decisions[open_ones & (binom.cdf(hits, run + 1, 0.5) < limit)] = REJECTED
    medians = np.nanmedian(history[: len(best_shadows)], axis=0)
    scores = medians - np.median(best_shadows)
    tentative = decisions == TENTATIVE
    raw = binom.sf(hits - 1, runs, 0.5)
    p_values = np.minimum(1.0, n_units * raw)
    selected = (decisions == CONFIRMED) | (tentative & (scores > 0))
    return ImportanceResult(
        scores,
        sample.units.names,
        p_values=p_values,
        details={
            "selected": selected,
            "decisions": decisions,
            "n_runs": len(best_shadows),
            "raw_p_values": raw,
        },
        method=parameter_repr(
            "boruta",
            n_estimators=n_estimators,
            max_runs=max_runs,
            alpha=alpha,
            task=sample.task,
        ),
        kinds=sample.kinds,
    )


def _with_shadows(
    X: FloatArray, units: Sequence[NDArray[np.intp]], rng: np.random.Generator
) -> tuple[FloatArray, list[NDArray[np.intp]]]:
    """The units' columns and those of their shadows (five or more), with the places of each."""
    source = np.resize(np.arange(len(units)), max(_MIN_SHADOWS, len(units))).tolist()
    blocks = [X[:, unit] for unit in units]
    blocks += [X[np.ix_(rng.permutation(len(X)), units[unit])] for unit in source]
    ends = np.cumsum([block.shape[1] for block in blocks])
    return np.hstack(blocks), [
        np.arange(end - block.shape[1], end) for block, end in zip(blocks, ends, strict=True)
    ]


def out_of_bag_z_scores(
    X: FloatArray,
    y: FloatArray,
    task: str,
    n_estimators: int,
    seed: int,
    units: Sequence[NDArray[np.intp]],
    n_threads: int = 1,
) -> FloatArray:
    """Mean over trees of the out-of-bag loss increase by permutation, over its standard error,

        z_j = mean_t d_tj / sqrt(var_t d_tj / T),

    shape (n_units,); 0 for a unit that no tree uses. Loss: squared error, or 1 for a wrong one of
    the classes 0 and 1, and 1/4 in a leaf that holds as many of either. The forest has ranger's
    defaults: square root of the columns at a node; nodes of 5 rows are not split in regression,
    all impure ones are in classification. Every column is in one unit, whose columns are permuted
    together.
    """
    rng = np.random.default_rng(seed)
    regression = task == "regression"
    forest = RangerTrees(
        n_estimators, 5 if regression else 1, seed_integer(rng), n_threads=n_threads
    ).fit(X, y)
    # A leaf without a majority guesses: half an error, whichever class is called 1.
    value = forest.nodes.value
    if not regression:
        value = np.sign(value - 0.5) / 2 + 0.5
    columns = np.ascontiguousarray(X, dtype=float)
    every_column = np.arange(X.shape[1])
    unit_of_column = Units((), tuple(units)).of_columns

    def draws() -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
        for tree, counts in enumerate(forest.in_bag_counts()):
            out = np.flatnonzero(counts == 0)
            yield tree, out, rng.permuted(np.tile(out, (len(units), 1)), axis=1)

    def increase(drawn: tuple[int, NDArray[np.intp], NDArray[np.intp]]) -> FloatArray:
        tree, out, sources = drawn
        if len(out) == 0:
            return np.zeros(len(units))
        trees = forest.flat_trees._replace(starts=forest.starts[tree : tree + 2])
        copies = columns[sources[unit_of_column].T, every_column]
        predicted = exchanged_predictions(trees, value, columns[out], copies[None], units)
        losses = ((y[out] - predicted) ** 2).mean(axis=1)
        return np.asarray(losses[1:] - losses[0])

    increases = np.stack(list(each(increase, draws(), n_threads)))
    error = increases.std(axis=0, ddof=1) / np.sqrt(n_estimators)
    means = increases.mean(axis=0)
    return np.divide(means, error, out=np.zeros_like(means), where=error > 0)
