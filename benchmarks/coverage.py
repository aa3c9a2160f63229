"""How often sets of ranks and intervals contain what they should, on simulated tables.

    python benchmarks/coverage.py ranks [--tables 500]       a known model: all ranks at once
    python benchmarks/coverage.py intervals [--tables 300]   each interval, and all ranks at once

Features are independent and normal, y = X b + .3 e. PFI and CPI of the model that knows b are
2 b_j^2; the ranks of LOCO, whose models are fitted, are those of 20,000 other rows. Next to the
sets of ranks is a bootstrap, as one would do it without them: the rows are drawn 500 times, and a
feature has the ranks from the 2.5 % to the 97.5 % quantile. The level is .95.

Intervals are those of forests in five folds, and of one linear model on the rows of a table. They
should contain the scores of the same models on many other rows; with folds it is also shown how
often they contain the mean score of all tables. "Copies": X2 correlates with X1 by .8. "t5": heavy
tails.
"""

import argparse
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from losaw.importance import ImportanceResult, cpi, loco, pfi, sage, subgroups

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
    parser.add_argument("--methods", nargs="+", default=list(FUNCTIONS), choices=FUNCTIONS)
    asked = parser.parse_args()
    for name in set(FUNCTIONS) - set(asked.methods):
        del FUNCTIONS[name]
    warnings.simplefilter("ignore")
    measures[asked.measure](asked.tables)


def table(rng: np.random.Generator, b: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y."""
    X = rng.standard_normal((n_rows, len(b)))
    return X, X @ b + NOISE * rng.standard_normal(n_rows)


def ranks(n_tables: int) -> None:
    """Share of tables in which all sets contain the true ranks, and the mean size of a set."""
    print("method  scores     rows  coverage  size  of a bootstrap: coverage  size")
    for method in [name for name in ("pfi", "cpi", "loco") if name in FUNCTIONS]:
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


EFFECTS = np.array([1, 0.7, 0.4, 0])
FUNCTIONS: dict[str, Callable[..., ImportanceResult]] = {
    "pfi": pfi,
    "cpi": partial(cpi, n_draws=2),
    "loco": loco,
    "sage": partial(sage, n_background=32, max_permutations=256),
    "subgroups": subgroups,
}


def intervals(n_tables: int) -> None:
    """Coverage of each interval, its mean half width over the score's spread, and of all ranks."""
    print("method, table, rows; for b = 1, .7, .4 and 0: coverage, half width over 1.96 standard")
    print("deviations, coverage of the mean of all tables; coverage of all ranks at once")
    for method in FUNCTIONS:
        for in_folds in (True, False):
            for kind in ("normal", "copies", "t5"):
                for n_rows in (150, 400):
                    _show_intervals(method, in_folds, kind, n_rows, n_tables)


def _show_intervals(method: str, in_folds: bool, kind: str, n_rows: int, n_tables: int) -> None:
    """Print one cell."""

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.standard_t(5, (n, 4)) if kind == "t5" else rng.standard_normal((n, 4))
        if kind == "copies":
            X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
        return X, X @ EFFECTS + NOISE * rng.standard_normal(n)

    of = FUNCTIONS[method]
    once = drawn(np.random.default_rng(1), 200)
    linear, true = LinearRegression().fit(*once), []
    scores, ends, sets = [], [], []
    for number in range(n_tables):
        rng = np.random.default_rng([number, 2])
        X, y = drawn(rng, n_rows)
        models, more = [linear], {}
        if in_folds:
            cv = list(KFold(5, shuffle=True, random_state=number).split(X))
            forest = RandomForestRegressor(20, min_samples_leaf=3, random_state=number)
            models = [clone(forest).fit(X[rows], y[rows]) for rows, _ in cv]
            more = {"cv": cv}
        elif method == "loco":
            more = {"train": once}
        result = of(models if in_folds else linear, X, y, random_state=number, **more)
        scores.append(result.scores)
        ends.append(result.interval(0.95).T)
        if in_folds or not true:
            own = [(X[rows], y[rows]) for rows, _ in cv] if in_folds else [once]
            # Subgroups and draws depend on the number of rows, so that the truth has as many.
            size, n_parts = (2_000, 1) if in_folds else (n_rows, 40_000 // n_rows)
            true.append(_true_scores(method, models, own, partial(drawn, rng, size), n_parts))
        if result.deviations is not None:
            frame = result.ranks().set_index("feature").loc[list(result.feature_names)]
            sets.append(_held(frame[["best", "worst"]].to_numpy(), true[-1])[0])
    found, (low, high) = np.array(scores), np.array(ends).swapaxes(0, 1)
    covered, of_tables = (
        ((low <= to_cover) & (to_cover <= high)).mean(axis=0)
        for to_cover in (np.array(true), found.mean(axis=0))
    )
    width = (high - low).mean(axis=0) / 2 / (1.96 * (found - np.array(true)).std(axis=0))
    print(
        f"{method:10}{'folds' if in_folds else 'model':6}{kind:7}{n_rows:4} {covered.round(3)} "
        f"{width.round(2)} {of_tables.round(3) if in_folds else ''} "
        f"{f'{np.mean(sets):.3f}' if sets else '-'}",
        flush=True,
    )


def _true_scores(
    method: str,
    models: list,
    own: list[tuple[np.ndarray, np.ndarray]],
    more_rows: Callable[[], tuple[np.ndarray, np.ndarray]],
    n_parts: int,
) -> np.ndarray:
    """Return the mean scores of fitted models on other rows."""
    found = []
    for model, train in zip(models, own, strict=True):
        more = {"train": train} if method == "loco" else {}
        for seed in range(n_parts):  # of its own orders and draws
            found.append(FUNCTIONS[method](model, *more_rows(), random_state=seed, **more).scores)
    return np.mean(found, axis=0)


if __name__ == "__main__":
    main()
