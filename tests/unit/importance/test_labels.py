"""Classes of any name: losses, scores of scikit-learn for losses, views of forests, metrics."""

import typing

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import get_scorer, make_scorer, mean_squared_error

from losaw.importance import cpi, hierarchy, loco, pfi, sage, subgroups, ufi
from losaw.scoring.losses import LOSSES, LossName, log_loss, pinball, zero_one

EXAMPLES = ("squared-error", "absolute-error", "log-loss", "brier", "zero-one")


def classes(names, seed=0, n=300):
    """Features, and classes by the first of them."""
    X = np.random.default_rng(seed).standard_normal((n, 3))
    steps = np.quantile(X[:, 0], np.arange(1, len(names)) / len(names))
    return X, np.array(names)[np.searchsorted(steps, X[:, 0])]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_loss_of_two_classes_is_that_of_three_of_which_one_is_empty(name):
    p = np.array([0.0, 1e-20, 0.2, 0.5, 0.9, 1.0])
    y = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 1.0])
    three = np.column_stack([1 - p, p, np.zeros(6)])
    np.testing.assert_allclose(LOSSES[name](y, p), LOSSES[name](y, three), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_loss_of_two_classes_does_not_know_which_is_called_1(name):
    p = np.array([0.0, 1e-9, 0.2, 0.5, 0.9, 1.0])
    y = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    found = LOSSES[name](1 - y, 1 - p)
    np.testing.assert_allclose(LOSSES[name](y, p), found, rtol=1e-6, atol=1e-14)


def test_the_log_loss_of_a_sure_wrong_guess_is_finite():
    assert log_loss(np.array([0.0, 1.0]), np.array([1.0, 0.0])).max() == pytest.approx(34.5388)


def test_classes_that_tie_share_the_guess():
    third = np.full((1, 3), 1 / 3)
    assert zero_one(np.array([2.0]), third) == pytest.approx(2 / 3)
    assert zero_one(np.array([0.0]), np.array([0.5])) == 0.5


def test_the_pinball_loss_is_least_at_its_quantile():
    y = np.random.default_rng(0).random(2001)
    best = min(np.linspace(0, 1, 101), key=lambda f: pinball(0.9)(y, np.full(2001, f)).mean())
    assert best == pytest.approx(np.quantile(y, 0.9), abs=0.011)


def test_the_named_losses_are_those_of_the_type():
    assert set(typing.get_args(LossName)) == set(LOSSES)


@pytest.mark.parametrize("explain", [cpi, hierarchy, loco, pfi, sage, subgroups])
def test_squared_errors_whose_variance_is_beyond_floats_are_refused(explain):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = 1e140 * (X[:, 0] + rng.standard_normal(60))
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"y and its prediction differ by .* in another unit"):
        explain(model, X, y, random_state=0)
    found = explain(model, X, y, random_state=0, loss="absolute-error")
    scores = found.table["score"] if explain is hierarchy else [found.scores, found.std_error]
    assert np.isfinite(np.array(scores, dtype=float)).all()


def test_a_classifier_without_probabilities_is_scored_by_a_loss_of_labels():
    X, y = classes(("no", "yes"))
    model = RidgeClassifier().fit(X, y)
    found = pfi(model, X, y, loss="zero-one", random_state=0)
    assert found.select(top=1) == ("X1",)


@pytest.mark.parametrize("names", [(False, True), (-1, 1), (1, 2), ("no", "yes"), (-3, 7)])
@pytest.mark.parametrize("method", [pfi, ufi])
def test_the_names_of_two_classes_change_no_digit(method, names):
    X, y = classes((0, 1))
    named = np.array(names)[y]
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    drawn = {} if method is ufi else {"random_state": 0}
    expected = method(forest.fit(X, y), X, y, **drawn).scores
    assert np.array_equal(method(forest.fit(X, named), X, named, **drawn).scores, expected)


RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 3))
Y = X[:, 0] + RNG.standard_normal(200)
LABELS = (Y > 0).astype(int)
LINE, LOGIT = LinearRegression().fit(X[:100], Y[:100]), LogisticRegression().fit(X, LABELS)
OPTIONS = {
    pfi: {},
    cpi: {"sampler": "gaussian"},
    loco: {"cv": 3},
    sage: {"max_permutations": 16},
}


