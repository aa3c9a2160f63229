"""The network as a scikit-learn regressor."""

import numpy as np
import pytest

from losaw import LosawNetworkRegressor, NetworkRegressor
from losaw.network import fitting
from losaw.network.saliency import normalized, normalized_rows

TINY = {"batch_size": 30, "filters": (4, 6), "units": (6, 4), "random_state": 1}
BOTH = pytest.mark.parametrize("regressor", [NetworkRegressor, LosawNetworkRegressor])


def sample(n_samples=300, n_features=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (n_samples, n_features)).astype(float)
    X[:, 1] = np.where(rng.random(n_samples) < 0.6, X[:, 0], X[:, 1])
    return X, 2 * X[:, 0] + X[:, 8] + 0.3 * rng.standard_normal(n_samples)


def same_bits(first, second):
    return all(
        np.array_equal(first.parameters_[name], second.parameters_[name])
        for name in first.parameters_
    )


@BOTH
def test_a_trained_network_predicts_and_finds_the_signals(regressor):
    X, y = sample()
    model = regressor(300, learning_rate=0.01, **TINY).fit(X, y)
    assert model.score(X, y) > 0.8
    assert set(np.argsort(-model.feature_importances_)[:2]) == {0, 8}


@BOTH
def test_equal_seeds_give_equal_bits(regressor):
    X, y = sample()
    assert same_bits(regressor(5, **TINY).fit(X, y), regressor(5, **TINY).fit(X, y))


def test_eta_of_one_still_draws_features_but_weights_no_row():
    X, y = sample()
    record = LosawNetworkRegressor(10, eta=1.0, **TINY).fit(X, y).training_record_
    assert record["draws"].sum() == 10
    assert np.nanmin(record["relative_effective_sample_sizes"]) == pytest.approx(1.0)


def test_importances_are_the_saliency_of_the_training_rows():
    X, y = sample()
    model = NetworkRegressor(5, **TINY).fit(X, y)
    network = fitting.network_for(model, X)
    size = np.abs(network.form.input_gradients(model.parameters_, network.form.encode(X)))
    low, high = size.min(axis=1, keepdims=True), size.max(axis=1, keepdims=True)
    mean = ((size - low) / (high - low + 1e-7)).mean(axis=0)
    expected = (mean - mean.min()) / (mean.max() - mean.min())
    np.testing.assert_allclose(model.feature_importances_, expected, atol=1e-5)
    np.testing.assert_allclose(model.saliency(X), expected, atol=1e-5)


def test_the_saliency_of_a_constant_network_is_zero_everywhere():
    assert not normalized_rows(np.zeros((3, 4))).any()
    assert not normalized(np.zeros(4)).any()


def test_rows_that_the_table_does_not_know_are_predicted_by_the_same_network():
    X, y = sample()
    model = NetworkRegressor(5, **TINY).fit(X, y)
    nearly = X + 1e-6
    np.testing.assert_allclose(model.predict(nearly), model.predict(X), atol=1e-3)
    assert fitting.network_for(model, X).form.name == "lookup"
    assert fitting.network_for(model, nearly).form.name == "shifts"


def test_a_prediction_does_not_depend_on_the_rows_beside_it():
    X, y = sample()
    model = NetworkRegressor(5, **TINY).fit(X, y)
    np.testing.assert_array_equal(model.predict(X[:7]), model.predict(X)[:7])


def test_mini_batches_go_through_the_sample_before_a_row_comes_again():
    X, _ = sample()
    batches = NetworkRegressor(**TINY)._mini_batches(X, np.random.default_rng(0))
    epoch = np.concatenate([batches.draw() for _ in range(10)])
    np.testing.assert_array_equal(np.sort(epoch), np.arange(300))


def test_a_progress_bar_is_shown_when_asked_for(capsys):
    X, y = sample()
    NetworkRegressor(3, verbose=1, **TINY).fit(X, y)
    assert "3/3" in capsys.readouterr().err


@BOTH
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_steps": 0}, ValueError, "n_steps must be an integer of at least 1"),
        ({"batch_size": 301}, ValueError, "batch_size=301 is larger than the sample"),
        ({"batch_size": 2.5}, TypeError, "batch_size must be an integer"),
        (
            {"learning_rate": 0.0},
            ValueError,
            "learning_rate must be a finite number of at least 1e-30",
        ),
        ({"filters": (3,)}, TypeError, "filters must be a pair"),
        ({"kernel_sizes": (9, 9)}, ValueError, "need at least 17"),
        ({"n_saliency_rows": 0}, ValueError, "n_saliency_rows must be an integer of at least 1"),
        ({"random_state": "seed"}, TypeError, "random_state"),
    ],
)
def test_parameters_out_of_range_are_refused_before_training(regressor, options, error, message):
    with pytest.raises(error, match=message):
        regressor(**{**TINY, **options}).fit(*sample())


@pytest.mark.parametrize("eta", [0, -0.1, 1.01])
def test_eta_out_of_range_is_refused(eta):
    with pytest.raises(ValueError, match="eta must lie in"):
        LosawNetworkRegressor(2, eta=eta, **TINY).fit(*sample())


@BOTH
def test_too_few_features_for_the_convolutions_are_refused(regressor):
    X, y = sample(n_features=12)
    with pytest.raises(ValueError, match=r"X has 6 features.*need at least 7"):
        regressor(2, **TINY).fit(X[:, :6], y)


@BOTH
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_non_finite_numbers_are_refused(regressor, value):
    X, y = sample()
    broken = X.copy()
    broken[5, 3] = value
    with pytest.raises(ValueError, match="row 5, column 3"):
        regressor(2, **TINY).fit(broken, y)
    response = y.copy()
    response[5] = value
    with pytest.raises(ValueError, match=r"y has 1 missing or infinite|Input y contains"):
        regressor(2, **TINY).fit(X, response)


def test_a_constant_response_is_refused():
    X, _ = sample()
    with pytest.raises(ValueError, match="y is constant"):
        NetworkRegressor(2, **TINY).fit(X, np.ones(len(X)))


def test_one_row_is_refused():
    with pytest.raises(ValueError):
        NetworkRegressor(2, **TINY).fit(np.zeros((1, 12)), [1.0])


def test_features_of_any_kind_are_convolved():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 12))
    X[:, 3] = np.sign(X[:, 3])
    y = X[:, 0] - X[:, 3]
    model = LosawNetworkRegressor(150, learning_rate=0.01, **TINY).fit(X, y)
    assert model.score(X, y) > 0.8


def test_a_response_that_single_precision_cannot_square_is_refused():
    X, y = sample()
    with pytest.raises(ValueError, match=r"^y holds values beyond 1e\+18"):
        LosawNetworkRegressor(n_steps=2).fit(X, 1e149 * y)
