"""Contracts: short checks, by kind, of everything that can be registered.

The package's own tests run them on every registered name, ``losaw check my_method.py`` on what a
user's file registers. A class attribute ``examples``, a tuple of parameter dicts, takes
the place of the registered defaults, and ``example_learner`` the name of the learner that an
importance explains. An estimator is tried on the draws of the generators in its own file.
"""

import contextlib
import copy
import inspect
import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from losaw.data import Dataset, FloatArray, Sample, Truth, default_feature_names
from losaw.rng import stream
from losaw.scoring.result import ImportanceResult
from losaw.study.block.replicate import GLOBAL_DRAWS, arrays_of, checked, global_state, unchanged
from losaw.study.errors import FAILURES
from losaw.study.estimates import Estimate, by_estimand, data_and_truths
from losaw.study.metrics.metric import Needs, Predictions
from losaw.study.registry import Registration, get
from losaw.study.registry.plugins import REGISTERED, PluginError, place_of, plugin_entries
from losaw.study.request.study_file import SUMMARIES, is_summary
from losaw.support.models import classes_of
from losaw.support.outcomes import probabilities_of_all

same = partial(np.array_equal, equal_nan=True)  # numbers that are missing have their own message
REMEDY = "draw everything from the Generator `rng`, from nothing else, and keep no state"


class ContractError(AssertionError):
    """An error: a registered thing violates its contract; the message names the remedy."""


SKIPPED = "skipped"
SIGNAL, P = (1, 4, 5), 12  # of the features of which a metric gets the scores


class Outcome(NamedTuple):
    """The outcome of a check of a registered name; the message is empty if it passed.

    The check is ``SKIPPED`` where the thing says why it is unavailable.
    """

    name: str
    check: str
    message: str


Check = Callable[[Registration], None]  # of a registered name, with the parameters of an example


def check_file(path: Path | str, watch: Any = None) -> list[Outcome]:
    """Run all checks of what a plugin file registers; refuse one that registers nothing."""
    entries = plugin_entries(path)
    if not entries:
        raise PluginError(
            f"plugin {path}: it registers nothing; put @register above your class, as in examples/"
        )
    return [outcome for entry in entries for outcome in check_entry(entry, watch)]


def check_entry(entry: Registration, watch: Any = None) -> list[Outcome]:
    """Run all checks of a registered thing, for all its examples.

    ``watch(name, check)`` is a context around every check, which may report it. The message of a
    check that passed is empty.

    Examples
    --------
    >>> from losaw.study.contracts import check_entry
    >>> from losaw.study.registry import get
    >>> any(outcome.message for outcome in check_entry(get("metric", "pr_auc")))
    False
    """
    name, thing = f"{entry.kind} {entry.name}", entry.load()
    subjects = _with_examples(entry)
    if reason := getattr(thing, "unavailable", str)():
        return [Outcome(name, SKIPPED, reason)]
    if message := _why_no_class(entry.kind, thing, subjects):
        return [Outcome(name, "is a class", message)]
    outcomes = []
    for check in CHECKS[entry.kind]:
        claim = check.__name__.replace("_", " ")
        with watch(name, claim) if watch else contextlib.nullcontext():
            message = next(filter(None, (_message(check, subject) for subject in subjects)), "")
        outcomes.append(Outcome(name, claim, message))
    return outcomes


# Kind -> what a class of it has, and the example of one.
_CLASSES = {
    "learner": ("fit(X, y), predict(X) and get_params()", "learner"),
    "importance": ("explain(model, data, rng)", "importance"),
    "metric": ("__call__(measured, truth), range, higher_is_better and needs", "metric"),
    "knockoff": ("fit(X, kinds, rng), sample(rng) and handles_nominal", "sampler"),
}


