"""Trees as scikit-learn and ranger grow them, against the former."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from losaw.forest import PlainRandomForestRegressor
from losaw.forest.ranger import RangerTrees


def sample(n, seed):
    """Numbers with and without ties, few and many levels, a constant; exact in 32 bits."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 7)).astype(np.float32).astype(float)
    X[:, 1] = np.round(X[:, 1], 1).astype(np.float32)
    X[:, 2] = np.clip(np.round(X[:, 2] + X[:, 0]), -1, 1)
    X[:, 3] = rng.integers(0, 8, n)
    X[:, 4] = rng.integers(0, 40, n)
    X[:, 5] = 3.0
    return X, X[:, 0] + X[:, 2] + 0.2 * X[:, 3] + rng.standard_normal(n)


def nodes_in_order(left, right, *arrays):
    """Rows of node values, every node before its left and its right part of the tree."""
    rows, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        rows.append([array[node] for array in arrays])
        if left[node] >= 0:
            waiting += [right[node], left[node]]
    return np.array(rows)


def pairs(min_samples_leaf, **options):
    """Our trees and scikit-learn's on the same bootstrap samples, and the two forests."""
    for seed in range(6):
        X, y = sample(30 + 40 * seed, seed)
        forest = PlainRandomForestRegressor(
            3,
            max_features=None,
            min_samples_leaf=min_samples_leaf,
            random_state=seed,
            **options,
        ).fit(X, y)
        theirs = [
            DecisionTreeRegressor(
                random_state=0, min_samples_leaf=min_samples_leaf, max_depth=options["max_depth"]
            ).fit(X, y, sample_weight=counts)
            for counts in forest.in_bag_counts()
        ]
        yield X, forest, theirs


@pytest.mark.parametrize("max_depth", [None, 3])
@pytest.mark.parametrize("bootstrap", [True, False])
def test_the_trees_are_those_of_scikit_learn(max_depth, bootstrap):
    X_new = sample(200, 99)[0]
    for _, forest, trees in pairs(5, max_depth=max_depth, bootstrap=bootstrap):
        for tree, theirs in zip(forest.trees_, trees, strict=True):
            inner = theirs.tree_
            ours = nodes_in_order(
                tree.children_left,
                tree.children_right,
                *(tree.value, tree.n_samples, tree.impurity, np.nan_to_num(tree.threshold)),
            )
            expected = nodes_in_order(
                inner.children_left,
                inner.children_right,
                *(inner.value[:, 0, 0], inner.weighted_n_node_samples, inner.impurity),
                np.where(inner.children_left < 0, 0.0, inner.threshold),
            )
            np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)
        importances = np.mean([tree.feature_importances_ for tree in trees], axis=0)
        np.testing.assert_allclose(forest.feature_importances_, importances, atol=1e-9)
        predictions = np.mean([tree.predict(X_new) for tree in trees], axis=0)
        np.testing.assert_allclose(forest.predict(X_new), predictions, atol=1e-9)


@pytest.mark.parametrize("min_samples_leaf", [1, 2])
@pytest.mark.parametrize("max_depth", [None, 6])
def test_small_leaves_are_those_of_scikit_learn(min_samples_leaf, max_depth):
    """Two features often produce the same split there, and either may be taken: compare rows."""
    for X, forest, trees in pairs(min_samples_leaf, max_depth=max_depth, bootstrap=True):
        counts = forest.in_bag_counts()
        for tree, leaf, theirs, in_bag in zip(
            forest.trees_, forest.apply(X).T, trees, counts, strict=True
        ):
            assert tree.n_nodes == theirs.tree_.node_count
            drawn = in_bag > 0
            np.testing.assert_allclose(tree.value[leaf[drawn]], theirs.predict(X[drawn]), atol=1e-9)


def test_a_level_that_a_node_lacks_goes_where_the_middle_of_the_gap_says():
    X = np.repeat([[0.0], [2.0]], 20, axis=0)
    X[0] = 1.0  # a level that the right child of the root has no row of
    y = 5.0 * X[:, 0]
    y[0] = 40.0
    forest = PlainRandomForestRegressor(
        1, max_features=None, min_samples_leaf=1, bootstrap=False
    ).fit(X, y)
    theirs = DecisionTreeRegressor().fit(X, y)
    np.testing.assert_allclose(np.sort(forest.trees_[0].threshold)[:2], [0.5, 1.5])
    np.testing.assert_allclose(
        forest.predict([[0.9], [1.1], [1.6]]), theirs.predict([[0.9], [1.1], [1.6]])
    )


def test_a_response_that_does_not_vary_is_predicted():
    X, _ = sample(40, 0)
    forest = PlainRandomForestRegressor(3, random_state=0).fit(X, np.full(40, 2.5))
    np.testing.assert_allclose(forest.predict(X), 2.5)


def data(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.standard_normal(n), rng.integers(0, 5, n), rng.random(n) < 0.5])
    return X, X[:, 0] + (X[:, 1] == 2) + rng.standard_normal(n)


@pytest.mark.parametrize(("columns", "min_node_size"), [([0], 5), ([1], 5), ([0, 1, 2], 60)])
@pytest.mark.parametrize("n", [70, 900])
def test_with_all_columns_as_candidates_a_tree_is_scikit_learns(columns, min_node_size, n):
    X, y = data(n)
    X = X[:, columns]
    forest = RangerTrees(3, min_node_size, 1, n_candidates=len(columns)).fit(X, y)
    expected = [
        DecisionTreeRegressor(min_samples_split=min_node_size + 1, random_state=0)
        .fit(X[rows], y[rows])
        .predict(X)
        for rows in (np.repeat(np.arange(n), counts) for counts in forest.in_bag_counts())
    ]
    assert np.allclose(forest.predict(X), np.mean(expected, axis=0), rtol=1e-12, atol=1e-12)


def test_a_node_whose_candidates_are_constant_is_a_leaf_unless_others_are_drawn():
    y = np.arange(40.0)
    X = np.column_stack([y > 20, np.zeros(40)])
    for redraw, share in ((False, 0.5), (True, 0.0)):
        forest = RangerTrees(400, 5, 2, n_candidates=1, redraw=redraw).fit(X, y)
        stumps = (np.diff(forest.starts) == 1).mean()
        # Four binomial standard errors; none is left where drawing goes on.
        assert abs(stumps - share) <= 4 * np.sqrt(share * (1 - share) / 400)


def test_forests_follow_their_seed():
    X, y = data()
    first, again, other = (RangerTrees(5, 5, seed).fit(X, y).predict(X) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_decrease_belongs_to_the_column_that_was_split():
    X, y = data()
    X[:, 1] = 3.0
    found = RangerTrees(20, 5, 1, n_candidates=3).fit(X, y).importances.mean(axis=0)
    assert found.sum() == pytest.approx(1)
    assert found[1] == 0
