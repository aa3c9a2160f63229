"""One Monte Carlo replicate: data, one fit, every importance and metric of that fit."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from losaw.data import Dataset
from losaw.importance.result import ImportanceResult
from losaw.metrics.base import Predictions
from losaw.rng import seed_integer, stream
from losaw.study.files.rows import SCORES, Row


@dataclass(frozen=True)
class Recipe:
    """Everything a replicate needs, ready to be called.

    Attributes
    ----------
    experiment, setting, learner : str
        The axes of the random streams.
    draw : callable
        ``draw(rng) -> Dataset``.
    make_learner : callable
        ``make_learner() -> unfitted estimator``.
    importances, metrics : dict
        Label -> object that follows the importance or metric contract.
    """

    experiment: str
    setting: str
    learner: str
    draw: Callable[[np.random.Generator], Dataset]
    make_learner: Callable[[], Any]
    importances: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)

    def rng(self, seed: int, component: str) -> np.random.Generator:
        return stream(
            experiment=self.experiment, setting=self.setting, replicate=seed, component=component
        )


def run_replicate(recipe: Recipe, seed: int) -> tuple[list[Row], float]:
    """Rows of one seed, and the seconds they took.

    What the data, the fit, an importance or a metric raises becomes a row with ``status``
    ``"failed"`` and the message; the other rows of the seed are kept.
    """
    started = time.perf_counter()
    rows: list[Row] = []
    try:
        data = recipe.draw(recipe.rng(seed, "data"))
        model = fit(recipe, data, seed)
    except Exception as error:
        rows.append(_failure(seed, "", "", error))
        return rows, time.perf_counter() - started
    if any(metric.needs == "prediction" for metric in recipe.metrics.values()):
        rows += _prediction_rows(recipe, data, model, seed)
    for label, importance in recipe.importances.items():
        rows += _importance_rows(recipe, data, model, seed, label, importance)
    return rows, time.perf_counter() - started


def fit(recipe: Recipe, data: Dataset, seed: int) -> Any:
    """The recipe's learner, fitted on the training sample with the random stream of its seed."""
    model = recipe.make_learner()
    if "random_state" in model.get_params():
        model.set_params(random_state=seed_integer(recipe.rng(seed, f"learner:{recipe.learner}")))
    return model.fit(data.train.X, data.train.y)


def _prediction_rows(recipe: Recipe, data: Dataset, model: Any, seed: int) -> list[Row]:
    wanted = {k: m for k, m in recipe.metrics.items() if m.needs == "prediction"}
    try:
        predictions = predict(model, data)
    except Exception as error:
        return [_failure(seed, "", name, error) for name in wanted]
    return [_measure(seed, "", name, m, predictions, data) for name, m in wanted.items()]


def predict(model: Any, data: Dataset) -> Predictions:
    """The model's predictions on the test sample and, where there is one, the independent one."""
    outcome = model.predict if data.task == "regression" else model.predict_proba
    independent = data.independent
    return Predictions(
        test=(data.test.y, outcome(data.test.X)),
        independent=None if independent is None else (independent.y, outcome(independent.X)),
    )


def _importance_rows(
    recipe: Recipe, data: Dataset, model: Any, seed: int, label: str, importance: Any
) -> list[Row]:
    rng = recipe.rng(seed, f"importance:{recipe.learner}:{label}")
    wanted = {k: m for k, m in recipe.metrics.items() if m.needs == "importance"}
    try:
        result = importance.explain(model, data, rng)
    except Exception as error:
        return [_failure(seed, label, name, error) for name in (SCORES, *wanted)]
    rows = [_scores_row(seed, label, result, data)]
    rows += [_measure(seed, label, name, m, result, data) for name, m in wanted.items()]
    return rows


def _scores_row(seed: int, label: str, result: ImportanceResult, data: Dataset) -> Row:
    def as_list(values: Any) -> list[float] | None:
        return None if values is None else [float(value) for value in values]

    return Row(
        seed,
        label,
        SCORES,
        features=tuple(result.feature_names),
        scores=as_list(result.scores),
        std_error=as_list(result.std_error),
        p_values=as_list(result.p_values),
        signal=[int(index) for index in data.truth.signal],
    )


def _measure(seed: int, label: str, name: str, metric: Any, measured: Any, data: Dataset) -> Row:
    try:
        return Row(seed, label, name, value=float(metric(measured, data.truth)))
    except Exception as error:
        return _failure(seed, label, name, error)


def _failure(seed: int, importance: str, metric: str, error: Exception) -> Row:
    message = f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]
    return Row(seed, importance, metric, status="failed", message=message)