def _why_no_class(kind: str, thing: Any, subjects: list[Registration]) -> str:
    """Say that a function stands where a class must; one that makes an instance may."""
    if kind not in _CLASSES or not inspect.isfunction(thing):
        return ""
    try:
        for subject in subjects:
            inspect.signature(thing).bind(**subject.parameters)
    except TypeError:
        methods, file = _CLASSES[kind]
        return f"it is a function; register a class with {methods}, as in examples/{file}.py"
    return ""


def _with_examples(entry: Registration) -> list[Registration]:
    """Return a registered thing with the parameters of each of its examples."""
    examples: Any = getattr(entry.load(), "examples", None) or ({},)
    return [replace(entry, parameters={**entry.parameters, **chosen}) for chosen in examples]


_OTHER_NAMES = (
    f"; if it looks for a feature by its name: those of this check are X1 to X{P}, so make the "
    'name a parameter, and give the class examples = ({"feature": "X2"},)'
)
_OTHER_TASK = '; if it measures probabilities of classes, give the class task = "classification"'


def _message(check: Check, subject: Registration) -> str:
    """Return what a check finds, with the line of the user's file that an error came from."""
    try:
        check(subject)
        return ""
    except ContractError as error:
        message = str(error)
    except FAILURES as error:
        message = f"raised {type(error).__name__}: {error}{place_of(error)}"
        if subject.kind == "metric" and isinstance(error, ValueError | LookupError | StopIteration):
            metric = subject.load()
            if getattr(metric, "needs", "") != "prediction":
                message += _OTHER_NAMES
            elif getattr(metric, "task", "") != "classification":
                message += _OTHER_TASK
    shown = ", ".join(f"{key}={value!r}" for key, value in subject.parameters.items())
    return f"{message} [with {shown}]" if shown else message


def require(condition: object, message: str) -> None:
    """Raise a ContractError with ``message`` unless ``condition`` holds."""
    if not condition:
        raise ContractError(message)


@contextlib.contextmanager
def nothing_else_changes(*arrays: np.ndarray) -> Iterator[None]:
    """Say if the body changes an array, whatever error that led to, or a generator of all code."""
    np.random.seed(random.randrange(2**32))  # noqa: NPY002  # seeding with a usual number must show
    before = global_state()
    with unchanged("it", arrays):
        yield
    require(before == global_state(), f"it {GLOBAL_DRAWS}")


# --- learners: scikit-learn estimators that give the same from the same seed ----------------------


def example_data() -> Dataset:
    """Draw 150 rows of five correlated features, Y = X1 + X2 + noise (losaw, Example 1.1)."""
    generator = get("generator", "normal-linear").create(correlation="heterogeneous", n_samples=150)
    data = generator.sample(np.random.default_rng(20))
    X, y = data.test
    return replace(data, test=Sample(X[:60], y[:60]), stream=_stream)


def _stream(purpose: str) -> np.random.Generator:
    """Return the generator of a purpose, as a study gives one with its data."""
    return stream(experiment="check", setting="", replicate=0, component=purpose)


def fitted(learner: Any, data: Dataset, seed: int = 1) -> Any:
    """Fit ``learner`` to the training sample, seeded if it takes a random_state."""
    if "random_state" in learner.get_params():
        learner.set_params(random_state=seed)
    return learner.fit(data.train.X, data.train.y)


def is_cloned_by_scikit_learn(subject: Registration) -> None:
    from sklearn.base import clone

    clone(subject.create())  # refuses an __init__ that does not store its arguments as they are


def fits_and_predicts_and_changes_nothing_else(subject: Registration) -> None:
    learner = subject.create()
    data = _data_for(learner)
    with nothing_else_changes(*arrays_of(data)):
        require(fitted(learner, data) is learner, "fit must return self")
        predicted, again = (np.asarray(learner.predict(data.test.X)) for _ in range(2))
    require(same(predicted, again), "predict gives other numbers when it is called again")
    require(
        predicted.shape == data.test.y.shape and np.isfinite(predicted).all(),
        f"predict gives shape {predicted.shape}, expected {data.test.y.shape}, all finite",
    )
    if hasattr(learner, "predict_proba"):
        probabilities_of_all(learner, data.test.X, len(classes_of(learner)))


