"""Absolute and relative traversal rate (Gerstorfer, Krieg and Hahn-Klimroth, Definition 1)."""

from typing import Any

import numpy as np

from losaw.data import FloatArray, default_feature_names
from losaw.scoring.result import ImportanceResult
from losaw.support.arguments import one_of
from losaw.trees.flat import FlatForest, read_forest

WEIGHTINGS = ("splits", "rows")
FORMS = ("mean", "printed", "bounded")
ERROR_KIND = "over trees, the training sample held fixed"


def absolute_traversal_rate(model: Any, *, weighting: str = "splits") -> ImportanceResult:
    """Share of a feature's splits after which the response is higher on the right, minus lower.

    With L_i and R_i the mean responses left and right of the i-th of the feature's n splits,
    in all trees together,

        ATR = (1/n) sum_i sign(R_i - L_i)   in [-1, 1].

    Of two classes the response is the share of the second of ``model.classes_``, which the result's
    ``method`` names. A feature that no tree splits on has rate 0; a nominal feature, whose sides
    have no order, NaN. Splits of missing from known values have no direction and do not count.
    Means are those of the tree's in-bag rows.

    Parameters
    ----------
    model : estimator
        See :func:`losaw.trees.flat.read_forest`.
    weighting : {"splits", "rows"}, default "splits"
        "rows" weighs a split by its node's in-bag rows instead of equally: an extension, for
        fully grown trees whose many splits of few rows follow the noise.

    Returns
    -------
    ImportanceResult
        ``std_error`` over the trees that split on the feature (NaN for fewer than two);
        ``details["n_splits"]``: n of every feature.

    Raises
    ------
    TypeError, ValueError
        If the model has no trees that can be read, or its nodes hold medians, or means that
        ``monotonic_cst`` has moved, or ``weighting`` is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> forest = RandomForestRegressor(n_estimators=10, random_state=0).fit(X, X[:, 0])
    >>> from losaw.trends import absolute_traversal_rate
    >>> bool(absolute_traversal_rate(forest).scores[0] > 0.9)
    True
    """
    forest, splits, left, right = _splits(model, weighting)
    name = f"absolute traversal rate{' (weighted by rows)' if weighting == 'rows' else ''}"
    return _result(name, model, forest, splits, np.sign(right - left), weighting)


def relative_traversal_rate(
    model: Any, *, form: str = "mean", weighting: str = "splits"
) -> ImportanceResult:
    """Mean relative difference of the responses right and left of a feature's splits.

    With L_i, R_i and n as in :func:`absolute_traversal_rate`,

        mean:    RTR = (1/n) sum_i 2 (R_i - L_i) / |L_i + R_i|
        printed: RTR =       sum_i 2 (R_i - L_i) / |L_i + R_i|
        bounded: RTR = (1/n) sum_i 2 (R_i - L_i) / (|L_i| + |R_i|)   in [-2, 2].

    The first two grow without bound where L_i + R_i is near 0, as it is for a centred response;
    the printed sum also grows with the number of trees. All depend on the response's zero.

    Parameters
    ----------
    model, weighting
        As in :func:`absolute_traversal_rate`. With weights w_i the mean is
        ``sum w_i t_i / sum w_i`` and the printed sum ``sum n w_i t_i / sum w_i``.
    form : {"mean", "printed", "bounded"}, default "mean"

    Returns
    -------
    ImportanceResult
        As :func:`absolute_traversal_rate` returns it; the error of the printed sum is over all
        trees. Splits with a denominator of 0 are left
        out; ``details["undefined_splits"]`` counts them.

    Raises
    ------
    TypeError, ValueError
        As :func:`absolute_traversal_rate`, and for an unknown ``form``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> forest = RandomForestRegressor(n_estimators=10, random_state=0).fit(X, X[:, 0])
    >>> from losaw.trends import relative_traversal_rate
    >>> bool(relative_traversal_rate(forest, form="bounded").scores[0] > 0)
    True
    """
    one_of("form", form, FORMS)
    forest, splits, left, right = _splits(model, weighting)
    scale = np.abs(left) + np.abs(right) if form == "bounded" else np.abs(left + right)
    defined = scale > 0
    splits, left, right, scale = splits[defined], left[defined], right[defined], scale[defined]
    choices = ", ".join(choice for choice in (form, weighting) if choice not in ("mean", "splits"))
    name, terms = (
        f"relative traversal rate{choices and f' ({choices})'}",
        2 * (right - left) / scale,
    )
    is_sum = form == "printed"
    result = _result(name, model, forest, splits, terms, weighting, is_sum)
    result.details["undefined_splits"] = int((~defined).sum())
    return result


