"""Which discrete laws agree with the published values: Table 6, f3, N = 5000, P = 10, phi = .1."""

import numpy as np
import pytest

from losaw.study.generators.losaw import LosawGenerator
from losaw.study.metrics.of_predictions import r_squared
from losaw.study.registry import get

PRINTED = {"random-forest": 0.647, "losaw-forest": 0.804}
# What a mean may be off by; .51 for the random forest, or no gain of losawRF, is more.
BOUND = 0.1
# The default law is further from it here (reference/discrete_law.md); from reference/losaw_forest.
DEFAULT = {"random-forest": 0.747, "losaw-forest": 0.869}
LOSAW = {"eta": 0.25, "n_adjustment": 10, "correlation_threshold": 0.1}


def r_squared_on_independent_features(learner, n_runs, **law):
    generator = LosawGenerator(
        data_type="discrete", n_samples=5000, n_features=10, phi=0.1, function="f3", **law
    )
    make, options = get("learner", learner), LOSAW if learner == "losaw-forest" else {}
    values = []
    for seed in range(n_runs):
        data = generator.sample(np.random.default_rng(seed))
        forest = make.create(
            n_estimators=100,
            max_depth=10,
            min_samples_leaf=5,
            max_features=3,
            random_state=seed,
            **options,
        ).fit(*data.train)
        values.append(r_squared("r2_ind", data.independent.y, forest.predict(data.independent.X)))
    return np.array(values)


@pytest.mark.parametrize("learner", PRINTED)
def test_a_mixture_agrees_with_print(learner):
    values = r_squared_on_independent_features(learner, 4, independent_share=0.02)
    assert abs(values.mean() - PRINTED[learner]) < BOUND


@pytest.mark.parametrize("learner", PRINTED)
def test_the_default_law_gives_what_the_reference_run_has(learner):
    values = r_squared_on_independent_features(learner, 4)
    assert abs(values.mean() - DEFAULT[learner]) < BOUND / 2


def test_under_the_exact_law_both_are_far_from_print_and_losaw_loses():
    forest, losaw = (
        r_squared_on_independent_features(learner, 3, independent_share=0).mean()
        for learner in PRINTED
    )
    assert forest < PRINTED["random-forest"] - 2 * BOUND
    assert losaw < forest


@pytest.mark.long
@pytest.mark.parametrize("learner", PRINTED)
def test_a_law_with_mass_off_the_support_is_near_print(learner):
    values = r_squared_on_independent_features(learner, 20, independent_share=0.02)
    error = values.std(ddof=1) / np.sqrt(len(values))
    assert abs(values.mean() - PRINTED[learner]) < 0.05 + 2 * error
