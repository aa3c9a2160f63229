"""Speed and memory of the losaw random forest beside its peers, in one run.

    python benchmarks/forest.py                 the table (about half an hour)
    python benchmarks/forest.py --quick         the small settings only, three repeats
    python benchmarks/forest.py --scaling       also time against N, P, Q, trees and threads

Fits of all learners take turns, on one core; a row gives medians, spreads (half the distance of
the quartiles) and the ratio to scikit-learn's random forest. The losaw fit includes its initial
forest. ranger (R) takes part where it is installed. Written to benchmarks/results/.
"""

# ruff: noqa: E402 - the number of threads has to be set before numpy is imported

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from losaw.forest import LosawRandomForestRegressor, warm_up
from losaw.generators.losaw import LosawGenerator

RESULTS = Path(__file__).parent / "results"
SMALL = [
    (kind, n, p) for kind in ("continuous", "discrete") for n in (500, 5000) for p in (10, 100)
]
LARGE = ("continuous", 50_000, 100)

RANGER = """
suppressMessages(library(ranger))
a <- commandArgs(TRUE)
n <- as.integer(a[2]); p <- as.integer(a[3])
values <- readBin(a[1], "double", n * (p + 1))
data <- as.data.frame(matrix(values, n, p + 1)); names(data)[p + 1] <- "y"
for (i in 1:as.integer(a[4])) {
  t <- proc.time()[["elapsed"]]
  ranger(y ~ ., data, num.trees = 100, mtry = p %/% 3, max.depth = 10, min.bucket = 5,
         importance = "impurity", num.threads = 1, seed = i)
  cat(proc.time()[["elapsed"]] - t, "\\n")
}
"""


def sample(kind, n_samples, n_features, seed=0):
    """Training and test rows of f4 with phi = .1."""
    generator = LosawGenerator(
        data_type=kind, n_samples=n_samples, n_features=n_features, phi=0.1, function="f4"
    )
    return generator.sample(np.random.default_rng(seed))


def learners(n_features):
    """The learners with the study's hyperparameters."""
    common = {
        "n_estimators": 100,
        "max_depth": 10,
        "min_samples_leaf": 5,
        "max_features": n_features // 3,
        "random_state": 0,
    }
    return {
        "random forest": RandomForestRegressor(**common),
        "extra trees": ExtraTreesRegressor(**common),
        "losaw": LosawRandomForestRegressor(**common),
        "losaw, eta = 1": LosawRandomForestRegressor(**common, eta=1.0),
    }


def clock(call):
    """Wall seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def time_ranger(X, y, repeats):
    """Seconds of each ranger fit; empty where R or ranger is missing."""
    with tempfile.NamedTemporaryFile() as file:
        np.column_stack([X, y]).T.tofile(file.name)  # R reads column by column
        arguments = [file.name, str(len(X)), str(X.shape[1]), str(repeats)]
        try:
            done = subprocess.run(
                ["Rscript", "-e", RANGER, *arguments], capture_output=True, text=True, check=True
            )
        except (FileNotFoundError, subprocess.CalledProcessError):
            return []
    return [float(line) for line in done.stdout.split()]


def run_setting(kind, n_samples, n_features, repeats):
    """Rows of the table for one setting."""
    data = sample(kind, n_samples, n_features)
    X, y = data.train
    models = learners(n_features)
    fits = {name: [] for name in models}
    predictions = {name: [] for name in models}
    for _ in range(repeats):
        for name, model in models.items():
            fits[name].append(clock(lambda m=model: m.fit(X, y)))
            predictions[name].append(clock(lambda m=model: m.predict(data.test.X)))
    fits["ranger"] = time_ranger(X, y, repeats)
    base_fit = np.median(fits["random forest"])
    base_predict = np.median(predictions["random forest"])
    for name, seconds in fits.items():
        row = {"data": kind, "n_samples": n_samples, "n_features": n_features, "learner": name}
        if not seconds:
            yield row | {"note": "not run: R with the package ranger was not found"}
            continue
        low, middle, high = np.quantile(seconds, [0.25, 0.5, 0.75])
        row |= {"fit_s": middle, "spread_s": (high - low) / 2, "fit_ratio": middle / base_fit}
        if name in predictions:
            row["predict_s"] = np.median(predictions[name])
            row["predict_ratio"] = row["predict_s"] / base_predict
        yield row


def child(code):
    """Standard output of a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def peak_memory():
    """Peak resident MB of a process that fits 50,000 x 100, and the limit 3 X + 200 MB."""
    code = (
        "import resource, numpy as np\n"
        "from losaw.forest import LosawRandomForestRegressor as L\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.standard_normal((50_000, 100)); X[:, 1] += X[:, 0]\n"
        "y = X[:, 0] + rng.standard_normal(50_000)\n"
        "L(n_estimators=20, max_features=33, random_state=0).fit(X, y)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"
    )
    return float(child(code)[-1]), 3 * 50_000 * 100 * 8 / 2**20 + 200


