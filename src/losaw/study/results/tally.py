"""The verdicts counted, by method and metric."""

import numpy as np
import pandas as pd

from losaw.study.grid import Study
from losaw.study.results.agreement import MISSING, VERDICTS
from losaw.study.results.compare import NUMBER_COLUMNS, SD_COLUMNS
from losaw.study.settings import matches

COMPARED = tuple(word for word in VERDICTS if word not in MISSING)
DISTANCES = (0.01, 0.02, 0.05)


def compared(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that are published and were run; each cell once, whatever tables show it."""
    cells = comparison[~comparison["verdict"].isin(MISSING)]
    keys = [c for c in cells.columns if c not in ("table", *NUMBER_COLUMNS, *SD_COLUMNS)]
    return cells.drop_duplicates([*keys, "published"])


def counted(study: Study, comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the compared cells that count: each published value once, in the believed reading.

    The report and the pages of the reference run count cells by this function.
    """
    cells = compared(comparison)
    rule = study.file.counted
    if isinstance(rule, bool):
        return cells if rule else cells.iloc[:0]
    records = cells.to_dict("records")
    is_counted = [any(matches(where, record) for where in rule) for record in records]
    return cells[np.array(is_counted, dtype=bool)]  # also where there are no cells


def agreement_table(comparison: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Verdicts, distances and z of the compared cells.

    Parameters
    ----------
    comparison : DataFrame
    by : list of str
        Columns to group by, for example ``["data_type", "method", "metric"]``.

    Returns
    -------
    DataFrame
        ``cells``; their numbers by verdict (one column each, named as the verdict);
        ``within_0.01``, ``within_0.02`` and ``within_0.05``, the shares that are so near to the
        published value, whatever their errors; and ``rms_z``, about 1 if both laws are the same,
        over all cells but those in which every run has the published value.
    """
    rows = []
    for key, group in compared(comparison).groupby(by, sort=False):
        distance = (group["reproduced"] - group["published"]).abs()
        is_certain = (group["mc_se"] == 0) & (distance < 1e-9)
        rows.append(
            {
                **dict(zip(by, key if isinstance(key, tuple) else (key,), strict=True)),
                "cells": len(group),
                **{word: int((group["verdict"] == word).sum()) for word in COMPARED},
                # Both numbers are read as decimals: .02 apart is within .02.
                **{f"within_{d}": float((distance <= d + 1e-9).mean()) for d in DISTANCES},
                # Where every run has the published value z is 0 and says nothing of its error.
                "rms_z": float(np.sqrt((group["z"][~is_certain] ** 2).mean())),
            }
        )
    columns = [*by, "cells", *COMPARED, *(f"within_{d}" for d in DISTANCES)]
    return pd.DataFrame(rows, columns=[*columns, "rms_z"])
