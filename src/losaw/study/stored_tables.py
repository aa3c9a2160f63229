"""Tables that a run has stored, read back with the types of their columns."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from losaw.support.errors import LosawError

if TYPE_CHECKING:
    import pandas as pd


def read_stored(path: Path, types: Mapping[str, type] = {}) -> "pd.DataFrame":
    """Return a table of Parquet, or of CSV with its columns of ``types``.

    Only an empty cell is missing, and empty text where the type is text: a name may be None or NA.
    """
    import pandas as pd

    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        table = pd.read_csv(path, dtype=dict(types), keep_default_na=False, na_values=[""])
        if missing := [name for name in types if name not in table]:
            raise ValueError(f"it has no column {missing[0]!r}")
    except (OSError, ValueError) as error:
        is_gone = isinstance(error, FileNotFoundError)
        reason = "no such file" if is_gone else f"cannot be read: {error}"
        remedy = "" if is_gone else "remove it and "
        raise LosawError(f"{path}: {reason}; restore it, or {remedy}run the study again") from None
    return table.fillna({name: "" for name, kind in types.items() if kind is str})
