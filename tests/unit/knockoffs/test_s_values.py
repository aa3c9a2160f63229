"""The diagonal s against closed forms, a general solver, and stationarity."""

import numpy as np
import pytest

from losaw.knockoffs.s_matrix import METHODS, s_values


def correlation(p=6, seed=0):
    rng = np.random.default_rng(seed)
    factor = rng.standard_normal((p, 2 * p))
    covariance = factor @ factor.T
    scale = np.sqrt(np.diag(covariance))
    return covariance / np.outer(scale, scale)


@pytest.mark.parametrize("method", METHODS)
def test_the_joint_covariance_stays_positive_definite(method):
    R = correlation()
    s = s_values(R, method)
    assert (s >= 0).all()
    assert np.linalg.eigvalsh(2 * R - np.diag(s))[0] > -1e-9


def test_independent_columns_get_fully_independent_knockoffs():
    assert np.allclose(s_values(np.eye(4), "sdp"), 1.0, atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_the_sdp_value_is_that_of_a_general_solver(seed):
    cvxpy = pytest.importorskip("cvxpy")
    R = correlation(seed=seed)
    s = cvxpy.Variable(len(R), nonneg=True)
    problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.sum(s)), [s <= 1, 2 * R - cvxpy.diag(s) >> 0])
    problem.solve()
    assert s_values(R, "sdp").sum() == pytest.approx(problem.value, rel=2e-3)


def test_no_small_step_improves_mvr():
    R = correlation(seed=1)

    def criterion(s):
        return (1 / s).sum() + np.trace(np.linalg.inv(2 * R - np.diag(s)))

    s = s_values(R, "mvr")
    rng = np.random.default_rng(2)
    for _ in range(50):
        assert criterion(s + 1e-4 * rng.standard_normal(len(s))) >= criterion(s)
