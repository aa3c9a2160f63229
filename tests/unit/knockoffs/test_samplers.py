"""Samplers treat good and bad input as their contract says; draws that can be recognised."""

import warnings

import numpy as np
import pytest

from losaw.knockoffs import diagnostics, make_sampler
from losaw.knockoffs.diagnostics import draw_tests
from reference.second_moments import second_moments

KINDS = ("nominal", "continuous", "nominal", "continuous")
# Compiling the network of six layers takes seconds for every shape of X.
QUICK = {"deep": {"n_epochs": 3, "n_layers": 1, "width": 8}}
# Compiled for every shape, in seconds.
DEEP = pytest.param("deep", marks=pytest.mark.long)


def mixed(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[:, 0] = np.digitize(X[:, 0], [-0.5, 0.5])
    X[:, 2] = np.digitize(X[:, 1] + X[:, 2], [0.0])
    return X


def draw(name, X, kinds=None, seed=1):
    rng = np.random.default_rng(seed)
    return make_sampler(name, **QUICK.get(name, {})).fit(X, kinds, rng).sample(rng)


@pytest.mark.parametrize("name", ["gaussian", "sequential"])
def test_collinear_columns_and_more_columns_than_rows_give_finite_knockoffs(name):
    X = np.random.default_rng(3).standard_normal((80, 3))
    X = np.column_stack([X, X[:, 0], X[:, 1] + X[:, 2]])
    knockoffs = draw(name, X)
    assert np.isfinite(knockoffs).all()
    # Given its copy a column is known: its knockoff must be close to it.
    assert np.corrcoef(X[:, 0], knockoffs[:, 0])[0, 1] > 0.8
    assert np.isfinite(draw(name, np.random.default_rng(4).standard_normal((20, 30)))).all()


def test_gaussian_draws_that_leave_the_line_of_tied_columns_warn_of_it():
    X = np.random.default_rng(3).standard_normal((80, 3))
    for tied in (X[:, :1], 1 + 2 * X[:, :1], X @ np.ones((3, 1))):
        tied = tied + 1e-6 * np.random.default_rng(5).standard_normal((80, 1))
        with pytest.warns(UserWarning, match=r"columns that determine each other.*Drop columns"):
            draw("gaussian", np.column_stack([X, tied]))
    with pytest.warns(UserWarning, match="or too few rows"):
        draw("gaussian", np.random.default_rng(4).standard_normal((20, 30)))
    with warnings.catch_warnings(action="error"):
        near = X[:, 0] + 1e-3 * np.random.default_rng(4).standard_normal(80)
        draw("gaussian", np.column_stack([X, near]))  # its draws follow the line
        draw("gaussian", np.column_stack([X, np.ones(80)]))


def test_a_level_with_a_single_row_is_no_obstacle():
    X = mixed()
    X[5, 0] = 7
    knockoffs = draw("sequential", X, KINDS)
    assert set(knockoffs[:, 0]) <= {0.0, 1.0, 2.0, 7.0}
    assert np.isfinite(knockoffs).all()


def test_training_brings_the_deep_loss_down_and_learns_the_second_moments():
    rng = np.random.default_rng(6)
    X = rng.multivariate_normal(np.zeros(3), [[1, 0.7, 0], [0.7, 1, 0], [0, 0, 1]], 256)
    sampler = make_sampler("deep", n_epochs=100, n_layers=2).fit(X, None, rng)
    assert sampler.losses_[-20:].mean() < 0.5 * sampler.losses_[:5].mean()
    found = second_moments(X, sampler.sample(rng))
    assert found.own < 0.35
    assert found.cross < 0.35


def test_a_dummy_that_is_0_in_a_whole_batch_leaves_finite_gradients():
    import jax
    import jax.numpy as jnp

    from losaw.knockoffs import deep_losses

    X = jnp.asarray(np.random.default_rng(7).standard_normal((16, 2))).at[:, 0].set(0.0)

    def loss(copies):
        parts = deep_losses.decorrelation_loss(X, copies, jnp.zeros(2))
        parts += deep_losses.swap_discrepancy(X, copies, jnp.ones(2))
        return parts + deep_losses.second_moment_loss(X, copies, jnp.eye(2))

    gradient = jax.jit(jax.grad(loss))
    for copies in (X, X[::-1], jnp.zeros_like(X)):
        assert np.isfinite(gradient(copies)).all()


def test_the_moments_of_a_batch_do_not_prefer_copies_to_independent_knockoffs():
    import jax
    import jax.numpy as jnp

    from losaw.knockoffs.deep_losses import second_moment_loss

    loss = jax.jit(lambda X, copies: second_moment_loss(X, copies, jnp.eye(10)))
    rng = np.random.default_rng(8)
    batches = [rng.standard_normal((2, 64, 10)) for _ in range(200)]
    differences = [float(loss(X, X) - loss(X, copies)) for X, copies in map(jnp.asarray, batches)]
    # Independent columns: copies and independent draws have the right moments off the diagonal.
    assert abs(np.mean(differences)) < 4 * np.std(differences) / np.sqrt(200)


@pytest.mark.parametrize(("n_values", "share"), [(12, 1.0), (13, 0.0)])
def test_sequential_knockoffs_draw_at_most_twelve_values_as_levels(n_values, share):
    X = mixed()
    X[:, 1] = np.arange(len(X)) % n_values
    knockoffs = draw("sequential", X, ("nominal", "discrete", "nominal", "continuous"))
    assert np.isin(knockoffs[:, 1], X[:, 1]).mean() == share


@pytest.mark.parametrize("sampler", ["gaussian", "sequential", DEEP])
@pytest.mark.parametrize(
    "columns",
    [np.ones((20, 3)), np.ones((20, 1)), mixed(20) + 1e17, np.insert(mixed(20), 1, 3.0, axis=1)],
    ids=["all", "one", "lost", "among others"],
)
def test_constant_columns_are_their_own_knockoffs(sampler, columns):
    moved = (draw(sampler, columns) != columns).any(axis=0)
    np.testing.assert_array_equal(moved, np.ptp(columns, axis=0) > 0)


@pytest.mark.parametrize("sampler", ["gaussian", "sequential", "conditional"])
@pytest.mark.parametrize("unit", [1e-70, 1e140])
def test_knockoffs_have_no_unit(sampler, unit):
    X = np.random.default_rng(0).standard_normal((60, 3))
    found, expected = (draw(sampler, X * u) / u for u in (unit, 1.0))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.long
def test_deep_knockoffs_of_a_column_that_hardly_varies_say_so():
    X = np.random.default_rng(0).standard_normal((40, 2)) * [1.0, 1e-310]
    with pytest.raises(ValueError, match=r"column 'X2', has no value beyond .* another unit"):
        make_sampler("deep", n_epochs=2).fit(X, ("continuous",) * 2, np.random.default_rng(0))


def zero_inflated(n=500, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    u = x + 0.5 * rng.standard_normal(n)
    return np.column_stack([x, np.where(u > 1.5, np.exp(u), 0.0)])


def test_a_normal_draw_of_a_column_of_zeros_is_recognised_and_a_conditional_one_is_not():
    X = zero_inflated()
    wrong, right = (
        draw_tests(X, draw(name, X), columns=[1], random_state=0)[1]
        for name in ("gaussian", "conditional")
    )
    assert wrong.recognised > 0.9 and wrong.p_value < 1e-6
    assert right.p_value > 0.01


def test_a_draw_that_ignores_the_other_columns_or_spreads_too_far_is_recognised():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 3))
    X[:, 2] = X[:, 0] + 0.5 * X[:, 2]
    levels = np.digitize(X[:, 2], [-0.5, 0.5]).astype(float)
    X = np.column_stack([X, levels])
    kinds = ("continuous",) * 3 + ("nominal",)
    permuted = np.column_stack([rng.permutation(column) for column in X.T])
    found = draw_tests(X, permuted, kinds, columns=[1, 2, 3], random_state=0)
    assert found[2].p_value < 1e-6 and found[3].p_value < 1e-6
    assert found[1].p_value > 0.01  # of a column that the others do not predict it is right
    first, *noise = rng.standard_normal((3, 600))
    X, drawn = (np.column_stack([first, first + part]) for part in (0.2 * noise[0], 0.5 * noise[1]))
    assert draw_tests(X, drawn, columns=[1], random_state=0)[1].p_value < 1e-6


