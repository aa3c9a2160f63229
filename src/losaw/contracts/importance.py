"""Checks of an importance: a finite score per feature, reproducible, without side effects."""

import copy
import functools
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone

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
from losaw.data import Dataset, FloatArray, Sample
from losaw.registry import get
from losaw.scoring.importance_result import ImportanceResult

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
        "losaw.scoring.importance_result.ImportanceResult(scores, data.feature_names)",
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
    scores, other_scores = (_scores(importance, model, data, seed=seed) for seed in (1, 2))
    if np.array_equal(scores, other_scores):
        return  # nothing is drawn
    rng = np.random.default_rng(1)
    first, second = (importance.explain(model, data, rng).scores for _ in range(2))
    require(
        not np.array_equal(first, second),
        f"the same Generator gives the same scores twice: it is copied or used as a seed; {REMEDY}",
    )


def random_state_takes_an_int_a_generator_or_none(subject: Subject) -> None:
    if "random_state" not in subject.entry.accepted_parameters():
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


def class_names_do_not_matter(subject: Subject) -> None:
    two = np.array([0.0, 1.0])
    expected = _class_scores(subject, two)
    if expected is None:
        return
    for names in (("no", "yes"), (1, 2), ("yes", "no")):
        scores = _class_scores(subject, np.array(names))
        size = np.abs if names[0] == "yes" else np.asarray  # the sign is that of the second class
        require(
            scores is None or np.allclose(size(scores), size(expected), rtol=1e-6, atol=1e-9),
            f"classes named {names} score otherwise than 0 and 1; read them by the model's "
            "classes_ (losaw.support.outcomes.class_numbers), or refuse them with a ValueError",
        )


def the_order_of_three_classes_does_not_matter(subject: Subject) -> None:
    first, second = (
        _class_scores(subject, np.array(names)) for names in (("a", "b", "c"), ("c", "a", "b"))
    )
    require(
        first is None or second is None or np.allclose(first, second, rtol=1e-6, atol=1e-9),
        "three classes score otherwise when they change their names; treat all classes alike, or "
        "refuse more than two with a ValueError",
    )


def a_class_that_never_comes_changes_nothing(subject: Subject) -> None:
    two = np.array(["a", "b"])
    expected, scores = _class_scores(subject, two), _class_scores(subject, two, empty="c")
    require(
        expected is None or scores is None or np.allclose(scores, expected, rtol=1e-6, atol=1e-9),
        "a third class without rows and with probability 0 changes the scores",
    )


def a_classifier_is_not_scored_as_a_regression(subject: Subject) -> None:
    two = np.array([0.0, 1.0])
    expected, scores = _class_scores(subject, two), _class_scores(subject, two, task="regression")
    require(
        expected is None or scores is None or np.allclose(scores, expected, rtol=1e-6, atol=1e-9),
        "a classifier on data whose task is not named scores otherwise, without a word; check "
        "losaw.support.outcomes.task_of(model, data.task)",
    )


def _class_scores(
    subject: Subject, names: NDArray[Any], empty: str | None = None, task: str = "classification"
) -> FloatArray | None:
    """Return the scores of a classifier of classes with these names; None if it is refused."""
    from sklearn.ensemble import RandomForestClassifier

    data = example_data()
    steps = np.quantile(data.train.y, np.arange(1, len(names)) / len(names))
    train, test = (
        Sample(part.X, names[np.searchsorted(steps, part.y)]) for part in (data.train, data.test)
    )
    data = replace(data, train=train, test=test, task=cast(Any, task))
    learner = getattr(subject.entry.load(), "example_learner", "random-forest")
    model: Any = RandomForestClassifier(10, max_depth=4, random_state=1)
    if learner != "random-forest":
        entry = get("learner", learner)
        if "task" not in entry.accepted_parameters():
            return None
        model = entry.create(task="classification")
    if empty is not None:
        model = WithAnEmptyClass(model, empty)
    try:
        model.fit(*data.train)
        return _scores(subject.create(), model, data, seed=1)
    except (TypeError, ValueError):
        return None
    except AttributeError as error:
        if empty is None or error.obj is not model:
            raise
        return None  # it reads more of a model than the wrapper shows, such as trees


class WithAnEmptyClass(ClassifierMixin, BaseEstimator):
    """A classifier with an additional class, which it never predicts.

    It predicts, and reports the ``feature_importances_`` of the model inside, if that has any.
    """

    def __init__(self, model: Any, name: str) -> None:
        self.model = model
        self.name = name

    def fit(self, X: Any, y: Any) -> "WithAnEmptyClass":
        self.model_ = clone(self.model).fit(X, y)
        self.classes_ = np.array([*self.model_.classes_, self.name])
        if hasattr(self.model_, "feature_importances_"):
            self.feature_importances_ = self.model_.feature_importances_
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        known = self.model_.predict_proba(X)
        return np.column_stack([known, np.zeros(len(known))])

    def predict(self, X: Any) -> NDArray[Any]:
        return np.asarray(self.model_.predict(X))


def example_fit(subject: Subject) -> tuple[Any, Dataset]:
    """Return a newly fitted example learner, and new copies of its data."""
    learner = getattr(subject.entry.load(), "example_learner", "random-forest")
    if learner == "random-forest":
        return copy.deepcopy(_example_forest()), example_data()
    data = example_data()
    return fitted_learner(get("learner", learner).create(), data), data


@functools.cache
def _example_forest() -> Any:
    """Return the forest that most importances explain, fitted once for all checks."""
    return fitted_learner(get("learner", "random-forest").create(), example_data())


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
    class_names_do_not_matter,
    the_order_of_three_classes_does_not_matter,
    a_class_that_never_comes_changes_nothing,
    a_classifier_is_not_scored_as_a_regression,
)
