"""The network as a scikit-learn regressor."""

import warnings

import numpy as np
import pytest

from losaw import LosawNetworkRegressor, NetworkRegressor
from losaw.network import training
from losaw.network.mini_batches import ShuffledMiniBatches

# All with one learning rate, so that each form of the network is compiled once.
TINY = {
    "batch_size": 30, "filters": (4, 6), "units": (6, 4), "learning_rate": 0.01, "random_state": 1,
}  # fmt: skip
BOTH = pytest.mark.parametrize("regressor", [NetworkRegressor, LosawNetworkRegressor])


def sample(n_samples=300, n_features=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (n_samples, n_features)).astype(float)
    X[:, 1] = np.where(rng.random(n_samples) < 0.6, X[:, 0], X[:, 1])
    return X, 2 * X[:, 0] + X[:, 8] + 0.3 * rng.standard_normal(n_samples)


@BOTH
def test_a_trained_network_predicts_and_finds_the_signals(regressor):
    X, y = sample()
    model = regressor(300, **TINY).fit(X, y)
    assert model.score(X, y) > 0.8
    assert set(np.argsort(-model.feature_importances_)[:2]) == {0, 8}


def test_eta_of_one_still_draws_features_but_weights_no_row():
    X, y = sample()
    record = LosawNetworkRegressor(10, eta=1.0, **TINY).fit(X, y).training_record_
    assert record["draws"].sum() == 10
    assert np.nanmin(record["relative_effective_sample_sizes"]) == pytest.approx(1.0)


def test_importances_are_the_saliency_of_the_training_rows():
    X, y = sample()
    model = NetworkRegressor(5, **TINY).fit(X, y)
    network = training.network_for(model, X)
    size = np.abs(network.form.input_gradients(model.parameters_, network.form.encode(X)))
    low, high = size.min(axis=1, keepdims=True), size.max(axis=1, keepdims=True)
    mean = ((size - low) / (high - low + 1e-7)).mean(axis=0)
    expected = (mean - mean.min()) / (mean.max() - mean.min())
    np.testing.assert_allclose(model.feature_importances_, expected, atol=1e-5)


def test_the_saliency_of_a_constant_network_is_zero_everywhere():
    assert not training.normalized_rows(np.zeros((3, 4))).any()
    assert not training.normalized(np.zeros(4)).any()


def test_rows_that_the_table_does_not_know_are_predicted_by_the_same_network():
    X, y = sample()
    model = NetworkRegressor(5, **TINY).fit(X, y)
    nearly = X + 1e-6
    np.testing.assert_allclose(model.predict(nearly), model.predict(X), atol=1e-3)
    with pytest.raises(ValueError, match=r"up to 1e\+140 in size \(row 0\).*unit of the fit"):
        model.predict(np.full_like(X, 1e140))
    assert isinstance(training.network_for(model, X).form, training.LookupForm)
    assert isinstance(training.network_for(model, nearly).form, training.ShiftsForm)


def test_a_prediction_does_not_depend_on_the_rows_beside_it():
    X, y = sample()
    model = NetworkRegressor(5, **TINY).fit(X, y)
    np.testing.assert_array_equal(model.predict(X[:7]), model.predict(X)[:7])


@pytest.mark.parametrize(
    "changed",
    [{"units": (3, 3)}, {"filters": (2, 2)}, {"kernel_sizes": (9, 9)}, {"learning_rate": -1}],
    ids=str,
)
def test_parameters_that_are_set_after_the_fit_are_of_the_next_one(changed):
    X, y = sample()
    model = NetworkRegressor(5, **TINY).fit(X, y)
    expected = model.predict(X)
    np.testing.assert_array_equal(model.set_params(**changed).predict(X), expected)


def test_mini_batches_go_through_the_sample_before_a_row_comes_again():
    batches = ShuffledMiniBatches(300, 30, np.random.default_rng(0))
    epoch = np.concatenate([batches.draw() for _ in range(10)])
    np.testing.assert_array_equal(np.sort(epoch), np.arange(300))


def test_a_progress_bar_is_shown_when_asked_for(capsys):
    X, y = sample()
    NetworkRegressor(3, verbose=1, **TINY).fit(X, y)
    assert "3/3" in capsys.readouterr().err


def test_features_of_any_kind_are_convolved():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 12))
    X[:, 3] = np.sign(X[:, 3])
    y = X[:, 0] - X[:, 3]
    model = LosawNetworkRegressor(150, **TINY).fit(X, y)
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("far", [(100, 1, 0, 1), (0, 1000, 0, 1), (0, 1, 50, 1), (0, 1, 0, 1e-3)])
def test_values_that_training_learns_little_of_are_warned_of(far):
    X, y = sample()
    X[:, 6] = np.arange(300) == 7  # a level of one row is no small unit
    for place, size, mean, deviation in (far, (1, 5, 3, 100)):
        X[:, 5] = place + size * X[:, 8]
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            NetworkRegressor(1, **TINY).fit(X, mean + deviation * y)
        assert ["StandardScaler" in str(w.message) for w in found] == [True] * (mean != 3)


def test_a_saliency_that_is_not_finite_is_no_importance_of_zero():
    """Its parameters are finite: what overflows is their product."""
    rows = np.abs(np.random.default_rng(0).standard_normal((60, 10))) + 0.1
    sizes = {"filters": (4, 4), "units": (4, 4), "batch_size": 32, "random_state": 1}
    model = NetworkRegressor(1, learning_rate=1e9, **sizes)
    with pytest.raises(ValueError, match="diverged"):
        model.fit(rows, rows[:, 0] + 3)
    assert not hasattr(model, "parameters_")