def first_call():
    """Seconds of import and of the first fit in a fresh interpreter, numba's cache warm."""
    code = (
        "import time; t = time.perf_counter()\n"
        "from losaw.forest import LosawRandomForestRegressor as L\n"
        "import numpy as np; i = time.perf_counter() - t\n"
        "rng = np.random.default_rng(0); X = rng.standard_normal((60, 4))\n"
        "t = time.perf_counter(); L(n_estimators=2).fit(X, X[:, 0])\n"
        "print(i, time.perf_counter() - t)\n"
    )
    return np.median([[float(x) for x in child(code)] for _ in range(5)], axis=0)


def scaling(repeats):
    """Times of the losaw fit along one axis at a time."""
    base = {"n_samples": 5000, "n_features": 100, "n_adjustment": 10, "n_estimators": 20}
    axes = {
        "n_samples": [500, 2000, 10_000, 30_000, 100_000],
        "n_features": [10, 30, 100, 300, 1000],
        "n_adjustment": [1, 2, 5, 10, 20],
        "n_estimators": [10, 30, 100, 300],
        "n_jobs": [1, 2],
    }
    for axis, values in axes.items():
        for value in values:
            point = base | {"n_jobs": 1} | {axis: value}
            data = sample("continuous", point["n_samples"], point["n_features"])
            forest = LosawRandomForestRegressor(
                n_estimators=point["n_estimators"],
                n_adjustment=point["n_adjustment"],
                max_features=point["n_features"] // 3,
                n_jobs=point["n_jobs"],
                correlation_threshold=0.0 if axis == "n_adjustment" else 0.1,
                random_state=0,
            )
            seconds = [clock(lambda f=forest, d=data: f.fit(*d.train)) for _ in range(repeats)]
            yield {"axis": axis, "value": value, "fit_s": np.median(seconds)}


# Proposition 4.8, continuous: m_tree P N log N (Q + log N), at depth limited to 10.
PROPOSITION = {"n_samples": 1.0, "n_features": 1.0, "n_adjustment": 1.0, "n_estimators": 1.0}


def draw_scaling(table, path):
    """Log-log plot of every axis with its fitted exponent."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, table["axis"].nunique(), figsize=(16, 3.4))
    for panel, (axis, part) in zip(panels, table.groupby("axis", sort=False), strict=True):
        slope, intercept = np.polyfit(np.log(part["value"]), np.log(part["fit_s"]), 1)
        panel.loglog(part["value"], part["fit_s"], "o")
        panel.loglog(part["value"], np.exp(intercept) * part["value"] ** slope, "-")
        bound = PROPOSITION.get(axis)
        text = f"exponent {slope:.2f}" + ("" if bound is None else f" (Prop. 4.8: {bound:g})")
        panel.set(title=text, xlabel=axis, ylabel="seconds")
        print(f"{axis}: {text}")
    figure.tight_layout()
    figure.savefig(path)


def draw_table(table, path):
    """Bars of the ratios to scikit-learn's forest."""
    import matplotlib

    matplotlib.use("Agg")
    ratios = table.pivot_table(
        index=["data", "n_samples", "n_features"], columns="learner", values="fit_ratio", sort=False
    )
    axes = ratios.plot.bar(figsize=(10, 4), logy=True, rot=30)
    axes.axhline(1, color="black", lw=0.8)
    axes.set(ylabel="fit time / scikit-learn's random forest", xlabel="")
    axes.figure.tight_layout()
    axes.figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="no 50,000 rows, three repeats")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--scaling", action="store_true")
    arguments = parser.parse_args()
    repeats = 3 if arguments.quick else arguments.repeats
    RESULTS.mkdir(exist_ok=True)
    warm_up()
    print(f"{platform.node()}: {platform.processor() or platform.machine()}, median of {repeats}")
    rows = []
    for setting in SMALL if arguments.quick else [*SMALL, LARGE]:
        rows += run_setting(*setting, repeats)
        part = pd.DataFrame(rows[-5:]).drop(columns="note", errors="ignore")
        print(part.to_string(index=False, float_format="{:.3f}".format), flush=True)
    table = pd.DataFrame(rows).assign(machine=platform.node())
    table.to_csv(RESULTS / "forest.csv", index=False)
    draw_table(table, RESULTS / "forest.png")
    used, limit = peak_memory()
    imported, fitted = first_call()
    print(f"peak memory at 50,000 x 100: {used:.0f} MB (limit {limit:.0f} MB)")
    print(f"import {imported:.2f} s, first fit {fitted:.2f} s")
    if arguments.scaling:
        scaled = pd.DataFrame(scaling(min(repeats, 3)))
        scaled.to_csv(RESULTS / "forest_scaling.csv", index=False)
        draw_scaling(scaled, RESULTS / "forest_scaling.png")


if __name__ == "__main__":
    main()
