"""Curves: how the prediction changes along a feature, by accumulated local effects."""

import re
from typing import Any, NamedTuple

import numpy as np

from losaw.data import FloatArray
from losaw.explaining.columns import Column
from losaw.explaining.design import sample
from losaw.explaining.models import predicted
from losaw.explaining.scores import Work, jackknife_error
from losaw.explaining.sentences import in_braces

_PARTS, _ROWS = 10, 500
_MINUTES = 24 * 60  # of a day
# A curve whose ends differ by so much of its range, which is so much of its way up and down, goes
# one way.
_ONE_WAY = 0.8
_FIRST_DAY = re.compile(r"dates, as days since ([\d-]+)")
# Curves are drawn of so many features, those with the largest scores.
MOST_CURVES = 30


class Curve(NamedTuple):
    """Accumulated local effects of a feature on the prediction."""

    at: FloatArray  # values of the feature: quantiles, between which there are equally many rows
    # The prediction there, without the effects of other features; 0 on average over the rows, with
    # straight lines between the values.
    effect: FloatArray
    error: FloatArray  # standard error over other samples of rows (jackknife over the folds)


def curves(work: Work) -> tuple[dict[str, Curve], dict[str, str]]:
    """Return the curves of the most important numbers, and directions of factors too, in words.

    In each part between two quantiles z_{b-1} < z_b of a number, the mean over its rows of

        f(z_b, other features of the row) - f(z_{b-1}, other features of the row)

    is taken, and these are added up (Apley and Zhu 2020): a row is only moved within its part, so
    that the model is hardly asked where no rows are. A factor has the mean over rows that are all
    given the level. The models of all folds are asked at the same rows. Of more than two classes
    there is no curve; the direction is that of the class whose probability changes most.
    """
    import pandas as pd

    data = work.data
    ranking = next((work.results[n] for n in ("pfi", "cpi", "loco") if n in work.results), None)
    if ranking is None:
        return {}, {}
    X = data.X.iloc[sample(data, _ROWS, work.stream("curves"))]
    moves, frames = dict[str, Any](), list[Any]()
    for name in ranking.select(top=MOST_CURVES):
        known = X[X[name].notna()]
        if known[name].nunique() < 2:
            continue
        if X[name].dtype == "category":
            at, levels = known[name].unique(), known[name].dtype
            known = known.iloc[:: -(-len(at) // _PARTS)]  # many levels are asked at fewer rows
            new = [pd.Categorical([level] * len(known), dtype=levels) for level in at]
            moves[name] = None, np.asarray(at, dtype=object), len(new)
        else:
            values = known[name].to_numpy(dtype=float)
            shares = np.linspace(0.0, 1.0, _PARTS + 1)
            edges = np.unique(np.quantile(values, shares, method="inverted_cdf"))
            part = np.clip(np.searchsorted(edges, values), 1, len(edges) - 1)
            new = [edges[part - 1], edges[part]]
            moves[name] = (values, part), edges, len(new)
        for column in new:
            frames.append(known.copy())
            frames[-1][name] = column
    if not moves:
        return {}, {}
    # All rows of all features in one call: a frame of many columns costs more than its rows.
    rows, ends = pd.concat(frames, ignore_index=True), np.cumsum([len(f) for f in frames])
    predictions = np.array([predicted(model, rows, len(data.labels)) for model in work.models])
    predictions = predictions.reshape(*predictions.shape[:2], -1)
    of_frames = iter(np.split(predictions, ends[:-1], axis=1))
    drawn, directions = dict[str, Curve](), dict[str, str]()
    for name, (number, at, n_frames) in moves.items():
        answers = [next(of_frames) for _ in range(n_frames)]
        if number is None:
            effect = np.stack([answer.mean(axis=1) for answer in answers], axis=1)
            effect -= effect.mean(axis=1, keepdims=True)
        else:
            values, part = number
            of_part = np.eye(len(at))[part] / np.maximum(np.bincount(part, minlength=len(at)), 1)
            effect = np.cumsum(np.einsum("rp,mrk->mpk", of_part, answers[1] - answers[0]), axis=1)
            means = [[np.interp(values, at, e).mean() for e in fold.T] for fold in effect]
            effect -= np.array(means)[:, None, :]
        most = int(np.ptp(effect.mean(axis=0), axis=0).argmax())
        curve = Curve(at, effect[..., most].mean(axis=0), jackknife_error(effect[..., most]))
        if number is not None and len(data.labels) <= 2:
            drawn[name] = curve
        label = data.labels[most if len(data.labels) > 2 else 1] if data.labels else ""
        what = (
            f"probability of {data.target} = {label}" if label else f"prediction of {data.target}"
        )
        what += " by the model of all features" * bool(work.design.given)
        column = next(column for column in data.columns if column.name == name)
        shown = at if number is None else _shown(column, at)
        directions[name] = f"{name}: the {what} {_direction(curve, shown, number is None)}."
    return drawn, directions


def _direction(curve: Curve, at: Any, is_factor: bool) -> str:
    """Say where the prediction is high and low, if by more than two errors."""
    _, effect, error = curve
    low, high = int(effect.argmin()), int(effect.argmax())
    span = effect[high] - effect[low]
    if not span > 2 * np.hypot(error[low], error[high]):
        return "has no clear direction"
    if is_factor:
        top, bottom = (
            in_braces(tuple(sorted(str(level) for level in at[near])))
            for near in (effect >= effect[high] - span / 4, effect <= effect[low] + span / 4)
        )
        return f"is highest for {top}, lowest for {bottom}"
    way = np.abs(np.diff(effect)).sum()
    if abs(effect[-1] - effect[0]) >= _ONE_WAY * span and span >= _ONE_WAY * way:
        return "rises with it" if effect[-1] > effect[0] else "falls with it"
    return f"is highest near {at[high]}, lowest near {at[low]}"


def _shown(column: Column, at: FloatArray) -> list[str]:
    """Return values in words: dates, levels, and numbers by as many digits as tell them apart."""
    spread = float(np.ptp(at))
    if column.levels:
        return [column.levels[int(rank)] for rank in at]
    if day := _FIRST_DAY.match(column.treatment):
        unit = "m" if spread < _PARTS and (at % 1).any() else "D"
        minutes = np.round(at * _MINUTES).astype("timedelta64[m]")
        times = (np.datetime64(day[1]) + minutes).astype(f"datetime64[{unit}]")
        return [str(time).replace("T", " ") for time in times]
    largest = float(np.abs(at).max())
    digits = 3 + max(0, int(np.log10(largest / spread)))
    return [
        np.format_float_positional(value, precision=digits, fractional=False, trim="-")
        if 1e-4 <= abs(value) < 1e15
        else f"{value:.{digits}g}"
        for value in at
    ]
