"""Errors and results of importances that a person must understand without the source."""

import importlib
import typing

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold

from losaw.importance import pfi
from losaw.scoring.losses import LOSSES, LossName
from losaw.trends import absolute_traversal_rate

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
Y = X[:, 0] + RNG.standard_normal(60)
CLASSES = np.where(Y > 0, "yes", "no")


def test_a_model_of_another_library_need_not_show_its_fit():
    class Own:
        def predict(self, X):
            return X[:, 0]

    assert pfi(Own(), X, Y, random_state=0).select(top=1) == ("X1",)


def test_folds_of_groups_are_taken_as_row_numbers_and_with_clusters():
    groups = np.repeat(range(20), 3)
    folds = list(GroupKFold(4).split(X, Y, groups))
    found = pfi(LinearRegression(), X, Y, cv=folds)
    assert len(found.details["fold_scores"]) == 4
    assert "cv=4 folds)" in repr(found)  # without the row numbers
    assert "cv=folds)" in repr(pfi(LinearRegression(), X, Y, cv=iter(folds)))  # or an address
    found = pfi(LinearRegression(), X, Y, cv=GroupKFold(4), clusters=groups)
    assert len(found.details["fold_scores"]) == 4


def test_the_named_losses_are_those_of_the_type():
    assert set(typing.get_args(LossName)) == set(LOSSES)


def test_a_traversal_rate_of_classes_says_which_class_it_rises_towards():
    forest = RandomForestClassifier(5, random_state=0).fit(X, CLASSES)
    assert absolute_traversal_rate(forest).method.endswith("towards class 'yes'")


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
