"""The data of the losaw studies: draws depend on the declared stream only."""

import numpy as np
import pytest

from losaw.study.generators.five_feature_blocks import FiveFeatureBlocksGenerator, draw_block, moved
from losaw.study.generators.functions import FUNCTIONS
from losaw.study.generators.joint_law.law import JointLawSpecification
from losaw.study.generators.losaw import LosawGenerator

SETTING = {
    "data_type": "continuous",
    "n_samples": 50,
    "n_features": 8,
    "phi": 0.1,
    "function": "f3",
}
DATA_TYPES = ("continuous", "discrete")


def draw(seed=1, **changes):
    return LosawGenerator(**{**SETTING, **changes}).sample(np.random.default_rng(seed))


@pytest.mark.parametrize("data_type", DATA_TYPES)
@pytest.mark.parametrize("changes", [{"phi": 1.0}, {"function": "f7"}])
def test_training_features_do_not_depend_on_noise_and_function(data_type, changes):
    plain, changed = draw(data_type=data_type), draw(data_type=data_type, **changes)
    assert np.array_equal(plain.train.X, changed.train.X)


@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_the_correlated_block_does_not_depend_on_the_number_of_features(data_type):
    few, many = draw(data_type=data_type), draw(data_type=data_type, n_features=30)
    assert np.array_equal(few.train.X[:, :6], many.train.X[:, :6])


@pytest.mark.parametrize("data_type", DATA_TYPES)
def test_the_independent_sample_has_no_noise(data_type):
    data = draw(data_type=data_type, phi=1.0)
    assert np.array_equal(data.independent.y, data.independent.X[:, 0] + data.independent.X[:, 1])


def test_only_discrete_data_need_a_joint_law_which_all_settings_share():
    assert LosawGenerator(**SETTING).joint_law() is None
    laws = {
        LosawGenerator(
            data_type="discrete", n_samples=n, n_features=p, phi=phi, function=f
        ).joint_law()
        for n in (500, 5000)
        for p in (10, 100)
        for phi in (0.1, 1.0)
        for f in ("f1", "f7")
    }
    (law,) = laws
    assert isinstance(law, JointLawSpecification)


def test_fixed_draws_of_x_are_the_same_in_every_run_and_for_every_function():
    def samples(function, seed):
        generator = LosawGenerator(
            data_type="discrete", n_samples=20, n_features=7, phi=0.1, function=function, n_draws=3
        )
        data = generator.sample(np.random.default_rng(seed))
        return data.truth.details["draw"], data.train

    found = {}
    for function in ("f3", "f5"):
        for seed in range(12):
            draw, train = samples(function, seed)
            assert np.array_equal(found.setdefault(draw, train.X), train.X)
    assert sorted(found) == [0, 1, 2]
    first, second = found[0.0], found[1.0]
    assert not np.array_equal(first, second)
    assert not np.array_equal(samples("f3", 0)[1].y, samples("f3", 1)[1].y)


@pytest.fixture(scope="module")
def data():
    generator = FiveFeatureBlocksGenerator(function="f8", n_features=25, n_samples=20_000)
    return generator.sample(np.random.default_rng(3))


def test_a_thousand_features_have_the_papers_signal_columns_and_sizes():
    assert moved(FUNCTIONS["f10"], 1000) == FUNCTIONS["f10"]
    paper = FiveFeatureBlocksGenerator(function="f8")
    assert paper.f.signal == (1, 3, 201, 204, 601, 602, 603)
    assert paper.sizes == (50_000, 10_000, 50_000)


def test_fewer_features_keep_the_places_within_the_blocks():
    columns = FiveFeatureBlocksGenerator(function="f8", n_features=100).f.signal
    assert columns == (1, 3, 21, 24, 61, 62, 63)


def test_alpha_and_beta_are_drawn_from_their_intervals_until_the_matrix_is_positive_definite():
    rng = np.random.default_rng(0)
    drawn = [draw_block(rng) for _ in range(300)]
    for matrix, details in drawn:
        assert 0.7 <= details["alpha"] <= 1.0
        assert 0.0 <= details["beta"] <= 0.4
        assert np.linalg.eigvalsh(matrix)[0] > 0
    assert sum(details["rejected"] for _, details in drawn) > 0


def test_blocks_have_the_attained_correlations_and_nothing_else_is_correlated(data):
    found = np.corrcoef(data.train.X.T)
    details = data.truth.details
    n = len(data.train.X)
    for start in range(0, 25, 5):
        pairs = found[start, [start + 1, start + 3]]
        assert abs(pairs.mean() - details["attained_alpha"]) < 5 / np.sqrt(n)
    outside = found[:5, 5:]
    assert abs(outside).max() < 5 / np.sqrt(n)


def test_noise_has_the_variance_of_the_function_on_the_samples_own_law(data):
    details = data.truth.details
    for sample, variance in (
        (data.train, data.truth.noise_variance),
        (data.independent, details["independent_noise_variance"]),
    ):
        noise = sample.y - data.truth.regression_function(sample.X)
        # relative error of a normal variance: sqrt(2 / n)
        assert noise.var() == pytest.approx(variance, rel=5 * np.sqrt(2 / len(noise)))
    # Var of a sum of 7 independent features is 7/2; estimated on 10,000 rows.
    assert details["independent_noise_variance"] == pytest.approx(3.5, rel=5 * np.sqrt(2 / 10_000))


def test_the_law_of_a_block_is_mixed_with_independent_features():
    def drawn(**law):
        generator = FiveFeatureBlocksGenerator(n_features=25, function="f8", n_samples=50, **law)
        return generator.sample(np.random.default_rng(3))

    exact, mixed = drawn(), drawn(independent_share=0.1)
    shrunk = mixed.truth.details["attained_alpha"] / exact.truth.details["attained_alpha"]
    assert shrunk == pytest.approx(0.9, abs=1e-6)
