"""Checks of an importance: one finite score per feature, reproducible, without side effects."""

from typing import Any

import numpy as np

from losaw.contracts.learner import example_data
from losaw.contracts.learner import fitted as fitted_learner
from losaw.contracts.outcome import (
    Subject,
    arrays,
    global_generators_untouched,
    require,
    require_methods,
    unchanged,
)
from losaw.data import Dataset, FloatArray
from losaw.importance.result import ImportanceResult
from losaw.registry import get

METHODS = {"explain": "explain(self, model, data, rng) -> ImportanceResult"}
REMEDY = "draw everything from the Generator `rng`, and from nothing else"


def has_the_method_explain(subject: Subject) -> None:
    require_methods(subject.create(), METHODS)


def gives_one_finite_score_per_feature(subject: Subject) -> None:
    model, data = example_fit(subject)
    result = subject.create().explain(model, data, np.random.default_rng(1))
    require(
        isinstance(result, ImportanceResult),
        f"explain returns {type(result).__name__}; return "
        "losaw.importance.result.ImportanceResult(scores, data.feature_names)",
    )
    require(
        tuple(result.feature_names) == data.feature_names,
        f"feature_names are {result.feature_names}, expected data.feature_names, in this order",
    )
    require(np.isfinite(result.scores).all(), "a score is not finite; score every feature")
    for name, allowed in (("std_error", "0 or more"), ("p_values", "within [0, 1]")):
        values = getattr(result, name)
        if values is not None:
            upper = 1 if name == "p_values" else np.inf
            inside = (np.asarray(values) >= 0) & (np.asarray(values) <= upper)
            require(inside.all(), f"{name} must be {allowed}, got {values}")


def same_seed_gives_same_scores(subject: Subject) -> None:
    first, second = (_scores(subject.create(), *example_fit(subject), seed=1) for _ in range(2))
    require(
        np.array_equal(first, second),
        f"two calls with the same model, data and seed score differently; {REMEDY}",
    )


def earlier_calls_leave_no_trace(subject: Subject) -> None:
    model, data = example_fit(subject)
    used = subject.create()
    _scores(used, model, data, seed=2)
    require(
        np.array_equal(
            _scores(used, model, data, seed=1), _scores(subject.create(), model, data, seed=1)
        ),
        "a call depends on earlier calls of the same object; keep no state in it",
    )


def a_generator_is_advanced_by_a_random_method(subject: Subject) -> None:
    model, data = example_fit(subject)
    importance = subject.create()
    one, other = (_scores(importance, model, data, seed=seed) for seed in (1, 2))
    if np.array_equal(one, other):
        return  # nothing is drawn
    rng = np.random.default_rng(1)
    first, second = (importance.explain(model, data, rng).scores for _ in range(2))
    require(
        not np.array_equal(first, second),
        f"the same Generator gives the same scores twice: it is copied or used as a seed; {REMEDY}",
    )


def random_state_takes_an_int_a_generator_or_none(subject: Subject) -> None:
    if "random_state" not in subject.entry.parameter_names():
        return
    model, data = example_fit(subject)
    for make in (lambda: 3, lambda: np.random.default_rng(3)):
        first, second = (
            _scores(subject.create(random_state=make()), model, data, seed=1) for _ in range(2)
        )
        require(
            np.array_equal(first, second),
            f"the same random_state ({make()!r}) gives different scores; make a generator of it "
            "with losaw.rng.as_generator",
        )
    _scores(subject.create(random_state=None), model, data, seed=1)


def does_not_change_its_input(subject: Subject) -> None:
    model, data = example_fit(subject)
    before = np.array(model.predict(data.test.X))
    with unchanged(*arrays(data)):
        _scores(subject.create(), model, data, seed=1)
    require(
        np.array_equal(before, model.predict(data.test.X)),
        "it changes the model that it explains; work on a copy (sklearn.base.clone, or copy)",
    )


def does_not_touch_the_global_generators(subject: Subject) -> None:
    model, data = example_fit(subject)
    with global_generators_untouched():
        _scores(subject.create(), model, data, seed=1)


def example_fit(subject: Subject) -> tuple[Any, Dataset]:
    """The example learner, fitted, and the data it was fitted to."""
    data = example_data()
    learner = get("learner", getattr(subject.entry.load(), "example_learner", "random-forest"))
    return fitted_learner(learner.create(), data), data


def _scores(importance: Any, model: Any, data: Dataset, seed: int) -> FloatArray:
    return np.asarray(importance.explain(model, data, np.random.default_rng(seed)).scores)


CHECKS = (
    has_the_method_explain,
    gives_one_finite_score_per_feature,
    same_seed_gives_same_scores,
    earlier_calls_leave_no_trace,
    a_generator_is_advanced_by_a_random_method,
    random_state_takes_an_int_a_generator_or_none,
    does_not_change_its_input,
    does_not_touch_the_global_generators,
)
