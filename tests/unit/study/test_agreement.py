"""z-scores, intervals and verdicts against what theory says, cell by cell."""

import math

import pytest
from scipy.stats import norm
from scipy.stats import t as student

from losaw.study.results.agreement import (
    Evidence,
    Kind,
    Printed,
    Runs,
    runs_to_decide,
    verdict,
    weigh,
)
from losaw.study.results.compare import weigh_cell

UNBOUNDED = Kind(deviation=0.05, degrees=200)
BOUNDED = Kind(deviation=0.12, degrees=200, is_bounded=True)
DECISION = Kind(deviation=0.3, degrees=200, is_bounded=True, is_decision=True)


@pytest.mark.parametrize(
    ("printed", "variance"),
    [
        (Printed(0.5, 1, 100), 0.01 / 100 + 0.01 / 12),
        (Printed(0.5, 9, 100, error=0.05), 0.05**2),  # inferred, in place of independent runs
    ],
)
def test_z_adds_both_monte_carlo_errors_and_the_rounding(printed, variance):
    evidence = weigh(Runs(0.53, 0.1, 25), printed, UNBOUNDED)
    error = math.sqrt(0.01 / 25 + variance)
    assert norm.sf(evidence.z) == pytest.approx(student.sf(0.03 / error, 24))
    assert evidence.high - evidence.low == pytest.approx(2 * student.ppf(0.95, 24) * error)


@pytest.mark.parametrize(("degrees", "borrowed"), [(200, 4), (7, 3), (4, 0)])  # 4 are our own
def test_runs_of_a_bounded_metric_borrow_from_the_other_cells_of_their_kind(degrees, borrowed):
    kind = Kind(0.12, degrees, is_bounded=True)
    evidence = weigh(Runs(0.53, 0.01, 5), Printed(0.5, 9, 100), kind)
    variance = (borrowed * 0.12**2 + 4 * 0.01**2) / (borrowed + 4)
    t = 0.03 / math.sqrt(variance * (1 / 5 + 1 / 100))
    assert norm.sf(evidence.z) == pytest.approx(student.sf(t, borrowed + 4))


