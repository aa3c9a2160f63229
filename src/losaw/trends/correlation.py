"""Correlations of a feature with the response, or with its own Shapley values."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.rng import as_generator
from losaw.scoring.result import ImportanceResult
from losaw.support.arguments import finite_rows, one_of, whole_number
from losaw.support.extras import extra
from losaw.support.outcomes import finite_sample
from losaw.support.words import counted, other_columns
from losaw.trees.flat import FlatForest, read_forest

METHODS = ("pearson", "spearman")
MIN_ROWS = 3
ERROR_KIND = "of large samples of normal pairs, (1 - r²) / sqrt(n - 1)"
# Bonett and Wright (2000).
RANK_ERROR_KIND = f"{ERROR_KIND} · sqrt(1 + r² / 2)"


def target_correlation(X: ArrayLike, y: ArrayLike, *, method: str = "pearson") -> ImportanceResult:
    """Pearson's r or Spearman's rho of every feature with the response.

    A constant feature or response has correlation 0: there is no trend.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    method : {"pearson", "spearman"}, default "pearson"
        Spearman's is Pearson's of the ranks, ties getting their mean rank.

    Returns
    -------
    ImportanceResult
        ``scores`` in [-1, 1], positive where the response rises with the feature.

    Raises
    ------
    ValueError
        For bad values, fewer than 3 rows, or an unknown method.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw.trends import target_correlation
    >>> round(float(target_correlation(X, 2 * X[:, 0]).scores[0]), 6)
    1.0
    """
    rows, response, names = finite_sample(X, y, MIN_ROWS)
    estimates = column_correlations(rows, response[:, None], method)
    return _result(method, "the response", estimates, len(rows), names)


def shapley_correlation(
    model: Any,
    X: ArrayLike,
    *,
    method: str = "pearson",
    n_rows: int | None = 100,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Correlation of every feature with its own Shapley values, r(X_p, s_p(X)).

    s_p are the path-dependent Shapley values of the trees, by the library shap: see
    :func:`losaw.trends.correlation.shapley_values`. The correlation has no size: a feature that
    moves the prediction by next to nothing, but in one direction, has correlation 1. Where the
    Shapley values are constant it is 0.

    Parameters
    ----------
    model : estimator
        See :func:`losaw.trees.flat.read_forest`.
    X : array or data frame of shape (n_samples, n_features)
    method : {"pearson", "spearman"}, default "pearson"
    n_rows : int or None, default 100
        Rows drawn without replacement to compute Shapley values of; None: all.
    random_state : int, Generator or None
        Draws the rows.

    Returns
    -------
    ImportanceResult
        ``scores`` in [-1, 1]; ``details["mean_absolute"]``: mean of ``|s_p|`` over the rows, the
        usual SHAP importance.

    Raises
    ------
    TypeError, ValueError
        For a model without readable trees, or whose trees split sets of levels, columns that are
        not those of the fit in their order, bad values, fewer than 3 rows, or an unknown method.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> forest = RandomForestRegressor(n_estimators=10, random_state=0).fit(X, X[:, 0])
    >>> from losaw.trends import shapley_correlation
    >>> bool(shapley_correlation(forest, X, n_rows=20, random_state=0).scores[0] > 0.9)
    True
    """
    forest = read_forest(model)
    rows, compared, names = _rows_of(model, forest, X)
    why = "or None for all"
    if n_rows is not None and whole_number("n_rows", n_rows, MIN_ROWS, why) < len(rows):
        drawn = as_generator(random_state).choice(len(rows), n_rows, replace=False)
        rows, compared = rows[np.sort(drawn)], compared[np.sort(drawn)]
    values = shapley_values(forest, compared)
    estimates = column_correlations(rows, values, method)
    result = _result(method, "Shapley values", estimates, len(rows), names)
    result.details["mean_absolute"] = np.abs(values).mean(axis=0)
    return result


