"""Permutation feature importance on unseen rows (Breiman 2001; Fisher, Rudin & Dominici 2019)."""

from typing import Any

import numpy as np

from losaw.data import Dataset
from losaw.importance.losses import resolve_loss
from losaw.importance.model_columns import check_sample, columns_of
from losaw.importance.result import ImportanceResult
from losaw.rng import as_generator
from losaw.words import unknown

SCALES = ("difference", "ratio")


class PermutationFeatureImportance:
    """Loss after a permutation of a feature's test values, against the loss before,

        difference:  E[L(f(X_-j, X_pi(j)), Y)] - E[L(f(X), Y)],   0 is no importance;
        ratio:       E[L(f(X_-j, X_pi(j)), Y)] / E[L(f(X), Y)],   1 is no importance,

    the median over permutations. Marginal: a feature counts if the model uses it, also where
    others could stand in for it.

    Own code, because scikit-learn's ``permutation_importance`` has means only, no losses of the
    user's and no ratio; on differences of means it agrees with it.

    Parameters
    ----------
    scale : {"difference", "ratio"}, default "difference"
    n_repeats : int, default 5
        Permutations of a feature.
    loss : str, callable or None, default None
        As in :class:`ConditionalPredictiveImpact`.

    Returns
    -------
    ImportanceResult
        ``std_error`` of the mean over permutations (model and test sample held fixed), if there
        are two or more; ``details["repeats"]`` (n_repeats, n_features).

    Raises
    ------
    ValueError
        For an unknown name, ``n_repeats`` below 1, missing values, or a ratio to a loss of 0.
    """

    def __init__(self, scale: str = "difference", n_repeats: int = 5, loss: Any = None) -> None:
        if scale not in SCALES:
            raise ValueError(unknown("scale", scale, SCALES))
        if n_repeats < 1:
            raise ValueError(f"n_repeats must be at least 1, got {n_repeats!r}")
        self.scale = scale
        self.n_repeats = n_repeats
        self.loss = loss

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """PFI of every feature for a fitted ``model``."""
        rng = as_generator(rng)
        X, y = data.test
        check_sample(X, y, len(data.feature_names))
        view = columns_of(model, data)
        loss, y = resolve_loss(self.loss, view.task), view.response(y)
        columns = view.encode(X)
        original = float(loss(y, view.predict(columns)).mean())
        if self.scale == "ratio" and original == 0:
            raise ValueError(
                "scale='ratio' is not defined: the model's loss is 0; use 'difference'"
            )
        repeats = np.empty((self.n_repeats, len(view.groups)))
        for repeat in range(self.n_repeats):
            matrices = []
            for group in view.groups:
                changed = columns.copy()
                changed[:, group] = columns[np.ix_(rng.permutation(len(y)), group)]
                matrices.append(changed)
            permuted = [float(loss(y, found).mean()) for found in view.predict_each(matrices)]
            repeats[repeat] = permuted
        repeats = repeats - original if self.scale == "difference" else repeats / original
        several = self.n_repeats > 1
        return ImportanceResult(
            np.median(repeats, axis=0),
            data.feature_names,
            std_error=repeats.std(axis=0, ddof=1) / np.sqrt(self.n_repeats) if several else None,
            std_error_kind="over permutations of the test rows" if several else None,
            details={"repeats": repeats},
        )
