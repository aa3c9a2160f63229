"""How often is a feature without effect found? CPI by sampler, LOCO, explain, hidimstat's CFI.

    pip install hidimstat
    python benchmarks/levels.py levels.csv --runs 300            # many hours; goes on where it was
    python benchmarks/levels.py levels.csv --sizes 200 --seconds 300
    python benchmarks/levels.py levels.csv --show

The tables are those of tests/reference/conditional_tables.py. A forest is fitted to half of the
rows; the other half is tested, and the samplers are fitted to it. CFI is fitted to the training
rows, as its documentation does, and makes 50 permutations; its own p-value is a t-test over these,
and "CFI, rows" tests the differences of the rows, as CPI does, with the same draws.
"draw test" is the p-value of `draw_tests` for the feature without effect, of the conditional draws
of both halves of the rows apart.
"hierarchy" tests groups at a family-wise error of .05: the rejections are tables with any false
statement. "explain cpi" and "explain loco" select at a false discovery rate of .1, with the model
and the folds of `losaw explain`; the column has the mean false share of the selected features.
"explain, groups" are its statements on groups. "given" tests the feature without effect given the
columns that it depends on, and a cause given the other one. "pairs" tests two causes whose effects
are added, and, as the cause, the same with their product in the response; "pairs, no effect" the
feature without effect with a cause.

    python benchmarks/levels.py nulls.csv --runs 100 --sizes 150 400 1000 --tables "noise, normal" …

Tables of noise, and of one cause among it, ten features, of forests, boosting and linear models in
five folds: any false statement of `hierarchy` and of `losaw explain` on a feature or a group, and
the false share of what adds to X3, selected at .05 (of noise: whether anything is). An exact bound
of the number of tables, passed with probability 1e-4 at .05, is beside it.
"""

import argparse
import csv
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from scipy.stats import beta, binom, ttest_1samp  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor  # noqa: E402
from sklearn.linear_model import LinearRegression  # noqa: E402

from losaw import explain  # noqa: E402
from losaw.importance import cpi, cpi_pairs, hierarchy, loco  # noqa: E402
from losaw.knockoffs import make_sampler  # noqa: E402
from losaw.knockoffs.diagnostics import draw_tests  # noqa: E402
from reference.conditional_tables import NAMES, NULL, SQUARE, fitted, table  # noqa: E402

CAUSE, CAUSES = "X1", ("X1", "X2")  # NULL has no effect
LEVEL, DRAWS = 0.05, 2
STREAM = 5003  # of the seeds; no table of the design or of a test has it
COLUMNS = ("table", "rows", "method", "seed", "null", "cause", "seconds")
# The p-values of the feature without effect and of a cause.
PValues = dict[str, tuple[float, float]]


