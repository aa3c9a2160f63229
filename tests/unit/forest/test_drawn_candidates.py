"""Which features a node looks at: as many as are drawn, and more only where all are constant."""

import numpy as np
import pytest

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor

N_TREES = 30


def roots(kind, n_classes, eta, constant=()):
    """Features at the roots of trees that draw one of three, of which the first decides all."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 1)) + 0.7 * rng.standard_normal((60, 3))
    if kind == "discrete":
        X = np.clip(np.round(X), -1, 1)
    X[:, list(constant)] = 1.0
    y = X[:, 0] + 0.01 * rng.standard_normal(60)
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    model = LosawRandomForestClassifier if n_classes else LosawRandomForestRegressor
    forest = model(
        N_TREES, max_depth=1, max_features=1, eta=eta, min_samples_leaf=2, random_state=0
    ).fit(X, y)
    return np.array([tree.feature[0] for tree in forest.trees_])


@pytest.mark.parametrize("kind", ["continuous", "discrete"])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("eta", [0.3, 1.0])
def test_one_feature_is_drawn_though_another_would_be_better(kind, n_classes, eta):
    # Each is drawn in a third of the trees: P(more than 22 of 30) is 1.5e-6.
    assert (roots(kind, n_classes, eta) == 0).sum() <= 22


@pytest.mark.parametrize("kind", ["continuous", "discrete"])
@pytest.mark.parametrize("n_classes", [0, 3])
def test_constant_features_that_are_drawn_are_followed_by_others(kind, n_classes):
    assert set(roots(kind, n_classes, 0.3, constant=[1, 2])) == {0}