def test_only_columns_that_vary_are_tested_missing_values_included():
    X = zero_inflated(100)
    X = np.column_stack([X, np.ones(100), np.where(np.arange(100) % 5, X[:, 0], np.nan)])
    drawn = draw("conditional", X)
    assert set(draw_tests(X, drawn, random_state=0)) == {0, 1, 3}
    assert set(draw_tests(X, drawn, columns=[1, 2], random_state=0)) == {1}


def test_a_test_follows_its_seed_and_not_the_other_columns():
    X = zero_inflated(100)
    drawn = draw("conditional", X)
    every = draw_tests(X, drawn, random_state=0)
    assert draw_tests(X, drawn, columns=[1], random_state=0)[1] == every[1]


def test_the_smaller_of_two_p_values_counts_twice(monkeypatch):
    tests = iter([diagnostics.DrawTest(0.6, 0.4), diagnostics.DrawTest(0.7, 0.2)])
    monkeypatch.setattr(diagnostics, "_above_zero", lambda *_: next(tests))
    X = zero_inflated(60)
    assert draw_tests(X, X[::-1], columns=[0], random_state=0)[0] == (0.7, 0.4)


def test_draws_of_a_group_of_one_column_are_tested_as_those_of_the_column():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 1)) + rng.standard_normal((200, 3))
    drawn = rng.permutation(X)
    of_column = draw_tests(X, drawn, columns=[1], random_state=1)[1]
    # Shuffled together they lose their relation to the third, which shows more than either alone.
    found = draw_tests(X, drawn, columns=[(1,), (0, 1)], random_state=1)
    assert found[1,] == of_column
    assert found[0, 1].p_value < 1e-3


def test_a_group_without_variation_is_not_tested_and_wrong_shapes_are_named():
    X = np.column_stack([np.ones(50), np.arange(50.0)])
    assert draw_tests(X, X, columns=[(0,)]) == {}
    with pytest.raises(ValueError, match=r"drawn has shape \(50, 1\), expected \(50, 2\)"):
        draw_tests(X, X[:, [0]], columns=[0])
    with pytest.raises(ValueError, match="drawn has shape"):
        draw_tests(X, X[:40])
