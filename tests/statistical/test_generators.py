"""Sampled moments within Monte Carlo error of the laws that the paper states.

z-scores over all entries together; 5 is exceeded by chance with probability 6e-7 per entry.
"""

import functools
from unittest.mock import patch

import numpy as np
import pytest
from scipy.stats import norm

from losaw.study.generators.correlation import correlation_matrix
from losaw.study.generators.joint_law.fit import law_of
from losaw.study.generators.losaw import N_PILOT, LosawGenerator
from losaw.study.generators.normal_linear import NormalLinearGenerator

N = 40_000
DATA_TYPES = ("continuous", "discrete")
VARIANCE = {"continuous": 1.0, "discrete": 0.5}


@pytest.fixture(scope="module")
def drawn():
    @functools.cache
    @patch("losaw.study.generators.losaw.N_OTHERS", N)
    def draw(data_type, function="f3"):
        generator = LosawGenerator(
            data_type=data_type,
            n_samples=N,
            n_features=9,
            phi=0.5,
            function=function,
        )
        return generator.sample(np.random.default_rng(7))

    return draw


def z_scores_of_correlations(X, target):
    """Every off-diagonal correlation minus its target in standard errors, these from the sample."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    z = []
    for p in range(X.shape[1]):
        for q in range(p):
            # Influence function of a correlation: z_p z_q - r (z_p^2 + z_q^2) / 2.
            r = (Z[:, p] * Z[:, q]).mean()
            influence = Z[:, p] * Z[:, q] - r * (Z[:, p] ** 2 + Z[:, q] ** 2) / 2
            z.append((r - target[p, q]) / (influence.std() / np.sqrt(len(X))))
    return np.array(z)


@pytest.mark.parametrize("sample", ["train", "test"])
@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_the_first_six_features_have_correlation_sigma_and_the_others_none(
    drawn, data_type, sample
):
    X = getattr(drawn(data_type), sample).X
    expected = correlation_matrix("six-features", 9)
    if data_type == "discrete":  # those of the log-barrier law are a little smaller
        law = law_of(LosawGenerator(**LosawGenerator.examples[1]).joint_law())
        expected[:6, :6] = law.attained_correlation
    assert np.abs(z_scores_of_correlations(X, expected)).max() < 5


@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_features_of_the_independent_sample_are_uncorrelated(drawn, data_type):
    X = drawn(data_type).independent.X
    assert np.abs(z_scores_of_correlations(X, np.eye(9))).max() < 5
    assert np.abs(z_scores_of_correlations(X**2, np.eye(9))).max() < 5


@pytest.mark.parametrize("sample", ["train", "test", "independent"])
def test_discrete_features_take_three_values_with_binomial_frequencies(drawn, sample):
    X = getattr(drawn("discrete"), sample).X
    assert set(np.unique(X)) == {-1.0, 0.0, 1.0}
    for level, probability in ((-1, 0.25), (0, 0.5), (1, 0.25)):
        z = ((level == X).mean(axis=0) - probability) / np.sqrt(probability * (1 - probability) / N)
        assert np.abs(z).max() < 5


@pytest.mark.parametrize("sample", ["train", "test", "independent"])
def test_continuous_features_are_normal(drawn, sample):
    # Kolmogorov-Smirnov: sqrt(n) D exceeds 2.4 with probability 2e-5.
    ordered = np.sort(getattr(drawn("continuous"), sample).X, axis=0)
    position = np.arange(1, N + 1)[:, None] / N
    distance = np.abs(norm.cdf(ordered) - position).max(axis=0) + 1 / N
    assert (np.sqrt(N) * distance).max() < 2.4


@pytest.mark.parametrize("data_type", DATA_TYPES)
@pytest.mark.parametrize(
    ("function", "variance_in_units"),
    [("f1", 1.0), ("f2", 2.4), ("f3", 2.8), ("f4", 4.6)],
)
def test_noise_has_phi_times_the_variance_of_the_regression_function(
    drawn, data_type, function, variance_in_units
):
    # Var of a sum of features: 1' Sigma 1 in units of the marginal variance.
    data = drawn(data_type, function)
    exact = 0.5 * variance_in_units * VARIANCE[data_type]
    # The variance on 10,000 rows has a relative error of at most sqrt(2 / 10,000).
    assert abs(data.truth.noise_variance / exact - 1) < 5 * np.sqrt(2 / 10_000)
    for sample in (data.train, data.test):
        noise = sample.y - data.truth.regression_function(sample.X)
        assert abs(noise.mean()) < 5 * np.sqrt(data.truth.noise_variance / N)
        assert abs((noise**2).mean() / data.truth.noise_variance - 1) < 5 * np.sqrt(2 / N)


@patch("losaw.study.generators.losaw.N_OTHERS", 1)
@patch("losaw.study.generators.losaw.N_PILOT", 1000)  # a tenth, of which ten times as many are fast
def test_the_signal_variance_is_estimated_anew_in_every_draw():
    assert N_PILOT == 10_000
    generator = LosawGenerator(
        data_type="continuous", n_samples=2, n_features=6, phi=1.0, function="f5"
    )
    variances = [
        generator.sample(np.random.default_rng(seed)).truth.noise_variance for seed in range(1000)
    ]
    # f5 is an indicator of probability q = 1/4 + arcsin(.4) / (2 pi), on 1,000 rows; a variance
    # with 1 / n is smaller by 1 / 1,000.
    q = 0.25 + np.arcsin(0.4) / (2 * np.pi)
    spread = abs(1 - 2 * q) * np.sqrt(q * (1 - q) / 1000)
    assert abs(np.mean(variances) - 0.999 * q * (1 - q)) < 5 * spread / np.sqrt(1000)
    assert np.std(variances) == pytest.approx(spread, rel=5 / np.sqrt(2 * 1000))


@pytest.mark.parametrize(
    ("name", "n_features"),
    [("identity", 5), ("homogeneous", 5), ("heterogeneous", 5), ("six-features", 10)],
)
def test_normal_data_have_their_correlation_matrix_and_unit_noise(name, n_features):
    generator = NormalLinearGenerator(correlation=name, n_features=n_features, n_samples=N)
    data = generator.sample(np.random.default_rng(5))
    target = correlation_matrix(name, n_features)
    assert np.abs(z_scores_of_correlations(data.train.X, target)).max() < 5
    noise = data.train.y - data.train.X[:, 0] - data.train.X[:, 1]
    assert abs((noise**2).mean() - 1) < 5 * np.sqrt(2 / N)
    assert data.truth.signal == (0, 1)