def main() -> None:
    """Add runs to a file until time is over, or show its table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 1000, 5000])
    parser.add_argument(
        "--tables", nargs="+", default=list(NAMES), choices=[*NAMES, SQUARE, *NOISE]
    )
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--seconds", type=float, default=np.inf, help="stop after so many")
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    if asked.show:
        show(pd.read_csv(asked.file))
        return
    warnings.simplefilter("ignore")
    is_new = not asked.file.exists()
    done = set() if is_new else finished(pd.read_csv(asked.file))
    until = time.monotonic() + asked.seconds
    with asked.file.open("a", newline="") as stream:
        writer = csv.writer(stream)
        if is_new:
            writer.writerow(COLUMNS)
        # Every cell grows alike, so that a file that is cut short can be read.
        for seed in range(asked.runs):
            for n in asked.sizes:
                for name in asked.tables:
                    for method in asked.methods:
                        if (name in NOISE) != (method in OF_NOISE):
                            continue
                        if (name, n, method, seed) in done:
                            continue
                        if time.monotonic() > until:
                            return
                        start = time.process_time()
                        found = METHODS[method](name, n, seed)
                        seconds = round(time.process_time() - start, 3)
                        for row, (null, cause) in found.items():
                            writer.writerow((name, n, row, seed, null, cause, seconds))
                        stream.flush()
    print("complete")


def finished(runs: pd.DataFrame) -> set[tuple[str, int, str, int]]:
    """Return the runs that a file contains."""
    keys = runs[["table", "rows", "method", "seed"]]
    return set(keys.itertuples(index=False, name=None))


def halves(name: str, n: int, seed: int):
    """Return a fitted model, its training rows, test rows with kinds, and a generator."""
    rng = np.random.default_rng([seed, STREAM, n])
    X, kinds, y = table(name, n, rng)
    half = n // 2
    train, test = (X[:half], y[:half]), (X[half:], y[half:])
    model = LinearRegression().fit(*train) if name == SQUARE else fitted(*train, seed)
    return model, train, test, kinds


def with_cpi(sampler: str) -> Callable[[str, int, int], PValues]:
    """Return a method: CPI with a sampler."""

    def tested(name: str, n: int, seed: int) -> PValues:
        model, _, (X, y), kinds = halves(name, n, seed)
        found = cpi(
            model,
            X,
            y,
            sampler=sampler,
            n_draws=DRAWS,
            kinds=kinds_of(kinds),
            features=[NULL, CAUSE],
            random_state=seed,
        )
        p_values = dict(zip(found.feature_names, found.p_values, strict=True))
        return {sampler: (p_values[NULL], p_values[CAUSE])}

    return tested


def with_given(name: str, n: int, seed: int) -> PValues:
    """Test features given some of the others."""
    model, _, (X, y), kinds = halves(name, n, seed)
    before = {"normal AR(.9)": ["X1", "X5"], "t(3)": ["X1", "X5"], "mixed": ["X1", "X4"]}
    asked = {NULL: before.get(name, ["X1"]), CAUSE: ["X2"]}
    options = {"n_draws": DRAWS, "kinds": kinds_of(kinds), "random_state": seed}
    found = [cpi(model, X, y, given=asked[n], features=[n], **options) for n in asked]
    return {"given": tuple(float(result.p_values[0]) for result in found)}


def with_pairs(name: str, n: int, seed: int) -> PValues:
    """Test two causes, and the feature without effect with one, of a sum and with a product."""
    X, kinds, y = table(name, n, np.random.default_rng([seed, STREAM, n]))
    scaled = (X[:, :2] - X[:, :2].mean(axis=0)) / X[:, :2].std(axis=0)
    half, pairs, found = n // 2, [CAUSES, (NULL, CAUSES[1])], []
    for response in (y, y + scaled.prod(axis=1)):
        model = fitted(X[:half], response[:half], seed)
        options = {"n_draws": DRAWS, "kinds": kinds_of(kinds), "random_state": seed}
        result = cpi_pairs(model, X[half:], response[half:], pairs, **options)
        found.append(result.p_values)
    of_sum, of_product = found
    return {"pairs": (of_sum[0], of_product[0]), "pairs, no effect": (of_sum[1], of_product[0])}


def with_cfi(name: str, n: int, seed: int) -> PValues:
    """Test with hidimstat's CFI, and the same draws over rows."""
    from hidimstat import CFI

    model, train, (X, y), kinds = halves(name, n, seed)
    losses: list[np.ndarray] = []

    def loss(y_true: np.ndarray, predicted: np.ndarray) -> float:
        losses.append((y_true - predicted) ** 2)
        return float(losses[-1].mean())

    places = [int(feature[1:]) - 1 for feature in (NULL, CAUSE)]
    method = CFI(
        model,
        loss=loss,
        features_groups={
            feature: [place] for feature, place in zip((NULL, CAUSE), places, strict=True)
        },
        feature_types=["categorical" if kinds[j] == "nominal" else "continuous" for j in places],
        random_state=seed,
    )
    method.fit(*train)
    method.importance(X, y)
    draws = np.stack(losses[1:]).reshape(2, -1, len(y)).mean(axis=1)
    over_rows = ttest_1samp(draws - losses[0], 0.0, axis=1, alternative="greater").pvalue
    return {"CFI": tuple(method.pvalues_), "CFI, rows": tuple(over_rows)}


def with_loco(name: str, n: int, seed: int) -> PValues:
    """Test by fitting the model again without the feature."""
    model, train, (X, y), kinds = halves(name, n, seed)
    found = loco(model, X, y, train=train, kinds=kinds_of(kinds), features=[NULL, CAUSE])
    p_values = dict(zip(found.feature_names, found.p_values, strict=True))
    return {"loco": (p_values[NULL], p_values[CAUSE])}


def with_loco_in_folds(name: str, n: int, seed: int) -> PValues:
    """Test all rows by LOCO, each with a model that was fitted to the other folds."""
    X, kinds, y = table(name, n, np.random.default_rng([seed, STREAM + 1, n]))
    model, features = fitted(X, y, seed), [NULL, CAUSE]
    found = loco(model, X, y, cv=5, kinds=kinds_of(kinds), features=features, random_state=seed)
    p_values = dict(zip(found.feature_names, found.p_values, strict=True))
    return {"loco, folds": (p_values[NULL], p_values[CAUSE])}


