"""Checks of a knockoff sampler: draws of the right shape, from the given generator only."""

import inspect
from typing import Any

import numpy as np

from losaw.contracts.outcome import (
    Subject,
    global_generators_untouched,
    require,
    require_methods,
    unchanged,
)
from losaw.data import FeatureKind, FloatArray
from losaw.scoring.draw_differences import draws
from losaw.support.threads import Jobs

N_SAMPLES = 60
METHODS = {
    "fit": "fit(self, X, kinds=None, rng=None), which learns from the rows and returns self",
    "sample": "sample(self, rng) -> array (n_samples, n_features)",
}


def has_fit_and_sample(subject: Subject) -> None:
    sampler = subject.create()
    require_methods(sampler, METHODS)
    for name, arguments in (("fit", ("kinds", "rng")), ("sample", ("rng",))):
        known = inspect.signature(getattr(sampler, name)).parameters
        missing = [argument for argument in arguments if argument not in known]
        require(not missing, f"{name} takes no {', '.join(missing)}: implement {METHODS[name]}")


def says_whether_nominal_columns_are_levels(subject: Subject) -> None:
    handles = getattr(subject.create(), "handles_nominal", None)
    require(isinstance(handles, bool), f"handles_nominal must be a bool, got {handles!r}")


def draws_finite_rows_like_those_it_was_fitted_to(subject: Subject) -> None:
    X, kinds = _rows(subject.create())
    knockoffs = _draw(subject.create(), X, kinds, 1)
    require(
        isinstance(knockoffs, np.ndarray) and knockoffs.shape == X.shape,
        f"sample gives {getattr(knockoffs, 'shape', type(knockoffs).__name__)}, expected an "
        f"array of shape {X.shape}",
    )
    require(np.isfinite(knockoffs).all(), "sample gives missing or infinite values")
    for column, kind in enumerate(kinds):
        if kind == "nominal":
            invented = np.setdiff1d(knockoffs[:, column], X[:, column])
            require(not invented.size, f"a nominal column got levels that are not in X: {invented}")


def draws_are_a_function_of_the_generator(subject: Subject) -> None:
    X, kinds = _rows(subject.create())
    first, again, other = (_draw(subject.create(), X, kinds, seed) for seed in (1, 1, 2))
    require(np.array_equal(first, again), "two draws with the same generator differ")
    require(not np.array_equal(first, other), "draws with different generators are equal")


def draws_in_threads_are_those_of_one(subject: Subject) -> None:
    """Compare draws of samplers that set ``handles_threads``; others are never shared."""
    X, kinds = _rows(subject.create())
    if not getattr(subject.create(), "handles_threads", False):
        return
    one, four = (
        list(draws(_fitted(subject, X, kinds), 8, np.random.default_rng(1), Jobs(n_jobs)))
        for n_jobs in (1, 4)
    )
    require(
        np.array_equal(one, four),
        "handles_threads is true, but draws in four threads are not those of one: what sample "
        "changes must belong to the sampler's own shallow copy, or leave handles_threads out",
    )


def leaves_the_global_generators_alone(subject: Subject) -> None:
    X, kinds = _rows(subject.create())
    with global_generators_untouched():
        _draw(subject.create(), X, kinds, 1)


def does_not_change_its_input(subject: Subject) -> None:
    X, kinds = _rows(subject.create())
    with unchanged(X):
        _draw(subject.create(), X, kinds, 1)


def _rows(sampler: Any) -> tuple[FloatArray, tuple[FeatureKind, ...]]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_SAMPLES, 3))
    X[:, 1] += X[:, 0]
    if not sampler.handles_nominal:
        return X, ("continuous",) * 3
    X[:, 2] = np.arange(N_SAMPLES) % 3
    return X, ("continuous", "continuous", "nominal")


def _draw(sampler: Any, X: FloatArray, kinds: tuple[FeatureKind, ...], seed: int) -> FloatArray:
    rng = np.random.default_rng(seed)
    knockoffs: FloatArray = sampler.fit(X, kinds, rng).sample(rng)
    return knockoffs


def _fitted(subject: Subject, X: FloatArray, kinds: tuple[FeatureKind, ...]) -> Any:
    return subject.create().fit(X, kinds, np.random.default_rng(0))


CHECKS = (
    has_fit_and_sample,
    says_whether_nominal_columns_are_levels,
    draws_finite_rows_like_those_it_was_fitted_to,
    draws_are_a_function_of_the_generator,
    draws_in_threads_are_those_of_one,
    leaves_the_global_generators_alone,
    does_not_change_its_input,
)
