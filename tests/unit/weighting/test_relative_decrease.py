"""The decrease of a weighted split: against its definition, and against the compiled forest."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from losaw.forest import LosawRandomForestRegressor
from losaw.weighting import losaw_weights
from losaw.weighting.relative_decrease import relative_decreases


@given(
    data=st.integers(0, 2**32 - 1),
    n=st.integers(4, 30),
    leaf=st.integers(1, 2),
)
def test_relative_decreases_are_those_of_the_definition(data, n, leaf):
    rng = np.random.default_rng(data)
    x, y, w = rng.standard_normal(n), rng.standard_normal(n), rng.dirichlet(np.ones(n))
    points, decreases = relative_decreases(x, y, w, leaf)

    def mse(rows):
        share = w[rows] / w[rows].sum()
        return share @ y[rows] ** 2 - (share @ y[rows]) ** 2

    whole = mse(np.full(n, True))
    expected = [
        1 - (w[x <= t].sum() * mse(x <= t) + w[x > t].sum() * mse(x > t)) / whole
        for t in np.sort(x)[leaf - 1 : n - leaf]
    ]
    np.testing.assert_allclose(points, np.sort(x)[leaf - 1 : n - leaf])
    np.testing.assert_allclose(decreases, expected, atol=1e-9)


def test_the_forest_takes_the_split_with_the_largest_decrease():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    X[:, 1] += 1.5 * X[:, 0]
    y = (X[:, 0] > 0.3) + 0.1 * rng.standard_normal(300)
    forest = LosawRandomForestRegressor(
        1, max_depth=1, max_features=None, bootstrap=False, discrete_features=[]
    )
    root = forest.fit(X, y).trees_[0]
    weights = [losaw_weights(X[:, p], X[:, [1 - p]], propensity="gaussian") for p in (0, 1)]
    curves = [relative_decreases(X[:, p], y, weights[p], 5) for p in (0, 1)]
    p = int(curves[1][1].max() > curves[0][1].max())
    points, decreases = curves[p]
    assert root.feature[0] == p
    assert root.threshold[0] == points[decreases.argmax()]
    np.testing.assert_allclose(root.relative_decrease[0], decreases.max(), rtol=1e-9)
