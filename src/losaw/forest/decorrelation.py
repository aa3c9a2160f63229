"""How far the weights decorrelate every feature, measured once per fit at the training sample."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import ForestData, Measure, Settings, empty_nodes
from losaw.forest.growing.growth import grow_trees
from losaw.forest.growing.own_models import Answers, OwnModels
from losaw.forest.growing.workspace import (
    make_cells,
    make_classes,
    make_sample,
    make_workspace,
)
from losaw.kernels.inversion import padded

_SHARE_LEFT = 0.9
_BLOCK = 4096  # rows centred at a time, so that no second sample stands in memory
_SHOWN = 6


class Decorrelation(NamedTuple):
    """Per feature, (n_features,) each; NaN without adjustment features or without a split.

    Largest absolute correlation with an adjustment feature without and with weights, and the
    relative effective sample size of the weights before and after the cap.
    """

    correlation: FloatArray
    weighted_correlation: FloatArray
    effective_size: FloatArray
    capped_effective_size: FloatArray


def not_measured(n_features: int) -> tuple[Decorrelation, FloatArray]:
    """What a forest has that adjusts nothing."""
    return Decorrelation(*np.full((4, n_features), np.nan)), np.zeros(n_features)


def measure_decorrelation(
    data: ForestData,
    settings: Settings,
    X: FloatArray,
    location: FloatArray,
    adjustment: NDArray[np.bool_],
    own: OwnModels | None,
) -> tuple[Decorrelation, FloatArray]:
    """What the weights do in a root that holds the training sample, and what is mere chance.

    The second array bounds what the largest of the weighted correlations comes to by chance: of m
    correlations in n effective rows ``sqrt(2 log(100 m) / n)``, exceeded with a probability of
    at most .02 if they are Gaussian.
    """
    n_samples, n_features = X.shape
    targets = np.require(X, requirements=["C", "A", "W"])  # another type would compile anew
    centre, first_target = location, np.arange(n_features + 1, dtype=np.int64)
    if data.is_nominal.any():
        targets, centre, first_target = _with_indicators(X, location, data)
    # Columns of the features that something is adjusted for, and which of them each target's are.
    width = np.diff(first_target)
    is_used = np.repeat(adjustment.any(axis=0), width)
    used = np.flatnonzero(is_used)
    columns = np.zeros((n_samples, padded(len(used))))
    np.subtract(targets[:, used], centre[used], out=columns[:, : len(used)])
    is_other = np.repeat(adjustment, width, axis=1)[:, used]
    weighted = np.full(n_features, np.nan)
    measure = Measure(
        is_on=np.ones(1, dtype=np.int64),
        targets=targets,
        centre=centre,
        first_target=first_target,
        columns=columns,
        others=np.nonzero(is_other)[1].astype(np.int64),
        first_other=np.cumsum([0, *is_other.sum(axis=1)], dtype=np.int64),
        moments=np.empty((3, columns.shape[1])),
        target=np.empty(n_samples),
        strength=weighted,
    )
    sample = make_sample(data)
    work = make_workspace(data)._replace(measure=measure)
    answers = None if own is None else Answers(own, data, sample, work)
    root = settings._replace(max_depth=1, max_features=n_features, bootstrap=False)
    nodes = empty_nodes(3, data.n_classes)
    seeds, sizes = np.zeros(1, dtype=np.uint64), np.empty(1, dtype=np.int64)
    cells, classes = make_cells(data), make_classes(data)
    grow_trees(data, root, seeds, sample, work, cells, classes, nodes, sizes)
    if answers is not None:
        answers.raise_error()
    weighted[~adjustment.any(axis=1)] = np.nan
    size = np.full((n_features, 2), np.nan)
    size[work.features] = work.splits[:, 2:4]
    size[np.isnan(weighted)] = np.nan
    strength = _correlations(targets, centre, columns, used)
    strength[~np.repeat(is_other, width, axis=0)] = 0.0
    unweighted = np.maximum.reduceat(strength.max(axis=1), first_target[:-1])
    unweighted[np.isnan(weighted)] = np.nan
    pairs = width * is_other.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.sqrt(2.0 * np.log(100.0 * pairs) / (size[:, 1] * n_samples))
    return Decorrelation(unweighted, weighted, size[:, 0], size[:, 1]), chance


def _correlations(
    targets: FloatArray, centre: FloatArray, columns: FloatArray, used: NDArray[Any]
) -> FloatArray:
    """Absolute correlations of the columns of targets with the ``used`` ones; 0 of constants.

    ``columns`` holds the used ones, centred, and zeros behind them.
    """
    product = np.zeros((targets.shape[1], columns.shape[1]))
    square = np.zeros(len(product))
    for start in range(0, len(targets), _BLOCK):
        centred = targets[start : start + _BLOCK] - centre
        product += centred.T @ columns[start : start + _BLOCK]
        square += np.einsum("ij,ij->j", centred, centred)
    product = np.abs(product[:, : len(used)])
    scale = np.sqrt(np.outer(square, square[used]))
    return np.divide(product, scale, out=np.zeros_like(product), where=scale > 0.0)


def warn_of_correlations(
    measured: Decorrelation, chance: FloatArray, eta: float, names: NDArray[Any] | None
) -> None:
    """One warning that names the features which weighting leaves as correlated as they were."""
    before, after = measured.correlation, measured.weighted_correlation
    with np.errstate(invalid="ignore"):
        left = np.flatnonzero((after > _SHARE_LEFT * before) & (after > chance))
    if len(left) == 0:
        return
    left = left[np.argsort(-after[left], kind="stable")]
    shown = ", ".join(
        f"{names[p] if names is not None else p} ({before[p]:.2f} -> {after[p]:.2f}, effective "
        f"size {measured.effective_size[p]:.2g})"
        for p in left[:_SHOWN]
    )
    warnings.warn(
        f"weighting does not decorrelate {len(left)} feature(s): their largest correlation with an "
        f"adjustment feature is hardly lower with weights than without: {shown}"
        f"{', ...' if len(left) > _SHOWN else ''}. Their importances are shared among correlated "
        "features as in a plain random forest. A "
        f"smaller eta (now {eta:g}) helps where the effective size is a little below it; elsewhere "
        "the data do not tell the features apart: drop or group them (see decorrelation_)",
        stacklevel=5,
    )


def _with_indicators(
    X: FloatArray, location: FloatArray, data: ForestData
) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
    """Columns of all features, indicators of the levels of the nominal ones; means; first ones."""
    blocks = [
        (X[:, [p]] == np.unique(X[:, p])).astype(np.float64) if data.is_nominal[p] else X[:, [p]]
        for p in range(X.shape[1])
    ]
    columns = np.ascontiguousarray(np.hstack(blocks))
    first = np.cumsum([0] + [block.shape[1] for block in blocks], dtype=np.int64)
    return columns, columns.mean(axis=0), first
