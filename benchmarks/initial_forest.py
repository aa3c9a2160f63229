"""How many trees does the initial forest need to choose the adjustment features?

    python benchmarks/initial_forest.py

Prints, for each number of initial trees, the mean share of the 30 pairs among the six correlated
features (of 100) that the adjustment mask holds: f4 and f7 with phi = 1, the harder noise level.
The masks come from nested forests, so that differences are due to the number of trees alone.
"""

import argparse

import numpy as np

from losaw.forest import LosawRandomForestRegressor
from losaw.generators.losaw import LosawGenerator

TREES = (2, 5, 10, 20, 50, 100)


def share_of_pairs(data, n_trees, seed):
    """Share of the pairs among X1 to X6 that are adjusted for each other."""
    forest = LosawRandomForestRegressor(
        n_estimators=1, max_features=33, n_initial_estimators=n_trees, random_state=seed
    )
    return forest.fit(*data.train).adjustment_[:6, :6].sum() / 30


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    n_seeds = parser.parse_args().seeds
    print("data        n_samples function  " + " ".join(f"{t:>6}" for t in TREES))
    for kind in ("continuous", "discrete"):
        for n_samples in (500, 5000):
            for function in ("f4", "f7"):
                generator = LosawGenerator(
                    data_type=kind,
                    n_samples=n_samples,
                    n_features=100,
                    phi=1.0,
                    function=function,
                )
                shares = []
                for seed in range(n_seeds):
                    data = generator.sample(np.random.default_rng(seed))
                    shares.append([share_of_pairs(data, trees, seed) for trees in TREES])
                mean = " ".join(f"{share:6.3f}" for share in np.mean(shares, axis=0))
                print(f"{kind:<11} {n_samples:>9} {function:>8}  {mean}", flush=True)


if __name__ == "__main__":
    main()
