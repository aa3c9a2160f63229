"""Learners for either task: encodings, defaults, errors; the R peers where R is there."""

import os

import numpy as np
import pytest
import xgboost
from scipy.optimize import check_grad, minimize
from sklearn.ensemble import RandomForestClassifier

from losaw.study.learners import r_forests
from losaw.study.learners.encoded import Encoding
from losaw.study.learners.generalized_linear import GeneralizedLinearModel
from losaw.study.learners.r_forests import ConditionalForest, CorrectedImpurityForest, run_script
from losaw.study.learners.random_forest import RandomForest
from losaw.study.learners.ranger_forest import RangerForest
from losaw.study.learners.single_layer_network import SingleLayerNetwork
from losaw.study.learners.xgboost_trees import XGBoostTrees


def sample(n_samples=200):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(n_samples), rng.integers(0, 3, n_samples)])
    return X, (rng.random(n_samples) < 0.2 + 0.3 * X[:, 1]).astype(float)


def test_a_nominal_column_becomes_one_dummy_per_level_and_a_level_never_seen_is_all_zeros():
    X, y = sample()
    forest = RandomForest(one_hot=[1], n_estimators=3).fit(X, y)
    encoded = forest.encode(X)
    np.testing.assert_array_equal(forest.feature_of_column_, [0, 1, 1, 1])
    np.testing.assert_array_equal(encoded[:, 1:].argmax(axis=1), X[:, 1])
    np.testing.assert_array_equal(forest.encode([[0.5, 7.0]]), [[0.5, 0, 0, 0]])


@pytest.mark.parametrize(
    "options", [{}, {"min_samples_leaf": 40}, {"max_features": 2}, {"max_depth": 2}]
)
def test_a_classification_forest_is_scikit_learns(options):
    X, y = sample()
    ours = RandomForest("classification", n_estimators=5, random_state=3, **options).fit(X, y)
    theirs = RandomForestClassifier(5, random_state=3, **options).fit(X, y)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_only_classifiers_have_probabilities():
    assert not hasattr(RandomForest(), "predict_proba")
    assert not hasattr(XGBoostTrees(), "predict_proba")
    assert hasattr(RandomForest("classification"), "predict_proba")


def test_probabilities_of_boosted_trees_are_xgboosts():
    X, y = sample()
    model = XGBoostTrees("classification", num_boost_round=5).fit(X, y)
    expected = model.booster_.predict(xgboost.DMatrix(X))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-7)


def test_without_r_the_peers_say_what_to_install(monkeypatch):
    monkeypatch.setattr(r_forests.shutil, "which", lambda _: None)
    r_forests.missing.cache_clear()
    try:
        assert "r-cran-ranger" in CorrectedImpurityForest.unavailable()
        with pytest.raises(RuntimeError, match="Rscript is not installed"):
            ConditionalForest().fit(*sample())
    finally:
        r_forests.missing.cache_clear()


def test_the_call_of_cforest_takes_its_parameters_from_the_learner():
    call = ConditionalForest(n_estimators=7, mincriterion=2.33).fit_call(4)
    for written in ("ntree = 7", "mincriterion = 2.33", "mtry = 4", "replace = TRUE"):
        assert written in call


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        *[(one(n_estimators=n), "n_estimators must be an integer of at least 1")
          for one in (CorrectedImpurityForest, ConditionalForest) for n in (0, -1, 2.5)],
        *[(CorrectedImpurityForest(max_depth=d), "max_depth must be") for d in (0, -1, 2.5)],
        *[(ConditionalForest(nominal=[c]), f"no nominal column {c};") for c in (9, -1, 0.5)],
    ],
)  # fmt: skip
def test_parameters_out_of_range_do_not_reach_r(learner, words):
    with pytest.raises(ValueError, match=words):
        learner.learn_levels(sample()[0]) or learner.fit_call(2)


def test_r_reads_a_column_of_whole_numbers_as_any_other():
    model = ConditionalForest(nominal=[1])
    model.learn_levels(sample()[0])
    assert 'read.csv("rows.csv", colClasses = "numeric")' in model._reading()


