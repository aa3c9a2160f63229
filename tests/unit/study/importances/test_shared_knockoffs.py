"""Knockoffs belong to the data set: all learners of a seed share its draws."""

import numpy as np
import pandas as pd
import pytest

from losaw.knockoffs import make_sampler
from losaw.knockoffs.gaussian import GaussianKnockoffs
from losaw.study.block.replicate import ingredients_in, run_replicate
from losaw.study.importances import shared_knockoffs
from losaw.study.importances.shared_knockoffs import SharedKnockoffs, kept_draws

IMPORTANCES = (
    "{cpi: {importance: cpi-gaussian}, twice: {importance: cpi-gaussian, n_draws: 2}, "
    "each: {importance: cpi-conditional}, sequential: {importance: cpi-sequential}}"
)
X = np.random.default_rng(0).standard_normal((40, 3))


@pytest.fixture(autouse=True)
def nothing_kept():
    kept_draws.clear()
    yield
    kept_draws.clear()


@pytest.fixture
def drawing(project):
    """The tiny study with importances that draw, each by both of its learners."""
    project.edit("importances: [reported]", f"importances: {IMPORTANCES}")
    project.edit("n_samples: [30, 60]", "n_samples: [30]")
    return project


def gaussian(seed=0, name="gaussian()"):
    return SharedKnockoffs(make_sampler("gaussian"), name, np.random.default_rng(seed))


def rows_of(session, learner, importances=None):
    """The rows of seed 0 of a learner, without what names it."""
    study = session.studies[0]
    ingredients = ingredients_in(study, study.settings[0], learner)
    parts = importances or ["", *ingredients.importances]
    return run_replicate(ingredients, 0, parts, ingredients.data)


def numbers(rows):
    """Rows as texts: a missing p-value is the same in two runs, but NaN is not equal to NaN."""
    return [repr(row) for row in rows]


def test_the_same_draws_with_and_without_those_that_are_kept_and_in_any_order(drawing):
    session = drawing.session()
    alone = {}
    for learner in ("jittered", "plain"):
        kept_draws.clear()
        alone[learner] = rows_of(session, learner)
    assert len(alone["plain"]) == 9 and all(row.status == "ok" for row in alone["plain"])
    kept_draws.clear()
    for learner, rows in alone.items():
        assert numbers(rows_of(session, learner)) == numbers(rows)
    some = [row for row in alone["plain"] if row.importance in ("twice", "each")]
    kept_draws.clear()
    assert numbers(rows_of(session, "plain", ["each", "twice"])) == numbers(some)


def test_a_second_learner_fits_no_sampler_and_gets_the_same_draws(drawing, monkeypatch):
    fits = []
    fit = GaussianKnockoffs.fit
    monkeypatch.setattr(
        GaussianKnockoffs, "fit", lambda self, *rows: fits.append(rows[0]) or fit(self, *rows)
    )
    session = drawing.session()
    rows_of(session, "plain", ["cpi"])
    assert len(fits) == 1
    kept = dict(kept_draws)
    rows_of(session, "jittered", ["cpi"])
    rows_of(session, "jittered", ["twice"])  # of its two draws the first is there
    assert len(fits) == 2 and kept.items() <= dict(kept_draws).items()


def test_draws_depend_on_seed_sampler_rows_and_fit():
    first = gaussian().fit(X).sample(None)
    kept_draws.clear()
    np.testing.assert_array_equal(gaussian().fit(X).sample(None), first)
    again = gaussian()
    others = [
        gaussian(1).fit(X).sample(None),
        gaussian(name="gaussian(s_method='mvr')").fit(X).sample(None),
        gaussian().fit(X + 1e-12).sample(None),
        again.fit(X).sample(None),
        again.sample(None),
        again.fit(X).sample(None),
    ]
    # Another name alone draws the same numbers anew; the fourth is the first one.
    is_first = [np.array_equal(other, first) for other in others]
    assert is_first == [False, True, False, True, False, False]
    assert len(kept_draws) == 6


class Draws:
    def __init__(self, draw):
        self.draw = draw

    def fit(self, X, kinds=None, rng=None):
        return self

    def sample(self, rng):
        return self.draw


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (X[:5], r"sampler mine gives shape \(5, 3\), expected \(40, 3\)"),
        (X[:, 0], r"gives shape \(40,\)"),
        (None, r"gives shape \(\)"),
        (np.where(X > 1, np.nan, X), "mine gives missing or infinite values"),
        (np.where(X > 1, np.inf, X), "mine gives missing or infinite values"),
    ],
)
def test_a_draw_that_cannot_take_the_place_of_the_rows_is_refused(draw, words):
    with pytest.raises(ValueError, match=words):
        SharedKnockoffs(Draws(draw), "mine", np.random.default_rng(0)).fit(X).sample(None)


def test_a_draw_may_be_a_list_or_a_frame_and_keep_missing_values():
    holes = np.where(X > 1, np.nan, X)
    for draw in (X.tolist(), pd.DataFrame(X), holes):
        shared = SharedKnockoffs(Draws(draw), str(type(draw)), np.random.default_rng(0))
        np.testing.assert_array_equal(shared.fit(holes).sample(None), draw)
    assert holes.flags.writeable  # what a sampler keeps is not what is shared


def test_kept_draws_take_limited_memory_and_cannot_be_changed(monkeypatch):
    monkeypatch.setattr(shared_knockoffs, "MOST_BYTES", 3 * X.nbytes)
    drawn = [gaussian(seed).fit(X).sample(None) for seed in range(5)]
    assert len(kept_draws) == 3
    np.testing.assert_array_equal(gaussian(0).fit(X).sample(None), drawn[0])
    with pytest.raises(ValueError, match="read-only"):
        drawn[0][0, 0] = 1.0


def test_draws_of_units_may_have_weights_and_clusters():
    units, rows = [np.array([0]), np.array([1, 2])], np.arange(40) % 8
    draws = [
        SharedKnockoffs(make_sampler("conditional"), "conditional()", np.random.default_rng(0))
        .fit(X, None, None, units=units, weights=weights, clusters=rows)
        .sample(np.random.default_rng(1))
        for weights in (np.ones(40), np.ones(40), 1.0 + rows)
    ]
    assert draws[0] is draws[1]
    assert draws[0] is not draws[2]
