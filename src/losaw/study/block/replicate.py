"""One Monte Carlo replicate: data, a fit with its importances or an estimate, and metrics."""

import random
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import Dataset, FloatArray, Sample
from losaw.rng import seed_integer, stream
from losaw.scoring.result import ImportanceResult
from losaw.study.block.recipe import Recipe
from losaw.study.block.rows import SCORES, Row
from losaw.study.block.spent import OTHER, Seconds, counted, part_name
from losaw.study.datasets import DatasetError
from losaw.study.errors import FAILURES
from losaw.study.estimates import Estimate, Truths, by_estimand, data_and_truths, dataset_of
from losaw.study.metrics.metric import Metric, Predictions, check_scores
from losaw.study.registry.plugins import is_of_a_plugin, place_of
from losaw.study.request.grid import Study
from losaw.study.request.settings import Setting
from losaw.support.models import classes_of, task_of
from losaw.support.outcomes import class_numbers, means, probabilities_of_all
from losaw.trees.attributions import shared_sums


@dataclass(frozen=True)
class Ingredients:
    """Everything a replicate needs, ready to be called."""

    experiment: str  # with setting and learner, the axes of the random streams
    setting: str
    learner: str
    draw: Callable[[np.random.Generator], Any]
    make_learner: Callable[[], Any]
    importances: Mapping[str, Any] = field(default_factory=dict)  # by label, as the metrics are
    metrics: Mapping[str, Any] = field(default_factory=dict)
    seeds: range = range(0)
    is_estimator: bool = False  # what make_learner makes

    @property
    def parts(self) -> list[str]:
        """Labels of the importances, and ``""``: data, fit and predictions."""
        return ["", *self.importances]

    def rng(self, seed: int, component: str) -> np.random.Generator:
        return stream(
            experiment=self.experiment, setting=self.setting, replicate=seed, component=component
        )

    def data(self, seed: int) -> Any:
        """The data of a seed, with the streams of what all learners share.

        For an estimator, any data with the true values of the estimands.
        """
        with from_its_own_generator("the generator", getattr(self.draw, "__self__", None)):
            drawn = self.draw(self.rng(seed, "data"))
        if self.is_estimator:
            return data_and_truths(drawn)
        return replace(dataset_of(drawn), stream=partial(self.rng, seed))


def run_replicate(
    ingredients: Ingredients,
    seed: int,
    parts: Collection[str],
    draw: Callable[[int], Any],
    seconds: Seconds | None = None,
) -> list[Row]:
    """Rows of some ``parts`` of one seed: labels of importances, ``""`` for predictions.

    Every component has a random stream of its own, and none may change the data: the rows of a
    part are the same whichever other parts are computed. ``draw(seed)`` returns the data, which
    learners share. The CPU time of each part is added to ``seconds``; that of a fit which ``parts``
    need again is no part's own, or each edit would make the learner dearer.

    What the data, the fit, an importance or a metric raises becomes a row with ``status``
    ``"failed"`` and the message; the other rows of the seed are kept. Real data that are missing
    end the job: a stored failure would stay when they are there.
    """
    learner = ingredients.learner
    try:
        with counted(seconds, part_name(learner) if "" in parts else OTHER):
            data = draw(seed)
            if ingredients.is_estimator:
                values, truths = data
                measured = estimate(ingredients, values, truths, seed)
                metrics = ingredients.metrics.items()
                return [measure(seed, "", name, one, measured, truths) for name, one in metrics]
            model = fit(ingredients, data, seed)
    except DatasetError:
        raise
    except FAILURES as error:
        return [failure(seed, "", "", error)]
    rows = []
    with shared_sums():
        for part in filter(parts.__contains__, ingredients.parts):
            with counted(seconds, part_name(learner, part)):
                rows += _rows_of_part(ingredients, data, model, seed, part)
    return rows


def fit(ingredients: Ingredients, data: Dataset, seed: int) -> Any:
    """The learner, fitted on the training sample with the random stream of its seed."""
    model = ingredients.make_learner()
    if "random_state" in model.get_params():
        rng = ingredients.rng(seed, f"learner:{ingredients.learner}")
        model.set_params(random_state=seed_integer(rng))
    name = f"{type(model).__name__}.fit"
    with from_its_own_generator(name, model), unchanged(name, arrays_of(data)):
        return model.fit(data.train.X, data.train.y)


def estimate(ingredients: Ingredients, data: Any, truths: Truths, seed: int) -> dict[str, Estimate]:
    """What an estimator says of a copy of the data, which it may change, by estimand."""
    estimator, label = ingredients.make_learner(), ingredients.learner
    rng = ingredients.rng(seed, f"estimator:{label}")
    with from_its_own_generator(f"the estimator {label!r}", estimator):
        return by_estimand(estimator.estimate(deepcopy(data), rng), truths)


