"""Gain of losawRF on discrete features by the penalty of its logits (20 minutes).

    python benchmarks/discrete_penalty.py [--runs 20] [--law mixture]

The published losawRF loses accuracy with the number of discrete noise features at N = 500, ours
does not (docs/discrete_law.md). Here its logits have another C (1 is scikit-learn's default and
ours; a large one is no penalty), and its features are adjusted for those that correlate by more
than .1, or for all ten. Printed are means of losawRF - RF in R2_ind over f1, f2 and f6 and both
noise levels, next to the published ones. C is a constant of compiled code: the package is copied,
changed and compiled for each.
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
CONSTANT = "PENALTY = 1.0 "  # of growing/weights_discrete.py
STRENGTHS = (1.0, 10.0, 1e3, 1e6)  # C
THRESHOLDS = (0.1, 0.0)
N_FEATURES, NOISE, FUNCTIONS = (10, 50, 100), (0.1, 1.0), ("f1", "f2", "f6")
LAWS = {"barrier": {"tie_break": "log-barrier", "barrier": 1e-5}, "mixture": {}}
FOREST = {"n_estimators": 100, "max_depth": 10, "min_samples_leaf": 5}


def measure(law, runs):
    """R2_ind of losawRF for each threshold, less that of RF, run by run."""
    from losaw.forest import LosawRandomForestRegressor, PlainRandomForestRegressor
    from losaw.generators.losaw import LosawGenerator

    def r_squared(forest, sample):
        x, y = sample
        return 1.0 - np.mean((y - forest.predict(x)) ** 2) / np.var(y)

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
                    for threshold in THRESHOLDS:
                        forest = LosawRandomForestRegressor(
                            **common, n_adjustment=10, correlation_threshold=threshold, eta=0.25
                        ).fit(*data.train)
                        yield {
                            "n_features": n_features, "phi": phi, "function": function, "run": run,
                            "threshold": threshold,
                            "gain": r_squared(forest, data.independent) - base,
                        }  # fmt: skip


def with_penalty(strength, law, runs, folder):
    """The measurements of a copy of the package whose logits have this C."""
    tree = Path(folder) / "losaw"
    shutil.copytree(ROOT / "src" / "losaw", tree, ignore=shutil.ignore_patterns("__pycache__"))
    place = tree / "forest" / "growing" / "weights_discrete.py"
    text = place.read_text(encoding="utf-8")
    if text.count(CONSTANT) != 1:
        raise SystemExit(f"{place}: expected one line {CONSTANT!r}")
    place.write_text(text.replace(CONSTANT, f"PENALTY = {1.0 / strength} "), encoding="utf-8")
    rows = Path(folder) / "rows.csv"
    subprocess.run(
        [sys.executable, __file__, "--measure", str(rows), "--law", law, "--runs", str(runs)],
        env=os.environ | {"PYTHONPATH": str(folder)},
        check=True,
    )
    return pd.read_csv(rows).assign(C=strength)


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
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--law", choices=LAWS, default="barrier")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # logits without a penalty may not reach their optimum
    if options.measure:
        pd.DataFrame(measure(options.law, options.runs)).to_csv(options.measure, index=False)
        return
    for strength in STRENGTHS:
        with tempfile.TemporaryDirectory() as folder:
            rows = with_penalty(strength, options.law, options.runs, folder)
        # Runs are averaged over functions and noise levels, which share their features.
        by = ["threshold", "n_features"]
        runs = rows.groupby([*by, "run"])["gain"].mean().groupby(by)
        for (threshold, n_features), mean in runs.mean().items():
            error = runs.sem()[threshold, n_features]
            print(
                f"C = {strength:<9g} threshold {threshold:.1f}  P = {n_features:<4} "
                f"gain {mean:.3f} ({error:.3f})  published {published()[n_features]:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
