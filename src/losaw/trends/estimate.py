"""All trend estimators of one data set (Gerstorfer, Krieg and Hahn-Klimroth, Section 3.1)."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.rng import as_generator, seed_integer
from losaw.support.arguments import finite_sample
from losaw.trends.correlation import METHODS, shapley_correlation, target_correlation
from losaw.trends.linear import linear_coefficient
from losaw.trends.traversal_rate import absolute_traversal_rate, relative_traversal_rate
from losaw.trends.trend_result import TrendResult


def estimate_trends(
    X: ArrayLike,
    y: ArrayLike,
    *,
    forest: Any = None,
    n_rows: int | None = 100,
    random_state: int | np.random.Generator | None = None,
) -> dict[str, TrendResult]:
    """The paper's trend estimators, by registered name.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    forest : fitted estimator or None
        Its trees are read; None fits scikit-learn's RandomForestRegressor of 100 trees.
    n_rows : int or None, default 100
        Rows whose Shapley values are computed; None: all.
    random_state : int, Generator or None

    Returns
    -------
    dict
        ``linear-coefficient``, ``pearson``, ``spearman``, ``shap-pearson``, ``shap-spearman``,
        ``atr``, ``rtr``.

    Raises
    ------
    TypeError, ValueError
        As the estimators raise them.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw.trends import estimate_trends
    >>> trends = estimate_trends(X, X[:, 0] - X[:, 1], n_rows=20, random_state=0)
    >>> trends["linear-coefficient"].sign[:2].tolist()
    [1, -1]
    """
    rows, response, names = finite_sample(X, y, min_rows=3)
    rng = as_generator(random_state)
    if forest is None:
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(random_state=seed_integer(rng)).fit(rows, response)
    seed = seed_integer(rng)  # both Shapley correlations of the same rows
    trends = {"linear-coefficient": linear_coefficient(X, y)}
    trends |= {method: target_correlation(X, y, method=method) for method in METHODS}
    trends |= {
        f"shap-{method}": shapley_correlation(
            forest, X, method=method, n_rows=n_rows, random_state=seed
        )
        for method in METHODS
    }
    trends["atr"] = absolute_traversal_rate(forest, feature_names=names)
    trends["rtr"] = relative_traversal_rate(forest, feature_names=names)
    return trends
