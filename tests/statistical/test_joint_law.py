"""The fitted discrete laws have the properties that define them."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from losaw.study.generators.correlation import five_feature_block, six_features
from losaw.study.generators.joint_law.fit import fit_joint_law, law_of
from losaw.study.generators.joint_law.law import LEVELS, TOLERANCE, JointLawSpecification

ATTAINABLE, UNATTAINABLE = (0.74, 0.29), (0.71, 0.05)


def fit(matrix, **options):
    return fit_joint_law(JointLawSpecification(matrix, **options))


@pytest.fixture(scope="module")
def sigma_law():
    return law_of(JointLawSpecification(six_features()))


@pytest.fixture(scope="module")
def unattainable_law():
    return fit(five_feature_block(*UNATTAINABLE))


def margins(law):
    return np.array(
        [
            [law.probabilities[column == level].sum() for level in LEVELS]
            for column in law.specification.cells.T
        ]
    )


@pytest.mark.parametrize("name", ["sigma_law", "unattainable_law"])
def test_marginals_are_exact(name, request):
    law = request.getfixturevalue(name)
    assert np.abs(margins(law) - [0.25, 0.5, 0.25]).max() < 1e-14
    assert abs(law.probabilities.sum() - 1) < 1e-14


def test_sigma_is_attained(sigma_law):
    assert sigma_law.attainable
    assert np.abs(sigma_law.attained_correlation - six_features()).max() < 1e-6


def test_an_attainable_block_of_the_network_study_is_attained():
    law = fit(five_feature_block(*ATTAINABLE))
    assert law.attainable
    assert np.abs(law.attained_correlation - five_feature_block(*ATTAINABLE)).max() < 1e-6


def test_an_unattainable_block_is_said_to_be_so(unattainable_law):
    assert not unattainable_law.attainable
    assert unattainable_law.objective > 1e-4


def test_no_law_comes_closer_to_an_unattainable_block(unattainable_law):
    # At the projection c* of r on a convex set, (c* - r)(c - c*) >= 0 for all c of the set: a
    # linear programme over all laws with these marginals, by another solver.
    law, cells = unattainable_law, unattainable_law.specification.cells
    pairs = list(itertools.combinations(range(5), 2))
    correlations = np.array([cells[:, p] * cells[:, q] / 0.5 for p, q in pairs])
    target = np.array([five_feature_block(*UNATTAINABLE)[p, q] for p, q in pairs])
    closest = correlations @ law.probabilities
    direction = closest - target
    smallest = linprog(
        direction @ correlations,
        A_eq=np.array([column == level for column in cells.T for level in (-1, 0, 1)]),
        b_eq=np.tile([0.25, 0.5, 0.25], 5),
    ).fun
    assert direction @ closest - smallest < 1e-5 * np.linalg.norm(direction)


def test_the_law_of_sigma_is_log_linear_in_the_held_moments(sigma_law):
    # The maximum-entropy law is an exponential family in the moments that are held, on the cells
    # that any such law can occupy; a law found by another rule is not.
    X = sigma_law.specification.cells
    products = [X[:, p] * X[:, q] for p, q in itertools.combinations(range(6), 2)]
    design = np.column_stack([np.ones(len(X)), X, X**2, *products])

    def misfit(law):
        occupied = law.probabilities > 1e-5
        logs, columns = np.log(law.probabilities[occupied]), design[occupied]
        return np.abs(logs - columns @ np.linalg.lstsq(columns, logs)[0]).max()

    assert misfit(sigma_law) < 0.01
    assert misfit(fit(six_features(), tie_break="log-barrier")) > 0.5


def test_uncorrelated_features_become_independent():
    law = fit(np.eye(3))
    expected = np.prod(np.where(law.specification.cells == 0, 0.5, 0.25), axis=1)
    # An entropy short of the maximum by eps allows an L1 distance of sqrt(2 eps) (Pinsker).
    assert np.abs(law.probabilities - expected).sum() < np.sqrt(2 * TOLERANCE)


def test_cells_are_drawn_with_their_probabilities(sigma_law):
    n_draws = 200_000
    drawn = sigma_law.sample(n_draws, np.random.default_rng(3))
    code = ((drawn + 1) @ 3 ** np.arange(5, -1, -1)).astype(int)
    counts = np.bincount(code, minlength=729)
    expected = n_draws * sigma_law.probabilities
    large = expected >= 10
    rest = counts[~large].sum(), expected[~large].sum()
    statistic = ((counts[large] - expected[large]) ** 2 / expected[large]).sum()
    statistic += (rest[0] - rest[1]) ** 2 / max(rest[1], 1e-12)
    degrees = large.sum()  # one more cell for the rest, one less for the total
    assert statistic < degrees + 4 * np.sqrt(2 * degrees)
    assert counts[sigma_law.probabilities == 0].sum() == 0
