"""The size of scores: absolute, in their own unit, and of score vectors scaled to unit length."""

import math
from dataclasses import replace

import numpy as np

from losaw.data import FloatArray, Truth
from losaw.metrics.metric import OfImportance, split_scores
from losaw.metrics.ranking import RocAuc
from losaw.scoring.importance_result import ImportanceResult


class SignalSize(OfImportance):
    """The mean absolute score of the signal features, in the scores' own unit."""

    range = (0.0, math.inf)
    ranks_methods = False

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("signal_size", result, truth)
        return float(np.abs(scores[is_signal]).mean())


class NoiseSize(OfImportance):
    """The mean absolute score of the noise features, in the scores' own unit."""

    range = (0.0, math.inf)
    higher_is_better = False
    ranks_methods = False

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("noise_size", result, truth)
        return float(np.abs(scores[~is_signal]).mean())


class LargestSize(OfImportance):
    """The largest absolute score of all features, in the scores' own unit (TreeInner, Figure 1)."""

    range = (0.0, math.inf)
    higher_is_better = False
    ranks_methods = False

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        return float(np.abs(result.scores).max())


class SizeAuc(OfImportance):
    """The probability that a signal feature has a larger absolute score than a noise feature,

    ties counted half: :class:`losaw.metrics.ranking.RocAuc` for signed scores.
    """

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        split_scores("size_auc", result, truth)
        sizes = replace(result, scores=np.abs(result.scores), higher_is_more=True)
        return RocAuc()(sizes, truth)


class MeanNoiseScore(OfImportance):
    """The mean over the noise features of FI_j / ||FI||_2 (TreeInner, Figure 3); lower is better.

    0 where all scores are 0.
    """

    range = (-1.0, 1.0)
    higher_is_better = False

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("noise_score", result, truth)
        return float(_unit(scores)[~is_signal].mean())


class MeanSignalScore(OfImportance):
    """The mean over the signal features of FI_j / ||FI||_2 (TreeInner, Figure 8); higher is better.

    The captions of Figures 8, 13, 18, 23 and 28 state "lower is better", as those of the noise
    features do; for relevant features it cannot be meant.
    """

    range = (-1.0, 1.0)

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("signal_score", result, truth)
        return float(_unit(scores)[is_signal].mean())


def _unit(scores: FloatArray) -> FloatArray:
    length = float(np.linalg.norm(scores))
    return scores / length if length > 0 else scores
