"""The separation of signal features from noise features, and their rank, by importances.

All are undefined, and raise a ValueError, where a score is not finite or the truth has no signal
or no noise feature: an average over such runs would hide them.
"""

import math

import numpy as np

from losaw.data import Truth
from losaw.metrics.metric import OfImportance, split_scores
from losaw.scoring.importance_result import ImportanceResult


class PrecisionRecallAuc(OfImportance):
    """The area under the precision-recall curve of "signal" against "noise", by the trapezoid rule.

    With S the signal features and S_t those that score t or more,

        precision(t) = |S ∩ S_t| / |S_t|,   recall(t) = |S ∩ S_t| / |S|,

    the curve runs over all scores t and ends in (recall 0, precision 1) (losaw, Section 4.10; the
    same number as scikit-learn's ``precision_recall_curve`` and ``auc``). X3 before X1 and X2, the
    signal features, gives 5/12 = .417 as printed; average precision would give 7/12.

    Tied features enter S_t together: if all are tied the value is (1 + |S| / P) / 2, not the
    |S| / P of a guess, because the trapezoid rule joins (1, |S| / P) to (0, 1).
    """

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("pr_auc", result, truth)
        order = np.argsort(-scores, kind="stable")
        # Where a set S_t ends: at the last of equal scores.
        ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
        signals_found = np.cumsum(is_signal[order])[ends]
        precision = np.append((signals_found / (ends + 1))[::-1], 1.0)
        recall = np.append((signals_found / signals_found[-1])[::-1], 0.0)
        return float(-np.trapezoid(precision, recall))


class RocAuc(OfImportance):
    """The probability that a signal feature scores higher than a noise feature, ties counted half,

    mean over (s, n) in S x N of 1(FI_s > FI_n) + 1(FI_s = FI_n) / 2.
    """

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("auc", result, truth)
        signal, noise = scores[is_signal][:, None], scores[~is_signal]
        return float(((signal > noise) + 0.5 * (signal == noise)).mean())


class FeatureImportanceGap(OfImportance):
    """The smallest score of a signal feature minus the largest of a noise feature,

        min over S of u_s - max over N of u_n,   u = (FI - min FI) / (max FI - min FI)

    (losaw, Section 5.3). 0 if all scores are equal.
    """

    range = (-1.0, 1.0)

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("fi_gap", result, truth)
        spread = scores.max() - scores.min()
        if spread == 0:
            return 0.0
        return float((scores[is_signal].min() - scores[~is_signal].max()) / spread)


class BestNoiseRank(OfImportance):
    """The rank of the best noise feature, 1 + the number of features that score strictly higher.

    The number of signal features plus 1 is the best value, 1 the worst.
    """

    range = (1.0, math.inf)

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("best_noise_rank", result, truth)
        return float(1 + (scores > scores[~is_signal].max()).sum())


class SignalRank(OfImportance):
    """The mean rank of the signal features; a rank is 1 + the number of features that score higher.

    With a single signal feature this is its rank (Zhou and Hooker, Table 1; ties share the better
    rank, as in the authors' code). 1 is the best value of a single signal feature, the number of
    features the worst.
    """

    range = (1.0, math.inf)
    higher_is_better = False

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        scores, is_signal = split_scores("signal_rank", result, truth)
        own = scores[is_signal][:, None]
        return float((1 + (scores > own).sum(axis=1)).mean())
