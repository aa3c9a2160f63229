"""The validation risk of TreeInner, for regression and classification."""

import math

import numpy as np

from losaw.data import Truth
from losaw.metrics.metric import OfPrediction, Predictions


class Risk(OfPrediction):
    """The mean squared error of predicted means, 1 - AUC of the probabilities of two classes.

    On the test sample (TreeInner, Table 4 and Figures 9, 14, 19, 24, 29; that "risk" is 1 - AUC
    for classification is the authors' code). Predictions of shape (n_samples, 2) are
    probabilities.

    Raises
    ------
    ValueError
        If a number is not finite, shapes differ, there are more than two classes, or a single class
        is absent.
    """

    range = (0.0, math.inf)
    higher_is_better = False

    def __call__(self, predictions: Predictions, truth: Truth) -> float:
        from sklearn.metrics import roc_auc_score

        y, predicted = (np.asarray(part, dtype=float) for part in predictions.test)
        if not (np.isfinite(y).all() and np.isfinite(predicted).all()):
            raise ValueError("risk: responses and predictions must be finite numbers")
        if predicted.shape == y.shape:
            return float(((y - predicted) ** 2).mean())
        if predicted.ndim == 2 and len(predicted) == len(y) and predicted.shape[1] > 2:
            raise ValueError(
                f"risk is defined for numbers and two classes, not for {predicted.shape[1]} classes"
            )
        if predicted.shape != (len(y), 2):
            raise ValueError(f"risk: predictions have shape {predicted.shape}, responses {y.shape}")
        if len(np.unique(y)) != 2:
            raise ValueError("risk is not defined: the test sample holds one class only")
        return float(1 - roc_auc_score(y, predicted[:, 1]))
