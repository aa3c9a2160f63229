"""Responses of the TreeInner designs: a weak mean of five features (Sun 2022, Section 4.1)."""

import numpy as np

from losaw.data import FloatArray

N_SIGNAL = 5
NOISE_READINGS = ("standard-deviation", "variance")
LOGIT_READINGS = ("printed", "notebook")


class LowSignalResponse:
    """With m the mean of the five signal features of a row,

        regression:      Y = m + eps,   eps normal, SD = 100 Var(m)   (or variance 100 Var(m)),
        classification:  P(Y = 1) = logistic(2 m - 1)                 (or logistic(slope m)).

    Var(m) is that of the sample at hand, n in the denominator.

    Parameters
    ----------
    task : {"regression", "classification"}
    noise : {"standard-deviation", "variance"}
        Meaning of 100 Var(m): in the authors' code the standard deviation, in their text the
        variance. Only the first gives the printed risk.
    logit : {"printed", "notebook"}
        2 m - 1 as printed, or ``slope`` times m as in the authors' notebooks.
    slope : float
        2 for the simulated features, 4 for ChIP.
    signal : tuple of int
        The five columns.
    """

    def __init__(
        self, task: str, noise: str, logit: str, slope: float, signal: tuple[int, ...]
    ) -> None:
        self.task, self.noise, self.logit, self.slope = task, noise, logit, slope
        self.signal = signal

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the mean of the response, or its probability of class 1, (n_samples,)."""
        mean = X[:, list(self.signal)].mean(axis=1)
        if self.task == "regression":
            return mean
        logit = 2 * mean - 1 if self.logit == "printed" else self.slope * mean
        return 1 / (1 + np.exp(-logit))

    def noise_sd(self, X: FloatArray) -> float:
        """Return the standard deviation of a regression's noise on the rows ``X``."""
        scale = 100 * float(self(X).var())
        return scale if self.noise == "standard-deviation" else float(np.sqrt(scale))

    def draw(self, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw a response for every row of ``X``."""
        mean = self(X)
        if self.task == "regression":
            return mean + self.noise_sd(X) * rng.standard_normal(len(X))
        return (rng.random(len(X)) < mean).astype(float)
