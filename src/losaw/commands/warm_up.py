"""warm-up: compile kernels once, so that the first fit and the first scores find them.

:mod:`losaw.kernels.machine_code` says where the machine code is stored.
"""

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from losaw.data import FloatArray


def warm_up(options: argparse.Namespace) -> None:
    """Compile what is compiled once, on two cores where there are two, and read all sources."""
    from losaw.study.source_digests.source_digest import store_all

    if (cpu_count() or 1) == 1:
        store_all()
        _compile_all(PARTS)
        return
    # The first part takes as long as the others together. What two parts share, both compile.
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        compiled = pool.map(_compile_all, (PARTS[:1], PARTS[1:]))
        store_all()
        list(compiled)


def _compile_all(parts: Sequence[Callable[[], None]]) -> None:
    from losaw.kernels.compiling import COMPILING

    COMPILING.is_announced = True
    for compile_part in parts:
        compile_part()


def compile_forest() -> None:
    """All kernels of forests."""
    compile_forests_of_numbers()
    compile_mixed_forests()


def compile_forests_of_numbers() -> None:
    """Fit small forests of columns of numbers alone, which have their own, smaller kernels."""
    import numpy as np

    from losaw.forest import (
        LosawRandomForestClassifier,
        LosawRandomForestRegressor,
        PlainRandomForestRegressor,
    )

    X = _numbers()
    PlainRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0])
    LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0])
    LosawRandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.arange(60) % 3)


def compile_mixed_forests() -> None:
    """Fit, predict and apply small forests of numbers and levels, and a logit outside of one."""
    import numpy as np

    from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
    from losaw.weighting.propensity import MultinomialLogit

    X = _with_levels()
    MultinomialLogit().fit(X[:, 2], X[:, :2])
    forest = LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X.sum(axis=1))
    forest.predict(X)
    forest.apply(X)
    forest.in_bag_counts()
    LosawRandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.arange(60) % 3).predict(X)


def _numbers() -> "FloatArray":
    import numpy as np

    X = np.random.default_rng(0).standard_normal((60, 4))
    X[:, 1] += X[:, 0]
    return X


def _with_levels() -> "FloatArray":
    import numpy as np

    X = _numbers()
    X[:, 2:] = np.clip(np.round(X[:, 2:] + X[:, :2]), -1, 1)
    return X


def compile_importances() -> None:
    """Score a small forest and a small booster with every kernel of their importances."""
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    from losaw.fitted_trees.attributions import ATTRIBUTIONS, attribution_sums
    from losaw.fitted_trees.shapley import shapley_values
    from losaw.forest import LosawRandomForestRegressor
    from losaw.importance.leave_one_covariate_out import loco
    from losaw.importance.per_tree_permutation import tree_permutation
    from losaw.importance.shapley_global_importance import sage
    from losaw.importance.unbiased_feature_importance import ufi
    from losaw.learners.ranger_forest import RangerForest
    from losaw.learners.xgboost_trees import XGBoostTrees

    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + rng.standard_normal(60)
    for model in (RandomForestRegressor, LosawRandomForestRegressor):
        forest = model(2, random_state=0).fit(X, y)
        for rows in ("out-of-bag", "in-bag"):
            tree_permutation(forest, X, y, rows=rows, random_state=0)
    sage(forest, X, y, max_permutations=2, random_state=0)
    loco(RandomForestRegressor(2, random_state=0).fit(X, y), X, y, train=(X, y))
    shapley_values(forest, X)
    RangerForest(n_estimators=2).fit(X, y)
    ufi(RandomForestClassifier(2, random_state=0).fit(X, y > 0), X, y > 0)
    for task, response in (("regression", y), ("classification", (y > 0).astype(float))):
        booster = XGBoostTrees(task, num_boost_round=2).fit(X, response)
        for attribution in ATTRIBUTIONS:
            attribution_sums(booster, X, response, attribution)


def compile_knockoffs() -> None:
    """Draw knockoffs of a small table."""
    import numpy as np

    from losaw.knockoffs import make_sampler

    X, rng = _with_levels(), np.random.default_rng(0)
    make_sampler("gaussian").fit(X).sample(rng)
    sequential = make_sampler("sequential", n_folds=2, n_penalties=3)
    sequential.fit(X, ("continuous", "continuous", "discrete", "discrete")).sample(rng)


PARTS = (
    compile_mixed_forests,
    compile_forests_of_numbers,
    compile_importances,
    compile_knockoffs,
)
