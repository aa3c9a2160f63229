"""plain-forest and scikit-learn's random forest have one law.

Given the bootstrap sample and the drawn features the trees are equal node by node
(tests/unit/forest/test_plain.py). What is left is how features are drawn.
"""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binom

from losaw.forest import PlainRandomForestRegressor

LEVEL = 1e-4  # of a false alarm, over all statements of a test


def inside(count, n, share, level):
    """Tell whether a binomial count is inside the equal-tailed exact interval of the level."""
    lowest, highest = binom.ppf([level / 2, 1 - level / 2], n, share)
    return lowest <= count <= highest


@pytest.mark.parametrize("n_drawn", [1, 2, 3])
def test_features_are_drawn_uniformly_and_drawn_on_past_constant_ones(n_drawn):
    """Of drawn features that vary the strongest is taken: by rank, its chance is known."""
    n_trees, rng = 4000, np.random.default_rng(n_drawn)
    X = rng.standard_normal((60, 6))
    X[:, [1, 4]] = 7.0
    strength = [8.0, 0.0, 4.0, 2.0, 0.0, 1.0]
    y = X @ strength
    forest = PlainRandomForestRegressor(
        n_trees, max_features=n_drawn, max_depth=1, bootstrap=False, random_state=0
    ).fit(X, y)
    roots = np.bincount([tree.feature[0] for tree in forest.trees_], minlength=6)
    # Scores of the four features alone, from which the ranks follow.
    alone = PlainRandomForestRegressor(1, max_features=None, max_depth=1, bootstrap=False)
    gain = {j: alone.fit(X[:, [j]], y).trees_[0].relative_decrease[0] for j in (0, 2, 3, 5)}
    ranked = sorted(gain, key=gain.__getitem__, reverse=True)
    chance = chances(n_drawn)
    for rank, feature in enumerate(ranked):
        assert inside(roots[feature], n_trees, chance[rank], LEVEL / 4), (feature, roots)
    assert roots[[1, 4]].tolist() == [0, 0]


def chances(n_drawn, n_varying=4, n_constant=2):
    """Chance of each rank to be the best of the drawn features, by all orders of drawing."""
    total = np.zeros(n_varying)
    orders = list(permutations(range(n_varying + n_constant)))
    for order in orders:
        seen = [f for f in order[:n_drawn] if f < n_varying]
        seen = seen or [next(f for f in order if f < n_varying)]
        total[min(seen)] += 1
    return total / len(orders)
