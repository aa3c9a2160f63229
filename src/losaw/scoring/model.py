"""A fitted model on the rows that it is explained on: any predictor, or trees."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.scoring.losses import Loss, squared_error
from losaw.scoring.rows import Rows, ScoringOptions
from losaw.support.models import classes_of, inside, task_of
from losaw.support.outcomes import class_numbers, finite_numbers, means, probabilities
from losaw.support.threads import checked_jobs, each
from losaw.support.words import counted
from losaw.tables import Table
from losaw.tables.fitted_columns import rebuild_for
from losaw.tables.groups import Units, chosen_units, units_of
from losaw.trees.exchanged import exchanged_predictions, growing_predictions
from losaw.trees.flat import FlatForest, mean_of_trees

# Rows predicted in one call, as long as whole tables go into it; the same for any number of jobs.
_BATCH = 5_000
# Rows that are led through the trees at a time, or fewer, so that every thread has some.
_BLOCK = 1000
# Several copies share one descent: so many rows times features times copies, since more are slower,
# and so many numbers of whole copies are in memory.
_EXCHANGED, _COPIED = 200_000, 1_000_000
_NONE = np.empty(0, np.intp)


@dataclass(frozen=True)
class Model:
    """A fitted model, the rows that it is explained on, and the features that are scored.

    A model has columns of its own: those of the table, or those that it encodes them to. They are
    exchanged for any predictor; of a mean of trees all at once, in one descent through every tree.
    Where a value is missing, which trees do not compare, the model itself predicts.
    """

    fitted: Any
    rows: Rows
    y: FloatArray  # (n_rows,), numbers, or positions in the model's classes
    weights: FloatArray | None  # (n_rows,), with mean 1
    loss: Loss
    loss_name: Any  # as it was asked for
    units: Units  # features and groups that can be scored
    scored: NDArray[np.intp]  # the units that are scored
    n_threads: int  # that predict
    # Codes of features (n, n_features) to the model's columns (n, n_columns).
    encode: Callable[[FloatArray], FloatArray]
    columns_of_feature: tuple[NDArray[np.intp], ...]
    # The model's columns to means, or to probabilities as losaw.scoring.losses has them.
    predict: Callable[[FloatArray], FloatArray]
    # The trees whose mean it predicts; their columns are computed from the model's.
    trees: FlatForest | None

    @property
    def table(self) -> Table:
        return self.rows.table

    @property
    def names(self) -> tuple[str, ...]:
        """Of the scored units."""
        return tuple(self.units.names[unit] for unit in self.scored)

    @property
    def members(self) -> list[NDArray[np.intp]]:
        """Features of every scored unit."""
        return [self.units.members[unit] for unit in self.scored]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of the scored units; of a group the kinds of its features, joined."""
        return self.table.kinds_of(self.members)

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
        compared = self._compared(self.columns)
        if self.trees is None or compared is None:
            return self.predict(self.columns)
        none = np.empty((0, *compared.shape))
        return exchanged_predictions(self.trees.trees, self.trees.value, compared, none, [])[0]

    def exchange(
        self, copies: Iterable[FloatArray], n_copies: int
    ) -> Iterator[Sequence[FloatArray]]:
        """Predictions as they are, and with one scored unit after the other taken from copies.

        Yields 1 + n_scored arrays (n_rows, …) for each of ``n_copies`` arrays of the shape of
        ``columns``, which are taken one after the other, in the calling thread.
        """
        compared = self._compared(self.columns)
        if self.trees is not None and compared is not None:
            yield from self._exchange_in_trees(self.trees, compared, copies, n_copies)
            return
        units = self.scored_columns
        same = self.predict(self.columns)
        matrices = (exchanged(self.columns, copy, unit) for copy in copies for unit in units)
        predicted = self._predict_each(matrices, self.n_threads)
        while of_copy := list(itertools.islice(predicted, len(units))):
            yield [same, *of_copy]

    def grow(
        self, rows: FloatArray, background: FloatArray, orders: Sequence[NDArray[np.intp]]
    ) -> Iterator[FloatArray]:
        """Predictions of the background when it takes a row's columns, one unit after the other.

        Yields an array (n_units * n_background, …) for every row: the first n_background with one
        unit, the next with two, …. ``orders`` has for every row all units, in the order in which
        they are taken.
        """
        units = [self.columns_of(unit) for unit in self.units.members]
        compared, others = self._compared(rows), self._compared(background)
        if self.trees is not None and compared is not None and others is not None:
            members = [self.trees.columns_of(unit) for unit in units]
            trees, value = self.trees.trees, self.trees.value
            grown = growing_predictions(trees, value, compared, others, members, orders)
            yield from grown.reshape(len(grown), -1, *grown.shape[3:])
            return
        matrices = (
            growing(row, background, [units[j] for j in order])
            for row, order in zip(rows, orders, strict=True)
        )
        yield from self._predict_each(matrices, 1)

    def _predict_each(self, matrices: Iterable[FloatArray], n_threads: int) -> Iterator[FloatArray]:
        """Predictions of matrices of one size, in few calls of the model."""
        remaining = iter(matrices)
        first = next(remaining)

        def predict(batch: tuple[FloatArray, ...]) -> list[FloatArray]:
            rows = batch[0] if len(batch) == 1 else np.vstack(batch)
            return np.split(np.asarray(self.predict(rows)), len(batch))

        size = max(1, _BATCH // max(len(first), 1))
        every_matrix = itertools.chain([first], remaining)
        batches = iter(lambda: tuple(itertools.islice(every_matrix, size)), ())
        for predicted in each(predict, batches, n_threads):
            yield from predicted

    def _exchange_in_trees(
        self, of: FlatForest, compared: FloatArray, copies: Iterable[FloatArray], n_copies: int
    ) -> Iterator[Sequence[FloatArray]]:
        """Yield what :meth:`exchange` does; ``compared`` is what the trees compare."""
        columns, units = self.columns, self.scored_columns
        members = [of.columns_of(unit) for unit in units]
        exchanged_of_copy = min(len(compared), _BLOCK) * max(len(units), 1)
        most = min(_EXCHANGED // exchanged_of_copy, _COPIED // compared.size)
        at_once = min(max(most, 1), n_copies)
        # Whole copies, or parts of their rows where there are too few to keep all threads busy.
        n_parts = 1 if n_copies >= 4 * self.n_threads * at_once else self.n_threads
        size = min(_BLOCK, -(-len(compared) // n_parts))
        blocks = [slice(at, at + size) for at in range(0, len(compared), size)]
        drawn = iter(copies)

        def parts() -> Iterator[tuple[list[FloatArray], FloatArray | None, slice]]:
            while together := list(itertools.islice(drawn, at_once)):
                predictions = [self._compared(copy) for copy in together]
                others = [other for other in predictions if other is not None]
                whole = np.stack(others) if len(others) == len(together) else None
                yield from ((together, whole, rows) for rows in blocks)

        def of_part(
            block: tuple[list[FloatArray], FloatArray | None, slice],
        ) -> list[list[FloatArray]]:
            """The predictions of some rows, by copy: as they are, and for every unit."""
            together, others, rows = block
            if others is None:
                return [
                    [
                        self.predict(exchanged(columns[rows], copy[rows], unit))
                        for unit in (_NONE, *units)
                    ]
                    for copy in together
                ]
            same, *predictions = exchanged_predictions(
                of.trees, of.value, compared[rows], others[:, rows], members
            )
            remaining = iter(predictions)
            return [[same, *itertools.islice(remaining, len(units))] for _ in together]

        predicted = each(of_part, parts(), self.n_threads)
        while of_blocks := list(itertools.islice(predicted, len(blocks))):
            for parts_of_copy in zip(*of_blocks, strict=True):
                yield [np.concatenate(of_unit) for of_unit in zip(*parts_of_copy, strict=True)]

    def _compared(self, columns: FloatArray) -> FloatArray | None:
        """Columns as the trees compare them; None without trees, or if a value is missing."""
        if self.trees is None:
            return None
        encoded = self.trees.encode(columns)
        return encoded if np.isfinite(encoded).all() else None


def read_model(
    model: Any, rows: Rows, options: ScoringOptions, loss: Loss = squared_error
) -> Model:
    """A fitted model on the rows that it is explained on.

    ``options.loss`` is what ``loss`` was asked for by. A model with an encoding of its own, on an
    array of numbers, has ``encode(X)``, ``encoding_.groups`` and ``predict_encoded(columns)``,
    which gives means or probabilities of the second class, and ``encoded_forest()`` if that is the
    mean of trees. Any other model is given rows of the type that the table was read from, and its
    columns are the features.
    """
    _require_fitted(model)
    table = rows.table
    classes = classes_of(model) if task_of(model) == "classification" else None
    rebuild = rebuild_for(model, table)
    if table.is_plain and hasattr(model, "predict_encoded"):
        encode, predict = model.encode, model.predict_encoded
        columns_of_feature = tuple(model.encoding_.groups)
        trees = model.encoded_forest() if hasattr(model, "encoded_forest") else None
    else:
        columns_of_feature = tuple(np.array([j]) for j in range(len(table.names)))
        encode = np.asarray
        predict = _predictor_of(model, table, rebuild, None if classes is None else len(classes))
        trees = None
        if rebuild == table.rebuild:  # the model's columns are in the order of the table's
            trees = mean_of_trees(model)
        if trees is not None:
            encode_rows = trees.encode
            trees = replace(trees, encode=lambda codes: encode_rows(rebuild(codes)))
    units = units_of(table.names, options.groups)
    needs_probabilities = isinstance(options.loss, str) and options.loss != "zero-one"
    has_probabilities = hasattr(model, "predict_proba") or hasattr(model, "predict_encoded")
    if classes is not None and needs_probabilities and not has_probabilities:
        raise ValueError(
            f"{type(model).__name__} has no predict_proba; use loss='zero-one', or calibrate it "
            "with sklearn.calibration.CalibratedClassifierCV"
        )
    return Model(
        model,
        rows,
        finite_numbers(rows.y) if classes is None else class_numbers(rows.y, classes),
        weights=None if rows.weights is None else rows.weights / rows.weights.mean(),
        loss=loss,
        loss_name=options.loss,
        units=units,
        scored=chosen_units(units, options.features),
        n_threads=checked_jobs(options.n_jobs),
        encode=encode,
        columns_of_feature=columns_of_feature,
        predict=predict,
        trees=trees,
    )


def exchanged(columns: FloatArray, copies: FloatArray, unit: NDArray[np.intp]) -> FloatArray:
    """Columns with those of a unit taken from copies."""
    changed = columns.copy()
    changed[:, unit] = copies[:, unit]
    return changed


def growing(
    row: FloatArray, background: FloatArray, order: Sequence[NDArray[np.intp]]
) -> FloatArray:
    """The background with one unit of ``row`` after another filled in, stacked."""
    filled = background.copy()
    stages = []
    for unit in order:
        filled[:, unit] = row[unit]
        stages.append(filled.copy())
    return np.concatenate(stages)


def _require_fitted(model: Any) -> None:
    """Raise an error for a model of scikit-learn or ours, or a Pipeline, without a fit."""
    from sklearn.utils.validation import check_is_fitted

    last = inside(model).model
    if type(last).__name__ == "Booster":  # of xgboost and lightgbm: it has no rows and no classes
        raise TypeError(
            "model is a Booster, which predicts no frame or array as an estimator does: give the "
            "XGBRegressor, LGBMClassifier, … that it is of"
        )
    # Other models may show a fit in other ways.
    if type(last).__module__.partition(".")[0] in ("sklearn", "losaw"):
        problem = (
            f"the model, a {type(model).__name__}, is not fitted: call its fit(X, y) first, or "
        )
        check_is_fitted(last, msg=f"{problem}give cv=5 to fit it in folds")


def _predictor_of(
    model: Any, table: Table, rebuild: Callable[[FloatArray], Any], n_classes: int | None
) -> Callable[[FloatArray], FloatArray]:
    """Codes to means, or to probabilities of classes."""

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
        f"{counted(int(missing.any(axis=1).sum()), '[row|rows]')} with missing values (first: row "
        f"{row}, column {table.names[column]!r}); impute them in a Pipeline with the "
        "model, for example by sklearn.impute.SimpleImputer"
    )
