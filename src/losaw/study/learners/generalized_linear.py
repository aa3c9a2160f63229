"""Least squares and logistic regression on mixed data, without penalty."""

from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression

from losaw.study.learners.encoded import EncodedLearner


class GeneralizedLinearModel(EncodedLearner):
    """E[Y | X] = a + x'b, or P(Y = 1 | X) = 1 / (1 + exp(-a - x'b)), by maximum likelihood.

    Nominal features enter as dummies, as a formula in R has it. Collinear columns share the
    smallest coefficients (regression). Nothing is drawn.
    """

    def make(self) -> Any:
        if self.task == "regression":
            return LinearRegression()
        return LogisticRegression(C=np.inf, max_iter=1000)