@contextmanager
def from_its_own_generator(user: str, method: Any) -> Iterator[None]:
    """Raise a ValueError if what is not ours draws from a generator that all code shares."""
    is_foreign = _is_foreign(method)
    before, n_modules = global_state() if is_foreign else None, len(sys.modules)
    yield
    # A library that the first call loads may draw for itself.
    if is_foreign and len(sys.modules) == n_modules and global_state() != before:
        raise ValueError(f"{user} {GLOBAL_DRAWS}")


def _is_foreign(method: Any) -> bool:
    """Whether a learner, an importance, a metric or another method is not of losaw itself.

    It is a plugin's, or of any library: a learner may be named by its import path. Support vector
    machines of scikit-learn count as ours: a regression of theirs draws a number that decides
    nothing, and takes no ``random_state``.
    """
    made = method.function if isinstance(method, Metric) else type(method)
    module = str(made.__module__)  # None of some functions
    is_ours = module.partition(".")[0] == "losaw" or module.startswith("sklearn.svm.")
    return is_of_a_plugin(made) or not is_ours


GLOBAL_DRAWS = (
    "draws from numpy's or Python's global generator; draw from the Generator that is passed "
    "(losaw.rng.as_generator makes one from a seed)"
)


def global_state() -> tuple[Any, ...]:
    """Return the state of the generators that all code of a process shares."""
    legacy = np.random.get_state(legacy=False)  # noqa: NPY002
    state = legacy["state"]
    return state["key"].tobytes(), state["pos"], random.getstate()


@contextmanager
def unchanged(user: str, arrays: Sequence[NDArray[Any]]) -> Iterator[None]:
    """Put back what a user of the data changes in place, and raise a ValueError for it."""
    copies = [array.copy() for array in arrays]
    failure: BaseException | None = None
    try:
        yield
    except FAILURES as error:
        failure = error  # what it raises may follow from its own change
    changed = [
        (array, copy)
        for array, copy in zip(arrays, copies, strict=True)
        if not (np.array_equal(array, copy) or np.array_equal(array, copy, equal_nan=True))
    ]
    for array, copy in changed:
        array[...] = copy
    if changed:
        raise ValueError(
            f"{user} changed the data in place, which all methods share; work on a copy: X.copy()"
        ) from failure
    if failure is not None:
        raise failure


def arrays_of(data: Dataset) -> list[NDArray[Any]]:
    """The features and responses of all samples."""
    return [a for one in (data.train, data.test, data.independent or ()) for a in one]


def _rows_of_part(
    ingredients: Ingredients, data: Dataset, model: Any, seed: int, label: str
) -> list[Row]:
    """Rows of an importance, by its label, or of the predictions, ``""``."""
    needs = "importance" if label else "prediction"
    wanted = {k: m for k, m in ingredients.metrics.items() if m.needs == needs}
    measured: Any
    try:
        if label:
            rng = ingredients.rng(seed, f"importance:{ingredients.learner}:{label}")
            importance = ingredients.importances[label]
            name, user = f"the importance {label!r}", importance
            given = data
            if _is_foreign(importance):  # it may change what it is given
                model, given = deepcopy(model), replace(data, truth=deepcopy(data.truth))
            elif _is_foreign(model):
                name, user = f"{type(model).__name__}.predict", model
            with from_its_own_generator(name, user), unchanged(name, arrays_of(data)):
                measured = checked(importance.explain(model, given, rng), data)
        elif wanted:
            name = f"{type(model).__name__}.predict"
            with from_its_own_generator(name, model), unchanged(name, arrays_of(data)):
                measured = predict(model, data)
    except FAILURES as error:
        names = [SCORES, *wanted] if label else wanted
        return [failure(seed, label, name, error) for name in names]
    rows = [_scores_row(seed, label, measured, data)] if label else []
    truth = data.truth
    return rows + [measure(seed, label, name, m, measured, truth) for name, m in wanted.items()]


