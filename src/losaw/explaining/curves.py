"""Curves: how the prediction changes along a feature, by accumulated local effects."""

from typing import Any, NamedTuple

import numpy as np

from losaw.data import FloatArray
from losaw.explaining.design import sample
from losaw.explaining.models import predicted
from losaw.explaining.scores import Work, jackknife_error

_PARTS, _ROWS = 10, 500
# Curves are drawn of so many features, those with the largest scores.
MOST_CURVES = 30


class Curve(NamedTuple):
    """Accumulated local effects of a feature on the prediction.

    Attributes
    ----------
    at : array
        Values of the feature: quantiles, between which there are equally many rows.
    effect : array
        The prediction there, without the effects of other features; 0 on average over the rows,
        with straight lines between the values.
    error : array
        Standard error over other samples of rows (jackknife over the folds).
    """

    at: FloatArray
    effect: FloatArray
    error: FloatArray


def curves(work: Work) -> dict[str, Curve]:
    """Return the curves of the most important numbers, of a regression or two classes.

    In each part between two quantiles z_{b-1} < z_b of a feature, the mean over its rows of

        f(z_b, other features of the row) - f(z_{b-1}, other features of the row)

    is taken, and these are added up (Apley and Zhu 2020): a row is only moved within its part, so
    that the model is hardly asked where no rows are. The models of all folds are asked at the same
    rows.
    """
    import pandas as pd

    data = work.data
    ranking = next((work.results[n] for n in ("pfi", "cpi", "loco") if n in work.results), None)
    if len(data.labels) > 2 or ranking is None:
        return {}
    X = data.X.iloc[sample(data, _ROWS, work.stream("curves"))]
    moves = {
        name: _moves(X[X[name].notna()], name)
        for name in ranking.select(top=MOST_CURVES)
        if X[name].dtype != "category" and X[name].nunique() > 1
    }
    if not moves:
        return {}
    # All rows of all features in one call: a frame of many columns costs more than its rows.
    rows = pd.concat([frame for move in moves.values() for frame in move.rows], ignore_index=True)
    ends = np.cumsum([len(frame) for move in moves.values() for frame in move.rows])[:-1]
    effects: dict[str, list[FloatArray]] = {name: [] for name in moves}
    for model in work.models:
        parts = np.split(predicted(model, rows, len(data.labels)), ends)
        for name, below, above in zip(moves, parts[::2], parts[1::2], strict=True):
            effects[name].append(moves[name].effect(above - below))
    return {
        name: Curve(moves[name].edges, np.mean(found, axis=0), jackknife_error(np.array(found)))
        for name, found in effects.items()
    }


class _Moves(NamedTuple):
    """Rows whose value of a feature is moved to either end of its part."""

    values: FloatArray
    edges: FloatArray
    part: Any
    rows: tuple[Any, Any]

    def effect(self, change: FloatArray) -> FloatArray:
        """The mean change in every part, added up, with mean 0 over the rows."""
        steps = np.bincount(self.part, change) / np.maximum(np.bincount(self.part), 1)
        effect = np.cumsum(steps)
        return effect - np.interp(self.values, self.edges, effect).mean()


def _moves(X: Any, name: str) -> _Moves:
    values = X[name].to_numpy(dtype=float)
    shares = np.linspace(0.0, 1.0, _PARTS + 1)
    edges = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    part = np.clip(np.searchsorted(edges, values), 1, len(edges) - 1)
    below, above = X.copy(), X.copy()
    below[name], above[name] = edges[part - 1], edges[part]
    return _Moves(values, edges, part, (below, above))