def the_same_seed_gives_the_same_predictions(subject: Registration) -> None:
    used, new = subject.create(), subject.create()
    data = _data_for(used)
    fitted(used, data, seed=2)
    first, second = (fitted(learner, data).predict(data.test.X) for learner in (used, new))
    require(
        same(first, second),
        "two fits to the same data with the same random_state predict differently; draw from "
        "losaw.rng.as_generator(self.random_state), made inside fit, and start anew in every fit",
    )


def _data_for(learner: Any) -> Dataset:
    from sklearn.base import is_classifier

    data = example_data()
    if not is_classifier(learner):
        return data
    train, test = (Sample(X, (y > 0).astype(float)) for X, y in (data.train, data.test))
    return replace(data, train=train, test=test, task="classification")


# --- importances: a finite score per feature, reproducible, without side effects ------------------


def explains_and_changes_nothing_else(subject: Registration) -> None:
    importance, (model, data) = subject.create(), _example_fit(subject)
    before = np.array(model.predict(data.test.X))
    with nothing_else_changes(*arrays_of(data)):
        checked(importance.explain(model, data, np.random.default_rng(1)), data)
    after = model.predict(data.test.X)
    require(same(before, after), "it changes the model; work on a copy (copy.deepcopy)")


def the_same_seed_gives_the_same_scores(subject: Registration) -> None:
    model, data = _example_fit(subject)
    used = subject.create()
    other, first = (_scores(used, model, data, seed) for seed in (2, 1))
    second = _scores(subject.create(), model, data)
    require(same(first, second), f"two equal calls score differently; {REMEDY}")
    if not same(first, other):  # something is drawn
        rng = np.random.default_rng(1)
        first, second = (used.explain(model, data, rng).scores for _ in range(2))
        require(
            not same(first, second),
            f"a Generator gives the same scores twice: it is copied or used as a seed; {REMEDY}",
        )


def _example_fit(subject: Registration) -> tuple[Any, Dataset]:
    """Return a newly fitted example learner, and new copies of its data."""
    learner = get("learner", getattr(subject.load(), "example_learner", "random-forest"))
    few = {"n_estimators": 25} if "n_estimators" in learner.accepted_parameters() else {}
    made = learner.create(**few)
    return fitted(made, _data_for(made)), _data_for(made)


def _scores(importance: Any, model: Any, data: Dataset, seed: int = 1) -> FloatArray:
    return np.asarray(importance.explain(model, data, np.random.default_rng(seed)).scores)


# --- generators: consistent samples and truth, decided by the stream alone ------------------------

BOUND = 6.0  # standard errors that a sample moment may be off: 1e-9 of all samples


def draws_a_data_set_of_finite_numbers(subject: Registration) -> None:
    with nothing_else_changes():
        data = _draw(subject)
    if isinstance(data, tuple):  # of a generator for estimators
        data_and_truths(data)
        return
    words = f"sample returns {type(data).__name__}, expected Dataset, or for estimators a pair"
    require(isinstance(data, Dataset), words)
    P = data.truth.n_features
    for X, y in filter(None, (data.train, data.test, data.independent)):
        sample = f"a sample has X {X.shape} {X.dtype} and y {y.shape}"
        is_right = X.shape == (len(y), P) and X.dtype == np.float64 and len(y) > 1
        require(is_right, f"{sample}, expected (n, {P}) float64 and (n,)")
        require(np.isfinite(X).all() and np.isfinite(y).all(), f"{sample}, not all finite")
    rows = slice(min(len(data.train.y), len(data.test.y)))
    pairs = zip(data.train, data.test, strict=True)
    repeats = all(same(train[rows], test[rows]) for train, test in pairs)  # X alone may be fixed
    require(not repeats, "test repeats the training rows; draw them anew")


