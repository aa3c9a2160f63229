"""Errors and results of importances that a person must understand without the source.

Of scoring.model_on_table, scoring.tests, scoring.losses, trends.traversal_rate.
"""

import importlib
import typing

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from losaw.data import Dataset, Sample, Truth, default_feature_names
from losaw.importance import cpi, loco, mdi_oob, pfi, sage, ufi
from losaw.scoring.losses import LOSSES, LossName
from losaw.study.registry import get
from losaw.trends import absolute_traversal_rate

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
Y = X[:, 0] + RNG.standard_normal(60)
CLASSES = np.where(Y > 0, "yes", "no")


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        LogisticRegression(),
        make_pipeline(StandardScaler(), LinearRegression()),
        make_pipeline(StandardScaler(), LogisticRegression()),
        RandomForestClassifier(),
    ],
)
def test_a_model_that_is_not_fitted_is_told_so(model):
    with pytest.raises(ValueError, match=r"the model, a \w+, is not fitted: call its fit"):
        pfi(model, X, CLASSES)


def test_a_model_of_another_library_need_not_show_its_fit():
    class Own:
        def predict(self, X):
            return X[:, 0]

    assert pfi(Own(), X, Y, random_state=0).select(top=1) == ("X1",)


def test_a_splitter_of_groups_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match="needs the group of every row: give clusters="):
        pfi(LinearRegression(), X, Y, cv=GroupKFold(4))
    groups = np.repeat(range(20), 3)
    folds = list(GroupKFold(4).split(X, Y, groups))
    found = pfi(LinearRegression(), X, Y, cv=folds)
    assert len(found.details["fold_scores"]) == 4
    assert "cv=4 folds)" in repr(found)  # without the row numbers
    found = pfi(LinearRegression(), X, Y, cv=GroupKFold(4), clusters=groups)
    assert len(found.details["fold_scores"]) == 4


@pytest.mark.parametrize(
    "cv", [["zz"], [("a", "b")], [([0, 1], [60])], [([0], [])], [(1, 2)], [1, 2], iter([1, 2])]
)
def test_folds_that_are_no_row_numbers_are_refused(cv):
    with pytest.raises(ValueError, match="fold 0 of cv must be a pair of arrays of row numbers"):
        loco(LinearRegression(), X, Y, cv=cv)


@pytest.mark.parametrize(
    ("cv", "said"), [(True, "cv must be from 2"), (KFold(99), r"cv=KFold\(.*n_splits=99")]
)
def test_folds_that_cannot_be_made_are_refused_by_name(cv, said):
    with pytest.raises(ValueError, match=said):
        pfi(LinearRegression().fit(X, Y), X, Y, cv=cv)


def test_a_result_shows_the_loss_that_was_taken():
    forest = RandomForestClassifier(5, random_state=0).fit(X, CLASSES)
    shown = repr(cpi(forest, X, CLASSES, sampler="gaussian", random_state=0))
    assert "loss='log-loss'" in shown and "loss=None" not in shown
    line = LinearRegression().fit(X, Y)
    assert "loss='squared-error'" in repr(pfi(line, X, Y, random_state=0))
    assert "loss='absolute-error'" in repr(pfi(line, X, Y, loss="absolute-error", random_state=0))


def test_the_named_losses_are_those_of_the_type():
    assert set(typing.get_args(LossName)) == set(LOSSES)


def test_a_misspelt_loss_has_its_nearest_name():
    with pytest.raises(ValueError, match="did you mean 'brier'"):
        pfi(RandomForestClassifier(5).fit(X, CLASSES), X, CLASSES, loss="brierr")


def test_a_traversal_rate_of_classes_says_which_class_it_rises_towards():
    forest = RandomForestClassifier(5, random_state=0).fit(X, CLASSES)
    assert absolute_traversal_rate(forest).method.endswith("towards class 'yes'")


@pytest.mark.parametrize("name", ["cpi-gaussian", "loco", "pfi-difference", "subgroups", "sage"])
def test_importances_refuse_a_response_whose_squares_are_infinite(name):
    forest = RandomForestRegressor(5, random_state=0).fit(X, Y)
    huge = Sample(X, Y * 1e160)
    data = Dataset(huge, huge, Truth((0,), 3), default_feature_names(3), ("continuous",) * 3)
    with pytest.raises(ValueError, match=r"y .*1e150"):
        get("importance", name).create().explain(forest, data, np.random.default_rng(0))


@pytest.mark.parametrize("name", ["cpi", "hierarchy", "loco", "pfi", "sage", "subgroups"])
def test_squared_errors_whose_variance_is_beyond_floats_are_refused(name):
    explain = getattr(importlib.import_module("losaw.importance"), name)
    y = 1e140 * Y
    model = LinearRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"y and its prediction differ by .* in another unit"):
        explain(model, X, y, random_state=0)
    found = explain(model, X, y, random_state=0, loss="absolute-error")
    scores = found.table["score"] if name == "hierarchy" else [found.scores, found.std_error]
    assert np.isfinite(np.array(scores, dtype=float)).all()


@pytest.mark.parametrize("function", [ufi, mdi_oob])
def test_forest_importances_refuse_a_response_whose_squares_are_infinite(function):
    forest = RandomForestRegressor(5, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"y has .*1e150"):
        function(forest, X, Y * 1e160)


@pytest.mark.parametrize("given", [True, 3, "ab"])
def test_names_of_features_that_are_no_sequence_are_refused_by_name(given):
    with pytest.raises(TypeError, match=r"feature_names must be a sequence of (strings|names)"):
        sage(LinearRegression().fit(X, Y), X, Y, feature_names=given, random_state=0)
