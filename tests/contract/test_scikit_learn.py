"""scikit-learn's own checks of estimators; none is left out."""

import pytest
from sklearn.utils.estimator_checks import check_estimator

from losaw.forest import (
    LosawRandomForestClassifier,
    LosawRandomForestRegressor,
    PlainRandomForestRegressor,
)


@pytest.mark.parametrize(
    "kind", [LosawRandomForestRegressor, LosawRandomForestClassifier, PlainRandomForestRegressor]
)
def test_all_estimator_checks_of_scikit_learn_pass(kind):
    results = check_estimator(kind(n_estimators=3), on_fail=None, on_skip=None)
    failed = [result["check_name"] for result in results if result["status"] != "passed"]
    # needs the optional array-api packages, and is skipped where they are not installed
    assert set(failed) <= {"check_array_api_input"}
    assert len(results) > 40
