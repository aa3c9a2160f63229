"""Out-of-bag scores, and trees that other packages read.

Of forest.losaw_forest, forest.ensemble, forest.shap_trees.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor, to_shap


def sample(n=240, n_features=5):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, n_features))
    X[:, 1] += X[:, 0]
    X[:, 3] = np.clip(np.round(X[:, 3] + X[:, 0]), -1, 1)
    return X, X[:, 0] + X[:, 3] + 0.3 * rng.standard_normal(n)


def labels_of(y):
    return np.array(["low", "middle", "high"])[np.digitize(y, [-0.7, 0.7])]


def test_out_of_bag_predictions_are_means_over_the_trees_that_left_a_row_out():
    X, y = sample()
    forest = LosawRandomForestRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    values = np.column_stack(
        [t.value[leaf] for t, leaf in zip(forest.trees_, forest.apply(X).T, strict=True)]
    )
    left_out = forest.in_bag_counts().T == 0
    expected = np.array([v[out].mean() for v, out in zip(values, left_out, strict=True)])
    np.testing.assert_allclose(forest.oob_prediction_, expected)
    assert forest.oob_score_ == pytest.approx(r2_score(y, expected))
    assert 0.6 < forest.oob_score_ < forest.score(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_out_of_bag_shares_of_classes(n_classes):
    X, y = sample()
    labels = labels_of(y) if n_classes == 3 else np.where(y > 0, "high", "low")
    forest = LosawRandomForestClassifier(n_estimators=30, oob_score=True, random_state=0)
    forest.fit(X, labels)
    shares = forest.oob_decision_function_
    assert shares.shape == (240, n_classes)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert forest.oob_score_ == np.mean(forest.classes_[shares.argmax(axis=1)] == labels)
    assert 0.6 < forest.oob_score_ < forest.score(X, labels)


def test_rows_that_no_tree_left_out_are_named_and_left_out_of_the_score():
    X, y = sample()
    with pytest.warns(UserWarning, match="rows are in the sample of every tree.*n_estimators"):
        forest = LosawRandomForestRegressor(2, oob_score=True, random_state=0).fit(X, y)
    known = np.isfinite(forest.oob_prediction_)
    assert 0 < known.sum() < 240
    assert forest.oob_score_ == pytest.approx(r2_score(y[known], forest.oob_prediction_[known]))
    with pytest.raises(ValueError, match="oob_score needs rows out of bag"):
        LosawRandomForestRegressor(oob_score=True, bootstrap=False).fit(X, y)


def test_shap_reads_the_trees_and_its_values_sum_to_the_prediction():
    shap = pytest.importorskip("shap")
    X, y = sample()
    forest = LosawRandomForestRegressor(n_estimators=6, random_state=0).fit(X, y)
    explainer = shap.TreeExplainer(to_shap(forest))
    found = explainer.shap_values(X[:40])
    expected = forest.predict(X[:40])
    np.testing.assert_allclose(found.sum(axis=1) + explainer.expected_value, expected, atol=1e-10)


def test_shap_reads_the_shares_of_all_classes():
    shap = pytest.importorskip("shap")
    X, y = sample()
    for labels in (labels_of(y), y > 0):
        forest = LosawRandomForestClassifier(n_estimators=4, random_state=0).fit(X, labels)
        explainer = shap.TreeExplainer(to_shap(forest))
        total = explainer.shap_values(X[:20]).sum(axis=1) + explainer.expected_value
        np.testing.assert_allclose(total, forest.predict_proba(X[:20]), atol=1e-10)


def test_shap_cannot_read_sets_of_levels():
    X, y = sample()
    frame = pd.DataFrame({"town": pd.Categorical(list("abcd") * 60), "age": X[:, 0]})
    forest = LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(frame, y)
    with pytest.raises(ValueError, match=r"\['town'\] into sets of levels.*encode them"):
        to_shap(forest)
