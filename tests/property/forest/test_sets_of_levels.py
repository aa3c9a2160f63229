"""Splits of nominal features against all sets of levels, with the paper's weights."""

import itertools

import numpy as np
import pytest

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
from reference.losaw_paper import PaperNode, impurity_decrease

NOMINAL = np.array([True, True, False, False])


def sample(n_samples, seed):
    """Two nominal features of 6 and 4 levels, one ordered of 3, one continuous; all dependent."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal(n_samples)
    first = np.digitize(hidden + 0.8 * rng.standard_normal(n_samples), [-1.2, -0.5, 0.0, 0.5, 1.2])
    second = np.digitize(hidden + 0.8 * rng.standard_normal(n_samples), [-0.8, 0.0, 0.8])
    X = np.column_stack(
        [
            np.array([3, 0, 5, 1, 4, 2])[first],  # the codes do not follow the order
            np.array([2, 0, 3, 1])[second],
            np.clip(np.round(hidden + 0.8 * rng.standard_normal(n_samples)), -1, 1),
            hidden + 0.8 * rng.standard_normal(n_samples),
        ]
    ).astype(float)
    effect = (
        rng.standard_normal(6)[X[:, 0].astype(int)] + rng.standard_normal(4)[X[:, 1].astype(int)]
    )
    return X, effect + hidden + 0.3 * rng.standard_normal(n_samples)


def sets(values):
    """Masks of all ways to part the levels of ``values``, each once."""
    levels = np.unique(values)
    for size in range(len(levels) - 1):
        for rest in itertools.combinations(levels[1:], size):
            yield np.isin(values, [levels[0], *rest])


def best_of_all(node):
    """Largest Delta_w^rel over features, and over all sets of levels of the nominal ones."""
    best = 0.0
    for p in range(4):
        values = node.X[:, p]
        ways = sets(values) if NOMINAL[p] else (values <= t for t in np.unique(values)[:-1])
        for left in ways:
            if min(left.sum(), (~left).sum()) >= node.min_samples_leaf:
                best = max(best, impurity_decrease(node.weights(p), node.y, left)[1])
    return best


def goes_left(tree, number, values):
    if not np.isnan(tree.threshold[number]):
        return values <= tree.threshold[number]
    return ((tree.left_levels[number] >> values.astype(np.uint64)) & np.uint64(1)).astype(bool)


def walk(tree, number, node, visit):
    """Call ``visit(decrease, node, tree's decrease)`` at every split."""
    if tree.feature[number] < 0:
        return
    left = goes_left(tree, number, node.X[:, tree.feature[number]])
    decrease = impurity_decrease(node.weights(tree.feature[number]), node.y, left)[1]
    visit(decrease, node, tree.relative_decrease[number])
    walk(tree, tree.children_left[number], node.child(left), visit)
    walk(tree, tree.children_right[number], node.child(~left), visit)


def visit_splits(forest, X, y, eta, visit):
    for tree, counts in zip(forest.trees_, forest.in_bag_counts(), strict=True):
        rows = np.repeat(np.arange(len(y)), counts)
        walk(
            tree,
            0,
            PaperNode(
                X[rows],
                y[rows],
                X,
                forest.adjustment_,
                forest.is_discrete_,
                eta,
                forest.min_samples_leaf,
            ),
            visit,
        )


@pytest.mark.parametrize("kind", ["regression", "two classes"])
@pytest.mark.parametrize("eta", [0.25, 1.0])
def test_no_set_of_levels_is_better_than_the_one_taken(kind, eta):
    X, y = sample(160, seed=3)
    response = (y > np.median(y)).astype(float) if kind == "two classes" else y
    model = LosawRandomForestClassifier if kind == "two classes" else LosawRandomForestRegressor
    forest = model(
        n_estimators=3,
        max_features=None,
        max_depth=4,
        min_samples_leaf=1,
        eta=eta,
        nominal_features=NOMINAL,
        random_state=5,
    ).fit(X, response)
    assert forest.adjustment_[NOMINAL].any() == (eta < 1)
    taken = []

    def visit(decrease, node, stored):
        assert stored == pytest.approx(decrease, abs=1e-5)
        assert decrease >= best_of_all(node) - 1e-5
        taken.append(decrease)

    visit_splits(forest, X, response, eta, visit)
    by_sets = sum(np.isnan(t.threshold[~t.is_leaf]).sum() for t in forest.trees_)
    assert len(taken) > 20
    assert by_sets > 10


def test_with_more_classes_the_sets_along_the_principal_component_are_nearly_the_best():
    X, y = sample(160, seed=3)
    labels = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    forest = LosawRandomForestClassifier(
        n_estimators=4,
        max_features=None,
        max_depth=4,
        min_samples_leaf=1,
        nominal_features=NOMINAL,
        random_state=5,
    ).fit(X, labels)
    shares = []

    def visit(decrease, node, stored):
        assert stored == pytest.approx(decrease, abs=1e-4)
        shares.append(decrease / best_of_all(node))

    indicators = (labels[:, None] == np.arange(3)).astype(float)
    visit_splits(forest, X, indicators, 0.25, visit)
    assert len(shares) > 30
    assert np.mean(np.array(shares) > 0.999) > 0.8
    assert min(shares) > 0.7
