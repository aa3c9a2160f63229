"""Gain of losawRF on discrete features by the rows that its propensities are fitted to (an hour).

    python benchmarks/discrete_nodes.py rows.csv [--runs 4] [--features 10,50,100]

The published losawRF loses accuracy with the number of discrete noise features at N = 500, ours
does not (docs/discrete_law.md). Here its propensities are fitted to other rows, or adjusted for
other features, in the plain forest of ``losaw.forest.as_printed``: to the rows of the node that
the bootstrap left out as well, to the whole training sample instead of the node, and adjusted for
those of the ten features that correlate by more than .1 in the node. Printed are means of
losawRF - RF in R2_ind over f1, f2 and f6, next to the published ones.
"""

# ruff: noqa: E402 - the number of threads has to be set before numpy is imported

import argparse
import copy
import os
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import pandas as pd
from discrete_logits import FOREST, FUNCTIONS, LAWS, NOISE, published, r_squared

from losaw.forest import LosawRandomForestRegressor, PlainRandomForestRegressor
from losaw.forest.as_printed import ForestAsPrinted
from losaw.forest.as_printed_steps import cap
from losaw.generators.losaw import LosawGenerator
from losaw.weighting import MultinomialLogit
from losaw.weighting.choice import density_ratio


class OtherRows(ForestAsPrinted):
    """losawRF whose propensities see other rows or other features than the paper's."""

    def weights(self, rows, p):
        others = self.others(rows, p)
        if len(others) == 0 or self.eta == 1.0:
            return np.full(len(rows), 1 / len(rows))
        fitted = self.fitted_rows(rows)
        model = copy.deepcopy(self._propensity["discrete"])
        model.discrete = self.is_discrete_[others]
        model.fit(self._X[fitted, p], self._X[np.ix_(fitted, others)], np.ones(len(fitted)))
        x, adjustment = self._X[rows, p], self._X[np.ix_(rows, others)]
        return cap(density_ratio(self._marginal[p], model, x, adjustment), self.eta)

    def others(self, rows, p):
        return np.flatnonzero(self.adjustment_[p])

    def fitted_rows(self, rows):
        return rows


class NodeFeatures(OtherRows):
    """Adjusted for those of the ten features that correlate with the target in the node."""

    def _adjustment_features(self, X, y):
        threshold, self.correlation_threshold = self.correlation_threshold, 0.0
        mask = super()._adjustment_features(X, y)
        self.correlation_threshold = threshold
        return mask

    def others(self, rows, p):
        others = super().others(rows, p)
        x, a = self._X[rows, p], self._X[np.ix_(rows, others)]
        x, a = x - x.mean(), a - a.mean(axis=0)
        scale = np.sqrt((x @ x) * (a**2).sum(axis=0))
        return others[np.abs(x @ a) > self.correlation_threshold * scale]


class WholeSample(OtherRows):
    """Propensities fitted to the whole training sample."""

    def fitted_rows(self, rows):
        return np.arange(len(self._y))


class AllRowsOfNode(OtherRows):
    """Propensities fitted to all rows of the training sample that are in the node's region."""

    def fitted_rows(self, rows):
        return self._region

    def _grow_tree(self):
        n = len(self._y)
        root = self._node(np.sort(self._rng.integers(n, size=n)))
        pending = [(root, np.arange(n), 0)]
        while pending:
            node, region, depth = pending.pop()
            is_pure = node.impurity <= 1e-14 * root.impurity
            if is_pure or depth >= self.max_depth or len(node.rows) < 2 * self.min_samples_leaf:
                continue
            self._region = region
            node.split = self._select_split(node.rows)
            if node.split is None:
                continue
            left = node.split.goes_left(self._X[node.rows])
            node.children = (self._node(node.rows[left]), self._node(node.rows[~left]))
            left_region = node.split.goes_left(self._X[region])
            pending += [
                (node.children[0], region[left_region], depth + 1),
                (node.children[1], region[~left_region], depth + 1),
            ]
        return root


# Reading -> forest and C of its logits; the paper's is the compiled forest.
READINGS = {
    "features by node": (NodeFeatures, 1.0),
    "features by node, C = 1,000": (NodeFeatures, 1000.0),
    "all rows of the node": (AllRowsOfNode, 1.0),
    "whole sample": (WholeSample, 1.0),
}


def measure(runs, features):
    """R2_ind of losawRF under each reading, less that of RF, run by run."""
    for run in range(runs):
        for n_features in map(int, features.split(",")):
            for phi in NOISE:
                for function in FUNCTIONS:
                    generator = LosawGenerator(
                        data_type="discrete", n_samples=500, n_features=n_features, phi=phi,
                        function=function, **LAWS["barrier"],
                    )  # fmt: skip
                    data = generator.sample(np.random.default_rng([run, n_features]))
                    common = FOREST | {"max_features": n_features // 3, "random_state": run}
                    plain = PlainRandomForestRegressor(**common).fit(*data.train)
                    base = r_squared(plain, data.independent)
                    compiled = LosawRandomForestRegressor(**common, eta=0.25).fit(*data.train)
                    result = {"the paper's": r_squared(compiled, data.independent) - base}
                    for reading, (kind, penalty) in READINGS.items():
                        logit = MultinomialLogit(C=penalty, standardize=False)
                        forest = kind(**common, eta=0.25, propensity={"discrete": logit})
                        forest.fit(*data.train)
                        result[reading] = r_squared(forest, data.independent) - base
                    for reading, gain in result.items():
                        yield {
                            "run": run, "n_features": n_features, "phi": phi,
                            "function": function, "reading": reading, "gain": gain,
                        }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", help="file of all measurements")
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--features", default="50")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # logits of few rows may not reach their optimum
    rows = []
    for row in measure(arguments.runs, arguments.features):
        rows.append(row)
        pd.DataFrame(rows).to_csv(arguments.rows, index=False)
    # Runs are averaged over functions and noise levels, which share their features.
    by = ["reading", "n_features"]
    runs = pd.DataFrame(rows).groupby([*by, "run"])["gain"].mean().groupby(by)
    for (reading, n_features), mean in runs.mean().items():
        print(
            f"{reading:<28} P = {n_features:<4} gain {mean:.3f} "
            f"({runs.sem()[reading, n_features]:.3f})  published {published()[n_features]:.3f}"
        )


if __name__ == "__main__":
    main()
