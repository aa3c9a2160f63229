"""Algorithm 5.2 for a linear model learns what a linear model can learn."""

import numpy as np

from losaw.network.gradient_descent import descend


def test_losaw_gradient_descent_learns_the_signal_features():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 4))
    X[:, 2] = 0.8 * X[:, 0] + 0.6 * X[:, 2]
    y = 2 * X[:, 0] + 2 * X[:, 1]
    *_, last = (step for _, step in zip(range(400), descend(X, y, 64, 0.25, rng), strict=False))
    assert (last.saliency[:2] > 0.9).all()
    assert (last.saliency[2:] < 0.1).all()
