"""How many trees does the initial forest need to choose the adjustment features?

    python benchmarks/initial_forest.py

For each number of initial trees: the share of the 30 pairs of correlated features (X1 to X6) that
the adjustment mask holds, and the losaw forest's R2_ind and pr-AUC, as paired differences to 100
initial trees with their standard errors. f4 and f7, phi = 1 (the harder case), P = 100.
"""

import argparse

import numpy as np
import pandas as pd
from sklearn.metrics import auc, precision_recall_curve, r2_score

from losaw.forest import LosawRandomForestRegressor
from losaw.generators.losaw import LosawGenerator

TREES = (2, 5, 10, 20, 50, 100)


def scores(kind, n_samples, function, n_trees, seed):
    """(share of pairs, R2_ind, pr-AUC) of one fit."""
    generator = LosawGenerator(
        data_type=kind, n_samples=n_samples, n_features=100, phi=1.0, function=function
    )
    data = generator.sample(np.random.default_rng(seed))
    forest = LosawRandomForestRegressor(
        max_features=33, n_initial_estimators=n_trees, random_state=seed
    ).fit(*data.train)
    precision, recall, _ = precision_recall_curve(data.truth.is_signal, forest.feature_importances_)
    return (
        forest.adjustment_[:6, :6].sum() / 30,
        r2_score(data.independent.y, forest.predict(data.independent.X)),
        auc(recall, precision),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    n_seeds = parser.parse_args().seeds
    rows = []
    for kind in ("continuous", "discrete"):
        for n_samples in (500, 5000):
            for function in ("f4", "f7"):
                values = np.array(
                    [
                        [scores(kind, n_samples, function, t, seed) for t in TREES]
                        for seed in range(n_seeds if n_samples == 500 else n_seeds // 4)
                    ]
                )
                difference = values - values[:, -1:]
                error = difference.std(axis=0, ddof=1) / np.sqrt(len(values))
                for i, trees in enumerate(TREES):
                    rows.append(
                        {
                            "data": kind,
                            "n_samples": n_samples,
                            "function": function,
                            "trees": trees,
                            "pairs": values[:, i, 0].mean(),
                            "r2_ind": difference[:, i, 1].mean(),
                            "se": error[i, 1],
                            "pr_auc": difference[:, i, 2].mean(),
                            "se ": error[i, 2],
                        }
                    )
    print(pd.DataFrame(rows).to_string(index=False, float_format="{:.3f}".format))


if __name__ == "__main__":
    main()
