"""Predictions of a fitted model, and responses in the form in which a loss compares them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.support.arguments import (
    LARGEST_WHOLE,
    array_of,
    check_finite,
    check_same_order,
    check_unit,
    finite_rows,
)
from losaw.support.models import classes_of
from losaw.support.words import counted


def class_numbers(y: ArrayLike, classes: NDArray[Any]) -> FloatArray:
    """Return the position of every label of y (n_samples,) in ``classes``, as floats."""
    labels = one_column(y)
    order = np.argsort(classes, kind="stable")
    try:
        positions = np.searchsorted(classes, labels, sorter=order)
    except TypeError:
        positions = np.zeros(len(labels), dtype=np.intp)
    numbers = order[np.minimum(positions, len(classes) - 1)]
    strange = np.asarray(classes[numbers] != labels)
    if strange.any():
        row = int(np.flatnonzero(strange)[0])
        raise ValueError(
            f"y holds {labels.tolist()[row]!r} (row {row}), which is none of the model's classes "
            f"({', '.join(map(repr, classes[:5].tolist()))}{', …' if len(classes) > 5 else ''}); "
            "give y with the labels that the model was fitted to"
        )
    return numbers.astype(float)


def numeric_response(y: ArrayLike, task: str) -> FloatArray:
    """Return y as numbers, for methods that need numbers: two classes become 0 and 1."""
    values = one_column(y)
    if task == "regression":
        return finite_numbers(values)
    classes = np.unique(values)
    if len(classes) > 2:
        raise ValueError(
            f"y has {len(classes)} classes; this method is for a number or two classes: explain "
            "one class against the rest, or use cpi, loco or pfi"
        )
    return class_numbers(values, classes)


def unnamed_response(y: ArrayLike, task: str) -> FloatArray:
    """Return :func:`numeric_response`, with 0 for the class of the first row, whatever its name.

    For forests that regress on the classes: of splits that gain the same, rounding decides, and
    must not decide otherwise because two classes have changed their names.
    """
    response = numeric_response(y, task)
    return 1.0 - response if task == "classification" and response[0] == 1.0 else response


def finite_numbers(y: ArrayLike) -> FloatArray:
    """Return y (n_samples,) as finite floats."""
    y = np.asarray(y)
    if y.dtype.kind in "mM":
        raise ValueError(
            f"y holds dates or durations ({y.dtype}), which are not numbers until they have a "
            "unit; give them in one, for example (y - y.min()) / numpy.timedelta64(1, 'D')"
        )
    try:
        values = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            "y holds values that are not numbers; classes need a classifier, or numbers in their "
            "place"
        ) from None
    is_beyond = y.dtype.kind in "iu" and (np.abs(values) > LARGEST_WHOLE).any()
    if is_beyond and len(np.unique(values)) < len(np.unique(y)):
        raise ValueError(
            "y holds whole numbers beyond 2^53, some of which are equal as floats; subtract one of "
            "them from all before"
        )
    check_finite("y", values, remedy="drop those rows, or take another unit")
    check_unit("y", values)
    return values


def response_of(X: Any, y: ArrayLike, n_rows: int) -> NDArray[Any]:
    """Return y as an array of shape (n_rows,), which goes with the rows of X."""
    check_same_order(X, "y", y)
    response = one_column(y)
    if len(response) != n_rows:
        raise ValueError(
            f"y has {counted(len(response), '[entry|entries]')} for "
            f"{counted(n_rows, '[row|rows]')} of X"
        )
    return response


def finite_sample(
    X: ArrayLike, y: ArrayLike, min_rows: int = 2
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Return features (n, d) and the response (n,) as finite floats, and the features' names."""
    rows, shown = finite_rows(X, min_rows)
    return rows, finite_numbers(response_of(X, y, len(rows))), shown


def one_column(y: ArrayLike) -> NDArray[Any]:
    """Return y as an array of shape (n_samples,)."""
    values = array_of(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"y has shape {values.shape}, expected (n_samples,)")
    if values.dtype.kind == "c":
        raise ValueError(
            f"y holds complex numbers ({values.dtype}); explain its real part, its imaginary part "
            "or its absolute value"
        )
    require_known(values)
    return _inferred(values) if values.dtype.kind == "O" else values


def _inferred(values: NDArray[Any]) -> NDArray[Any]:
    """Return objects as an array of their own type; refuse lists, dicts and the like."""
    for row, value in enumerate(values):
        if np.ndim(value) or isinstance(value, dict | set):
            raise ValueError(
                f"y holds {value!r} (row {row}), which is neither a number nor a class; give one "
                "number or one text in each row"
            )
    return np.array(values.tolist())


def require_known(values: NDArray[Any]) -> None:
    """Raise a ValueError that names the first row whose value is missing: None, NaN, NA or NaT."""
    import pandas as pd

    missing = np.asarray(pd.isna(values))
    if missing.any():
        raise ValueError(
            f"y has {int(missing.sum())} missing values (first: row "
            f"{int(np.flatnonzero(missing)[0])}); drop those rows"
        )


def means(model: Any, rows: Any) -> FloatArray:
    """Return the means (n_samples,) that a regression predicts."""
    predicted = np.asarray(model.predict(rows))
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        predicted = predicted[:, 0]
    if predicted.ndim == 2:
        raise ValueError(
            f"{type(model).__name__} predicts {predicted.shape[1]} responses; explain one model "
            "for each"
        )
    if predicted.shape != (rows.shape[0],) or predicted.dtype.kind not in "fiub":
        raise ValueError(
            f"{type(model).__name__}.predict gives shape {predicted.shape} and type "
            f"{predicted.dtype}; expected {rows.shape[0]} numbers, one for each row"
        )
    return _finite(model, predicted)


def _finite(model: Any, predicted: NDArray[Any]) -> NDArray[Any]:
    """Predictions as floats, or a ValueError if some are missing.

    Of float16, whole numbers and bools differences overflow, wrap around or do not exist.
    """
    if n_lost := int((~np.isfinite(predicted.reshape(len(predicted), -1)).all(axis=1)).sum()):
        raise ValueError(
            f"{type(model).__name__} predicts numbers that are missing or infinite for {n_lost} of "
            f"{counted(len(predicted), '[row|rows]')}"
        )
    is_wide = predicted.dtype.kind == "f" and predicted.dtype.itemsize >= 4
    return predicted if is_wide else predicted.astype(float)


def probabilities(model: Any, X: Any, n_classes: int) -> FloatArray:
    """Return probabilities: of the second of two classes (n_samples,), else of all (n_samples, K).

    A classifier without ``predict_proba`` is certain of its predictions.
    """
    if hasattr(model, "predict_proba"):
        shares = probabilities_of_all(model, X, n_classes)
    else:
        certain = class_numbers(model.predict(X), classes_of(model)).astype(np.intp)
        shares = np.eye(n_classes)[certain]
    return shares[:, 1] if n_classes == 2 else shares


def probabilities_of_all(model: Any, X: Any, n_classes: int) -> FloatArray:
    """Return what ``predict_proba`` gives, (n_samples, K), also of two classes."""
    shares = np.asarray(model.predict_proba(X))
    if shares.shape != (X.shape[0], n_classes) or shares.dtype.kind not in "fiub":
        raise ValueError(
            f"{type(model).__name__}.predict_proba gives shape {shares.shape} and type "
            f"{shares.dtype}; expected numbers of shape ({X.shape[0]}, {n_classes}), a column for "
            "each of its classes_"
        )
    return _finite(model, shares)
