"""Every check finds what it is there for, and says what to implement.

Of learners, importances, generators and metrics; samplers and drawings have a file of their own.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

from losaw.data import Sample, Truth
from losaw.generators.joint_law.law import JointLawSpecification
from losaw.generators.losaw import LosawGenerator
from losaw.generators.normal_linear import NormalLinearGenerator
from losaw.metrics.ranking import RocAuc
from losaw.scoring.importance_result import ImportanceResult
from reference.broken_things import assert_found, failures


def like(base, **members):
    """A class like another one, with some members replaced."""
    return type(f"Like{base.__name__}", (base,), members)


# --- learners -------------------------------------------------------------------------------------


class GoodLearner(RegressorMixin, BaseEstimator):
    """Least squares on a bootstrap sample."""

    def __init__(self, penalty=1.0, random_state=None):
        self.penalty = penalty
        self.random_state = random_state

    def rng(self):
        return np.random.default_rng(self.random_state)

    def fit(self, X, y):
        rows = self.rng().integers(len(y), size=len(y))
        self.model_ = Ridge(self.penalty).fit(X[rows], y[rows])
        return self

    def predict(self, X):
        return self.model_.predict(X)


class ChangesItsParameters(GoodLearner):
    def __init__(self, penalty=1.0, random_state=None):
        super().__init__(float(penalty) + 1.0, random_state)


class WarmStarts(GoodLearner):
    def fit(self, X, y):
        super().fit(X, y)
        self.sum_ = getattr(self, "sum_", 0.0) + y.sum()
        return self

    def predict(self, X):
        return super().predict(X) + self.sum_


class CentresInPlace(GoodLearner):
    def fit(self, X, y):
        X -= X.mean(axis=0)
        return super().fit(X, y)


class SeedsTheWorld(GoodLearner):
    def rng(self):
        np.random.seed(0)  # noqa: NPY002
        return super().rng()


def test_a_good_learner_passes():
    assert failures("learner", GoodLearner) == {}


@pytest.mark.parametrize(
    ("learner", "check", "message"),
    [
        (BaseEstimator, "has the methods of an estimator", "implement fit(self, X, y)"),
        (ChangesItsParameters, "is cloned by scikit learn", "__init__ must store"),
        (
            like(GoodLearner, fit=lambda self, X, y: None),
            "fit returns itself and predictions are finite",
            "must return self",
        ),
        (
            like(GoodLearner, predict=lambda self, X: self.model_.predict(X)[:, None]),
            "fit returns itself and predictions are finite",
            "shape (60, 1)",
        ),
        (
            like(GoodLearner, predict=lambda self, X: np.full(len(X), np.nan)),
            "fit returns itself and predictions are finite",
            "not finite",
        ),
        (
            like(GoodLearner, rng=lambda self: np.random.default_rng()),
            "same seed gives same predictions",
            "as_generator",
        ),
        (WarmStarts, "earlier fits leave no trace", "fit must start anew"),
        (CentresInPlace, "does not change its input", "work on a copy"),
        (SeedsTheWorld, "does not touch the global generators", "global generator"),
    ],
)
def test_a_broken_learner_is_found(learner, check, message):
    assert_found("learner", learner, check, message)


# --- importances ----------------------------------------------------------------------------------


class GoodImportance:
    example_learner = "random-forest"

    def explain(self, model, data, rng):
        noise = 1e-3 * rng.standard_normal(len(data.feature_names))
        return ImportanceResult(model.feature_importances_ + noise, data.feature_names)


def scoring(score):
    """An importance with the scores ``score(model, data)``."""

    def explain(self, model, data, rng):
        return ImportanceResult(score(model, data), data.feature_names)

    return like(GoodImportance, explain=explain)


READS_THE_TREES = scoring(
    lambda model, data: np.mean([tree.feature_importances_ for tree in model.estimators_], axis=0)
)


class Accumulates(GoodImportance):
    def __init__(self):
        self.calls = 0

    def explain(self, model, data, rng):
        self.calls += 1
        return ImportanceResult(self.calls * model.feature_importances_, data.feature_names)


class CopiesTheStream(GoodImportance):
    def explain(self, model, data, rng):
        copy = np.random.default_rng()
        copy.bit_generator.state = rng.bit_generator.state
        return super().explain(model, data, copy)


class RefusesAGenerator(GoodImportance):
    def __init__(self, random_state=None):
        self.seed = None if random_state is None else int(random_state)


class ShufflesInPlace(GoodImportance):
    def explain(self, model, data, rng):
        rng.shuffle(data.test.X)
        return super().explain(model, data, rng)


class PrunesTheModel(GoodImportance):
    def explain(self, model, data, rng):
        model.estimators_ = model.estimators_[:5]
        return super().explain(model, data, rng)


class DrawsFromTheWorld(GoodImportance):
    def explain(self, model, data, rng):
        np.random.rand()  # noqa: NPY002
        return super().explain(model, data, rng)


class ReadsTheFirstClassOnly(GoodImportance):
    def explain(self, model, data, rng):
        X = data.train.X
        first = model.predict_proba(X)[:, 0] if hasattr(model, "classes_") else model.predict(X)
        scores = np.abs((X - X.mean(axis=0)).T @ (first - first.mean()))
        return ImportanceResult(scores, data.feature_names)


@pytest.mark.parametrize("importance", [GoodImportance, READS_THE_TREES])
def test_a_good_importance_passes(importance):
    assert failures("importance", importance) == {}


def test_an_importance_that_reads_what_no_model_has_is_found_by_every_check_that_calls_it():
    found = failures("importance", scoring(lambda model, data: model.importances))
    for check in ("gives one finite score per feature", "class names do not matter"):
        assert "has no attribute 'importances'" in found[check]


@pytest.mark.parametrize(
    ("importance", "check", "message"),
    [
        (object, "has the method explain", "implement explain(self, model, data, rng)"),
        (
            like(GoodImportance, explain=lambda self, model, data, rng: data.test.X[0]),
            "gives one finite score per feature",
            "return losaw.scoring.importance_result",
        ),
        (
            like(
                GoodImportance,
                explain=lambda self, model, data, rng: ImportanceResult(
                    model.feature_importances_, tuple("abcde")
                ),
            ),
            "gives one finite score per feature",
            "expected data.feature_names",
        ),
        (
            scoring(lambda model, data: [1.0, 1.0, 1.0, 1.0, np.nan]),
            "gives one finite score per feature",
            "score every feature",
        ),
        (
            like(
                GoodImportance,
                explain=lambda self, model, data, rng: ImportanceResult(
                    np.ones(5), data.feature_names, p_values=-np.ones(5)
                ),
            ),
            "gives one finite score per feature",
            "p_values must be within",
        ),
        (
            scoring(lambda model, data: np.random.default_rng().random(5)),
            "same seed gives same scores",
            "from the Generator `rng`",
        ),
        (Accumulates, "earlier calls leave no trace", "keep no state"),
        (CopiesTheStream, "a generator is advanced by a random method", "copied or used as a seed"),
        (RefusesAGenerator, "random state takes an int a generator or none", "TypeError"),
        (ShufflesInPlace, "does not change its input", "work on a copy"),
        (PrunesTheModel, "does not change its input", "changes the model"),
        (DrawsFromTheWorld, "does not touch the global generators", "global generator"),
        (
            scoring(lambda model, data: np.abs(data.train.X.T @ data.train.y.astype(float))),
            "class names do not matter",
            "by the model's classes_",
        ),
        (ReadsTheFirstClassOnly, "the order of three classes does not matter", "classes alike"),
        (
            scoring(
                lambda model, data: (
                    model.feature_importances_ / len(getattr(model, "classes_", [None]))
                )
            ),
            "a class that never comes changes nothing",
            "a third class without",
        ),
        (
            scoring(
                lambda model, data: model.feature_importances_ * (1 + (data.task == "regression"))
            ),
            "a classifier is not scored as a regression",
            "losaw.support.outcomes.task_of",
        ),
    ],
)
def test_a_broken_importance_is_found(importance, check, message):
    assert_found("importance", importance, check, message)


# --- generators -----------------------------------------------------------------------------------


class GoodGenerator(NormalLinearGenerator):
    examples = ({"correlation": "heterogeneous", "n_samples": 400},)

    def change(self, data):
        return data

    def sample(self, rng):
        return self.change(super().sample(rng))


def changed(**replacements):
    """A generator whose data set has some parts replaced: name -> function of the data set."""

    def change(self, data):
        return replace(data, **{name: make(data) for name, make in replacements.items()})

    return like(GoodGenerator, change=change)


class FixedFeatures(GoodGenerator):
    def sample(self, rng):
        fixed = super().sample(np.random.default_rng(0))
        noise = rng.standard_normal(len(fixed.train.y))
        function = fixed.truth.regression_function
        train = Sample(fixed.train.X, function(fixed.train.X) + noise)
        return replace(fixed, train=train)


class RemembersDraws(GoodGenerator):
    drawn = 0

    def sample(self, rng):
        rng.standard_normal(self.drawn)
        self.drawn += 1
        return super().sample(rng)


class KeepsItsFirstDraw(GoodGenerator):
    kept = None

    def sample(self, rng):
        self.kept = self.kept or super().sample(rng)
        return self.kept


class SeedsTheWorldFirst(GoodGenerator):
    def sample(self, rng):
        np.random.seed(1)  # noqa: NPY002
        return super().sample(rng)


class UsesALawOfItsOwn(LosawGenerator):
    def sample(self, rng, joint_law=None):
        if joint_law is not None:
            rng.standard_normal()
        return super().sample(rng)


def double_second_moment(data):
    return Sample(1.5 * data.independent.X, data.independent.y)


@pytest.mark.parametrize("generator", [GoodGenerator, LosawGenerator])
def test_a_good_generator_passes(generator):
    assert failures("generator", generator) == {}


@pytest.mark.parametrize(
    ("generator", "check", "message"),
    [
        (object, "has the methods of a generator", "implement sample(self, rng"),
        (
            like(NormalLinearGenerator, examples=None),
            "is made from its parameters",
            "`examples = ({...},)`",
        ),
        (
            changed(train=lambda d: Sample(d.train.X, d.train.y[:-1])),
            "gives a data set of consistent shapes",
            "train has X (400, 5) and y (399,)",
        ),
        (
            changed(test=lambda d: Sample(d.test.X * np.nan, d.test.y)),
            "gives a data set of consistent shapes",
            "test must hold finite float64",
        ),
        (
            changed(feature_names=lambda d: ("X",) * 5),
            "gives a data set of consistent shapes",
            "5 different names",
        ),
        (
            changed(feature_kinds=lambda d: ("ordinal",) * 5),
            "gives a data set of consistent shapes",
            "feature_kinds must name",
        ),
        (
            changed(truth=lambda d: replace(d.truth, signal=(1, 0))),
            "truth names the features that matter",
            "ascending columns",
        ),
        (
            changed(truth=lambda d: replace(d.truth, signal=(0,))),
            "truth names the features that matter",
            "uses column 1",
        ),
        (
            changed(truth=lambda d: replace(d.truth, signal=(0, 1, 2))),
            "truth names the features that matter",
            "does not use column 2",
        ),
        (
            changed(truth=lambda d: Truth((0, 1), 5, 2.0, d.truth.regression_function)),
            "noise has the stated variance",
            "noise_variance says 2",
        ),
        (changed(test=lambda d: d.train), "train and test are different rows", "draw them anew"),
        (
            changed(independent=lambda d: d.test),
            "independent sample keeps the marginals only",
            "correlation",
        ),
        (
            changed(independent=double_second_moment),
            "independent sample keeps the marginals only",
            "moment 2",
        ),
        (
            like(
                GoodGenerator,
                sample=lambda self, rng: NormalLinearGenerator.sample(
                    self, np.random.default_rng()
                ),
            ),
            "same stream gives same data and another stream other data",
            "two draws from the same stream differ",
        ),
        (
            FixedFeatures,
            "same stream gives same data and another stream other data",
            "two streams give the same features",
        ),
        (RemembersDraws, "earlier draws leave no trace", "keep no state"),
        (KeepsItsFirstDraw, "earlier draws leave no trace", "keep no state"),
        (UsesALawOfItsOwn, "a fitted joint law is used as it is", "differs from one that fits"),
        (
            like(LosawGenerator, joint_law=lambda self: "law"),
            "a fitted joint law is used as it is",
            "expected JointLawSpecification",
        ),
        (SeedsTheWorldFirst, "does not touch the global generators", "global generator"),
    ],
)
def test_a_broken_generator_is_found(generator, check, message):
    assert_found("generator", generator, check, message)


def test_a_failure_names_the_example_it_was_found_with():
    found = failures("generator", UsesALawOfItsOwn)
    assert "data_type='discrete'" in found["a fitted joint law is used as it is"]


def test_a_single_dict_of_examples_is_refused():
    thing = like(NormalLinearGenerator, examples={"correlation": "identity"})
    assert_found("generator", thing, "is made from its parameters", "a tuple of parameter dicts")


# --- metrics --------------------------------------------------------------------------------------


class WithoutRange:
    higher_is_better = True
    needs = "importance"

    def __call__(self, result, truth):
        return 0.5


class ReadsRawScores(RocAuc):
    def __call__(self, result, truth):
        return super().__call__(ImportanceResult(result.scores, result.feature_names), truth)


class SortsInPlace(RocAuc):
    def __call__(self, result, truth):
        value = super().__call__(result, truth)
        result.scores.sort()
        return value


def test_the_metric_that_the_broken_ones_are_made_of_passes():
    assert failures("metric", RocAuc) == {}


@pytest.mark.parametrize(
    ("metric", "check", "message"),
    [
        (WithoutRange, "states its range direction and input", "range must be a pair"),
        (
            like(RocAuc, higher_is_better=None),
            "states its range direction and input",
            "higher_is_better must be",
        ),
        (like(RocAuc, needs="scores"), "states its range direction and input", "needs must be"),
        (
            like(RocAuc, __call__=lambda self, result, truth: 1),
            "gives a finite number in its range",
            "expected a finite float",
        ),
        (like(RocAuc, range=(0.0, 0.4)), "gives a finite number in its range", "outside its range"),
        (
            like(RocAuc, higher_is_better=False),
            "prefers the perfect answer to the worst",
            "higher value than",
        ),
        (
            like(
                RocAuc,
                __call__=lambda self, result, truth: np.argmax(result.ranking_scores()) / 12.0,
            ),
            "does not depend on the order of features or rows",
            "another order",
        ),
        (ReadsRawScores, "follows the orientation of the scores", "ranking_scores()"),
        (SortsInPlace, "does not change its input", "work on a copy"),
    ],
)
def test_a_broken_metric_is_found(metric, check, message):
    assert_found("metric", metric, check, message)


def test_an_error_inside_a_check_is_reported_as_what_was_raised():
    class Raises(RocAuc):
        def __call__(self, result, truth):
            raise ArithmeticError("no luck")

    found = failures("metric", Raises)
    message = found["gives a finite number in its range"]
    assert message.startswith("raised ArithmeticError: no luck (")
    assert "test_broken.py:" in message  # and the line


def test_every_check_is_broken_by_something_here():
    from losaw.contracts import checks_of
    from losaw.registry import KINDS

    source = "".join(p.read_text(encoding="utf-8") for p in Path(__file__).parent.glob("*.py"))
    for kind in KINDS:
        for check in checks_of(kind):
            assert f'"{check.__name__.replace("_", " ")}"' in source, check


def test_joint_law_specification_is_what_the_losaw_generator_asks_for():
    law = LosawGenerator(**LosawGenerator.examples[1]).joint_law()
    assert isinstance(law, JointLawSpecification)
