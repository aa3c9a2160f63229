"""Every check finds a broken thing, made of a file in examples/, and says what to do: one table."""

import runpy
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from losaw.data import Sample
from losaw.importance import ImportanceResult
from losaw.study.contracts import check_entry
from losaw.study.metrics.metric import Metric as MetricOf
from losaw.study.registry import Registration, forget

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Local(Registration):
    """An entry that is not in the registry."""

    thing: Any = field(default=None)

    def load(self):
        return self.thing


def messages(kind, thing):
    """What the checks say of a thing; nothing if it passes."""
    outcomes = check_entry(Local(kind, "mine", "nowhere:nothing", {}, thing))
    return [outcome.message for outcome in outcomes if outcome.message]


def example(kind, name):
    """A class of examples/, of which the registry hears nothing."""
    thing = runpy.run_path(EXAMPLES / f"{kind}.py", run_name="example")[name]
    forget("example:")
    return thing


Learner = example("learner", "BaggedRidge")
Importance = example("importance", "ShuffledLoss")
Generator = example("generator", "Autoregressive")
Metric = example("metric", "ShareOfTop")
Sampler = example("sampler", "Shuffled")
GOOD = {
    "learner": Learner,
    "importance": Importance,
    "generator": Generator,
    "metric": Metric,
    "knockoff": Sampler,
}


class Nothing:
    """Has no method."""


def with_(kind, **members):
    """The good thing of a kind with some members replaced."""
    return kind, type("Mine", (GOOD[kind],), members)


def data_with(**replacements):
    """A generator whose data set has some parts replaced: name -> function of the data set."""

    def sample(self, rng):
        data = Generator.sample(self, rng)
        return replace(data, **{name: make(data) for name, make in replacements.items()})

    return with_("generator", sample=sample, examples=({"n_samples": 200},))


def scoring(score):
    """An importance with the scores ``score(model, data, rng)``."""

    def explain(self, model, data, rng):
        return ImportanceResult(score(model, data, rng), data.feature_names)

    return with_("importance", explain=explain)


def truth_with(**replacements):
    return data_with(truth=lambda data: replace(data.truth, **replacements))


