"""Boruta and residual importance in the form of all others: a model to clone, frames, groups."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from losaw.forest import LosawRandomForestRegressor
from losaw.importance import residual_importance
from losaw.importance.boruta_selection import out_of_bag_z_scores
from losaw.scoring.residual_algorithms import Prefix, extended, gram_schmidt

N = 120
FEW = {"n_permutations": 2, "n_estimators": 10, "random_state": 0}


def frame():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "town": rng.choice(["x", "y", "z"], N),
            "size": rng.standard_normal(N),
            "rooms": rng.integers(1, 6, N),
        }
    )
    y = 3.0 * (X["town"] == "y") + 0.2 * rng.standard_normal(N)
    return X, y.to_numpy()


def small_forest(make=RandomForestRegressor):
    return make(10, max_depth=4, random_state=0)


def pipeline(last):
    encode = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
    return make_pipeline(encode, last)


@pytest.mark.parametrize(
    "model",
    [
        pipeline(small_forest()),
        pipeline(GradientBoostingRegressor(n_estimators=10, random_state=0)),
        pipeline(LosawRandomForestRegressor(10, random_state=0)),
        None,
    ],
    ids=["forest", "boosting", "losaw", "own"],
)
def test_a_model_is_cloned_and_a_pipeline_s_dummies_are_one_feature(model):
    X, y = frame()
    found = residual_importance(model, X, y, **FEW)
    assert found.feature_names == ("town", "size", "rooms")
    assert found.kinds == ("nominal", "continuous", "discrete")
    assert found.select(top=1) == ("town",)
    assert model is None or not hasattr(model.steps[-1][1], "n_features_in_")
    again = residual_importance(model, X, y, **FEW)
    np.testing.assert_array_equal(found.scores, again.scores)


@pytest.mark.parametrize("model", [RandomForestClassifier, GradientBoostingClassifier])
def test_labels_of_three_classes_go_to_a_classifier(model):
    X, _ = frame()
    rows, labels = X[["size", "rooms"]], np.array(["a", "b", "c"])[np.digitize(X["size"], [-1, 1])]
    classifier = model(n_estimators=10, max_depth=3, random_state=0)
    found = residual_importance(classifier, rows, labels, **FEW)
    assert found.select(top=1) == ("size",)


def test_the_columns_of_one_feature_are_residuals_of_those_before_it_alone():
    rng = np.random.default_rng(0)
    first, twins = rng.standard_normal(50), rng.standard_normal((50, 2))
    twins[:, 1] = twins[:, 0] + 0.1 * twins[:, 1]
    start = extended(gram_schmidt, Prefix(*np.empty((3, 50, 0))), first[:, None], rng)
    both = extended(gram_schmidt, start, twins, rng)
    for j in range(2):
        alone, _ = gram_schmidt(start, twins[:, j], rng)
        np.testing.assert_allclose(both.residuals[:, 1 + j], alone)
    after = extended(gram_schmidt, both, (twins @ [[1.0], [2.0]]) + first[:, None], rng)
    assert (after.residuals[:, -1] == 0).all()


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_trees_without_rows_out_of_bag_add_nothing(task):
    X, y = np.arange(6.0).reshape(3, 2), np.array([0.0, 1.0, 1.0])
    units = [np.array([0]), np.array([1])]
    found = out_of_bag_z_scores(X, y, task, 60, 0, units)
    assert np.isfinite(found).all()
