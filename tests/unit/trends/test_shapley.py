"""Shapley values of trees against the shap package, brute force, and their axioms."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeRegressor

from losaw.fitted_trees.forest_arrays import forest_arrays
from losaw.fitted_trees.shapley import shapley_values
from losaw.forest import LosawRandomForestRegressor
from losaw.trends import estimate_trends, shapley_correlation


def data(n_samples=150, n_features=5):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_features))
    return X, X[:, 0] * X[:, 1] + X[:, 2] + 0.1 * rng.standard_normal(n_samples)


def coalition_value(forest, node, x, coalition):
    feature = forest.trees.feature[node]
    if feature < 0:
        return forest.value[node]
    left, right = forest.trees.left[node], forest.trees.right[node]
    if feature in coalition:
        goes_left = x[feature] <= forest.trees.threshold[node]
        return coalition_value(forest, left if goes_left else right, x, coalition)
    share = forest.n_samples[left] / forest.n_samples[node]
    return share * coalition_value(forest, left, x, coalition) + (1 - share) * coalition_value(
        forest, right, x, coalition
    )


def test_values_are_those_of_the_definition():
    X, y = data()
    tree = DecisionTreeRegressor(max_depth=5, random_state=0).fit(X, y)
    forest, x, d = forest_arrays(tree), X[3].astype(np.float32), X.shape[1]
    expected = np.zeros(d)
    for p in range(d):
        others = [q for q in range(d) if q != p]
        for size in range(d):
            weight = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
            for coalition in itertools.combinations(others, size):
                gain = coalition_value(forest, 0, x, {*coalition, p})
                expected[p] += weight * (gain - coalition_value(forest, 0, x, set(coalition)))
    np.testing.assert_allclose(shapley_values(tree, X[3:4])[0], expected, atol=1e-12)


def test_values_are_those_of_the_shap_package():
    shap = pytest.importorskip("shap")
    X, y = data(400, 8)
    forest = RandomForestRegressor(10, random_state=0).fit(X, y)
    explainer = shap.TreeExplainer(forest, feature_perturbation="tree_path_dependent")
    np.testing.assert_allclose(
        shapley_values(forest, X[:20]), explainer.shap_values(X[:20]), atol=1e-10
    )


@pytest.mark.parametrize(
    "model",
    [RandomForestRegressor(5, random_state=0), LosawRandomForestRegressor(5, random_state=0)],
)
def test_values_of_a_row_sum_to_its_prediction_minus_the_mean(model):
    X, y = data()
    model.fit(X, y)
    forest = forest_arrays(model)
    mean = forest.value[forest.trees.starts[:-1]].mean()
    total = shapley_values(model, X).sum(axis=1)
    np.testing.assert_allclose(total, model.predict(X) - mean, atol=1e-9)


def test_rows_are_compared_in_single_precision_as_scikit_learn_does():
    x = np.array([[0.0], [1.0]])
    stump = DecisionTreeRegressor().fit(x, [0.0, 1.0])
    above = np.array([[0.5 + 1e-12]])  # the threshold, once rounded to 32 bits
    assert stump.predict(above) == 0
    assert shapley_values(stump, above)[0, 0] == -0.5


@pytest.mark.parametrize("kind", [GradientBoostingRegressor, GradientBoostingClassifier])
def test_values_of_boosted_trees_sum_to_the_raw_score_but_for_a_constant(kind):
    X, y = data(120)
    is_regression = kind is GradientBoostingRegressor
    model = kind(n_estimators=30, learning_rate=0.3, subsample=0.7, random_state=0)
    model.fit(X, y if is_regression else y > np.median(y))
    raw = model.predict(X) if is_regression else model.decision_function(X)
    rest = raw - shapley_values(model, X).sum(axis=1)
    assert_allclose(rest, rest[0], rtol=0, atol=1e-9)
    found = shapley_correlation(model, X, n_rows=None).details["mean_absolute"]
    assert_allclose(found, np.abs(shapley_values(model, X)).mean(axis=0), rtol=1e-12)


def test_a_feature_without_splits_has_value_zero():
    X, y = data()
    X[:, 4] = 2.0
    assert (shapley_values(RandomForestRegressor(5, random_state=0).fit(X, y), X)[:, 4] == 0).all()


def test_a_monotone_feature_has_correlation_near_one_however_small_its_effect():
    X, y = data(400)
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    result = shapley_correlation(forest, X, method="spearman", n_rows=None)
    assert result.estimates[2] > 0.9
    assert result.details["mean_absolute"].shape == (5,)


def test_a_number_of_rows_that_is_none_is_refused_by_name():
    X, y = data()
    with pytest.raises(TypeError, match="n_rows must be an integer"):
        shapley_correlation(DecisionTreeRegressor(max_depth=2).fit(X, y), X, n_rows="auto")


@pytest.mark.parametrize("make", [RandomForestRegressor, LosawRandomForestRegressor])
@pytest.mark.parametrize("read", ["shapley_correlation", "shapley_values", "estimate_trends"])
def test_columns_that_are_not_those_of_the_fit_are_refused(make, read):
    X, y = data()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = make(n_estimators=3, random_state=0).fit(frame, y)
    call = {
        "shapley_correlation": lambda given: shapley_correlation(model, given, n_rows=3),
        "shapley_values": lambda given: shapley_values(model, given),
        "estimate_trends": lambda given: estimate_trends(given, y, forest=model, n_rows=3),
    }[read]
    for given in (frame[list("ebcda")], frame.rename(columns={"b": "beta"})):
        with pytest.raises(ValueError, match=r"feature names|give X\[model.feature_names_in_\]"):
            call(given)
    assert np.shape(call(frame)) is not None and np.shape(call(X)) is not None


def test_the_error_of_other_columns_names_them():
    X, y = data()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = RandomForestRegressor(3, random_state=0).fit(frame, y)
    remedy = r"; give X\[model.feature_names_in_\]"
    with pytest.raises(ValueError, match=f"another order: column 1 is 'e', not 'a'{remedy}"):
        shapley_values(model, frame[list("ebcda")])
    with pytest.raises(
        ValueError, match=f"X has other columns than RandomForestRegressor .* 'beta'\\){remedy}"
    ):
        shapley_values(model, frame.rename(columns={"b": "beta"}))
