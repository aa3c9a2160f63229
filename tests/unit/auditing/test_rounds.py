"""Rounds of an audit: made responses, methods that are worse than the best, rates that are kept."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from losaw.auditing.responses import make_response
from losaw.auditing.rounds import area, bounds, by_chance, signals_first, standings
from losaw.scoring.precision_recall import precision_recall_area


def table(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    skewed = np.where(rng.random(n) < 0.9, 0.0, rng.lognormal(8, 1, n))
    return pd.DataFrame(
        {
            "number": rng.standard_normal(n),
            "skewed": skewed,
            "coin": rng.integers(0, 2, n).astype(float),
            "missing": np.where(rng.random(n) < 0.2, np.nan, rng.standard_normal(n)),
            "flag": np.where(rng.random(n) < 0.5, np.nan, 1.0),
            "town": pd.Categorical(rng.choice(["Graz", "Linz", "Wien"], n)),
        }
    )


@pytest.mark.parametrize("share", [0.05, 0.4, 0.8])
def test_noise_of_a_regression_leaves_the_share(share):
    X, unused = table(), np.zeros(4000)

    def made(share):
        return make_response(X, unused, False, share, 3, np.random.default_rng(1))[0]

    # The same draws with more or less noise: y = f + a e.
    size, other = (np.sqrt((1 - s) / s) for s in (share, 0.95))
    noise = (made(share) - made(0.95)) / (size - other)
    f = made(share) - size * noise
    assert f.mean() == pytest.approx(0, abs=1e-9) and f.var() == pytest.approx(1, abs=1e-9)
    assert noise.var() == pytest.approx(1, abs=5 * np.sqrt(2 / len(X)))


def test_classes_are_as_large_as_the_tables():
    X = table()
    y = np.random.default_rng(0).choice(["no", "often", "yes"], len(X), p=[0.7, 0.05, 0.25])
    made, _ = make_response(X, y, True, 0.3, 2, np.random.default_rng(1))
    labels, counts = np.unique(made, return_counts=True)
    assert np.array_equal(labels, ["no", "often", "yes"])
    assert np.array_equal(counts, np.unique(y, return_counts=True)[1])


def term_of(values, seed):
    """The term of one number, whose sign and weight are taken off."""
    X = pd.DataFrame({"x": values, "unused": np.arange(200) % 2})
    made = (
        make_response(X, values, False, share, 1, np.random.default_rng(seed))
        for share in (0.9, 0.5)
    )
    (first, signal), (second, _) = made
    size, other = np.sqrt(1 / 9), 1.0
    return (first - (second - first) * size / (other - size)), signal


def test_a_term_of_a_number_is_a_line_a_step_or_a_hump_of_its_ranks():
    values = pd.Series(np.random.default_rng(0).lognormal(0, 1, 200))
    ranks = values.rank().to_numpy() / 200
    found = set()
    for seed in range(60):
        term, signal = term_of(values, seed)
        if signal != (0,):
            continue
        curvature, slope, constant = np.polyfit(ranks, term, 2)
        is_parabola = np.allclose((curvature * ranks + slope) * ranks + constant, term)
        if len(np.unique(term.round(9))) == 2:
            found.add("step")
        elif is_parabola and abs(curvature) < 1e-9:
            found.add("line")
        else:
            assert is_parabola and 0.29 < -slope / (2 * curvature) < 0.71
            found.add("hump")
    assert found == {"line", "step", "hump"}


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    n_signals=st.integers(1, 5),
    share=st.floats(0.05, 0.95),
    classes=st.booleans(),
)
def test_every_draw_is_finite_and_depends_on_its_signals(seed, n_signals, share, classes):
    X = table(200, seed % 7)
    y = np.arange(200) % 3 if classes else np.zeros(200)
    made, signal = make_response(X, y, classes, share, n_signals, np.random.default_rng(seed))
    assert len(set(signal)) == n_signals
    assert np.isfinite(made).all()
    if classes:
        assert np.array_equal(np.sort(made), np.sort(y))
    else:
        assert np.var(made) == pytest.approx(1 / share, rel=0.6)  # f alone has variance 1
    # Other columns have no part in it.
    for name in X.columns[[c for c in range(6) if c not in signal]]:
        X[name] = X[name].iloc[::-1].reset_index(drop=True)
    same, _ = make_response(X, y, classes, share, n_signals, np.random.default_rng(seed))
    assert np.array_equal(made, same)


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


@pytest.mark.parametrize(("n_rounds", "is_worse"), [(5, False), (6, False), (7, True), (15, True)])
@pytest.mark.parametrize("others", [np.full(5, 0.7), np.linspace(0.3, 0.9, 5)])
def test_rounds_that_all_agree_are_as_many_yes_or_no_decisions(others, n_rounds, is_worse):
    """Holm: the least of five p-values is five times .5 to the power of the number of rounds."""
    values = {name: np.full(n_rounds, value) for name, value in zip("bcdef", others, strict=True)}
    best = np.ones(n_rounds)
    frame = rounds(
        a=(best, NONE[:n_rounds]), **{k: (v, NONE[:n_rounds]) for k, v in values.items()}
    )
    found = standings(frame, 0.1)
    assert found["trusted"].tolist() == [True] + [not is_worse] * 5
    assert found["p_value"].tolist() == pytest.approx([1.0] + [5 * 0.5**n_rounds] * 5)


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


@pytest.mark.parametrize(
    "scores",
    [np.zeros(20), np.arange(20) % 2, np.r_[np.zeros(12), np.arange(8)], np.arange(20)],
    ids=["all equal", "two values", "many zeros", "no tie"],
)
@pytest.mark.parametrize("n_signals", [1, 5, 15])
def test_equal_scores_have_the_area_of_their_random_orders(scores, n_signals):
    rng = np.random.default_rng(0)
    signal = np.arange(20) < n_signals
    jittered = [precision_recall_area(scores + 1e-3 * rng.random(20), signal) for _ in range(2000)]
    found = area(scores, signal, np.random.default_rng(1))
    # Four errors of a mean of 200 orders, and of one of 2,000.
    assert found == pytest.approx(np.mean(jittered), abs=4.2 * np.std(jittered) / 200**0.5 + 1e-12)


def test_scores_that_say_nothing_are_not_ahead_of_a_guess():
    signal = np.arange(20) < 5
    assert area(np.zeros(20), signal, np.random.default_rng(0)) < 0.4
    assert precision_recall_area(np.zeros(20), signal) > 0.6  # what the trapezoid rule would say


def test_first_places_of_equal_scores_are_shared():
    signal = np.array([True, True, False, False])
    assert signals_first(np.array([3.0, 1.0, 1.0, 0.0]), signal) == pytest.approx(0.75)
    assert signals_first(np.zeros(4), signal) == pytest.approx(0.5)
    assert signals_first(np.array([4.0, 3.0, 1.0, 1.0]), signal) == 1.0


@pytest.mark.parametrize(
    ("n_features", "n_signals", "n_rounds"), [(4, 1, 5), (10, 9, 6), (20, 5, 30)]
)
def test_the_chance_of_first_places_is_that_of_random_orders(n_features, n_signals, n_rounds):
    rng, signal = np.random.default_rng(0), np.arange(n_features) < n_signals
    made = np.array(
        [
            [signals_first(rng.random(n_features), signal) for _ in range(n_rounds)]
            for _ in range(1000)
        ]
    )
    total = made.sum(axis=1)
    for place in (0.5, 0.9, 0.98):
        firsts = made[np.argsort(total)[int(place * 1000)]]
        share = (total >= firsts.sum() - 1e-9).mean()
        assert by_chance(firsts, n_features, n_signals) == pytest.approx(share, abs=0.06)
    assert by_chance(np.ones(n_rounds), n_features, n_signals) < 1e-3
    assert by_chance(np.zeros(n_rounds), n_features, n_signals) == pytest.approx(1.0)
