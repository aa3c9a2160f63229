"""Where losawRF ranks causes worse than a plain forest, and which of its steps does it.

    python benchmarks/where_losaw_rf_fails.py [--rows 1000] [--seeds 5]

40 features, five of them causes with equal effects that are added, half of the variance noise.
"blocks" has three blocks of ten at a correlation of .5, .8 and .95 and ten independent features,
with a cause in each block and two among the independent ones. "hub" has one feature that correlates
with all others (.7), which is no cause; in "hub is a cause" it is the first of the five, and the
other causes are independent of it.

A line for each arm: the mean area under the precision-recall curve less that of the plain forest's
MDI, with its error over data sets, of losawRF's own importance, of the same splits with
improvements counted without weights ("splits"), and of those with out-of-bag rows ("UFI"). Below
are, at the root and in parts of the rows as at depth 1 to 4, the number of adjustment features, the
relative effective sample before and after the cap, and the largest correlation with an adjustment
feature before and with the weights, means over features.
"""

import argparse
import os
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

from losaw import LosawRandomForestRegressor  # noqa: E402
from losaw.forest import decorrelation  # noqa: E402
from losaw.importance import split_improvement, ufi  # noqa: E402
from losaw.scoring.precision_recall import precision_recall_area  # noqa: E402

CAUSES = {"blocks": [0, 10, 20, 30, 31], "hub": [1, 2, 3, 4, 5], "hub is a cause": [0, 1, 2, 3, 4]}
ARMS: dict[str, dict[str, Any]] = {
    "losawRF": {},
    "eta .5": {"eta": 0.5},
    "eta .1": {"eta": 0.1},
    "threshold .4": {"correlation_threshold": 0.4},
    "3 adjustment features": {"n_adjustment": 3},
    "20 adjustment features": {"n_adjustment": 20},
    "depth 3": {"max_depth": 3},
}
DEPTHS = 5


def draw(design: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return features and a response."""
    X = rng.standard_normal((n, 40))
    if "hub" in design:
        first = 1 if design == "hub" else 5
        X[:, first:] = 0.7 * X[:, [0]] + np.sqrt(1 - 0.7**2) * X[:, first:]
    else:
        for block, r in enumerate((0.5, 0.8, 0.95)):
            own = slice(10 * block, 10 * block + 10)
            X[:, own] = np.sqrt(r) * rng.standard_normal((n, 1)) + np.sqrt(1 - r) * X[:, own]
    signal = X[:, CAUSES[design]].sum(axis=1)
    return X, signal + signal.std() * rng.standard_normal(n)


def main() -> None:
    """Print the table of arms, and what the weights do by depth."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    lines, weights = [], []
    for design, causes in CAUSES.items():
        is_cause = np.isin(np.arange(40), causes)
        for seed in range(asked.seeds):
            X, y = draw(design, asked.rows, np.random.default_rng([seed, 91]))
            plain = LosawRandomForestRegressor(eta=1.0, random_state=seed).fit(X, y)
            base = precision_recall_area(plain.feature_importances_, is_cause)
            lines.append((design, "plain forest", "own", base))
            for arm, options in ARMS.items():
                forest = LosawRandomForestRegressor(random_state=seed, **options).fit(X, y)
                scores = {
                    "own": forest.feature_importances_,
                    "splits": split_improvement(forest, X, y).scores,
                    "UFI": ufi(forest, X, y).scores,
                }
                lines += [
                    (design, arm, how, precision_recall_area(found, is_cause) - base)
                    for how, found in scores.items()
                ]
            inside = np.ones(len(y), dtype=bool)
            for depth in range(DEPTHS):
                forest = LosawRandomForestRegressor(2, random_state=seed).fit(X[inside], y[inside])
                measured = decorrelation(forest, X[inside]).mean()
                chosen = forest.adjustment_.sum(axis=1).mean()
                weights.append((design, depth, inside.sum(), chosen, *measured))
                column = X[:, causes[depth]]
                inside &= column > np.median(column[inside])
    table = pd.DataFrame(lines, columns=["design", "arm", "of", "area"])
    cells = table.groupby(["design", "arm", "of"], sort=False)["area"].agg(["mean", "sem"])
    print(cells.unstack("of").round(3).to_string())
    columns = ["design", "depth", "rows", "adjusting", *measured.index]
    by_depth = pd.DataFrame(weights, columns=columns).groupby(["design", "depth"], sort=False)
    print(by_depth.mean().round(2).to_string())


if __name__ == "__main__":
    main()
