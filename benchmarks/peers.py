"""CPU seconds of importances, ours and other packages', on the same model.

    pip install hidimstat sage-importance boruta shap
    python benchmarks/peers.py [--repeats 3] [--only PFI]

On one core, in one run: 1,000 training and 500 test rows of 20 correlated features, scikit-learn's
forest of 100 trees, the same permutations, draws or orders for all. Medians of CPU time; a time is
left out where the package is not there. Scores are compared by their correlation.

SAGE is compared at the same standard error: the time of a sampler grows with 1 / error^2, so that
the peer's time is multiplied by (its largest error / ours)^2.
"""

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.ensemble import RandomForestRegressor  # noqa: E402
from sklearn.inspection import permutation_importance  # noqa: E402

from losaw.forest import LosawRandomForestRegressor  # noqa: E402
from losaw.importance import boruta, cpi, loco, pfi, sage  # noqa: E402
from losaw.scoring.model import read_model  # noqa: E402
from losaw.scoring.rows import ScoringOptions, read_rows  # noqa: E402
from losaw.study.learners.ranger_forest import RangerForest  # noqa: E402

TARGET = 0.7
N_TRAIN, N_TEST, P, REPEATS, ORDERS, BACKGROUND = 1000, 500, 20, 10, 512, 64

Scores = tuple[np.ndarray, float]  # scores and their largest standard error (NaN: not compared)


def main() -> None:
    """Measure everything and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="rows whose names hold this")
    asked = parser.parse_args()
    repeats = asked.repeats
    warnings.simplefilter("ignore")
    print(f"{'':34}{'ours':>8}{'peer':>9}{'ratio':>7}{'target':>8}  scores' correlation")
    X, y = sample(N_TRAIN + N_TEST)
    train, test = (X[:N_TRAIN], y[:N_TRAIN]), (X[N_TRAIN:], y[N_TRAIN:])
    model = RandomForestRegressor(100, random_state=0).fit(*train)
    for name, ours, peers in comparisons(model, train, test):
        if asked.only not in name:
            continue
        ours()  # compiled code is loaded
        own, (scores, error) = measured(ours, repeats)
        for peer, call in peers.items():
            try:
                seconds, (others, other_error) = measured(call, 1 if "LOCO" in name else repeats)
            except ImportError as absent:
                print(f"{name + ', ' + peer:34}{own:8.3f}   {absent}")
                continue
            if not np.isnan(error):
                seconds *= (other_error / error) ** 2
            alike = float(np.corrcoef(scores, others)[0, 1])
            line(f"{name}, {peer}", own, seconds, TARGET, alike)
    if asked.only in "own forests":
        own_forests(train, test, repeats)


def sample(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of features that correlate by .5 with their neighbours."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, P))
    for j in range(1, P):
        X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
    return X, X[:, 0] + X[:, 3] * X[:, 4] + np.abs(X[:, 8]) + rng.standard_normal(n_rows)


def comparisons(model: Any, train: Any, test: Any) -> Any:
    """Name, our call, and the peers' calls by their names; each gives :data:`Scores`."""
    X, y = test

    def of(result: Any, with_error: bool = False) -> Scores:
        return result.scores, float(result.std_error.max()) if with_error else float("nan")

    def hidimstat(name: str, **options: Any) -> Scores:
        import hidimstat

        method = getattr(hidimstat, name)(model, **options)
        method.fit(*train)
        return np.asarray(method.importance(X, y)), float("nan")

    def scikit_learn() -> Scores:
        found = permutation_importance(
            model, X, y, scoring="neg_mean_squared_error", n_repeats=REPEATS, random_state=0
        )
        return found.importances_mean, float("nan")

    def sage_importance() -> Scores:
        import sage as peer

        imputer = peer.MarginalImputer(model, train[0][:BACKGROUND])
        estimator = peer.PermutationEstimator(imputer, "mse", random_state=0)
        found = estimator(
            X, y, detect_convergence=False, n_permutations=ORDERS, batch_size=64, bar=False
        )
        return found.values, float(np.max(found.std))

    def boruta_py() -> Scores:
        from boruta import BorutaPy

        forest = RandomForestRegressor(max_depth=None, max_features=1 / 3)
        found = BorutaPy(
            forest, n_estimators=100, max_iter=20, alpha=0.01, two_step=False, random_state=0
        ).fit(*train)
        return np.asarray(found.support_, dtype=float), float("nan")

    yield (
        "PFI",
        lambda: of(pfi(model, X, y, n_repeats=REPEATS, random_state=0)),
        {
            "scikit-learn": scikit_learn,
            "hidimstat": lambda: hidimstat("PFI", n_permutations=REPEATS, random_state=0),
        },
    )
    yield (
        "conditional",
        lambda: of(cpi(model, X, y, sampler="gaussian", n_draws=REPEATS, random_state=0)),
        {"hidimstat CFI": lambda: hidimstat("CFI", n_permutations=REPEATS, random_state=0)},
    )
    yield (
        "LOCO, scikit-learn's forest",
        lambda: of(loco(model, X, y, train=train, random_state=0)),
        {"hidimstat": lambda: hidimstat("LOCO")},
    )
    options = {"n_background": BACKGROUND, "max_permutations": ORDERS, "threshold": None}
    yield (
        "SAGE",
        lambda: of(sage(model, X, y, **options, random_state=0), with_error=True),
        {"sage-importance": sage_importance},
    )
    yield (
        "Boruta",
        lambda: (
            boruta(*train, n_estimators=100, max_runs=20, random_state=0)
            .details["selected"]
            .astype(float),
            float("nan"),
        ),
        {"BorutaPy": boruta_py},
    )


