"""The data of benchmarks/forest.py: a law by name gives training rows and which are discrete.

``continuous`` and ``discrete`` are the losaw paper's; ``quartiles``, ``five levels`` and ``ten
levels`` its normal features cut into levels. ``diamonds`` and ``adult`` are real tables, the first
rows in a fixed random order, with codes for words; in ``adult, factors`` all columns of words with
at most 32 levels are discrete, in ``adult`` those that "auto" takes.
"""

from typing import NamedTuple

import numpy as np

from losaw.forest.growing.arrays import MAX_LEVELS
from losaw.study import datasets
from losaw.study.generators.losaw import LosawGenerator

SYNTHETIC = ("continuous", "discrete", "quartiles", "five levels")
# Shares of the levels into which normal features are cut.
QUARTILES = (0.25, 0.5, 0.25)
FIVE = (0.1, 0.15, 0.4, 0.25, 0.1)
RAREST = 40  # rows of the rarest of ten levels; shares grow linearly up to the most frequent one


class Table(NamedTuple):
    """Training rows, and which of their columns are discrete."""

    X: np.ndarray
    y: np.ndarray
    discrete: object = "auto"  # the parameter ``discrete_features``
    is_classification: bool = False


def paper(kind, n_samples, n_features, phi=0.1, seed=0):
    """The losaw paper's f4 on normal or on three-level features."""
    generator = LosawGenerator(
        data_type=kind, n_samples=n_samples, n_features=n_features, phi=phi, function="f4"
    )
    return generator.sample(np.random.default_rng(seed))


def ten_levels(n_samples):
    """Shares of ten levels, growing linearly from that of the rarest one."""
    first = RAREST / n_samples
    return tuple(np.linspace(first, 0.2 - first, 10))


def cut(X, shares):
    """The rank of the level of every value, where levels have these shares of each column."""
    inner = np.cumsum(shares)[:-1]
    return np.column_stack([np.searchsorted(np.quantile(x, inner), x) for x in X.T]).astype(float)


def draw(law, n_samples, n_features):
    """The training rows of a law."""
    if law in ("continuous", "discrete"):
        return Table(*paper(law, n_samples, n_features).train)
    if law in ("quartiles", "five levels", "ten levels"):
        X, y = paper("continuous", n_samples, n_features).train
        shares = {"quartiles": QUARTILES, "five levels": FIVE, "ten levels": ten_levels(n_samples)}
        return Table(cut(X, shares[law]), y)
    return _real(law, n_samples)


def _real(law, n_samples):
    import pandas as pd

    name, _, all_factors = law.partition(", ")
    response = {"diamonds": "price", "adult": "income"}[name]
    frame = datasets.load(name).dropna()
    frame = frame.sample(n=min(n_samples, len(frame)), random_state=0)
    y = frame.pop(response)
    is_classification = not pd.api.types.is_numeric_dtype(y)
    y = pd.factorize(y, sort=True)[0] if is_classification else y.to_numpy(float)
    numeric = [pd.api.types.is_numeric_dtype(frame[name]) for name in frame]
    columns = [
        frame[name].to_numpy(float) if is_number else pd.factorize(frame[name], sort=True)[0]
        for name, is_number in zip(frame, numeric, strict=True)
    ]
    X = np.column_stack(columns).astype(float)
    few = [len(np.unique(x)) <= MAX_LEVELS for x in X.T]
    discrete = ~np.array(numeric) & few if all_factors else "auto"
    return Table(X, y, discrete, is_classification)
