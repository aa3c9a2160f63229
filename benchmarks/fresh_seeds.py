"""Cells that deviate from print without a known reason, with seeds that were never run.

    python benchmarks/fresh_seeds.py [--runs 100] [--studies ufi_table1,treeinner_table4] [--keep]

A deviation that was chance has gone with other seeds, unless the printed number is the odd one: its
error is in z too. For each counted cell that differs or deviates and that nothing explains: z as
kept, z of as many fresh runs, of seeds above all kept ones, and z of all. ``--keep`` writes them
into ``reference/fresh_seeds.csv``, which the pages show. First it is said how many cells chance
alone puts beyond two and three errors.
"""

import argparse
from pathlib import Path

from losaw.support.one_thread import use_one_thread

use_one_thread()  # as the commands of losaw, before any numerical library is loaded

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from losaw.study.block.replicate import ingredients_in, run_replicate  # noqa: E402
from losaw.study.block.spent import cpu_seconds  # noqa: E402
from losaw.study.generators.joint_law.fit import fit_joint_law, use_law  # noqa: E402
from losaw.study.report.page.stored import Shelf  # noqa: E402
from losaw.study.request.published import read_published  # noqa: E402
from losaw.study.results.agreement import DEVIATES, DIFFERS  # noqa: E402
from losaw.study.results.chance import CELL, CHANCE, FRESH, FRESH_SEEDS, beyond_errors, read_fresh  # noqa: E402
from losaw.study.results.compare import compare  # noqa: E402
from losaw.study.results.outputs import commit  # noqa: E402

FIRST = 100_000  # above all seeds of all studies
REFERENCE, CONFIG = Path("reference"), Path("config")


def fresh_values(study, setting, learner, importance, metric, n_runs):
    """The values of a cell in runs of seeds above the kept ones, and their seconds."""
    if law := study.law_of(setting):
        use_law(fit_joint_law(law))
    ingredients = ingredients_in(study, setting, learner)
    start = cpu_seconds()
    rows = [
        row
        for seed in range(FIRST, FIRST + n_runs)
        for row in run_replicate(ingredients, seed, [importance], ingredients.data)
        if row.metric == metric and row.status == "ok"
    ]
    return np.array([row.value for row in rows]), cpu_seconds() - start


def run_fresh(study, summary, cell, n_runs):
    """A line of ``fresh_seeds.csv`` on a cell, and the seconds of its runs."""
    setting, metric, method = study.setting(cell["setting_id"]), cell["metric"], cell["method"]
    is_cell = summary[["setting_id", "metric", "method"]].eq([setting.identifier, metric, method])
    (kept,) = summary[is_cell.all(axis=1)].to_dict("records")
    n, n_runs = int(kept["n_seeds"]), n_runs or int(kept["n_seeds"])
    names = kept["learner"], kept["importance"] or ""
    values, seconds = fresh_values(study, setting, *names, metric, n_runs)
    if len(values) < n_runs:
        return None, seconds

    def z(mean, deviation, n):
        changed = {"mean": mean, "sd": deviation, "n_seeds": n, "mc_se": deviation / n**0.5}
        other = pd.concat([summary[~is_cell.all(axis=1)], pd.DataFrame([{**kept, **changed}])])
        cells = compare(study, other, read_published(study, CONFIG / "published"))
        same = cells[[*study.axes, "metric", "method", "published"]].eq(
            [*setting.axes.values(), metric, method, cell["published"]]
        )
        return round(float(cells.loc[same.all(axis=1), "z"].iloc[0]), 3)

    mean, deviation = values.mean(), values.std(ddof=1)
    both = n + n_runs
    pooled = (n * kept["mean"] + n_runs * mean) / both
    squares = (n - 1) * kept["sd"] ** 2 + (n_runs - 1) * deviation**2
    squares += n * n_runs / both * (kept["mean"] - mean) ** 2
    line = {name: cell[name] for name in ("study", *CELL[1:], "z")}
    numbers = {"fresh_runs": n_runs, "fresh_mean": float(f"{mean:.7g}")}
    numbers |= {"fresh_z": z(mean, deviation, n_runs)}
    numbers |= {"all_z": z(pooled, (squares / (both - 1)) ** 0.5, both)}
    return line | numbers, seconds


def main():
    """Print the counts, then each cell."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, help="fresh runs of a cell (as many as are kept)")
    parser.add_argument("--studies", help="those whose cells are run (all with such a cell)")
    parser.add_argument("--keep", action="store_true", help="write reference/fresh_seeds.csv")
    asked = parser.parse_args()
    shelf, at = Shelf(REFERENCE, CONFIG), commit()
    cells = shelf.all_compared
    cells = cells[cells["is_counted"]]
    for part in beyond_errors(cells):
        print(part if isinstance(part, str) else part.to_string(), flush=True)
    unknown = cells["explained"].isin(["", CHANCE]) & cells["verdict"].isin([DIFFERS, DEVIATES])
    for name, own in cells[unknown].groupby("study"):
        if asked.studies and name not in asked.studies.split(","):
            continue
        for cell in own.to_dict("records"):
            study, summary = shelf.studies[name], shelf.results[name].summary
            line, seconds = run_fresh(study, summary, cell, asked.runs)
            line = line and line | {"commit": at}
            what = f"{cell['setting_id']} {cell['metric']} {cell['method']}"
            print(f"{name} {what}: {line or 'cannot run here'}, {seconds:.0f} s", flush=True)
            if line and asked.keep:
                before = read_fresh(REFERENCE)
                new = pd.DataFrame([line], columns=[*FRESH])
                both = pd.concat([before, new] if len(before) else [new])
                both = both.drop_duplicates([*CELL[:4], "published"], keep="last")
                both.sort_values([*CELL[:4]]).to_csv(REFERENCE / FRESH_SEEDS, index=False)


if __name__ == "__main__":
    main()
