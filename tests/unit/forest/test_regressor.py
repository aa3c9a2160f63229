"""The regressor: plain forest, merged rows, threads, input, fitted trees."""

import gc
import signal
import threading
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeRegressor

from losaw.forest import LosawRandomForestRegressor, PlainRandomForestRegressor, losaw_forest
from losaw.forest.growing.arrays import Settings
from losaw.forest.validation import check_max_features


def mixed_sample(n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    X[:, 1] += X[:, 0]
    X[:, 2] += X[:, 1]
    X[:, 3:5] = np.clip(np.round(X[:, 3:5] + X[:, [0]]), -1, 1)
    return X, X[:, 0] + X[:, 3] + 0.3 * rng.standard_normal(n)


def continuous_sample(n=240, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[:, 1] += X[:, 0]
    return X, X[:, 0] + np.sin(X[:, 2]) + 0.3 * rng.standard_normal(n)


ALONE = {"n_estimators": 1, "max_features": None, "bootstrap": False}


def grown(X, y, **options):
    return LosawRandomForestRegressor(**{"random_state": 0} | options).fit(X, y)


def test_eta_one_equals_the_unweighted_tree_of_scikit_learn():
    X, y = continuous_sample()
    forest = grown(X, y, n_estimators=5, max_features=None, eta=1.0)
    for tree, counts in zip(forest.trees_, forest.in_bag_counts(), strict=True):
        rows = np.repeat(np.arange(len(y)), counts)  # leaves are counted with multiplicity
        theirs = DecisionTreeRegressor(max_depth=10, min_samples_leaf=5).fit(X[rows], y[rows])
        single = grown(X[rows], y[rows], eta=1.0, **ALONE)
        np.testing.assert_allclose(single.predict(X[rows]), theirs.predict(X[rows]), atol=1e-9)
        assert theirs.tree_.node_count == tree.n_nodes


def test_eta_one_ignores_everything_about_adjustment():
    X, y = mixed_sample()
    plain = grown(X, y, n_estimators=5, eta=1.0, random_state=1)
    unadjusted = grown(X, y, n_estimators=5, correlation_threshold=1.0, random_state=1)
    np.testing.assert_array_equal(plain.predict(X), unadjusted.predict(X))


def test_a_sample_written_three_times_gives_the_same_tree(monkeypatch):
    # The penalty of the logits does not triple, and two splits are nearly tied: logits converge.
    monkeypatch.setattr(losaw_forest, "Settings", partial(Settings, precision=1e-22))
    X, y = mixed_sample(120)
    once = grown(X, y, min_samples_leaf=5, **ALONE)
    tripled = np.random.default_rng(0).permutation(np.repeat(np.arange(120), 3))
    thrice = clone(once).set_params(min_samples_leaf=15).fit(X[tripled], y[tripled])
    np.testing.assert_allclose(once.predict(X), thrice.predict(X), atol=1e-6)


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_predictions_and_importances_do_not_depend_on_n_jobs(n_jobs):
    X, y = mixed_sample()
    one = LosawRandomForestRegressor(n_estimators=25, random_state=7).fit(X, y)
    many = LosawRandomForestRegressor(n_estimators=25, random_state=7, n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(one.predict(X), many.predict(X))
    np.testing.assert_array_equal(one.feature_importances_, many.feature_importances_)


@pytest.mark.parametrize("forest", [LosawRandomForestRegressor, PlainRandomForestRegressor])
def test_a_tree_does_not_depend_on_how_many_follow(forest):
    X, y = mixed_sample()
    few = forest(n_estimators=3, max_features=2, random_state=7).fit(X, y)
    more = forest(n_estimators=30, max_features=2, random_state=7).fit(X, y)
    for a, b in zip(few.trees_, more.trees_[:3], strict=True):
        np.testing.assert_array_equal(a.threshold, b.threshold)


def test_random_state_as_int_generator_or_none():
    X, y = mixed_sample()

    def predict(random_state):
        forest = LosawRandomForestRegressor(n_estimators=2, random_state=random_state)
        return forest.fit(X, y).predict(X)

    np.testing.assert_array_equal(predict(3), predict(3))
    np.testing.assert_array_equal(
        predict(np.random.default_rng(3)), predict(np.random.default_rng(3))
    )
    assert not np.array_equal(predict(None), predict(None))


def test_predictions_are_the_leaf_means_that_apply_points_to():
    X, y = mixed_sample(243)  # no multiple of the rows that walk through a tree together
    forest = LosawRandomForestRegressor(n_estimators=4, random_state=0).fit(X, y)
    leaves = forest.apply(X)
    means = [tree.value[leaves[:, t]] for t, tree in enumerate(forest.trees_)]
    np.testing.assert_allclose(forest.predict(X), np.mean(means, axis=0), rtol=1e-12)
    for t, (tree, counts) in enumerate(zip(forest.trees_, forest.in_bag_counts(), strict=True)):
        assert tree.is_leaf[leaves[:, t]].all()
        in_leaf = np.bincount(leaves[:, t], weights=counts, minlength=tree.n_nodes)
        np.testing.assert_array_equal(in_leaf[tree.is_leaf], tree.n_samples[tree.is_leaf])


def test_leaves_hold_at_least_the_smallest_number_and_depth_is_bounded():
    X, y = mixed_sample()
    forest = grown(X, y, n_estimators=10, max_depth=4, min_samples_leaf=7)
    for tree in forest.trees_:
        assert tree.n_samples[tree.is_leaf].min() >= 7
        depth = np.zeros(tree.n_nodes, dtype=int)
        for node in np.flatnonzero(~tree.is_leaf):
            depth[[tree.children_left[node], tree.children_right[node]]] = depth[node] + 1
        assert depth.max() <= 4


def test_effective_sizes_after_the_cap_are_at_least_eta():
    X, y = mixed_sample()
    forest = LosawRandomForestRegressor(n_estimators=10, eta=0.6, random_state=0).fit(X, y)
    before = np.concatenate([tree.effective_sample_size for tree in forest.trees_])
    after = np.concatenate([tree.capped_effective_sample_size for tree in forest.trees_])
    assert before.min() < 0.6
    np.testing.assert_allclose(after, np.maximum(before, 0.6))


def test_more_features_than_rows_constant_ones_and_copies_are_fine():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 50))
    X[:, 10:20] = 1.0
    X[:, 20:30] = X[:, :10]
    y = X[:, 0] + rng.standard_normal(30)
    forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    assert np.isfinite(forest.predict(X)).all()
    assert forest.feature_importances_.sum() == pytest.approx(1.0)
    assert (forest.feature_importances_[10:20] == 0).all()


@pytest.mark.parametrize(
    ("choice", "n_features", "expected"),
    [(0.5, 5, 2), (1 / 3, 5, 1), (1 / 3, 6, 2), (0.99, 3, 2), (1.0, 3, 3), (0.01, 3, 1),
     ("sqrt", 99, 9), ("sqrt", 100, 10), ("log2", 100, 6), ("log2", 1, 1), (None, 100, 100)],
)  # fmt: skip
def test_a_fraction_of_the_features_is_rounded_down(choice, n_features, expected):
    assert check_max_features(choice, n_features) == expected


def test_names_masks_and_column_numbers_name_the_discrete_features():
    X, y = mixed_sample()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    automatic = LosawRandomForestRegressor(n_estimators=3, random_state=0).fit(X, y)
    mask = np.array([False, False, False, True, True, False])
    for rows, discrete in ((frame, ["d", "e"]), (X, mask), (X, [3, 4])):
        named = clone(automatic).set_params(discrete_features=discrete).fit(rows, y)
        np.testing.assert_array_equal(named.is_discrete_, automatic.is_discrete_)
        np.testing.assert_array_equal(named.predict(rows), automatic.predict(X))
    assert list(clone(automatic).fit(frame, y).feature_names_in_) == list("abcdef")


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        lambda X: X.astype(np.float32),
        lambda X: np.lib.stride_tricks.as_strided(X, writeable=False),
        lambda X: X.tolist(),
        lambda X: 2.0**-230 * X,
    ],
)
def test_layout_precision_and_unit_of_the_input_do_not_matter(convert):
    X, y = mixed_sample()
    X = X.astype(np.float32).astype(float)
    expected = LosawRandomForestRegressor(n_estimators=3, random_state=0).fit(X, y).predict(X)
    found = LosawRandomForestRegressor(n_estimators=3, random_state=0).fit(convert(X), y)
    np.testing.assert_array_equal(found.predict(convert(X)), expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_fit_and_leaves_no_half_fitted_forest(n_jobs, heeded_interrupts):
    X, y = mixed_sample(5000)
    forest = LosawRandomForestRegressor(n_estimators=20, n_jobs=n_jobs)
    forest.fit(X, y).set_params(n_estimators=20_000)  # kernels are loaded now
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, y)
    with pytest.raises(NotFittedError):
        forest.predict(X)


