"""Learners for mixed data: their encodings, and the models behind them."""

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

from losaw.study.learners.encoded import Encoding
from losaw.study.learners.generalized_linear import GeneralizedLinearModel
from losaw.study.learners.random_forest import RandomForest
from losaw.study.learners.ranger_forest import RangerForest
from losaw.study.learners.single_layer_network import SingleLayerNetwork
from losaw.study.learners.xgboost_trees import XGBoostTrees

LEARNERS = (RangerForest, GeneralizedLinearModel, SingleLayerNetwork)


def mixed(n=200, seed=0, task="regression"):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, n), rng.standard_normal(n)]).astype(float)
    signal = np.array([0.0, 2.0, -1.0])[X[:, 0].astype(int)] + X[:, 1]
    noise = rng.standard_normal(n)
    return X, signal + noise if task == "regression" else (signal + noise > 0).astype(float)


def test_dummies_leave_out_the_first_level_and_codes_change_nothing():
    X = np.array([[2.0, 5.0], [4.0, 6.0], [7.0, 5.5]])
    dummies = Encoding.learn(X, [0], "dummies")
    assert dummies.encode(X).tolist() == [[0, 0, 5], [1, 0, 6], [0, 1, 5.5]]
    assert [group.tolist() for group in dummies.groups] == [[0, 1], [2]]
    assert Encoding.learn(X, [0], "codes").encode(X) is X


def test_a_level_that_training_did_not_have_is_all_zeros():
    encoding = Encoding.learn(np.array([[0.0], [1.0], [2.0]]), [0], "dummies")
    assert encoding.encode(np.array([[9.0], [1.0]])).tolist() == [[0, 0], [1, 0]]


def test_a_factor_with_one_level_has_no_column():
    encoding = Encoding.learn(np.array([[3.0, 1.0], [3.0, 2.0]]), [0], "dummies")
    assert encoding.groups[0].tolist() == []


def test_least_squares_on_dummies_gives_level_means():
    X, y = mixed()
    model = GeneralizedLinearModel(nominal=[0]).fit(X[:, :1], y)
    for level in range(3):
        mean = y[X[:, 0] == level].mean()
        assert model.predict(np.array([[level]]))[0] == pytest.approx(mean)


def test_logistic_regression_on_dummies_gives_level_shares():
    X, y = mixed(task="classification")
    model = GeneralizedLinearModel("classification", nominal=[0]).fit(X[:, :1], y)
    for level in range(3):
        share = y[X[:, 0] == level].mean()
        found = model.predict_proba(np.array([[level]]))[0, 1]
        assert found == pytest.approx(share, abs=1e-3)


@pytest.mark.parametrize("encoding", ["codes", "dummies"])
def test_forest_importances_are_shares_of_the_features(encoding):
    X, y = mixed()
    found = RangerForest(encoding=encoding, nominal=[0], n_estimators=50).fit(X, y)
    assert found.feature_importances_.shape == (2,)
    assert found.feature_importances_.sum() == pytest.approx(1)


def test_the_forest_has_rangers_defaults():
    trees = RangerForest().make()
    assert (trees.n_estimators, trees.n_candidates, trees.min_node_size) == (500, None, 5)
    assert not trees.redraw
    assert RangerForest("classification").make().min_node_size == 10


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_the_network_decreases_loss_and_decay_of_all_weights(task):
    X, y = mixed(task=task)
    network = SingleLayerNetwork(task, n_units=3, decay=0.3, max_iter=500, random_state=0).fit(X, y)
    model, columns = network.model_, network.encode(X)
    rows = model.rows(columns)
    objective = model.objective(rows, y)
    value, gradient = objective(model.weights)
    output = model.predict(columns)
    loss = (y - output) ** 2 if task == "regression" else np.logaddexp(0, output) - y * output
    assert value == pytest.approx(loss.sum() + 0.3 * (model.weights**2).sum())
    assert check_grad(lambda w: objective(w)[0], lambda w: objective(w)[1], model.weights) < 1e-3
    assert np.abs(gradient).max() < 0.01 * np.abs(objective(np.ones_like(gradient))[1]).max()
    again = minimize(objective, model.weights, jac=True, method="BFGS")
    assert again.fun == pytest.approx(value, rel=1e-5)


EVERY = (*LEARNERS, RandomForest, XGBoostTrees)
REFUSED = [
    *[(learner("regresion"), "did you mean 'regression'") for learner in EVERY],
    *[(learner(nominal=[5]), "nominal column 5") for learner in LEARNERS],
    (RandomForest(one_hot=[2]), "no nominal column 2; X has columns 0 to 1"),
    *[(learner("classification"), "must hold the classes 0 and 1, both") for learner in LEARNERS],
    (RangerForest(encoding="code"), "did you mean 'codes'"),
]


@pytest.mark.parametrize(("learner", "words"), REFUSED)
def test_bad_input_of_fit_is_named(learner, words):
    with pytest.raises(ValueError, match=words):
        learner.fit(*mixed())


@pytest.mark.parametrize("learner", EVERY)
def test_missing_values_are_refused(learner):
    X, y = mixed()
    with pytest.raises(ValueError, match="NaN"):
        learner().fit(np.where(X == 1, np.nan, X), y)


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_a_scaled_network_does_not_see_the_units_of_a_column(task):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = X[:, 0] + 0.1 * rng.standard_normal(80)
    if task == "classification":
        y = (y > 0).astype(float)
    units = X * [1.0, 1e4, 1.0]
    means = {
        scale: [
            SingleLayerNetwork(task, n_units=3, max_iter=20, scale=scale, random_state=0)
            .fit(rows, y)
            .predict_encoded(rows)
            for rows in (X, units)
        ]
        for scale in (False, True)
    }
    np.testing.assert_allclose(*means[True], rtol=1e-4)
    assert not np.allclose(*means[False], rtol=1e-2)
