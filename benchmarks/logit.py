# ruff: noqa: E402
"""How the time of a multinomial logit grows with its classes and columns (about a minute).

    python benchmarks/logit.py

One logit at a time, as a forest fits it in a node: 2,000 patterns, normal adjustment features,
classes drawn from a logit. Prints CPU seconds (medians of 5) of a fit, its steps and seconds a step
along one axis at a time; then the slopes on logarithmic axes, of what was measured and of the bound
of a step, K q^2 + G K q with K classes, q columns and G patterns. The inverses of the blocks, a few
times in a fit, cost G K q^2 + K q^3 and are counted in.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"

from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

from losaw.kernels.compiled import compiled
from losaw.weighting.logit.newton import fit_multinomial
from losaw.weighting.logit.terms import make_logit

RESULTS = Path(__file__).parent / "results"
PATTERNS = 2000
REPEATS = 5
BASE = {"n_classes": 5, "n_columns": 20}
AXES = {"n_classes": [3, 5, 8, 12, 16, 24, 32], "n_columns": [5, 10, 20, 40, 80, 120]}


@compiled()
def fit(logit, n_patterns, n_classes, width, penalty):
    """A kernel that does nothing else."""
    return fit_multinomial(logit, n_patterns, n_classes, width, penalty)


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
    """Median seconds of a fit and its steps."""
    logit = draw(n_classes, n_columns)
    seconds = []
    for _ in range(REPEATS):
        start = process_time()
        steps = fit(logit, PATTERNS, n_classes, 1 + n_columns, 1.0)
        seconds.append(process_time() - start)
    return float(np.median(seconds)), steps


def slope(x, y):
    """Exponent of the power law through the points."""
    return np.polyfit(np.log(x), np.log(y), 1)[0]


def main():
    measure(3, 5), measure(3, 2)  # compiled, once
    rows = []
    for axis, values in AXES.items():
        for value in values:
            point = BASE | {axis: value}
            seconds, steps = measure(**point)
            q = 1 + point["n_columns"]
            bound = point["n_classes"] * (q * q + PATTERNS * q)
            rows.append(
                {"axis": axis}
                | point
                | {"fit_s": seconds, "steps": steps, "step_s": seconds / steps, "bound": bound}
            )
    table = pd.DataFrame(rows)
    print(table.to_string(index=False, float_format="{:.3g}".format))
    for axis, part in table.groupby("axis", sort=False):
        x = part[axis] + (axis == "n_columns")
        print(
            f"{axis}: a fit grows with exponent {slope(x, part['fit_s']):.2f}, a step with "
            f"{slope(x, part['step_s']):.2f}, its bound with {slope(x, part['bound']):.2f}"
        )
    RESULTS.mkdir(exist_ok=True)
    table.to_csv(RESULTS / "logit.csv", index=False)


if __name__ == "__main__":
    main()
