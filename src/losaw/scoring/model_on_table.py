"""A fitted model seen through the table that it is explained on."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.scoring.losses import Loss
from losaw.scoring.rows import Rows, kinds_of
from losaw.support.outcomes import probabilities
from losaw.support.threads import Jobs, each_short
from losaw.tables import Table
from losaw.tables.groups import Units

# Rows predicted in one call, as long as whole tables go into it; the same for any number of jobs.
_BATCH = 5_000
_NONE = np.empty(0, np.intp)


@dataclass(frozen=True)
class ModelOnTable:
    """A fitted model, the rows that it is explained on, and the features that are scored.

    A model has columns of its own: those of the table, or those that it encodes them to. This class
    exchanges them for any predictor; :class:`losaw.scoring.mean_of_trees.MeanOfTrees` at less cost
    for a mean of trees.

    Attributes
    ----------
    model : fitted predictor
    rows : Rows
    y : array of shape (n_rows,)
        Numbers, or positions in the model's classes.
    weights : array of shape (n_rows,) or None
        Of the rows, with mean 1.
    loss : callable
        ``loss(y, prediction) -> (n_rows,)``.
    units : Units
        Features and groups that can be scored.
    scored : int array
        The units that are scored.
    jobs : Jobs
    encode : callable
        Codes of features (n, n_features) to the model's columns (n, n_columns).
    columns_of_feature : tuple of int array
    predict : callable
        The model's columns to means, or to probabilities as :mod:`losaw.scoring.losses` has them.
    """

    model: Any
    rows: Rows
    y: FloatArray
    weights: FloatArray | None
    loss: Loss
    units: Units
    scored: NDArray[np.intp]
    jobs: Jobs
    encode: Callable[[FloatArray], FloatArray]
    columns_of_feature: tuple[NDArray[np.intp], ...]
    predict: Callable[[FloatArray], FloatArray]

    @property
    def table(self) -> Table:
        return self.rows.table

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the scored units."""
        return tuple(self.units.names[unit] for unit in self.scored)

    @property
    def members(self) -> list[NDArray[np.intp]]:
        """Features of every scored unit."""
        return [self.units.members[unit] for unit in self.scored]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of the scored units; of a group the kinds of its features, joined."""
        return kinds_of(self.table, self.members)

    def mean(self, values: FloatArray) -> Any:
        """Weighted mean over rows, the first axis."""
        if self.weights is None:
            return values.mean(axis=0)
        return np.average(values, axis=0, weights=self.weights)

    @cached_property
    def columns(self) -> FloatArray:
        """The rows in the model's columns."""
        return self.encode(self.table.codes)

    def columns_of(self, features: NDArray[np.intp]) -> NDArray[np.intp]:
        """The model's columns of some features."""
        return np.concatenate([_NONE, *(self.columns_of_feature[j] for j in features)])

    @cached_property
    def scored_columns(self) -> list[NDArray[np.intp]]:
        """The model's columns of every scored unit."""
        return [self.columns_of(unit) for unit in self.members]

    def predictions(self) -> FloatArray:
        """Predictions of the rows, by the same order of sums as in :meth:`exchange`."""
        return self.predict(self.columns)

    def exchange(
        self, copies: Iterable[FloatArray], n_copies: int, what: str
    ) -> Iterator[Sequence[FloatArray]]:
        """Predictions as they are, and with one scored unit after the other taken from copies.

        Parameters
        ----------
        copies : iterable of n_copies arrays of the shape of ``columns``
            Taken one after the other, in the calling thread.
        what : str
            Name of the progress bar.

        Yields
        ------
        sequence of 1 + n_scored arrays (n_rows, …)
            For every copy.
        """
        units = self.scored_columns
        same = self.predict(self.columns)
        matrices = (exchanged(self.columns, copy, unit) for copy in copies for unit in units)
        found = self._predict_each(matrices, n_copies * len(units), self.jobs, what)
        while of_copy := list(itertools.islice(found, len(units))):
            yield [same, *of_copy]

    def grow(
        self, rows: FloatArray, background: FloatArray, orders: Sequence[NDArray[np.intp]]
    ) -> Iterator[FloatArray]:
        """Predictions of the background when it takes a row's columns, one unit after the other.

        Parameters
        ----------
        rows : array of shape (n_rows, n_columns)
        background : array of shape (n_background, n_columns)
        orders : sequence of int arrays
            For every row all units, in the order in which they are taken.

        Yields
        ------
        array of shape (n_units * n_background, …)
            For every row; the first n_background with one unit, the next with two, ….
        """
        units = [self.columns_of(unit) for unit in self.units.members]
        matrices = (
            _growing(row, background, [units[j] for j in order])
            for row, order in zip(rows, orders, strict=True)
        )
        yield from self._predict_each(matrices, len(rows), Jobs(), "sage")

    def _predict_each(
        self, matrices: Iterable[FloatArray], total: int, jobs: Jobs, what: str
    ) -> Iterator[FloatArray]:
        """Predictions of ``total`` matrices of one size, in few calls of the model."""
        remaining = iter(matrices)
        first = next(remaining)

        def predict(batch: tuple[FloatArray, ...]) -> list[FloatArray]:
            rows = batch[0] if len(batch) == 1 else np.vstack(batch)
            return np.split(np.asarray(self.predict(rows)), len(batch))

        size = max(1, _BATCH // max(len(first), 1))
        batches = _batches(itertools.chain([first], remaining), size)
        for predicted in each_short(jobs, predict, batches, -(-total // size), what):
            yield from predicted


def exchanged(columns: FloatArray, copies: FloatArray, unit: NDArray[np.intp]) -> FloatArray:
    """Columns with those of a unit taken from copies."""
    changed = columns.copy()
    changed[:, unit] = copies[:, unit]
    return changed


def _batches(matrices: Iterator[FloatArray], size: int) -> Iterator[tuple[FloatArray, ...]]:
    while batch := tuple(itertools.islice(matrices, size)):
        yield batch


def _growing(
    row: FloatArray, background: FloatArray, order: Sequence[NDArray[np.intp]]
) -> FloatArray:
    """The background with one unit of ``row`` after another filled in, stacked."""
    filled = background.copy()
    stages = []
    for unit in order:
        filled[:, unit] = row[unit]
        stages.append(filled.copy())
    return np.concatenate(stages)


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
    """Codes to means, or to probabilities of classes."""

    def predict(codes: FloatArray) -> FloatArray:
        rows = rebuild(codes)
        try:
            return (
                _means(model, rows) if n_classes is None else probabilities(model, rows, n_classes)
            )
        except (TypeError, ValueError) as error:
            raise _with_missing_rows(error, model, table) from error

    return predict


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


def rebuild_for(model: Any, table: Table) -> Callable[[FloatArray], Any]:
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


def same_columns(codes: FloatArray) -> FloatArray:
    """Codes as columns of a model that has no others."""
    return codes
