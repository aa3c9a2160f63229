"""Speed of the losaw forest and its peers, in one run (about 20 minutes).

    python benchmarks/forest.py                       all of it
    python benchmarks/forest.py --quick               the small settings only, three repeats
    python benchmarks/forest.py --laws adult diamonds    fits of these laws, no more

Fits of all learners take turns, on one core; a row gives medians of seven (two at 50,000 rows),
spreads (half the distance of the quartiles) and the ratio to scikit-learn's random forest, in CPU
seconds. The losaw fit includes its initial forest. ranger (R) takes part where it is installed.
The laws are those of benchmarks/forest_laws.py; real tables are read from $LOSAW_DATA.
Then how time grows with rows, features, adjustment features,
trees and threads, with the exponents of Proposition 4.8. Everything is written to
benchmarks/results/.
"""

# ruff: noqa: E402 - the number of threads has to be set before numpy is imported

import argparse
import os
import platform
import subprocess
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import pandas as pd
from forest_laws import SYNTHETIC, draw, paper
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from losaw.commands.warm_up import compile_for_levels, compile_for_numbers
from losaw.forest import (
    LosawRandomForestClassifier,
    LosawRandomForestRegressor,
    PlainRandomForestRegressor,
)
from losaw.study.datasets import DatasetError

RESULTS = Path(__file__).parent / "results"
SIZES = [(500, 10), (500, 100), (5000, 10), (5000, 100)]
SMALL = [(law, n, p) for law in SYNTHETIC for n, p in SIZES] + [("ten levels", 5000, 10)]
REAL = [("diamonds", 2000, 9), ("diamonds", 10_000, 9), ("diamonds", 53_940, 9)]
REAL += [("adult", 30_000, 14), ("adult, factors", 30_000, 14)]
LARGE = ("continuous", 50_000, 100)
FEW_REPEATS = 2  # where fits take long

RANGER = """
suppressMessages(library(ranger))
a <- commandArgs(TRUE)
n <- as.integer(a[2]); p <- as.integer(a[3])
values <- readBin(a[1], "double", n * (p + 1))
data <- as.data.frame(matrix(values, n, p + 1)); names(data)[p + 1] <- "y"
for (i in 1:as.integer(a[4])) {
  t <- proc.time()
  ranger(y ~ ., data, num.trees = 100, mtry = p %/% 3, max.depth = 10, min.bucket = 5,
         importance = "impurity", num.threads = 1, seed = i, verbose = FALSE)
  d <- proc.time() - t
  cat(d[["user.self"]] + d[["sys.self"]], "\\n")
}
"""


def learners(table):
    """The learners with the study's hyperparameters."""
    common = {
        "n_estimators": 100,
        "max_depth": 10,
        "min_samples_leaf": 5,
        "max_features": table.X.shape[1] // 3,
        "random_state": 0,
    }
    plain, extra, losaw = RandomForestRegressor, ExtraTreesRegressor, LosawRandomForestRegressor
    if table.is_classification:
        plain, extra = RandomForestClassifier, ExtraTreesClassifier
        losaw = LosawRandomForestClassifier
    # Scikit-learn's random forest in our loops; for regression only.
    ours = {} if table.is_classification else {"plain forest": PlainRandomForestRegressor(**common)}
    return ours | {
        "random forest": plain(**common),
        "extra trees": extra(**common),
        "losaw": losaw(**common, discrete_features=table.discrete),
        "losaw, eta = 1": losaw(**common, discrete_features=table.discrete, eta=1.0),
    }