def with_hierarchy(name: str, n: int, seed: int) -> PValues:
    """Test groups of features from all together to each alone."""
    model, _, (X, y), kinds = halves(name, n, seed)
    found = hierarchy(model, X, y, n_draws=DRAWS, kinds=kinds_of(kinds), random_state=seed)
    is_false = any(not set(group) & set(CAUSES) for group in found.selected)
    return {"hierarchy": (float(is_false), float((CAUSE,) in found.selected))}


def with_explain(decider: str) -> Callable[[str, int, int], PValues]:
    """Return what is measured: the features that `losaw explain` selects, and its groups."""

    def explained(name: str, n: int, seed: int) -> PValues:
        X, kinds, y = table(name, n, np.random.default_rng([seed, STREAM, n]))
        frame = pd.DataFrame(X, columns=list(kinds_of(kinds))).assign(y=y)
        found = explain(
            frame,
            "y",
            task="regression",
            kinds=kinds_of(kinds),
            methods=decider,
            draws=DRAWS,
            budget=None,
            random_state=seed,
        )
        selected = set(found.selected)
        false_share = len(selected - set(CAUSES)) / max(len(selected), 1)
        measured = {f"explain {decider}": (false_share, float(CAUSE in selected))}
        if decider == "cpi":
            stated = found.decision.stated
            is_false = any(not set(group) & set(CAUSES) for group in stated)
            measured["explain, groups"] = (float(is_false), float((CAUSE,) in stated))
        return measured

    return explained


