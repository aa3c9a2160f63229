"""How often sets of ranks and intervals contain what they should, on simulated tables.

    python benchmarks/coverage.py ranks [--tables 500]       a known model: all ranks at once
    python benchmarks/coverage.py intervals [--tables 200]   forests in five folds: each interval

Features are independent and normal, y = X b + .3 e. PFI and CPI of the model that knows b are
2 b_j^2; the ranks of LOCO, whose models are fitted, are those of 20,000 other rows. Next to the
sets of ranks is a bootstrap, as one would do it without them: the rows are drawn 500 times, and a
feature has the ranks from the 2.5 % to the 97.5 % quantile. Forests have no known importance:
intervals should contain the mean score of all tables. The level is .95.
"""

import argparse
from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from losaw.importance import cpi, loco, pfi

DESIGNS = {
    "ties": (1, 1, 0.5, 0.5, 0, 0),
    "all equal": (1,) * 6,
    "no ties": (1, 0.9, 0.75, 0.6, 0.45, 0.3),
}
NOISE, DRAWS = 0.3, 5


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    measures: dict[str, Callable[[int], None]] = {"ranks": ranks, "intervals": intervals}
    parser.add_argument("measure", choices=measures)
    parser.add_argument("--tables", type=int, default=500)
    asked = parser.parse_args()
    measures[asked.measure](asked.tables)


def table(rng: np.random.Generator, b: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y."""
    X = rng.standard_normal((n_rows, len(b)))
    return X, X @ b + NOISE * rng.standard_normal(n_rows)


def ranks(n_tables: int) -> None:
    """Share of tables in which all sets contain the true ranks, and the mean size of a set."""
    print("method  scores     rows  coverage  size  of a bootstrap: coverage  size")
    for method in ("pfi", "cpi", "loco"):
        for name, coefficients in DESIGNS.items():
            for n_rows in (100, 300):
                rng = np.random.default_rng(0)
                b = np.array(coefficients, dtype=float)
                found = [_ranks_of(method, rng, b, n_rows) for _ in range(n_tables)]
                covered, size, by_bootstrap, its_size = np.mean(found, axis=0)
                print(
                    f"{method:8}{name:10}{n_rows:5}{covered:10.3f}{size:6.2f}"
                    f"{by_bootstrap:25.3f}{its_size:6.2f}",
                    flush=True,
                )


def _ranks_of(
    method: str, rng: np.random.Generator, b: np.ndarray, n_rows: int
) -> tuple[bool, float, bool, float]:
    X, y = table(rng, b, n_rows)
    seed = int(rng.integers(2**31))
    if method == "loco":
        train = table(rng, b, n_rows)
        model = LinearRegression().fit(*train)
        result = loco(model, X, y, train=train, random_state=seed)
        true = loco(model, *table(rng, b, 20_000), train=train, random_state=seed).scores
    else:
        model = LinearRegression(fit_intercept=False).fit(np.eye(len(b)), b)
        more = {"n_repeats": DRAWS} if method == "pfi" else {"n_draws": DRAWS}
        result = {"pfi": pfi, "cpi": cpi}[method](model, X, y, random_state=seed, **more)
        true = 2 * b**2
    frame = result.ranks().set_index("feature").loc[list(result.feature_names)]
    sets = frame[["best", "worst"]].to_numpy()
    times = rng.multinomial(n_rows, np.full(n_rows, 1 / n_rows), size=500)
    of_rows = rankdata(-(times @ result.rows / n_rows).round(12), axis=1)
    its_sets = np.quantile(of_rows, [0.025, 0.975], axis=0).T
    return *_held(sets, true), *_held(
        np.column_stack([np.floor(its_sets[:, 0]), np.ceil(its_sets[:, 1])]), true
    )


def _held(sets: np.ndarray, true: np.ndarray) -> tuple[bool, float]:
    """Return whether all sets contain the true ranks, of ties all of them, and their mean size."""
    first = 1 + (true > true[:, None]).sum(axis=1)
    last = len(true) - (true < true[:, None]).sum(axis=1)
    covered = (sets[:, 0] <= first) & (sets[:, 1] >= last)
    return bool(covered.all()), float((sets[:, 1] - sets[:, 0] + 1).mean())


def intervals(n_tables: int) -> None:
    """Share of tables in which each feature's interval contains the mean score of all tables."""
    print("method  rows  coverage of b = 1, .7, .4 and 0")
    b = np.array([1, 0.7, 0.4, 0])
    for method, of in (("pfi", pfi), ("cpi", cpi), ("loco", loco)):
        more = {"cpi": {"n_draws": DRAWS}}.get(method, {})
        for n_rows in (200, 600):
            rng = np.random.default_rng(0)
            scores, half = [], []
            for number in range(n_tables):
                X, y = table(rng, b, n_rows)
                forest = RandomForestRegressor(30, min_samples_leaf=3, random_state=number)
                result = of(forest, X, y, cv=5, random_state=number, **more)
                scores.append(result.scores)
                half.append(result.interval(0.95)[:, 1] - result.scores)
            covered = np.abs(np.array(scores) - np.mean(scores, axis=0)) <= np.array(half)
            print(f"{method:8}{n_rows:4}  {covered.mean(axis=0).round(3)}", flush=True)


if __name__ == "__main__":
    main()
