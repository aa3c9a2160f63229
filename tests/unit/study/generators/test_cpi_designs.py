"""The designs of the CPI paper: dependence, effects, sizes."""

import numpy as np
import pytest
from scipy.stats import norm

from losaw.study.generators.category_effects import cut_into_levels
from losaw.study.generators.conditional_dag import ConditionalDagGenerator
from losaw.study.generators.confounder import ConfounderGenerator
from losaw.study.generators.mixed_pairs import BAYES_ERROR, MixedPairsGenerator
from reference.in_study import draw


def whole(data):
    return np.vstack([data.train.X, data.test.X]), np.concatenate([data.train.y, data.test.y])


def test_levels_are_equally_frequent_quantile_bins():
    values = np.random.default_rng(0).standard_normal(1000)
    codes, _ = cut_into_levels(values, 5, 1.0, "ordered", np.random.default_rng(1))
    assert np.bincount(codes.astype(int)).tolist() == [200] * 5


def test_ordered_effects_rise_with_the_bins_and_shuffled_ones_with_the_codes():
    values = np.random.default_rng(0).standard_normal(1000)
    for weights, other in (("ordered", values), ("shuffled", None)):
        codes, effect_of_code = cut_into_levels(values, 5, 0.5, weights, np.random.default_rng(2))
        along = codes if other is None else other
        order = np.argsort(along, kind="stable")
        effects = effect_of_code[codes.astype(int)]
        assert (np.diff(effects[order]) >= 0).all()
        assert sorted(set(effects)) == pytest.approx([-0.5, -0.25, 0, 0.25, 0.5])


def test_a_third_of_the_rows_is_the_test_sample():
    data = draw(ConditionalDagGenerator(n_samples=1000, categorical="none"))
    assert (len(data.train.y), len(data.test.y)) == (660, 340)


def test_the_chains_have_the_stated_correlations():
    X, y = whole(draw(ConditionalDagGenerator(n_samples=20_000, categorical="none", beta=0.9)))
    found = np.corrcoef(X.T)
    expected = 0.9 / np.sqrt(1.81)
    # Five standard errors.
    assert found[0, 3] == pytest.approx(expected, abs=5 / np.sqrt(20_000))
    assert found[1, 2] == pytest.approx(expected, abs=5 / np.sqrt(20_000))
    assert found[0, 1] == pytest.approx(0, abs=5 / np.sqrt(20_000))
    assert np.corrcoef(X[:, 0], y)[0, 1] > 0.2


def test_x1_adds_nothing_to_the_others():
    X, y = whole(draw(ConditionalDagGenerator(n_samples=20_000, categorical="none", beta=0.9)))
    design = np.column_stack([np.ones(len(y)), X])
    coefficients = np.linalg.lstsq(design, y, rcond=None)[0]
    assert coefficients[1:] == pytest.approx([0, 0, 0.9, 0.9], abs=5 / np.sqrt(20_000) * 1.4)


@pytest.mark.parametrize(("categorical", "n_nominal"), [("none", 0), ("X1+X3", 2), ("all", 4)])
def test_categorical_features_are_declared_nominal(categorical, n_nominal):
    data = draw(ConditionalDagGenerator(n_samples=200, categorical=categorical))
    assert data.feature_kinds.count("nominal") == n_nominal


def test_pairs_correlate_by_rho_and_pairs_are_independent():
    data = draw(MixedPairsGenerator(n_samples=20_000, rho=0.8, n_levels=5))
    found = np.corrcoef(whole(data)[0][:, :8].T)
    assert found[0, 1] == pytest.approx(0.8, abs=5 * 0.36 / np.sqrt(20_000))
    assert np.abs(found[:2, 2:]).max() < 5 / np.sqrt(20_000)


def test_the_step_is_positive_between_the_quartiles():
    data = draw(MixedPairsGenerator(n_samples=600, rho=0.5, n_levels=2))
    X = np.zeros((2, 12))
    X[1, 5] = norm.ppf(0.75) + 1e-6
    mean = data.truth.regression_function(X)
    assert mean[0] - mean[1] == pytest.approx(2)


def test_the_noise_has_half_the_variance_of_the_signal():
    data = draw(MixedPairsGenerator(n_samples=5000, rho=0.5, n_levels=5))
    X, _ = whole(data)
    signal = data.truth.regression_function(X)
    assert data.truth.noise_variance == pytest.approx(signal.var(ddof=1) / 2)


def test_the_less_probable_class_has_probability_one_fifth():
    generator = MixedPairsGenerator(n_samples=5000, rho=0.5, n_levels=5, outcome="classification")
    data = draw(generator)
    probability = data.truth.regression_function(whole(data)[0])
    assert np.minimum(probability, 1 - probability).mean() == pytest.approx(BAYES_ERROR, abs=1e-4)


def test_x_correlates_with_y_through_the_confounder_only():
    X, y = whole(draw(ConfounderGenerator(n_samples=20_000)))
    assert np.corrcoef(X[:, 1], y)[0, 1] > 0.15
    for c in (0, 1):
        here = X[:, 0] == c
        assert abs(np.corrcoef(X[here, 1], y[here])[0, 1]) < 5 / np.sqrt(here.sum())
