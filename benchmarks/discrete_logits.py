"""Gain of losawRF on discrete features by the reading of its logits (an hour).

    python benchmarks/discrete_logits.py [--runs 8] [--law mixture]

The published losawRF loses accuracy with the number of discrete noise features at N = 500, ours
does not (docs/discrete_law.md). Here its logits are read otherwise: with another C (1 is
scikit-learn's default and ours), ended after one step, or fitted to distinct in-bag rows. Features
are adjusted for those of ten that correlate by more than .1, for all ten, or for five. Printed are
means of losawRF - RF in R2_ind over f1, f2 and f6 and both noise levels, next to the published
ones. The logits are compiled code: for each reading the package is copied, changed and compiled.
"""

# ruff: noqa: E402 - the number of threads has to be set before numpy is imported

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[1]
ROW = "c = pair[row, 0]\n        cy = pair[row, 1]\n"
DISTINCT = "c = 1.0\n        cy = pair[row, 1] / pair[row, 0]\n"
# Reading -> file of losaw.forest.growing, a text in it, and what takes its place.
READINGS = {
    "C = 1": [],
    "C = 10": [("weights_discrete", "PENALTY = 1.0 ", "PENALTY = 0.1 ")],
    "C = 1000": [("weights_discrete", "PENALTY = 1.0 ", "PENALTY = 0.001 ")],
    "one step": [("weights_discrete", "PRECISION = 1e-6", "PRECISION = 1e9")],
    "distinct rows": [("weights_discrete", ROW, DISTINCT), ("weights_of_eight", ROW, DISTINCT)],
}
ADJUSTED = {
    "above .1": {"n_adjustment": 10, "correlation_threshold": 0.1},
    "all ten": {"n_adjustment": 10, "correlation_threshold": 0.0},
    "five above .1": {"n_adjustment": 5, "correlation_threshold": 0.1},
}
N_FEATURES, NOISE, FUNCTIONS = (10, 50, 100), (0.1, 1.0), ("f1", "f2", "f6")
LAWS = {
    "barrier": {"barrier": 1e-5},
    "mixture": {"independent_share": 0.02},
}
FOREST = {"n_estimators": 100, "max_depth": 10, "min_samples_leaf": 5}


def r_squared(forest, sample):
    x, y = sample
    return 1.0 - np.mean((y - forest.predict(x)) ** 2) / np.var(y)


def measure(law, runs):
    """R2_ind of losawRF for each adjustment, less that of RF, run by run."""
    from losaw.forest import LosawRandomForestRegressor, PlainRandomForestRegressor
    from losaw.generators.losaw import LosawGenerator

    for n_features in N_FEATURES:
        for phi in NOISE:
            for function in FUNCTIONS:
                generator = LosawGenerator(
                    data_type="discrete", n_samples=500, n_features=n_features, phi=phi,
                    function=function, **LAWS[law],
                )  # fmt: skip
                for run in range(runs):
                    data = generator.sample(np.random.default_rng([run, n_features]))
                    common = FOREST | {"max_features": n_features // 3, "random_state": run}
                    plain = PlainRandomForestRegressor(**common).fit(*data.train)
                    base = r_squared(plain, data.independent)
                    for adjusted, options in ADJUSTED.items():
                        forest = LosawRandomForestRegressor(**common, **options, eta=0.25)
                        forest.fit(*data.train)
                        yield {
                            "n_features": n_features, "phi": phi, "function": function, "run": run,
                            "adjusted": adjusted,
                            "gain": r_squared(forest, data.independent) - base,
                        }  # fmt: skip


def with_reading(reading, law, runs, folder):
    """The measurements of a copy of the package whose logits are read so."""
    tree = Path(folder) / "losaw"
    shutil.copytree(ROOT / "src" / "losaw", tree, ignore=shutil.ignore_patterns("__pycache__"))
    for name, old, new in READINGS[reading]:
        place = tree / "forest" / "growing" / f"{name}.py"
        text = place.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise SystemExit(f"{place}: expected {old!r} once")
        place.write_text(text.replace(old, new), encoding="utf-8")
    rows = Path(folder) / "rows.csv"
    subprocess.run(
        [sys.executable, __file__, "--measure", str(rows), "--law", law, "--runs", str(runs)],
        env=os.environ | {"PYTHONPATH": str(folder)},
        check=True,
    )
    return pd.read_csv(rows)


def published():
    """The published gains."""
    cells = pd.read_csv(ROOT / "config" / "published" / "losaw_tables.csv")
    cells = cells.query("data_type == 'discrete' and n_samples == 500 and metric == 'r2_ind'")
    cells = cells[cells["function"].isin(FUNCTIONS)]
    by = ["n_features", "phi", "function"]
    wide = cells.pivot_table(index=by, columns="method", values="published")
    return (wide["losawRF"] - wide["RF"]).groupby("n_features").mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--law", choices=LAWS, default="barrier")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # logits without a penalty may not reach their optimum
    if options.measure:
        pd.DataFrame(measure(options.law, options.runs)).to_csv(options.measure, index=False)
        return
    for reading in READINGS:
        with tempfile.TemporaryDirectory() as folder:
            rows = with_reading(reading, options.law, options.runs, folder)
        # Runs are averaged over functions and noise levels, which share their features.
        by = ["adjusted", "n_features"]
        runs = rows.groupby([*by, "run"])["gain"].mean().groupby(by)
        for (adjusted, n_features), mean in runs.mean().items():
            error = runs.sem()[adjusted, n_features]
            print(
                f"{reading:<14} {adjusted:<14} P = {n_features:<4} gain {mean:.3f} ({error:.3f})  "
                f"published {published()[n_features]:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
