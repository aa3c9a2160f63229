"""Values are checked against the signature of what takes them.

Of support.signatures.
"""

import pickle

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

import losaw.importance
from losaw.importance import air, cpi, loco, residual_importance, ufi
from losaw.registry import get
from losaw.support.arguments import ArgumentTypeError
from losaw.support.signatures import check_arguments

X = np.random.default_rng(0).standard_normal((40, 2))
Y = X[:, 0]


def forest():
    return RandomForestRegressor(3, random_state=0).fit(X, Y)


def scale(values: list[float], factor: float = 1.0) -> list[float]:
    return [factor * value for value in values]


def test_a_parameter_that_is_not_given_is_not_looked_at():
    check_arguments(scale, {})
    with pytest.raises(ArgumentTypeError, match="factor must be a number, got 'x'"):
        check_arguments(scale, {"factor": "x"})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ufi(forest(), X, Y, features=True),
            "features must be a sequence of strings or None, got True",
        ),
        (
            lambda: cpi(forest(), X, Y, kinds=float("nan")),
            "kinds must be a dict or a sequence of strings or None, got nan",
        ),
        (
            lambda: loco(forest(), X, Y, train=(X, Y), loss=[1, 2]),
            r"loss must be .* or a function or None, got \[1, 2\]",
        ),
        (
            lambda: residual_importance(None, X, Y, algorithm=None),
            "algorithm must be a string or a scikit-learn estimator, got None",
        ),
        (lambda: ufi(forest(), None, Y), "X must be an array or a data frame, got None"),
        (lambda: air(forest(), X + 1j, Y), "X has dtype complex128"),
        (lambda: air(forest(), [[10**400] * 2] * 40, Y), "X holds values that are not numbers"),
        (
            lambda: get("importance", "cpi-gaussian").create(n_folds="five"),
            "n_folds must be an integer of at least 2, got 'five'",
        ),
        (
            lambda: get("importance", "cpi-sequential").create(groups=-1),
            "groups must be a dict or None, got -1",
        ),
    ],
)
def test_a_value_that_does_not_fit_the_signature_is_refused_by_name(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize("names", [["X1"], ("X1",), np.array(["X1"]), "X1"])
def test_any_sequence_of_names_fits_a_signature(names):
    assert ufi(forest(), X, Y, features=names).feature_names == ("X1",)


def test_numbers_of_numpy_fit_a_signature():
    assert get("importance", "cpi-gaussian").create(n_folds=np.int64(3)).parameters["n_folds"] == 3
    assert get("importance", "subgroups").create(n_repeats=np.int32(2)).parameters["n_repeats"] == 2


def test_a_checked_function_is_the_same_at_every_look_and_can_be_pickled():
    assert losaw.importance.ufi is losaw.importance.ufi
    assert pickle.loads(pickle.dumps(losaw.importance.ufi)) is losaw.importance.ufi