def processor():
    """Name of the processor, as the system gives it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines() if os.name == "posix" else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def clock(call, timer=time.process_time):
    """Seconds of one call: CPU time, or that of another timer."""
    start = timer()
    call()
    return timer() - start


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


def run_setting(law, n_samples, n_features, repeats):
    """Rows of the table for one setting."""
    table = draw(law, n_samples, n_features)
    X, y = table.X, table.y
    models = learners(table)
    fits = {name: [] for name in models}
    predictions = {name: [] for name in models}
    for model in models.values():  # what a kind of table needs is compiled and loaded, once
        clone(model).set_params(n_estimators=1).fit(X, y)
    for _ in range(repeats):
        for name, model in models.items():
            fits[name].append(clock(lambda m=model: m.fit(X, y)))
            call = lambda m=model: [m.predict(X[:1000]) for _ in range(5)]  # noqa: E731
            predictions[name].append(clock(call) / 5)
    if not table.is_classification:
        fits["ranger"] = time_ranger(X, y, repeats)
    base_fit = np.median(fits["random forest"])
    base_predict = np.median(predictions["random forest"])
    for name, seconds in fits.items():
        row = {"data": law, "n_samples": n_samples, "n_features": n_features, "learner": name}
        if not seconds:
            yield row | {"note": "not run: R with the package ranger was not found"}
            continue
        low, middle, high = np.quantile(seconds, [0.25, 0.5, 0.75])
        row |= {"fit_s": middle, "spread_s": (high - low) / 2, "fit_ratio": middle / base_fit}
        if name in predictions:
            row["predict_s"] = np.median(predictions[name])
            row["predict_ratio"] = row["predict_s"] / base_predict
        yield row


BASE = {
    "n_samples": 5000,
    "n_features": 100,
    "n_adjustment": 10,
    "n_estimators": 20,
    "n_jobs": 1,
}
AXES = {
    "n_samples": [500, 2000, 10_000, 30_000, 100_000],
    "n_features": [10, 30, 100, 300, 1000],
    "n_adjustment": [1, 2, 5, 10, 20],
    "n_estimators": [10, 30, 100, 300],
    "n_jobs": [1, 2],
}


def bound(kind, point):
    """Proposition 4.8, without the constant: three levels in the discrete samples."""
    n, q = point["n_samples"], point["n_adjustment"]
    common = point["n_estimators"] * point["n_features"] * n * np.log(n) / point["n_jobs"]
    return common * (q + np.log(n) if kind == "continuous" else q * 3**2)


def scaling():
    """Times of the losaw fit along one axis at a time: wall for threads, else CPU seconds."""
    for kind in ("continuous", "discrete"):
        for axis, values in AXES.items():
            for value in values:
                point = BASE | {axis: value}
                data = paper(kind, point["n_samples"], point["n_features"])
                forest = LosawRandomForestRegressor(
                    n_estimators=point["n_estimators"],
                    n_adjustment=point["n_adjustment"],
                    max_features=point["n_features"] // 3,
                    n_jobs=point["n_jobs"],
                    # every feature is adjusted for all Q, as the proposition counts
                    correlation_threshold=0.0 if axis == "n_adjustment" else 0.1,
                    random_state=0,
                )
                timer = time.perf_counter if axis == "n_jobs" else time.process_time
                use_cores(point["n_jobs"])
                seconds = [clock(lambda f=forest, d=data: f.fit(*d.train), timer)]
                while len(seconds) < 3 and sum(seconds) < 2:  # short ones are repeated
                    seconds.append(clock(lambda f=forest, d=data: f.fit(*d.train), timer))
                yield {
                    "data": kind,
                    "axis": axis,
                    "value": value,
                    "fit_s": np.median(seconds),
                    "bound": bound(kind, point),
                }


def use_cores(n_cores):
    """Let this process use its first ``n_cores`` cores, where a system can say so."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(min(n_cores, os.cpu_count())))


def exponent(value, seconds):
    """Slope of the least-squares line through the logarithms."""
    return np.polyfit(np.log(value), np.log(seconds), 1)[0]


def show_exponents(table):
    """Print by axis how the time grows, and how the proposition's bound does."""
    for (kind, axis), part in table.groupby(["data", "axis"], sort=False):
        slope, expected = (exponent(part["value"], part[name]) for name in ("fit_s", "bound"))
        print(f"{kind}, {axis}: exponent {slope:.2f}, Proposition 4.8 {expected:.2f}")


def run_settings(settings, repeats):
    """The table of fits and predictions, printed row by row."""
    rows = []
    for setting in settings:
        few = setting[1] >= LARGE[1]
        try:
            part = list(run_setting(*setting, FEW_REPEATS if few else repeats))
        except DatasetError as error:
            print(f"{setting[0]}: not run: {error}", flush=True)
            continue
        rows += part
        shown = pd.DataFrame(part).drop(columns="note", errors="ignore")
        print(shown.to_string(index=False, float_format="{:.4f}".format), flush=True)
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the small settings, three repeats")
    parser.add_argument("--laws", nargs="+", metavar="LAW", help="fits of these laws only")
    arguments = parser.parse_args()
    repeats = 3 if arguments.quick else 7
    settings = SMALL if arguments.quick else [*SMALL, *REAL, LARGE]
    if arguments.laws:
        known = list(dict.fromkeys(law for law, _, _ in settings))
        for law in arguments.laws:
            if law not in known:
                parser.error(f"--laws: unknown law {law!r} (known: {', '.join(known)})")
        settings = [setting for setting in settings if setting[0] in arguments.laws]
    RESULTS.mkdir(exist_ok=True)
    use_cores(1)
    compile_for_levels()
    compile_for_numbers()
    machine = f"{platform.node()} ({processor()})"
    print(f"{machine}: CPU seconds, medians of {repeats}; from {LARGE[1]} rows on {FEW_REPEATS}")
    table = run_settings(settings, repeats).assign(machine=machine)
    table.to_csv(RESULTS / "forest.csv", index=False)
    if arguments.laws or arguments.quick:
        return
    scaled = pd.DataFrame(scaling())
    scaled.to_csv(RESULTS / "forest_scaling.csv", index=False)
    show_exponents(scaled)


if __name__ == "__main__":
    main()
