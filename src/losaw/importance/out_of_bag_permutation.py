"""Scaled out-of-bag permutation importance of a fresh forest, as ranger computes it for Boruta."""

import numpy as np

from losaw.data import FloatArray
from losaw.kernels.compiled import allocating
from losaw.kernels.trees import Trees, leaf_of
from losaw.learners.ranger_trees import RangerTrees
from losaw.rng import seed_integer


def out_of_bag_z_scores(
    X: FloatArray, y: FloatArray, task: str, n_estimators: int, seed: int
) -> FloatArray:
    """Mean over trees of the out-of-bag loss increase by permutation, over its standard error,

        z_j = mean_t d_tj / sqrt(var_t d_tj / T),

    shape (n_features,); 0 for a feature that no tree uses. Loss: squared error, or 1 for a wrong
    one of the classes 0 and 1, and 1/4 in a leaf that holds as many of either. The forest has
    ranger's defaults: square root of the columns at a node; nodes of 5 rows are not split in
    regression, all impure ones are in classification.
    """
    rng = np.random.default_rng(seed)
    regression = task == "regression"
    forest = RangerTrees(n_estimators, 5 if regression else 1, seed_integer(rng)).fit(X, y)
    trees = forest.trees_
    # A leaf without a majority guesses: half an error, whichever class is called 1.
    value = forest.value_ if regression else np.sign(forest.value_ - 0.5) / 2 + 0.5
    columns = np.ascontiguousarray(X, dtype=float)
    increases = np.zeros((n_estimators, X.shape[1]))
    for index, sampled in enumerate(forest.in_bag_):
        out = np.setdiff1d(np.arange(len(y)), sampled)
        if len(out) == 0:
            continue
        sources = rng.permuted(np.tile(out, (X.shape[1], 1)), axis=1)
        _permute(trees, index, value, columns, y, out, sources, increases[index])
    error = increases.std(axis=0, ddof=1) / np.sqrt(n_estimators)
    means = increases.mean(axis=0)
    return np.divide(means, error, out=np.zeros_like(means), where=error > 0)


@allocating()
def _permute(
    trees: Trees,
    tree: int,
    value: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    out: np.ndarray,
    sources: np.ndarray,
    increases: np.ndarray,
) -> None:
    """Increase in mean squared error of one tree for every feature that it uses.

    Of the rows ``out``; ``sources[j]`` are the rows that they have feature j of.
    """
    root, end = trees.starts[tree], trees.starts[tree + 1]
    original = 0.0
    for i in out:
        original += (y[i] - value[leaf_of(trees, root, X, i)]) ** 2
    for j in range(len(increases)):
        is_used = False
        for feature in trees.feature[root:end]:
            if feature == j:
                is_used = True
                break
        if not is_used:
            continue
        total = 0.0
        for k in range(len(out)):
            leaf = leaf_of(trees, root, X, out[k], j, sources[j, k])
            total += (y[out[k]] - value[leaf]) ** 2
        increases[j] = (total - original) / len(out)
