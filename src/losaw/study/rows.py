"""The rows of a block: what one line holds, and the columns of the file they are stored in."""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

SCORES = "scores"

_NUMBERS = pa.list_(pa.float64())
BLOCK_SCHEMA = pa.schema(
    [
        ("study", pa.string()),
        ("setting_id", pa.string()),
        ("learner", pa.string()),
        ("seed", pa.int32()),
        ("importance", pa.string()),
        ("metric", pa.string()),
        ("value", pa.float64()),
        ("status", pa.string()),
        ("message", pa.string()),
        ("features", pa.list_(pa.string())),
        ("scores", _NUMBERS),
        ("std_error", _NUMBERS),
        ("p_values", _NUMBERS),
        ("signal", pa.list_(pa.int32())),
    ]
)


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


def table_of(study: str, setting: str, learner: str, rows: Iterable[Row]) -> pa.Table:
    """Rows as a table with the columns of a block's file."""
    fit = {"study": study, "setting_id": setting, "learner": learner}
    return pa.Table.from_pylist([{**fit, **vars(row)} for row in rows], schema=BLOCK_SCHEMA)


def rows_by_seed(table: pa.Table) -> dict[int, list[Row]]:
    """The rows of a block's table by seed, in their order."""
    by_seed: dict[int, list[Row]] = {}
    for line in table.drop_columns(["study", "setting_id", "learner"]).to_pylist():
        row = Row(**line)
        by_seed.setdefault(row.seed, []).append(row)
    return by_seed
