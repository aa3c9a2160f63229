"""The input of a method: a fitted model, rows, and the features or groups to score."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FeatureKind, FloatArray
from losaw.scoring.losses import Loss, resolve_loss
from losaw.scoring.model_columns import ModelColumns
from losaw.scoring.model_view import view_model
from losaw.support.jobs import Jobs, checked_jobs
from losaw.support.outcomes import one_column
from losaw.tables import Table, read_table
from losaw.tables.groups import Groups, Units, chosen_units, units_of
from losaw.tables.kinds import Kinds


class Options(NamedTuple):
    """Options of a method, in addition to the model and its rows."""

    loss: Any = None
    features: Sequence[str] | None = None
    groups: Groups = None
    n_jobs: int | None = None
    verbose: bool = False


@dataclass(frozen=True)
class Rows:
    """Rows with their responses as they were given, before any model is known.

    Attributes
    ----------
    table : Table
    y : array of shape (n_rows,)
        Numbers or labels.
    weights : array of shape (n_rows,) or None
    """

    table: Table
    y: NDArray[Any]
    weights: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.table)

    def take(self, rows: NDArray[Any]) -> "Rows":
        weights = None if self.weights is None else self.weights[rows]
        return Rows(self.table.take(rows), self.y[rows], weights)


@dataclass(frozen=True)
class Explained:
    """A fitted model with the rows that it is explained on.

    Attributes
    ----------
    model : fitted predictor
    table : Table
    y : array of shape (n_rows,)
        Numbers, or positions in the model's classes.
    weights : array of shape (n_rows,) or None
        Of the rows, with mean 1.
    view : ModelColumns
    loss : callable
        ``loss(y, prediction) -> (n_rows,)``.
    units : Units
        Features and groups that can be scored.
    scored : int array
        The units that are scored.
    jobs : Jobs
    """

    model: Any
    table: Table
    y: FloatArray
    weights: FloatArray | None
    view: ModelColumns
    loss: Loss
    units: Units
    scored: NDArray[np.intp]
    jobs: Jobs

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what is scored."""
        return tuple(self.units.names[unit] for unit in self.scored)

    @property
    def members(self) -> list[NDArray[np.intp]]:
        """Features of every unit that is scored."""
        return [self.units.members[unit] for unit in self.scored]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of what is scored; of a group the kinds of its features, joined."""
        return kinds_of(self.table, self.members)

    def mean(self, values: FloatArray) -> Any:
        """Weighted mean over rows, the first axis."""
        return values.mean(axis=0) if self.weights is None else _average(values, self.weights)


def read_rows(
    X: ArrayLike,
    y: ArrayLike,
    *,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Rows:
    """Read and check a table with its responses.

    Raises
    ------
    ValueError
        As :func:`losaw.tables.read_table`; if lengths differ, there are fewer than two rows, or a
        weight is negative, missing or infinite, or all are 0.
    """
    table = read_table(X, kinds=kinds, feature_names=feature_names)
    response = one_column(y)
    if len(response) != len(table):
        raise ValueError(f"y has {len(response)} entries for {len(table)} rows of X")
    if len(table) < 2:
        raise ValueError(f"the sample has {len(table)} row(s); an importance needs at least 2")
    weights = None
    if sample_weight is not None:
        weights = np.asarray(sample_weight, dtype=float)
        if weights.shape != (len(table),):
            raise ValueError(
                f"sample_weight has shape {weights.shape}, expected ({len(table)},): one for each "
                "row"
            )
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise ValueError("sample_weight must be finite, not negative, and not all 0")
    return Rows(table, response, weights)


def explained(model: Any, rows: Rows, options: Options) -> Explained:
    """A fitted model with the rows that it is explained on.

    Raises
    ------
    ValueError, TypeError
        For a model that was fitted to other columns or knows other classes, and for unknown
        losses, groups and features.
    """
    view = view_model(model, rows.table)
    units = units_of(rows.table.names, options.groups)
    needs_probabilities = options.loss != "zero-one" and not callable(options.loss)
    if view.task == "classification" and needs_probabilities and not _has_probabilities(model):
        raise ValueError(
            f"{type(model).__name__} has no predict_proba; use loss='zero-one', or calibrate it "
            "with sklearn.calibration.CalibratedClassifierCV"
        )
    return Explained(
        model=model,
        table=rows.table,
        y=view.response(rows.y),
        weights=_scaled(rows.weights),
        view=view,
        loss=resolve_loss(options.loss, view.task),
        units=units,
        scored=chosen_units(units, options.features),
        jobs=checked_jobs(options.n_jobs, options.verbose),
    )


def require_complete(table: Table, what: str, remedy: str) -> None:
    """Raise the ValueError for missing values, where a method cannot do with them."""
    missing = np.isnan(table.codes)
    if missing.any():
        column = int(np.flatnonzero(missing.any(axis=0))[0])
        row = int(np.flatnonzero(missing[:, column])[0])
        raise ValueError(
            f"column {table.names[column]!r} has missing values (first: row {row}; in all "
            f"{int(missing.any(axis=1).sum())} rows are incomplete). {what}; {remedy}"
        )


def kinds_of(table: Table, members: Sequence[NDArray[np.intp]]) -> tuple[str, ...]:
    """The kind of every unit; of a group all kinds of its features, joined by a plus."""
    kinds: tuple[FeatureKind, ...] = table.kinds
    return tuple(" + ".join(dict.fromkeys(kinds[j] for j in unit)) for unit in members)


def weights_of(rows: Rows) -> FloatArray:
    """The weights of rows, 1 where none are given."""
    return np.ones(len(rows)) if rows.weights is None else rows.weights


def _has_probabilities(model: Any) -> bool:
    return hasattr(model, "predict_proba") or hasattr(model, "predict_encoded")


def _scaled(weights: FloatArray | None) -> FloatArray | None:
    return None if weights is None else weights / weights.mean()


def _average(values: FloatArray, weights: FloatArray) -> Any:
    return np.average(values, axis=0, weights=weights)