def classifier(shares):
    """A classifier with the probabilities ``shares(n)`` of n rows."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    methods = {
        "fit": fit,
        "predict": lambda self, X: np.zeros(len(X)),
        "predict_proba": lambda self, X: shares(len(X)),
    }
    return "learner", type("Mine", (ClassifierMixin, BaseEstimator), methods)


def unseeded_fit(self, X, y):
    self.random_state = None
    return Learner.fit(self, X, y)


def warm_fit(self, X, y):
    self.penalty *= 100.0
    return Learner.fit(self, X, y)


def centring_fit(self, X, y):
    X -= X.mean(axis=0)
    return Learner.fit(self, X, y)


def other_penalty(self, n_estimators=20, penalty=1.0, random_state=None):
    Learner.__init__(self, n_estimators, penalty + 1.0, random_state)


def seeding(function):
    """The same with a draw from the generator that all code shares."""

    def drawn(*arguments):
        np.random.rand()  # noqa: NPY002
        return function(*arguments)

    return drawn


def by_classes(self, model, data, rng):
    assert data.task == "classification" and {*data.train.y, *data.test.y} == {*model.classes_}
    shares = model.predict_proba(data.test.X)[:, 1]
    return ImportanceResult(np.abs(shares @ data.test.X), data.feature_names)


OF_CLASSES = {
    "needs": "prediction",
    "task": "classification",
    "higher_is_better": False,
    "range": (0.0, np.inf),
}


def of_classes(loss, pair):
    """The mean of a loss, of the probability of the class that is true."""
    y, shares = pair
    assert shares.shape == (len(y), 2) and np.allclose(shares.sum(axis=1), 1)
    return float(np.mean(loss(shares[np.arange(len(y)), y.astype(int)])))


def brier(share):
    return (1 - share) ** 2


def log_loss(share):
    return -np.log(share)


def zero_one(share):
    return share < 0.5


def pruning(model, data, rng):
    model.estimators_ = model.estimators_[:5]
    return np.ones(5)


def copied_stream(model, data, rng):
    copy = np.random.default_rng()
    copy.bit_generator.state = rng.bit_generator.state
    return copy.random(5)


def changed_then_failed(model, data, rng):
    data.train.X[:] = np.nan
    return np.linalg.svd(data.train.X)[1]


def sorting(self, result, truth):
    value = Metric.__call__(self, result, truth)
    result.scores.sort()
    return value


NOISE = np.random.default_rng(0)
BROKEN = [
    (("learner", Nothing), "Cannot clone object"),
    (with_("learner", __init__=other_penalty), "constructor either does not set or modifies"),
    (with_("learner", fit=lambda self, X, y: None), "fit must return self"),
    (with_("learner", predict=lambda self, X: np.full(len(X), np.nan)), "all finite"),
    (with_("learner", predict=lambda self, X: NOISE.random(len(X))), "when it is called again"),
    (with_("learner", predict=lambda self, X: X), "shape (60, 5), expected (60,)"),
    (classifier(lambda n: np.full((n, 3), 0.3)), "gives shape (60, 3) and type float64; expected"),
    (classifier(lambda n: np.full((n - 1, 2), 0.3)), "gives shape (59, 2)"),
    (with_("learner", fit=unseeded_fit), "predict differently"),
    (with_("learner", fit=warm_fit), "start anew in every fit"),
    (with_("learner", fit=centring_fit), "work on a copy"),
    (with_("learner", fit=seeding(Learner.fit)), "global generator"),
    (("learner", lambda X, y: X), "a class with fit(X, y), predict(X) and get_params(), as in"),
    (("importance", lambda model, data, rng: None),
     "it is a function; register a class with explain(model, data, rng), as in examples/import"),
    (("metric", lambda result, truth: 1.0), "a class with __call__(measured, truth), range, high"),
    (("knockoff", lambda X, rng: X), "handles_nominal, as in examples/sampler.py"),
    (scoring(lambda model, data, rng: data.stream("shuffles").random(6)), "scores has shape (6,)"),
    (("importance", Nothing), "no attribute 'explain'"),
    (with_("importance", explain=lambda *_: np.ones(5)), "expected an ImportanceResult"),
    (scoring(lambda *_: [1.0, 1, 1, 1, np.nan]), "1 of 5 scores are missing"),
    (with_("importance", explain=lambda self, model, data, rng: ImportanceResult(
        np.ones(5), data.feature_names, p_values=-np.ones(5))), "p_values must be"),
    (with_("importance", explain=lambda self, model, data, rng: ImportanceResult(
        np.ones(5), data.feature_names, details={"selected": [0, 2]})), "for each of 5 features"),
    (with_("importance", explain=lambda *_: ImportanceResult(np.ones(5), tuple("abcde"))),
     "in their order"),
    (scoring(lambda *_: NOISE.random(5)), "two equal calls"),
    (scoring(copied_stream), "copied or used as a seed"),
    (scoring(changed_then_failed), "it changed the data in place"),
    (scoring(pruning), "changes the model"),
    (with_("importance", explain=seeding(Importance.explain)), "global generator"),
    (("generator", Nothing), "no attribute 'sample'"),
    (with_("generator", examples=({"n_features": 1},)), "n_features must be at least 2"),
    (with_("generator", sample=lambda self, rng: 1), "expected Dataset"),
    (data_with(train=lambda d: Sample(d.train.X, d.train.y[:-1])), "train.y must have shape"),
    (data_with(test=lambda d: Sample(d.test.X * np.nan, d.test.y)), "not all finite"),
    (data_with(test=lambda d: d.train), "draw them anew"),
    (truth_with(signal=(0,)), "uses column 1, but truth.signal is (0,) [with n_samples=200]"),
    (truth_with(signal=(0, 1, 2)), "does not use column 2"),
    (truth_with(signal=(0, -9)), "signal must be different columns from 0 to 9"),
    (truth_with(noise_variance=2.0), "noise_variance says 2"),
    (data_with(independent=lambda d: d.test), "correlate by"),
    (data_with(independent=lambda d: Sample(1.5 * d.independent.X, d.independent.y)), "moment 2"),
    (with_("generator", sample=lambda self, rng: Generator.sample(self, NOISE)),
     "two draws from the same stream differ"),
    (with_("generator", sample=lambda self, rng: Generator.sample(self, np.random.default_rng(0))),
     "two streams give the same"),
    (with_("generator", sample=seeding(Generator.sample)), "global generator"),
    (with_("metric", higher_is_better=None), "higher_is_better must be a bool"),
    (with_("metric", needs="scores"), "needs must be"),
    *[(with_("metric", summary=one), f"summary must be mean, sd, median, root-mean or a share "
       f"between 0 and 1, got {one!r}") for one in ("mode", "Median", "0.5", 1.5, 0, None, ["sd"])],
    (with_("metric", __call__=lambda *_: 1), "expected a finite float"),
    (with_("metric", range=(0.0, 0.1)), "outside its range"),
    (with_("metric", higher_is_better=False), "higher value than the worst"),
    (with_("metric", __call__=lambda self, result, truth: float(
        truth.is_signal[np.argmax(result.scores)])), "ranking_scores()"),
    (with_("metric", __call__=lambda self, result, truth: float(result.ranking_scores()[3]),
           ranks_methods=False, range=(-np.inf, np.inf)), "find a feature by result.feature_names"),
    *[(with_("metric", __call__=lambda self, result, truth, place=place: float(
        result.scores[place(result.feature_names)])), "those of this check are X1 to X12, so make")
      for place in (lambda names: names.index("exposure"),
                    lambda names: {name: j for j, name in enumerate(names)}["exposure"],
                    lambda names: np.flatnonzero(np.array(names) == "exposure")[0],
                    lambda names: next(j for j, name in enumerate(names) if name == "exposure"))],
    (with_("metric", __call__=lambda *_: sys.exit("bye")), "raised SystemExit: bye"),
    (with_("learner", fit=lambda self, X, y: sys.exit(2)), "raised SystemExit: 2"),
    (with_("metric", __call__=sorting), "work on a copy"),
    (with_("knockoff", sample=None), "not callable"),
    (with_("knockoff", handles_nominal=None), "must be a bool"),
    (with_("knockoff", sample=lambda self, rng: self.X_[:, 1:]), "(60, 2), expected"),
    (with_("knockoff", sample=lambda self, rng: self.X_ * np.nan), "missing or infinite"),
    (with_("knockoff", sample=lambda self, rng: self.X_ + 0.5), "new levels"),
    (with_("knockoff", sample=lambda self, rng: NOISE.permuted(self.X_, axis=0)), "draws with the"),
    (with_("knockoff", sample=lambda self, rng: self.X_.copy()), "different generators are equal"),
    (with_("knockoff", fit=lambda self, X, kinds, rng: Sampler.fit(self, X.sort(0) or X)),
     "work on a copy"),
    (with_("knockoff", sample=seeding(Sampler.sample)), "global generator"),
    (("drawing", lambda results, *, metric: None), "expected study, results"),
]  # fmt: skip


@pytest.mark.parametrize(("thing", "said"), BROKEN, ids=[said for _, said in BROKEN])
def test_a_broken_thing_is_found(thing, said):
    found = messages(*thing)
    assert any(said in message for message in found), found
    assert len(found) == 1 or said != "1 of 5 scores are missing"  # they do not differ


def test_a_metric_of_classes_that_does_not_say_so_is_told_to_say_so():
    kept = {key: value for key, value in OF_CLASSES.items() if key != "task"}
    score = {"__call__": lambda _, one, __: np.mean(one.test[1][:, 1] - one.test[0])}
    found = messages(*with_("metric", **kept, **score))
    assert found and all('task = "classification"' in one and "X12" not in one for one in found)
    fails = {"__call__": lambda *_: [][0]}
    told = messages(*with_("metric", **OF_CLASSES, **fails))
    assert told and not any("give the class" in one for one in told)


FIXED = np.random.default_rng(1).standard_normal((200, 10))


def fixed(X):
    """A generator whose features are the same in every draw."""

    def sample(self, rng):
        data = Generator.sample(self, rng)
        samples = [Sample(X, X[:, 0] + X[:, 1] + rng.standard_normal(200)) for _ in range(2)]
        return replace(data, train=samples[0], test=samples[1], independent=None)

    return with_("generator", sample=sample, examples=({"n_samples": 200},))


@pytest.mark.parametrize(
    "thing",
    [
        fixed(FIXED),
        fixed(np.column_stack([np.ones(200), FIXED[:, 1:]])),
        classifier(lambda n: np.full((n, 2), 0.5)),
        scoring(lambda model, data, rng: data.stream("shuffles").random(5)),
        ("learner", lambda penalty=1.0: Learner(penalty=penalty)),
        ("importance", lambda n_repeats=2: Importance(n_repeats)),
        with_("importance", explain=by_classes, example_learner="losaw-forest-classifier"),
        with_("metric", **OF_CLASSES, __call__=lambda _, one, __: of_classes(brier, one.test)),
        with_("metric", **OF_CLASSES, __call__=lambda _, one, __: of_classes(log_loss, one.test)),
        with_("metric", **OF_CLASSES, __call__=lambda _, o, __: of_classes(brier, o.independent)),
        ("metric", partial(MetricOf, lambda one, _: of_classes(zero_one, one.test), **OF_CLASSES)),
        with_("metric", __call__=lambda self, _, truth: truth.details["mine"], ranks_methods=False),
        with_("metric", __call__=lambda _, one, __: one.details["mine"], ranks_methods=False),
    ],
)
def test_a_right_thing_is_not_accused(thing):
    assert messages(*thing) == []
