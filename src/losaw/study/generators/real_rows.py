"""Rows of a real data set as numbers, read once."""

import functools
from typing import NamedTuple

import numpy as np

from losaw.data import FeatureKind, FloatArray


class RealRows(NamedTuple):
    """Features and response of all rows, names and kinds of the features."""

    X: FloatArray
    y: FloatArray
    names: tuple[str, ...]
    kinds: tuple[FeatureKind, ...]


@functools.cache
def read_rows(data_set: str, response: str) -> RealRows:
    """Read a data set; text becomes level codes in the order of the alphabet.

    Raises
    ------
    losaw.study.datasets.DatasetError
        If the data are not there.
    """
    import pandas as pd

    from losaw.study import datasets

    frame = datasets.prepare(data_set)
    is_number = {name: pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns}
    columns = {
        name: np.asarray(
            frame[name] if is_number[name] else pd.factorize(frame[name], sort=True)[0], dtype=float
        )
        for name in frame.columns
    }
    y = columns.pop(response)
    kinds: list[FeatureKind] = ["continuous" if is_number[name] else "nominal" for name in columns]
    return RealRows(np.column_stack(list(columns.values())), y, tuple(columns), tuple(kinds))
