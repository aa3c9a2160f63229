"""Disentangled feature importance (package fdfi) next to losaw's importances, on the same data.

    pip install fdfi
    python benchmarks/disentangled.py [--datasets 20]

Data sets of losaw's simulation (continuous, N = 500, P = 10, phi = .1) for f3, f4, f5 and f7, whose
signals are correlated with noise. losawRF fits its own forest; all others explain one forest of
scikit-learn that was fitted to the same 500 rows, on the 1,000 test rows. Printed are, for each
method, the mean area under the ROC curve and under the precision-recall curve of signals against
noise with their standard errors, and the median CPU seconds of a data set. fdfi has its defaults
but for the number of its draws, which is that of CPI.
"""

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from sklearn.ensemble import RandomForestRegressor  # noqa: E402
from sklearn.metrics import roc_auc_score  # noqa: E402

from losaw.data import Dataset  # noqa: E402
from losaw.forest import LosawRandomForestRegressor  # noqa: E402
from losaw.importance import cpi, loco, pfi, sage  # noqa: E402
from losaw.scoring.precision_recall import precision_recall_area  # noqa: E402
from losaw.study.generators.losaw import LosawGenerator  # noqa: E402

FUNCTIONS, DRAWS = ("f3", "f4", "f5", "f7"), 10


def methods(data: Dataset, forest: Any, seed: int) -> dict[str, Callable[[], np.ndarray]]:
    """Calls that give a score for each feature, by the names of the methods."""
    X, y = data.test

    def losaw_forest() -> np.ndarray:
        return LosawRandomForestRegressor(random_state=seed).fit(*data.train).feature_importances_

    def disentangled(name: str, of: str = "phi_X") -> np.ndarray:
        from fdfi import explainers

        explainer = getattr(explainers, name)(
            forest.predict, data=data.train.X, nsamples=DRAWS, random_state=seed
        )
        return np.asarray(explainer(X, y)[of])

    return {
        "losawRF": losaw_forest,
        "MDI": lambda: forest.feature_importances_,
        "PFI": lambda: pfi(forest, X, y, random_state=seed).scores,
        "CPI, Gaussian": lambda: (
            cpi(forest, X, y, sampler="gaussian", n_draws=DRAWS, random_state=seed).scores
        ),
        "LOCO": lambda: loco(forest, X, y, train=data.train, random_state=seed).scores,
        "SAGE": lambda: sage(forest, X, y, random_state=seed).scores,
        "fdfi, Gaussian transport": lambda: disentangled("OTExplainer"),
        "the same, of whitened features": lambda: disentangled("OTExplainer", "phi_Z"),
        "fdfi, entropic transport": lambda: disentangled("EOTExplainer"),
    }


def main() -> None:
    """Print a line for each method, and the areas function by function."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--datasets", type=int, default=20, help="for each function")
    rows = []
    for function in FUNCTIONS:
        generator = LosawGenerator(
            data_type="continuous", n_samples=500, n_features=10, phi=0.1, function=function
        )
        for seed in range(parser.parse_args().datasets):
            data = generator.sample(np.random.default_rng([seed, 61]))
            forest = RandomForestRegressor(100, max_features=1 / 3, random_state=seed)
            forest.fit(*data.train)
            for name, call in methods(data, forest, seed).items():
                started = time.process_time()
                scores = call()
                seconds = time.process_time() - started
                is_signal = data.truth.is_signal
                areas = roc_auc_score(is_signal, scores), precision_recall_area(scores, is_signal)
                rows.append((name, function, *areas, seconds))
    table = pd.DataFrame(rows, columns=["method", "function", "auc", "pr_auc", "seconds"])
    by_method = table.groupby("method", sort=False)
    print(
        pd.concat(
            [
                by_method[["auc", "pr_auc"]].mean(),
                by_method[["auc", "pr_auc"]].sem().add_suffix("_se"),
                by_method[["seconds"]].median(),
            ],
            axis=1,
        ).round(3)
    )
    areas = table.pivot_table("pr_auc", "method", "function", sort=False)
    print(areas.round(3))


if __name__ == "__main__":
    main()
