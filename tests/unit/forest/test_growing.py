"""Which features a node looks at (as many as are drawn, more only where all are constant).

And single kernels of the grower against a few lines of Python, for extreme input too.
"""

import numpy as np
import pytest

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.forest.growing.bootstrap import draw_in_bag_counts
from losaw.forest.growing.scan_continuous import scan_weighted
from losaw.forest.growing.scan_levels import sort_levels
from losaw.kernels.compiled import kernel
from losaw.kernels.exponential import exponential, exponential_of_eight
from losaw.kernels.inversion import invert, padded_row, product
from losaw.kernels.trees import Trees, find_leaves, together
from losaw.kernels.vectors import load, store

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


# Two trees: the first splits column 0 at .5, then column 1 at -1; the second parts column 2 into
# the levels {0, 3} and the others, then column 0 at 2.
FIRST = ([0, 1, -1, -1, -1], [0.5, -1.0, 9.0, 9.0, 9.0], [1, 3, -1, -1, -1], [2, 4, -1, -1, -1])
SECOND = ([2, -1, 0, -1, -1], [np.nan, 9.0, 2.0, 9.0, 9.0], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1])
LEVELS = np.zeros(10, dtype=np.uint64)
LEVELS[5] = 0b1001
# Each row four times: more rows than walk together, and no multiple of them.
ROWS = np.tile(
    [[0.5, -1.0, 0.0], [0.5, -0.9, 1.0], [0.6, -2.0, 3.0], [2.0, 0.0, 2.0], [2.1, 0.0, 5.0]],
    (4, 1),
)
LEAVES = np.tile([[3, 1], [4, 3], [2, 1], [2, 3], [2, 4]], (4, 1))


def test_rows_reach_their_leaves_by_thresholds_and_by_sets():
    trees, found = Trees.of([FIRST, SECOND], LEVELS), np.zeros((len(ROWS), 2), dtype=np.int64)
    find_leaves(trees, ROWS, together(), found)
    np.testing.assert_array_equal(found, LEAVES)
    assert trees.n_trees == 2
    np.testing.assert_array_equal(trees.splits, [0, 1, 5, 7])
    np.testing.assert_array_equal(trees.tree, np.repeat([0, 1], 5))
    # Without sets of levels a missing value goes right, and so does what is above a threshold.
    alone, missing = Trees.of([FIRST]), np.vstack([ROWS, [[0.0, np.nan, 0.0], [np.nan, 0.0, 0.0]]])
    found = np.zeros((len(missing), 1), dtype=np.int64)
    find_leaves(alone, missing, together(), found)
    np.testing.assert_array_equal(found[:, 0], [*LEAVES[:, 0], 4, 2])


def splitmix(state, size):
    """Indices in [0, size) from SplitMix64, in integers of any length."""
    word = 2**64 - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & word
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & word
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & word
        yield (((z ^ (z >> 31)) >> 32) * size) >> 32


@pytest.mark.parametrize("seed", [0, 12345, 2**63 + 1])
def test_a_bootstrap_sample_is_drawn_by_splitmix64(seed):
    counts, stream = np.full(40, 7), splitmix(seed, 40)
    draw_in_bag_counts(np.array([seed], dtype=np.uint64), True, counts)
    expected = np.bincount([next(stream) for _ in range(40)], minlength=40)
    np.testing.assert_array_equal(counts, expected)
    draw_in_bag_counts(np.array([seed], dtype=np.uint64), False, counts)
    assert set(counts) == {1}


@kernel()
def scan(w, c, cy, total, mean, min_leaf, values, has_ties):
    return scan_weighted(w, c, cy, len(w), total, mean, min_leaf, values, has_ties)


def test_a_side_whose_weight_is_lost_to_rounding_is_no_split():
    # Heavy tails: three tenths of the rows hold all weight, so that total - left is rounding.
    rng = np.random.default_rng(0)
    y = rng.standard_normal(20)
    w = np.where(np.arange(20) < 6, 0.1 + rng.random(20), 1e-40)
    c = np.ones(20)
    total, mean = w.sum(), (w * y).sum() / w.sum()
    found, place = scan(w, c, c * y, total, mean, 1.0, np.arange(20.0), False)
    exact = [
        (w[:k] @ (y[:k] - mean)) ** 2 / (w[:k].sum() * w[k:].sum()) * total for k in range(1, 6)
    ]
    assert found * total == pytest.approx(max(exact), rel=1e-9)
    assert place == 1 + int(np.argmax(exact))


@kernel()
def sorted_levels(order, key):
    sort_levels(len(order), order, key)


def test_levels_whose_keys_differ_by_rounding_stay_in_their_order():
    order, key = np.arange(4), np.array([0.1 + 0.2, 0.3, -1.0, 0.3 - 1e-15])
    assert key[0] > key[1] > key[3]
    sorted_levels(order, key)
    assert order.tolist() == [2, 0, 1, 3]
