"""The named correlation matrices and the regression functions, against the printed formulas."""

import itertools

import numpy as np
import pytest

from losaw.study.generators.correlation import correlation_matrix, five_feature_block, six_features
from losaw.study.generators.functions import FUNCTIONS


@pytest.mark.parametrize(("name", "first_pair"), [("homogeneous", 0.8), ("heterogeneous", 0.5)])
def test_example_1_1_has_a_between_the_first_two_features_and_point_eight_elsewhere(
    name, first_pair
):
    matrix = correlation_matrix(name, 5)
    for i in range(5):
        for j in range(5):
            expected = 1.0 if i == j else first_pair if {i, j} == {0, 1} else 0.8
            assert matrix[i, j] == expected


def test_sigma_is_printed_as_in_section_4_10():
    assert six_features().tolist() == [
        [1.0, 0.4, 0.8, 0.2, 0.2, 0.2],
        [0.4, 1.0, 0.8, 0.2, 0.2, 0.2],
        [0.8, 0.8, 1.0, 0.2, 0.2, 0.2],
        [0.2, 0.2, 0.2, 1.0, 0.9, 0.9],
        [0.2, 0.2, 0.2, 0.9, 1.0, 0.9],
        [0.2, 0.2, 0.2, 0.9, 0.9, 1.0],
    ]


def test_six_features_are_padded_by_independent_ones():
    matrix = correlation_matrix("six-features", 10)
    expected = np.eye(10)
    expected[:6, :6] = six_features()
    assert np.array_equal(matrix, expected)


def test_the_network_block_is_printed_as_in_section_5_3():
    a, b = 0.75, 0.25
    assert five_feature_block(a, b).tolist() == [
        [1, a, b, a, b],
        [a, 1, b, b, b],
        [b, b, 1, b, b],
        [a, b, b, 1, b],
        [b, b, b, b, 1],
    ]


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


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signal_features_are_those_of_definition_2_3_by_brute_force(name):
    # All rows of ones with one feature lowered: every term is active, so every factor matters.
    rows = np.ones((1000, 1000)) - 2 * np.eye(1000)
    matters = np.flatnonzero(FUNCTIONS[name](rows) != FUNCTIONS[name](np.ones((1, 1000))))
    assert FUNCTIONS[name].signal == tuple(matters)
