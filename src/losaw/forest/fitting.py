"""The steps of a fit: kinds of features, adjustment features, trees."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.arguments import real_number, whole_number
from losaw.data import FloatArray
from losaw.forest.adjustment import location_and_scale, select_adjustment_features
from losaw.forest.ensemble import Forest, grow_forest
from losaw.forest.growing.arrays import Settings
from losaw.forest.growing.preparation import add_adjustment, add_models, prepare
from losaw.forest.validation import (
    check_max_depth,
    check_max_features,
    check_n_jobs,
    check_training_rows,
    resolve_discrete,
)
from losaw.rng import as_generator
from losaw.weighting.checks import check_eta
from losaw.weighting.target_models import resolve_models


class FittedForest(NamedTuple):
    """What a fit leaves behind."""

    forest: Forest
    adjustment: NDArray[np.bool_]
    is_discrete: NDArray[np.bool_]


def fit_forest(
    estimator: Any,
    X: FloatArray,
    y: FloatArray,
    names: NDArray[np.object_] | None,
    n_classes: int = 0,
) -> FittedForest:
    """Check the estimator's parameters and fit its forest on checked rows.

    ``y`` holds class numbers if there are ``n_classes`` of them.
    """
    n_samples, n_features = X.shape
    check_eta(estimator.eta)
    n_trees = whole_number("n_estimators", estimator.n_estimators, 1)
    n_adjustment = whole_number("n_adjustment", estimator.n_adjustment, 0)
    n_initial = whole_number("n_initial_estimators", estimator.n_initial_estimators, 1)
    threshold = real_number("correlation_threshold", estimator.correlation_threshold, 0, 1)
    n_jobs = check_n_jobs(estimator.n_jobs)
    models = resolve_models(estimator.propensity, estimator.stabilization)
    settings = Settings(
        max_depth=check_max_depth(estimator.max_depth),
        min_samples_leaf=whole_number("min_samples_leaf", estimator.min_samples_leaf, 1),
        max_features=check_max_features(estimator.max_features, n_features),
        eta=float(estimator.eta),
        bootstrap=bool(estimator.bootstrap),
    )
    check_training_rows(n_samples, settings.min_samples_leaf)
    is_discrete, levels = resolve_discrete(estimator.discrete_features, X, names)
    rng = as_generator(estimator.random_state)

    location, scale = location_and_scale(X)
    data = prepare(X, y, is_discrete, levels, location, scale, n_classes)
    adjustment = np.zeros((n_features, n_features), dtype=bool)
    own = None
    if settings.eta < 1.0 and n_adjustment > 0:
        importances = None
        if n_features > n_adjustment:
            plain = settings._replace(eta=1.0)
            initial = grow_forest(data, plain, n_initial, rng, n_jobs)
            importances = initial.importances.mean(axis=0)
        adjustment = select_adjustment_features(
            X, location, scale, importances, n_adjustment, threshold
        )
        data = add_adjustment(data, X, adjustment)
        data, own = add_models(data, X, adjustment, levels, models)
    progress = estimator.verbose > 0
    forest = grow_forest(data, settings, n_trees, rng, n_jobs, progress, own)
    return FittedForest(
        _on_original_scale(forest, levels, is_discrete, y.mean()), adjustment, is_discrete
    )


def _on_original_scale(
    forest: Forest, levels: list[FloatArray], is_discrete: NDArray[np.bool_], centre: float
) -> Forest:
    """Thresholds of discrete features as values instead of ranks; means with the centre added."""
    nodes = forest.nodes
    if levels:
        table = np.zeros((len(is_discrete), max(len(values) for values in levels)))
        for feature, values in zip(np.flatnonzero(is_discrete), levels, strict=True):
            table[feature, : len(values)] = values
        inner = np.flatnonzero(nodes.feature >= 0)
        inner = inner[is_discrete[nodes.feature[inner]]]
        code = nodes.threshold[inner].astype(np.int64)
        nodes.threshold[inner] = table[nodes.feature[inner], code]
    nodes.value[:] += centre
    return forest
