"""A fitted model on a table: a mean of trees where it is one, else any predictor."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.fitted_trees.exchanged import (
    exchanged_predictions,
    growing_predictions,
    predictions,
)
from losaw.fitted_trees.trees_of_columns import TreesOfColumns, trees_of, trees_of_encoded
from losaw.scoring.losses import resolve_loss
from losaw.scoring.model_on_table import (
    ModelOnTable,
    exchanged,
    predictor_of,
    rebuild_for,
    require_fitted,
    same_columns,
)
from losaw.scoring.rows import Options, Rows
from losaw.support.outcomes import (
    class_numbers,
    classes_of,
    finite_numbers,
    task_of,
)
from losaw.support.threads import checked_jobs, each_short, n_threads_of
from losaw.tables.groups import chosen_units, units_of

# Rows that are led through the trees at a time, or fewer, so that every thread has some.
_BLOCK = 1000
_NONE = np.empty(0, np.intp)


@dataclass(frozen=True)
class MeanOfTrees(ModelOnTable):
    """A mean of trees on a table: features are exchanged in one descent through every tree.

    Where a value is missing, which trees do not compare, the model itself predicts.

    Attributes
    ----------
    mean_of : TreesOfColumns
        Its columns are computed from the model's.
    """

    mean_of: TreesOfColumns

    def tree_columns_of(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """The trees' columns of some of the model's columns."""
        return np.flatnonzero(np.isin(self.mean_of.feature_of_column, columns))

    def predictions(self) -> FloatArray:
        """Predictions of the rows, by the same order of sums as in :meth:`exchange`."""
        encoded = self._encoded(self.columns)
        if encoded is None:
            return super().predictions()
        return predictions(self.mean_of.trees, self.mean_of.value, encoded)

    def exchange(
        self, copies: Iterable[FloatArray], n_copies: int, what: str
    ) -> Iterator[Sequence[FloatArray]]:
        """Return predictions with one unit after the other exchanged; see the base class."""
        columns = self.columns
        encoded = self._encoded(columns)
        if encoded is None:
            yield from super().exchange(copies, n_copies, what)
            return
        units = self.scored_columns
        members = [self.tree_columns_of(unit) for unit in units]
        # Whole copies, or parts of their rows where there are too few to keep all threads busy.
        n_threads = n_threads_of(self.jobs)
        n_parts = 1 if n_copies >= 4 * n_threads else n_threads
        size = min(_BLOCK, -(-len(encoded) // n_parts))
        blocks = [slice(at, at + size) for at in range(0, len(encoded), size)]

        def parts() -> Iterator[tuple[FloatArray, FloatArray | None, slice]]:
            for copy in copies:
                other = self._encoded(copy)
                yield from ((copy, other, rows) for rows in blocks)

        def of_part(part: tuple[FloatArray, FloatArray | None, slice]) -> FloatArray:
            copy, other, rows = part
            if other is None:
                changed = (exchanged(columns[rows], copy[rows], unit) for unit in (_NONE, *units))
                return np.stack([self.predict(matrix) for matrix in changed])
            trees, value, *_ = self.mean_of
            return exchanged_predictions(trees, value, encoded[rows], other[rows], members)

        predicted = each_short(self.jobs, of_part, parts(), n_copies * len(blocks), what)
        while of_copy := list(itertools.islice(predicted, len(blocks))):
            yield list(np.concatenate(of_copy, axis=1))

    def grow(
        self, rows: FloatArray, background: FloatArray, orders: Sequence[NDArray[np.intp]]
    ) -> Iterator[FloatArray]:
        """Yield the predictions of :meth:`ModelOnTable.grow`, computed from the trees."""
        given, others = self._encoded(rows), self._encoded(background)
        if given is None or others is None:
            yield from super().grow(rows, background, orders)
            return
        members = [self.tree_columns_of(self.columns_of(unit)) for unit in self.units.members]
        trees, value, *_ = self.mean_of
        grown = growing_predictions(trees, value, given, others, members, orders)
        yield from grown.reshape(len(grown), -1, *grown.shape[3:])

    def _encoded(self, columns: FloatArray) -> FloatArray | None:
        """Columns as the trees compare them; None if a value is missing."""
        encoded = self.mean_of.encode(columns)
        return encoded if np.isfinite(encoded).all() else None


def model_on_table(model: Any, rows: Rows, options: Options) -> ModelOnTable:
    """A fitted model on the rows that it is explained on.

    A model with an encoding of its own, on an array of numbers, has ``encode(X)``,
    ``encoding_.groups`` and ``predict_encoded(columns)``, which gives means or probabilities of the
    second class (:class:`losaw.learners.encoded.EncodedLearner`). Any other model is given rows of
    the type that the table was read from, and its columns are the features.

    Raises
    ------
    ValueError, TypeError
        For a model that was fitted to other columns or knows other classes, and for unknown
        losses, groups and features.
    """
    require_fitted(model)
    table = rows.table
    task = task_of(model)
    classes = classes_of(model) if task == "classification" else None
    if table.is_plain and hasattr(model, "predict_encoded"):
        encode, predict = model.encode, model.predict_encoded
        columns_of_feature = tuple(model.encoding_.groups)
        mean_of = trees_of_encoded(model, sum(map(len, columns_of_feature)))
    else:
        encode, columns_of_feature = (
            same_columns,
            tuple(np.array([j]) for j in range(len(table.names))),
        )
        rebuild = rebuild_for(model, table)
        predict = predictor_of(model, table, rebuild, None if classes is None else len(classes))
        mean_of = None
        if rebuild is table.rebuild:  # the model's columns are in the order of the table's
            mean_of = trees_of(model, table.names)
        if mean_of is not None:
            encode_rows = mean_of.encode
            mean_of = mean_of._replace(encode=lambda codes: encode_rows(rebuild(codes)))
    units = units_of(table.names, options.groups)
    needs_probabilities = options.loss != "zero-one" and not callable(options.loss)
    has_probabilities = hasattr(model, "predict_proba") or hasattr(model, "predict_encoded")
    if task == "classification" and needs_probabilities and not has_probabilities:
        raise ValueError(
            f"{type(model).__name__} has no predict_proba; use loss='zero-one', or calibrate it "
            "with sklearn.calibration.CalibratedClassifierCV"
        )
    seen = {
        "model": model,
        "rows": rows,
        "y": finite_numbers(rows.y) if classes is None else class_numbers(rows.y, classes),
        "weights": None if rows.weights is None else rows.weights / rows.weights.mean(),
        "loss": resolve_loss(options.loss, task),
        "units": units,
        "scored": chosen_units(units, options.features),
        "jobs": checked_jobs(options.n_jobs, options.verbose),
        "encode": encode,
        "columns_of_feature": columns_of_feature,
        "predict": predict,
    }
    return ModelOnTable(**seen) if mean_of is None else MeanOfTrees(**seen, mean_of=mean_of)