def test_r_sees_an_unknown_level_as_the_most_frequent_one():
    model = CorrectedImpurityForest(nominal=[1])
    model.learn_levels(np.array([[9.0, 4.0], [8.0, 2.0], [7.0, 2.0], [6.0, 3.0]]))
    known = model.with_known_levels(np.array([[5.0, 3.0], [5.0, 7.0], [2.0, 4.0]]))
    np.testing.assert_array_equal(known, [[5.0, 3.0], [5.0, 2.0], [2.0, 4.0]])


@pytest.mark.skipif(os.name != "posix", reason="a shell script takes the place of R")
@pytest.mark.parametrize(
    ("status", "line"), [(1, "error message of R"), (3, "object 'x' not found")]
)
def test_a_failing_script_ends_with_the_message_of_r(tmp_path, monkeypatch, status, line):
    program = tmp_path / "Rscript"
    program.write_text(f'#!/bin/sh\necho "{line}" >&2\nexit {status}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(RuntimeError, match=f"R failed: {line}"):
        run_script(tmp_path, "stop()")


@pytest.mark.long
@pytest.mark.parametrize("learner", [CorrectedImpurityForest, ConditionalForest])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_the_r_peers_find_the_signal_with_factors_as_factors(learner, task):
    if learner.unavailable():
        pytest.skip(learner.unavailable())
    X, y = sample(400)
    model = learner(task, nominal=[1], n_estimators=50, random_state=1).fit(X, y)
    assert model.feature_importances_.argmax() == 1
    assert np.mean((model.predict(X) - y) ** 2) < 0.3
    assert np.isfinite(model.predict([[0.5, 9.0]])).all()  # a level that R has not seen
    assert np.isfinite(model.predict([[1.0, 2.0]])).all()  # whole numbers alone, to be read as any


LEARNERS = (RangerForest, GeneralizedLinearModel, SingleLayerNetwork)


def mixed(n=200, seed=0, task="regression"):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, n), rng.standard_normal(n)]).astype(float)
    signal = np.array([0.0, 2.0, -1.0])[X[:, 0].astype(int)] + X[:, 1]
    noise = rng.standard_normal(n)
    return X, signal + noise if task == "regression" else (signal + noise > 0).astype(float)


def test_dummies_are_of_all_levels_but_the_first_and_codes_change_nothing():
    X = np.array([[2.0, 5.0, 3.0], [4.0, 6.0, 3.0], [7.0, 5.5, 3.0]])
    dummies = Encoding.learn(X, [0, 2], "dummies")
    unknown = np.vstack([X, [9.0, 5.0, 8.0]])
    assert dummies.encode(unknown).tolist() == [[0, 0, 5], [1, 0, 6], [0, 1, 5.5], [0, 0, 5]]
    assert [group.tolist() for group in dummies.groups] == [[0, 1], [2], []]
    assert Encoding.learn(X, [0], "codes").encode(X) is X


@pytest.mark.parametrize(("task", "near"), [("regression", {}), ("classification", {"abs": 1e-3})])
def test_a_linear_model_on_dummies_gives_level_means_or_shares(task, near):
    X, y = mixed(task=task)
    model = GeneralizedLinearModel(task, nominal=[0]).fit(X[:, :1], y)
    levels = np.arange(3)[:, None]
    found = model.predict_proba(levels)[:, 1] if task == "classification" else model.predict(levels)
    for level in range(3):
        assert found[level] == pytest.approx(y[X[:, 0] == level].mean(), **near)


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
    *[(learner(nominal=[column]), f"nominal column {column};") for learner in LEARNERS
      for column in (-1, 1.5, "X1")],
    *[(RangerForest(n_estimators=n), "n_estimators must be an integer") for n in (0, -5, 1.5)],
    *[(SingleLayerNetwork(**{name: value}), f"{name} must be a")
      for name in ("n_units", "max_iter") for value in (0, -1, 1.5, True)],
    *[(SingleLayerNetwork(decay=value), "decay must be a finite number of at least 0")
      for value in (-1.0, np.nan, "0.1")],
    *[(XGBoostTrees(num_boost_round=n), "num_boost_round must be an") for n in (0, -5, 1.5)],
    (RandomForest(one_hot=[2]), "no nominal column 2; X has columns 0 to 1"),
    *[(learner("classification"), "must hold the classes 0 and 1, both") for learner in LEARNERS],
    (RangerForest(encoding="code"), "did you mean 'codes'"),
]  # fmt: skip


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
