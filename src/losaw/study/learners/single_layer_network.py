"""A network with a single hidden layer, fitted as the R package nnet fits it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from losaw.data import FloatArray
from losaw.rng import as_generator
from losaw.study.learners.encoded import EncodedLearner
from losaw.support.arguments import real_number, whole_number

Objective = Callable[[FloatArray], tuple[float, FloatArray]]
# nnet's defaults: the range of the first weights, and the relative gain below which it stops.
LARGEST_START = 0.7
SMALLEST_GAIN = 1e-8
# R's optim: the share of the predicted decrease that a step must reach, and how a step shrinks.
SUFFICIENT_DECREASE = 1e-4
SHRINKAGE = 0.2


@dataclass(eq=False, repr=False, kw_only=True)
class SingleLayerNetwork(EncodedLearner):
    """A network with a hidden layer of logistic units, which minimises

        sum_i loss(y_i, f(x_i)) + decay * sum w^2,

    with squared error or minus log-likelihood, over all weights w, biases included (nnet; Blesch et
    al. 2023, C.2). As in nnet, the first weights are uniform on (-.7, .7), and BFGS with a dense
    inverse Hessian and halting line searches makes ``max_iter`` steps (Nash 1990, Algorithm 21).
    """

    n_units: int = 20
    decay: float = 0.1
    max_iter: int = 100  # steps of BFGS; reaching them is not a failure
    # Whether numeric columns are standardised first; dummies stay 0 and 1. nnet leaves that to its
    # user; without it, 100 steps achieve little on columns of very different sizes.
    scale: bool = False

    def make(self) -> "_Network":
        whole_number("n_units", self.n_units, 1)
        whole_number("max_iter", self.max_iter, 1)
        real_number("decay", self.decay, minimum=0)
        both = zip(self.encoding_.groups, self.encoding_.levels, strict=True)
        numeric = [j for columns, levels in both if levels is None for j in columns]
        return _Network(self, numeric if self.scale else [])


class _Network:
    """The fitted weights, on encoded columns; ``scaled`` columns are standardised first."""

    def __init__(self, options: SingleLayerNetwork, scaled: list[int]) -> None:
        self.options = options
        self.scaled = scaled

    def fit(self, columns: FloatArray, y: FloatArray) -> Self:
        """Fit to columns (n_samples, n_columns) and y (n_samples,)."""
        self.centre, self.spread = np.zeros(columns.shape[1]), np.ones(columns.shape[1])
        of_scaled = columns[:, self.scaled]
        self.centre[self.scaled], spread = of_scaled.mean(axis=0), of_scaled.std(axis=0)
        self.spread[self.scaled] = np.where(spread > 0, spread, 1.0)
        rows = self.rows(columns)
        options, rng = self.options, as_generator(self.options.random_state)
        n_weights = (rows.shape[1] + 1) * options.n_units + 1
        start = rng.uniform(-LARGEST_START, LARGEST_START, n_weights)
        self.weights = minimise(self.objective(rows, y), start, options.max_iter)
        return self

    def predict(self, columns: FloatArray) -> FloatArray:
        """Return the output for columns: the mean, or the log odds of class 1."""
        return self._forward(self.rows(columns), self.weights)[0]

    def predict_proba(self, columns: FloatArray) -> FloatArray:
        """Return the probabilities of both classes, (n_samples, 2)."""
        probability = expit(self.predict(columns))
        return np.column_stack([1 - probability, probability])

    def rows(self, columns: FloatArray) -> FloatArray:
        """Columns with a column of ones first, whose weights are the biases."""
        return np.column_stack([np.ones(len(columns)), (columns - self.centre) / self.spread])

    def _forward(self, rows: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The output, and the hidden units with a column of ones first."""
        n_units = self.options.n_units
        inner, outer = np.split(weights, [rows.shape[1] * n_units])
        units = np.ones((len(rows), n_units + 1))
        units[:, 1:] = expit(rows @ inner.reshape(rows.shape[1], n_units))
        return units @ outer, units

    def objective(self, rows: FloatArray, y: FloatArray) -> Objective:
        is_regression, decay = self.options.task == "regression", self.options.decay
        n_inner = rows.shape[1] * self.options.n_units

        def value_and_gradient(weights: FloatArray) -> tuple[float, FloatArray]:
            output, units = self._forward(rows, weights)
            if is_regression:
                loss, slope = (output - y) ** 2, 2 * (output - y)
            else:
                loss, slope = np.logaddexp(0, output) - y * output, expit(output) - y
            hidden = units[:, 1:]
            back = slope[:, None] * weights[n_inner + 1 :] * hidden * (1 - hidden)
            gradient = np.concatenate([(rows.T @ back).ravel(), units.T @ slope])
            return loss.sum() + decay * (weights @ weights), gradient + 2 * decay * weights

        return value_and_gradient


def minimise(objective: Objective, start: FloatArray, max_iter: int) -> FloatArray:
    """BFGS with a dense inverse Hessian and a line search that only shortens its steps.

    Where a step gains next to nothing, the inverse Hessian starts again from the identity; the
    minimum is found where that does not help.
    """
    point = start
    value, gradient = objective(point)
    identity = np.eye(len(point))
    inverse, is_fresh = identity.copy(), True
    for _ in range(max_iter):
        direction = -inverse @ gradient
        new_point, new_value, new_gradient = _step(objective, point, value, gradient, direction)
        moved, turned, gain = new_point - point, new_gradient - gradient, value - new_value
        is_stalled = gain <= SMALLEST_GAIN * (abs(value) + SMALLEST_GAIN)
        point, value, gradient = new_point, new_value, new_gradient
        if is_stalled and is_fresh:
            break
        curvature = moved @ turned
        is_fresh = is_stalled or bool(curvature <= 0)
        if is_fresh:
            inverse = identity.copy()
            continue
        image = inverse @ turned
        inverse += (1 + turned @ image / curvature) / curvature * np.outer(moved, moved)
        inverse -= (np.outer(moved, image) + np.outer(image, moved)) / curvature
    return point


def _step(
    objective: Objective, point: FloatArray, value: float, gradient: FloatArray, way: FloatArray
) -> tuple[FloatArray, float, FloatArray]:
    """Return a step along ``way`` that decreases the loss enough; none if ``way`` leads up."""
    slope, step = way @ gradient, 1.0
    while slope < 0:
        new_point = point + step * way
        if np.array_equal(new_point, point):
            break
        new_value, new_gradient = objective(new_point)
        if new_value <= value + SUFFICIENT_DECREASE * step * slope:
            return new_point, new_value, new_gradient
        step *= SHRINKAGE
    return point, value, gradient
