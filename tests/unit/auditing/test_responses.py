"""Made responses: what can be known of them is what was asked for, their classes are the table's.

Of auditing.responses.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from losaw.auditing.responses import (
    _latent_share,
    _sum_of_terms,
    _term,
    brier_skill,
    make_response,
)


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
        return make_response(X, unused, "regression", share, 3, np.random.default_rng(1)).y

    # The same draws with more or less noise: y = f + a e.
    size, other = (np.sqrt((1 - s) / s) for s in (share, 0.95))
    noise = (made(share) - made(0.95)) / (size - other)
    f = made(share) - size * noise
    assert f.mean() == pytest.approx(0, abs=1e-9) and f.var() == pytest.approx(1, abs=1e-9)
    assert noise.var() == pytest.approx(1, abs=5 * np.sqrt(2 / len(X)))


def test_classes_are_as_large_as_the_tables():
    X = table()
    y = np.random.default_rng(0).choice(["no", "often", "yes"], len(X), p=[0.7, 0.05, 0.25])
    made = make_response(X, y, "classification", 0.3, 2, np.random.default_rng(1))
    labels, counts = np.unique(made.y, return_counts=True)
    assert np.array_equal(labels, ["no", "often", "yes"])
    assert np.array_equal(counts, np.unique(y, return_counts=True)[1])


@pytest.mark.parametrize("counts", [[500, 500], [900, 100], [600, 300, 100]])
@pytest.mark.parametrize("skill", [0.05, 0.3, 0.8])
def test_the_latent_share_gives_the_brier_skill(counts, skill):
    f = np.random.default_rng(0).standard_normal(1000)
    share = _latent_share(f, np.array(counts), skill)
    assert brier_skill(f, np.array(counts), share) == pytest.approx(skill, abs=1e-6)


def test_many_rows_are_as_good_as_their_quantiles():
    f = np.random.default_rng(0).standard_normal(20_000)
    share = _latent_share(f, np.full(10, 2000), 0.3)
    assert brier_skill(f, np.full(10, 2000), share) == pytest.approx(0.3, abs=0.002)


def test_brier_skill_of_two_classes_is_that_of_simulated_ones():
    rng = np.random.default_rng(0)
    f, share, n = rng.standard_normal(200), 0.5, 20_000
    z = np.repeat(f, n) + rng.standard_normal(200 * n)
    cut = np.quantile(z, 0.7)
    p = ndtr(f - cut)
    is_one = (z > cut).reshape(200, n)
    loss = ((is_one - p[:, None]) ** 2).mean()
    constant = is_one.mean() * (1 - is_one.mean())
    expected = brier_skill(f, np.array([140, 60]), share)
    assert expected == pytest.approx(1 - loss / constant, abs=0.003)


def test_a_term_of_a_number_is_a_line_a_step_or_a_hump_of_its_ranks():
    values = pd.Series(np.random.default_rng(0).lognormal(0, 1, 200))
    ranks = values.rank().to_numpy() / 200
    found = set()
    for seed in range(40):
        term = _term(values, np.random.default_rng(seed))
        curvature, slope, constant = np.polyfit(ranks, term, 2)
        is_parabola = np.allclose((curvature * ranks + slope) * ranks + constant, term)
        if len(np.unique(term)) == 2:
            found.add("step")
        elif is_parabola and abs(curvature) < 1e-9:
            found.add("line")
        else:
            assert is_parabola and 0.29 < -slope / (2 * curvature) < 0.71
            found.add("hump")
    assert found == {"line", "step", "hump"}


def test_two_causes_have_a_term_each_and_half_of_their_product():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (300, 3)).astype(float))
    f, signal = _sum_of_terms(X, 2, rng)
    terms = X.iloc[:, list(signal)].apply(lambda x: (x - x.mean()) / x.std(ddof=0)).to_numpy()
    product = terms.prod(axis=1)
    product = (product - product.mean()) / product.std()
    design = np.column_stack([terms, product])
    (first, second, both), *_ = np.linalg.lstsq(design, f, rcond=None)
    assert np.allclose(design @ [first, second, both], f)
    assert all(0.5 / 1.3 <= abs(both / weight) <= 0.5 / 0.7 for weight in (first, second))


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
    task = "classification" if classes else "regression"
    made = make_response(X, y, task, share, n_signals, np.random.default_rng(seed))
    assert len(set(made.signal)) == n_signals
    assert np.isfinite(made.y).all()
    if classes:
        assert np.array_equal(np.sort(made.y), np.sort(y))
    else:
        assert np.var(made.y) == pytest.approx(1 / share, rel=0.6)  # f alone has variance 1
    # Other columns have no part in it.
    for name in X.columns[[c for c in range(6) if c not in made.signal]]:
        X[name] = X[name].iloc[::-1].reset_index(drop=True)
    same = make_response(X, y, task, share, n_signals, np.random.default_rng(seed))
    assert np.array_equal(made.y, same.y)


def test_the_share_of_classes_is_the_one_that_is_reached():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (4000, 5)), columns=list("abcde")).astype("category")
    y = np.where((X["a"] == 1) & (X["b"] == 1), "yes", "no")
    for seed in range(4):
        made = make_response(X, y, "classification", 0.8, 2, np.random.default_rng(seed))
        is_yes = pd.Series((made.y == "yes").astype(float))
        cells = X.iloc[:, list(made.signal)].astype(str).agg("".join, axis=1)
        best = is_yes.groupby(cells.to_numpy()).transform("mean")
        in_sample = 1 - ((is_yes - best) ** 2).mean() / is_yes.var(ddof=0)
        assert made.share == pytest.approx(in_sample, abs=0.03)
        assert made.share < 0.81
    numbers = table()
    made = make_response(numbers, np.arange(4000) % 2, "classification", 0.3, 3, rng)
    assert made.share == pytest.approx(0.3, abs=1e-3)
