"""A learner: `losaw check learner.py`; in a study `learners: {R: {learner: bagged-ridge}}`."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from losaw.rng import as_generator
from losaw.study.registry import register


@register("learner", "bagged-ridge")
class BaggedRidge(RegressorMixin, BaseEstimator):
    """The mean of ridge regressions on bootstrap samples.

    Parameters
    ----------
    n_estimators : int, default 20
    penalty : float, default 1.0
        Weight of the squared length of the coefficients.
    random_state : int, Generator or None
    """

    # Every argument is stored, unchanged, under its own name: scikit-learn clones by reading them.
    def __init__(self, n_estimators=20, penalty=1.0, random_state=None):
        self.n_estimators = n_estimators
        self.penalty = penalty
        self.random_state = random_state

    def fit(self, X, y):
        """Fit to X, shape (n_samples, n_features), and y, shape (n_samples,)."""
        rng = as_generator(self.random_state)  # the only source of randomness
        self.center_, self.mean_ = X.mean(axis=0), y.mean()
        coefficients = []
        for _ in range(self.n_estimators):
            rows = rng.integers(len(y), size=len(y))
            Z = X[rows] - self.center_
            gram = Z.T @ Z + self.penalty * np.eye(X.shape[1])
            coefficients.append(np.linalg.solve(gram, Z.T @ (y[rows] - self.mean_)))
        self.coef_ = np.mean(coefficients, axis=0)
        # An importance reads attributes of the fitted learner; `mdi` reads this one.
        self.feature_importances_ = np.abs(self.coef_) * X.std(axis=0)
        return self

    def predict(self, X):
        """Predictions, shape (n_samples,)."""
        return self.mean_ + (X - self.center_) @ self.coef_
