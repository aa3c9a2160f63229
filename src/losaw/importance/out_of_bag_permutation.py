"""Scaled out-of-bag permutation importance of a fresh forest, as ranger computes it for Boruta."""

import numpy as np
from numba import njit

from losaw.data import FloatArray
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
    values = trees.values if regression else np.sign(trees.values - 0.5) / 2 + 0.5
    columns = np.ascontiguousarray(X, dtype=float)
    increases = np.zeros((n_estimators, X.shape[1]))
    for index, sampled in enumerate(forest.in_bag_):
        out = np.setdiff1d(np.arange(len(y)), sampled)
        if len(out) == 0:
            continue
        _permute(
            columns,
            y,
            out,
            trees.roots[index],
            trees.roots[index + 1],
            trees.features,
            trees.thresholds,
            trees.lefts,
            trees.rights,
            values,
            rng.permuted(np.tile(out, (X.shape[1], 1)), axis=1),
            increases[index],
        )
    error = increases.std(axis=0, ddof=1) / np.sqrt(n_estimators)
    means = increases.mean(axis=0)
    return np.divide(means, error, out=np.zeros_like(means), where=error > 0)


@njit(cache=True)
def _permute(X, y, out, root, end, features, thresholds, lefts, rights, values, sources, increases):  # type: ignore[no-untyped-def]
    """Increase in mean squared error of one tree for every feature that it uses."""
    n = len(out)
    original = 0.0
    for i in out:
        node = root
        while features[node] >= 0:
            node = lefts[node] if X[i, features[node]] <= thresholds[node] else rights[node]
        original += (y[i] - values[node]) ** 2
    for j in range(len(increases)):
        is_used = False
        for feature in features[root:end]:
            if feature == j:
                is_used = True
                break
        if not is_used:
            continue
        total = 0.0
        for k in range(n):
            i, source = out[k], sources[j, k]
            node = root
            feature = features[root]
            while feature >= 0:
                row = source if feature == j else i
                node = lefts[node] if X[row, feature] <= thresholds[node] else rights[node]
                feature = features[node]
            total += (y[i] - values[node]) ** 2
        increases[j] = (total - original) / n
