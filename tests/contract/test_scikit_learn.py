"""scikit-learn's own checks of estimators; none is left out."""

import pytest
from sklearn.utils.estimator_checks import check_estimator

from losaw.forest import (
    LosawRandomForestClassifier,
    LosawRandomForestRegressor,
    PlainRandomForestRegressor,
)
from losaw.network import LosawNetworkRegressor, NetworkRegressor

NETWORK = {"n_steps": 400, "batch_size": 4, "learning_rate": 0.01, "kernel_sizes": (1, 1)}
NETWORK |= {"filters": (4, 4), "units": (16, 8), "random_state": 0}


@pytest.mark.parametrize(
    "estimator",
    [
        LosawRandomForestRegressor(n_estimators=3),
        LosawRandomForestClassifier(n_estimators=3),
        PlainRandomForestRegressor(n_estimators=3),
        pytest.param(NetworkRegressor(**NETWORK), marks=pytest.mark.long),  # compiles every shape
        pytest.param(LosawNetworkRegressor(**NETWORK), marks=pytest.mark.long),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_all_estimator_checks_of_scikit_learn_pass(estimator):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = [result["check_name"] for result in results if result["status"] != "passed"]
    # needs the optional array-api packages, and is skipped where they are not installed
    assert set(failed) <= {"check_array_api_input"}
    assert len(results) > 40
