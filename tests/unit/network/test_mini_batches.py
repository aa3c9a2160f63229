"""Losaw mini-batches without a network."""

import warnings

import numpy as np
import pytest

from losaw import LosawMiniBatches


def sample(n_samples=400, n_features=6):
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 2, (n_samples, n_features)).astype(float)
    X[:, 1] = np.where(rng.random(n_samples) < 0.7, X[:, 0], X[:, 1])
    return X


def make(X=None, **changes):
    options = {"batch_size": 20, "random_state": 1, **changes}
    return LosawMiniBatches(sample() if X is None else X, **options)


def test_a_mini_batch_has_the_asked_number_of_rows():
    rows = make().draw(np.ones(6))
    assert rows.shape == (20,)
    assert rows.min() >= 0
    assert rows.max() < 400


def test_a_feature_of_importance_zero_is_never_drawn():
    batches = make()
    for _ in range(300):
        batches.draw_feature([0, 1, 0, 2, 0, 0])
    assert set(np.flatnonzero(batches.n_draws)) == {1, 3}


def test_rows_are_drawn_with_the_weights_of_the_feature():
    from scipy.stats import chisquare

    batches = make(batch_size=400)
    counts = np.zeros(400)
    for _ in range(100):
        counts += np.bincount(batches.draw_rows(0), minlength=400)
    assert chisquare(counts, batches.weights(0) * counts.sum()).pvalue > 1e-3


def test_the_same_seed_draws_the_same_rows():
    first, second = make(), make()
    for _ in range(5):
        np.testing.assert_array_equal(first.draw(np.ones(6)), second.draw(np.ones(6)))


def test_effective_sample_sizes_are_known_for_drawn_features_only():
    batches = make(eta=0.3)
    batches.draw([1, 0, 0, 0, 0, 0])
    sizes = batches.relative_effective_sample_sizes()
    assert 0.3 <= sizes[0] <= 1.0
    assert np.isnan(sizes[1:]).all()


def test_a_constant_model_is_announced_and_features_are_drawn_uniformly():
    batches = make()
    with pytest.warns(RuntimeWarning, match="the model is constant"):
        batches.draw_feature(lambda rows: np.zeros((len(rows), 6)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once is enough
        for _ in range(200):
            batches.draw_feature(lambda rows: np.zeros((len(rows), 6)))
    assert batches.n_uniform_draws == 201
    assert (batches.n_draws > 0).all()


def test_a_model_that_was_constant_and_moves_again_is_believed():
    batches = make()
    with pytest.warns(RuntimeWarning):
        batches.draw_feature(np.zeros(6))
    only_first = np.eye(6)[0]
    assert batches.draw_feature(lambda rows: np.tile(only_first, (len(rows), 1))) == 0
    assert batches.n_uniform_draws == 1


def test_a_single_row_with_importance_decides():
    def one_row(rows):
        return np.outer(rows == 17, np.eye(6)[4])

    batches = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert {batches.draw_feature(one_row) for _ in range(3)} == {4}


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_non_finite_features_are_refused(value):
    X = sample()
    X[7, 2] = value
    with pytest.raises(ValueError, match=r"1 rows with missing or infinite.*row 7, column 2"):
        make(X)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"eta": 0.0}, r"eta must lie in \(0, 1\]"),
        ({"eta": 1.5}, r"eta must lie in \(0, 1\]"),
        ({"batch_size": 401}, "batch_size=401 is larger than the sample"),
        ({"batch_size": 0}, "batch_size must be an integer of at least 1"),
        ({"correlation_threshold": 2}, "correlation_threshold must be a number in"),
        ({"discrete_features": "autp"}, "did you mean 'auto'"),
        ({"discrete_features": [True]}, r"mask of shape \(6,\)"),
    ],
)
def test_parameters_out_of_range_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        make(**changes)


@pytest.mark.parametrize(
    ("importances", "message"),
    [
        (np.ones(5), r"shape \(5,\), expected \(6,\)"),
        (np.array([1, 1, -1, 1, 1, 1]), "finite and in"),
        (np.array([1, 1, np.nan, 1, 1, 1]), "finite and in"),
        (lambda rows: np.full((len(rows), 6), 2.0), r"in \[0, 1\]"),
        (lambda rows: np.ones((len(rows), 5)), r"expected \(24, 6\)"),
    ],
)
def test_importances_that_are_none_are_refused(importances, message):
    with pytest.raises(ValueError, match=message):
        make().draw(importances)


@pytest.mark.parametrize("X", [np.zeros(5), np.zeros((0, 3)), np.zeros((2, 2, 2))])
def test_samples_of_another_shape_are_refused(X):
    with pytest.raises(ValueError, match="X must have shape"):
        make(X, batch_size=1)
