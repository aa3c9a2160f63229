"""The rows that a method scores a model on, with their responses, weights and clusters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.support.arguments import array_of, as_floats, check_finite, check_same_order, check_unit
from losaw.support.outcomes import response_of
from losaw.support.words import counted, other_columns
from losaw.tables import Table, read_table
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups


class ScoringOptions(NamedTuple):
    """The options of a method that concern neither the model nor its rows."""

    loss: Any = None  # as it is asked for
    scoring: Any = None
    features: Sequence[str] | None = None
    groups: Groups = None
    n_jobs: int | None = None


@dataclass(frozen=True)
class Rows:
    """Rows with their responses as they were given, before any model is known."""

    table: Table
    y: NDArray[Any]  # (n_rows,), numbers or labels
    weights: FloatArray | None = None  # (n_rows,)
    clusters: NDArray[np.intp] | None = None  # (n_rows,); equal numbers belong together

    def __len__(self) -> int:
        return len(self.table)

    def take(self, rows: NDArray[Any]) -> "Rows":
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        clusters = None if self.clusters is None else self.clusters[rows]
        return Rows(self.table.take(rows), self.y[rows], weights, clusters)

    def without(self, columns: NDArray[np.intp]) -> "Rows":
        """The rows without some of their columns."""
        return replace(self, table=self.table.without(columns))


def read_rows(
    X: ArrayLike,
    y: ArrayLike,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Rows:
    """Read and check a table with its responses."""
    table = read_table(X, kinds=kinds, feature_names=feature_names)
    response = response_of(X, y, len(table))
    check_same_order(X, "sample_weight", sample_weight)
    check_same_order(X, "clusters", clusters)
    if len(table) < 2:
        raise ValueError(f"the sample has {len(table)} row(s); an importance needs at least 2")
    weights = None
    if sample_weight is not None:
        weights = as_floats("sample_weight", sample_weight)
        if weights.shape != (len(table),):
            raise ValueError(
                f"sample_weight has shape {weights.shape}, expected ({len(table)},): one number "
                "for each row"
            )
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise ValueError("sample_weight must be finite, not negative, and not all 0")
        check_finite("sample_weight", weights, remedy="give it in another unit")
        check_unit("sample_weight", weights)
    return Rows(table, response, weights, cluster_numbers(clusters, len(table)))


def training_rows(
    train: tuple[ArrayLike, ...], rows: Rows, feature_names: Sequence[str] | None
) -> Rows:
    """Read the rows that a model was fitted to, (X, y) or (X, y, sample_weight)."""
    is_tuple = isinstance(train, tuple | list)
    if not is_tuple or len(train) not in (2, 3):
        got = f"{len(train)} parts" if is_tuple else repr(type(train).__name__)
        raise ValueError(f"train must be (X, y) or (X, y, sample_weight), got {got}")
    X, y, *weights = train
    try:
        fitted_rows = read_rows(
            X, y, rows.table.kinds, feature_names, weights[0] if weights else None
        )
    except (TypeError, ValueError) as error:
        raise type(error)(f"train: {error}") from error
    differ = other_columns("train", fitted_rows.table.names, "X", rows.table.names)
    if differ:
        raise ValueError(f"{differ}; give both the same columns in the same order")
    return fitted_rows


def cluster_numbers(clusters: ArrayLike | None, n_rows: int) -> NDArray[np.intp] | None:
    """Return the label of every row's cluster as numbers from 0; None for None."""
    import pandas as pd

    if clusters is None:
        return None
    labels = array_of(clusters)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"clusters has shape {labels.shape}, expected ({n_rows},): one label for each row"
        )
    numbers, known = pd.factorize(labels)
    if (numbers < 0).any():
        row = int(np.flatnonzero(numbers < 0)[0])
        raise ValueError(f"clusters has no label for row {row}; give such a row one of its own")
    if len(known) < 2:
        raise ValueError("clusters has the same label for all rows; at least two are needed")
    return np.asarray(numbers, dtype=np.intp)


def require_complete(table: Table, what: str, remedy: str) -> None:
    """Raise a ValueError for missing values that a method cannot handle."""
    missing = np.isnan(table.codes)
    if missing.any():
        column = int(np.flatnonzero(missing.any(axis=0))[0])
        row = int(np.flatnonzero(missing[:, column])[0])
        raise ValueError(
            f"column {table.names[column]!r} has missing values (first: row {row}; in all "
            f"{counted(int(missing.any(axis=1).sum()), '[row is|rows are]')} incomplete). {what}; "
            f"{remedy}"
        )
