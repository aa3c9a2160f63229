"""compile: compile kernels once, so that the first fit and the first scores find them.

:mod:`losaw.kernels.machine_code` says where the machine code is stored.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from losaw.data import FloatArray


def warm_up() -> None:
    """Compile what is compiled once, in two processes."""
    # Forests of levels take as long as all else. What both parts need is compiled twice.
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(_compile, (compile_for_levels, compile_for_numbers)))


def _compile(part: Callable[[], None]) -> None:
    from losaw.kernels.compiled import COMPILING

    COMPILING.is_announced = True
    part()


def compile_for_levels() -> None:
    """Use small forests of numbers and levels, a logit outside of one, and conditional draws."""
    from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
    from losaw.knockoffs import make_sampler
    from losaw.weighting.propensity import MultinomialLogit

    X = _with_levels()
    MultinomialLogit().fit(X[:, 2], X[:, :2])
    forest = LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X.sum(axis=1))
    forest.predict(X)
    forest.apply(X)
    forest.in_bag_counts()
    LosawRandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.arange(60) % 3).predict(X)
    make_sampler("conditional").fit(X).sample(np.random.default_rng(0))


def compile_for_numbers() -> None:
    """Use small forests of numbers alone, which have smaller kernels, their scores, knockoffs."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    from losaw.forest import (
        LosawRandomForestClassifier,
        LosawRandomForestRegressor,
        PlainRandomForestRegressor,
    )
    from losaw.importance import sage, ufi
    from losaw.importance.tree_permutation import tree_permutation
    from losaw.knockoffs import make_sampler
    from losaw.study.learners.ranger_forest import RangerForest

    X, rng = _numbers(), np.random.default_rng(0)
    y = X[:, 0] + X[:, 3]
    PlainRandomForestRegressor(n_estimators=2, random_state=0).fit(X, y)
    LosawRandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.arange(60) % 3)
    for model in (RandomForestRegressor, LosawRandomForestRegressor):
        forest = model(2, random_state=0).fit(X, y)
        tree_permutation(forest, X, y, random_state=0)
    # In another order, since it warns of the rows of the fit.
    sage(forest, X[::-1], y[::-1], max_permutations=2, random_state=0)
    RangerForest(n_estimators=2).fit(X, y)
    ufi(RandomForestClassifier(2, random_state=0).fit(X, y > 0), X, y > 0)
    X = _with_levels()
    make_sampler("gaussian").fit(X).sample(rng)
    sequential = make_sampler("sequential", n_folds=2, n_penalties=3)
    sequential.fit(X, ("continuous", "continuous", "discrete", "discrete")).sample(rng)


def _numbers() -> FloatArray:
    X = np.random.default_rng(0).standard_normal((60, 4))
    X[:, 1] += X[:, 0]
    return X


def _with_levels() -> FloatArray:
    X = _numbers()
    X[:, 2:] = np.clip(np.round(X[:, 2:] + X[:, :2]), -1, 1)
    return X
