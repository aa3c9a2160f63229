"""The designs of UFI and TreeInner, as their papers or their code describe them."""

import numpy as np
import pytest

from losaw.study.datasets import is_there
from losaw.study.generators.binary_signal import BinarySignalGenerator
from losaw.study.generators.low_signal import LowSignalGenerator, chip_features
from losaw.study.generators.mixed_cardinality import MixedCardinalityGenerator
from losaw.study.generators.real_rows import RealForestDataGenerator, read_rows
from reference.in_study import draw


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
def test_chip_keeps_signal_columns_and_permutes_the_others():
    train, test, _ = chip_features()
    data = draw(LowSignalGenerator(task="regression", dataset="ChIP"))
    assert data.train.X.shape == (3912, 80) and data.test.X.shape == (3897, 80)
    for column in range(80):
        kept = np.array_equal(data.train.X[:, column], train[:, column])
        assert kept == (column in data.truth.signal)
        np.testing.assert_array_equal(np.sort(data.test.X[:, column]), np.sort(test[:, column]))


@needs_chip
def test_chip_is_scaled_on_its_training_rows():
    data = draw(LowSignalGenerator(task="regression", dataset="ChIP"))
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


def test_a_data_set_that_is_not_there_says_where_it_is_looked_for(monkeypatch, tmp_path):

    monkeypatch.setenv("LOSAW_DATA", str(tmp_path))
    read_rows.cache_clear()
    with pytest.raises(ValueError, match="rna_editing"):
        draw(RealForestDataGenerator(data_set="rna_editing"))
    read_rows.cache_clear()
