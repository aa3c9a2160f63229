"""How much weights leave of correlations."""

import numpy as np
import pandas as pd
import pytest

from losaw.forest import (
    LosawRandomForestClassifier,
    LosawRandomForestRegressor,
    PlainRandomForestRegressor,
    decorrelation,
)


def mixed(n=400):
    """Associated continuous, discrete and nominal features, and an independent one."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((n, 1))
    X = hidden + rng.standard_normal((n, 6))
    X[:, 2:4] = np.clip(np.round(X[:, 2:4]), -1, 1)
    X[:, 4] = np.array([2, 0, 3, 1])[np.digitize(X[:, 4], [-1.0, 0.0, 1.0])]
    X[:, 5] = rng.standard_normal(n)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["e"] = frame["e"].astype(int).astype("category")
    return frame, hidden[:, 0] + rng.standard_normal(n)


@pytest.mark.parametrize("kind", ["regression", "classes"])
def test_it_is_what_the_root_of_an_undrawn_sample_has(kind):
    X, y = mixed()
    model = LosawRandomForestClassifier if kind == "classes" else LosawRandomForestRegressor
    forest = model(
        n_estimators=1,
        max_depth=1,
        bootstrap=False,
        correlation_threshold=0.2,
        random_state=0,
    ).fit(X, np.digitize(y, [-0.5, 0.5]) if kind == "classes" else y)
    measured = decorrelation(forest.set_params(eta=0.9), X)  # that of the fit counts
    assert list(measured.index) == list("abcdef")
    assert measured.loc["f"].isna().all()  # nothing to adjust for
    (tree,) = forest.trees_
    split = measured.iloc[tree.feature[0]]
    np.testing.assert_allclose(split["effective_size"], tree.effective_sample_size[0], rtol=1e-3)
    capped = tree.capped_effective_sample_size[0]
    np.testing.assert_allclose(split["capped_effective_size"], capped, rtol=1e-3)
    adjusted = measured.drop(index="f")
    assert (adjusted["weighted_correlation"] < 0.9 * adjusted["correlation"]).all()


def test_copies_stay_as_correlated_as_they_are():
    X, y = mixed()
    X["copy"] = 3 * X["a"]
    X["near"] = X["a"] + 0.05 * X["f"]
    forest = LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, y)
    measured = decorrelation(forest, X)
    for name in ("a", "copy"):
        assert measured.loc[name, "weighted_correlation"] == pytest.approx(1.0, abs=0.005)
    assert measured.loc["near", "weighted_correlation"] > 0.9 * measured.loc["near", "correlation"]
    assert measured.loc["b", "weighted_correlation"] < 0.9 * measured.loc["b", "correlation"]
    assert measured.loc["copy", "effective_size"] == pytest.approx(1.0)  # no density to invert


def test_a_plain_forest_measures_nothing():
    X, y = mixed()
    forest = LosawRandomForestRegressor(n_estimators=1, eta=1.0).fit(X, y)
    assert decorrelation(forest, X).isna().all().all()


def test_a_column_of_an_array_is_known_by_its_number_and_a_constant_one_is_not_measured():
    X, y = mixed()
    numbers = X[["a", "b", "f"]].to_numpy()
    numbers[:, 2] = 1.0
    forest = LosawRandomForestRegressor(n_estimators=1, random_state=0).fit(numbers, y)
    measured = decorrelation(forest, numbers)
    assert measured.index.tolist() == [0, 1, 2]
    assert measured.isna().any(axis=1).tolist() == [False, False, True]


def test_a_forest_without_a_split_has_importances_of_zero():
    X = np.ones((40, 3))
    y = np.arange(40.0)
    for forest in (
        LosawRandomForestRegressor(n_estimators=3).fit(X, y),
        LosawRandomForestClassifier(n_estimators=3).fit(X, y > 20),
        PlainRandomForestRegressor(3, min_samples_leaf=30).fit(np.column_stack([y] * 3), y),
    ):
        np.testing.assert_array_equal(forest.feature_importances_, np.zeros(3))
        assert forest.feature_importances_.dtype == np.float64


def test_correlations_far_from_zero_keep_their_digits():
    X, y = mixed(150)
    X = X[["a", "b", "f"]].to_numpy()
    forest = LosawRandomForestRegressor(n_estimators=1, max_depth=1, random_state=0)
    near, far = (decorrelation(forest.fit(X + shift, y), X + shift) for shift in (0.0, 1e7))
    np.testing.assert_allclose(far, near, rtol=1e-5)


def test_factors_of_many_levels_are_measured():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 40, 1200)
    second = np.where(rng.random(1200) < 0.7, first, rng.integers(0, 40, 1200))
    X = pd.DataFrame({"a": first, "b": second}).astype("category").assign(c=rng.random(1200))
    forest = LosawRandomForestRegressor(n_estimators=1, max_depth=1, random_state=0)
    measured = decorrelation(forest.fit(X, rng.random(1200)), X)
    assert (measured.loc[["a", "b"], "weighted_correlation"] > 0).all()