def predict(model: Any, data: Dataset) -> Predictions:
    """The model's predictions on the test sample and, where there is one, the independent one.

    Of a classification: class numbers, and the probabilities of the model's ``classes_``.
    """
    regression = task_of(model, data.task) == "regression"
    if not (regression or hasattr(model, "predict_proba")):
        raise ValueError(
            f"{type(model).__name__} has no predict_proba, and metrics of classes need "
            "probabilities; calibrate it with sklearn.calibration.CalibratedClassifierCV"
        )

    def pair(sample: Sample) -> tuple[FloatArray, FloatArray]:
        if regression:
            return _read_only(sample.y), _read_only(means(model, sample.X))
        classes = classes_of(model)
        shares = probabilities_of_all(model, sample.X, len(classes))
        return _read_only(class_numbers(sample.y, classes)), _read_only(shares)

    independent, truth = data.independent, data.truth
    mean, function = truth.test_mean, truth.regression_function
    if mean is None and function is not None:
        mean = function(data.test.X)
    return Predictions(
        pair(data.test),
        None if independent is None else pair(independent),
        None if mean is None else _read_only(mean),
    )


def _read_only(values: FloatArray) -> FloatArray:
    """A view that a metric cannot change for the metrics after it."""
    view = np.asarray(values).view()
    view.flags.writeable = False
    return view


def checked(result: Any, data: Dataset) -> ImportanceResult:
    """Return an importance's result if metrics can judge it, or raise a TypeError or ValueError."""
    if not isinstance(result, ImportanceResult):
        raise TypeError(f"explain returned {type(result).__name__}, expected an ImportanceResult")
    check_scores(result)
    for name, low, high in (("std_error", 0.0, np.inf), ("p_values", 0.0, 1.0)):
        found = getattr(result, name)
        values = np.asarray(found, dtype=float)
        is_untested = np.isnan(values) & (name == "p_values")
        if not (found is None or (is_untested | ((values >= low) & (values <= high))).all()):
            raise ValueError(f"{name} must be between {low:g} and {high:g}, got {values}")
    selected = result.details.get("selected")
    if selected is not None:  # places of features are no decision
        chosen = np.asarray(selected)
        if chosen.dtype != bool or chosen.shape != (len(result),):
            words = f"details['selected'] must be True or False for each of {len(result)} features"
            raise ValueError(f"{words}, got {selected!r:.80}")
    for shared in (result.scores, result.std_error, result.p_values):
        if isinstance(shared, np.ndarray):  # the metrics share it
            shared.flags.writeable = False
    if result.feature_names != data.feature_names:
        raise ValueError(
            f"the features are named {', '.join(result.feature_names[:5])}, …, those of "
            f"the data {', '.join(data.feature_names[:5])}, …: give every feature of the data one "
            "score, in their order"
        )
    return result


def _scores_row(seed: int, label: str, result: ImportanceResult, data: Dataset) -> Row:
    numbers: dict[str, Any] = {
        name: None if values is None else np.asarray(values, dtype=float).tolist()
        for name in ("scores", "std_error", "p_values")
        for values in [getattr(result, name)]
    }
    signal = [int(index) for index in data.truth.signal]
    return Row(seed, label, SCORES, features=list(result.feature_names), signal=signal, **numbers)


def measure(seed: int, label: str, name: str, metric: Any, measured: Any, truth: Any) -> Row:
    """The row of a metric of an importance, by its label; of all else the label is ``""``."""
    try:
        if _is_foreign(metric):  # it may change what it is given, which other metrics share
            measured, truth = deepcopy((measured, truth))
        with from_its_own_generator(f"the metric {name!r}", metric):
            value = float(metric(measured, truth))
        if not (np.isfinite(value) or (np.isnan(value) and getattr(metric, "optional", False))):
            raise ValueError(f"the metric {name!r} gave {value}, which no mean can be taken of")
        return Row(seed, label, name, value=value)
    except FAILURES as error:
        return failure(seed, label, name, error)


def failure(seed: int, importance: str, metric: str, error: BaseException) -> Row:
    message = f"{type(error).__name__}: {' '.join(str(error).split())}"[:500] + place_of(error)
    return Row(seed, importance, metric, status="failed", message=message)


def ingredients_of(recipe: Recipe, setting: str, learner: str) -> Ingredients:
    """Turn the names of a block's recipe into what a learner's replicates in a setting need."""
    make = partial(recipe.make, setting=setting)
    asked = recipe.learners[learner].importances or ()
    return Ingredients(
        experiment=recipe.experiment,
        setting=recipe.settings[setting].data,
        learner=learner,
        draw=make("generator", "").sample,
        make_learner=partial(make, recipe.learner_kind or "learner", learner),
        importances={label: make("importance", label) for label in asked},
        metrics={label: make("metric", label) for label in recipe.metrics},
        seeds=recipe.seeds_of(setting, learner),
        is_estimator=recipe.learner_kind == "estimator",
    )


def ingredients_in(study: Study, setting: Setting, learner: str) -> Ingredients:
    """Return the same for a learner in a setting of a study file."""
    recipe = Recipe.of(study, [(setting, learner)])
    return ingredients_of(recipe, setting.identifier, learner)
