"""The gain of a second thread: wall seconds of importances with n_jobs=1 over n_jobs=2.

    python benchmarks/threads.py [--repeats 5]

1,000 rows to fit 100 trees, 500 to explain, 20 features; losaw's forest and scikit-learn's. Both
numbers of threads alternate in one run; medians. Needs two cores that nobody else uses.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np  # noqa: E402
from sklearn.ensemble import RandomForestRegressor  # noqa: E402

from losaw import LosawRandomForestRegressor  # noqa: E402
from losaw.importance import cpi, loco, pfi, sage  # noqa: E402

N_TRAIN, N_TEST, N_FEATURES = 1000, 500, 20


def main() -> None:
    """Measure everything and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_TRAIN + N_TEST, N_FEATURES))
    X[:, 1:] += 0.5 * X[:, :1]
    y = X[:, 0] + X[:, 3] * X[:, 4] + rng.standard_normal(len(X))
    train, test = (X[:N_TRAIN], y[:N_TRAIN]), (X[N_TRAIN:], y[N_TRAIN:])
    print(f"{'':52}{'one thread':>12}{'gain of two':>13}")
    for model in (
        LosawRandomForestRegressor(random_state=0),
        RandomForestRegressor(random_state=0),
    ):
        model.fit(*train)
        for name, method in methods(model, train, test).items():
            one, two = alternating(method, repeats)
            print(
                f"{type(model).__name__ + ', ' + name:44}{one:11.3f}s{one / two:13.2f}", flush=True
            )


def methods(model: Any, train: Any, test: Any) -> dict[str, Callable[[int], Any]]:
    """Importances of a fitted model by their names, as functions of ``n_jobs``."""

    def of(method: Callable[..., Any], **options: Any) -> Callable[[int], Any]:
        return lambda n_jobs: method(model, *test, random_state=0, n_jobs=n_jobs, **options)

    return {
        "PFI, 40 repeats": of(pfi, n_repeats=40),
        "CPI, 20 sequential draws": of(cpi, n_draws=20),
        "SAGE, 1,024 orders": of(sage, max_permutations=1024, threshold=None),
        "LOCO": of(loco, train=train),
    }


def alternating(method: Callable[[int], Any], repeats: int) -> tuple[float, float]:
    """Median wall seconds with one thread and with two."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    method(2)
    for _ in range(repeats):
        for n_jobs, own in seconds.items():
            started = time.perf_counter()
            method(n_jobs)
            own.append(time.perf_counter() - started)
    return statistics.median(seconds[1]), statistics.median(seconds[2])


if __name__ == "__main__":
    main()
