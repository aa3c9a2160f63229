"""UFI, AIR and MDI-oob have no bias to features of many levels; split improvement has it."""

import functools

import numpy as np
import pytest

from losaw.study.generators.mixed_cardinality import MixedCardinalityGenerator
from losaw.study.learners.random_forest import RandomForest
from losaw.study.registry import get

TASKS = ("regression", "classification")
ENCODINGS = {"integers": (), "dummies": (1, 2, 3, 4)}
IMPORTANCES = {
    "UFI": get("importance", "ufi").create(),
    "AIR": get("importance", "air").create(),
    "MDI-oob": get("importance", "mdi-oob").create(),
    "SI": get("importance", "split-improvement").create(),
}
RUNS = 100
# The bound, for every feature. Student's t with 99 degrees of freedom is beyond it with
# probability .0034: of the 20 means of UFI (two tasks, two encodings, five features) one is
# beyond it under 6.6 % of all choices of seeds although the score is unbiased. The seeds 0 to 99
# are the first that were tried.
BOUND = 3.0


def z_scores(importances, task, encoding, n_samples=300, n_estimators=10, max_depth=4):
    """Mean over its standard error of every feature's score on null data, by importance."""
    generator = MixedCardinalityGenerator(task=task, n_samples=n_samples)
    scores = {name: [] for name in importances}
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        data = generator.sample(rng)
        forest = RandomForest(task, one_hot=ENCODINGS[encoding], n_estimators=n_estimators)
        forest.set_params(max_depth=max_depth, random_state=seed).fit(*data.train)
        for name in importances:
            scores[name].append(IMPORTANCES[name].explain(forest, data, rng).scores)
    return {
        name: np.mean(found, axis=0) / (np.std(found, axis=0, ddof=1) / np.sqrt(RUNS))
        for name, found in scores.items()
    }


@functools.cache
def of_small_forests(task, encoding):
    return z_scores(IMPORTANCES if encoding == "integers" else ("UFI",), task, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("task", TASKS)
def test_ufi_of_features_without_influence_is_zero_on_average(task, encoding):
    assert np.abs(of_small_forests(task, encoding)["UFI"]).max() < BOUND


@pytest.mark.parametrize("task", TASKS)
def test_air_of_features_without_influence_is_zero_on_average(task):
    assert np.abs(of_small_forests(task, "integers")["AIR"]).max() < BOUND


def test_mdi_oob_of_a_regression_is_zero_on_average():
    assert np.abs(of_small_forests("regression", "integers")["MDI-oob"]).max() < BOUND


@pytest.mark.parametrize("task", TASKS)
def test_split_improvement_of_features_without_influence_is_not(task):
    # What the others correct; also shows that the bound above can be broken.
    assert of_small_forests(task, "integers")["SI"].min() > 2 * BOUND