def the_truth_is_that_of_the_data(subject: Registration) -> None:
    data = _draw(subject)
    if not isinstance(data, Dataset) or data.truth.regression_function is None:
        return
    truth, function = data.truth, data.truth.regression_function
    # Independent rows show the effect of one feature with all others fixed.
    X = np.column_stack([np.random.default_rng(1).permutation(column) for column in data.train.X.T])
    for column in np.flatnonzero(np.ptp(X, axis=0)):  # a constant shows no effect
        moved = X.copy()
        moved[:, column] = np.roll(moved[:, column], 1)
        uses = "does not use" if same(function(moved), function(X)) else "uses"
        require(
            (uses == "uses") == (column in truth.signal),
            f"regression_function {uses} column {column}, but truth.signal is {truth.signal}",
        )
    for sample in (data.train, data.test) if np.isfinite(truth.noise_variance) else ():
        noise = (sample.y - function(sample.X)) ** 2
        require(
            _are_near(noise, np.full(2, truth.noise_variance)).all(),
            f"y - regression_function(X) has mean square {noise.mean():.4g}, truth."
            f"noise_variance says {truth.noise_variance:.4g}",
        )


def the_independent_sample_keeps_the_marginals_only(subject: Registration) -> None:
    data = _draw(subject)
    if not isinstance(data, Dataset) or data.independent is None:
        return
    X, reference = data.independent.X, data.train.X
    for power in (1, 2):
        wrong = np.flatnonzero(~_are_near(X**power, reference**power))
        require(not len(wrong), f"moment {power} of columns {wrong} is not that of the training X")
    X = X[:, X.var(axis=0) > 0]
    largest = np.abs(np.corrcoef(X.T) - np.eye(X.shape[1])).max(initial=0.0)
    message = f"two features of the independent sample correlate by {largest:.2f}"
    require(largest <= BOUND / np.sqrt(len(X)), message)


def _are_near(first: FloatArray, second: FloatArray) -> Any:
    error = np.sqrt(first.var(axis=0) / len(first) + second.var(axis=0) / len(second))
    return np.abs(first.mean(axis=0) - second.mean(axis=0)) <= BOUND * error + 1e-12


def the_stream_decides_the_data(subject: Registration) -> None:
    used = subject.create()
    other, first = (_content(used.sample(np.random.default_rng(seed))) for seed in (2, 1))
    require(first == _content(_draw(subject)), f"two draws from the same stream differ; {REMEDY}")
    require(first != other, f"two streams give the same data; {REMEDY}")


def _content(drawn: Any) -> Any:
    """Return the drawn data as bytes, of whatever type they are."""
    return pickle.dumps(arrays_of(drawn) if isinstance(drawn, Dataset) else drawn)


def _draw(subject: Registration) -> Dataset:
    return subject.create().sample(np.random.default_rng(1))


# --- estimators: estimates of the generator's estimands, from the given generator only ------------


def estimates_what_the_generator_knows(subject: Registration) -> None:
    for data, truths in _estimated_data(subject):
        with nothing_else_changes():
            by_estimand(subject.create().estimate(data, np.random.default_rng(1)), truths)


def the_same_seed_gives_the_same_estimates(subject: Registration) -> None:
    used = subject.create()
    for data, _ in _estimated_data(subject):
        _, first = (_estimates(used, data, seed) for seed in (2, 1))
        again = _estimates(subject.create(), data, 1)
        require(first == again, f"two equal calls estimate differently; {REMEDY}")


def _estimates(estimator: Any, data: Any, seed: int) -> str:
    return repr(estimator.estimate(copy.deepcopy(data), np.random.default_rng(seed)))


def _estimated_data(subject: Registration) -> list[tuple[Any, Any]]:
    """Return draws of the generators for estimators in the file of an estimator."""
    module = subject.target.partition(":")[0]
    own = [entry for entry in REGISTERED.get(module, ()) if entry.kind == "generator"]
    subjects = [with_ for entry in own for with_ in _with_examples(entry)]
    drawn = [data_and_truths(one) for one in map(_draw, subjects) if isinstance(one, tuple)]
    require(drawn, "its file has no generator of data and true values to try it on; add one")
    return drawn


