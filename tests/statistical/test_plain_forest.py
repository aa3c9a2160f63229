"""plain-forest and scikit-learn's random forest have one law.

Given the bootstrap sample and the drawn features the trees are equal node by node
(tests/unit/forest/test_plain.py). What is left is how features are drawn, and everything at once:
fits on the same data, over many data sets.
"""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.ensemble import RandomForestRegressor

from losaw import LosawRandomForestRegressor
from losaw.forest import PlainRandomForestRegressor
from losaw.study.metrics.of_predictions import r_squared
from losaw.study.registry import get

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


def differences(theirs, ours, samples):
    """Per data set: differences of means, and of how far two forests on the same data lie apart.

    Two forests of either kind are fitted to each data set. Columns: R² on the test sample, R² on
    independent features, every importance. Under one law each entry is as likely as its negative.
    """
    means, spreads = [], []
    for seed, data in enumerate(samples):
        numbers = np.array(
            [[_numbers(make(int(2 * seed + k)), data) for k in range(2)] for make in (theirs, ours)]
        )
        means.append(numbers[1].mean(axis=0) - numbers[0].mean(axis=0))
        apart = np.abs(numbers[:, 0] - numbers[:, 1])
        spreads.append(apart[1] - apart[0])
    return np.array(means), np.array(spreads)


def _numbers(forest, data):
    forest.fit(*data.train)
    return [
        r_squared(data.test.y, forest.predict(data.test.X)),
        r_squared(data.independent.y, forest.predict(data.independent.X)),
        *forest.feature_importances_,
    ]


def beyond_bounds(differences):
    """Columns whose sign count or sum lies beyond exact bounds for symmetric differences.

    The number of positive ones is binomial; a sum with random signs exceeds t with probability
    2 exp(-t² / (2 sum d²)) at most (Hoeffding 1963), whatever the distribution.
    """
    n_columns = differences.shape[1]
    level = LEVEL / (4 * n_columns)  # two bounds, for means and for spreads
    found = []
    for column, d in enumerate(differences.T):
        d = d[d != 0.0]
        bound = np.sqrt(2.0 * np.log(2.0 / level) * (d**2).sum())
        if not inside((d > 0).sum(), len(d), 0.5, level) or abs(d.sum()) > bound:
            found.append(column)
    return found


def studied(n_seeds):
    """Small samples of the setting N = 100, P = 10, phi = .1, f5 of losaw's tables."""
    generator = get("generator", "losaw").create(
        data_type="continuous", n_samples=100, n_features=10, phi=0.1, function="f5"
    )
    for seed in range(n_seeds):
        yield generator.sample(np.random.default_rng(seed))


SMALL = {"n_estimators": 10, "max_depth": 10, "min_samples_leaf": 20, "max_features": 3}


def scikit_learn(options):
    return lambda seed: RandomForestRegressor(**options, random_state=seed)


def plain(options):
    return lambda seed: PlainRandomForestRegressor(**options, random_state=seed)


def losaw_leaves(options):
    """The forest that differs in one rule: leaves count rows as often as they were drawn."""
    return lambda seed: LosawRandomForestRegressor(**options, eta=1.0, random_state=seed)


def test_both_forests_have_one_law_on_small_samples():
    samples = studied(60)
    means, spreads = differences(scikit_learn(SMALL), plain(SMALL), samples)
    assert beyond_bounds(means) == beyond_bounds(spreads) == []


def test_the_bounds_see_another_rule_for_small_leaves():
    samples = studied(60)
    means, _ = differences(plain(SMALL), losaw_leaves(SMALL), samples)
    assert 0 in beyond_bounds(means)
