"""Checks of a metric: a finite number in its range in the declared direction."""

from collections.abc import Callable
from typing import Any

import numpy as np

from losaw.contracts.outcome import Subject, require, unchanged
from losaw.data import FloatArray, Truth, default_feature_names
from losaw.metrics.metric import Predictions
from losaw.scoring.importance_result import ImportanceResult

SIGNAL, N_FEATURES, N_SAMPLES = (1, 4, 5), 12, 80


def states_its_range_direction_and_input(subject: Subject) -> None:
    metric = subject.create()
    bounds = getattr(metric, "range", None)
    require(
        isinstance(bounds, tuple) and len(bounds) == 2 and bounds[0] < bounds[1],
        f"range must be a pair (smallest, largest), got {bounds!r}",
    )
    direction = getattr(metric, "higher_is_better", None)
    require(isinstance(direction, bool), f"higher_is_better must be a bool, got {direction!r}")
    needs = getattr(metric, "needs", None)
    require(
        needs in ("importance", "prediction"),
        f"needs must be 'importance' or 'prediction', got {needs!r}",
    )


def gives_a_finite_number_in_its_range(subject: Subject) -> None:
    metric = subject.create()
    for seed in range(20):
        value = _value(metric, _scores(seed))
        require(
            isinstance(value, float) and np.isfinite(value),
            f"it gives {value!r}, expected a finite float",
        )
        low, high = metric.range
        require(low <= value <= high, f"it gives {value}, outside its range ({low}, {high})")


def prefers_the_perfect_answer_to_the_worst(subject: Subject) -> None:
    metric = subject.create()
    if not getattr(metric, "ranks_methods", True):
        return
    mask = Truth(SIGNAL, N_FEATURES).is_signal
    scores = np.abs(_scores(1))
    perfect, worst = scores + 10.0 * mask, scores + 10.0 * ~mask
    better = _value(metric, perfect, noise=0.0) - _value(metric, worst, noise=5.0)
    require(
        better > 0 if metric.higher_is_better else better < 0,
        f"higher_is_better is {metric.higher_is_better}, but the perfect answer has a "
        f"{'higher' if better > 0 else 'lower or equal'} value than the worst",
    )


def does_not_depend_on_the_order_of_features_or_rows(subject: Subject) -> None:
    metric = subject.create()
    for seed in range(5):
        order = np.random.default_rng(seed).permutation
        before, after = _value(metric, _scores(seed)), _value(metric, _scores(seed), order=order)
        require(
            np.isclose(before, after, rtol=1e-9, atol=1e-12),
            f"another order of {'features' if metric.needs == 'importance' else 'rows'} changes "
            f"it from {before} to {after}",
        )


def follows_the_orientation_of_the_scores(subject: Subject) -> None:
    metric = subject.create()
    if metric.needs == "prediction":
        return
    scores, truth = _scores(3), Truth(SIGNAL, N_FEATURES)
    negated = ImportanceResult(
        -scores,
        default_feature_names(N_FEATURES),
        p_values=_p_values(scores),
        higher_is_more=False,
        details=_details(scores),
    )
    require(
        np.isclose(metric(negated, truth), _value(metric, scores), rtol=1e-9, atol=1e-12),
        "scores with higher_is_more=False are misread; use result.ranking_scores()",
    )


def does_not_change_its_input(subject: Subject) -> None:
    metric = subject.create()
    scores = _scores(4)
    argument, truth = _argument(metric, scores)
    watched = (
        [argument.scores]
        if isinstance(argument, ImportanceResult)
        else [array for pair in (argument.test, argument.independent or ()) for array in pair]
    )
    with unchanged(*watched):
        metric(argument, truth)


def _scores(seed: int) -> FloatArray:
    return np.random.default_rng(seed).standard_normal(N_FEATURES)


def _p_values(scores: FloatArray) -> FloatArray:
    return 1 / (1 + np.exp(scores))


def _details(scores: FloatArray) -> dict[str, Any]:
    return {"detail": 0.5, "counts": np.abs(scores)}


def _value(metric: Any, scores: FloatArray, **changes: Any) -> float:
    value: float = metric(*_argument(metric, scores, **changes))
    return value


def _argument(
    metric: Any,
    scores: FloatArray,
    noise: float = 0.5,
    order: Callable[[int], Any] | None = None,
) -> tuple[ImportanceResult | Predictions, Truth]:
    if metric.needs == "importance":
        index = np.arange(N_FEATURES) if order is None else order(N_FEATURES)
        signal = tuple(np.flatnonzero(np.isin(index, SIGNAL)).tolist())
        names = tuple(np.array(default_feature_names(N_FEATURES))[index].tolist())
        result = ImportanceResult(
            scores[index],
            names,
            p_values=_p_values(scores[index]),
            details=_details(scores[index]),
        )
        return result, Truth(signal, N_FEATURES)
    rng = np.random.default_rng(int(abs(scores[0]) * 1e6))
    y, error = rng.standard_normal((2, N_SAMPLES))
    rows = np.arange(N_SAMPLES) if order is None else order(N_SAMPLES)
    pair = (y[rows], (y + noise * error)[rows])
    other = (2 * y[rows], (2 * y - noise * error)[rows])
    return Predictions(test=pair, independent=other), Truth(
        SIGNAL, N_FEATURES, details={"detail": 0.5}
    )


CHECKS = (
    states_its_range_direction_and_input,
    gives_a_finite_number_in_its_range,
    prefers_the_perfect_answer_to_the_worst,
    does_not_depend_on_the_order_of_features_or_rows,
    follows_the_orientation_of_the_scores,
    does_not_change_its_input,
)