@pytest.mark.parametrize(
    ("function", "scoring", "loss"),
    [
        *((function, "neg_mean_absolute_error", "absolute-error") for function in OPTIONS),
        (pfi, "neg_mean_squared_error", "squared-error"),
        (pfi, make_scorer(mean_squared_error, greater_is_better=False), "squared-error"),
    ],
)
def test_a_score_of_a_regression_is_a_loss_with_another_sign(function, scoring, loss):
    by_score, by_loss = (
        function(LINE, X[100:], Y[100:], random_state=0, **OPTIONS[function], **asked)
        for asked in ({"scoring": scoring}, {"loss": loss})
    )
    np.testing.assert_array_equal(by_score.scores, by_loss.scores)
    assert f"loss={loss!r}" in repr(by_score)


@pytest.mark.parametrize(
    ("model", "y", "scoring", "loss"),
    [
        (LINE, Y, "neg_mean_squared_error", "squared-error"),
        (LOGIT, LABELS, "accuracy", "zero-one"),
        (LOGIT, LABELS, "neg_log_loss", "log-loss"),
        (LOGIT, LABELS, get_scorer("neg_brier_score"), "brier"),
    ],
)
def test_a_score_is_the_one_of_permutation_importance(model, y, scoring, loss):
    found = pfi(model, X, y, scoring=scoring, n_repeats=40, random_state=0)
    assert f"loss={loss!r}" in repr(found)
    theirs = permutation_importance(model, X, y, scoring=scoring, n_repeats=40, random_state=0)
    bound = 5 * (theirs.importances_std + found.details["repeats"].std(axis=0)) / np.sqrt(40)
    for ours in (found.scores, found.details["repeats"].mean(axis=0)):
        assert (np.abs(ours - theirs.importances_mean) <= bound).all()


class Typed(BaseEstimator):
    """A model that is sure of some rows, and gives its numbers in a type of its own."""

    def __init__(self, dtype, shown):
        self.dtype, self.shown = dtype, shown

    def fit(self, X, y):
        return self

    def predict(self, X):
        values = X[:, 0] > 0 if self.dtype == "?" else SIZES[self.dtype](X[:, 0])
        return np.asarray(values).astype(self.dtype).astype(self.shown)


class TypedClasses(ClassifierMixin, Typed):
    """Shares that are whole quarters."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        second = np.clip(np.rint(4 * X[:, 0] + 2), 0, 4) / 4
        none = np.zeros((len(X), len(self.classes_) - 2))
        return np.column_stack([1 - second, second, none]).astype(self.shown)


SIZES = {
    "i1": lambda x: np.rint(100 * np.tanh(3 * x)),
    "u1": lambda x: np.rint(100 * np.tanh(3 * x)) + 128,
    "u8": lambda x: np.rint(100 * np.tanh(3 * x)) + 128,
    "f2": lambda x: 5000 + 4 * np.rint(8 * x),
    "f4": lambda x: 5000 + 4 * np.rint(8 * x),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["?", *SIZES])
@pytest.mark.parametrize("function", OPTIONS)
def test_numbers_of_a_narrow_type_score_as_floats(function, dtype):
    y = Typed(dtype, float).predict(X) + RNG.standard_normal(200)
    found, expected = (
        function(Typed(dtype, shown), X, y, random_state=0, **OPTIONS[function]).scores
        for shown in (dtype, float)
    )
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["f2", "f4", "longdouble"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("function", OPTIONS)
def test_shares_of_exactly_0_and_1_score_as_floats(function, n_classes, dtype):
    y = (LABELS + RNG.integers(0, 2, 200)) % n_classes
    found, expected = (
        function(TypedClasses("f8", shown).fit(X, y), X, y, random_state=0, **OPTIONS[function])
        for shown in (dtype, float)
    )
    np.testing.assert_array_equal(found.scores, expected.scores)
    assert np.isfinite(found.scores).all()


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("names", [(0, 1), ("no", "yes"), (0, 1, 2)])
def test_the_classes_of_a_model_of_your_own_are_any_sequence(names, kind):
    X, y = classes(names)
    model = TypedClasses("f8", "f8").fit(X, y)
    expected = pfi(model, X, y, random_state=0).scores
    model.classes_ = kind(names)
    np.testing.assert_array_equal(pfi(model, X, y, random_state=0).scores, expected)


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_models_of_two_responses_are_refused(kind):
    both = kind(2, random_state=0).fit(X, np.column_stack([LABELS, LABELS]))
    with pytest.raises(ValueError, match="has 2 responses; fit and explain a model for each"):
        pfi(both, X, LABELS, random_state=0)