RULES = {
    "runs that vary": (Runs(0.4, 0.05, 40), UNBOUNDED, 250),
    "runs of a bounded metric": (Runs(0.4, 0.01, 40), BOUNDED, 250),
    "runs on one value": (Runs(0.417, 0.0, 40), BOUNDED, 250),
    "a rate of 0": (Runs(0.0, 0.0, 250), DECISION, 500),
    "a rate inside": (Runs(0.4, math.sqrt(0.24 * 400 / 399), 400), DECISION, 1000),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("distance", [0.1, 0.3, 0.58])
@pytest.mark.parametrize("margin", [0.03, 0.1])
def test_every_rule_finds_print_that_is_off(rule, distance, margin):
    ours, kind, runs = RULES[rule]
    evidence = weigh(ours, Printed(ours.mean + distance, 3, runs), kind)
    assert verdict(evidence, margin) == "differs"


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_lets_print_agree(rule):
    ours, kind, runs = RULES[rule]
    assert verdict(weigh(ours, Printed(ours.mean, 3, runs), kind), 0.1) == "agrees"


@pytest.mark.parametrize("n_seeds", [1, 4, 12, 250])
def test_runs_on_one_value_far_from_a_single_printed_run_differ(n_seeds):
    # Table 3, f3, N = 5000: pr-AUC is published as .999, and .417 in every run of ours.
    evidence = weigh(Runs(0.417, 0.0, n_seeds), Printed(0.999, 3, 1), BOUNDED)
    assert verdict(evidence, 0.1) == "differs"


@pytest.mark.parametrize(("value", "kind", "margin"), [(1.0, BOUNDED, 0.05), (0.0, DECISION, 0.1)])
def test_four_equal_runs_do_not_earn_agreement(value, kind, margin):
    printed = Printed(value, 3, 500)
    assert verdict(weigh(Runs(value, 0.0, 4), printed, kind), margin) == "undecided"
    assert verdict(weigh(Runs(value, 0.0, 100), printed, kind), margin) == "agrees"


@pytest.mark.parametrize("kind", [Kind(), Kind(deviation=0.0, degrees=30)])
def test_without_any_deviation_there_is_no_error_at_hand(kind):
    assert weigh(Runs(1.0, 0.0, 40), Printed(1.0, 3, 250), kind) is None
    assert weigh(Runs(0.5, math.nan, 1), Printed(0.5, 3, 250), kind) is None
    assert verdict(None, 0.1) == "no error at hand"


@pytest.mark.parametrize("is_bounded", [True, False])
@pytest.mark.parametrize(
    ("runs", "kind"),
    [((-1e160, math.inf, 4), math.inf), ((-1e160, math.nan, 1), math.inf), ((0.4, 0.1, 2), 0.1)],
)
def test_where_a_square_is_no_number_there_is_no_error_at_hand(runs, kind, is_bounded):
    cell = dict(zip(("reproduced", "reproduced_sd", "n_seeds"), runs, strict=True))
    printed = {"published": 0.5, "published_runs": 100, "decimals": 3}
    weighed = weigh_cell({**cell, **printed}, Kind(kind, 30, is_bounded=is_bounded), 0.1)
    assert (weighed["verdict"] == "no error at hand") == (kind == math.inf)


def test_one_run_is_judged_by_its_kind():
    evidence = weigh(Runs(0.5, math.nan, 1), Printed(0.5, 9, 250), UNBOUNDED)
    reach = student.ppf(0.95, 200) * 0.05 * math.sqrt(1 + 1 / 250)
    assert (evidence.low, evidence.high) == pytest.approx((-reach, reach))


@pytest.mark.parametrize(
    ("z", "low", "high", "margin", "word"),
    [
        (0.0, -0.02, 0.02, 0.03, "agrees"),
        (3.5, 0.01, 0.02, 0.03, "agrees"),  # certain, and within what is called agreement
        (0.0, -0.02, 0.02, math.nan, "undecided"),
        (0.0, -0.04, 0.02, 0.03, "undecided"),
        (-2.0, -0.04, 0.0, 0.03, "undecided"),
        (-2.1, -0.04, 0.0, 0.03, "deviates"),
        (3.1, 0.01, 0.04, 0.03, "differs"),
    ],
)
def test_the_verdict_follows_interval_and_z(z, low, high, margin, word):
    assert verdict(Evidence(z, low, high, 0.02), margin) == word


def test_a_cell_is_undecidable_if_the_published_error_alone_is_larger_than_the_margin():
    evidence = weigh(Runs(0.5, 0.1, 400), Printed(0.51, 9, 25), UNBOUNDED)
    assert evidence.reach == pytest.approx(norm.ppf(0.95) * 0.1 / 5)
    assert verdict(evidence, 0.0328) == "undecidable" and verdict(evidence, 0.033) == "undecided"


def test_the_verdict_says_what_is_missing():
    published = {"published": 0.5, "decimals": 3, "published_runs": 250}
    ours = {"reproduced": 0.5, "reproduced_sd": 0.1, "n_seeds": 25}
    none = {"reproduced": math.nan, "reproduced_sd": math.nan, "n_seeds": 0}
    root = {**none, "n_seeds": 25}  # of a negative mean
    found = [weigh_cell(cell, UNBOUNDED, 0.1)["verdict"] for cell in (
        published | {"n_seeds": 0}, ours, published | none, none, published | root,
        published | ours,
    )]  # fmt: skip
    assert found == ["not run", "not printed", "no value", "no value", "no value", "agrees"]


def test_a_published_deviation_takes_the_place_of_ours_for_the_published_mean():
    ours, printed = Runs(0.53, 0.1, 25), Printed(0.5, 9, 20, deviation=0.3)
    evidence = weigh(ours, printed, Kind())
    of_ours, of_print = 0.1**2 / 25, 0.3**2 / 20
    degrees = (of_ours + of_print) ** 2 / (of_ours**2 / 24 + of_print**2 / 19)
    reach = student.ppf(0.95, degrees) * math.sqrt(of_ours + of_print)
    assert evidence.high - evidence.low == pytest.approx(2 * reach)
    # A single run of ours has the published deviation too.
    alone = weigh(Runs(0.53, math.nan, 1), printed, Kind())
    assert norm.sf(alone.z) == pytest.approx(
        student.sf(0.03 / (0.3 * math.sqrt(1 + 1 / 20)), (1 + 1 / 20) ** 2 / (1 / 19 + 20**-2 / 19))
    )


@pytest.mark.parametrize(("yes", "n"), [(2, 60), (23, 24), (35, 37), (1, 99)])
def test_numbers_of_seven_digits_are_still_those_of_decisions(yes, n):
    mean, printed = yes / n, Printed(0.05, 3, 500)
    deviation = math.sqrt(n / (n - 1) * mean * (1 - mean))
    exact = weigh(Runs(mean, deviation, n), printed, DECISION)
    stored = weigh(Runs(float(f"{mean:.7g}"), float(f"{deviation:.7g}"), n), printed, DECISION)
    assert stored.z == pytest.approx(exact.z, rel=1e-4)


def test_a_share_with_an_inferred_error_is_judged_by_it():
    ours = Runs(0.5, math.sqrt(0.25 * 400 / 399), 400)
    evidence = weigh(ours, Printed(0.6, 9, 500, error=0.04), DECISION)
    half = student.ppf(0.95, 400) * math.sqrt(0.04**2 + 0.25 / 400)
    assert (evidence.high - evidence.low) / 2 == pytest.approx(half)
    # Independent runs would have a smaller error.
    assert weigh(ours, Printed(0.6, 9, 500), DECISION).z < evidence.z - 0.5


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("n", [1, 40])
def test_a_share_of_none_or_all_has_a_variance_beside_an_inferred_error(share, n):
    alone = Kind(is_bounded=True, is_decision=True)  # no other cell says how runs vary
    ours = Runs(share, 0.0 if n > 1 else math.nan, n)
    evidence = weigh(ours, Printed(0.5, 9, 500, error=0.01), alone)
    p = 1 / (n + 2)
    half = student.ppf(0.95, n) * math.sqrt(0.01**2 + p * (1 - p) / n)
    assert (evidence.high - evidence.low) / 2 == pytest.approx(half)


@pytest.mark.parametrize("kind", [UNBOUNDED, BOUNDED, DECISION])
def test_an_exact_number_of_1e15_runs_has_no_error_of_its_own(kind):
    deviation = math.sqrt(0.25 * 400 / 399)
    evidence = weigh(Runs(0.5, deviation, 400), Printed(0.45, 12, 1e15), kind)
    assert (evidence.high - evidence.low) / 2 == pytest.approx(1.65 * deviation / 20, rel=1e-2)
    assert evidence.reach < 1e-6  # so that more of our runs always decide


@pytest.mark.parametrize("difference", [0.0, 0.02, 0.06])
@pytest.mark.parametrize("published_runs", [250, 1e6])
def test_so_many_runs_decide_a_cell_whose_means_stay(difference, published_runs):
    printed = Printed(0.5, 9, published_runs, deviation=0.4)
    weighed = [weigh(Runs(0.5 + difference, 0.4, n), printed, UNBOUNDED) for n in (100, 3000)]
    needed = {runs_to_decide(one, n, 0.05) for one, n in zip(weighed, (100, 3000), strict=True)}
    if math.inf in needed:  # 1.645 * .4 / sqrt(250) = .0416: it can agree, or differ by .051
        assert (difference, published_runs, needed) == (0.02, 250, {math.inf})
        return
    few, many = (
        weigh(Runs(0.5 + difference, 0.4, round(share * min(needed))), printed, UNBOUNDED)
        for share in (0.8, 1.2)
    )
    assert verdict(few, 0.05) == "undecided"
    assert verdict(many, 0.05) in ("agrees", "deviates")
