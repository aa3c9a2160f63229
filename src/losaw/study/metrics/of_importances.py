"""Metrics of importances: functions of a result and the truth, with what each is.

Those that compare signal features with noise features raise a ValueError where a score is not
finite or the truth has no signal or no noise feature: an average over such runs would hide them.
"""

from collections.abc import Sequence
from functools import partial
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray, Truth
from losaw.scoring.precision_recall import precision_recall_area
from losaw.scoring.result import ImportanceResult
from losaw.study.metrics.metric import Metric, check_scores, split_scores
from losaw.support.arguments import whole_number
from losaw.support.words import unknown

LEVEL = 0.05  # at which a method rejects


@Metric
def pr_auc(result: ImportanceResult, truth: Truth) -> float:
    """The area under the precision-recall curve of "signal" against "noise" (losaw, Section 4.10).

    See :func:`losaw.scoring.precision_recall.precision_recall_area`.
    """
    return precision_recall_area(*split_scores(result, truth))


@partial(Metric, examples=({}, {"floor": 0.0}))
def auc(result: ImportanceResult, truth: Truth, *, floor: float = -inf) -> float:
    """The probability that a signal feature scores higher than a noise feature.

    Ties count half: mean over (s, n) in S x N of 1(FI_s > FI_n) + 1(FI_s = FI_n) / 2. Scores below
    ``floor`` count as equal to it.
    """
    scores, is_signal = split_scores(result, truth)
    return _auc(np.maximum(scores, floor), is_signal)


@Metric
def size_auc(result: ImportanceResult, truth: Truth) -> float:
    """The same as :func:`auc`, of absolute scores."""
    scores, is_signal = split_scores(result, truth)
    return _auc(np.abs(scores), is_signal)


def _auc(scores: FloatArray, is_signal: NDArray[np.bool_]) -> float:
    signal, noise = scores[is_signal][:, None], scores[~is_signal]
    return float(((signal > noise) + 0.5 * (signal == noise)).mean())


@partial(Metric, range=(-1.0, 1.0))
def fi_gap(result: ImportanceResult, truth: Truth) -> float:
    """The smallest score of a signal feature minus the largest of a noise feature,

        min over S of u_s - max over N of u_n,   u = (FI - min FI) / (max FI - min FI)

    (losaw, Section 5.3). 0 if all scores are equal.
    """
    scores, is_signal = split_scores(result, truth)
    spread = scores.max() - scores.min()
    if spread == 0:
        return 0.0
    return float((scores[is_signal].min() - scores[~is_signal].max()) / spread)


@partial(Metric, range=(1.0, inf))
def best_noise_rank(result: ImportanceResult, truth: Truth) -> float:
    """The rank of the best noise feature, 1 + the number of features that score strictly higher.

    The number of signal features plus 1 is the best value, 1 the worst.
    """
    scores, is_signal = split_scores(result, truth)
    return float(1 + (scores > scores[~is_signal].max()).sum())


@partial(Metric, range=(1.0, inf), higher_is_better=False)
def signal_rank(result: ImportanceResult, truth: Truth) -> float:
    """The mean rank of the signal features; a rank is 1 + the number of features that score higher.

    With a single signal feature this is its rank (Zhou and Hooker, Table 1; ties share the better
    rank, as in the authors' code). 1 is the best value of a single signal feature, the number of
    features the worst.
    """
    scores, is_signal = split_scores(result, truth)
    return float((1 + (scores > scores[is_signal][:, None]).sum(axis=1)).mean())


@partial(Metric, range=(-1.0, 1.0), higher_is_better=False)
def noise_score(result: ImportanceResult, truth: Truth) -> float:
    """The mean over the noise features of FI_j / ||FI||_2 (TreeInner, Figure 3).

    0 where all scores are 0.
    """
    scores, is_signal = split_scores(result, truth)
    return float((scores / (np.linalg.norm(scores) or 1.0))[~is_signal].mean())


@partial(Metric, range=(-1.0, 1.0))
def signal_score(result: ImportanceResult, truth: Truth) -> float:
    """The mean over the signal features of FI_j / ||FI||_2 (TreeInner, Figure 8).

    The captions of Figures 8, 13, 18, 23 and 28 state "lower is better", as those of the noise
    features do; for relevant features it cannot be meant.
    """
    scores, is_signal = split_scores(result, truth)
    return float((scores / (np.linalg.norm(scores) or 1.0))[is_signal].mean())