# --- metrics: a finite number in its range in the declared direction ------------------------------


def gives_a_number_in_its_range_and_changes_nothing_else(subject: Registration) -> None:
    metric = subject.create()
    require(isinstance(metric.higher_is_better, bool), "higher_is_better must be a bool")
    known = get_args(Needs)
    require(metric.needs in known, f"needs must be one of {known}, got {metric.needs!r}")
    summary = getattr(metric, "summary", "mean")
    require(is_summary(summary), f"summary must be {SUMMARIES}, got {summary!r}")
    low, high = metric.range
    for seed in range(20):
        argument, truth = _measured(metric, seed)
        arrays = {"importance": lambda a: [a.scores], "prediction": lambda a: a.test}
        with nothing_else_changes(*arrays.get(metric.needs, lambda _: ())(argument)):
            value = metric(argument, truth)
        is_number = isinstance(value, float) and np.isfinite(value)
        require(is_number, f"it gives {value!r}, expected a finite float")
        require(low <= value <= high, f"it gives {value}, outside its range ({low}, {high})")


def prefers_the_perfect_answer_to_the_worst(subject: Registration) -> None:
    metric = subject.create()
    if getattr(metric, "ranks_methods", True):
        gain = metric(*_measured(metric, 1, lead=10.0)) - metric(*_measured(metric, 1, lead=-10.0))
        require(
            gain > 0 if metric.higher_is_better else gain < 0,
            f"higher_is_better is {metric.higher_is_better}, but the perfect answer has a "
            f"{'higher' if gain > 0 else 'lower or equal'} value than the worst (of a metric that "
            "only describes say ranks_methods = False)",
        )


def reads_scores_whatever_their_order_and_sign(subject: Registration) -> None:
    metric = subject.create()
    for seed in range(5):
        plain, other = (metric(*_measured(metric, seed, turned=turned)) for turned in (0, 1))
        require(
            np.isclose(plain, other, rtol=1e-9, atol=1e-12, equal_nan=True),
            f"features or rows in another order, or scores with higher_is_more=False, change it "
            f"from {plain} to {other}; use result.ranking_scores(), and find a feature by "
            "result.feature_names, not by its position",
        )


def _measured(metric: Any, seed: int, lead: float = 0.0, turned: int = 0) -> tuple[Any, Any]:
    """Return what a metric gets; signals lead, or noise if ``lead`` is negative."""
    rng, order = np.random.default_rng(seed), np.random.default_rng(seed + 100).permutation
    mask = np.isin(np.arange(P), SIGNAL)
    scores = rng.standard_normal(P)
    if lead:
        scores = np.abs(scores) + abs(lead) * (mask == (lead > 0))
    y, error = rng.standard_normal((2, 80))
    index, rows = (order(P), order(80)) if turned else (np.arange(P), np.arange(80))
    signal = tuple(np.flatnonzero(mask[index]).tolist())
    if metric.needs == "estimate":
        error = 0.0 if lead > 0 else float(scores[0])
        estimate = Estimate(1.0 + error, 0.5, error, error + 2.0, 0.5)
        return _Any({"theta": estimate}, estimate), _Any({"theta": 1.0}, 1.0)
    truth = Truth(signal, P, details=_Any({"detail": 0.5}, 0.5))
    if metric.needs == "prediction":
        noise = {0.0: 0.5, 10.0: 0.0}.get(lead, 5.0)
        pair = (y[rows], (y + noise * error)[rows])
        other = (2 * pair[0], 2 * pair[1])
        if getattr(metric, "task", "") == "classification":
            labels = (y > 0).astype(float)
            p = 1 / (1 + np.exp(-error - lead * (2 * labels - 1)))
            pair = other = labels[rows], np.column_stack([1 - p, p])[rows]
        return Predictions(pair, other, mean=pair[0]), truth
    result = ImportanceResult(
        (scores * (1 - 2 * turned))[index],
        tuple(np.array(default_feature_names(P))[index].tolist()),
        p_values=1 / (1 + np.exp(scores[index])),
        higher_is_more=not turned,
        details=_Any({"detail": 0.5, "counts": np.abs(scores[index])}, 0.5),
    )
    return result, truth


