"""Methods that are significantly worse than the best one, and selections that keep their rate."""

import numpy as np
import pandas as pd
import pytest

from losaw.auditing.rounds import bounds, signals_first, standings


def rounds(**by_method):
    lines = [
        {"round": number, "method": method, "pr_auc": value, "first": value, "found": 1.0,
         "false": false}
        for method, (values, falses) in by_method.items()
        for number, (value, false) in enumerate(zip(values, falses, strict=True))
    ]  # fmt: skip
    return pd.DataFrame(lines)


NONE = np.full(30, np.nan)


def test_methods_are_compared_round_by_round():
    rng = np.random.default_rng(0)
    hard = rng.uniform(0.3, 0.9, 30)  # rounds differ far more than the methods do
    frame = rounds(a=(hard, NONE), b=(hard - 0.02 + 0.01 * rng.standard_normal(30), NONE))
    best, other = standings(frame, 0.1).itertuples()
    assert (best.method, best.behind, best.trusted) == ("a", 0.0, True)
    assert other.behind == pytest.approx(0.02, abs=0.006)
    assert not other.trusted
    assert other.pr_auc_error > 5 * other.behind_error


def test_equal_methods_are_not_told_apart_in_more_than_their_share_of_audits():
    rng = np.random.default_rng(0)
    told = 0
    for _ in range(400):
        frame = rounds(**{name: (rng.uniform(size=20), NONE[:20]) for name in "ab"})
        told += not standings(frame, 0.1)["trusted"][1]
    # The better of two is chosen first: one side of a two-sided test of 10 %. Binomial, .9999.
    assert 18 <= told <= 65


@pytest.mark.parametrize(
    ("falses", "answer"),
    [
        (np.zeros(30), "yes"),
        (np.zeros(20), "open"),
        (np.ones(30), "no"),
        (np.full(30, 0.5), "no"),
        (np.tile([0.0, 0.5], 15), "no"),
        (np.tile([0.0, 0.0, 0.0, 0.3], 8)[:30], "open"),
        (np.tile([0.0, 0.02], 15), "yes"),
        (NONE, ""),  # a method that does not test
    ],
)
def test_whether_a_rate_is_kept(falses, answer):
    values = np.linspace(0.4, 0.9, len(falses))
    assert standings(rounds(a=(values, falses)), 0.1)["keeps"][0] == answer


@pytest.mark.parametrize("n_rounds", [10, 30, 100])
@pytest.mark.parametrize(
    ("values", "chances"),
    [
        ([0.0, 0.5], [0.8, 0.2]),
        ([0.0, 1 / 3], [0.7, 0.3]),
        ([0.0, 0.2, 1 / 3], [0.57, 0.33, 0.1]),
    ],
    ids=["one cause", "two", "four"],
)
def test_a_rate_on_the_border_is_decided_in_at_most_five_percent_of_audits(
    values, chances, n_rounds
):
    rng = np.random.default_rng(0)
    drawn = rng.choice(values, p=chances, size=(2000, n_rounds))
    low, high = np.array([bounds(shares) for shares in drawn]).T
    border = np.dot(values, chances)
    # Binomial of 2,000 with chance .05: 133 is exceeded with a chance of .0005.
    assert (high <= border).sum() <= 133 and (low > border).sum() <= 133


def test_first_places_of_equal_scores_are_shared():
    signal = np.array([True, True, False, False])
    assert signals_first(np.array([3.0, 1.0, 1.0, 0.0]), signal) == pytest.approx(0.75)
    assert signals_first(np.zeros(4), signal) == pytest.approx(0.5)
    assert signals_first(np.array([4.0, 3.0, 1.0, 1.0]), signal) == 1.0
