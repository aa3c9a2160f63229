"""Checks of a learner: a scikit-learn estimator that gives the same from the same seed."""

from dataclasses import replace
from typing import Any

import numpy as np

from losaw.contracts.outcome import (
    Subject,
    global_generators_untouched,
    require,
    require_methods,
    unchanged,
)
from losaw.data import Dataset, FloatArray, Sample

METHODS = {
    "fit": "fit(self, X, y), which returns self",
    "predict": "predict(self, X) -> array of shape (n_samples,)",
    "get_params": "get_params(self, deep=True); sklearn.base.BaseEstimator brings it",
    "set_params": "set_params(self, **parameters); sklearn.base.BaseEstimator brings it",
}


def example_data() -> Dataset:
    """Draw 150 rows of five correlated features, Y = X1 + X2 + noise (losaw, Example 1.1)."""
    from losaw.generators.normal_linear import NormalLinearGenerator

    generator = NormalLinearGenerator(
        correlation="heterogeneous", n_samples=150, n_test=60, n_independent=60
    )
    return generator.sample(np.random.default_rng(20))


def data_for(learner: Any) -> Dataset:
    """Return the example data; the response's sign is its class if ``learner`` is a classifier."""
    from sklearn.base import is_classifier

    data = example_data()
    if not is_classifier(learner):
        return data
    train, test = (Sample(part.X, (part.y > 0).astype(float)) for part in (data.train, data.test))
    return replace(data, train=train, test=test, task="classification")


def fitted(learner: Any, data: Dataset, seed: int = 1) -> Any:
    """Fit ``learner`` to the training sample, seeded if it takes a random_state."""
    if "random_state" in learner.get_params():
        learner.set_params(random_state=seed)
    return learner.fit(data.train.X, data.train.y)


def has_the_methods_of_an_estimator(subject: Subject) -> None:
    require_methods(subject.create(), METHODS)


def is_cloned_by_scikit_learn(subject: Subject) -> None:
    from sklearn.base import clone

    learner = subject.create()
    try:
        same = repr(clone(learner).get_params()) == repr(learner.get_params())
    except (RuntimeError, TypeError):
        same = False
    require(
        same,
        "sklearn.base.clone cannot copy it; __init__ must store every argument, unchanged, under "
        "its own name and do nothing else",
    )


def fit_returns_itself_and_predictions_are_finite(subject: Subject) -> None:
    learner = subject.create()
    data = data_for(learner)
    require(fitted(learner, data) is learner, "fit must return self")
    predictions = np.asarray(learner.predict(data.test.X))
    require(
        predictions.shape == data.test.y.shape,
        f"predict gives shape {predictions.shape} for {len(data.test.y)} rows, expected "
        f"{data.test.y.shape}",
    )
    require(np.isfinite(predictions).all(), "predict gives numbers that are not finite")


def same_seed_gives_same_predictions(subject: Subject) -> None:
    data = data_for(subject.create())
    first, second = (_predictions(subject.create(), data) for _ in range(2))
    require(
        np.array_equal(first, second),
        "two fits with the same data and random_state predict differently; draw everything from "
        "losaw.rng.as_generator(self.random_state), made inside fit",
    )


def earlier_fits_leave_no_trace(subject: Subject) -> None:
    used = subject.create()
    data = data_for(used)
    fitted(used, data, seed=2)
    used.fit(data.test.X[::-1], data.test.y[::-1])
    require(
        np.array_equal(_predictions(used, data), _predictions(subject.create(), data)),
        "a fit depends on earlier fits of the same object; fit must start anew",
    )


def does_not_change_its_input(subject: Subject) -> None:
    data = data_for(subject.create())
    with unchanged(*data.train, *data.test):
        _predictions(subject.create(), data)


def does_not_touch_the_global_generators(subject: Subject) -> None:
    data = data_for(subject.create())
    with global_generators_untouched():
        _predictions(subject.create(), data)


def _predictions(learner: Any, data: Dataset) -> FloatArray:
    return np.asarray(fitted(learner, data).predict(data.test.X))


CHECKS = (
    has_the_methods_of_an_estimator,
    is_cloned_by_scikit_learn,
    fit_returns_itself_and_predictions_are_finite,
    same_seed_gives_same_predictions,
    earlier_fits_leave_no_trace,
    does_not_change_its_input,
    does_not_touch_the_global_generators,
)
