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
    moves, frames = dict[str, Any](), list[Any]()
    for name in ranking.select(top=MOST_CURVES):
        if X[name].dtype != "category" and X[name].nunique() > 1:
            known = X[X[name].notna()]
            values = known[name].to_numpy(dtype=float)
            shares = np.linspace(0.0, 1.0, _PARTS + 1)
            edges = np.unique(np.quantile(values, shares, method="inverted_cdf"))
            part = np.clip(np.searchsorted(edges, values), 1, len(edges) - 1)
            below, above = known.copy(), known.copy()
            below[name], above[name] = edges[part - 1], edges[part]
            moves[name] = values, edges, part
            frames += [below, above]
    if not moves:
        return {}
    # All rows of all features in one call: a frame of many columns costs more than its rows.
    rows, ends = pd.concat(frames, ignore_index=True), np.cumsum([len(f) for f in frames])
    found = np.array([predicted(model, rows, len(data.labels)) for model in work.models])
    of_frames, drawn = np.split(found, ends[:-1], axis=1), dict[str, Curve]()
    for place, (name, (values, edges, part)) in enumerate(moves.items()):
        change = of_frames[2 * place + 1] - of_frames[2 * place]
        steps = np.array([np.bincount(part, of_model) for of_model in change])
        effect = np.cumsum(steps / np.maximum(np.bincount(part), 1), axis=1)
        effect -= [[np.interp(values, edges, of_model).mean()] for of_model in effect]
        drawn[name] = Curve(edges, effect.mean(axis=0), jackknife_error(effect))
    return drawn