@pytest.fixture
def heeded_interrupts():
    """A shell lets its background jobs ignore Ctrl-C: heed it for a while.

    Hypothesis runs a callback in every garbage collection, where an interrupt would be lost.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threshold", [0.05, 0.3])
def test_a_target_is_adjusted_for_features_that_correlate_beyond_the_threshold(threshold):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 6)) @ rng.standard_normal((6, 6))
    forest = grown(X, X[:, 0], n_estimators=1, correlation_threshold=threshold)
    expected = np.abs(np.corrcoef(X, rowvar=False)) > threshold
    np.fill_diagonal(expected, False)
    np.testing.assert_array_equal(forest.adjustment_, expected)


def test_the_most_important_features_are_those_that_others_are_adjusted_for():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 1)) + rng.standard_normal((300, 14))
    forest = grown(X, 3 * X[:, 4] + 3 * X[:, 9], n_estimators=2, n_adjustment=2)
    assert np.flatnonzero(forest.adjustment_.any(axis=0)).tolist() == [4, 9]


def test_a_discrete_feature_with_one_discrete_adjustment_feature_among_continuous_ones():
    # positions count within a kind: those of the continuous features go beyond the discrete ones
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 7))
    X[:, 5] = np.clip(np.round(X[:, 5]), -1, 1)
    X[:, 6] = np.where(rng.random(200) < 0.7, X[:, 5], rng.integers(-1, 2, 200))
    y = X[:, 5] + X[:, 6] + 0.5 * rng.standard_normal(200)
    options = {"correlation_threshold": 0.3, "discrete_features": [5, 6]}
    forest = grown(X, y, n_estimators=5, **options)
    assert np.flatnonzero(forest.adjustment_[5]).tolist() == [6]
    assert forest.feature_importances_[5:].sum() > 0.8
