"""The data of the residual-importance paper."""

import numpy as np
import pytest

from losaw.study import datasets
from losaw.study.generators.noisy_copies import NoisyCopiesGenerator
from losaw.study.generators.noisy_linear import NoisyLinearGenerator
from losaw.study.generators.real_rows import RealRegressionGenerator, read_rows
from reference.in_study import draw


def test_syn2_responds_as_printed_where_x0_is_positive():
    data = draw(NoisyCopiesGenerator(data_set="syn2"))
    X, y = data.train
    there = X[:, 0] > 0
    expected = 4 * X[there, 0] ** 1.5 + 2 * X[there, 1] + 0.5 * X[there, 2] ** 2
    np.testing.assert_allclose(y[there], expected)
    assert data.feature_names == ("X0", "X1", "X2", "A0", "A1", "A2")


def test_syn3_has_the_cluster_only():
    data = draw(NoisyCopiesGenerator(data_set="syn3"))
    assert data.feature_names == ("X0", "A0", "A1", "A2")
    assert data.truth.signal == (0,)


@pytest.mark.parametrize(("power", "sign"), [("signed", -1), ("absolute", 1)])
def test_the_power_of_negative_x0_is_a_parameter(power, sign):
    X, y = draw(NoisyCopiesGenerator(data_set="syn3", power=power)).train
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


@pytest.mark.skipif(not datasets.is_there("fish"), reason="set LOSAW_DATA to the real data")
def test_a_fraction_of_the_fish_is_drawn_without_replacement():
    read_rows.cache_clear()
    data = draw(RealRegressionGenerator(data_set="fish", fraction=0.7))
    assert len(data.train.y) == 111 and len(data.test.y) == 48
    whole = np.sort(np.concatenate([data.train.y, data.test.y]))
    np.testing.assert_array_equal(whole, np.sort(datasets.load_cleaned("fish")["Length1"]))
