"""The two designs of TreeInner: few, weak, low-cardinality signals (Sun 2022, Section 4.1)."""

import functools
from typing import Literal

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators.generator import DataGenerator, data_of, draw_response
from losaw.support.models import Task

N_SAMPLES, N_FEATURES, N_CANDIDATES, N_SIGNAL = 1000, 50, 10, 5


class LowSignalGenerator(DataGenerator):
    """Five signal features among many; with m their mean in a row,

        regression:      Y = m + eps,   eps normal, SD = 100 Var(m)   (or variance 100 Var(m)),
        classification:  P(Y = 1) = logistic(2 m - 1)                 (or logistic(slope m)).

    Var(m) is that of the sample at hand, n in the denominator.

    Simulated: 1000 training and 1000 test rows; X_j uniform on {0, …, j} / j, j = 1 … 50; the
    signal is drawn from the first ten. ChIP: 3912 training and 3897 test rows of 80 assays of the
    fly genome, scaled to [0, 1] on the training rows; the signal is drawn from all, and every
    other feature is permuted within each sample, which makes it noise.

    Notes
    -----
    ``truth.noise_variance`` is that of the training sample; the noise of the test sample is
    scaled by the test rows, as in the authors' code.
    """

    examples = (
        {"task": "regression"},
        {"task": "classification", "logit": "notebook"},
    )

    task: Task
    dataset: Literal["Simulated", "ChIP"] = "Simulated"
    # Meaning of 100 Var(m): in the authors' code the standard deviation, in their text the
    # variance. Only the first gives the printed risk.
    noise: Literal["standard-deviation", "variance"] = "standard-deviation"
    # 2 m - 1 as printed, or, as in the authors' notebooks, 2 m (Simulated) and 4 m (ChIP).
    logit: Literal["printed", "notebook"] = "printed"

    @property
    def real_data_set(self) -> str | None:
        return "chip_enhancer" if self.dataset == "ChIP" else None

    def sample(self, rng: np.random.Generator) -> Dataset:
        names: tuple[str, ...] = ()
        if self.dataset == "Simulated":
            signal, slope = _draw_signal(N_CANDIDATES, rng), 2.0
            train, test = simulated_features(rng), simulated_features(rng)
        else:
            *samples, names = chip_features()
            signal, slope = _draw_signal(len(names), rng), 4.0
            train, test = (_with_noise_permuted(X, signal, rng) for X in samples)

        def mean(X: FloatArray) -> FloatArray:
            m = X[:, signal].mean(axis=1)
            if self.task == "regression":
                return m
            log_odds = 2 * m - 1 if self.logit == "printed" else slope * m
            return np.asarray(1 / (1 + np.exp(-log_odds)))

        def noise_sd(X: FloatArray) -> float:
            scale = 100 * float(mean(X).var())
            return scale if self.noise == "standard-deviation" else float(np.sqrt(scale))

        return data_of(
            Sample(train, draw_response(self.task, mean(train), noise_sd(train), rng)),
            Sample(test, draw_response(self.task, mean(test), noise_sd(test), rng)),
            signal,
            names=names,
            kinds="discrete" if self.dataset == "Simulated" else "continuous",
            task=self.task,
            noise_variance=noise_sd(train) ** 2,
            function=mean,
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


def _draw_signal(n_candidates: int, rng: np.random.Generator) -> list[int]:
    return sorted(rng.choice(n_candidates, N_SIGNAL, replace=False).tolist())


def _with_noise_permuted(X: FloatArray, signal: list[int], rng: np.random.Generator) -> FloatArray:
    permuted = rng.permuted(X, axis=0)
    permuted[:, signal] = X[:, signal]
    return permuted
