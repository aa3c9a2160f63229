"""Metrics against scikit-learn, their definitions, and their invariances."""

import numpy as np
import sklearn.metrics
from hypothesis import assume, given
from hypothesis import strategies as st

from losaw.data import Truth, default_feature_names
from losaw.scoring.result import ImportanceResult
from losaw.study.metrics.of_importances import auc, best_noise_rank, fi_gap, pr_auc
from losaw.study.metrics.of_predictions import r_squared


@st.composite
def rankings(draw):
    """Integer scores, so that ties are common, and a signal set with at least one noise."""
    n_features = draw(st.integers(2, 15))
    scores = draw(st.lists(st.integers(-5, 5), min_size=n_features, max_size=n_features))
    n_signal = draw(st.integers(1, n_features - 1))
    order = draw(st.permutations(range(n_features)))
    return np.array(scores, dtype=float), tuple(sorted(order[:n_signal]))


def evaluate(metric, scores, signal):
    result = ImportanceResult(scores, default_feature_names(len(scores)))
    return metric()(result, Truth(signal, len(scores)))


@given(rankings())
def test_pr_auc_is_the_trapezoid_under_precision_against_recall(ranking):
    scores, signal = ranking
    is_signal = np.isin(np.arange(len(scores)), signal)
    recall, precision = [0.0], [1.0]
    for threshold in sorted(set(scores), reverse=True):
        chosen = scores >= threshold
        recall.append((chosen & is_signal).sum() / is_signal.sum())
        precision.append((chosen & is_signal).sum() / chosen.sum())
    area = np.trapezoid(precision, recall)
    assert np.isclose(evaluate(pr_auc, scores, signal), area, rtol=1e-12)


@given(rankings())
def test_auc_equals_scikit_learns(ranking):
    scores, signal = ranking
    is_signal = np.isin(np.arange(len(scores)), signal)
    expected = sklearn.metrics.roc_auc_score(is_signal, scores)
    assert np.isclose(evaluate(auc, scores, signal), expected, rtol=1e-12)


@given(rankings(), st.floats(0.01, 100), st.floats(-100, 100))
def test_the_gap_does_not_depend_on_the_scores_unit_and_origin(ranking, unit, origin):
    scores, signal = ranking
    before = evaluate(fi_gap, scores, signal)
    after = evaluate(fi_gap, unit * scores + origin, signal)
    # Rounding of scores near 100 in units of .01: 100 * 2^-53 / .01.
    assert abs(before - after) < 1e-11


@given(rankings())
def test_the_gap_is_positive_exactly_if_all_signals_score_higher(ranking):
    scores, signal = ranking
    is_signal = np.isin(np.arange(len(scores)), signal)
    separated = scores[is_signal].min() > scores[~is_signal].max()
    assert (evaluate(fi_gap, scores, signal) > 0) == separated
    assert (evaluate(best_noise_rank, scores, signal) == len(signal) + 1) == separated
    assert (evaluate(auc, scores, signal) == 1) == separated


@given(
    st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=2, max_size=30),
)
def test_r_squared_equals_scikit_learns(pairs):
    y, y_hat = np.array(pairs).T
    assume(np.ptp(y) > 1e-3)
    expected = sklearn.metrics.r2_score(y, y_hat)
    assert np.isclose(r_squared(y, y_hat), expected, rtol=1e-9, atol=1e-9)
