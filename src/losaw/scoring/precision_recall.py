"""How well scores tell signal features from noise features: the area under a curve."""

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray


def precision_recall_area(scores: FloatArray, is_signal: NDArray[np.bool_]) -> float:
    """The area under the precision-recall curve of signal against noise, by the trapezoid rule.

    With S the signal features and S_t those that score t or more,

        precision(t) = |S ∩ S_t| / |S_t|,   recall(t) = |S ∩ S_t| / |S|,

    the curve runs over all scores t and ends in (recall 0, precision 1) (losaw, Section 4.10; the
    same number as scikit-learn's ``precision_recall_curve`` and ``auc``). X3 before X1 and X2, the
    signal features, gives 5/12 = .417 as printed; average precision would give 7/12.

    Tied features enter S_t together: if all are tied the value is (1 + |S| / P) / 2, not the
    |S| / P of a guess, because the trapezoid rule joins (1, |S| / P) to (0, 1). Scores are finite,
    and at least one feature is a signal.
    """
    order = np.argsort(-scores, kind="stable")
    # Where a set S_t ends: at the last of equal scores.
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    signals_found = np.cumsum(is_signal[order])[ends]
    precision = np.append((signals_found / (ends + 1))[::-1], 1.0)
    recall = np.append((signals_found / signals_found[-1])[::-1], 0.0)
    return float(-np.trapezoid(precision, recall))
