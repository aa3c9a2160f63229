"""Every metric by hand, in one table, and what none of them is defined for."""

import math

import numpy as np
import pytest

from losaw.data import Truth, default_feature_names
from losaw.scoring.result import ImportanceResult
from losaw.study.metrics.metric import Predictions
from losaw.study.metrics.of_importances import (
    auc,
    best_noise_rank,
    false_share,
    feature_rank,
    feature_score,
    fi_gap,
    importance_detail,
    largest_size,
    noise_score,
    noise_size,
    pr_auc,
    rejection_rate,
    signal_rank,
    signal_score,
    signal_share,
    signal_size,
    size_auc,
    top_share,
)
from losaw.study.metrics.of_predictions import (
    optimum_gap,
    r2_ind,
    r2_ind_train_noise,
    r2_test,
    risk,
    squared_error_of_mean,
    truth_detail,
)

MISSING = float("nan")


def scores(*values, **options):
    """Scores of X1, X2 and so on; ``details=`` and what else a result has."""
    return ImportanceResult(np.array(values, float), default_feature_names(len(values)), **options)


def with_p_values(*p_values, **details):
    return scores(4, 3, 2, 1, p_values=np.array(p_values), details=details)


# X3 before the signals X1 and X2: .417 in Tables 2, 3 and 6; average precision would be 7/12.
PRINTED = scores(0.3, 0.2, 0.5, 0, 0, 0)
TIED, PERFECT = scores(2, 2, 2, 2), scores(4, 3, 1, 0)
SIZES = scores(-3.0, 1.0, 0.5, -1.5)
PLACES = scores(1.0, 3.0, 1.0, -3.0)
FALLING, RISING = scores(-3, 1, is_trend=True), scores(3, -1, is_trend=True)
DRAWS = scores(0, 1, 2, 0, details={"draws": np.array([1, 2, 0, 5]), "made": 7})
OF_SCORES = [
    (pr_auc(), PRINTED, (0, 1), 5 / 12), (pr_auc(), PERFECT, (0, 1), 1),
    (pr_auc(), TIED, (0, 1), 0.75),
    (auc(), PRINTED, (0, 1), 6 / 8), (auc(), PERFECT, (0, 1), 1), (auc(), TIED, (0, 1), 0.5),
    (auc(), scores(-2, 1, -1, -3), (0, 1), 3 / 4),
    # Signals below the floor tie with noise there.
    (auc(), scores(-2, -1, -3, 1), (0, 1), 1 / 2),
    (auc(floor=0.0), scores(-2, -1, -3, 1), (0, 1), 1 / 4),
    (auc(floor=-2.0), scores(-3, -1, -4, -5), (0, 1), 3 / 4),
    (fi_gap(), PRINTED, (0, 1), -0.6), (fi_gap(), PERFECT, (0, 1), 0.5),
    (fi_gap(), TIED, (0, 1), 0),
    # Features that score strictly higher than the best noise feature, and itself.
    (best_noise_rank(), scores(5, 4, 3, 2), (0, 1), 3),
    (best_noise_rank(), scores(5, 1, 3, 2), (0, 1), 2),
    (best_noise_rank(), scores(1, 2, 4, 3), (0, 1), 1),
    (best_noise_rank(), scores(5, 3, 3, 2), (0, 1), 2), (best_noise_rank(), TIED, (0, 1), 1),
    (signal_rank(), scores(2, 5, 1, 3), (0,), 3), (signal_rank(), scores(1, 1, 1), (2,), 1),
    (signal_rank(), scores(4, 3, 2, 1), (0, 3), 2.5),
    # Scores are scaled to unit length.
    (signal_score(), scores(3, 0, -4), (0,), 0.6), (noise_score(), scores(3, 0, -4), (0,), -0.4),
    (noise_score(), scores(0, 0), (0,), 0),
    (signal_size(), SIZES, (0, 1), 2), (noise_size(), SIZES, (0, 1), 1),
    (largest_size(), SIZES, (0, 1), 3), (size_auc(), scores(-3, -2, 1, 0), (0, 1), 1),
    (feature_score(feature="X2"), SIZES, (0,), 1.0),
    (feature_score(feature="X1"), SIZES, (0,), -3.0),
    (feature_score(feature="X1", share=True), SIZES, (0,), -0.5),
    (feature_score(feature="X1", share=True), scores(0, 0), (0,), 0),
    (feature_score(feature="X9", optional=True), SIZES, (0,), MISSING),
    # A trend has a direction, and is ranked by its size.
    (feature_score(feature="X1"), FALLING, (0,), -3),
    (feature_score(feature="X2"), FALLING, (0,), 1),
    (feature_score(feature="X1", share=True), FALLING, (0,), -0.75),
    (feature_score(feature="X1", share=True), RISING, (0,), 0.75),
    (feature_score(feature="X1"), scores(-3, 1, higher_is_more=False), (0,), 3),
    (feature_rank(feature="X1"), FALLING, (0,), 1),
    (feature_rank(feature="X9", optional=True), SIZES, (0,), MISSING),
    (feature_rank(feature="X1", optional=True), SIZES, (0,), 4),
    *[(feature_rank(feature=f"X{k}"), PLACES, (0,), n) for k, n in enumerate((2, 1, 2, 4), 1)],
    # A method's own decision goes before p-values.
    (rejection_rate(), with_p_values(0.01, 0.2, 0.05, 0.9), (0, 1), 0.5),
    (rejection_rate(features=["X4"]), with_p_values(0.01, 0.2, 0.05, 0.9), (0, 1), 0),
    (rejection_rate(), with_p_values(1, 1, 1, 1, selected=np.array([1, 1, 0, 0]) > 0), (0, 1), 1),
    (rejection_rate(optional=True), PERFECT, (0, 1), MISSING),
    (rejection_rate(features=["X9"], optional=True), with_p_values(0, 1, 1, 1), (0,), MISSING),
    (rejection_rate(features=["X1", "X9"], optional=True), with_p_values(0, 1, 1, 1), (0,),
     MISSING),
    (rejection_rate(features=["X1"], optional=True), with_p_values(0, 1, 1, 1), (0,), 1),
    (false_share(), with_p_values(0.01, 0.2, 0.05, 0.9), (0, 1), 0.5),
    (false_share(), with_p_values(0.01, 0.2, 0.05, 0.9), (), 1),
    (false_share(), with_p_values(0.1, 0.2, 0.06, 0.9), (0, 1), 0),
    (false_share(), with_p_values(1, 1, 1, 1, selected=np.array([1, 1, 0, 1]) > 0), (0, 1), 1 / 3),
    (false_share(optional=True), PERFECT, (0, 1), MISSING),
    # The first k are as many as signals unless told; tied features share their mean rank.
    (top_share(), PERFECT, (0, 1), 1), (top_share(features=["X3"]), PERFECT, (0, 1), 0),
    (top_share(features=["X3"], k=3), PERFECT, (0, 1), 1),
    (top_share(features=["X1"], k=1), PERFECT, (), 1),
    (top_share(features=["X9"], k=3, optional=True), PERFECT, (0, 1), MISSING),
    (top_share(features=["X9"], optional=True), PERFECT, (), MISSING),
    (top_share(features=["X1"], optional=True), PERFECT, (0, 1), 1),
    (top_share(features=["X2", "X3"], k=2), scores(5, 3, 3, 1), (0, 1), 0),
    (top_share(features=["X2", "X3"], k=3), scores(5, 3, 3, 1), (0, 1), 1),
    (importance_detail(key="made"), DRAWS, (0,), 7),
    (importance_detail(key="other"), DRAWS, (0,), MISSING),
    (importance_detail(key="made"), scores(1, 2, details={"made": None}), (0,), MISSING),
    (importance_detail(key="made"), scores(1, 2, details={"made": np.array(7)}), (0,), 7),
    (signal_share(key="draws"), DRAWS, (0, 3), 6 / 8),
    (signal_share(key="other"), DRAWS, (0, 3), MISSING),
    (signal_share(key="draws"), scores(1, 2, details={"draws": np.zeros(2)}), (0,), MISSING),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "result", "signal", "expected"), OF_SCORES)
