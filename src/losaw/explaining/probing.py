"""The costs of the parts of the work on this machine, measured on a few rows."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from losaw.explaining.design import Costs
from losaw.explaining.models import make_forest
from losaw.explaining.preparing import Prepared, sample_rows
from losaw.importance import ufi
from losaw.knockoffs import make_sampler
from losaw.rng import stream
from losaw.tables import read_table

_TREES = 4
_SHORT = 0.5
_ROWS, _MORE_ROWS = 500, 2_000
_DRAWN_ROWS, _DRAWN_COLUMNS = 250, 10


def probe(
    data: Prepared, model: Any, trees: int, methods: tuple[str, ...], n_groups: int, seed: int
) -> Costs:
    """Seconds of fits, predictions and draws for small samples of the rows.

    Only what ``methods`` need is measured. ``model`` has ``trees`` trees, or costs as one fit.
    """
    rng = stream(experiment="explain", setting="", replicate=seed, component="probes")
    # A model of the user's may name columns that are constant in so few rows.
    few, more = (
        data.take(sample_rows(data, size, rng), keep_constant=True) for size in (_ROWS, _MORE_ROWS)
    )
    with warnings.catch_warnings(action="ignore"):
        fit, fitted = _fit(lambda: clone(model), few, more)
        fit /= trees  # of the whole model, by tree
        losaw_fit = 0.0
        if "losaw" in methods:
            losaw_fit, _ = _fit(lambda: _forest(data, True, seed), few, more)
            losaw_fit /= _TREES
        scoring = _scoring(_forest(data, False, seed), few, more) / _TREES
        ask = getattr(fitted, "predict_proba", fitted.predict)
        ask(more.X.head())
        prediction = _seconds(lambda: ask(more.X)) / len(more)
        draws = _draws(data, len(more), rng) if "cpi" in methods else 0.0
    return Costs(
        rows=len(more),
        fit=fit,
        losaw_fit=losaw_fit,
        scoring=scoring,
        prediction=prediction,
        draws=draws,
        n_features=data.X.shape[1],
        n_groups=n_groups,
    )


def _forest(data: Prepared, decorrelated: bool, seed: int) -> Any:
    return make_forest(
        data.task, data.X.shape[1], decorrelated=decorrelated, n_trees=_TREES, seed=seed % 2**31
    )


def _fit(make: Callable[[], Any], few: Prepared, more: Prepared) -> tuple[float, Any]:
    """Seconds of a fit to ``more``, and the fitted model."""
    make().fit(few.X, few.y)  # what is compiled or imported once does not count
    model = make()
    return _seconds(lambda: model.fit(more.X, more.y)), model


def _scoring(forest: Any, few: Prepared, more: Prepared) -> float:
    """Seconds of computing UFI from a fitted forest."""
    ufi(forest.fit(few.X, few.y), few.X, few.y, kinds=few.kinds)  # compiles
    forest.fit(more.X, more.y)
    return _seconds(lambda: ufi(forest, more.X, more.y, kinds=more.kinds))


def _draws(data: Prepared, n_rows: int, rng: np.random.Generator) -> float:
    """Seconds of a fit of the sampler of CPI, and a draw, for ``n_rows`` rows."""
    part = data.take(sample_rows(data, _DRAWN_ROWS, rng))
    table = read_table(part.X, kinds=part.kinds)
    n_columns = len(table.kinds)
    some = rng.permutation(n_columns)[:_DRAWN_COLUMNS]
    sampler = make_sampler("conditional")

    def draw() -> None:
        sampler.fit(table.codes, table.kinds, rng, [np.array([column]) for column in some])
        sampler.sample(rng)

    draw()  # compiles
    return _seconds(draw) * n_columns / len(some) * n_rows / len(table)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    once = time.perf_counter() - start
    if once > _SHORT:
        return once
    # What is short is timed twice: the machine may have been busy with something else.
    start = time.perf_counter()
    work()
    return max(min(once, time.perf_counter() - start), 1e-6)
