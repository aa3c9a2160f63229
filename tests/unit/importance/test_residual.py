"""Residual importance: exact residuals, permutations, limits and bad input."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.linalg import hadamard
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from losaw.importance import residual
from losaw.importance.residual import (
    ALGORITHMS,
    out_of_bag_prediction,
    plain_forest,
    prefix_of,
    residual_algorithm,
    residual_importance,
    residual_of_top_features,
)

FEW = {"n_permutations": 3, "n_estimators": 40, "random_state": 0}


def residual_features(X, order, algorithm="gram-schmidt", random_state=0):
    """Residuals of the columns in an order."""
    steps, units = residual_algorithm(algorithm, 100), [np.array([j]) for j in range(X.shape[1])]
    rng = np.random.default_rng(random_state)
    return prefix_of(X, tuple(order), units, steps, {}, rng).residuals


def data(seed=0, n_samples=80, n_features=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    X[:, 1] += 2 * X[:, 0]
    return X, X[:, 0] + X[:, -1] ** 2 + 0.1 * rng.standard_normal(n_samples)


@settings(max_examples=60, deadline=None)
@example(seed=0, n_features=6, closeness=1e-07, scale=0.0001)
@given(
    seed=st.integers(0, 10_000),
    n_features=st.integers(2, 8),
    closeness=st.floats(1e-7, 1.0),
    scale=st.floats(1e-4, 1e4),
)
def test_gram_schmidt_residuals_are_uncorrelated_to_1e_10(seed, n_features, closeness, scale):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, n_features))
    X[:, -1] = scale * (X[:, 0] + closeness * X[:, -1]) + 5
    W = residual_features(X, rng.permutation(n_features))
    assert np.abs(np.corrcoef(W, rowvar=False) - np.eye(n_features)).max() < 1e-10


def test_the_printed_formula_is_computed_as_printed():
    X, _ = data()
    W = residual_features(X, (0, 1, 2, 3), algorithm="gram-schmidt-printed")

    def expected(j):
        before = sum(np.cov(X[:, j], W[:, i])[0, 1] * X[:, i] for i in range(j))
        return X[:, j] - before / np.var(X[:, j], ddof=1)

    for j in range(1, 4):
        np.testing.assert_allclose(W[:, j], expected(j), atol=1e-12)


def test_out_of_bag_residuals_are_larger_than_those_of_the_rows_the_forest_was_grown_on():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2))
    in_sample = residual_features(X, (0, 1), algorithm="random-forest", random_state=0)
    left_out = residual_features(X, (0, 1), algorithm="random-forest-out-of-bag", random_state=0)
    assert in_sample[:, 1].std() < 0.6 < 0.9 < left_out[:, 1].std()


def test_an_out_of_bag_prediction_averages_the_trees_that_left_the_row_out():
    X, y = data()
    forest = plain_forest(30, np.random.default_rng(0)).fit(X, y)
    predicted = out_of_bag_prediction(forest, X)
    leaves, counts = forest.apply(X), forest.in_bag_counts()
    for row in (0, 7):
        values = [forest.trees_[t].value[leaves[row, t]] for t in range(30) if counts[t, row] == 0]
        assert predicted[row] == pytest.approx(np.mean(values))


def test_all_permutations_are_taken_where_they_are_few():
    X, y = data(n_features=4)
    result = residual_importance(X, y, n_permutations=6, n_estimators=5, random_state=0)
    assert result.details["all_permutations"] and result.details["n_permutations"] == 6
    result = residual_importance(X, y, n_permutations=5, n_estimators=5, random_state=0)
    assert not result.details["all_permutations"] and result.details["n_permutations"] == 5


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_scores_are_shares_and_the_same_seed_gives_the_same(algorithm):
    X, y = data()
    options = {**FEW, "algorithm": algorithm}
    one, other = (residual_importance(X, y, **options) for _ in range(2))
    np.testing.assert_array_equal(one.scores, other.scores)
    assert one.scores.sum() == pytest.approx(1) and (one.scores >= 0).all()
    assert "over permutations" in one.std_error_kind and (one.std_error > 0).all()


def test_scores_and_errors_are_weighted_means_over_orders_with_the_errors_of_a_mean(monkeypatch):
    X, y = data(n_features=3)
    tree = DecisionTreeRegressor(max_depth=2)
    monkeypatch.setattr(residual, "plain_forest", lambda *_: tree)
    found = residual_importance(X, y, n_permutations=2, random_state=0)  # all orders
    weighted = np.empty((3, 2))
    for j, before in enumerate([(1, 2), (0, 2), (0, 1)]):
        alone = np.corrcoef(tree.fit(X[:, [j]], y).predict(X[:, [j]]), y)[0, 1]
        for k, order in enumerate([before, before[::-1]]):
            W = residual_features(X, (*order, j))
            weighted[j, k] = alone * tree.fit(W, y).feature_importances_[-1]
    total = weighted.mean(axis=1).sum()
    np.testing.assert_allclose(found.scores, weighted.mean(axis=1) / total, atol=1e-12)
    expected = weighted.std(axis=1, ddof=1) / np.sqrt(2) / total
    assert expected.max() > 0.01 and found.degrees_of_freedom == 1
    np.testing.assert_allclose(found.std_error, expected, atol=1e-12)


class Recording:
    """Notes which columns of an orthogonal table it is fitted to, in their order."""

    table, seen = hadamard(8)[:, 1:5].astype(float), []

    def fit(self, X, y):
        self.seen.append(tuple(np.abs(self.table.T @ X).argmax(axis=0).tolist()))
        self.feature_importances_ = np.ones(X.shape[1])
        return self

    def predict(self, X):
        return X[:, 0]


def test_the_orders_before_a_feature_are_drawn_uniformly(monkeypatch):
    monkeypatch.setattr(residual, "plain_forest", lambda *_: Recording())
    X, rng = Recording.table, np.random.default_rng(0)
    n = 80 * 5
    for _ in range(80):
        residual_importance(X, X[:, 0], n_permutations=5, random_state=rng)
    orders = Counter(order for order in Recording.seen if len(order) == 4)
    assert orders.total() == 4 * n and len(orders) == 24
    # A draw has one order that ends in each feature: 6 are possible, each with probability 1/6.
    bound = 4 * np.sqrt(n * (1 / 6) * (5 / 6))
    assert all(abs(count - n / 6) < bound for count in orders.values())


def test_a_feature_whose_forest_predicts_against_the_response_has_weight_zero(monkeypatch):
    class Against(KNeighborsRegressor):
        feature_importances_ = np.array([0.5, 0.5])

        def predict(self, X):
            return -super().predict(X)

    X, y = data()
    monkeypatch.setattr(residual, "plain_forest", lambda *_: Against(1))
    result = residual_importance(X[:, :2], y, **FEW)
    assert (result.details["weight"] == 0).all() and (result.scores == 0).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_single_feature_has_the_whole_importance(algorithm):
    X, y = data()
    result = residual_importance(X[:, :1], y, **{**FEW, "algorithm": algorithm})
    assert result.scores[0] == 1 and result.std_error is None


X_OF_NOTES = np.random.default_rng(0).standard_normal((60, 3))
DETERMINED = {
    "a copy": ((0, 3), X_OF_NOTES[:, 0]),
    "its negative, in other units": ((0, 3), 5 - 2 * X_OF_NOTES[:, 0]),
    "a sum": ((0, 1, 2, 3), X_OF_NOTES.sum(axis=1)),
    "a sum of two": ((0, 2, 3), X_OF_NOTES[:, 0] + X_OF_NOTES[:, 2]),
    "a constant": ((), np.ones(60)),
    "nearly a copy": ((), X_OF_NOTES[:, 0] + 1e-3 * X_OF_NOTES[:, 1] ** 2),
}


@pytest.mark.parametrize("kind", DETERMINED)
def test_what_the_other_features_determine_has_a_note(kind):
    columns, added = DETERMINED[kind]
    table = 1e-70 * np.column_stack([X_OF_NOTES, added])
    found = residual_importance(table, table[:, 0], **FEW)
    assert sorted(found.notes) == [f"X{column + 1}" for column in columns]
    assert all("the other features determine it" in note for note in found.notes.values())
    assert not found.scores[list(columns)].any() and found.scores.any() == (len(columns) < 4)
    assert ("note" in found.to_frame()) == bool(columns)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e8, 1e10])
@pytest.mark.parametrize("place", [0, 2])
def test_what_the_others_determine_has_nothing_at_any_offset(offset, place):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    X[:, place] = X.sum(axis=1) - X[:, place] + offset
    y = X[:, 1] + 0.3 * rng.standard_normal(200)
    result = residual_importance(X, y, n_estimators=20, random_state=0)
    assert not result.scores.any() and len(result.notes) == 3


def test_a_determined_group_has_a_note_of_its_own_name():
    table = np.column_stack([X_OF_NOTES, X_OF_NOTES[:, :2]])
    groups = {"first": [0, 1], "again": [3, 4]}
    found = residual_importance(table, X_OF_NOTES[:, 0], groups=groups, **FEW)
    assert set(found.notes) == {"first", "again"}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_constant_feature_has_no_importance(algorithm):
    X, y = data()
    X[:, 2] = 0.1
    result = residual_importance(X, y, **{**FEW, "algorithm": algorithm})
    assert result.scores[2] == 0 and result.scores[0] > 0


def test_more_features_than_rows_are_allowed():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((6, 9)), rng.standard_normal(6)
    W = residual_features(X, range(9))
    assert (W[:, 5:] == 0).all() and (W[:, :5].std(axis=0) > 0).all()
    assert np.isfinite(residual_importance(X, y, **FEW).scores).all()


def test_only_the_top_features_of_the_model_take_part():
    class Model:
        feature_importances_ = np.array([0.1, 0.5, 0.0, 0.4])

    X, y = data()
    names, few = ("X1", "X2", "X3", "X4"), {"n_permutations": 2, "n_estimators": 20}
    result = residual_of_top_features(
        Model(), X, y, top_features=2, feature_names=names, random_state=0, **few
    )
    assert result.scores[0] == result.scores[2] == 0
    assert result.scores[[1, 3]].sum() == pytest.approx(1)
    assert result.details["features"] == (1, 3)


def test_the_names_of_classes_change_nothing():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3))

    def scores(names):
        y = np.array(names)[(X[:, 0] > 0.7).astype(int)]
        return residual_importance(X, y, **FEW).scores

    np.testing.assert_array_equal(scores(["m", "a"]), scores(["a", "m"]))
    assert scores(["m", "a"]).argmax() == 0
