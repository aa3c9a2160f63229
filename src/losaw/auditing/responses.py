"""Responses with known causes, simulated from the features of a table."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray

if TYPE_CHECKING:
    import pandas as pd

# The part of a response that can be explained is between these.
LEAST_SHARE, LARGEST_SHARE = 0.05, 0.95
_PRODUCT_WEIGHT = 0.5
_SHAPES = ("line", "step", "hump")


def make_response(
    X: "pd.DataFrame",
    y: NDArray[Any],
    is_class: bool,
    share: float,
    n_signals: int,
    rng: np.random.Generator,
) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Simulate a response of ``n_signals`` features that are drawn at random,

        z = f(X) + e,   f = sum over s of w_s g_s(X_s) + .5 g_1(X_1) g_2(X_2),

    with |w_s| from .7 to 1.3 and either sign. g_s is a line, a step or a hump of the ranks of a
    number, an effect for each level of a factor, each with mean 0 and variance 1; e is normal. A
    regression has y = z. Classes are cut from z in the order of their labels, each as large as it
    is in ``y``, the table's own response. Missing numbers count as the median. ``share`` is
    Var f / Var z, the part of z that its best prediction explains. Returns the response and the
    columns that it depends on.
    """
    signal = np.sort(rng.choice(X.shape[1], n_signals, replace=False))
    terms = [_term(X.iloc[:, column], rng) for column in signal]
    weights = rng.uniform(0.7, 1.3, n_signals) * rng.choice((-1.0, 1.0), n_signals)
    f = sum(weight * term for weight, term in zip(weights, terms, strict=True))
    if n_signals > 1:
        first, second = rng.choice(n_signals, 2, replace=False)
        f = f + _PRODUCT_WEIGHT * _standard(terms[first] * terms[second])
    noise = rng.standard_normal(len(X)) * np.sqrt((1.0 - share) / share)
    z = _standard(np.asarray(f)) + noise
    if not is_class:
        return z, tuple(signal.tolist())
    labels, counts = np.unique(y, return_counts=True)
    made = np.empty(len(y), dtype=labels.dtype)
    made[np.argsort(z, kind="stable")] = np.repeat(labels, counts)
    return made, tuple(signal.tolist())


def _term(values: "pd.Series", rng: np.random.Generator) -> FloatArray:
    """The term of one feature, with mean 0 and variance 1."""
    if values.dtype == "category":
        effects = rng.standard_normal(len(values.cat.categories))
        return _standard(effects[values.cat.codes.to_numpy()])
    known = values.fillna(values.median())
    if known.nunique() < 2:  # one value, or none: its information is whether it is there
        known = values.isna().astype(float)
    ranks = (known.rank().to_numpy() - 0.5) / len(known)
    shape = _SHAPES[rng.integers(len(_SHAPES))]
    middle = rng.uniform(0.3, 0.7)
    if shape == "hump" and known.nunique() > 2:
        return _standard((ranks - middle) ** 2)
    if shape == "step":
        between = np.unique(ranks)
        cuts = (between[:-1] + between[1:]) / 2
        return _standard(ranks > cuts[np.argmin(np.abs(cuts - middle))])
    return _standard(ranks)


def _standard(values: NDArray[Any]) -> FloatArray:
    centred = values - values.mean()
    size = float(np.sqrt((centred**2).mean()))
    return np.asarray(centred / size if size > 0 else centred, dtype=float)
