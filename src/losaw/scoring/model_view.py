"""A table as a fitted model sees it: its own columns, and its predictions of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from losaw.data import FloatArray
from losaw.fitted_trees.mean_of_trees import MeanOfTrees, mean_of_trees, of_encoded_columns
from losaw.scoring.model_columns import ModelColumns
from losaw.support.outcomes import classes_of, probabilities, task_of
from losaw.tables import Table


def view_model(model: Any, table: Table, declared: str | None = None) -> ModelColumns:
    """The columns of a fitted model: its encoding if it has one, else the features themselves.

    A model with an encoding, on an array of numbers, has ``encode(X)``, ``encoding_.groups`` and
    ``predict_encoded(columns)``, which gives means or probabilities of the second class. Any other
    model is given rows of the type that the table was read from.

    Raises
    ------
    ValueError
        If the model is a classifier and the data are declared a regression, or the other way
        round; if it was fitted to other columns.
    """
    classes = classes_of(model) if task_of(model, declared) == "classification" else None
    if table.is_plain and hasattr(model, "predict_encoded"):
        encoding = model.encoding_.groups
        return ModelColumns(
            model.encode,
            encoding,
            model.predict_encoded,
            classes,
            lambda: of_encoded_columns(model, sum(map(len, encoding))),
        )
    groups = tuple(np.array([j]) for j in range(len(table.names)))
    rebuild = _in_the_order_of(model, table)

    def predict(codes: FloatArray) -> FloatArray:
        rows = rebuild(codes)
        try:
            if classes is None:
                return _means(model, rows)
            return probabilities(model, rows, len(classes))
        except (TypeError, ValueError) as error:
            raise _with_missing_rows(error, model, table) from error

    def read_trees() -> MeanOfTrees | None:
        trees = None
        if rebuild is table.rebuild:  # the model's columns stand in the order of the table's
            trees = mean_of_trees(model, table.names)
        if trees is None:
            return None
        return trees._replace(encode=lambda codes: trees.encode(rebuild(codes)))

    return ModelColumns(_same, groups, predict, classes, read_trees)


def _with_missing_rows(error: Exception, model: Any, table: Table) -> Exception:
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


def _means(model: Any, rows: Any) -> FloatArray:
    means = np.asarray(model.predict(rows))
    if means.ndim == 2 and means.shape[1] == 1:
        means = means[:, 0]
    if means.ndim != 1:
        raise ValueError(
            f"{type(model).__name__} predicts {means.shape[1]} responses; explain one model for "
            "each"
        )
    return means


def _in_the_order_of(model: Any, table: Table) -> Callable[[FloatArray], Any]:
    """Codes to rows with exactly the columns that the model was fitted to."""
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


def _same(codes: FloatArray) -> FloatArray:
    return codes
