"""Curves: how the prediction changes along a feature, by accumulated local effects."""

from typing import Any, NamedTuple

import numpy as np

from losaw.data import FloatArray
from losaw.explaining.computing import Computed, Work, jackknife_error
from losaw.explaining.methods import METHODS
from losaw.explaining.preparing import sample_rows
from losaw.scoring.predictor import means
from losaw.support.outcomes import probabilities

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

    @property
    def directions(self) -> frozenset[str]:
        """``"rises"``, ``"falls"``: between two values, by more than two errors of each.

        Less than a tenth of the largest change is none.
        """
        change = np.triu(self.effect - self.effect[:, None], 1)
        band = np.maximum(2.0 * (self.error + self.error[:, None]), 0.1 * np.ptp(self.effect))
        found = {"rises": (change > band).any(), "falls": (-change > band).any()}
        return frozenset(name for name, is_found in found.items() if is_found)


def curves(work: Work, computed: Computed) -> dict[str, Curve]:
    """Return the curves of the most important numbers, of a regression or two classes.

    In each part between two quantiles z_{b-1} < z_b of a feature, the mean over its rows of

        f(z_b, other features of the row) - f(z_{b-1}, other features of the row)

    is taken, and these are added up (Apley and Zhu 2020): a row is only moved within its part, so
    that the model is hardly asked where no rows are. The models of all folds are asked at the same
    rows.
    """
    data = work.data
    if data.task == "classification" and len(np.unique(data.y)) > 2:
        return {}
    ranking = next((r for n, r in computed.results.items() if METHODS[n].family == "loss"), None)
    if ranking is None:
        return {}
    rows = sample_rows(data, _ROWS, work.stream("curves"))
    X = data.X.iloc[rows]
    weights = np.ones(len(X)) if data.weights is None else data.weights[rows]
    names = ranking.select(top=MOST_CURVES)
    return {
        name: _curve(X, name, computed.models, data.task, weights)
        for name in names
        if X[name].dtype != "category" and X[name].nunique() > 1
    }


def _curve(X: Any, name: str, models: list[Any], task: str, weights: FloatArray) -> Curve:
    known = X[name].notna().to_numpy()
    X, weights = X[known], weights[known]
    values = X[name].to_numpy(dtype=float)
    shares = np.linspace(0.0, 1.0, _PARTS + 1)
    edges = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    part = np.clip(np.searchsorted(edges, values), 1, len(edges) - 1)
    below, above = X.copy(), X.copy()
    below[name], above[name] = edges[part - 1], edges[part]
    effects = []
    for model in models:
        change = _prediction(model, above, task) - _prediction(model, below, task)
        in_part = np.bincount(part, weights)
        steps = np.bincount(part, change * weights) / np.where(in_part > 0, in_part, 1.0)
        effect = np.cumsum(steps)
        effects.append(effect - np.average(np.interp(values, edges, effect), weights=weights))
    return Curve(edges, np.mean(effects, axis=0), jackknife_error(np.array(effects)))


def _prediction(model: Any, X: Any, task: str) -> FloatArray:
    """Return predicted numbers, or probabilities of the last class."""
    if task == "regression":
        return means(model, X)
    return probabilities(model, X, 2)
