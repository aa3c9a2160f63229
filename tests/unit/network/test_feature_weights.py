"""Row weights of one feature, on cells of a contingency table or row by row."""

import numpy as np
import pytest

from losaw.network import FeatureWeights
from losaw.weighting import effective_sample_size, losaw_weights, weighted_correlations

NO_CAP = 1e-9


def correlated_levels(n_samples=3000, n_features=6, seed=0):
    """Three correlated features in {-1, 0, 1} and independent ones."""
    rng = np.random.default_rng(seed)
    latent = rng.standard_normal((n_samples, n_features))
    latent[:, 1] = 0.8 * latent[:, 0] + 0.6 * latent[:, 1]
    latent[:, 2] = 0.5 * latent[:, 0] + 0.8 * latent[:, 2]
    return np.digitize(latent, [-0.67, 0.67]) - 1.0


def test_a_feature_is_adjusted_for_all_it_is_correlated_with():
    weights = FeatureWeights(correlated_levels(), 0.2, 0.1)
    assert list(weights.adjustment_features(0)) == [1, 2]
    assert list(weights.adjustment_features(4)) == []


def test_weights_on_cells_are_those_of_the_rows():
    X = correlated_levels()
    found = FeatureWeights(X, 0.3, 0.1)(0)
    np.testing.assert_allclose(found, losaw_weights(X[:, 0], X[:, [1, 2]], eta=0.3), rtol=1e-6)


def test_many_patterns_are_numbered_and_change_nothing():
    rng = np.random.default_rng(2)
    X = (
        np.digitize(rng.standard_normal((400, 1)) + rng.standard_normal((400, 9)), [-0.8, 0.8])
        - 1.0
    )
    found = FeatureWeights(X, 0.3, 0.1)(0)
    np.testing.assert_allclose(found, losaw_weights(X[:, 0], X[:, 1:], eta=0.3), rtol=1e-6)


@pytest.mark.parametrize("eta", [0.5, 0.9])
def test_the_cap_is_met_exactly_where_it_is_active(eta):
    weights = FeatureWeights(correlated_levels(), eta, 0.1)
    assert FeatureWeights(correlated_levels(), NO_CAP, 0.1).relative_effective_sample_size(0) < eta
    assert weights.relative_effective_sample_size(0) == pytest.approx(eta, rel=1e-9)


def test_a_feature_without_adjustment_features_has_uniform_weights():
    X = correlated_levels()
    np.testing.assert_array_equal(FeatureWeights(X, 0.2, 0.1)(5), np.full(len(X), 1 / len(X)))


def test_a_continuous_feature_has_the_weights_of_its_regression():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((500, 3))
    X[:, 1] += X[:, 0]
    found = FeatureWeights(X, 0.3, 0.2)(0)
    np.testing.assert_allclose(found, losaw_weights(X[:, 0], X[:, [1]], eta=0.3), rtol=1e-12)


@pytest.mark.parametrize("target", [0, 1], ids=["discrete", "continuous"])
def test_features_of_both_kinds_adjust_each_other(target):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((500, 4))
    X[:, 1] += X[:, 0]
    X[:, 0] = np.sign(X[:, 0])
    weights = FeatureWeights(X, 0.1, 0.2)
    assert list(weights.is_discrete) == [True, False, False, False]
    found = weighted_correlations(X[:, target], X[:, [1 - target]], weights(target))
    assert abs(found[0]) < 0.5 * abs(np.corrcoef(X[:, 0], X[:, 1])[0, 1])


def test_a_linear_function_of_others_has_uniform_weights():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((200, 3))
    X[:, 2] = X[:, 0] - X[:, 1]
    np.testing.assert_array_equal(FeatureWeights(X, 0.2, 0.1)(2), np.full(200, 1 / 200))


def test_a_constant_column_is_no_adjustment_feature():
    X = correlated_levels()
    X[:, 3] = 7.0
    weights = FeatureWeights(X, 0.2, 0.0)
    assert list(weights.adjustment_features(3)) == []
    assert effective_sample_size(weights(3)) == pytest.approx(len(X))


def test_the_unit_of_a_column_does_not_change_its_weights():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 2))
    X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    X[7, 1] += 5.0  # far from the line: its density underflows
    weights = FeatureWeights(X, 0.2, 0.1)(1)
    np.testing.assert_allclose(FeatureWeights(1e-3 * X, 0.2, 0.1)(1), weights, rtol=1e-6)
