"""Cells that deviate from print without a known reason, with seeds that were never run.

    python benchmarks/fresh_seeds.py [--runs 100] [--studies ufi_table1,treeinner_table4]

A deviation that was chance has gone with other seeds, unless the printed number is the odd one: its
error is in z too. For each counted cell with |z| > 2 that nothing explains: z as kept, and z of as
many fresh runs, of seeds above all kept ones. First it is said how many such cells chance alone
makes, by metric: of two normal means, .0455 of all cells have |z| > 2 and .0027 have |z| > 3.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from losaw.study.block.replicate import ingredients_in, run_replicate
from losaw.study.generators.joint_law.fit import fit_joint_law, use_law
from losaw.study.results.compare import compared_cells, counted
from losaw.study.session import Session

FIRST = 100_000  # above all seeds of all studies


def kept(study):
    """The kept comparison of a study's counted cells that have an error."""
    cells = compared_cells(pd.read_csv(f"reference/{study.name}/comparison.csv"))
    cells = counted(study, cells)
    return cells[cells["z"].notna()]


def expected(cells):
    """Counts of |z| beyond 2 and 3 by metric, beside those of chance; explained ones apart."""
    size, is_known = cells["z"].abs(), cells["explained"].notna()
    table = pd.DataFrame({"metric": cells["metric"], "cells": 1, "explained": is_known})
    for bound in (2, 3):
        table[f"|z|>{bound}"] = (size > bound) & ~is_known
    table = table.groupby("metric").sum()
    for bound in (2, 3):
        table[f"chance {bound}"] = 2 * norm.sf(bound) * (table["cells"] - table["explained"])
    return table.sort_values("cells", ascending=False).round(1)


def fresh_values(study, cell, n_runs):
    """The values of a cell in runs of seeds above the kept ones, and their seconds."""
    (setting,) = (
        setting
        for setting in study.settings
        if all(str(cell[axis]) == str(setting.axes[axis]) for axis in study.axes)
    )
    if law := study.law_of(setting):
        use_law(fit_joint_law(law))
    metric = cell["metric"]
    learner, importance = next(
        (learner, importance)
        for learner in study.learners
        for importance in study.measured(metric, learner)
        if study.method_name(learner, importance) == cell["method"]
    )
    ingredients = ingredients_in(study, setting, learner)
    start = time.process_time()
    rows = [
        row
        for seed in range(FIRST, FIRST + n_runs)
        for row in run_replicate(ingredients, seed, [importance], ingredients.data)
        if row.metric == metric
    ]
    return np.array([row.value for row in rows]), time.process_time() - start


def main():
    """Print the counts, then each cell."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, help="fresh runs of a cell (as many as are kept)")
    parser.add_argument("--studies", help="those whose cells are run (all with such a cell)")
    asked = parser.parse_args()
    names = sorted(path.parent.name for path in Path("reference").glob("*/comparison.csv"))
    session = Session(Path("config/config.yaml"), {"studies": names, "scale": "paper"})
    cells = {name: kept(session.study(name)) for name in names}
    print(expected(pd.concat(cells)).to_string(), flush=True)
    for name in asked.studies.split(",") if asked.studies else names:
        study, own = session.study(name), cells[name]
        for cell in own[(own["z"].abs() > 2) & own["explained"].isna()].to_dict("records"):
            if cell["verdict"] == "agrees":
                continue
            n_runs = asked.runs or int(cell["n_seeds"])
            values, seconds = fresh_values(study, cell, n_runs)
            apart = cell["reproduced"] - cell["published"]
            of_print = (apart / cell["z"]) ** 2 - cell["mc_se"] ** 2
            error = np.sqrt(of_print + values.var(ddof=1) / n_runs)
            where = ", ".join(f"{cell[axis]}" for axis in study.axes)
            print(
                f"{name} ({where}) {cell['metric']} {cell['method']}: published "
                f"{cell['published']}, {cell['n_seeds']:.0f} runs {cell['reproduced']:.3f} "
                f"(z {cell['z']:.2f}), {n_runs} fresh {values.mean():.3f} "
                f"(z {(values.mean() - cell['published']) / error:.2f}), {seconds:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
