"""UFI, AIR and MDI-oob where no feature matters: no bias towards many levels."""

import numpy as np
import pytest

from losaw.generators.mixed_cardinality import MixedCardinalityGenerator
from losaw.importance.corrected_impurity import ActualImpurityReduction
from losaw.importance.split_gain import SplitImprovement
from losaw.importance.unbiased import UnbiasedFeatureImportance
from losaw.learners.random_forest import RandomForest

RUNS = 40
# Two tasks, two encodings and five features are looked at: 1 % over all by Bonferroni.
BOUND = 3.7


def z_scores(importance, task, one_hot):
    """Mean over its standard error of every feature's score on null data."""
    generator = MixedCardinalityGenerator(task=task, n_samples=300)
    scores = []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        data = generator.sample(rng)
        forest = RandomForest(task, one_hot=one_hot, n_estimators=20, max_depth=4)
        forest.set_params(random_state=seed).fit(*data.train)
        scores.append(importance.explain(forest, data, rng).scores)
    return np.mean(scores, axis=0) / (np.std(scores, axis=0, ddof=1) / np.sqrt(RUNS))


@pytest.mark.parametrize("one_hot", [(), (1, 2, 3, 4)], ids=["integers", "dummies"])
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_ufi_of_features_without_influence_is_zero_on_average(task, one_hot):
    assert np.abs(z_scores(UnbiasedFeatureImportance(), task, one_hot)).max() < BOUND


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_air_of_features_without_influence_is_zero_on_average(task):
    assert np.abs(z_scores(ActualImpurityReduction(), task, ())).max() < BOUND


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_split_improvement_of_features_without_influence_is_not(task):
    # What the others correct; also shows that the bound above can be broken.
    assert z_scores(SplitImprovement(), task, ()).min() > 2 * BOUND
