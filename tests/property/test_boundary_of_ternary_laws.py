"""The printed correlations of X1, X2, X3 force X3 = sign(X1 + X2): by linear programmes.

The proof is in ``reference/discrete_law.md``. Here the programmes look for a law over the 27 cells
with the wanted marginals and correlations that contradicts it.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from losaw.study.generators.correlation import six_features

CELLS = np.array(list(itertools.product((-1, 0, 1), repeat=3)), dtype=float)
PAIRS = ((0, 1), (0, 2), (1, 2))
SUM = CELLS[:, 0] + CELLS[:, 1]
IS_OFF = CELLS[:, 2] != np.sign(SUM)
PRINTED = tuple(six_features()[p][q] for p, q in PAIRS)


def largest(weights, correlations):
    """Largest expectation of ``weights`` among laws with these correlations."""
    margins = [column == level for column in CELLS.T for level in (-1, 1)]
    products = [CELLS[:, p] * CELLS[:, q] / 0.5 for p, q in PAIRS]
    found = linprog(
        -np.asarray(weights, dtype=float),
        A_eq=np.array([np.ones(len(CELLS)), *margins, *products]),
        b_eq=[1.0, *[0.25] * 6, *correlations],
        bounds=(0, 1),
    )
    assert found.status == 0, found.message
    return -found.fun


def test_these_are_the_correlations_of_the_paper():
    assert PRINTED == (0.4, 0.8, 0.8)


@pytest.mark.parametrize("cell", np.flatnonzero(IS_OFF))
def test_no_law_has_mass_where_x3_is_not_the_sign(cell):
    assert largest(np.arange(27) == cell, PRINTED) < 1e-9


def test_eighteen_cells_are_empty_and_nine_are_not():
    assert IS_OFF.sum() == 18
    assert all(largest(np.arange(27) == cell, PRINTED) > 0.01 for cell in np.flatnonzero(~IS_OFF))


@pytest.mark.parametrize(("distance", "probability"), [(2, 0.3), (1, 0.2), (0, 0.5)])
def test_the_law_of_the_sum_is_forced(distance, probability):
    at = np.abs(SUM) == distance
    assert largest(at, PRINTED) == pytest.approx(probability, abs=1e-9)
    assert largest(~at, PRINTED) == pytest.approx(1 - probability, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=27, max_size=27))
def test_in_every_direction_the_laws_are_those_of_the_nine_cells(weights):
    # What is off the support cannot add to any expectation.
    weights = np.array(weights)
    assert largest(weights, PRINTED) == pytest.approx(
        largest(np.where(IS_OFF, 1.0, weights), PRINTED), abs=1e-8
    )


@settings(max_examples=60, deadline=None)
@given(st.floats(0.001, 0.9), st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3))
def test_only_the_boundary_forces_it(share, towards):
    # A law that is mixed with any other has mass off the support.
    correlations = [
        (1 - share) * r + share * 0.3 * t for r, t in zip(PRINTED, towards, strict=True)
    ]
    assert largest(IS_OFF, correlations) > 0.1 * share
