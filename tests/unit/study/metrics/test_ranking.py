"""Ranking metrics: printed values, and the decided cases."""

import numpy as np
import pytest

from losaw.data import Truth, default_feature_names
from losaw.scoring.importance_result import ImportanceResult
from losaw.study.metrics.table import auc, best_noise_rank, fi_gap, pr_auc

METRICS = (pr_auc, auc, fi_gap, best_noise_rank)


def evaluate(metric, scores, signal, **options):
    names = default_feature_names(len(scores))
    result = ImportanceResult(np.array(scores, dtype=float), names, **options)
    return metric()(result, Truth(signal, len(scores)))


def test_x3_before_the_signals_x1_and_x2_has_the_printed_pr_auc():
    # Tables 2, 3 and 6: .417 = 5/12; average precision would be 7/12.
    assert evaluate(pr_auc, [0.3, 0.2, 0.5, 0, 0, 0], (0, 1)) == pytest.approx(5 / 12)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [(pr_auc, 5 / 12), (auc, 6 / 8), (fi_gap, -0.6)],
)
def test_values_of_a_ranking_by_hand(metric, expected):
    assert evaluate(metric, [0.3, 0.2, 0.5, 0, 0, 0], (0, 1)) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_pr_auc_is_the_number_of_scikit_learn(seed):
    from sklearn.metrics import auc, precision_recall_curve

    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 12, size=30).astype(float)  # with ties
    signal = tuple(rng.choice(30, size=1 + seed, replace=False).tolist())
    precision, recall, _ = precision_recall_curve(Truth(signal, 30).is_signal, scores)
    assert evaluate(pr_auc, scores, signal) == auc(recall, precision)


@pytest.mark.parametrize(
    ("scores", "rank"),
    [([5, 4, 3, 2], 3), ([5, 1, 3, 2], 2), ([1, 2, 4, 3], 1), ([5, 3, 3, 2], 2), ([1, 1, 1, 1], 1)],
)
def test_the_best_noise_rank_counts_features_that_score_strictly_higher(scores, rank):
    assert evaluate(best_noise_rank, scores, (0, 1)) == rank


@pytest.mark.parametrize(
    ("metric", "perfect"),
    [(pr_auc, 1), (auc, 1), (fi_gap, 0.5), (best_noise_rank, 3)],
)
def test_a_perfect_ranking_has_the_best_value(metric, perfect):
    assert evaluate(metric, [4, 3, 1, 0], (0, 1)) == pytest.approx(perfect)


@pytest.mark.parametrize(
    ("metric", "tied"),
    [(pr_auc, 0.75), (auc, 0.5), (fi_gap, 0), (best_noise_rank, 1)],
)
def test_equal_scores_have_the_documented_value(metric, tied):
    assert evaluate(metric, [2, 2, 2, 2], (0, 1)) == pytest.approx(tied)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_not_finite_is_refused_by_name(metric, bad):
    with pytest.raises(ValueError, match="the score of 'X2' is"):
        evaluate(metric, [1, bad, 3], (0,))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("signal", "missing"), [((), "signal"), ((0, 1, 2), "noise")])
def test_a_truth_without_signal_or_noise_is_refused(metric, signal, missing):
    with pytest.raises(ValueError, match=f"the truth has no {missing} feature"):
        evaluate(metric, [1, 2, 3], signal)


@pytest.mark.parametrize("metric", METRICS)
def test_another_number_of_scores_than_features_is_refused(metric):
    result = ImportanceResult(np.arange(3.0), default_feature_names(3))
    with pytest.raises(ValueError, match="3 scores for 4 features"):
        metric()(result, Truth((0,), 4))


@pytest.mark.parametrize("metric", METRICS)
def test_p_values_as_scores_are_read_upside_down(metric):
    p_values = [0.5, 0.01, 0.2, 0.9]
    direct = evaluate(metric, [-p for p in p_values], (0, 1))
    assert evaluate(metric, p_values, (0, 1), higher_is_more=False) == pytest.approx(direct)
