"""Responses with known causes, simulated from the features of a table."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from losaw.data import FloatArray
from losaw.support.errors import LosawError

if TYPE_CHECKING:
    import pandas as pd

# The part of a response that can be explained is between these.
LEAST_SHARE, LARGEST_SHARE = 0.05, 0.95
_PRODUCT_WEIGHT = 0.5
_HALVINGS = 40
_MOST_POINTS = 1000
_SHAPES = ("line", "step", "hump")
Response = Callable[["pd.DataFrame", np.random.Generator], tuple[Any, Iterable[str]]]


@dataclass(frozen=True)
class MadeResponse:
    """A response with known causes.

    Attributes
    ----------
    y : array of shape (n_rows,)
        Numbers, or the labels of the table's own response in their own numbers.
    signal : tuple of int
        Columns that it depends on.
    share : float
        The part that its best prediction explains; of classes it may be less than was asked for.
    """

    y: NDArray[Any]
    signal: tuple[int, ...]
    share: float


def make_response(
    X: "pd.DataFrame",
    y: NDArray[Any],
    task: str,
    share: float,
    n_signals: int,
    rng: np.random.Generator,
    response: Response | None = None,
) -> MadeResponse:
    """Simulate a response of ``n_signals`` features that are drawn at random,

        z = f(X) + e,   f = sum over s of w_s g_s(X_s) + .5 g_1(X_1) g_2(X_2),

    with |w_s| from .7 to 1.3 and either sign. g_s is a line, a step or a hump of the ranks of a
    number, an effect for each level of a factor, each with mean 0 and variance 1; e is normal. A
    regression has y = z. Classes are cut from z in the order of their labels, each as large as it
    is in ``y``.

    Parameters
    ----------
    X : DataFrame
        Floats (NaN where missing: replaced by the median) and categories.
    y : array of shape (n_rows,)
        The table's own response.
    task : {"regression", "classification"}
    share : float
        The part that the best prediction explains: Var f / Var z; of classes its Brier skill, or
        the largest that is possible where rows of one f are in several classes without any noise.
    n_signals : int
    rng : Generator
    response : callable or None
        A function of the user, ``response(X, rng) -> (f, causes)``: f(X) of every row and the names
        of the columns that it depends on. None: the sum above.
    """
    f, signal = _sum_of_terms(X, n_signals, rng) if response is None else _own(response, X, rng)
    noise = rng.standard_normal(len(f))
    if task == "regression":
        return MadeResponse(f + noise * _noise_size(share), signal, share)
    labels, counts = np.unique(y, return_counts=True)
    latent_share = _latent_share(f, counts, share)
    latent = f + noise * _noise_size(latent_share)
    made = np.empty(len(y), dtype=labels.dtype)
    made[np.argsort(latent, kind="stable")] = np.repeat(labels, counts)
    return MadeResponse(made, signal, brier_skill(f, counts, latent_share))


def _own(
    response: Response, X: "pd.DataFrame", rng: np.random.Generator
) -> tuple[FloatArray, tuple[int, ...]]:
    """Return the values of a function of the user, with mean 0 and variance 1, and its causes."""
    name = getattr(response, "__name__", "response")
    try:
        values, causes = response(X.copy(), rng)
        f = np.asarray(values, dtype=float)
        signal = sorted({list(X.columns).index(cause) for cause in causes})
    except Exception as error:
        raise LosawError(
            f"{name}(X, rng) must return a number for each of the {len(X)} rows and the names of "
            f"the columns that it used; it raised {type(error).__name__}: {error}"
        ) from error
    if f.shape != (len(X),) or not np.isfinite(f).all() or f.std() == 0:
        raise LosawError(f"{name}(X, rng) must return {len(X)} finite numbers that differ")
    if not 0 < len(signal) < X.shape[1]:
        raise LosawError(
            f"{name}(X, rng) names {len(signal)} of {X.shape[1]} columns as causes; at least one "
            "must be a cause, and one must be none"
        )
    return _standard(f), tuple(signal)


def _sum_of_terms(
    X: "pd.DataFrame", n_signals: int, rng: np.random.Generator
) -> tuple[FloatArray, tuple[int, ...]]:
    signal = np.sort(rng.choice(X.shape[1], n_signals, replace=False))
    terms = [_term(X.iloc[:, column], rng) for column in signal]
    weights = rng.uniform(0.7, 1.3, n_signals) * rng.choice((-1.0, 1.0), n_signals)
    f = sum(weight * term for weight, term in zip(weights, terms, strict=True))
    if n_signals > 1:
        first, second = rng.choice(n_signals, 2, replace=False)
        f = f + _PRODUCT_WEIGHT * _standard(terms[first] * terms[second])
    return _standard(np.asarray(f)), tuple(int(column) for column in signal)


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


def _noise_size(share: float) -> float:
    """The standard deviation of the noise that is added to an f of variance 1."""
    return float(np.sqrt((1.0 - share) / share))


def _latent_share(f: FloatArray, counts: NDArray[np.intp], skill: float) -> float:
    """Var f / Var z at which the best prediction of the classes has this Brier skill.

    If none has it, hardly any noise is left.
    """
    if len(f) > _MOST_POINTS:  # its quantiles say the same, and 50 classes take a second
        f = np.quantile(f, (np.arange(_MOST_POINTS) + 0.5) / _MOST_POINTS)
    low, high = 1e-4, 1.0 - 1e-6
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if brier_skill(f, counts, middle) < skill:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def brier_skill(f: FloatArray, counts: NDArray[np.intp], share: float) -> float:
    """Brier skill of the probabilities given f, of classes that are cut from z.

    1 - E sum_k p_k (1 - p_k) / sum_k q_k (1 - q_k), with p_k the probability of class k given f,
    and q_k its share of the rows.
    """
    size = _noise_size(share)
    shares = counts / counts.sum()
    below = np.stack([ndtr((cut - f) / size) for cut in _cuts(f, size, np.cumsum(shares)[:-1])])
    p = np.diff(below, axis=0, prepend=0.0, append=1.0)
    return float(1.0 - (p * (1.0 - p)).sum(axis=0).mean() / (shares * (1.0 - shares)).sum())


def _cuts(f: FloatArray, size: float, shares: FloatArray) -> FloatArray:
    """Quantiles of f plus normal noise of that size, by bisection."""
    low = np.full(len(shares), f.min() - 10.0 * size)
    high = np.full(len(shares), f.max() + 10.0 * size)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        too_low = np.array([ndtr((cut - f) / size).mean() for cut in middle]) < shares
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
    return np.asarray((low + high) / 2)
