"""The regression functions of Tables 1 and 4, against their printed formulas and Definition 2.3."""

import itertools

import numpy as np
import pytest

from losaw.study.generators.functions import FUNCTIONS

GRID = np.array(list(itertools.product([-1.0, 0.0, 1.0], repeat=6)))
TABLE_1 = {
    "f1": lambda x: x[3],
    "f2": lambda x: x[0] + x[3],
    "f3": lambda x: x[0] + x[1],
    "f4": lambda x: x[0] + x[1] + x[3],
    "f5": lambda x: float(x[0] >= 0 and x[1] >= 0),
    "f6": lambda x: float(x[0] >= 0 and x[3] >= 0),
    "f7": lambda x: float(x[0] >= 0 and x[1] >= 0) + float(x[3] >= 0),
}
NETWORK_SIGNAL = (1, 3, 201, 204, 601, 602, 603)
TABLE_4 = {
    "f8": lambda x: sum(x[s] for s in NETWORK_SIGNAL),
    "f9": lambda x: sum(float(x[s] >= 1) for s in NETWORK_SIGNAL),
    "f10": lambda x: (
        float(x[1] >= 1 and x[3] >= 1)
        + float(x[201] >= 1 and x[204] >= 1)
        + float(x[601] >= 1 and x[602] >= 1 and x[603] >= 1)
    ),
}


@pytest.mark.parametrize("name", TABLE_1)
def test_functions_of_table_1_take_the_printed_values_on_all_level_combinations(name):
    expected = [float(TABLE_1[name](row)) for row in GRID]
    assert FUNCTIONS[name](GRID).tolist() == expected


@pytest.mark.parametrize("name", TABLE_4)
def test_functions_of_table_4_take_the_printed_values(name):
    X = np.random.default_rng(1).choice([-1.0, 0.0, 1.0, 1.5], size=(500, 1000))
    assert FUNCTIONS[name](X).tolist() == [float(TABLE_4[name](row)) for row in X]


@pytest.mark.parametrize("name", TABLE_1)
def test_signal_features_of_table_1_are_those_of_definition_2_3_by_brute_force(name):
    values = FUNCTIONS[name](GRID).reshape((3,) * 6)
    matters = [p for p in range(6) if np.ptp(values, axis=p).max() > 0]
    assert FUNCTIONS[name].signal == tuple(matters)


@pytest.mark.parametrize("name", TABLE_4)
def test_signal_features_of_table_4_are_those_of_definition_2_3_by_brute_force(name):
    # All rows of ones with one feature lowered: every term is active, so every factor matters.
    rows = np.ones((1000, 1000)) - 2 * np.eye(1000)
    matters = np.flatnonzero(FUNCTIONS[name](rows) != FUNCTIONS[name](np.ones((1, 1000))))
    assert FUNCTIONS[name].signal == tuple(matters) == NETWORK_SIGNAL
