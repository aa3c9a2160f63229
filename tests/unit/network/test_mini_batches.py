"""Row weights of a feature, losaw mini-batches without a network, Algorithm 5.2 (linear)."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from losaw import LosawMiniBatches
from losaw.network import FeatureWeights
from losaw.network.gradient_descent import descend
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


def test_a_feature_without_adjustment_features_has_uniform_weights():
    X = correlated_levels()
    np.testing.assert_array_equal(FeatureWeights(X, 0.2, 0.1)(5), np.full(len(X), 1 / len(X)))


@pytest.mark.parametrize("outlier", [0.0, 60.0])  # at 60 both densities underflow
def test_a_continuous_feature_has_the_weights_of_its_regression(outlier):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((3000, 3))
    X[:, 1] += X[:, 0]
    X[0, 0] = outlier
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


def test_an_outlier_beside_a_discrete_feature_does_not_end_a_training():
    x = np.random.default_rng(0).standard_normal(5000)
    level = np.sign(x)
    x[0], level[0] = 999.0, -1.0
    batches = make(np.column_stack([level, x]), eta=0.3)
    assert len(batches.draw([1, 0])) == 20
    assert batches.relative_effective_sample_sizes()[0] >= 0.3 * (1 - 1e-9)


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


PAGE = Path(__file__).parents[3] / "docs" / "network.md"


def sample(n_samples=400, n_features=6):
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 2, (n_samples, n_features)).astype(float)
    X[:, 1] = np.where(rng.random(n_samples) < 0.7, X[:, 0], X[:, 1])
    return X


def make(X=None, **changes):
    options = {"batch_size": 20, "random_state": 1, **changes}
    return LosawMiniBatches(sample() if X is None else X, **options)


def test_the_loop_of_the_page_draws_mini_batches_of_the_asked_size():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    seen = []
    names = {"X": sample(600, 8), "y": np.zeros(600), "importances": np.ones(8)}
    names["train_on"] = lambda rows, response: seen.append((rows.shape, response.shape))
    exec(next(block for block in blocks if "batches.draw(importances)" in block), names)
    assert seen == [((254, 8), (254,))] * 400


def test_a_feature_of_importance_zero_is_never_drawn():
    batches = make()
    for _ in range(300):
        batches.draw_feature([0, 1, 0, 2, 0, 0])
    assert set(np.flatnonzero(batches.n_draws)) == {1, 3}
    for _ in range(30):
        batches.draw_feature([0, 1e308, 0, 1e308, 0, 1e308])  # their sum is beyond floats
    assert set(np.flatnonzero(batches.n_draws)) == {1, 3, 5}
    tiny = make()
    for size in (5e-324, 1e-320, 1e-300):
        for _ in range(30):
            tiny.draw_feature([0, size, 0, size, size, 0])
    assert set(np.flatnonzero(tiny.n_draws)) == {1, 3, 4}


def test_rows_are_drawn_with_the_weights_of_the_feature():
    batches = make(batch_size=400)
    counts = np.zeros(400)
    for _ in range(100):
        counts += np.bincount(batches.draw_rows(0), minlength=400)
    assert chisquare(counts, batches.feature_weights(0) * counts.sum()).pvalue > 1e-3


def test_the_same_seed_draws_the_same_rows():
    first, second = make(), make()
    for _ in range(5):
        np.testing.assert_array_equal(first.draw(np.ones(6)), second.draw(np.ones(6)))


def test_effective_sample_sizes_are_known_for_drawn_features_only():
    batches = make(eta=0.3)
    batches.draw([1, 0, 0, 0, 0, 0])
    sizes = batches.relative_effective_sample_sizes()
    assert 0.3 <= sizes[0] <= 1.0
    assert np.isnan(sizes[1:]).all()


def test_a_constant_model_is_announced_and_features_are_drawn_uniformly():
    batches = make()
    with pytest.warns(RuntimeWarning, match="the model is constant"):
        batches.draw_feature(lambda rows: np.zeros((len(rows), 6)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once is enough
        for _ in range(200):
            batches.draw_feature(lambda rows: np.zeros((len(rows), 6)))
    assert batches.n_uniform_draws == 201
    assert (batches.n_draws > 0).all()


def test_a_model_that_was_constant_and_moves_again_is_believed():
    batches = make()
    with pytest.warns(RuntimeWarning):
        batches.draw_feature(np.zeros(6))
    only_first = np.eye(6)[0]
    assert batches.draw_feature(lambda rows: np.tile(only_first, (len(rows), 1))) == 0
    assert batches.n_uniform_draws == 1


@pytest.mark.filterwarnings("error")
def test_a_single_row_with_importance_decides():
    def one_row(rows):
        return np.outer(rows == 17, np.eye(6)[4])

    batches = make()
    assert {batches.draw_feature(one_row) for _ in range(3)} == {4}


def test_losaw_gradient_descent_learns_the_signal_features():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 4))
    X[:, 2] = 0.8 * X[:, 0] + 0.6 * X[:, 2]
    y = 2 * X[:, 0] + 2 * X[:, 1]
    *_, last = (step for _, step in zip(range(400), descend(X, y, 64, 0.25, rng), strict=False))
    assert (last.saliency[:2] > 0.9).all()
    assert (last.saliency[2:] < 0.1).all()