@partial(Metric, range=(0.0, inf), ranks_methods=False)
def signal_size(result: ImportanceResult, truth: Truth) -> float:
    """The mean absolute score of the signal features, in the scores' own unit."""
    scores, is_signal = split_scores(result, truth)
    return float(np.abs(scores[is_signal]).mean())


@partial(Metric, range=(0.0, inf), higher_is_better=False, ranks_methods=False)
def noise_size(result: ImportanceResult, truth: Truth) -> float:
    """The mean absolute score of the noise features, in the scores' own unit."""
    scores, is_signal = split_scores(result, truth)
    return float(np.abs(scores[~is_signal]).mean())


@partial(Metric, range=(0.0, inf), higher_is_better=False, ranks_methods=False)
def largest_size(result: ImportanceResult, truth: Truth) -> float:
    """The largest absolute score of all features, in the scores' own unit (TreeInner, Figure 1)."""
    return float(np.abs(result.scores).max())


@partial(
    Metric,
    range=(-inf, inf),
    ranks_methods=False,
    examples=({"feature": "X2"}, {"feature": "X2", "share": True}),
)
def feature_score(
    result: ImportanceResult,
    truth: Truth,
    *,
    feature: str,
    share: bool = False,
    optional: bool = False,
) -> float:
    """The score that an importance gives to a single feature; of a trend with its direction.

    ``share``: divided by the sum of the absolute scores of all features. ``optional``: NaN, and so
    an empty cell, for data without this feature, instead of an error.
    """
    if optional and feature not in result.feature_names:
        return nan
    if share:
        check_scores(result)
    scores = result.scores if result.is_trend else result.ranking_scores()
    score = float(scores[_place(result, feature)])
    total = float(abs(scores).sum()) if share else 1.0
    return score / total if total > 0 else 0.0


@partial(
    Metric,
    range=(1.0, inf),
    higher_is_better=False,
    ranks_methods=False,
    examples=({"feature": "X2"},),
)
def feature_rank(
    result: ImportanceResult, truth: Truth, *, feature: str, optional: bool = False
) -> float:
    """The rank of a feature, 1 + the number of features that score higher; ties share the better.

    The relevant features need not be known. ``optional``: NaN, and so an empty cell, for data
    without this feature, instead of an error.
    """
    if optional and feature not in result.feature_names:
        return nan
    check_scores(result)
    scores = result.ranking_scores()
    return float(1 + (scores > scores[_place(result, feature)]).sum())


@partial(Metric, is_decision=True)
def rejection_rate(
    result: ImportanceResult,
    truth: Truth,
    *,
    features: Sequence[str] | None = None,
    optional: bool = False,
) -> float:
    """The share of features that a method declares relevant,

        mean over j in F of 1(p_j <= .05),   or of the method's own decision,

    if the method has a selection in ``details["selected"]`` (Boruta). Averaged over runs it is
    power on relevant features and the type I error on the others. A feature that the method could
    not test (p NaN) is not rejected. F are ``features``, by default the signal features.
    ``optional``: NaN, and so an empty cell, of an importance that tests nothing, and for data
    without one of the features, instead of an error.
    """
    if optional and not set(features or ()) <= set(result.feature_names):
        return nan
    columns = _columns(features, result, truth)
    selected = _selected(result, optional)
    return nan if selected is None else float(selected[columns].mean())


@partial(Metric, higher_is_better=False)
def false_share(result: ImportanceResult, truth: Truth, *, optional: bool = False) -> float:
    """The share of noise features among those that a method declares relevant; 0 if none is.

    Its mean over runs is the false discovery rate. What is declared is as for ``rejection_rate``.
    ``optional``: NaN, and so an empty cell, of an importance that tests nothing, instead of an
    error.
    """
    selected = _selected(result, optional)
    if selected is None:
        return nan
    if len(result) != truth.n_features:
        raise ValueError(f"{len(result)} scores for {truth.n_features} features")
    # Stored scores come with the signal and no more of the truth; where there is one, it is known.
    if not truth.signal and not truth.signal_is_known:
        raise ValueError("not defined, since the generator does not say which features matter")
    return float(selected[~truth.is_signal].sum() / max(selected.sum(), 1))


