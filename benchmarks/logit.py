# ruff: noqa: E402
"""How the time of a multinomial logit grows with classes, columns, features and levels (2 minutes).

    python benchmarks/logit.py

One logit at a time, 2,000 patterns, classes drawn from a logit: in contrasts, with normal
adjustment features, as losaw.weighting fits it; and in effects of levels, with discrete ones, as a
forest fits it in a node. Prints CPU seconds (medians of 5) of a fit, its steps and seconds a step
along one axis at a time; then the slopes on logarithmic axes, of what was measured and of the bound
of a step, K q^2 + G K q with K classes, q columns (or levels) and G patterns. The inverses of the
blocks, a few times in a fit, cost G K q^2 + K q^3 in contrasts, and with f features in effects
G K f^2 + K q^3; they are counted in.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

from losaw.kernels.compiled import kernel
from losaw.kernels.inversion import padded
from losaw.kernels.logit.effects_fit import fit_effects
from losaw.kernels.logit.effects_terms import Shape, make_effects_logit
from losaw.kernels.logit.newton import PRECISION, fit_multinomial
from losaw.kernels.logit.terms import make_logit

RESULTS = Path(__file__).parent / "results"
PATTERNS = 2000
REPEATS = 5
BASE = {"n_classes": 5, "n_columns": 20}
AXES = {"n_classes": [3, 5, 8, 12, 16, 24, 32], "n_columns": [5, 10, 20, 40, 80, 120]}
LEVELS_BASE = {"n_classes": 8, "n_features": 5, "n_levels": 5}
LEVELS_AXES = {
    "n_classes": [8, 16, 24, 32, 48],
    "n_features": [2, 4, 8, 16, 24],
    "n_levels": [4, 8, 12, 16, 24, 32],
}


@kernel()
def fit(logit, n_patterns, n_classes, width, penalty):
    """A kernel that does nothing else."""
    return fit_multinomial(logit, n_patterns, n_classes, width, penalty, PRECISION)


def draw(n_classes, n_columns, seed=0):
    """A logit with classes drawn from one of a fixed strength."""
    rng = np.random.default_rng(seed)
    width = 1 + n_columns
    z = np.column_stack([np.ones(PATTERNS), rng.standard_normal((PATTERNS, n_columns))])
    score = z @ rng.normal(0, 1 / np.sqrt(n_columns), (width, n_classes))
    target = np.argmax(score + rng.gumbel(size=score.shape), axis=1)
    logit = make_logit(PATTERNS, n_classes, width)
    logit.design[:, :width] = z
    logit.columns[:, :PATTERNS] = z.T
    logit.counts[target, np.arange(PATTERNS)] = 1.0
    return logit


def measure(n_classes, n_columns):
    """Median seconds of a fit in contrasts, its steps, and columns."""
    logit = draw(n_classes, n_columns)
    width = 1 + n_columns
    seconds, steps = clock(lambda: fit(logit, PATTERNS, n_classes, width, 1.0))
    return seconds, steps, width


@kernel()
def fit_levels(logit, shape, penalty, precision):
    """A kernel that does nothing else."""
    return fit_effects(logit, shape, penalty, precision)


def measure_levels(n_classes, n_features, n_levels, seed=0):
    """Median seconds of a fit in effects, its steps, and rows of effects."""
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, n_levels, (PATTERNS, n_features))
    score = rng.gumbel(size=(PATTERNS, n_classes))
    for column in levels.T:
        score += rng.normal(0, 1 / np.sqrt(n_features), (n_levels, n_classes))[column]
    n_rows = 1 + n_features * n_levels
    lanes = padded(n_classes)
    logit = make_effects_logit(PATTERNS, n_classes, n_features, 0, n_rows)
    logit.level_row[:] = levels + 1 + n_levels * np.arange(n_features)
    logit.counts.reshape(PATTERNS, lanes)[np.arange(PATTERNS), score.argmax(axis=1)] = 1.0
    n_unknowns = (n_classes - 1) * (n_rows - n_features)
    shape = Shape(PATTERNS, n_classes, lanes, n_features, 0, n_rows, n_unknowns)
    seconds, steps = clock(lambda: fit_levels(logit, shape, 1.0, PRECISION))
    return seconds, steps, n_rows


def clock(call):
    """Median seconds of a call, and what it returns."""
    seconds = []
    for _ in range(REPEATS):
        start = process_time()
        steps = call()
        seconds.append(process_time() - start)
    return float(np.median(seconds)), steps


def slope(x, y):
    """Exponent of the power law through the points."""
    return np.polyfit(np.log(x), np.log(y), 1)[0]


def grow(solver, call, base, axes):
    """Rows of the table along every axis."""
    for axis, values in axes.items():
        for value in values:
            point = base | {axis: value}
            seconds, steps, q = call(**point)
            bound = point["n_classes"] * (q * q + PATTERNS * q)
            row = {"solver": solver, "axis": axis, "value": value, "fit_s": seconds}
            yield row | {"steps": steps, "step_s": seconds / steps, "bound": bound}


def main():
    measure(3, 5), measure(3, 2), measure_levels(4, 2, 3)  # compiled, once
    table = pd.DataFrame(
        [
            *grow("contrasts", measure, BASE, AXES),
            *grow("effects", measure_levels, LEVELS_BASE, LEVELS_AXES),
        ]
    )
    print(table.to_string(index=False, float_format="{:.3g}".format))
    for (solver, axis), part in table.groupby(["solver", "axis"], sort=False):
        x = part["value"] + (axis == "n_columns")
        print(
            f"{solver}, {axis}: a fit grows with exponent {slope(x, part['fit_s']):.2f}, a step "
            f"with {slope(x, part['step_s']):.2f}, its bound with {slope(x, part['bound']):.2f}"
        )
    RESULTS.mkdir(exist_ok=True)
    table.to_csv(RESULTS / "logit.csv", index=False)


if __name__ == "__main__":
    main()