def noise(name: str, n: int, seed: int) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Return a table of ten features of which none, or the first, has an effect."""
    rng = np.random.default_rng([seed, STREAM + 2, n])
    X, kinds = rng.standard_normal((n, 10)), ["continuous"] * 10
    if "mixed" in name:
        X[:, 4:7], X[:, 7:] = rng.integers(0, 3, (n, 3)), rng.poisson(2.0, (n, 3))
        kinds[4:7] = ["nominal"] * 3
    if "copies" in name:  # of noise
        X[:, 6:] = X[:, 2:6] + 0.1 * X[:, 6:]
    y = rng.standard_normal(n) + (X[:, 0] if name.startswith("one") else 0.0)
    return X, kinds, y


def with_noise(model: Any) -> Callable[[str, int, int], PValues]:
    """Return a method: whether `hierarchy` says anything false of noise, and finds the cause."""

    def tested(name: str, n: int, seed: int) -> PValues:
        X, kinds, y = noise(name, n, seed)
        own = clone(model)
        if "random_state" in own.get_params():
            own.set_params(random_state=seed)
        found = hierarchy(own, X, y, cv=5, kinds=kinds_of(kinds), random_state=seed)
        return {f"noise, {type(model).__name__}": _of_noise(name, found.selected)}

    return tested


def with_noise_explained(name: str, n: int, seed: int) -> PValues:
    """Return whether `losaw explain` says anything false of noise, and finds the cause."""
    X, kinds, y = noise(name, n, seed)
    frame = pd.DataFrame(X, columns=list(kinds_of(kinds))).assign(y=y)
    options = {"kinds": kinds_of(kinds), "draws": DRAWS, "budget": None, "random_state": seed}
    found = explain(frame, "y", task="regression", methods="cpi", **options)
    return {"noise, explain": _of_noise(name, found.decision.stated)}


def with_noise_given(model: Any) -> Callable[[str, int, int], PValues]:
    """Return a method: what `losaw explain` says of noise that it adds to a column of noise."""

    def explained(name: str, n: int, seed: int) -> PValues:
        X, kinds, y = noise(name, n, seed)
        frame = pd.DataFrame(X, columns=list(kinds_of(kinds))).assign(y=y)
        options = {"kinds": kinds_of(kinds), "draws": DRAWS, "budget": None, "random_state": seed}
        found = explain(
            frame, "y", task="regression", model=model, given="X3", fdr=LEVEL, folds=5, **options
        )
        false = [
            feature for feature in found.selected if name.startswith("noise") or feature != CAUSE
        ]
        share = len(false) / max(len(found.selected), 1)
        return {f"given, {model}": (share, float(CAUSE in found.selected))}

    return explained


def _of_noise(name: str, stated: tuple[tuple[str, ...], ...]) -> tuple[float, float]:
    true = [name.startswith("one") and CAUSE in group for group in stated]
    return float(not all(true)), float((CAUSE,) in stated and any(true))


def kinds_of(kinds: list[str]) -> dict[str, str]:
    """Return the kind of every column."""
    return {f"X{j + 1}": kind for j, kind in enumerate(kinds)}


def with_draw_test(name: str, n: int, seed: int) -> PValues:
    """Test whether the conditional draws of both features can be recognised."""
    _, _, (X, _), kinds = halves(name, n, seed)
    rng = np.random.default_rng([seed, STREAM + 1])
    first, drawn = rng.permutation(len(X)) % 2 == 0, np.empty_like(X)
    for half in (first, ~first):
        drawn[half] = make_sampler("conditional").fit(X[half], kinds, rng).sample(rng)
    places = [int(feature[1:]) - 1 for feature in (NULL, CAUSE)]
    found = draw_tests(X, drawn, kinds, columns=places, half=first, random_state=seed)
    return {"draw test": tuple(found[j].p_value for j in places)}


METHODS: dict[str, Callable[[str, int, int], PValues]] = {
    "conditional": with_cpi("conditional"),
    "sequential": with_cpi("sequential"),
    "given": with_given,
    "pairs": with_pairs,
    "CFI": with_cfi,
    "draw test": with_draw_test,
    "loco": with_loco,
    "loco, folds": with_loco_in_folds,
    "hierarchy": with_hierarchy,
    "explain cpi": with_explain("cpi"),
    "explain loco": with_explain("loco"),
}
NOISE = [f"{of}, {kind}" for of in ("noise", "one") for kind in ("normal", "mixed", "copies")]
OF_NOISE: dict[str, Callable[[str, int, int], PValues]] = {
    f"noise, {type(model).__name__}": with_noise(model)
    for model in (
        RandomForestRegressor(50),
        HistGradientBoostingRegressor(),
        LinearRegression(),
    )
} | {"noise, explain": with_noise_explained}
OF_NOISE |= {f"given, {m}": with_noise_given(m) for m in ("forest", "gradient-boosting")}
METHODS |= OF_NOISE
# These store what was found, not p-values: a false statement or not, the false share; the cause.
FINDINGS = ("hierarchy", "explain, groups", *OF_NOISE)
FALSE_SHARE = {"explain cpi": 0.1, "explain loco": 0.1}


def show(runs: pd.DataFrame) -> None:
    """Print rejections and their exact 95 % intervals; a star: more than the level allows."""
    runs = runs.drop_duplicates(["table", "rows", "method", "seed"])
    for n, of_size in runs.groupby("rows"):
        print(f"\n{n} rows")
        print(
            f"{'table':16}{'method':16}{'runs':>6}{'null':>7}{'interval':>14}{'cause':>8}{'s':>7}"
        )
        for (name, method), cell in of_size.groupby(["table", "method"], sort=False):
            if method in FALSE_SHARE:
                show_share(name, method, cell)
                continue
            found = cell[["null", "cause"]]
            found = found if method in FINDINGS else found <= LEVEL
            rejected, runs_of = int(found["null"].sum()), len(cell)
            low = beta.ppf(0.025, rejected, runs_of - rejected + 1) if rejected else 0.0
            high = beta.ppf(0.975, rejected + 1, runs_of - rejected) if rejected < runs_of else 1.0
            bound = int(binom.isf(1e-4, runs_of, LEVEL))
            mark = "*" if rejected > bound else " "
            print(
                f"{name:16}{method:16}{runs_of:6}{rejected / runs_of:7.3f}{mark}"
                f"{f'{low:.3f}-{high:.3f}':>13}{found['cause'].mean():8.2f}{cell['seconds'].mean():7.2f}"
                f"  {rejected} of at most {bound}"
            )


def show_share(name: str, method: str, cell: pd.DataFrame) -> None:
    """Print a mean share and its normal interval; a star: above its limit with p < 1e-4."""
    mean, limit = cell["null"].mean(), FALSE_SHARE[method]
    error = cell["null"].std() / np.sqrt(len(cell))
    interval = f"{max(mean - 1.96 * error, 0.0):.3f}-{mean + 1.96 * error:.3f}"
    print(
        f"{name:16}{method:16}{len(cell):6}{mean:7.3f}{'*' if mean > limit + 3.72 * error else ' '}"
        f"{interval:>13}{cell['cause'].mean():8.2f}{cell['seconds'].mean():7.2f}"
    )


if __name__ == "__main__":
    main()
