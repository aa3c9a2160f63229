"""The rows of a block: what one line holds, and the columns of the file they are stored in."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import pyarrow as pa

SCORES = "scores"
FIT = ("study", "setting_id", "learner")


@dataclass(frozen=True)
class Row:
    """One line of a block: a metric's value, or the scores of one importance.

    ``importance`` is empty for metrics of predictions; ``metric`` is ``"scores"`` for a line
    that holds per-feature scores, and empty for a failed fit.
    """

    seed: int
    importance: str
    metric: str
    value: float = float("nan")
    status: str = "ok"
    message: str = ""
    features: list[str] | None = None
    scores: list[float] | None = None
    std_error: list[float] | None = None
    p_values: list[float] | None = None
    signal: list[int] | None = None


_TYPES: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int32(),
    float: pa.float64(),
    list[str] | None: pa.list_(pa.string()),
    list[int] | None: pa.list_(pa.int32()),
    list[float] | None: pa.list_(pa.float64()),
}
BLOCK_SCHEMA = pa.schema(
    [(name, pa.string()) for name in FIT] + [(one.name, _TYPES[one.type]) for one in fields(Row)]
)


def table_of(study: str, setting: str, learner: str, rows: Iterable[Row]) -> pa.Table:
    """Rows as a table with the columns of a block's file."""
    fit = dict(zip(FIT, (study, setting, learner), strict=True))
    return pa.Table.from_pylist([{**fit, **vars(row)} for row in rows], schema=BLOCK_SCHEMA)


def rows_by_seed(table: pa.Table) -> dict[int, list[Row]]:
    """The rows of a block's table by seed, in their order."""
    by_seed: dict[int, list[Row]] = {}
    for line in table.drop_columns(list(FIT)).to_pylist():
        row = Row(**line)
        by_seed.setdefault(row.seed, []).append(row)
    return by_seed