def test_a_metric_of_scores_has_the_value_by_hand(metric, result, signal, expected):
    found = metric(result, Truth(signal, len(result.scores)))
    assert found == pytest.approx(expected, nan_ok=True)


Y = np.array([1.0, 2.0, 3.0, 6.0])
CLASSES, MEAN = np.array([0.0, 1.0, 0.0, 1.0]), np.full(4, 3.0)
SURE = np.array([[0.2, 0.8], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])  # the first one is wrong
TURNED = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.1, 0.9]])
OF_THREE = np.array([[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
KNOWN = {"optimum": 0.6}
OF_PREDICTIONS = [
    (r2_test(), Predictions((Y, Y), (Y, MEAN)), {}, 1),
    (r2_ind(), Predictions((Y, Y), (Y, MEAN)), {}, 0),
    # Residuals 1, 0, 0, 0 against deviations 2, 1, 0, 3.
    (r2_test(), Predictions((Y, Y + np.array([1, 0, 0, 0]))), {}, 1 - 1 / 14),
    (r2_ind_train_noise(), Predictions((Y, Y), (Y, MEAN)), {}, 0),  # one noise: as it is
    (optimum_gap(), Predictions((CLASSES, CLASSES)), KNOWN, 0.4),
    (optimum_gap(), Predictions((CLASSES, CLASSES)), {}, 0),
    (optimum_gap(), Predictions((CLASSES, SURE)), KNOWN, 0.15),
    (optimum_gap(from_optimum=False), Predictions((CLASSES, SURE)), KNOWN, 0.75),
    (optimum_gap(from_optimum=False), Predictions((np.array([0, 1, 2, 2]), OF_THREE)), {}, 0.75),
    (risk(), Predictions((np.array([0.0, 2.0]), np.array([1.0, 4.0]))), {}, 2.5),
    # Of four pairs of classes one is in the wrong order.
    (risk(), Predictions((np.array([0, 0, 1, 1]), TURNED)), {}, 0.25),
    (squared_error_of_mean(), Predictions((Y, Y + 1), mean=MEAN), {}, 4.5),  # 1, 0, 1, 16
    (squared_error_of_mean(), Predictions((CLASSES, SURE), mean=SURE[:, 1] - 0.1), {}, 0.01),
    (truth_detail(key="alpha"), Predictions((Y, Y)), {"alpha": 0.8}, 0.8),
    (truth_detail(key="beta"), Predictions((Y, Y)), {"alpha": 0.8}, MISSING),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "predictions", "details", "expected"), OF_PREDICTIONS)
def test_a_metric_of_predictions_has_the_value_by_hand(metric, predictions, details, expected):
    found = metric(predictions, Truth((0,), 2, details=details))
    assert found == pytest.approx(expected, nan_ok=True)


def test_exchanged_noise_gives_the_r_squared_of_a_sample_with_that_noise():
    rng = np.random.default_rng(0)
    signal, noise = rng.standard_normal((2, 200_000))
    little, much = signal + math.sqrt(0.5) * noise, signal + math.sqrt(2.0) * noise
    truth = Truth((0,), 3, noise_variance=2.0, details={"independent_noise_variance": 0.5})
    expected = r2_ind()(Predictions((much, 0.7 * signal), (much, 0.7 * signal)), truth)
    found = r2_ind_train_noise()(Predictions((much, signal), (little, 0.7 * signal)), truth)
    # sd of R² at n = 200,000 is about .002
    assert found == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("metric", [rejection_rate, top_share])
def test_scores_of_groups_count_by_name(metric):
    groups = ImportanceResult([1, 2, 3], ("ab", "c", "d"), p_values=np.array([0.01, 0.5, 0.5]))
    assert metric(features=["ab"])(groups, Truth((0, 1), 4)) == (metric is not top_share)


RANKINGS = (pr_auc, auc, fi_gap, best_noise_rank)
HALF = np.full((2, 2), 0.5)
REFUSED = [
    *[(one(), scores(1, bad, 3), (0,), "1 of 3 scores are missing or infinite") for one in RANKINGS
      for bad in (np.nan, np.inf, -np.inf)],
    *[(one(), scores(1, 2, 3), (), "the truth has no signal feature") for one in RANKINGS],
    *[(one(), scores(1, 2, 3), (0, 1, 2), "the truth has no noise feature")
      for one in (*RANKINGS, signal_size, noise_size, size_auc)],
    *[(one(), with_p_values(1, 1, 1, 1), 5, "4 scores for 5 features")
      for one in (*RANKINGS, rejection_rate, top_share, false_share)],
    (rejection_rate(), PERFECT, (0,), "no p-values"),
    (top_share(features=["x"]), PERFECT, (0,), "unknown feature 'x'"),
    (top_share(features=["X1"]), PERFECT, (), "the truth has no signal feature: give k"),
    (top_share(), PERFECT, (), "there is no such feature"),
    *[(one, scores(1, bad, 3), (0,), "1 of 3 scores are missing or infinite")
      for one in (top_share(), top_share(features=["X1"], k=1), feature_rank(feature="X1"),
                  feature_score(feature="X1", share=True)) for bad in (np.nan, np.inf)],
    *[(importance_detail(key="a"), scores(1, 2, details={"a": bad}), (0,),
       r"details\['a'\] must be a number, got")
      for bad in ("many", [1, 2], np.ones(1), {}, [[1], [1, 2]])],
    *[(signal_share(key="a"), scores(1, 2, details={"a": bad}), (0,),
       r"details\['a'\] must be counts of 2 features, got")
      for bad in (3, "many", [1, 2, 3], [1], np.ones((2, 2)), [-1, 2], [np.nan, 1], [np.inf, 1])],
    (feature_score(feature="c"), scores(1, 2), (0,), r"unknown feature 'c' \(known: X1, X2\)"),
    (feature_rank(feature="c"), scores(1, 2), (0,), "unknown feature 'c'"),
    (r2_ind(), Predictions((Y, Y)), (0,), "the generator gives no independent sample"),
    (r2_ind_train_noise(), Predictions((Y, Y)), (0,), "gives no independent sample"),
    (squared_error_of_mean(), Predictions((Y, Y)), (0,), "does not say the mean"),
    (squared_error_of_mean(), Predictions((Y, OF_THREE), mean=Y), (0,), "two classes, not for"),
    *[(r2_test(), Predictions(pair), (0,), words) for pair, words in (
        ((Y, Y[:3]), r"predictions have shape \(3,\), responses \(4,\)"),
        ((Y, Y[:, None]), r"predictions have shape \(4, 1\)"),
        ((Y[:0], Y[:0]), "2 rows or more, got 0"), ((Y[:1], Y[:1]), "2 rows or more, got 1"),
        ((Y, Y * np.nan), "must be finite numbers"), ((Y * np.inf, Y), "must be finite numbers"),
        ((MEAN, Y), "the response is constant"), ((MEAN[:3] / 30, Y[:3]), "response is constant"),
    )],
    *[(risk(), Predictions((np.array(y), p)), (0,), words) for y, p, words in (
        ([0.0, np.nan], np.ones(2), "finite"),
        ([0.0, 1.0], np.full((2, 3), 1 / 3), r"two classes, .*not .* shape \(2, 3\)"),
        ([0.0, 1.0], np.full((3, 2), 0.5), r"shape \(3, 2\) of 2 responses"),
        ([1.0, 1.0], HALF, "one class only"),
    )],
]  # fmt: skip


@pytest.mark.parametrize(("metric", "measured", "signal", "words"), REFUSED)
def test_what_a_metric_is_not_defined_for_is_refused(metric, measured, signal, words):
    n_features = len(measured.scores) if isinstance(measured, ImportanceResult) else 2
    truth = Truth((0,), signal) if isinstance(signal, int) else Truth(signal, n_features)
    with pytest.raises(ValueError, match=words):
        metric(measured, truth)


def test_no_share_is_false_where_nobody_knows_what_is_true():
    result = with_p_values(0.01, 0.2, 0.05, 0.9)
    unknown = Truth((), 4, signal_is_known=False)
    with pytest.raises(ValueError, match="the generator does not say which features matter"):
        false_share()(result, unknown)
    assert math.isnan(false_share(optional=True)(PERFECT, unknown))
    for metric, words in ((rejection_rate(), "no such feature"), (auc(), "no signal feature")):
        for truth in (unknown, Truth((), 4)):
            with pytest.raises(ValueError, match=words):
                metric(result, truth)


def test_the_range_of_a_gap_has_no_end():
    # The optimum of noise alone is 0, and less where a sample varies less than its noise.
    gap = optimum_gap()(Predictions((Y, Y)), Truth((0,), 2, details={"optimum": -0.4}))
    low, high = optimum_gap.range
    assert gap == pytest.approx(1.4) and low <= gap <= high
