"""The two designs of TreeInner: few, weak, low-cardinality signals (Sun 2022, Section 4.1)."""

import functools

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators.generator import checked_task, data_of, draw_response
from losaw.support.arguments import one_of
from losaw.support.outcomes import Task

NOISE_READINGS = ("standard-deviation", "variance")
LOGIT_READINGS = ("printed", "notebook")
DATA_SETS = ("Simulated", "ChIP")
N_SAMPLES, N_FEATURES, N_CANDIDATES, N_SIGNAL = 1000, 50, 10, 5


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
        self, task: Task, noise: str, logit: str, slope: float, signal: tuple[int, ...]
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
        scale = self.noise_sd(X) if self.task == "regression" else 0.0
        return draw_response(self.task, self(X), scale, rng)


class LowSignalGenerator:
    """Five signal features among many, response as of :class:`LowSignalResponse`.

    Simulated: 1000 training and 1000 test rows; X_j uniform on {0, …, j} / j, j = 1 … 50; the
    signal is drawn from the first ten. ChIP: 3912 training and 3897 test rows of 80 assays of the
    fly genome, scaled to [0, 1] on the training rows; the signal is drawn from all, and every
    other feature is permuted within each sample, which makes it noise.

    Parameters
    ----------
    task : {"regression", "classification"}
    dataset : {"Simulated", "ChIP"}, default "Simulated"
    noise : {"standard-deviation", "variance"}, default "standard-deviation"
    logit : {"printed", "notebook"}, default "printed"
        See :class:`LowSignalResponse`.

    Notes
    -----
    ``truth.noise_variance`` is that of the training sample; the noise of the test sample is
    scaled by the test rows, as in the authors' code.
    """

    examples = (
        {"task": "regression"},
        {"task": "classification", "logit": "notebook"},
    )

    def __init__(
        self,
        *,
        task: str,
        dataset: str = "Simulated",
        noise: str = "standard-deviation",
        logit: str = "printed",
    ) -> None:
        self.task = checked_task("task", task)
        self.dataset = one_of("dataset", dataset, DATA_SETS)
        self.real_data_set = "chip_enhancer" if dataset == "ChIP" else None
        self.noise = one_of("noise", noise, NOISE_READINGS)
        self.logit = one_of("logit", logit, LOGIT_READINGS)

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a Monte Carlo sample."""
        names: tuple[str, ...] = ()
        if self.dataset == "Simulated":
            signal = _draw_signal(N_CANDIDATES, rng)
            train, test = simulated_features(rng), simulated_features(rng)
        else:
            *parts, names = chip_features()
            signal = _draw_signal(len(names), rng)
            train, test = (_with_noise_permuted(part, signal, rng) for part in parts)
        slope = 2.0 if self.dataset == "Simulated" else 4.0
        response = LowSignalResponse(self.task, self.noise, self.logit, slope, signal)
        return data_of(
            Sample(train, response.draw(train, rng)),
            Sample(test, response.draw(test, rng)),
            signal,
            names=names,
            kinds="discrete" if self.dataset == "Simulated" else "continuous",
            task=self.task,
            noise_variance=response.noise_sd(train) ** 2,
            function=response,
        )


def simulated_features(rng: np.random.Generator) -> FloatArray:
    """Draw 1000 rows of X_j uniform on {0, …, j} / j."""
    columns = [rng.integers(j + 1, size=N_SAMPLES) / j for j in range(1, N_FEATURES + 1)]
    return np.column_stack(columns)


@functools.cache
def chip_features() -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Return training and test rows of ChIP, scaled on the training rows, and feature names."""
    from losaw.study import datasets

    frame = datasets.load_cleaned("chip_enhancer")
    features = frame.drop(columns=["label", "part"])
    is_train = (frame["part"] == "train").to_numpy()
    X = features.to_numpy(dtype=float)
    low, high = X[is_train].min(axis=0), X[is_train].max(axis=0)
    scaled = (X - low) / (high - low)
    return scaled[is_train], scaled[~is_train], tuple(map(str, features.columns))


def _draw_signal(n_candidates: int, rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(sorted(int(c) for c in rng.choice(n_candidates, N_SIGNAL, replace=False)))


def _with_noise_permuted(
    X: FloatArray, signal: tuple[int, ...], rng: np.random.Generator
) -> FloatArray:
    permuted = rng.permuted(X, axis=0)
    permuted[:, list(signal)] = X[:, list(signal)]
    return permuted
