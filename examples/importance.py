"""An importance: `losaw check importance.py`; in a study `importances: [shuffled-loss]`."""

import numpy as np

from losaw.importance import ImportanceResult
from losaw.study.registry import register


@register("importance", "shuffled-loss")
class ShuffledLoss:
    """The mean increase in squared loss when a feature's test values are shuffled.

    For feature j, with X'_j an independent copy of X_j, it estimates

        E[(Y - f(X'_j, X_-j))^2] - E[(Y - f(X))^2].

    Parameters
    ----------
    n_repeats : int, default 5
        Number of shuffles.
    """

    def __init__(self, n_repeats=5):
        self.n_repeats = n_repeats

    def explain(self, model, data, rng):
        """Return the scores of the fitted ``model``; ``rng`` is the only source of randomness."""
        if data.task == "classification":
            raise ValueError("shuffled-loss explains regressions only: class labels are no numbers")
        X, y = data.test
        loss = np.mean((y - model.predict(X)) ** 2)
        scores = np.zeros(X.shape[1])
        for feature in range(X.shape[1]):
            for _ in range(self.n_repeats):
                shuffled = X.copy()  # all methods share X
                shuffled[:, feature] = rng.permutation(X[:, feature])
                scores[feature] += np.mean((y - model.predict(shuffled)) ** 2) - loss
        return ImportanceResult(scores / self.n_repeats, data.feature_names)
