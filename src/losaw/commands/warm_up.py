"""compile: compile kernels once, so that the first fit and the first scores find them.

:mod:`losaw.kernels.machine_code` says where the machine code is stored.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from losaw.data import FloatArray


def warm_up() -> None:
    """Compile what is compiled once, in two processes."""
    # Two processes of about equal length: mixed forests take as long as the others together.
    # Kernels that both need are compiled twice; conditional draws need forests of either kind.
    levels = (compile_mixed_forests, compile_conditional_draws)
    others = (compile_forests_of_numbers, compile_importances, compile_knockoffs)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(_compile, (levels, others)))


def _compile(parts: Sequence[Callable[[], None]]) -> None:
    from losaw.kernels.compiled import COMPILING

    COMPILING.is_announced = True
    for compile_part in parts:
        compile_part()


def compile_forests_of_numbers() -> None:
    """Fit small forests of columns of numbers alone, which have their own, smaller kernels."""
    from losaw.forest import (
        LosawRandomForestClassifier,
        LosawRandomForestRegressor,
        PlainRandomForestRegressor,
    )

    X = _numbers()
    for regressor in (PlainRandomForestRegressor, LosawRandomForestRegressor):
        regressor(n_estimators=2, random_state=0).fit(X, X[:, 0])
    LosawRandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.arange(60) % 3)


def compile_mixed_forests() -> None:
    """Fit, predict and apply small forests of numbers and levels, and a logit outside of one."""
    from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
    from losaw.weighting.propensity import MultinomialLogit

    X = _with_levels()
    MultinomialLogit().fit(X[:, 2], X[:, :2])
    forest = LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X.sum(axis=1))
    forest.predict(X)
    forest.apply(X)
    forest.in_bag_counts()
    LosawRandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.arange(60) % 3).predict(X)


def compile_importances() -> None:
    """Score a small forest with every kernel of its importances."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    from losaw.forest import LosawRandomForestRegressor
    from losaw.importance import sage, ufi
    from losaw.importance.per_tree_permutation import tree_permutation
    from losaw.study.learners.ranger_forest import RangerForest

    X = _numbers()
    y = X[:, 0] + X[:, 3]
    for model in (RandomForestRegressor, LosawRandomForestRegressor):
        forest = model(2, random_state=0).fit(X, y)
        tree_permutation(forest, X, y, random_state=0)
    sage(forest, X, y, max_permutations=2, random_state=0)
    RangerForest(n_estimators=2).fit(X, y)
    ufi(RandomForestClassifier(2, random_state=0).fit(X, y > 0), X, y > 0)


def compile_conditional_draws() -> None:
    """Draw features of a small table given the others, which grows forests."""
    from losaw.knockoffs import make_sampler

    make_sampler("conditional").fit(_with_levels()).sample(np.random.default_rng(0))


def compile_knockoffs() -> None:
    """Draw knockoffs of a small table."""
    from losaw.knockoffs import make_sampler

    X, rng = _with_levels(), np.random.default_rng(0)
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
