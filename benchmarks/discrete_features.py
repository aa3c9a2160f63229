"""Time of losaw's and scikit-learn's forests on discrete and nominal features (2 minutes).

    python benchmarks/discrete_features.py [--rows 5000]

Diamonds (LOSAW_DATA, see docs/data.md): price on six continuous features; on these and cut, color
and clarity (5, 7 and 8 levels) as ordered and as nominal categories. Fits of 20 trees take turns on
one core; medians of three, in CPU seconds.
"""

# ruff: noqa: E402 - the number of threads has to be set before numpy is imported

import argparse
import os
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor

from losaw import datasets
from losaw.commands.warm_up import compile_forests_of_numbers, compile_mixed_forests
from losaw.forest import LosawRandomForestRegressor

QUALITIES = {
    "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
    "color": list("JIHGFED"),
    "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
}
COMMON = {"n_estimators": 20, "max_depth": 10, "min_samples_leaf": 5, "random_state": 0}
REPEATS = 3


def tables(n_rows):
    """Features by name of the table, and prices."""
    frame = datasets.load("diamonds").sample(n_rows, random_state=0).reset_index(drop=True)
    y = frame.pop("price").astype(float)
    ordered = {
        name: pd.Categorical(frame[name], levels, ordered=True)
        for name, levels in QUALITIES.items()
    }
    nominal = {name: column.as_unordered() for name, column in ordered.items()}
    numeric = frame.drop(columns=list(QUALITIES))
    return {
        "continuous only": numeric,
        "and ordered": numeric.assign(**ordered),
        "and nominal": numeric.assign(**nominal),
    }, y


def numbers(X):
    """Codes in place of levels, as scikit-learn's forest needs them."""
    return X.apply(lambda column: column.cat.codes if column.name in QUALITIES else column)


def learners():
    """The fit of every learner, by name."""
    plain = RandomForestRegressor(**COMMON, max_features=1 / 3)
    return {
        "random forest": lambda X, y: plain.fit(numbers(X), y),
        "losaw, eta = 1": LosawRandomForestRegressor(**COMMON, eta=1.0).fit,
        "losaw": LosawRandomForestRegressor(**COMMON).fit,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5000)
    n_rows = parser.parse_args().rows
    warnings.simplefilter("ignore")  # carat, x, y and z cannot be told apart
    compile_forests_of_numbers()
    compile_mixed_forests()
    samples, y = tables(n_rows)
    for name, X in samples.items():
        seconds = {learner: [] for learner in learners()}
        for _ in range(REPEATS):
            for learner, fit in learners().items():
                start = time.process_time()
                fit(X, y)
                seconds[learner].append(time.process_time() - start)
        middle = {learner: np.median(values) for learner, values in seconds.items()}
        shown = ", ".join(
            f"{learner} {s:.2f} s ({s / middle['random forest']:.2f})"
            for learner, s in middle.items()
        )
        print(f"{name:<16} {shown}", flush=True)


if __name__ == "__main__":
    main()
