"""Scaled out-of-bag permutation importance of a fresh forest, as ranger computes it for Boruta."""

from typing import Any

import numpy as np
from numba import njit

from losaw.data import FloatArray
from losaw.rng import seed_integer


def out_of_bag_z_scores(
    X: FloatArray, y: FloatArray, task: str, n_estimators: int, seed: int
) -> FloatArray:
    """Mean over trees of the out-of-bag loss increase by permutation, over its standard error,

        z_j = mean_t d_tj / sqrt(var_t d_tj / T),

    shape (n_features,); 0 for a feature that no tree uses. Loss: squared error, or 1 for a wrong
    class. The forest has ranger's defaults: square root of the columns at a node; nodes of 5 rows
    are not split in regression, all impure ones are in classification.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    rng = np.random.default_rng(seed)
    regression = task == "regression"
    forest: Any = (RandomForestRegressor if regression else RandomForestClassifier)(
        n_estimators=n_estimators,
        max_features="sqrt",
        min_samples_split=6 if regression else 2,
        random_state=seed_integer(rng),
    ).fit(X, y)
    columns = np.ascontiguousarray(X, dtype=np.float32)
    increases = np.zeros((n_estimators, X.shape[1]))
    for index, (estimator, sampled) in enumerate(
        zip(forest.estimators_, forest.estimators_samples_, strict=True)
    ):
        tree = estimator.tree_
        out = np.setdiff1d(np.arange(len(y)), sampled)
        if len(out) == 0:
            continue
        values = tree.value[:, 0, -1]
        if not regression:
            values = (values > 0.5).astype(float)
        _permute(
            columns,
            y,
            out,
            tree.feature,
            tree.threshold,
            tree.children_left,
            tree.children_right,
            values,
            rng.permuted(np.tile(out, (X.shape[1], 1)), axis=1),
            increases[index],
        )
    error = increases.std(axis=0, ddof=1) / np.sqrt(n_estimators)
    means = increases.mean(axis=0)
    return np.divide(means, error, out=np.zeros_like(means), where=error > 0)


@njit(cache=True)
def _permute(X, y, out, features, thresholds, lefts, rights, values, sources, increases):  # type: ignore[no-untyped-def]
    """Increase in mean squared error of one tree for every feature that it uses."""
    n = len(out)
    original = 0.0
    for i in out:
        node = 0
        while features[node] >= 0:
            node = lefts[node] if X[i, features[node]] <= thresholds[node] else rights[node]
        original += (y[i] - values[node]) ** 2
    for j in range(len(increases)):
        is_used = False
        for feature in features:
            if feature == j:
                is_used = True
                break
        if not is_used:
            continue
        total = 0.0
        for k in range(n):
            i, source = out[k], sources[j, k]
            node = 0
            feature = features[0]
            while feature >= 0:
                row = source if feature == j else i
                node = lefts[node] if X[row, feature] <= thresholds[node] else rights[node]
                feature = features[node]
            total += (y[i] - values[node]) ** 2
        increases[j] = (total - original) / n
