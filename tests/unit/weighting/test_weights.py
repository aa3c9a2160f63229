"""Losaw weights: analytic targets of the paper's examples, propensity models, bad input."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from losaw.weighting import (
    ClassFrequency,
    GaussianLinear,
    MultinomialLogit,
    NormalDensity,
    effective_sample_size,
    losaw_weights,
    weighted_correlations,
)

# Examples 2.5 and 2.7: X1, X2 in {0, 1}, P(equal) = .8; the population as ten rows.
POPULATION = np.array([[0, 0]] * 4 + [[1, 1]] * 4 + [[1, 0], [0, 1]], dtype=float)


class TruePropensity:
    """P(X2 | X1) of the examples: .8 where equal, .2 where not."""

    def fit(self, target, adjustment, counts=None):
        return self

    def density(self, target, adjustment):
        return np.where(target == adjustment[:, 0], 0.8, 0.2)


def example_weights():
    return losaw_weights(
        POPULATION[:, 1],
        POPULATION[:, 0],
        eta=0.01,
        propensity=TruePropensity(),
        stabilization=ClassFrequency(),
    )


def conditional_means(y, weights):
    x2 = POPULATION[:, 1]
    return [np.average(y[x2 == k], weights=weights[x2 == k]) for k in (0.0, 1.0)]


def test_true_propensities_give_zero_weighted_correlation():
    before = np.corrcoef(POPULATION.T)[0, 1]
    after = weighted_correlations(POPULATION[:, 1], POPULATION[:, 0], example_weights())
    assert before == pytest.approx(0.6)
    assert after == pytest.approx(0.0, abs=1e-12)


def test_example_2_5_noise_feature_has_association_but_no_effect():
    y = POPULATION[:, 0]
    assert conditional_means(y, np.ones(10)) == pytest.approx([0.2, 0.8])
    assert conditional_means(y, example_weights()) == pytest.approx([0.5, 0.5])


def test_example_2_7_signal_feature_has_effect_but_no_association():
    f = {(0, 0): 0.0, (0, 1): -3.0, (1, 0): 5.0, (1, 1): 2.0}
    y = np.array([f[int(a), int(b)] for a, b in POPULATION])
    association = conditional_means(y, np.ones(10))
    assert association[0] == pytest.approx(association[1])
    # E f(X1, 0) = (0 + 5) / 2 and E f(X1, 1) = (-3 + 2) / 2 under independence
    assert conditional_means(y, example_weights()) == pytest.approx([2.5, -0.5])


def test_the_gaussian_density_is_that_of_the_residuals():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((200, 2))
    x = 1.0 + a @ [0.5, -2.0] + rng.standard_normal(200)
    model = GaussianLinear().fit(x, a)
    slope = np.linalg.lstsq(np.column_stack([np.ones(200), a]), x, rcond=None)[0]
    residual = x - slope[0] - a @ slope[1:]
    variance = np.mean(residual**2)
    expected = np.exp(-(residual**2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    np.testing.assert_allclose(model.density(x, a), expected, rtol=1e-9)


def test_rows_that_count_several_times_are_that_many_rows_to_the_linear_regression():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((200, 2))
    x = a @ [0.5, -2.0] + np.exp(a[:, 0]) * rng.standard_normal(200)
    counts = 1 + 9 * (a[:, 0] > 0)
    each = np.repeat(np.arange(200), counts)
    one, other = GaussianLinear().fit(x, a, counts), GaussianLinear().fit(x[each], a[each])
    assert one.variance_ == pytest.approx(other.variance_, rel=1e-9)
    np.testing.assert_allclose(one.density(x, a), other.density(x, a), rtol=1e-9)


def test_the_marginal_density_is_that_of_the_reference():
    rng = np.random.default_rng(0)
    a = rng.standard_normal(400)
    x = 0.3 * a + rng.standard_normal(400) + (np.arange(400) >= 50)
    some = x[:50], a[:50]
    ratio = NormalDensity().fit(x).density(x[:50]) / GaussianLinear().fit(*some).density(*some)
    found = losaw_weights(*some, eta=1e-6, reference=x)
    np.testing.assert_allclose(found, ratio / ratio.sum(), rtol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_logit_agrees_with_scikit_learns_penalised_fit(n_classes):
    rng = np.random.default_rng(n_classes)
    level = rng.integers(0, 3, (400, 2)).astype(float)
    score = level.sum(axis=1) + rng.logistic(size=400)
    x = np.searchsorted(np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]), score)
    one_hot = (level[:, :, None] == np.arange(3)).reshape(400, 6).astype(float)
    theirs = LogisticRegression(C=1.0, tol=1e-12, max_iter=10000).fit(one_hot, x)
    ours = MultinomialLogit().fit(x, level)
    np.testing.assert_allclose(ours.probabilities(level), theirs.predict_proba(one_hot), atol=1e-6)


def test_the_logit_standardises_continuous_adjustment_features():
    rng = np.random.default_rng(4)
    a = rng.standard_normal(300)
    x = (a + rng.standard_normal(300) > 0).astype(float)
    found, scaled = (MultinomialLogit().fit(x, b).probabilities(b) for b in (a, 1000 * a + 7))
    np.testing.assert_allclose(found, scaled, atol=1e-8)
    each = np.repeat(np.arange(300), counts := 1 + 9 * (a > 0))  # a row that occurs ten times
    one, other = MultinomialLogit().fit(x, a, counts), MultinomialLogit().fit(x[each], a[each])
    np.testing.assert_allclose(one.coefficients_, other.coefficients_, atol=1e-8)


def test_stabilising_densities():
    values = np.array([0.0, 1.0, 1.0, 2.0])
    np.testing.assert_allclose(ClassFrequency().fit(values).density(values), [0.25, 0.5, 0.5, 0.25])
    expected = np.exp(-((values - 1.0) ** 2)) / np.sqrt(np.pi)
    np.testing.assert_allclose(NormalDensity().fit(values).density(values), expected)


def test_no_adjustment_features_give_uniform_weights():
    assert losaw_weights(np.arange(4.0), np.empty((4, 0))).tolist() == [0.25] * 4


def test_a_model_of_one_density_goes_with_one_of_the_same_kind():
    rng = np.random.default_rng(0)
    counts, adjustment = rng.geometric(0.3, 2000).clip(max=9), rng.standard_normal((2000, 2))
    for given in ({"propensity": GaussianLinear()}, {"stabilization": NormalDensity()}):
        weights = losaw_weights(counts, adjustment, eta=1e-6, **given)
        assert effective_sample_size(weights) > 0.95 * 2000  # independent: nearly uniform


def test_weighted_correlations_are_numpys_with_weights():
    rng = np.random.default_rng(3)
    target, adjustment = rng.standard_normal(40), rng.standard_normal((40, 2)) + 5
    weights = rng.random(40)
    covariance = np.cov(np.column_stack([target, adjustment]), rowvar=False, aweights=weights)
    scale = np.sqrt(np.diag(covariance))
    expected = covariance[0, 1:] / (scale[0] * scale[1:])
    found = weighted_correlations(target, adjustment, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    weights = np.random.default_rng(1).random(7)
    assert weighted_correlations(np.full(7, 0.1), np.full(7, 0.3), weights) == 0  # constants


@pytest.mark.parametrize("unit", [1e-300, 1e-162, 1.0, 1e154, 1e300])
def test_the_effective_sample_size_has_no_unit(unit):
    assert effective_sample_size(np.array([1.0, 2.0, 3.0]) * unit) == pytest.approx(36 / 14)


@pytest.mark.parametrize("unit", [1e-300, 1e-162, 1.0, 1e140])
def test_weighted_correlations_have_no_unit(unit):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    target, adjustment, weights = X[:, 0], X[:, 1:] + X[:, [0]], rng.random(60)
    expected = weighted_correlations(target, adjustment, weights)
    found = weighted_correlations(target * unit, adjustment * unit, weights * unit)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_an_outlier_beyond_the_range_of_a_normal_density_has_a_weight():
    rng = np.random.default_rng(0)
    a = rng.standard_normal(3000)
    x = 0.9 * a + 0.4 * rng.standard_normal(3000)
    x[0] = 1000.0  # 54 standard deviations
    assert GaussianLinear().fit(x, a).density(x, a)[0] == 0
    weights = losaw_weights(x, a, eta=0.25)
    assert np.isfinite(weights).all() and weights.sum() == pytest.approx(1)
    common = np.delete(weights, 0)
    assert common.max() < 20 * common.mean()


@pytest.mark.parametrize(
    ("n_levels", "n_samples", "outlier"),
    [(2, 5000, 999.0), (2, 20000, 350.0), (3, 20000, 350.0), (3, 20000, 999.0)],
)
def test_an_outlier_beyond_the_range_of_a_logit_has_a_weight(n_levels, n_samples, outlier):
    rng = np.random.default_rng(0)
    a = rng.standard_normal(n_samples)
    x = np.sign(a) if n_levels == 2 else np.digitize(a, [-1.0, 1.0]).astype(float)
    a[0], x[0] = outlier, x.min()
    model = MultinomialLogit().fit(x, a)
    assert model.density(x, a)[0] == 0 and -1e6 < model.log_density(x, a)[0] < -700
    np.testing.assert_allclose(model.log_density(x, a)[1:], np.log(model.density(x, a)[1:]))
    frequency = ClassFrequency().fit(x)
    np.testing.assert_allclose(frequency.log_density(x), np.log(frequency.density(x)))
    weights = losaw_weights(x, a, eta=0.25)
    assert weights.sum() == pytest.approx(1)
    assert effective_sample_size(weights) >= 0.25 * n_samples * (1 - 1e-9)


@pytest.mark.parametrize(("offset", "unit"), [(0.0, 1.0), (1.7e12, 1e10), (0.0, 1e-13)])
def test_weights_depend_neither_on_the_origin_nor_on_the_unit_of_an_adjustment(offset, unit):
    rng = np.random.default_rng(1)
    z = rng.standard_normal((1000, 1))
    x = 0.8 * z[:, 0] + 0.6 * rng.standard_normal(1000)
    unrelated = offset + unit * rng.standard_normal((1000, 1))
    np.testing.assert_allclose(losaw_weights(x, offset + unit * z), losaw_weights(x, z), rtol=1e-4)
    alone = abs(weighted_correlations(x, z, losaw_weights(x, z))[0])
    both = losaw_weights(x, np.hstack([z, unrelated]))
    assert abs(weighted_correlations(x, z, both)[0]) < alone + 0.1
