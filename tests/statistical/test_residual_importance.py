"""Residual importance against what theory says of its mean."""

import numpy as np
import pytest

from losaw.importance.residual import residual_importance

# Two-sided normal quantile at 1e-5, for the few means that each test looks at.
BOUND = 4.4


@pytest.mark.parametrize("algorithm", ["gram-schmidt", "random-forest", "random-forest-out-of-bag"])
def test_exchangeable_features_have_equal_mean_scores(algorithm):
    scores = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        common = rng.standard_normal((40, 1))
        X = common + rng.standard_normal((40, 3))
        y = X.sum(axis=1) + rng.standard_normal(40)
        result = residual_importance(
            X, y, algorithm=algorithm, n_permutations=1, n_estimators=30, random_state=rng
        )
        scores.append(result.scores)
    error = np.std(scores, axis=0, ddof=1) / np.sqrt(40)
    assert (np.abs(np.mean(scores, axis=0) - 1 / 3) < BOUND * error).all()


def test_gram_schmidt_ranks_a_feature_below_its_noisy_copies_where_they_say_it_all():
    # y is the mean of two noisy copies: given both, the feature itself has nothing to add.
    rng = np.random.default_rng(0)
    x = rng.standard_normal(300)
    first, second = x + rng.standard_normal(300), x + rng.standard_normal(300)
    scores = residual_importance(
        np.column_stack([x, first, second]), first + second, random_state=0
    ).scores
    assert scores[0] < scores[1:].min() / 3
