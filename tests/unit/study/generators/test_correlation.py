"""The named correlation matrices, against the paper's formulas."""

import numpy as np
import pytest

from losaw.study.generators.correlation import (
    correlation_matrix,
    five_feature_block,
    six_features,
)


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
