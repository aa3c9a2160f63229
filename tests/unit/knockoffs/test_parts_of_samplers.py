"""The diagonal s and the two penalised regressions, against general solvers."""

import numpy as np
import pytest
from sklearn.linear_model import Lasso, LassoCV
from sklearn.model_selection import PredefinedSplit

from losaw.knockoffs import lasso, multinomial
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


def data(n=200, p=6, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, -1] = X[:, -1] > 0.4
    X[:, :-1] = (X[:, :-1] - X[:, :-1].mean(axis=0)) / X[:, :-1].std(axis=0)
    scores = X[:, :n_classes] + rng.gumbel(size=(n, n_classes))
    return X, X.std(axis=0), scores.argmax(axis=1).astype(np.int64)


def test_multinomial_coefficients_fulfil_the_optimality_conditions():
    X, scales, codes = data()
    coefficients, intercepts = np.zeros((X.shape[1], 3)), np.zeros(3)
    penalty = 0.03
    columns = multinomial.sparse_columns(X, scales)
    multinomial.descend(columns, codes, coefficients, intercepts, penalty, 1e-14)
    residual = multinomial.probabilities(X, coefficients, intercepts) - np.eye(3)[codes]
    gradient = X.T @ residual / len(X)
    threshold = penalty * scales[:, None] * np.ones((1, 3))
    active = coefficients != 0
    assert 0 < active.sum() < active.size
    assert np.allclose(gradient[active], -(threshold * np.sign(coefficients))[active], atol=1e-5)
    assert (np.abs(gradient) <= threshold + 1e-5).all()
    assert np.allclose(residual.mean(axis=0), 0, atol=1e-5)


def test_a_class_that_is_missing_in_a_fold_keeps_finite_probabilities():
    X, _, codes = data()
    codes[0] = 3
    options = {"n_penalties": 20, "smallest_ratio": 0.01, "patience": 5, "tolerance": 1e-6}
    chosen = multinomial.choose_penalty(X, codes, 4, np.arange(len(X)) % 5, **options)
    found = multinomial.fit_probabilities(X, codes, *chosen, 1e-6)
    assert np.isfinite(found).all()
    assert np.allclose(found.sum(axis=1), 1)


def test_linear_coefficients_are_those_of_scikit_learn():
    X, _, _ = data(p=8)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X[:, 0] - 0.5 * X[:, 1] + np.random.default_rng(1).standard_normal(len(X))
    y = (y - y.mean()) / y.std()
    theirs = Lasso(alpha=0.1, tol=1e-10, fit_intercept=False).fit(X, y)
    for start in (np.zeros(0), theirs.coef_[:4], np.ones(8)):
        found = lasso.fit_mean(X, y, 0.1, start, 1e-16)
        assert np.allclose(found.coefficients, theirs.coef_, atol=1e-6)


@pytest.mark.parametrize("n_columns", [6, 60])
def test_a_path_with_screened_columns_ends_where_one_without_ends(n_columns):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, n_columns)) + rng.standard_normal((40, 1))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X[:, 0] - X[:, 1] + rng.standard_normal(40)
    y = (y - y.mean()) / y.std()
    products, moments = X.T @ X / 40, X.T @ y / 40
    largest = np.abs(moments).max()
    b, gradient, before = np.zeros(n_columns), moments.copy(), largest
    for penalty in largest * np.geomspace(1, 0.02, 8):
        lasso.descend(products, gradient, b, penalty, before, 1e-16)
        before = penalty
        alone, of_alone = np.zeros(n_columns), moments.copy()
        lasso.descend(products, of_alone, alone, penalty, 2 * penalty, 1e-16)  # all at once
        assert np.allclose(b, alone, atol=1e-6)
        assert np.allclose(gradient, moments - products @ b, atol=1e-10)
        assert (np.abs(gradient) <= penalty + 1e-6).all()
    assert np.count_nonzero(b) > 1


def test_the_chosen_linear_penalty_is_that_of_scikit_learn():
    X, _, _ = data(p=8)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X[:, 0] + np.random.default_rng(1).standard_normal(len(X))
    folds = np.arange(len(y)) % 5
    options = {"n_penalties": 50, "smallest_ratio": 1e-3, "tolerance": 1e-12}
    penalty, start = lasso.choose_penalty(X, y, folds, patience=50, **options)
    found = lasso.fit_mean(X, y, penalty, start, 1e-12)
    theirs = LassoCV(alphas=50, eps=1e-3, cv=PredefinedSplit(folds), tol=1e-8).fit(X, y)
    assert penalty * y.std() == pytest.approx(theirs.alpha_, rel=1e-6)
    assert np.allclose(found.intercept + X @ found.coefficients, theirs.predict(X), atol=1e-4)


def test_the_residual_scale_counts_the_coefficients():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((50, 3))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X @ [2.0, 1.0, -1.0] + rng.standard_normal(50)
    found = lasso.fit_mean(X, y, 1e-9, np.zeros(0), 1e-14)
    least_squares = np.linalg.lstsq(np.column_stack([np.ones(50), X]), y, rcond=None)[1][0]
    assert found.residual_scale == pytest.approx(np.sqrt(least_squares / 46), rel=1e-4)
