"""Seconds of residual importance, traversal rates, Shapley values, and of their peers.

    python benchmarks/residual.py [--repeats 3]

On one core, in one run, medians. The data are SYN2 (d = 6, n = 100) for residual importance and
1000 x 10 for the trends. Peers: the same method with scikit-learn's forests, and the shap package.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np  # noqa: E402
from sklearn.ensemble import RandomForestRegressor  # noqa: E402

from losaw.fitted_trees.shapley import shapley_values  # noqa: E402
from losaw.generators.noisy_copies import NoisyCopiesGenerator  # noqa: E402
from losaw.importance import residual_importance  # noqa: E402
from losaw.trends import absolute_traversal_rate, relative_traversal_rate  # noqa: E402


def main() -> None:
    """Measure everything and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    print(f"{'20 permutations x 100 trees, d = 6, n = 100':48}{'ours':>9}{'target':>9}{'peer':>9}")
    residuals(repeats)
    print(f"\n{'forest of 100 full trees, 1000 x 10':48}{'ours':>9}{'target':>9}{'peer':>9}")
    trends(repeats)


def residuals(repeats: int) -> None:
    """Residual importance with our trees and with scikit-learn's, which share as much."""
    X, y = NoisyCopiesGenerator(data_set="syn2").sample(np.random.default_rng(0)).train
    peer = RandomForestRegressor(100)
    for algorithm, theirs, target in (
        ("gram-schmidt", "gram-schmidt", 5.0),
        ("random-forest", peer, 20.0),
        ("random-forest-out-of-bag", None, 20.0),
    ):

        def ours(algorithm: str = algorithm, **options: int) -> None:
            residual_importance(None, X, y, algorithm=algorithm, random_state=0, **options)

        ours(n_permutations=1)  # compiled code is loaded
        seconds = median(ours, repeats)
        other = None
        if theirs is not None:
            other = median(
                lambda theirs=theirs: residual_importance(
                    peer, X, y, algorithm=theirs, random_state=0
                ),
                1,
            )
        line(f"residual importance, {algorithm}", seconds, target, other)


def trends(repeats: int) -> None:
    """Traversal rates, and Shapley values of 50 rows."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 10))
    y = 3 * X[:, 0] - 2 * X[:, 1] + X[:, 2] ** 2 + rng.standard_normal(1000)
    forest = RandomForestRegressor(100, random_state=0).fit(X, y)
    for name, rate in (("ATR", absolute_traversal_rate), ("RTR", relative_traversal_rate)):
        line(name, median(lambda rate=rate: rate(forest), 10 * repeats), 0.020, None)
    rows = X[:50]
    values = shapley_values(forest, rows)
    other = None
    try:
        import shap
    except ImportError:
        print("shap is not installed: no peer")
    else:

        def explain() -> np.ndarray:
            explainer = shap.TreeExplainer(forest, feature_perturbation="tree_path_dependent")
            return np.asarray(explainer.shap_values(rows))

        print(f"largest difference to shap: {np.abs(explain() - values).max():.1e}")
        other = median(explain, repeats)
    line(
        "Shapley values of 50 rows",
        median(lambda: shapley_values(forest, rows), repeats),
        None,
        other,
    )


def median(run: Callable[[], object], repeats: int) -> float:
    """Median wall seconds of a call."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def line(name: str, ours: float, target: float | None, peer: float | None) -> None:
    """One measured line; seconds."""
    cells = [f"{value:9.3f}" if value is not None else f"{'':9}" for value in (ours, target, peer)]
    print(f"{name:48}{''.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