def own_forests(train: Any, test: Any, repeats: int) -> None:
    """LOCO with our forests and as many refits in scikit-learn, and exchanged features."""

    def refits() -> Scores:
        forest = RandomForestRegressor(100, random_state=0)
        for j in range(P):
            kept = [k for k in range(P) if k != j]
            clone(forest).fit(train[0][:, kept], train[1]).predict(test[0][:, kept])
        return np.zeros(1), float("nan")

    theirs = measured(refits, 1)[0]
    for name, forest in (
        ("losaw forest", LosawRandomForestRegressor(100, random_state=0)),
        ("losaw forest, grown out, eta 1", grown_out()),
        ("ranger's forest", RangerForest(n_estimators=100, random_state=0)),
    ):
        model = forest.fit(*train)
        call = lambda model=model: (loco(model, *test, train=train).scores, 0.0)  # noqa: E731
        line(f"LOCO, {name}, {P} refits", measured(call, repeats)[0], theirs, 0.25)
    X, y = sample(1000)
    forest = RangerForest(n_estimators=500, random_state=0).fit(X[:667, :12], y[:667])
    subject = read_model(forest, read_rows(X[667:, :12], y[667:]), ScoringOptions())
    copies = np.random.default_rng(0).permutation(subject.columns)

    def exchange() -> Scores:
        found = subject.exchange([copies], 1)
        return np.concatenate(list(found)), 0.0

    exchange()
    seconds = measured(exchange, max(repeats, 5))[0]
    print(f"{'12 exchanged features, 500 trees':34}{seconds:8.3f}{'':>16}{'0.03 s':>8}")


def grown_out() -> LosawRandomForestRegressor:
    """Our trees as scikit-learn grows its own: no weights, no limits, all features at a node."""
    return LosawRandomForestRegressor(
        100, max_depth=None, min_samples_leaf=1, max_features=None, eta=1.0, random_state=0
    )


def line(name: str, ours: float, peer: float, target: float, alike: float | None = None) -> None:
    """Print one comparison."""
    shown = "" if alike is None else f"{alike:.3f}"
    print(f"{name:34}{ours:8.3f}{peer:9.3f}{ours / peer:7.2f}{target:8.2f}  {shown}", flush=True)


def measured(work: Callable[[], Scores], repeats: int) -> tuple[float, Scores]:
    """Median CPU seconds of ``repeats`` calls, and what the last one gave."""
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        found = work()
        seconds.append(time.process_time() - started)
    return statistics.median(seconds), found


if __name__ == "__main__":
    main()
