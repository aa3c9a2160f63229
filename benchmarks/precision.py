# ruff: noqa: E402
"""What a looser precision of large logits would change in losaw forests (four minutes).

    python benchmarks/precision.py [--laws quartiles "five levels" "ten levels"] [--seeds 100]

In trees, logits of more than three classes or levels end 1e-5 standard errors from their optimum
(losaw.forest.growing.logits_of_cells). Here the same forests are grown so and with a thirtieth of a
standard error (1e-3, squared) in its place, on the losaw paper's f4 with normal features cut into
levels (500 rows, 10 features). Prints for R² on the test sample and on independent features and
for pr-AUC: the mean over the seeds, its Monte Carlo error, and the mean paired difference in units
of that error.
"""

import argparse
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

from pathlib import Path

import numpy as np
import pandas as pd
from forest_laws import FIVE, QUARTILES, paper, ten_levels

import losaw.forest.fitting
from losaw.forest import LosawRandomForestRegressor
from losaw.importance import ImportanceResult
from losaw.metrics.prediction import r_squared
from losaw.metrics.ranking import PrecisionRecallAuc

RESULTS = Path(__file__).parent / "results"
ROWS, FEATURES = 500, 10
SHARES = {"quartiles": QUARTILES, "five levels": FIVE, "ten levels": ten_levels(ROWS)}
PRECISIONS = {
    "looser": 1e-3,
    "optimum": losaw.forest.fitting.PRECISION_OF_EFFECTS,
}


def cut_all(data, shares):
    """All three samples' features in the levels that have these shares of the training rows."""
    inner = np.cumsum(shares)[:-1]
    borders = [np.quantile(x, inner) for x in data.train.X.T]
    return [
        (np.column_stack([np.searchsorted(b, x) for b, x in zip(borders, s.X.T, strict=True)]), s.y)
        for s in (data.train, data.test, data.independent)
    ]


def measure(law, seed, precision):
    """The three numbers of one forest."""
    data = paper("continuous", ROWS, FEATURES, seed=seed)
    train, test, independent = cut_all(data, SHARES[law])
    losaw.forest.fitting.PRECISION_OF_EFFECTS = precision
    forest = LosawRandomForestRegressor(
        n_estimators=100, max_depth=10, min_samples_leaf=5, max_features=3, random_state=seed
    ).fit(train[0].astype(float), train[1])
    predicted = [forest.predict(X.astype(float)) for X, _ in (test, independent)]
    names = tuple(f"x{p}" for p in range(FEATURES))
    scores = ImportanceResult(scores=forest.feature_importances_, feature_names=names)
    return {
        "r2_test": r_squared("r2_test", test[1], predicted[0]),
        "r2_ind": r_squared("r2_ind", independent[1], predicted[1]),
        "pr_auc": PrecisionRecallAuc()(scores, data.truth),
    }


def compare(law, n_seeds):
    """A row for each number."""
    columns = {
        name: pd.DataFrame([measure(law, seed, value) for seed in range(n_seeds)])
        for name, value in PRECISIONS.items()
    }
    optimum, looser = columns["optimum"], columns["looser"]
    for metric in optimum:
        error = optimum[metric].std() / np.sqrt(n_seeds)
        difference = (looser[metric] - optimum[metric]).mean()
        yield {
            "law": law,
            "metric": metric,
            "optimum": optimum[metric].mean(),
            "looser": looser[metric].mean(),
            "monte_carlo_error": error,
            "difference_in_errors": difference / error if error > 0 else 0.0,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--laws", nargs="+", choices=SHARES, default=list(SHARES), metavar="LAW")
    parser.add_argument("--seeds", type=int, default=100)
    arguments = parser.parse_args()
    rows = []
    for law in arguments.laws:
        part = list(compare(law, arguments.seeds))
        rows += part
        print(pd.DataFrame(part).to_string(index=False, float_format="{:.4f}".format), flush=True)
    RESULTS.mkdir(exist_ok=True)
    pd.DataFrame(rows).to_csv(RESULTS / "precision.csv", index=False)


if __name__ == "__main__":
    main()
