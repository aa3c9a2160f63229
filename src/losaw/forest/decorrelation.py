"""The correlations that weights leave among some rows, and their measure for a whole fit."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.forest.adjustment import location_and_scale
from losaw.forest.losaw_forest import LosawForest
from losaw.support.arguments import ArgumentTypeError
from losaw.trees.flat import grown_trees
from losaw.trees.sample import check_sample
from losaw.weighting import (
    ClassFrequency,
    GaussianLinear,
    MultinomialLogit,
    NormalDensity,
    PointMassError,
    cap_weights,
    effective_sample_size,
    losaw_weights,
    weighted_correlations,
)

if TYPE_CHECKING:
    import pandas as pd

_MEASURES = ["correlation", "weighted_correlation", "effective_size", "capped_effective_size"]
_UNCAPPED = 1e-12


def decorrelation(forest: LosawForest, X: ArrayLike) -> "pd.DataFrame":
    """Measure what the weights do to every feature in a root with the whole training sample.

    Where they leave nearly all of a correlation, importances are shared among correlated features
    as in a plain random forest. A smaller ``eta`` helps where the effective size is a little below
    it; elsewhere the data cannot distinguish the features: drop or group them.

    Parameters
    ----------
    forest : LosawRandomForestRegressor or LosawRandomForestClassifier
        Fitted.
    X : array or data frame of shape (n_samples, n_features)
        The training rows of ``forest``, in their order.

    Returns
    -------
    pandas.DataFrame
        One row per feature: ``correlation`` and ``weighted_correlation``, the largest absolute
        Pearson correlation with an adjustment feature without and with the capped weights (of
        nominal features: of indicators of their levels), ``effective_size`` and
        ``capped_effective_size``, relative, before and after the cap. NaN for a feature without
        adjustment features, and for a constant one.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw import LosawRandomForestRegressor
    >>> X[:, 1] += X[:, 0]
    >>> forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> from losaw.forest import decorrelation
    >>> measured = decorrelation(forest, X).loc[0]
    >>> bool(measured["weighted_correlation"] < 0.5 * measured["correlation"])
    True
    """
    import pandas as pd

    if not isinstance(forest, LosawForest):
        raise ArgumentTypeError(
            "forest must be a LosawRandomForestRegressor or a LosawRandomForestClassifier itself, "
            f"whose trees are grown on weights, got {forest!r}"
        )
    rows = _training_rows(forest, X)
    location, scale = location_and_scale(rows)
    scaled = (rows - location) / scale
    names = getattr(forest, "feature_names_in_", np.arange(rows.shape[1]))
    measured = pd.DataFrame(np.nan, index=names, columns=_MEASURES)
    for target in np.flatnonzero(forest.adjustment_.any(axis=1)):
        if np.ptp(rows[:, target]) > 0:
            measured.iloc[target] = _measure(forest, rows, scaled, int(target))
    return measured


def _training_rows(forest: LosawForest, X: ArrayLike) -> FloatArray:
    """Rows as the trees compare them; raises unless the forest was fitted on them."""
    rows = forest.numeric_rows(X)
    if len(rows) != forest.forest_.n_samples:
        raise ValueError(
            f"X has {len(rows)} rows, and not the {forest.forest_.n_samples} that the forest was "
            "fitted on, in their order: give the training rows in their order"
        )
    check_sample(grown_trees(forest, rows, forest.in_bag_counts()))
    return rows


def _measure(forest: LosawForest, X: FloatArray, scaled: FloatArray, target: int) -> list[float]:
    """Return the measures of one target."""
    others = np.flatnonzero(forest.adjustment_[target])
    x = X[:, target]
    adjustment = np.where(forest.is_discrete_, X, scaled)[:, others]
    mask = forest.is_discrete_[others]
    propensity: Any = GaussianLinear(discrete=mask)
    stabilization: Any = NormalDensity()
    if forest.is_discrete_[target]:  # continuous adjustment features are scaled already
        propensity = MultinomialLogit(discrete=mask, standardize=False)
        stabilization = ClassFrequency()
    try:
        raw = losaw_weights(
            x, adjustment, eta=_UNCAPPED, propensity=propensity, stabilization=stabilization
        )
    except PointMassError:  # no residual variance: the forest does not weight here
        raw = np.full(len(x), 1.0 / len(x))
    capped = cap_weights(raw, forest._eta)
    x_columns = _columns(X, [target], forest.is_nominal_)
    other_columns = _columns(X, others, forest.is_nominal_)
    return [
        _largest_correlation(x_columns, other_columns, np.ones(len(x))),
        _largest_correlation(x_columns, other_columns, capped),
        effective_sample_size(raw) / len(x),
        effective_sample_size(capped) / len(x),
    ]


def _columns(X: FloatArray, features: Any, is_nominal: NDArray[np.bool_]) -> FloatArray:
    """Columns of some features; indicators of the levels of the nominal ones."""
    blocks = [
        (X[:, [p]] == np.unique(X[:, p])).astype(float) if is_nominal[p] else X[:, [p]]
        for p in features
    ]
    return np.hstack(blocks)


def _largest_correlation(x: FloatArray, others: FloatArray, weights: FloatArray) -> float:
    return max(
        float(np.abs(weighted_correlations(column, others, weights)).max()) for column in x.T
    )
