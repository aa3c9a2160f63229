"""Mean rank and mean value over shared settings, with the errors that follow from the seeds."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from losaw.study.metrics import of_predictions
from losaw.study.report.best_methods import deviations_of, rank_methods, ranked_values

# setting, seed, RF, losawRF
VALUES = [
    ("a", 0, 0.1, 0.2),
    ("a", 1, 0.3, 0.3),
    ("b", 0, 0.5, 0.4),
    ("b", 1, 0.6, 0.9),
    ("b", 2, 0.7, 0.8),
]


def results(values=VALUES, metric="r2_test", importance=""):
    rows = []
    for setting, seed, *pair in values:
        for learner, value in zip(("RF", "losawRF"), pair, strict=True):
            rows.append((setting, learner, importance, seed, metric, value, "ok"))
    columns = ["setting_id", "learner", "importance", "seed", "metric", "value", "status"]
    return pd.DataFrame(rows, columns=columns)


def of(table, method):
    return table.set_index("method").loc[method]


def test_settings_count_the_same_whatever_their_number_of_seeds(study):
    found = rank_methods(study, results())
    assert of(found, "RF")["mean"] == pytest.approx((0.2 + 0.6) / 2)
    assert of(found, "losawRF")["mean"] == pytest.approx((0.25 + 0.7) / 2)


def test_the_error_of_the_mean_is_that_of_independent_settings(study):
    expected = np.sqrt(np.var([0.1, 0.3], ddof=1) / 2 + np.var([0.5, 0.6, 0.7], ddof=1) / 3) / 2
    assert of(rank_methods(study, results()), "RF")["mean_se"] == pytest.approx(expected)


def test_ranks_are_taken_on_every_data_set_and_ties_are_shared(study):
    found = rank_methods(study, results())
    assert of(found, "losawRF")["rank"] == pytest.approx(((1 + 1.5) / 2 + (2 + 1 + 1) / 3) / 2)
    assert list(found["method"]) == ["losawRF", "RF"]


def test_a_seed_that_one_method_lacks_counts_for_none(study):
    frame = results()
    frame.loc[(frame["setting_id"] == "b") & (frame["seed"] == 2), "status"] = ["failed", "ok"]
    found = rank_methods(study, frame)
    assert of(found, "losawRF")["mean"] == pytest.approx((0.25 + 0.65) / 2)
    assert of(found, "losawRF")["seeds"] == 4


def test_a_setting_with_one_shared_seed_has_no_error_and_is_left_out(study):
    found = rank_methods(study, results(VALUES[1:]))
    assert of(found, "RF")["settings"] == 1
    assert of(found, "RF")["mean"] == pytest.approx(0.6)


def test_less_is_better_where_the_metric_says_so(study, monkeypatch):
    less = replace(of_predictions.r2_test, higher_is_better=False)
    monkeypatch.setattr(of_predictions, "r2_test", less)
    assert list(rank_methods(study, results())["method"]) == ["RF", "losawRF"]


def test_a_single_method_is_not_ranked(study):
    frame = results()
    assert rank_methods(study, frame[frame["learner"] == "RF"]).empty


def test_settings_and_methods_stay_in_the_order_in_which_they_were_run(study):
    found = ranked_values(study, "r2_test", results(VALUES[2:] + VALUES[:2]))
    assert found.index.unique("setting_id").tolist() == ["b", "a"]
    assert found.columns.tolist() == ["RF", "losawRF"]


def test_places_tell_methods_apart_that_always_differ_and_leave_equal_ones_open(study):
    rng = np.random.default_rng(0)
    values = [(setting, seed, v, v + 1) for setting in "ab" for seed, v in enumerate(rng.random(8))]
    places = ["best_place", "worst_place"]
    found = rank_methods(study, results(values))
    assert found[places].to_numpy().tolist() == [[1, 1], [2, 2]]
    noise = [(*key, *rng.random(2)) for *key, _, _ in values]
    assert rank_methods(study, results(noise))[places].to_numpy().tolist() == [[1, 2], [1, 2]]


@pytest.mark.parametrize("others", ["abcd", ""])
def test_two_seeds_that_agree_by_chance_do_not_tell_two_methods_apart(study, others):
    equal = [(setting, seed, 0.5, 0.5) for setting in others for seed in range(2)]
    found = rank_methods(study, results([*equal, ("e", 0, 0.1, 0.2), ("e", 1, 0.3, 0.4)]))
    assert found[["best_place", "worst_place"]].to_numpy().tolist() == [[1, 2], [1, 2]]


def test_the_error_of_a_difference_of_mean_ranks_is_that_of_data_sets_and_settings():
    rng = np.random.default_rng(1)
    index = pd.MultiIndex.from_product([["a", "b"], range(5)], names=["setting_id", "seed"])[:8]
    ranks = pd.DataFrame(rng.random((8, 3)), index=index)
    difference = ranks[0] - ranks[1]
    grouped = difference.groupby(level="setting_id")
    between = (grouped.mean() - grouped.mean().mean()) ** 2 / (grouped.size() - 1)
    expected = np.sqrt((grouped.var() / grouped.size() + between).sum()) / 2
    added = deviations_of(ranks)
    assert np.linalg.norm(added[:, 0] - added[:, 1]) == pytest.approx(expected)
