"""Learners for either task: encoding, defaults and errors; the R peers where R is there."""

import os

import numpy as np
import pytest
import xgboost
from sklearn.ensemble import RandomForestClassifier

from losaw.study.learners import r_forests
from losaw.study.learners.r_forests import ConditionalForest, CorrectedImpurityForest, run_script
from losaw.study.learners.random_forest import RandomForest
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


def test_without_max_features_the_tasks_have_scikit_learns_defaults():
    X, y = sample()
    tasks = {"regression": 2, "classification": 1}
    drawn = {
        task: RandomForest(task, n_estimators=1).fit(X, y).forest_.estimators_[0].max_features_
        for task in tasks
    }
    assert drawn == tasks


def test_a_classification_forest_is_scikit_learns():
    X, y = sample()
    ours = RandomForest("classification", n_estimators=5, random_state=3).fit(X, y)
    theirs = RandomForestClassifier(5, random_state=3).fit(X, y)
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
