"""Numbers that a run records in addition to its result, as columns of the results."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from losaw.data import Truth
from losaw.metrics.metric import Needs, OfImportance, Predictions
from losaw.scoring.importance_result import ImportanceResult


class _Detail(OfImportance):
    """The base of both kinds of detail, which describe a run and do not judge it."""

    examples = ({"key": "detail"},)
    range = (-math.inf, math.inf)
    ranks_methods = False

    def __init__(self, key: str) -> None:
        self.key = key

    def _read(self, details: Mapping[str, Any]) -> float:
        return float(details.get(self.key, math.nan))


class TruthDetail(_Detail):
    """A number that the generator records under a key, such as an attained correlation.

    ``truth.details[key]``. NaN, an empty cell, where the generator does not note it.

    Parameters
    ----------
    key : str
    """

    needs: Needs = "prediction"

    def __call__(self, predictions: Predictions, truth: Truth) -> float:
        return self._read(truth.details)


class ImportanceDetail(_Detail):
    """A number that the importance, or its learner, records under a key.

    ``result.details[key]``. NaN, an empty cell, where it is not noted.

    Parameters
    ----------
    key : str
    """

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        return self._read(result.details)


class SignalShareOfCounts(OfImportance):
    """The share of the signal features in counts by feature that the learner records,

        sum_{p in signal} c_p / sum_p c_p,   c = result.details[key].

    NaN, an empty cell, where no counts are noted.

    Parameters
    ----------
    key : str, default "draws"
    """

    examples = ({"key": "counts"},)
    ranks_methods = False

    def __init__(self, key: str = "draws") -> None:
        self.key = key

    def __call__(self, result: ImportanceResult, truth: Truth) -> float:
        counts = np.asarray(result.details.get(self.key, np.zeros(truth.n_features)), dtype=float)
        total = float(counts.sum())
        return float(counts[truth.is_signal].sum() / total) if total > 0 else math.nan
