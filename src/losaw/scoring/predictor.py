"""Calls of a fitted model: the rows that it is given, and its means or probabilities."""

from collections.abc import Callable
from typing import Any

import numpy as np

from losaw.data import FloatArray
from losaw.support.outcomes import probabilities
from losaw.tables import Table


def require_fitted(model: Any) -> None:
    """Raise a ValueError for a model of scikit-learn or ours, or a Pipeline, without a fit."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    last = model
    while hasattr(last, "steps"):
        last = last.steps[-1][1]
    if type(last).__module__.partition(".")[0] not in ("sklearn", "losaw"):
        return  # other models may show a fit in other ways
    try:
        check_is_fitted(last)
    except NotFittedError:
        raise ValueError(
            f"the model, a {type(model).__name__}, is not fitted: call its fit(X, y) first, or "
            "give cv=5 to fit it in folds"
        ) from None


def predictor_of(
    model: Any, table: Table, rebuild: Callable[[FloatArray], Any], n_classes: int | None
) -> Callable[[FloatArray], FloatArray]:
    """Return a function that turns codes into means, or into probabilities of classes."""

    def predict(codes: FloatArray) -> FloatArray:
        rows = rebuild(codes)
        try:
            return (
                means(model, rows) if n_classes is None else probabilities(model, rows, n_classes)
            )
        except (TypeError, ValueError) as error:
            raise with_missing_rows(error, model, table) from error

    return predict


def with_missing_rows(error: Exception, model: Any, table: Table) -> Exception:
    """A model's refusal, with the place of the missing values if there are any."""
    missing = np.isnan(table.codes)
    if not missing.any():
        return error
    row, column = np.argwhere(missing)[0]
    return ValueError(
        f"{type(model).__name__} refuses the rows ({' '.join(str(error).split())[:100]}). X has "
        f"{int(missing.any(axis=1).sum())} rows with missing values (first: row {row}, column "
        f"{table.names[column]!r}); impute them in a Pipeline with the model, for example by "
        "sklearn.impute.SimpleImputer"
    )


def means(model: Any, rows: Any) -> FloatArray:
    """Return the means (n_samples,) that a regression predicts.

    Raises
    ------
    ValueError
        If it predicts several responses, another number of values than rows, or no numbers.
    """
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
    return predicted


def rebuild_for(model: Any, table: Table) -> Callable[[FloatArray], Any]:
    """Return a function that turns codes into rows as the model was fitted to them."""
    fitted = getattr(model, "feature_names_in_", None)
    if table.is_plain or fitted is None:
        n_fitted = getattr(model, "n_features_in_", None)
        if n_fitted is not None and n_fitted != len(table.names):
            raise ValueError(
                f"X has {len(table.names)} columns, but {type(model).__name__} was fitted to "
                f"{n_fitted}"
            )
        return table.rebuild
    names = [str(name) for name in fitted]
    if names == list(table.names):
        return table.rebuild
    for what, some, others in (
        ("lacks", names, table.names),
        ("has", list(table.names), names),
    ):
        strange = [name for name in some if name not in others]
        if strange:
            end = "" if what == "lacks" else f", which {type(model).__name__} was not fitted to"
            raise ValueError(
                f"X {what} the column {strange[0]!r}{end}; give X[model.feature_names_in_]"
            )
    return lambda codes: table.rebuild(codes)[list(fitted)]
