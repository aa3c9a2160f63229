"""The coefficient of a linear model (Gerstorfer, Krieg and Hahn-Klimroth, Section 2.2)."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t

from losaw.scoring.result import ImportanceResult
from losaw.support.arguments import truth_value
from losaw.support.outcomes import finite_sample

_ROUNDING = 1e-13


def linear_coefficient(
    X: ArrayLike, y: ArrayLike, *, standardized: bool = False
) -> ImportanceResult:
    """Coefficients of ordinary least squares with an intercept,

        b = argmin sum_n (y_n - a - sum_p b_p x_np)^2.

    A constant feature has coefficient 0. Where features are linearly dependent (duplicates, more
    features than rows), b is the solution with the smallest norm on standardised features: equal
    features share their coefficient equally.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    standardized : bool, default False
        ``b_p sd(x_p) / sd(y)`` instead: what one standard deviation of the feature moves the
        response by, in its own standard deviations.

    Returns
    -------
    ImportanceResult
        ``scores``: the coefficients, positive where the response rises with the feature;
        ``std_error``: the classical s_p; ``p_values``: of the two-sided t-test of b_p = 0,
        ``P(|t| >= |b_p| / s_p)`` with N - P - 1 degrees of freedom, which is exact for independent
        normal noise of one variance around a linear mean. Both are NaN where features are linearly
        dependent or no degree of freedom is left, and of a constant feature.

    Raises
    ------
    ValueError
        For missing, infinite or non-numeric values and wrong shapes.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw.trends import linear_coefficient
    >>> linear_coefficient(X, X[:, 0] - X[:, 1]).scores[:2].round(6).tolist()
    [1.0, -1.0]

    Sign and p-value can mislead: the response rises with x², whose coefficient next to that of x
    is negative and significant, because the model is not the right one.

    >>> x = np.random.default_rng(0).uniform(size=200)
    >>> trend = linear_coefficient(np.column_stack([x, x**2]), np.sqrt(x))
    >>> bool(trend.scores[1] < 0 and trend.p_values[1] < 0.001)
    True
    """
    standardized = truth_value("standardized", standardized)
    rows, response, names = finite_sample(X, y)
    centred, target = rows - rows.mean(axis=0), response - response.mean()
    scale = centred.std(axis=0)
    # Rounding leaves a constant column a standard deviation of a few last digits.
    scale[scale <= 1e-13 * np.abs(rows).max(axis=0)] = 0.0
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    design = centred * inverse
    # The error inverts the squares: of nearer copies no digit of it would be right.
    coefficients, _, rank, _ = np.linalg.lstsq(design, target, rcond=1e-7)
    spread, p_values = np.full(len(names), np.nan), np.full(len(names), np.nan)
    freedom = len(rows) - 1 - rank
    varies = scale > 0
    if rank == varies.sum() > 0 and freedom > 0:
        left = ((target - design @ coefficients) ** 2).sum() / freedom
        # Of an exact function of the features rounding is left, which says nothing of any.
        variance = max(left, _ROUNDING**2 * target @ target)
        part = design[:, varies]
        spread[varies] = np.sqrt(variance * np.diag(np.linalg.inv(part.T @ part)))
        with np.errstate(divide="ignore", invalid="ignore"):
            p_values = 2 * t.sf(np.abs(coefficients) / spread, freedom)
    unit = inverse
    if standardized:
        deviation = target.std()
        unit = (scale > 0) / deviation if deviation > 0 else np.zeros_like(scale)
    return ImportanceResult(
        coefficients * unit,
        names,
        std_error=spread * unit,
        std_error_kind="of least squares",
        p_values=p_values,
        method=f"linear coefficient{' (standardised)' if standardized else ''}",
        degrees_of_freedom=freedom if freedom > 0 else None,
        is_trend=True,
    )