def _rows_of(
    model: Any, forest: FlatForest, X: ArrayLike
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Rows, the same as the trees of a fitted ``model`` compare them, and the features' names.

    Those of a losaw forest may hold categories, which become codes.
    """
    names, fitted = getattr(X, "columns", None), getattr(model, "feature_names_in_", None)
    if names is not None and fitted is not None:
        of = f"{type(model).__name__} was fitted to"
        differ = other_columns("X", map(str, names), of, map(str, fitted))
        if differ:
            raise ValueError(f"{differ}; give X[model.feature_names_in_]")
    if hasattr(model, "numeric_rows"):
        X = model.numeric_rows(X)
    rows, shown = finite_rows(X, MIN_ROWS)
    if rows.shape[1] != len(forest.is_nominal):
        raise ValueError(
            f"X has {counted(rows.shape[1], '[feature|features]')}, the model was fitted to "
            f"{len(forest.is_nominal)}"
        )
    compared = rows if hasattr(model, "numeric_rows") else forest.encode(rows)
    return rows, compared, shown if names is None else tuple(map(str, names))


def shapley_values(forest: FlatForest, rows: FloatArray) -> FloatArray:
    """Shapley values of the prediction of trees, (n_rows, n_features).

    The game's value of a coalition S at a row x is the tree's prediction when a split on a
    feature outside S sends the row down both branches in proportion to their in-bag rows. A row's
    values sum to its prediction minus the mean one. Rows are given as the trees compare them.
    """
    with extra("trends"):
        import shap

    if forest.is_nominal.any():
        raise ValueError(
            "the forest splits features into sets of levels, which shap's trees do not have; "
            "encode them as numbers before the forest, for example by OneHotEncoder of scikit-learn"
        )
    explainer = shap.TreeExplainer(_model(forest), feature_perturbation="tree_path_dependent")
    values: FloatArray = explainer.shap_values(rows, check_additivity=False)
    return values.reshape(rows.shape)


def _model(forest: FlatForest) -> dict[str, Any]:
    """The trees as a custom model of shap."""
    trees = forest.trees
    weight = 1.0 / trees.n_trees
    shown = []
    for start, end in zip(trees.starts[:-1], trees.starts[1:], strict=True):
        nodes = slice(start, end)
        left, right = (np.maximum(side[nodes] - start, -1) for side in (trees.left, trees.right))
        shown.append(
            {
                "children_left": left,
                "children_right": right,
                "children_default": left,  # of missing values, which are refused
                "features": trees.feature[nodes],
                "thresholds": np.nan_to_num(trees.threshold[nodes]),
                "values": weight * forest.value[nodes, None],
                "node_sample_weight": forest.n_samples[nodes],
            }
        )
    return {
        "trees": shown,
        "base_offset": 0.0,
        "input_dtype": np.float64,
        "internal_dtype": np.float64,
        "tree_output": "raw_value",
        "objective": "squared_error",
    }


def column_correlations(first: FloatArray, second: FloatArray, method: str) -> FloatArray:
    """Correlation of every column of ``first`` with that of ``second``, (n_columns,)."""
    if one_of("method", method, METHODS) == "spearman":
        from scipy.stats import rankdata

        first, second = rankdata(first, axis=0), rankdata(second, axis=0)
    left, right = _standardized(first), _standardized(second)
    return np.clip((left * right).mean(axis=0), -1.0, 1.0)


def _standardized(columns: FloatArray) -> FloatArray:
    """Columns with mean 0 and variance 1; constant ones (up to rounding) become 0."""
    centred = columns - columns.mean(axis=0)
    scale = centred.std(axis=0)
    scale[scale <= 1e-13 * np.abs(columns).max(axis=0)] = 0.0
    return np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)


def _result(
    method: str, other: str, estimates: FloatArray, n_rows: int, names: tuple[str, ...]
) -> ImportanceResult:
    error, kind = (1 - estimates**2) / np.sqrt(n_rows - 1), ERROR_KIND
    if method == "spearman":
        error, kind = error * np.sqrt(1 + estimates**2 / 2), RANK_ERROR_KIND
    return ImportanceResult(
        estimates,
        names,
        std_error=error,
        std_error_kind=kind,
        method=f"{method} correlation with {other}",
        is_trend=True,
    )
