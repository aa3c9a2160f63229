"""Mean scores of noise and of signal features, the score vector scaled to unit length."""

import numpy as np

from losaw.data import FloatArray, Truth
from losaw.metrics.base import Needs, split_scores
from losaw.scoring.result import ImportanceResult


class MeanNoiseScore:
    """The mean over the noise features of FI_j / ||FI||_2 (TreeInner, Figure 3); lower is better.

    0 where all scores are 0.
    """

    range = (-1.0, 1.0)
    higher_is_better = False
    needs: Needs = "importance"

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("noise_score", result, truth)
        return float(_unit(scores)[~is_signal].mean())


class MeanSignalScore:
    """The mean over the signal features of FI_j / ||FI||_2 (TreeInner, Figure 8); higher is better.

    The captions of Figures 8, 13, 18, 23 and 28 state "lower is better", as those of the noise
    features do; for relevant features it cannot be meant.
    """

    range = (-1.0, 1.0)
    higher_is_better = True
    needs: Needs = "importance"

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("signal_score", result, truth)
        return float(_unit(scores)[is_signal].mean())


def _unit(scores: FloatArray) -> FloatArray:
    length = float(np.linalg.norm(scores))
    return scores / length if length > 0 else scores
