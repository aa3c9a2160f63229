"""Metrics of absolute scores: the size of trends of signal and of noise features."""

import math
from dataclasses import replace

import numpy as np

from losaw.data import Truth
from losaw.metrics.base import Needs, split_scores
from losaw.metrics.ranking import RocAuc
from losaw.scoring.result import ImportanceResult


class SignalSize:
    """The mean absolute score of the signal features, in the scores' own unit."""

    range = (0.0, math.inf)
    higher_is_better = True
    needs: Needs = "importance"
    ranks_methods = False

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("signal_size", result, truth)
        return float(np.abs(scores[is_signal]).mean())


class NoiseSize:
    """The mean absolute score of the noise features, in the scores' own unit."""

    range = (0.0, math.inf)
    higher_is_better = False
    needs: Needs = "importance"
    ranks_methods = False

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("noise_size", result, truth)
        return float(np.abs(scores[~is_signal]).mean())


class LargestSize:
    """The largest absolute score of all features, in the scores' own unit (TreeInner, Figure 1)."""

    range = (0.0, math.inf)
    higher_is_better = False
    needs: Needs = "importance"
    ranks_methods = False

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        return float(np.abs(result.scores).max())


class SizeAuc:
    """The probability that a signal feature has a larger absolute score than a noise feature,

    ties counted half: :class:`losaw.metrics.ranking.RocAuc` for signed scores.
    """

    range = (0.0, 1.0)
    higher_is_better = True
    needs: Needs = "importance"

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        split_scores("size_auc", result, truth)
        sizes = replace(result, scores=np.abs(result.scores), higher_is_more=True)
        return RocAuc()(sizes, truth)
