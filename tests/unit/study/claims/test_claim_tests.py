"""Claims are weighed so that each verdict can come out, at the level that is stated."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from losaw.study.claims import weighing as weighing
from losaw.study.claims.claim_file import Claim
from losaw.study.claims.weighing import settings_against


def weigh(claim, summary, decisions=(), planned=()):
    return weighing.weigh_claim(claim, summary, decisions, dict(planned))


def summary(means, sd=0.1, n_seeds=25, method="A"):
    means = np.asarray(means, dtype=float)
    sizes = [100 * (index + 1) for index in range(len(means))]
    return pd.DataFrame(
        {
            "study": "s",
            "setting_id": [str(size) for size in sizes],
            "n": sizes,
            "learner": method,
            "importance": "",
            "method": method,
            "metric": "m",
            "n_seeds": n_seeds,
            "n_failed": 0,
            "mean": means,
            "sd": sd,
            "mc_se": sd / np.sqrt(n_seeds),
        }
    )


def claim(**changes):
    written = {
        "says": "A is large", "place": "here", "study": "s", "metric": "m", "method": "A",
        "relation": "above", "than": 0.0,
    }  # fmt: skip
    return Claim(**{**written, **changes})


@pytest.mark.parametrize(
    ("holds_in", "means", "verdict"),
    [
        ("all", [1.0, 1.0], "supported"),
        ("all", [1.0, 0.0], "supported"),
        ("all", [1.0, 0.0, 0.0], "supported, mostly open"),
        ("all", [-1.0, 0.0, 0.0], "contradicted"),
        ("all", [-1.0, 0.0], "contradicted"),
        ("all", [1.0, -1.0], "holds in some settings, fails in others"),
        ("all", [0.01, -0.01], "undecided"),
        ("most", [1.0, 1.0, -1.0], "supported"),
        ("most", [1.0, -1.0], "undecided"),
        ("most", [1.0, 0.0], "undecided"),
        ("most", [1.0, -1.0, -1.0], "contradicted"),
    ],
)
def test_every_verdict_can_come_out_and_of_most_settings_more_than_half_decide(
    holds_in, means, verdict
):
    assert weigh(claim(holds_in=holds_in), summary(means)).verdict == verdict


def test_near_is_supported_only_by_an_interval_within_the_margin():
    near = {"relation": "near", "than": 1.0, "margin": 0.05}
    assert weigh(claim(**near), summary([1.01])).verdict == "supported"
    assert weigh(claim(**near), summary([1.01], n_seeds=4)).verdict == "undecided"
    assert weigh(claim(**near), summary([1.2])).verdict == "contradicted"


def test_cells_are_put_beside_those_of_the_other_side_with_equal_axes():
    both = pd.concat([summary([1.0, 2.0]), summary([0.5, 3.0], method="B")])
    weighed = weigh(claim(than={"method": "B"}), both)
    assert weighed.comparisons["difference"].tolist() == [0.5, -1.0]
    larger = weigh(claim(where={"n": 200}, than={"where": {"n": 100}}), both)
    assert larger.comparisons["difference"].tolist() == [1.0]


def test_few_runs_without_variation_decide_nothing():
    assert weigh(claim(), summary([1.0], sd=0.0, n_seeds=9)).verdict == "undecided"
    assert weigh(claim(), summary([1.0], sd=1e-17, n_seeds=9)).verdict == "undecided"
    assert weigh(claim(), summary([1.0], sd=0.0, n_seeds=10)).verdict == "supported"


def rates(successes, n_seeds, method="A"):
    """The summary of decisions, of which so many of ``n_seeds`` were yes."""
    means = np.asarray(successes) / n_seeds
    sd = np.sqrt(means * (1 - means) * n_seeds / max(n_seeds - 1, 1))
    return summary(means, sd, n_seeds, method)


def test_a_rate_of_none_or_all_of_a_few_runs_is_not_without_error():
    near = claim(relation="near", than=0.05, margin=0.03)
    assert weigh(near, rates([0], 20), {"m"}).verdict == "undecided"
    assert weigh(near, rates([0], 20)).verdict == "contradicted"  # no decisions: equal runs
    assert weigh(near, rates([30], 100), {"m"}).verdict == "contradicted"
    assert weigh(near, rates([500], 10_000), {"m"}).verdict == "supported"
    # P(19 or 20 of 20 | .8) = .069, P(20 of 20 | .8) = .012.
    below = claim(relation="below", than=0.8)
    assert weigh(below, rates([19], 20), {"m"}).verdict == "undecided"
    assert weigh(below, rates([20], 20), {"m"}).verdict == "contradicted"


def test_equal_runs_have_no_deviation_without_error_and_a_share_of_rates_is_no_rate():
    few = claim(statistic="deviation", relation="below", than=1.0)
    assert weigh(few, summary([1.0], sd=0.0, n_seeds=3)).verdict == "undecided"
    assert weigh(few, summary([1.0], sd=0.0)).verdict == "supported"
    share = claim(share_of={"n": 100}, where={"n": [200]}, relation="below", than=1.0)
    cells = weigh(share, rates([200, 100], 200), {"m"}).comparisons
    assert cells["is_decision"].tolist() == [False]
    assert weigh(claim(statistic="deviation"), rates([10], 20), {"m"}).verdict == "supported"


def test_two_rates_have_the_limits_of_both():
    both = pd.concat([rates([20], 20), rates([17], 20, method="B")])
    assert weigh(claim(than={"method": "B"}), both, {"m"}).verdict == "undecided"
    both = pd.concat([rates([20], 20), rates([14], 20, method="B")])
    assert weigh(claim(than={"method": "B"}), both, {"m"}).verdict == "supported"
    both = pd.concat([rates([20], 20), rates([14], 20).assign(metric="k")])
    assert weigh(claim(than={"metric": "k"}), both, {"m", "k"}).verdict == "undecided"
    both = pd.concat([rates([20], 20), rates([10], 20, method="B")])
    assert weigh(claim(relation="below", than={"method": "B"}), both, {"m"}).n_against == 1


def test_a_rate_beside_a_number_that_is_none_has_no_binomial_limits():
    both = rates([10, 10], 20)
    both["metric"] = "m"
    other = summary([-3.0, -3.0], sd=0.1).assign(metric="loss")
    against = claim(than={"metric": "loss"})
    cells = weigh(against, pd.concat([both, other]), {"m"}).comparisons
    assert not cells["is_decision"].any()
    assert weigh(against, pd.concat([both, other]), {"m", "loss"}).comparisons["is_decision"].all()


def verdicts(claim, cells, n_settings, decisions=()):
    """The verdicts of runs of so many settings each, all of which are compared at once."""
    compared = weigh(claim, cells, decisions).comparisons
    starts = range(0, len(compared), n_settings)
    runs = [compared[start : start + n_settings] for start in starts]
    return Counter(weighing._judged(claim, run, ()).verdict for run in runs)


@pytest.mark.parametrize(
    ("sides", "rate"), [(1, 0.02), (1, 0.5), (1, 0.97), (2, 0.02), (2, 0.5), (2, 0.97)]
)
def test_rates_on_the_border_are_decided_in_at_most_five_percent_of_runs(rate, sides):
    successes = np.random.default_rng(1).binomial(20, rate, (sides, 200 * 4))
    cells = [rates(of_side, 20, method) for method, of_side in zip("AB", successes, strict=False)]
    one = claim(than=rate if sides == 1 else {"method": "B"})
    # Exact 99.9 % bound of a binomial with 200 runs and rate .05.
    assert verdicts(one, pd.concat(cells), 4, {"m"})["undecided"] >= 200 - 21


@pytest.mark.parametrize(
    ("one", "mean", "n_settings", "n_seeds"),
    [
        *((claim(), 0.0, 8, n) for n in (2, 4, 25)),
        (claim(relation="near", than=0.0, margin=0.5), 0.5, 20, 25),
        (claim(than={"metric": "minus m"}), 0.0, 8, 5),
    ],
)
def test_a_claim_on_the_border_is_decided_in_at_most_five_percent_of_runs(
    one, mean, n_settings, n_seeds
):
    runs = mean + np.random.default_rng(0).standard_normal((200 * n_settings, n_seeds))
    cells = summary(runs.mean(axis=1), runs.std(axis=1, ddof=1), n_seeds)
    opposite = cells.assign(metric="minus m", mean=-cells["mean"])
    found = verdicts(one, pd.concat([cells, opposite]), n_settings)
    decided = found["supported"] if one.relation == "near" else 200 - found["undecided"]
    # Exact 99.9 % bound of a binomial with 200 runs and rate .05.
    assert decided <= 21


def test_what_was_not_run_is_not_run():
    assert weigh(claim(metric="mm"), summary([1.0])).verdict == "not run"
    assert weigh(claim(where={"n": 7}), summary([1.0])).verdict == "not run"
    assert weigh(claim(metric="mm", where={"n": 100}), summary([1.0])).verdict == "not run"


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"method": ["A", "B"]}, ("B",)),
        ({"metric": ["m", "mm"]}, ("mm",)),
        ({"where": {"n": [100, 700]}}, ("n = 700",)),
        ({"than": {"method": ["B", "C"]}}, ("C",)),
    ],
)
def test_a_claim_of_which_something_was_not_run_is_not_supported(changes, missing):
    rows = summary([1.0])
    if "than" in changes:
        rows = pd.concat([rows, summary([0.0], method="B")])
    weighed = weigh(claim(**changes), rows)
    assert weighed.verdict == "run in part" and weighed.missing == missing
    assert weighed.n_for == 1
    against = weigh(claim(**changes, relation="below"), rows)
    assert against.verdict == "contradicted" and against.missing == missing


ONE_OF_TWO, ONE_OF_THREE = ((f"values in 1 of {n} settings",) for n in (2, 3))


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({}, ONE_OF_THREE),
        ({"where": {"n": [100, 200]}}, ()),
        # B has all its values; that of A lacks what it is divided by.
        ({"method": "B", "relation": "below", "than": {"method": "A"}}, ONE_OF_THREE),
        ({"method": ["A", "B"], "where": {"n": 200}, "share_of": {"n": 300}}, ONE_OF_TWO),
    ],
)
def test_a_claim_of_which_values_were_not_found_is_not_supported(changes, missing):
    planned = {(str(size), name, "m"): {"n": size} for name in "AB" for size in (100, 200, 300)}
    rows = pd.concat([summary([1.0, 1.0]), summary([0.5] * 3, method="B")])
    weighed = weigh(claim(**changes), rows, planned=planned)
    assert weighed.missing == missing
    assert weighed.verdict == ("run in part" if missing else "supported")


def test_what_has_nothing_to_measure_was_run_all_the_same():
    rows = pd.concat([summary([1.0, 1.0])])
    rows.loc[len(rows)] = rows.iloc[0].to_dict() | {
        "setting_id": "300", "n": 300, "n_seeds": 0, "n_failed": 0, "mean": np.nan, "sd": np.nan
    }  # fmt: skip
    planned = {(str(size), "A", "m"): {"n": size} for size in (100, 200, 300)}
    assert weigh(claim(), rows, planned=planned).verdict == "supported"
    failed = rows.assign(n_failed=[*rows["n_failed"][:-1], 5])
    assert weigh(claim(), failed, planned=planned).verdict == "run in part"


def test_few_runs_of_the_base_leave_few_degrees_of_freedom():
    share = claim(share_of={"n": 100}, than=1.6)
    base, own = summary([1.0, 2.0], n_seeds=2), summary([1.0, 2.0], n_seeds=1000)
    mixed = pd.concat([base[base["n"] == 100], own[own["n"] == 200]])
    assert weigh(share, mixed).verdict == "undecided"
    assert weigh(share, own).verdict == "supported"


def test_a_near_b_and_b_near_a_are_counted_once():
    names = ["A", "B", "C"]
    table = pd.concat([summary([0.5], method=name) for name in names], ignore_index=True)
    near = claim(relation="near", method=names, than={"method": names}, margin=10.0)
    assert weigh(near, table).n_for == 3
    above = claim(relation="above", method=names, than={"method": names})
    assert weigh(above, table).n_open == 6


def test_at_least_and_at_most_allow_what_the_margin_says():
    least = {"relation": "at least", "than": 1.0, "margin": 0.1}
    assert weigh(claim(**least), summary([0.97])).verdict == "supported"
    assert weigh(claim(**least), summary([2.0])).verdict == "supported"
    assert weigh(claim(**least), summary([0.92])).verdict == "undecided"
    assert weigh(claim(**least), summary([0.8])).verdict == "contradicted"
    most = {"relation": "at most", "than": 1.0, "margin": 0.1}
    assert weigh(claim(**most), summary([1.03])).verdict == "supported"
    assert weigh(claim(**most), summary([1.2])).verdict == "contradicted"


def test_of_several_names_each_is_compared_with_each_but_not_with_itself():
    three = pd.concat(
        summary([mean], method=name) for name, mean in zip("ABC", (3, 2, 1), strict=True)
    )
    weighed = weigh(claim(method=["A", "B"], than={"method": ["B", "C"]}), three)
    assert weighed.comparisons["difference"].tolist() == [1.0, 2.0, 1.0]
    assert weighed.comparisons["compared"].tolist() == [
        "A m versus B",
        "A m versus C",
        "B m versus C",
    ]
    assert weighed.verdict == "supported"
    lost = weigh(claim(method="A", than={"method": ["B", "C"]}, relation="below"), three)
    assert next(settings_against(lost)) == "compared = A m versus C: 3 versus 1"
    mixed = weigh(claim(method="B", than={"method": ["A", "C"]}), three)
    assert list(settings_against(mixed)) == ["compared = B m versus A: 2 versus 3"]


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ({"than": {"where": {"n": [100]}}}, [5.0, 6.0]),
        ({"than": {"where": {"n": [100, 200]}}}, [4.0, 5.0, 6.0, 6.0]),
        ({"than": {"method": ["A", "B"], "where": {"n": [100]}}}, [4.0, 5.0, 5.0, 6.0, 6.0]),
        ({"than": 1.0, "share_of": {"n": [100]}}, [1.25, 1.5]),
    ],
)
def test_a_mean_is_not_compared_with_itself_at_other_settings(changes, left):
    means = pd.concat([summary([4.0, 5.0, 6.0]), summary([1.0, 1.0, 1.0], method="B")])
    weighed = weigh(claim(relation="near", margin=9.0, **changes), means)
    assert sorted(weighed.comparisons["left"]) == left


def test_deviations_are_compared_with_the_error_of_a_deviation():
    both = pd.concat([summary([0.0], sd=2.0), summary([5.0], sd=1.0, method="B")])
    weighed = weigh(claim(than={"method": "B"}, statistic="deviation"), both)
    assert weighed.comparisons["std_error"].tolist() == pytest.approx([np.sqrt(5 / 48)])
    assert weighed.verdict == "supported"
    few = pd.concat([summary([0.0], sd=2.0, n_seeds=3), summary([5.0], method="B", sd=1.0)])
    assert weigh(claim(than={"method": "B"}, statistic="deviation"), few).verdict == "undecided"


def test_a_share_is_compared_with_the_error_of_both_means():
    kept = claim(share_of={"n": 100}, where={"n": [200]}, relation="near", than=0.5, margin=0.2)
    cells = weigh(kept, summary([4.0, 2.0], sd=0.5)).comparisons
    assert cells["left"].tolist() == [0.5]
    error = 0.5 / np.sqrt(25)
    assert cells["std_error"].tolist() == pytest.approx([np.hypot(error, 0.5 * error) / 4])
    assert weigh(kept, summary([4.0, 2.0])).verdict == "supported"
    assert weigh(kept, summary([4.0, 3.5])).verdict == "contradicted"
    assert weigh(kept, summary([-4.0, 2.0])).verdict == "contradicted"
    assert weigh(kept, summary([4.0, 2.0], sd=9.0)).verdict == "undecided"
