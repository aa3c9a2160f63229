"""Every metric declares its direction and range, which tables, ranks and errors rest on."""

import math

import pytest

from losaw.study.registry import get, names

INFINITE = math.inf
HIGHER, LOWER = True, False
# Lowest value, highest value, direction: of metrics that judge methods, and of those that describe.
JUDGING = {
    "auc": (0.0, 1.0, HIGHER),
    "best_noise_rank": (1.0, INFINITE, HIGHER),
    "fi_gap": (-1.0, 1.0, HIGHER),
    "noise_score": (-1.0, 1.0, LOWER),
    "optimum_gap": (-INFINITE, 1.0, HIGHER),
    "pr_auc": (0.0, 1.0, HIGHER),
    "r2_ind": (-INFINITE, 1.0, HIGHER),
    "r2_ind_train_noise": (-INFINITE, 1.0, HIGHER),
    "r2_test": (-INFINITE, 1.0, HIGHER),
    "rejection_rate": (0.0, 1.0, HIGHER),
    "risk": (0.0, INFINITE, LOWER),
    "signal_rank": (1.0, INFINITE, LOWER),
    "signal_score": (-1.0, 1.0, HIGHER),
    "size_auc": (0.0, 1.0, HIGHER),
    "top_share": (0.0, 1.0, HIGHER),
}
DESCRIBING = {
    "feature_rank": (1.0, INFINITE, LOWER),
    "feature_score": (-INFINITE, INFINITE, HIGHER),
    "importance_detail": (-INFINITE, INFINITE, HIGHER),
    "largest_size": (0.0, INFINITE, LOWER),
    "noise_size": (0.0, INFINITE, LOWER),
    "signal_share": (0.0, 1.0, HIGHER),
    "signal_size": (0.0, INFINITE, HIGHER),
    "truth_detail": (-INFINITE, INFINITE, HIGHER),
}
DECISIONS = {"rejection_rate", "top_share"}


@pytest.mark.parametrize("name", sorted(JUDGING | DESCRIBING))
def test_a_metric_has_its_range_and_direction(name):
    metric = get("metric", name).load()
    assert (*metric.range, metric.higher_is_better) == (JUDGING | DESCRIBING)[name]
    assert getattr(metric, "ranks_methods", True) == (name in JUDGING)
    assert getattr(metric, "is_decision", False) == (name in DECISIONS)


def test_no_metric_is_left_out():
    shipped = {name for name in names("metric") if get("metric", name).target.startswith("losaw.")}
    assert shipped == set(JUDGING | DESCRIBING)
