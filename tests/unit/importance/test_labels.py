"""Classes of any name and number: losses, views of forests, metrics, the engine's predictions."""

import typing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score

from losaw.data import Sample
from losaw.importance import cpi, hierarchy, loco, pfi, sage, subgroups, ufi
from losaw.importance.permutation import score_of
from losaw.scoring.losses import LOSSES, LossName, log_loss, pinball, zero_one
from losaw.study.contracts import example_data

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


def test_a_frame_in_the_engines_data_names_the_way_for_frames_and_objects_their_dtype():
    data = example_data()
    for rows, words in (
        (pd.DataFrame(data.train.X), r"losaw\.importance\.cpi"),
        (data.train.X.astype(object), r"train.X must be an array of numbers.* of dtype object"),
    ):
        with pytest.raises(TypeError, match=words):
            replace(data, train=Sample(rows, data.train.y))


@pytest.mark.parametrize("names", [(False, True), (-1, 1), (1, 2), ("no", "yes"), (-3, 7)])
@pytest.mark.parametrize("method", [pfi, ufi])
def test_the_names_of_two_classes_change_no_digit(method, names):
    X, y = classes((0, 1))
    named = np.array(names)[y]
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    drawn = {} if method is ufi else {"random_state": 0}
    expected = method(forest.fit(X, y), X, y, **drawn).scores
    assert np.array_equal(method(forest.fit(X, named), X, named, **drawn).scores, expected)


@pytest.mark.parametrize("cuts", [[0.0], [-0.7, 0.7]])
def test_an_area_under_the_curve_is_that_of_two_classes_or_the_mean_over_pairs(cuts):
    X = np.random.default_rng(0).standard_normal((80, 3))
    labels = np.digitize(X[:, 0] + X[:, 1], cuts)
    model = LogisticRegression(C=0.01).fit(X[:40, 1:], labels[:40])
    shares = model.predict_proba(X[:, 1:])
    expected = roc_auc_score(labels, shares[:, 1] if len(cuts) == 1 else shares, multi_class="ovo")
    assert score_of(model, labels)(X[:, 1:]) == pytest.approx(expected)
