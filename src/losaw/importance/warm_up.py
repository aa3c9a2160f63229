"""Compile the kernels of the tree importances once, so that the first scores find them."""

import numpy as np


def warm_up() -> None:
    """Score a small forest and a small booster with every kernel of their importances."""
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
