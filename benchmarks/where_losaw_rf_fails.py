"""Where losawRF ranks causes worse than a plain forest, and which of its steps does it.

    python benchmarks/where_losaw_rf_fails.py [--rows 1000] [--seeds 5] [--arms losawRF …]

40 features, five of them causes with equal effects that are added, half of the variance noise.
"blocks" has three blocks of ten at a correlation of .5, .8 and .95 and ten independent features,
with a cause in each block and two among the independent ones; "heavy tails" has the cubes of these
features, with the same response. "grid" is the paper's, with 50 features, f1 to f7 in turn. "hub"
has one feature that correlates with all others (.7), which is no cause; in "hub is a cause" it is
the first of the five, and the other causes are independent of it.

A line for each arm: the mean area under the precision-recall curve less that of the plain forest's
MDI, with its error over data sets, of losawRF's own importance, of the same splits with
improvements counted without weights ("splits"), and of those with out-of-bag rows ("UFI"). The
line "plain forest" is that area itself. Below are, at the root and in parts of the rows as at depth
1 to 4, the number of adjustment features, the relative effective sample before and after the cap,
and the largest correlation with an adjustment feature before and with the weights, means over
features.
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
from losaw.study.generators import designs  # noqa: E402
from losaw.study.generators.losaw import LosawGenerator  # noqa: E402

BLOCKS = [0, 10, 20, 30, 31]
CAUSES = {
    "blocks": BLOCKS,
    "heavy tails": BLOCKS,
    "grid": [],  # of the function
    "hub": [1, 2, 3, 4, 5],
    "hub is a cause": [0, 1, 2, 3, 4],
}
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


def draw(design: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return features, a response and the causes."""
    rng = np.random.default_rng([seed, 91])
    if design == "grid":
        grid = {"data_type": "continuous", "n_samples": n, "n_features": 50, "phi": 0.1}
        data = LosawGenerator(function=f"f{1 + seed % 7}", **grid).sample(rng)
        return *data.train, list(data.truth.signal)
    if design == "hub is a cause":
        X = rng.standard_normal((n, 40))
        X[:, 5:] = 0.7 * X[:, [0]] + np.sqrt(1 - 0.7**2) * X[:, 5:]
        signal = X[:, CAUSES[design]].sum(axis=1)
        return X, signal + signal.std() * rng.standard_normal(n), CAUSES[design]
    X, y = (designs.hub if design == "hub" else designs.blocks)(n, rng, 10)
    if design == "heavy tails":
        X = np.sign(X) * np.abs(X) ** 3
    return X, y, CAUSES[design]


def main() -> None:
    """Print the table of arms, and what the weights do by depth."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--arms", nargs="*", choices=ARMS, default=[*ARMS])
    asked = parser.parse_args()
    if asked.rows < 160:
        parser.error("--rows: 160 or more, since parts of a sixteenth are fitted")
    lines, weights = [], []
    for design in CAUSES:
        for seed in range(asked.seeds):
            X, y, causes = draw(design, asked.rows, seed)
            is_cause = np.isin(np.arange(X.shape[1]), causes)
            plain = LosawRandomForestRegressor(eta=1.0, random_state=seed).fit(X, y)
            base = precision_recall_area(plain.feature_importances_, is_cause)
            lines.append((design, "plain forest", "own", base))
            for arm in asked.arms:
                options = ARMS[arm]
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
                column = X[:, causes[depth % len(causes)]]
                inside &= column > np.median(column[inside])
    table = pd.DataFrame(lines, columns=["design", "arm", "of", "area"])
    cells = table.groupby(["design", "arm", "of"], sort=False)["area"].agg(["mean", "sem"])
    print(cells.unstack("of").round(3).to_string())
    columns = ["design", "depth", "rows", "adjusting", *measured.index]
    by_depth = pd.DataFrame(weights, columns=columns).groupby(["design", "depth"], sort=False)
    print(by_depth.mean().round(2).to_string())


if __name__ == "__main__":
    main()
