"""The compiled forest against a plain implementation of the paper's algorithms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from losaw import LosawRandomForestRegressor
from losaw.forest import LosawRandomForestClassifier
from reference.losaw_paper import PaperNode, impurity_decrease


@pytest.fixture(autouse=True)
def _to_the_optimum(monkeypatch):
    """Logits in effects of levels end as close to their optimum as the plain implementation's."""
    monkeypatch.setattr("losaw.forest.fitting.PRECISION_OF_EFFECTS", 1e-14)


def sample(kind, n, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    X[:, 1] += 1.2 * X[:, 0]
    X[:, 2] += X[:, 0] + X[:, 1]
    X[:, 4] += 0.5 * X[:, 3]
    if kind == "discrete":
        X = np.clip(np.round(X), -1, 1)
    if kind == "levels":  # 2 to 6 levels
        X = np.clip(np.round(2 * X), [-2, -2, -1, 0, -3], [2, 1, 1, 1, 2])
    if kind == "mixed":
        X[:, [0, 2]] = np.clip(np.round(X[:, [0, 2]]), -1, 1)
    return X, X[:, 0] + X[:, 1] * (X[:, 3] > 0) + 0.3 * rng.standard_normal(n)


def walk(tree, number, node, tolerance, scores):
    """Check every split of ``tree`` below ``number``; add up the reference's importances."""
    assert tree.n_samples[number] == len(node.y)
    if node.y.ndim == 1:
        assert tree.value[number] == pytest.approx(node.y.mean(), abs=1e-10)
    assert tree.impurity[number] == pytest.approx(node.impurity(), abs=1e-10)
    if tree.feature[number] < 0:
        return
    p, threshold = tree.feature[number], tree.threshold[number]
    assert threshold in node.X[:, p]
    decrease = node.decrease(p, threshold)
    assert tree.relative_decrease[number] == pytest.approx(decrease, abs=tolerance)
    assert decrease >= node.best_decrease() - tolerance  # the same split, up to ties
    scores[p] += decrease * node.impurity() * len(node.y)
    left = node.X[:, p] <= threshold
    walk(tree, tree.children_left[number], node.child(left), tolerance, scores)
    walk(tree, tree.children_right[number], node.child(~left), tolerance, scores)


@pytest.mark.parametrize(
    ("kind", "tolerance", "importance_tolerance"),
    # continuous: rounding only; with logits: scikit-learn's lbfgs stops near 1e-6
    [
        ("continuous", 1e-9, 1e-9),
        ("discrete", 1e-5, 1e-5),
        ("levels", 1e-5, 1e-5),
        ("mixed", 1e-5, 1e-5),
    ],
)
@pytest.mark.parametrize("eta", [0.25, 0.7, 1.0])
def test_splits_and_importances_equal_the_plain_implementation(
    kind, tolerance, importance_tolerance, eta
):
    X, y = sample(kind, 150, seed=3)
    forest = LosawRandomForestRegressor(
        n_estimators=3, max_features=None, max_depth=5, eta=eta, random_state=5
    ).fit(X, y)
    assert forest.adjustment_.any() == (eta < 1)
    for tree, counts, importances in zip(
        forest.trees_, forest.in_bag_counts(), forest.forest_.importances, strict=True
    ):
        rows = np.repeat(np.arange(len(y)), counts)
        root = PaperNode(X[rows], y[rows], X, forest.adjustment_, forest.is_discrete_, eta, 5)
        scores = np.zeros(5)
        walk(tree, 0, root, tolerance, scores)
        np.testing.assert_allclose(importances, scores / scores.sum(), atol=importance_tolerance)


@pytest.mark.parametrize(
    ("kind", "tolerance"),
    [("continuous", 1e-9), ("discrete", 1e-4), ("levels", 1e-4), ("mixed", 1e-4)],
)
@pytest.mark.parametrize("eta", [0.25, 1.0])
def test_gini_splits_equal_the_plain_implementation(kind, tolerance, eta):
    X, y = sample(kind, 150, seed=4)
    labels = np.digitize(y, [-1.0, 0.5])
    forest = LosawRandomForestClassifier(
        n_estimators=2, max_features=None, max_depth=4, eta=eta, random_state=5
    ).fit(X, labels)
    indicators = (labels[:, None] == np.arange(3)).astype(float)
    for tree, counts, importances in zip(
        forest.trees_, forest.in_bag_counts(), forest.forest_.importances, strict=True
    ):
        rows = np.repeat(np.arange(len(y)), counts)
        root = PaperNode(
            X[rows], indicators[rows], X, forest.adjustment_, forest.is_discrete_, eta, 5
        )
        scores = np.zeros(5)
        walk(tree, 0, root, tolerance, scores)
        np.testing.assert_allclose(importances, scores / scores.sum(), atol=tolerance)


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_lemma_9_2_by_brute_force(size, seed):
    rng = np.random.default_rng(seed)
    w = rng.exponential(size=size)
    w /= w.sum()
    y = rng.standard_normal(size)
    left = np.zeros(size, dtype=bool)
    left[: rng.integers(1, size)] = True
    total, left_total, left_weight = w @ y, w[left] @ y[left], w[left].sum()
    lemma = left_total**2 / left_weight + (total - left_total) ** 2 / (1 - left_weight) - total**2
    assert lemma == pytest.approx(impurity_decrease(w, y, left)[0], abs=1e-10)
