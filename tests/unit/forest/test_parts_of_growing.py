"""Single kernels of the tree grower against a few lines of Python.

Of kernels.trees, forest.growing.bootstrap, forest.growing.partition,
forest.growing.scan_continuous, forest.growing.scan_levels.
"""

import numpy as np
import pytest

from losaw.forest.growing.arrays import LevelSums
from losaw.forest.growing.bootstrap import draw_in_bag_counts
from losaw.forest.growing.partition import partition
from losaw.forest.growing.scan_continuous import scan_weighted
from losaw.forest.growing.scan_levels import (
    can_split,
    first_levels,
    scan_levels,
    scan_sets,
    sort_levels,
)
from losaw.kernels.compiled import kernel
from losaw.kernels.trees import Trees, add_shares, add_values, find_leaves, together

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


def test_values_and_shares_of_the_leaves_of_all_trees_are_added_up():
    trees = Trees.of([FIRST, SECOND], LEVELS)
    places = LEAVES + np.array([0, 5])
    values = np.random.default_rng(0).standard_normal((10, 3))
    out, shares = np.ones(len(ROWS)), np.ones((len(ROWS), 3))
    add_values(trees, np.ascontiguousarray(values[:, 0]), ROWS, together(), out)
    add_shares(trees, values, ROWS, together(), shares)
    np.testing.assert_allclose(out, 1 + values[places, 0].sum(axis=1))
    np.testing.assert_allclose(shares, 1 + values[places].sum(axis=1))


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
def parted(order, p, start, end, goes_left, scratch):
    partition(order, p, start, end, goes_left, scratch)


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_parted_in_their_order_and_others_stay(seed):
    rng = np.random.default_rng(seed)
    order = np.stack([np.arange(30), rng.permutation(30)]).astype(np.uint32)
    goes_left = rng.integers(0, 2, 30).astype(np.uint8)
    expected, rows = order.copy(), order[1, 5:25]
    is_left = goes_left[rows] == 1
    expected[1, 5:25] = [*rows[is_left], *rows[~is_left]]
    parted(order, 1, 5, 25, goes_left, np.zeros(30, dtype=np.uint32))
    np.testing.assert_array_equal(order, expected)


@kernel()
def scan(w, c, cy, total, mean, min_leaf, values, has_ties):
    return scan_weighted(w, c, cy, len(w), total, mean, min_leaf, values, has_ties)


def decrease(left, weight, response):
    """Delta_w of Lemma 9.2 for a mask of what goes left."""
    total, mean = weight.sum(), response.sum() / weight.sum()
    w = weight[left].sum()
    if not 0 < w < total:
        return 0.0
    return (response[left].sum() - mean * w) ** 2 / (w * (total - w))


@pytest.mark.parametrize("size", [2, 3, 8, 21])
@pytest.mark.parametrize("min_leaf", [1.0, 3.0])
@pytest.mark.parametrize("has_ties", [False, True])
def test_the_best_split_of_sorted_rows_is_found(size, min_leaf, has_ties):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        values = np.sort(rng.integers(0, 6, size) if has_ties else rng.random(size)).astype(float)
        c, w = rng.integers(1, 4, size).astype(float), rng.exponential(size=size)
        y = rng.standard_normal(size)
        best, place = 0.0, 0
        for k in range(1, size):
            left = np.arange(size) < k
            if values[k - 1] < values[k] and min(c[left].sum(), c[~left].sum()) >= min_leaf:
                score = decrease(left, w * c, w * c * y)
                best, place = max((best, place), (score, k), key=lambda pair: pair[0])
        weight, mean = (w * c).sum(), (w * c * y).sum() / (w * c).sum()
        found, at = scan(w, c, c * y, weight, mean, min_leaf, values, has_ties)
        assert found == pytest.approx(best, abs=1e-12)
        assert at == place


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
def scan_ordered(sums, min_leaf, n, least):
    return scan_levels(sums, min_leaf, n, least)


@kernel()
def scan_nominal(sums, min_leaf, n, order, key):
    return scan_sets(sums, min_leaf, n, order, key)


@kernel()
def is_splittable(count, n_levels, min_leaf, n, is_nominal):
    return can_split(count, n_levels, min_leaf, n, is_nominal)


@pytest.mark.parametrize("min_leaf", [1.0, 6.0])
@pytest.mark.parametrize("seed", range(12))
def test_the_best_split_between_levels_is_found(seed, min_leaf):
    rng = np.random.default_rng(seed)
    n_levels = int(rng.integers(2, 7))
    count = rng.integers(0, 9, n_levels).astype(float)
    count[rng.integers(n_levels)] += 5.0
    weight = count * rng.exponential(size=n_levels)
    response = weight * rng.standard_normal(n_levels)
    recode = np.cumsum(rng.integers(1, 4, n_levels))
    sums = LevelSums(
        n_levels, count, weight, response, recode, weight.sum(), response.sum() / weight.sum()
    )
    n, levels = count.sum(), np.arange(n_levels)

    def best(sides):
        allowed = [s for s in sides if min(count[s].sum(), count[~s].sum()) >= min_leaf]
        return max((decrease(s, weight, response) for s in allowed), default=0.0), allowed

    expected, allowed = best([levels <= k for k in range(n_levels - 1)])
    found, last = scan_ordered(sums, min_leaf, n, 0.0)
    assert found == pytest.approx(expected, abs=1e-12)
    assert (last < 0) == (expected == 0)
    if last >= 0:
        assert decrease(levels <= last, weight, response) == pytest.approx(expected)
    assert is_splittable(count, n_levels, min_leaf, n, False) == bool(allowed)

    masks = [(number >> levels) & 1 == 1 for number in range(1, 2**n_levels - 1)]
    expected, allowed = best(masks)
    order, key = np.zeros(n_levels, dtype=np.int64), np.zeros(n_levels)
    found, left = scan_nominal(sums, min_leaf, n, order, key)
    if min_leaf == 1.0:
        assert found == pytest.approx(expected, abs=1e-12)
        assert is_splittable(count, n_levels, min_leaf, n, True) == bool(allowed)
    assert found <= expected + 1e-12
    if found > 0:
        side = (int(left) >> recode) & 1 == 1
        assert decrease(side, weight, response) == pytest.approx(found)
        assert side[np.flatnonzero(count)[0]]  # the first level of the node goes left


@kernel()
def sorted_levels(order, key):
    sort_levels(len(order), order, key)


def test_levels_whose_keys_differ_by_rounding_stay_in_their_order():
    order, key = np.arange(4), np.array([0.1 + 0.2, 0.3, -1.0, 0.3 - 1e-15])
    assert key[0] > key[1] > key[3]
    sorted_levels(order, key)
    assert order.tolist() == [2, 0, 1, 3]


@kernel()
def set_of(order, n_left, n, recode):
    return first_levels(order, n_left, n, recode)


@pytest.mark.parametrize("n_left", [1, 2, 3])
def test_the_side_of_the_smallest_level_is_the_left_one(n_left):
    recode, order = np.array([2, 63, 1, 5]), np.array([0, 3, 2, 1])
    names = [int(level) for level in recode[order]]
    left, right = (sum(1 << level for level in side) for side in (names[:n_left], names[n_left:]))
    assert int(set_of(order, n_left, 4, recode)) == (left if left & 0b10 else right)
