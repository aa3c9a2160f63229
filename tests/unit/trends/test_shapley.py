"""Shapley values of forests by the library shap, and correlations with them."""

import numpy as np
import pytest
import shap
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.trees.flat import read_forest
from losaw.trends import shapley_correlation
from losaw.trends.correlation import shapley_values


def data(n_samples=150, n_features=5):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_features))
    return X, X[:, 0] * X[:, 1] + X[:, 2] + 0.1 * rng.standard_normal(n_samples)


def values_of(model, X):
    forest = read_forest(model)
    return shapley_values(forest, forest.encode(X))


MODELS = [
    DecisionTreeRegressor(max_depth=5, random_state=0),
    RandomForestRegressor(5, random_state=0),
    RandomForestClassifier(5, random_state=0),
    ExtraTreesRegressor(5, random_state=0),
    LosawRandomForestRegressor(5, random_state=0),
    LosawRandomForestClassifier(5, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_values_of_a_row_sum_to_its_prediction_but_for_a_constant(model):
    X, y = data()
    is_classifier = hasattr(model, "predict_proba")
    model.fit(X, y > np.median(y) if is_classifier else y)
    total = values_of(model, X).sum(axis=1)
    predicted = model.predict_proba(X)[:, 1] if is_classifier else model.predict(X)
    rest = predicted - total
    np.testing.assert_allclose(rest, rest[0], rtol=0, atol=1e-9)


def test_values_are_those_of_scikit_learns_forest_in_shap():
    X, y = data(400, 8)
    forest = RandomForestRegressor(10, random_state=0).fit(X, y)
    explainer = shap.TreeExplainer(forest, feature_perturbation="tree_path_dependent")
    found = values_of(forest, X[:20])
    np.testing.assert_allclose(found, explainer.shap_values(X[:20]), atol=1e-10)
    result = shapley_correlation(forest, X[:20], n_rows=None)
    np.testing.assert_allclose(result.details["mean_absolute"], np.abs(found).mean(axis=0))


def test_rows_are_compared_in_single_precision_as_scikit_learn_does():
    x = np.array([[0.0], [1.0]])
    stump = DecisionTreeRegressor().fit(x, [0.0, 1.0])
    above = np.array([[0.5 + 1e-12]])  # the threshold, once rounded to 32 bits
    assert stump.predict(above) == 0
    assert values_of(stump, above)[0, 0] == -0.5


def test_a_monotone_feature_has_correlation_near_one_however_small_its_effect():
    X, y = data(400)
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    result = shapley_correlation(forest, X, method="spearman", n_rows=None)
    assert result.scores[2] > 0.9
    assert result.details["mean_absolute"].shape == (5,)
