"""What a fitted model sees of a table, so that single features can be exchanged."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.fitted_trees.mean_of_trees import MeanOfTrees, mean_of_trees, of_encoded_columns
from losaw.importance.jobs import Jobs
from losaw.outcomes import (
    Task,
    class_numbers,
    classes_of,
    finite_numbers,
    probabilities,
    task_of,
)
from losaw.tables import Table

# Rows that are led through the trees at a time.
_BLOCK = 250
# Rows predicted in one call, as long as whole tables go into it; the same for any number of jobs.
_BATCH = 20_000


@dataclass(frozen=True)
class ModelColumns:
    """A model's own columns.

    Attributes
    ----------
    encode : callable
        Features (n_samples, n_features) to columns (n_samples, n_columns).
    groups : tuple of array
        Columns of each feature.
    predict : callable
        Columns to means, or to probabilities as :mod:`losaw.importance.losses` has them.
    classes : array of shape (n_classes,) or None
        Of a classifier.
    read_trees : callable
        The model as a mean of trees of these columns, which exchanges columns at less cost; None
        if it is none.
    """

    encode: Callable[[FloatArray], FloatArray]
    groups: tuple[NDArray[np.intp], ...]
    predict: Callable[[FloatArray], FloatArray]
    classes: NDArray[Any] | None = None
    read_trees: Callable[[], MeanOfTrees | None] = lambda: None

    @property
    def task(self) -> Task:
        return "regression" if self.classes is None else "classification"

    def response(self, y: ArrayLike) -> FloatArray:
        """y (n_samples,) as a loss compares it: numbers, or positions in ``classes``."""
        return finite_numbers(y) if self.classes is None else class_numbers(y, self.classes)

    def columns_of_unit(self, members: NDArray[np.intp]) -> NDArray[np.intp]:
        """The columns of several features."""
        return np.concatenate([np.empty(0, np.intp), *(self.groups[j] for j in members)])

    def predict_each(
        self, matrices: Iterable[FloatArray], total: int, jobs: Jobs, what: str
    ) -> Iterator[FloatArray]:
        """Predictions of ``total`` matrices of columns, in few calls of the model."""

        def predict(batch: list[FloatArray]) -> list[FloatArray]:
            ends = np.cumsum([len(matrix) for matrix in batch])[:-1]
            rows = batch[0] if len(batch) == 1 else np.vstack(batch)
            return np.split(np.asarray(self.predict(rows)), ends)

        # Matrices of one call are of one size, as all callers have them.
        first, matrices = _first(matrices)
        size = max(1, _BATCH // max(len(first), 1))
        batches = _batches(matrices, size)
        for predictions in jobs.each(predict, batches, -(-total // size), what):
            yield from predictions

    @cached_property
    def _trees(self) -> MeanOfTrees | None:
        return self.read_trees()

    def _for_trees(self, *parts: FloatArray) -> tuple[MeanOfTrees, list[FloatArray]] | None:
        """The trees with columns as they compare them; None if the model has to be asked."""
        if self._trees is None:
            return None
        encoded = [self._trees.encode(columns) for columns in parts]
        if not all(np.isfinite(columns).all() for columns in encoded):
            return None
        return self._trees, encoded

    def unchanged(self, columns: FloatArray) -> FloatArray:
        """Predictions of columns as they are, added up as :meth:`exchange` does."""
        ready = self._for_trees(columns)
        if ready is None:
            return self.predict(columns)
        trees, (rows,) = ready
        return trees.trees.predict(rows)

    def exchange(
        self,
        columns: FloatArray,
        copies: FloatArray,
        units: Sequence[NDArray[np.intp]],
        jobs: Jobs,
        what: str,
        unchanged_first: bool = False,
    ) -> Iterator[FloatArray]:
        """Predictions with one unit's columns after the other taken from the copies.

        Parameters
        ----------
        columns, copies : array of shape (n_rows, n_columns)
        units : sequence of int arrays
            Columns.
        unchanged_first : bool, default False
            Whether the predictions of the columns as they are come first; trees give them in the
            same walk.
        """
        ready = self._for_trees(columns, copies)
        if ready is None:
            if unchanged_first:
                yield self.predict(columns)
            matrices = (_exchanged(columns, copies, unit) for unit in units)
            yield from self.predict_each(matrices, len(units), jobs, what)
            return
        trees, (rows, others) = ready
        members = [trees.columns_of(unit) for unit in units]
        blocks = [slice(at, at + _BLOCK) for at in range(0, len(rows), _BLOCK)]
        first = 0 if unchanged_first else 1

        def of_block(part: slice) -> FloatArray:
            return trees.trees.exchange(rows[part], others[part], members)[first:]

        yield from np.concatenate(list(jobs.each(of_block, blocks, len(blocks), what)), axis=1)

    def grow(
        self,
        rows: Sequence[FloatArray],
        background: FloatArray,
        orders: Sequence[Sequence[NDArray[np.intp]]],
        jobs: Jobs,
    ) -> Iterator[FloatArray]:
        """Predictions of the background when it takes a row's columns, one unit after the other.

        Parameters
        ----------
        rows : sequence of arrays (n_columns,)
        background : array of shape (n_background, n_columns)
        orders : sequence of sequences of int arrays
            For every row its units, in the order in which they are taken.

        Yields
        ------
        array of shape (n_units * n_background, …)
            For every row; the first n_background with one unit, the next with two, ….
        """
        ready = self._for_trees(np.stack(rows), background)
        if ready is None:
            matrices = (
                _growing(row, background, order) for row, order in zip(rows, orders, strict=True)
            )
            yield from self.predict_each(matrices, len(rows), jobs, "sage")
            return
        trees, (given, others) = ready

        def of_row(pair: tuple[FloatArray, Sequence[NDArray[np.intp]]]) -> FloatArray:
            members = [trees.columns_of(unit) for unit in pair[1]]
            predictions = trees.trees.grow(pair[0], others, members)
            return predictions.reshape(-1, *predictions.shape[2:])

        yield from jobs.each(of_row, zip(given, orders, strict=True), len(given), "sage")


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


def _first(matrices: Iterable[FloatArray]) -> tuple[FloatArray, Iterator[FloatArray]]:
    """The first matrix, and all of them."""
    remaining = iter(matrices)
    first = next(remaining)

    def all_of_them() -> Iterator[FloatArray]:
        yield first
        yield from remaining

    return first, all_of_them()


def _batches(matrices: Iterator[FloatArray], size: int) -> Iterator[list[FloatArray]]:
    batch: list[FloatArray] = []
    for matrix in matrices:
        batch.append(matrix)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _exchanged(columns: FloatArray, copies: FloatArray, unit: NDArray[np.intp]) -> FloatArray:
    changed = columns.copy()
    changed[:, unit] = copies[:, unit]
    return changed


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


def _same(codes: FloatArray) -> FloatArray:
    return codes
