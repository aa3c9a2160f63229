"""warm-up: compile kernels once, so that the first fit and the first scores find them.

numba stores what it compiles beside the source, or in its user cache folder
(``NUMBA_CACHE_DIR``) where that is read-only.
"""

import argparse


def warm_up(options: argparse.Namespace) -> None:
    """Compile what is compiled once."""
    compile_forest()
    compile_importances()


def compile_forest() -> None:
    """Fit, predict and apply small forests that together call every kernel."""
    import numpy as np

    from losaw.forest import (
        LosawRandomForestClassifier,
        LosawRandomForestRegressor,
        PlainRandomForestRegressor,
    )
    from losaw.kernels.compiling import COMPILING

    COMPILING.is_announced = True
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    X[:, 1] += X[:, 0]
    PlainRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0])
    # Numbers alone have their own, smaller kernels.
    LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0])
    LosawRandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.arange(60) % 3)
    X[:, 2:] = np.clip(np.round(X[:, 2:] + X[:, :2]), -1, 1)
    forest = LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X.sum(axis=1))
    forest.predict(X)
    forest.apply(X)
    forest.in_bag_counts()
    LosawRandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.arange(60) % 3).predict(X)


def compile_importances() -> None:
    """Score a small forest and a small booster with every kernel of their importances."""
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    from losaw.data import Dataset, Sample, Truth, default_feature_names
    from losaw.fitted_trees.attributions import ATTRIBUTIONS, attribution_sums
    from losaw.forest import LosawRandomForestRegressor
    from losaw.importance.per_tree_permutation import TreePermutationImportance
    from losaw.importance.unbiased_feature_importance import ufi
    from losaw.learners.xgboost_trees import XGBoostTrees

    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + rng.standard_normal(60)
    sample, names = Sample(X, y), default_feature_names(3)
    data = Dataset(sample, sample, Truth((0,), 3), names, ("continuous",) * 3)
    for model in (RandomForestRegressor, LosawRandomForestRegressor):
        forest = model(2, random_state=0).fit(X, y)
        for rows in ("out-of-bag", "in-bag"):
            TreePermutationImportance(rows).explain(forest, data, rng)
    ufi(RandomForestClassifier(2, random_state=0).fit(X, y > 0), X, y > 0)
    for task, response in (("regression", y), ("classification", (y > 0).astype(float))):
        booster = XGBoostTrees(task, num_boost_round=2).fit(X, response)
        for attribution in ATTRIBUTIONS:
            attribution_sums(booster, X, response, attribution)
