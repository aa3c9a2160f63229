"""Chance: how many cells it puts beyond two and three errors, and what fresh runs say of some."""

from pathlib import Path

import pandas as pd
from scipy.special import bdtrc, ndtr

from losaw.study.results.agreement import DEVIATES, DIFFERS
from losaw.study.stored_tables import read_stored
from losaw.support.words import counted

MISPRINT = "misprint"
CHANCE = "chance"  # what explains a deviation that is gone with fresh seeds
FRESH_SEEDS = "fresh_seeds.csv"
# A row is of a cell as it was kept, by its mean: more runs, or a correction, make another one.
CELL = ("study", "setting_id", "metric", "method", "published", "reproduced")
FRESH = {**dict.fromkeys(("study", "setting_id", "metric", "method"), str), "published": float,
         "reproduced": float, "z": float, "fresh_runs": int, "fresh_mean": float, "fresh_z": float,
         "all_z": float, "commit": str}  # fmt: skip
FEW = 30  # cells of a metric
LEVEL = 0.05
RULE = (
    "*Chance* is what fresh runs, at least as many as the kept ones, do not show: |z| ≤ 2 of them "
    "alone, and of all together."
)


def beyond_errors(cells: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return how many unexplained cells are beyond two and three errors, by metric, and by chance.

    And in a sentence, how many are outside the margin, and which metrics have more than by chance.
    """
    cells = cells[cells["z"].notna() & cells["explained"].isin(["", CHANCE])]
    family, size = cells["family"], cells["z"].abs()
    metric = family.mask(family.map(family.value_counts()) < FEW, "other metrics")
    outside = cells["verdict"].isin([DIFFERS, DEVIATES])
    counts = {"cells": 1, "beyond 2": size > 2, "beyond 3": size > 3, "outside the margin": outside}
    table = pd.DataFrame({"metric": metric, **counts}).groupby("metric").sum()
    by_chance = bdtrc(table["beyond 2"] - 1, table["cells"], 2 * ndtr(-2))
    more = table.index[by_chance < LEVEL / len(table)]
    table = pd.concat([table, table.sum().to_frame("all").T]).rename_axis("metric").reset_index()
    for place, bound in ((3, 2), (5, 3)):
        table.insert(
            place, f"beyond {bound} by chance", (2 * ndtr(-bound) * table["cells"]).round(1)
        )
    return table, (
        f"{counted(outside.sum(), '[cell is|cells are]')} outside the margin; chance alone puts "
        f"{2 * ndtr(-2) * len(cells):.0f} beyond two errors. "
        f"More are there than by chance of: {', '.join(more) or 'no metric'}."
    )


def read_fresh(folder: Path) -> pd.DataFrame:
    """Read what fresh runs said of some cells, as benchmarks/fresh_seeds.py writes it down."""
    path = folder / FRESH_SEEDS
    return read_stored(path, FRESH) if path.is_file() else pd.DataFrame(columns=[*FRESH])


def with_fresh(cells: pd.DataFrame, fresh: pd.DataFrame) -> pd.DataFrame:
    """Return cells with what fresh runs say of them noted, and chance told apart (``RULE``)."""
    if fresh.empty:
        return cells
    both = cells[[*CELL]].merge(fresh, on=[*CELL], how="left").set_index(cells.index)
    for row in both[both["fresh_runs"].notna()].itertuples():
        is_chance = max(abs(row.fresh_z), abs(row.all_z)) <= 2
        enough = is_chance and row.fresh_runs >= cells.loc[row.Index, "n_seeds"]
        said = f"z {row.fresh_z:.2f} in {row.fresh_runs:,.0f} fresh runs, {row.all_z:.2f} in all"
        known = cells.loc[row.Index, "noted"]
        cells.loc[row.Index, "noted"] = "; ".join(filter(None, [known, said]))
        if enough and not cells.loc[row.Index, "explained"]:
            cells.loc[row.Index, "explained"] = CHANCE
    return cells