def _selected(result: ImportanceResult, optional: bool) -> NDArray[np.bool_] | None:
    """Return which features are declared relevant; None if an optional metric has no decision."""
    selected = result.details.get("selected")
    if selected is None and result.p_values is None:
        if optional:
            return None
        raise ValueError(
            "not defined, since the importance has no p-values; take a method that tests (CPI, "
            "LOCO, Boruta)"
        )
    return np.asarray(np.asarray(result.p_values) <= LEVEL if selected is None else selected)


def check_k(k: int | None = None, **others: object) -> None:
    """Raise a ValueError for a number of features below 1."""
    if k is not None:
        whole_number("k", k, 1)


@partial(Metric, is_decision=True, check=check_k, examples=({}, {"k": 2}))
def top_share(
    result: ImportanceResult,
    truth: Truth,
    *,
    features: Sequence[str] | None = None,
    k: int | None = None,
    optional: bool = False,
) -> float:
    """The share of features that are among the k best,

        mean over j in F of 1(rank_j <= k),   rank_j = 1 + #better + #equal others / 2.

    Averaged over runs it is sensitivity on relevant features and 1 - specificity on the others. F
    are ``features``, by default the signal features; k is by default the number of signal features.
    ``optional``: NaN, and so an empty cell, for data without one of the features, instead of an
    error.
    """
    if optional and not set(features or ()) <= set(result.feature_names):
        return nan
    columns = _columns(features, result, truth)
    if k is None and not truth.signal:
        raise ValueError("not defined, since the truth has no signal feature: give k")
    check_scores(result)
    scores = result.ranking_scores()
    better = (scores[None, :] > scores[:, None]).sum(axis=1)
    equal = (scores[None, :] == scores[:, None]).sum(axis=1) - 1
    first = len(truth.signal) if k is None else k
    return float((1 + better + equal / 2 <= first)[columns].mean())


@partial(
    Metric,
    range=(-inf, inf),
    ranks_methods=False,
    optional=True,
    examples=({"key": "detail"},),
)
def importance_detail(result: ImportanceResult, truth: Truth, *, key: str) -> float:
    """A number that the importance, or its learner, records: ``result.details[key]``.

    NaN, an empty cell, where it is not noted.
    """
    noted = result.details.get(key)
    return nan if noted is None else float(_numbers(key, noted, (), "a number"))


@partial(Metric, ranks_methods=False, optional=True, examples=({"key": "counts"},))
def signal_share(result: ImportanceResult, truth: Truth, *, key: str = "draws") -> float:
    """The share of the signal features in counts by feature that the learner records,

        sum_{p in signal} c_p / sum_p c_p,   c = result.details[key].

    NaN, an empty cell, where no counts are noted.
    """
    noted = result.details.get(key)
    if noted is None:
        return nan
    what = f"counts of {truth.n_features} features"
    counts = _numbers(key, noted, (truth.n_features,), what)
    if not ((counts >= 0) & (counts < inf)).all():
        raise ValueError(f"details[{key!r}] must be {what}, got {noted!r:.80}")
    total = float(counts.sum())
    return float(counts[truth.is_signal].sum() / total) if total > 0 else nan


def _numbers(key: str, noted: object, shape: tuple[int, ...], what: str) -> FloatArray:
    """Return what an importance records as numbers of a shape, or raise a ValueError."""
    try:
        numbers = np.asarray(noted, dtype=float)
    except (TypeError, ValueError):  # text, a mapping, rows of unequal length
        numbers = None
    if numbers is None or numbers.shape != shape:
        raise ValueError(f"details[{key!r}] must be {what}, got {noted!r:.80}")
    return numbers


def _place(result: ImportanceResult, feature: str) -> int:
    if feature not in result.feature_names:
        raise ValueError(unknown("feature", feature, result.feature_names))
    return result.feature_names.index(feature)


def _columns(
    features: Sequence[str] | None, result: ImportanceResult, truth: Truth
) -> NDArray[np.intp]:
    """Return the places of the named features, or of the signal features."""
    if features is not None:
        columns = np.array([_place(result, feature) for feature in features], dtype=int)
    elif len(result) == truth.n_features:
        columns = np.flatnonzero(truth.is_signal)
    else:
        raise ValueError(
            f"{len(result)} scores for {truth.n_features} features; name those that count under "
            "features"
        )
    if not len(columns):
        raise ValueError("not defined, since there is no such feature")
    return columns
