"""The cells whose verdicts count."""

import numpy as np
import pandas as pd

from losaw.study.grid import Study
from losaw.study.results.agreement import MISSING, VERDICTS
from losaw.study.results.compare import NUMBER_COLUMNS, SD_COLUMNS
from losaw.study.settings import matches

COMPARED = tuple(word for word in VERDICTS if word not in MISSING)


def compared_cells(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that are published and were run; each cell once, whatever tables show it."""
    cells = comparison[~comparison["verdict"].isin(MISSING)]
    keys = [c for c in cells.columns if c not in ("table", *NUMBER_COLUMNS, *SD_COLUMNS)]
    return cells.drop_duplicates([*keys, "published"])


def counted(study: Study, comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the compared cells that count: each published value once, in the believed reading.

    The report and the pages of the reference run count cells by this function.
    """
    cells = compared_cells(comparison)
    rule = study.file.counted
    if isinstance(rule, bool):
        return cells if rule else cells.iloc[:0]
    records = cells.to_dict("records")
    is_counted = [any(matches(where, record) for where in rule) for record in records]
    return cells[np.array(is_counted, dtype=bool)]  # also where there are no cells


def rms_z(cells: pd.DataFrame) -> float:
    """Return the root mean square of z, about 1 if both laws are the same.

    Cells in which every run has the published value are left out: their z says nothing.
    """
    distance = (cells["reproduced"] - cells["published"]).abs()
    is_certain = (cells["mc_se"] == 0) & (distance < 1e-9)
    return float(np.sqrt((cells["z"][~is_certain] ** 2).mean()))
