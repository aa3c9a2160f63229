"""Shapley additive global importance (Covert, Lundberg & Lee 2020)."""

from typing import Any

import numpy as np

from losaw.data import Dataset, FloatArray
from losaw.importance.losses import resolve_loss
from losaw.importance.model_columns import check_sample, columns_of
from losaw.importance.result import ImportanceResult
from losaw.rng import as_generator

_BATCH = 16  # permutations between two looks at the convergence


class ShapleyGlobalImportance:
    """Shapley values of the fall in loss that a set of known features brings,

        SAGE_j = mean over orders of E[L(f_S(X), Y) - L(f_{S + j}(X), Y)],
        f_S(x) = E[f(x_S, X_-S)] over the marginal law of the other features,

    S the features before j in a random order. The values sum to the loss of the mean prediction
    minus the loss of the model. Marginal imputation breaks the features' dependence: the
    importance of a feature is shared with those that could stand in for it.

    Own code, because the package sage-importance draws from NumPy's global generator.

    Parameters
    ----------
    n_background : int, default 32
        Test rows, drawn once, that stand for the marginal law; all if there are fewer.
    max_permutations : int, default 512
        Orders; each goes with one test row, all rows in turn.
    threshold : float or None, default 0.05
        Stop when the largest standard error is below this share of the spread of the values
        (largest minus smallest). None runs all permutations.
    loss : str, callable or None, default None
        As in :class:`ConditionalPredictiveImpact`.

    Returns
    -------
    ImportanceResult
        ``std_error`` over orders and rows, model and background held fixed; ``details``:
        ``n_permutations`` and ``converged``.

    Raises
    ------
    ValueError
        For a parameter out of range, or missing values.
    """

    examples = ({"n_background": 8, "max_permutations": 32},)

    def __init__(
        self,
        n_background: int = 32,
        max_permutations: int = 512,
        threshold: float | None = 0.05,
        loss: Any = None,
    ) -> None:
        for name, value in (("n_background", n_background), ("max_permutations", max_permutations)):
            if value < 2:
                raise ValueError(f"{name} must be at least 2, got {value!r}")
        if threshold is not None and not threshold > 0:
            raise ValueError(f"threshold must be positive or None, got {threshold!r}")
        self.n_background = n_background
        self.max_permutations = max_permutations
        self.threshold = threshold
        self.loss = loss

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """SAGE values of every feature for a fitted ``model``."""
        rng = as_generator(rng)
        X, y = data.test
        check_sample(X, y, len(data.feature_names))
        view = columns_of(model, data)
        loss, y = resolve_loss(self.loss, view.task), view.response(y)
        columns = view.encode(X)
        background = columns[rng.permutation(len(y))[: self.n_background]]
        # The mean prediction: what is known of every row before the first feature.
        nothing = view.predict(background).mean(axis=0)[None]
        rows_in_turn = rng.permutation(len(y))
        found = np.empty((0, len(view.groups)))
        converged = False
        while len(found) < self.max_permutations and not converged:
            n_more = min(_BATCH, self.max_permutations - len(found))
            chosen = rows_in_turn[(len(found) + np.arange(n_more)) % len(y)]
            orders = [rng.permutation(len(view.groups)) for _ in chosen]
            matrices = [
                _growing(columns[row], background, [view.groups[j] for j in order])
                for row, order in zip(chosen, orders, strict=True)
            ]
            gains = np.empty((n_more, len(view.groups)))
            for index, (row, order, predicted) in enumerate(
                zip(chosen, orders, view.predict_each(matrices), strict=True)
            ):
                shape = (len(order), len(background), *predicted.shape[1:])
                known = predicted.reshape(shape).mean(axis=1)
                losses = loss(np.full(len(order) + 1, y[row]), np.concatenate([nothing, known]))
                gains[index, order] = losses[:-1] - losses[1:]
            found = np.concatenate([found, gains])
            converged = self._is_converged(found)
        return ImportanceResult(
            found.mean(axis=0),
            data.feature_names,
            std_error=found.std(axis=0, ddof=1) / np.sqrt(len(found)),
            std_error_kind="over random orders and test rows, the background held fixed",
            details={"n_permutations": len(found), "converged": converged},
        )

    def _is_converged(self, found: FloatArray) -> bool:
        if self.threshold is None:
            return False
        error = found.std(axis=0, ddof=1).max() / np.sqrt(len(found))
        spread = np.ptp(found.mean(axis=0))
        return bool(error <= self.threshold * spread)


def _growing(row: FloatArray, background: FloatArray, groups: list[Any]) -> FloatArray:
    """The background with one feature of ``row`` after another filled in, stacked."""
    filled = background.copy()
    stages = []
    for group in groups:
        filled[:, group] = row[group]
        stages.append(filled.copy())
    return np.concatenate(stages)
