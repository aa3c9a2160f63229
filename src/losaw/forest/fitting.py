"""The steps of a fit: kinds of features, adjustment features, trees."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.adjustment import location_and_scale, select_adjustment_features
from losaw.forest.ensemble import Forest, draw_seeds, grow_forest
from losaw.forest.forest_columns import Columns
from losaw.forest.growing.arrays import Settings
from losaw.forest.preparation import add_adjustment, prepare
from losaw.forest.validation import (
    check_max_depth,
    check_max_features,
    check_n_jobs,
    check_training_rows,
    resolve_discrete,
    resolve_nominal,
)
from losaw.rng import as_generator
from losaw.support.arguments import real_number, whole_number
from losaw.weighting.checks import check_eta


class FittedForest(NamedTuple):
    """The result of a fit."""

    forest: Forest
    adjustment: NDArray[np.bool_]
    is_discrete: NDArray[np.bool_]
    is_nominal: NDArray[np.bool_]
    columns: Columns


def fit_forest(
    estimator: Any,
    X: FloatArray,
    y: FloatArray,
    names: NDArray[np.object_] | None,
    columns: Columns,
    n_classes: int = 0,
) -> FittedForest:
    """Check the estimator's parameters and fit its forest on checked rows.

    ``y`` are class numbers if there are ``n_classes`` of them.
    """
    n_samples, n_features = X.shape
    check_eta(estimator.eta)
    n_trees = whole_number("n_estimators", estimator.n_estimators, 1)
    n_adjustment = whole_number("n_adjustment", estimator.n_adjustment, 0)
    n_initial = whole_number("n_initial_estimators", estimator.n_initial_estimators, 1)
    threshold = real_number("correlation_threshold", estimator.correlation_threshold, 0, 1)
    n_jobs = check_n_jobs(estimator.n_jobs)
    settings = Settings(
        max_depth=check_max_depth(estimator.max_depth),
        min_samples_leaf=whole_number("min_samples_leaf", estimator.min_samples_leaf, 1),
        max_features=check_max_features(estimator.max_features, n_features),
        eta=float(estimator.eta),
        bootstrap=bool(estimator.bootstrap),
    )
    check_training_rows(n_samples, settings.min_samples_leaf)
    is_nominal = resolve_nominal(estimator.nominal_features, columns.nominal, n_features, names)
    columns = columns.with_nominal_numbers(X, is_nominal)
    X = columns.code_numbers(X)
    categorical = is_nominal.copy()
    categorical[list(columns.levels)] = True
    is_discrete, levels = resolve_discrete(estimator.discrete_features, X, names, categorical)
    rng = as_generator(estimator.random_state)

    location, scale = location_and_scale(X)
    data = prepare(X, y, is_discrete, is_nominal, levels, location, scale, n_classes)
    adjustment = np.zeros((n_features, n_features), dtype=bool)
    if settings.eta < 1.0 and n_adjustment > 0:
        importances = None
        if n_features > n_adjustment:
            plain = settings._replace(eta=1.0)
            initial = grow_forest(data, plain, draw_seeds(rng, n_initial), n_jobs)
            importances = initial.importances.mean(axis=0)
        adjustment = select_adjustment_features(
            X, location, scale, importances, n_adjustment, threshold, is_nominal
        )
        data = add_adjustment(data, X, adjustment)
    seeds = draw_seeds(rng, n_trees)
    forest = grow_forest(data, settings, seeds, n_jobs)
    forest.nodes.value[:] += y.mean()
    return FittedForest(forest, adjustment, is_discrete, is_nominal, columns)
