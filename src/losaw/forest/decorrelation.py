"""How far the weights decorrelate every feature, measured once per fit at the training sample."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import ForestData, Measure, Settings, empty_nodes
from losaw.forest.growing.growth import grow_trees
from losaw.forest.growing.own_models import Answers, OwnModels
from losaw.forest.growing.workspace import make_cells, make_sample, make_workspace

_SHARE_LEFT = 0.9
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
    columns = np.require(X, requirements=["C", "A", "W"])  # another type would compile anew
    centre, first_column = location, np.arange(n_features + 1)
    if data.is_nominal.any():
        columns, centre, first_column = _with_indicators(X, location, data)
    others = [np.flatnonzero(row) for row in adjustment]
    found = np.full((n_features, 2), np.nan)
    measure = Measure(
        is_on=np.ones(1, dtype=np.int64),
        columns=columns,
        centre=centre,
        first_column=first_column.astype(np.int64),
        others=np.concatenate(others).astype(np.int64),
        first_other=np.cumsum([0, *map(len, others)], dtype=np.int64),
        moments=np.empty((columns.shape[1], 6)),
        found=found,
    )
    sample = make_sample(data)
    work = make_workspace(data)._replace(measure=measure)
    answers = None if own is None else Answers(own, data, sample, work)
    root = settings._replace(max_depth=1, max_features=n_features, bootstrap=False)
    nodes = empty_nodes(3, data.n_classes)
    seeds, sizes = np.zeros(1, dtype=np.uint64), np.empty(1, dtype=np.int64)
    grow_trees(data, root, seeds, sample, work, make_cells(data), nodes, sizes)
    if answers is not None:
        answers.raise_error()
    found[~adjustment.any(axis=1)] = np.nan
    size = np.full((n_features, 2), np.nan)
    size[work.features] = work.splits[:, 2:4]
    size[np.isnan(found[:, 0])] = np.nan
    width = np.diff(first_column)
    pairs = width * (adjustment @ width)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.sqrt(2.0 * np.log(100.0 * pairs) / (size[:, 1] * n_samples))
    return Decorrelation(found[:, 0], found[:, 1], size[:, 0], size[:, 1]), chance


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
    first = np.cumsum([0] + [block.shape[1] for block in blocks])
    return columns, columns.mean(axis=0), first
