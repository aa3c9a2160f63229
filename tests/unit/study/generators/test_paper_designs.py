"""The designs of the papers on CPI, on trees and on residual importance."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.ensemble import RandomForestRegressor

from losaw.study.datasets import is_there, load_cleaned
from losaw.study.generators.binary_signal import BinarySignalGenerator
from losaw.study.generators.category_effects import cut_into_levels
from losaw.study.generators.conditional_dag import ConditionalDagGenerator
from losaw.study.generators.confounder import ConfounderGenerator
from losaw.study.generators.designs import DRAWN, OF_OTHERS, XPLAINFI, DesignGenerator
from losaw.study.generators.low_signal import LowSignalGenerator, chip_features
from losaw.study.generators.mixed_cardinality import MixedCardinalityGenerator
from losaw.study.generators.mixed_pairs import BAYES_ERROR, MixedPairsGenerator
from losaw.study.generators.noisy_copies import NoisyCopiesGenerator
from losaw.study.generators.noisy_linear import NoisyLinearGenerator
from losaw.study.generators.real_rows import (
    RealForestDataGenerator,
    RealRegressionGenerator,
    read_rows,
)
from losaw.study.registry import get
from reference.in_study import draw


def whole(data):
    return np.vstack([data.train.X, data.test.X]), np.concatenate([data.train.y, data.test.y])


def test_levels_are_equally_frequent_and_effects_rise_with_them_or_if_shuffled_with_the_codes():
    values = np.random.default_rng(0).standard_normal(1000)
    for weights, other in (("ordered", values), ("shuffled", None)):
        codes, effect_of_code = cut_into_levels(values, 5, 0.5, weights, np.random.default_rng(2))
        along = codes if other is None else other
        order = np.argsort(along, kind="stable")
        effects = effect_of_code[codes.astype(int)]
        assert np.bincount(codes.astype(int)).tolist() == [200] * 5
        assert (np.diff(effects[order]) >= 0).all()
        assert sorted(set(effects)) == pytest.approx([-0.5, -0.25, 0, 0.25, 0.5])


def test_a_third_of_the_rows_is_the_test_sample():
    data = draw(ConditionalDagGenerator(n_samples=1000, categorical="none"))
    assert (len(data.train.y), len(data.test.y)) == (660, 340)


def test_the_chains_have_the_stated_correlations_and_x1_adds_nothing_to_the_others():
    X, y = whole(draw(ConditionalDagGenerator(n_samples=20_000, categorical="none", beta=0.9)))
    found = np.corrcoef(X.T)
    expected = 0.9 / np.sqrt(1.81)
    # Five standard errors.
    assert found[0, 3] == pytest.approx(expected, abs=5 / np.sqrt(20_000))
    assert found[1, 2] == pytest.approx(expected, abs=5 / np.sqrt(20_000))
    assert found[0, 1] == pytest.approx(0, abs=5 / np.sqrt(20_000))
    assert np.corrcoef(X[:, 0], y)[0, 1] > 0.2
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


@pytest.mark.parametrize(
    ("levels", "counts"),
    [
        ("zero-to-i", [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        ("zero-to-i-minus-1", [2, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    ],
)
def test_the_features_of_table_1_have_the_levels_of_the_reading(levels, counts):
    X = draw(BinarySignalGenerator(task="regression", levels=levels)).train.X
    assert [len(np.unique(column)) for column in X.T] == counts
    assert (X.min(axis=0) == 0).all()


def test_the_signal_of_table_1_shifts_the_class_probability_by_a_tenth():
    X = np.array([[0.0] * 10, [1.0] + [0.0] * 9])
    generator = BinarySignalGenerator(task="classification")
    np.testing.assert_allclose(generator.regression_function(X), [0.45, 0.55])


def test_the_factors_of_figure_1_have_2_4_10_and_20_levels():
    X = draw(MixedCardinalityGenerator(task="regression")).train.X
    assert [len(np.unique(column)) for column in X.T[1:]] == [2, 4, 10, 20]
    assert len(np.unique(X[:, 0])) == len(X)


def test_a_flipped_response_correlates_by_rho_with_its_signal():
    generator = MixedCardinalityGenerator(task="classification", rho=0.6, n_samples=20_000)
    X, y = draw(generator).train
    # The correlation of two binary variables has standard error at most 1 / sqrt(n).
    assert np.corrcoef(X[:, 1], y)[0, 1] == pytest.approx(0.6, abs=4 / np.sqrt(20_000))


def test_the_simulated_features_are_scaled_integers_and_the_signal_is_among_the_first_ten():
    data = draw(LowSignalGenerator(task="regression"))
    levels = np.arange(1, 51)
    np.testing.assert_allclose(data.train.X * levels, np.round(data.train.X * levels), atol=1e-9)
    assert data.train.X.shape == data.test.X.shape == (1000, 50)
    assert len(data.truth.signal) == 5 and max(data.truth.signal) < 10


@pytest.mark.parametrize(("noise", "power"), [("standard-deviation", 1.0), ("variance", 0.5)])
def test_100_variances_are_the_noises_standard_deviation_or_its_variance(noise, power):
    data = draw(LowSignalGenerator(task="regression", noise=noise))
    X, y = data.train
    mean = X[:, list(data.truth.signal)].mean(axis=1)
    expected = (100 * mean.var()) ** power
    # 1000 normal residuals: the standard deviation has relative standard error 1 / sqrt(2000).
    assert (y - mean).std() == pytest.approx(expected, rel=4 / np.sqrt(2000))
    assert data.truth.noise_variance == pytest.approx(expected**2)


needs_chip = pytest.mark.skipif(not is_there("chip_enhancer"), reason="set LOSAW_DATA")


@pytest.mark.parametrize(
    ("dataset", "logit", "slope", "constant"),
    [
        ("Simulated", "printed", 2, -1),
        ("Simulated", "notebook", 2, 0),
        pytest.param("ChIP", "printed", 2, -1, marks=needs_chip),
        pytest.param("ChIP", "notebook", 4, 0, marks=needs_chip),
    ],
)
def test_the_class_probability_has_the_reading_of_the_logit(dataset, logit, slope, constant):
    data = draw(LowSignalGenerator(task="classification", dataset=dataset, logit=logit))
    probability = data.truth.regression_function(data.test.X)
    expected = constant + slope * data.test.X[:, list(data.truth.signal)].mean(axis=1)
    np.testing.assert_allclose(np.log(probability / (1 - probability)), expected, atol=1e-12)


@needs_chip
def test_chip_is_scaled_on_its_training_rows_and_all_but_signal_columns_are_permuted():
    train, test, _ = chip_features()
    data = draw(LowSignalGenerator(task="regression", dataset="ChIP"))
    assert data.train.X.shape == (3912, 80) and data.test.X.shape == (3897, 80)
    for column in range(80):
        kept = np.array_equal(data.train.X[:, column], train[:, column])
        assert kept == (column in data.truth.signal)
        np.testing.assert_array_equal(np.sort(data.test.X[:, column]), np.sort(test[:, column]))
    assert data.train.X.min() == 0 and data.train.X.max() == 1
    assert data.test.X.max() > 1


@pytest.mark.parametrize(
    ("name", "shape", "n_nominal"),
    [("rna_editing", (876, 44), 42), ("adult", (5000, 14), 7), ("boston_housing", (506, 14), 0)],
)
def test_the_real_data_have_the_rows_and_kinds_of_the_paper(name, shape, n_nominal):
    if not is_there(name):
        pytest.skip("set LOSAW_DATA to the folder of the real data")
    data = draw(RealForestDataGenerator(data_set=name))
    assert data.train.X.shape == shape
    assert data.feature_kinds.count("nominal") == n_nominal
    assert ("random" in data.feature_names) == (name != "rna_editing")


def test_syn2_responds_as_printed_where_x0_is_positive():
    data = draw(NoisyCopiesGenerator(data_set="syn2"))
    X, y = data.train
    there = X[:, 0] > 0
    expected = 4 * X[there, 0] ** 1.5 + 2 * X[there, 1] + 0.5 * X[there, 2] ** 2
    np.testing.assert_allclose(y[there], expected)
    assert data.feature_names == ("X0", "X1", "X2", "A0", "A1", "A2")


@pytest.mark.parametrize(("power", "sign"), [("signed", -1), ("absolute", 1)])
def test_syn3_has_the_cluster_only_and_the_power_of_negative_x0_is_a_parameter(power, sign):
    data = draw(NoisyCopiesGenerator(data_set="syn3", power=power))
    assert data.feature_names == ("X0", "A0", "A1", "A2") and data.truth.signal == (0,)
    X, y = data.train
    negative = X[:, 0] < 0
    np.testing.assert_allclose(y[negative], sign * 4 * np.abs(X[negative, 0]) ** 1.5)


def test_half_normal_x0_is_never_negative_and_keeps_its_second_moment():
    n = 20_000
    X, _ = draw(NoisyCopiesGenerator(data_set="syn3", power="half-normal", n_samples=n)).train
    assert X[:, 0].min() >= 0
    # E X0^2 = 9, and the variance of X0^2 is 2 * 81.
    assert abs((X[:, 0] ** 2).mean() - 9) < 4 * np.sqrt(162 / n)


def test_rows_whose_response_is_no_number_can_be_dropped():
    kept = draw(NoisyCopiesGenerator(data_set="syn2", power="dropped")).train
    whole = draw(NoisyCopiesGenerator(data_set="syn2", power="signed")).train
    np.testing.assert_array_equal(kept.X, whole.X[whole.X[:, 0] >= 0])
    np.testing.assert_array_equal(kept.y, whole.y[whole.X[:, 0] >= 0])


def test_a_shifted_response_is_four_deviations_from_the_kept_one():
    kept, shifted = (
        draw(NoisyLinearGenerator(noise_share=0.3, target=target)).train
        for target in ("kept", "shifted")
    )
    np.testing.assert_array_equal(kept.X, shifted.X)
    np.testing.assert_allclose(shifted.y, kept.y + 4 * kept.y.std())


def test_copies_have_the_printed_variances():
    n = 20_000
    X, _ = draw(NoisyCopiesGenerator(data_set="syn2", n_samples=n)).train
    # Var A2 = Var X0^2 + 100 = 262; standard errors of a sample variance, kurtosis at most 15.
    for column, variance in enumerate((9.0, 4.0, 1.0, 10.0, 109.0, 262.0)):
        assert abs(X[:, column].var() - variance) < 4 * variance * np.sqrt(14 / n)


def test_syn1_keeps_its_base_and_its_response_in_every_draw():
    generator = NoisyLinearGenerator(noise_share=0.0)
    one, other = draw(generator, 0), draw(generator, 1)
    np.testing.assert_array_equal(one.train.X, other.train.X)
    np.testing.assert_array_equal(one.train.y, other.train.y)
    np.testing.assert_allclose(one.train.X.std(axis=0), 1)


def test_syn1_is_noise_alone_at_share_one():
    data = draw(NoisyLinearGenerator(noise_share=1.0))
    base = draw(NoisyLinearGenerator(noise_share=0.0))
    correlation = [np.corrcoef(data.train.X[:, j], base.train.X[:, j])[0, 1] for j in range(10)]
    assert np.abs(correlation).max() < 4.5 / np.sqrt(1000)


def test_syn1_mixes_linearly():
    base, noise, mixed = (
        draw(NoisyLinearGenerator(noise_share=share)).train.X for share in (0.0, 1.0, 0.3)
    )
    np.testing.assert_allclose(mixed, 0.7 * base + 0.3 * noise, atol=1e-12)


def test_the_response_is_kept_standardised_or_mixed():
    kept, standardized, mixed = (
        draw(NoisyLinearGenerator(noise_share=0.5, target=target)).train.y
        for target in ("kept", "standardized", "mixed")
    )
    np.testing.assert_allclose(standardized, (kept - kept.mean()) / kept.std())
    assert abs(np.corrcoef(mixed, kept)[0, 1] - np.sqrt(0.5)) < 4.5 * 0.5 / np.sqrt(1000)


@pytest.mark.skipif(not is_there("fish"), reason="set LOSAW_DATA to the real data")
def test_a_fraction_of_the_fish_is_drawn_without_replacement():
    read_rows.cache_clear()
    data = draw(RealRegressionGenerator(data_set="fish", fraction=0.7))
    assert len(data.train.y) == 111 and len(data.test.y) == 48
    whole = np.sort(np.concatenate([data.train.y, data.test.y]))
    np.testing.assert_array_equal(whole, np.sort(load_cleaned("fish")["Length1"]))


FRIEDMAN = "10 * sin(pi * important1 * important2) + 20 * (important3 - 0.5) ** 2"


@pytest.mark.parametrize(
    ("design", "mean", "noise", "pairs"),
    [
        ("correlated-25", "2 * x1 + x3", 0.2, {"x1 x2": 0.25, "x3 x4": 0}),
        ("correlated-75", "2 * x1 + x3", 0.2, {"x1 x2": 0.75, "x1 x3": 0}),
        ("mediated", "1.5 * mediator + 0.5 * direct", 0.2, {"mediator exposure": 0.8 / 1.09**0.5}),
        ("confounded", "x1 + confounder + independent", 0.5, {"x1 proxy": 0.8}),
        ("independent", "2 * important1 + important2 + important3 / 2", 0.2, {}),
        ("interactions", "2 * x1 * x2 + x3", 0.5, {"x1 x2": 0, "x3 noise1": 0}),
        ("ewald", "x4 + x5 + x4 * x5", 0.1, {"x1 x2": 1, "x3 x4": 1 / 1.12**0.5}),
        ("friedman1", f"{FRIEDMAN} + 10 * important4 + 5 * important5", 1, {}),
    ],
)  # fmt: skip
def test_a_design_of_xplainfi_has_its_response_and_correlations(design, mean, noise, pairs):
    n = 30_000
    data = draw(get("generator", "xplainfi").create(design=design, n_samples=n))
    assert (len(data.train.y), len(data.test.y)) == (20_000, 10_000)
    X, y = whole(data)
    columns = dict(zip(data.feature_names, X.T, strict=True))
    left = y - eval(mean, {"sin": np.sin, "pi": np.pi}, columns)
    # Five standard errors of a deviation, and of a correlation.
    assert left.std() == pytest.approx(noise, rel=5 / np.sqrt(2 * n))
    for pair, expected in pairs.items():
        found = np.corrcoef(*(columns[name] for name in pair.split()))[0, 1]
        assert found == pytest.approx(expected, abs=5 / np.sqrt(n))


@pytest.mark.parametrize("design", sorted({*OF_OTHERS, *XPLAINFI, *DRAWN} - {"discrete"}))
def test_a_design_of_the_ranking_has_causes_that_predict_better_than_all_other_features(design):
    data = DesignGenerator(design=design).sample(np.random.default_rng(1))
    causes = list(data.truth.signal)
    others = np.setdiff1d(np.arange(data.truth.n_features), causes)
    forest = RandomForestRegressor(20, min_samples_leaf=5, random_state=0)
    scores = [
        forest.fit(data.train.X[:, own], data.train.y).score(data.test.X[:, own], data.test.y)
        for own in (causes, others)
    ]
    assert len(causes) and len(others) and scores[0] > max(scores[1], 0.0)
