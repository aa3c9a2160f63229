"""Scaled out-of-bag permutation importance of a fresh forest, as ranger computes it for Boruta."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.fitted_trees.exchanged import exchanged_predictions
from losaw.learners.ranger_trees import RangerTrees
from losaw.rng import seed_integer
from losaw.support.jobs import Jobs


def out_of_bag_z_scores(
    X: FloatArray,
    y: FloatArray,
    task: str,
    n_estimators: int,
    seed: int,
    units: Sequence[NDArray[np.intp]],
    jobs: Jobs,
) -> FloatArray:
    """Mean over trees of the out-of-bag loss increase by permutation, over its standard error,

        z_j = mean_t d_tj / sqrt(var_t d_tj / T),

    shape (n_units,); 0 for a unit that no tree uses. Loss: squared error, or 1 for a wrong one of
    the classes 0 and 1, and 1/4 in a leaf that holds as many of either. The forest has ranger's
    defaults: square root of the columns at a node; nodes of 5 rows are not split in regression,
    all impure ones are in classification.

    Parameters
    ----------
    units : sequence of int arrays
        Columns that are permuted together; every column is in one.
    """
    rng = np.random.default_rng(seed)
    regression = task == "regression"
    forest = RangerTrees(
        n_estimators, 5 if regression else 1, seed_integer(rng), n_jobs=jobs.n_jobs
    ).fit(X, y)
    # A leaf without a majority guesses: half an error, whichever class is called 1.
    value = forest.value_ if regression else np.sign(forest.value_ - 0.5) / 2 + 0.5
    columns = np.ascontiguousarray(X, dtype=float)
    place = np.arange(X.shape[1])
    unit_of_column = np.empty(X.shape[1], dtype=np.intp)
    for unit, members in enumerate(units):
        unit_of_column[members] = unit

    def draws() -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
        for tree, counts in enumerate(forest.in_bag_counts()):
            out = np.flatnonzero(counts == 0)
            yield tree, out, rng.permuted(np.tile(out, (len(units), 1)), axis=1)

    def increase(drawn: tuple[int, NDArray[np.intp], NDArray[np.intp]]) -> FloatArray:
        tree, out, sources = drawn
        if len(out) == 0:
            return np.zeros(len(units))
        trees = forest.trees_._replace(starts=forest.trees_.starts[tree : tree + 2])
        copies = columns[sources[unit_of_column].T, place]
        predicted = exchanged_predictions(trees, value, columns[out], copies, units)
        losses = ((y[out] - predicted) ** 2).mean(axis=1)
        return np.asarray(losses[1:] - losses[0])

    quiet = Jobs(jobs.n_jobs, False)
    increases = np.stack(list(quiet.each(increase, draws(), n_estimators, "")))
    error = increases.std(axis=0, ddof=1) / np.sqrt(n_estimators)
    means = increases.mean(axis=0)
    return np.divide(means, error, out=np.zeros_like(means), where=error > 0)
