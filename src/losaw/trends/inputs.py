"""Checks of features and responses, shared by the estimators that read data."""

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray, default_feature_names
from losaw.weighting.checks import as_floats, beyond_range


def checked(
    X: ArrayLike, y: ArrayLike | None, min_rows: int = 2
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Features (n, d) and response (n,) as finite floats, and the features' names.

    ``y=None`` gives an empty response. Names are a data frame's columns, else X1, X2, …

    Raises
    ------
    ValueError
        If X has a wrong shape, fewer than ``min_rows`` rows, text, missing or infinite values,
        or y does not fit it; the message names the first bad column.
    """
    names = getattr(X, "columns", None)
    rows = as_floats("X", X)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(
            f"X has shape {rows.shape}, expected (n_samples, n_features); a single feature is "
            "X.reshape(-1, 1)"
        )
    if len(rows) < min_rows:
        raise ValueError(f"X has {len(rows)} rows, at least {min_rows} are needed")
    shown = default_feature_names(rows.shape[1]) if names is None else tuple(map(str, names))
    bad = beyond_range(rows)
    if bad.any():
        column = int(np.flatnonzero(bad.any(axis=0))[0])
        raise ValueError(
            f"X has {int(bad.any(axis=1).sum())} rows with missing or infinite values (NaN, inf, "
            f"beyond 1e150; first: row {int(np.flatnonzero(bad[:, column])[0])}, column "
            f"{shown[column]!r}); drop or impute them first, for example with "
            "sklearn.impute.SimpleImputer"
        )
    if y is None:
        return rows, np.empty(0), shown
    response = as_floats("y", y)
    if response.shape != (len(rows),):
        raise ValueError(f"y has shape {response.shape}, expected ({len(rows)},) as X has rows")
    bad_response = beyond_range(response)
    if bad_response.any():
        raise ValueError(
            f"y has {int(bad_response.sum())} missing or infinite values (NaN, inf, beyond 1e150); "
            "drop those rows"
        )
    return rows, response, shown