def _splits(model: Any, weighting: str) -> tuple[FlatForest, Any, FloatArray, FloatArray]:
    """Return the forest, its splits at values (not at levels), and the means left and right."""
    one_of("weighting", weighting, WEIGHTINGS)
    if getattr(model, "criterion", None) == "absolute_error":
        raise ValueError(
            f"the nodes of this {type(model).__name__} hold medians (criterion='absolute_error'), "
            "and the rates compare means; fit it with criterion='squared_error'"
        )
    if np.any(getattr(model, "monotonic_cst", None)):
        raise ValueError(
            f"monotonic_cst has moved the means in the nodes of this {type(model).__name__}, "
            "and the rates compare means; fit it without monotonic_cst"
        )
    forest = read_forest(model)
    inner = forest.trees.splits
    of_values = np.isfinite(forest.trees.threshold[inner])  # not of missing from all known ones
    splits = inner[of_values & ~forest.is_nominal[forest.trees.feature[inner]]]
    left, right = (forest.value[side[splits]] for side in (forest.trees.left, forest.trees.right))
    return forest, splits, left, right


def _result(
    name: str,
    model: Any,
    forest: FlatForest,
    splits: Any,
    terms: FloatArray,
    weighting: str,
    is_sum: bool = False,
) -> ImportanceResult:
    """Weighted mean (or sum) of the splits' terms by feature, and its error over trees."""
    weights = forest.n_samples[splits] if weighting == "rows" else np.ones(len(splits))
    trees, n_features = forest.trees, len(forest.is_nominal)
    key = trees.tree[splits] * n_features + trees.feature[splits]

    def by_tree(values: FloatArray | None) -> FloatArray:
        size = trees.n_trees * n_features
        counts: FloatArray = np.bincount(key, values, minlength=size).astype(float)
        return counts.reshape(-1, n_features)

    count, total_weight, total = by_tree(None), by_tree(weights), by_tree(weights * terms)
    estimates = _ratio(
        total.sum(axis=0), total_weight.sum(axis=0), count.sum(axis=0) if is_sum else 1
    )
    estimates[forest.is_nominal] = np.nan
    error = _error(_ratio(total, total_weight, 1), count > 0)
    if is_sum:  # of what all trees add, 0 where they do not split on the feature
        share, mean = (_ratio(f.sum(axis=0), total_weight.sum(axis=0), 1) for f in (count, total))
        added = count * mean + share * (total - mean * total_weight)
        of_sum = trees.n_trees * _error(added, np.ones_like(added, dtype=bool))
        error = np.where((count > 0).sum(axis=0) > 1, of_sum, np.nan)
    return ImportanceResult(
        estimates,
        _names(model, n_features),
        std_error=error,
        std_error_kind=ERROR_KIND,
        details={"n_splits": count.sum(axis=0)},
        method=name + _towards(model),
        is_trend=True,
    )


def _ratio(total: FloatArray, weight: FloatArray, factor: Any) -> FloatArray:
    return factor * np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


def _error(values: FloatArray, has_split: Any) -> FloatArray:
    """Standard error of the mean of every column over rows that are there; NaN below two."""
    n = has_split.sum(axis=0)
    mean = np.where(has_split, values, 0).sum(axis=0) / np.maximum(n, 1)
    squares = np.where(has_split, (values - mean) ** 2, 0).sum(axis=0)
    return np.sqrt(np.divide(squares, n * (n - 1), out=np.full(len(n), np.nan), where=n > 1))


def _names(model: Any, n_features: int) -> tuple[str, ...]:
    names = getattr(model, "feature_names_in_", None)
    return default_feature_names(n_features) if names is None else tuple(map(str, names))


def _towards(model: Any) -> str:
    """The class whose share rises where a rate of two classes is positive, in words."""
    classes = getattr(model, "classes_", None)
    return "" if classes is None else f" towards class {np.asarray(classes).tolist()[-1]!r}"