class _Any(dict[str, Any]):
    """A mapping that has a value for every name: which details a metric reads, it knows itself."""

    def __init__(self, values: dict[str, Any], other: Any) -> None:
        super().__init__(values)
        self.other = other

    def __missing__(self, key: str) -> Any:
        return self.other


# --- knockoff samplers: draws of the right shape, from the given generator only -------------------


def draws_rows_like_those_it_was_fitted_to(subject: Registration) -> None:
    sampler = subject.create()
    levels = getattr(sampler, "handles_nominal", None)
    require(isinstance(levels, bool), f"handles_nominal must be a bool, got {levels!r}")
    X = _rows()
    with nothing_else_changes(X):
        drawn = _knockoffs(subject, X)
    shape = getattr(drawn, "shape", type(drawn).__name__)
    require(shape == X.shape, f"sample gives {shape}, expected an array of shape {X.shape}")
    require(np.isfinite(drawn).all(), "sample gives missing or infinite values")
    invented = np.setdiff1d(drawn[:, 2], X[:, 2])
    require(not (levels and invented.size), f"a nominal column got new levels: {invented}")


def the_generator_decides_the_draw(subject: Registration) -> None:
    X = _rows()
    first, again, other = (_knockoffs(subject, X, seed) for seed in (1, 1, 2))
    require(same(first, again), f"two draws with the same generator differ; {REMEDY}")
    require(not same(first, other), "draws with different generators are equal")


def _rows() -> FloatArray:
    X = np.random.default_rng(0).standard_normal((60, 3))
    return np.column_stack([X[:, 0], X[:, 0] + X[:, 1], np.arange(60) % 3])


def _knockoffs(subject: Registration, X: FloatArray, seed: int = 1) -> Any:
    sampler, rng = subject.create(), np.random.default_rng(seed)
    last = "nominal" if sampler.handles_nominal else "continuous"
    return sampler.fit(X, kinds=("continuous", "continuous", last), rng=rng).sample(rng)


# --- drawings -------------------------------------------------------------------------------------


def takes_a_study_and_its_results_before_its_options(subject: Registration) -> None:
    names = list(inspect.signature(subject.load()).parameters)
    require(names[:2] == ["study", "results"], f"it takes {names}, expected study, results, *, …")


# The check of the seed, or of a metric's direction, comes first: the first call of all may load a
# library that draws from a global generator, of which nothing_else_changes would accuse the method.
CHECKS: dict[str, tuple[Check, ...]] = {
    "learner": (
        is_cloned_by_scikit_learn,
        the_same_seed_gives_the_same_predictions,
        fits_and_predicts_and_changes_nothing_else,
    ),
    "importance": (the_same_seed_gives_the_same_scores, explains_and_changes_nothing_else),
    "estimator": (the_same_seed_gives_the_same_estimates, estimates_what_the_generator_knows),
    "generator": (
        the_stream_decides_the_data,
        draws_a_data_set_of_finite_numbers,
        the_truth_is_that_of_the_data,
        the_independent_sample_keeps_the_marginals_only,
    ),
    "metric": (
        prefers_the_perfect_answer_to_the_worst,
        gives_a_number_in_its_range_and_changes_nothing_else,
        reads_scores_whatever_their_order_and_sign,
    ),
    "knockoff": (the_generator_decides_the_draw, draws_rows_like_those_it_was_fitted_to),
    "drawing": (takes_a_study_and_its_results_before_its_options,),
}
