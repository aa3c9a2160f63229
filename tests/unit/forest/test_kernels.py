"""The compiled kernels keep their promises for extreme input."""

import numpy as np
import pytest

from losaw.forest import LosawRandomForestRegressor
from losaw.kernels.compiled import kernel
from losaw.kernels.exponential import exponential, exponential_of_eight
from losaw.kernels.inversion import invert, padded_row, product
from losaw.kernels.vectors import load, store


def test_of_features_that_part_a_node_alike_the_first_drawn_is_taken():
    # Copies of one column: draws decide, so that in many trees each copy is taken as often.
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((60, 1)), 3, axis=1) * [1.0, 2.0, -1.0]
    forest = LosawRandomForestRegressor(
        n_estimators=300, max_features=None, max_depth=1, eta=1.0, random_state=0
    ).fit(X, X[:, 0])
    taken = np.bincount([tree.feature[0] for tree in forest.trees_], minlength=3)
    assert np.abs(taken - 100).max() < 4 * np.sqrt(300 * (1 / 3) * (2 / 3))


@pytest.mark.parametrize("size", [1, 5, 8, 9, 22])
def test_the_inverse_solves_symmetric_systems(size):
    rng = np.random.default_rng(size)
    root = rng.standard_normal((size, size + 3))
    matrix = np.zeros((size, padded_row(size)))
    matrix[:, :size] = root @ root.T
    side, out = rng.standard_normal(size), np.zeros(padded_row(size))
    expected = np.linalg.solve(matrix[:, :size], side)
    solve(matrix, size, side, out)
    np.testing.assert_allclose(out[:size], expected, rtol=1e-8)


def test_a_row_that_depends_on_earlier_ones_gets_no_coefficient():
    root = np.random.default_rng(0).standard_normal((3, 10))
    root[2] = root[0] - root[1]
    matrix = np.zeros((3, padded_row(3)))
    matrix[:, :3] = root @ root.T
    side, out = root @ np.arange(10.0), np.zeros(padded_row(3))
    expected = np.linalg.solve(matrix[:2, :2], side[:2])
    solve(matrix, 3, side, out)
    np.testing.assert_allclose(out[:3], [*expected, 0.0], rtol=1e-8)


@kernel()
def solve(matrix, size, side, out):
    invert(matrix, size, out)
    product(matrix, size, side, out)


@kernel()
def exponentials(x, eight):
    for i in range(len(x)):
        eight[i] = exponential(x[i])
    for lane in range(0, len(x), 8):
        store(x, lane, exponential_of_eight(load(x, lane)))


def test_both_exponentials_are_accurate_and_cut_at_150():
    x = np.linspace(-160.0, 160.0, 4000)
    expected = np.exp(np.clip(x, -150, 150))
    single = np.empty(4000)
    exponentials(x, single)
    np.testing.assert_allclose(single, expected, rtol=2e-15)
    np.testing.assert_allclose(x, expected, rtol=2e-15)
