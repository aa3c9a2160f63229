"""The classifier: shares, classes, two classes as regression."""

import numpy as np
import pytest

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor


def sample(n=240):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 5))
    X[:, 1] += X[:, 0]
    X[:, 3] = np.clip(np.round(X[:, 3] + X[:, 0]), -1, 1)
    score = X[:, 0] + X[:, 3] + 0.3 * rng.standard_normal(n)
    return X, np.array(["low", "middle", "high"])[np.digitize(score, [-0.7, 0.7])]


def test_shares_are_the_leaf_frequencies_averaged_over_the_trees():
    X, y = sample(243)  # no multiple of the rows that walk through a tree together
    forest = LosawRandomForestClassifier(n_estimators=4, random_state=0).fit(X, y)
    leaves, counts = forest.apply(X), forest.in_bag_counts()
    expected = np.zeros((len(y), 3))
    for t in range(4):
        for k, name in enumerate(forest.classes_):
            in_leaf = np.bincount(leaves[:, t], weights=counts[t])
            of_class = np.bincount(leaves[:, t], weights=counts[t] * (y == name))
            expected[:, k] += of_class[leaves[:, t]] / in_leaf[leaves[:, t]] / 4
    np.testing.assert_allclose(forest.predict_proba(X), expected, atol=1e-12)
    assert list(forest.classes_) == ["high", "low", "middle"]


def test_two_classes_are_the_regression_on_an_indicator():
    X, y = sample()
    two = LosawRandomForestClassifier(n_estimators=5, random_state=0).fit(X, y == "low")
    one = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, (y == "low") * 1.0)
    np.testing.assert_array_equal(two.predict_proba(X)[:, 1], one.predict(X).clip(0, 1))
    np.testing.assert_array_equal(two.feature_importances_, one.feature_importances_)


def test_one_class_and_numbers_are_refused():
    X, _ = sample()
    for y, message in ((X[:, 0] > 9, "one class"), (X[:, 0], "continuous")):
        with pytest.raises(ValueError, match=message):
            LosawRandomForestClassifier().fit(X, y)


def test_three_classes_of_heavy_tailed_correlated_features_have_true_decreases():
    for seed in range(4):  # the weight of a last row may be lost among those before it
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((300, 3))
        X[:, 0] = np.exp(1.5 * X[:, 0])
        X[:, 1] += X[:, 0]
        y = np.digitize(X[:, 2], [-0.5, 0.5])
        forest = LosawRandomForestClassifier(random_state=0, eta=0.05).fit(X, y)
        decreases = np.concatenate([tree.relative_decrease for tree in forest.trees_])
        assert decreases.max() < 1.001  # in a nearly pure node an impurity has few digits
        assert forest.feature_importances_.argmax() == 2


def test_shares_of_two_classes_are_between_0_and_1():
    X, y = sample(100)
    for seed in range(30):
        forest = LosawRandomForestClassifier(n_estimators=10, random_state=seed).fit(X, y == "low")
        shares = forest.predict_proba(X)
        assert shares.min() >= 0 and shares.max() <= 1
