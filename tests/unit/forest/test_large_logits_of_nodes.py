"""Which logits of nodes are fitted in effects of levels, and that nothing else depends on it.

Of forest.growing.logits_of_cells.
"""

import numpy as np
import pytest

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor, ensemble
from losaw.forest.growing import workspace
from losaw.forest.growing.logits_of_cells import MOST_IN_CONTRASTS
from losaw.forest.growing.weights_discrete import PRECISION
from losaw.weighting.levels import helmert
from reference.logit import ReferenceLogit
from reference.node_by_node import compare


def cut(X, n_levels):
    """Ranks of the levels of columns cut at their quantiles."""
    inner = np.linspace(0, 1, n_levels + 1)[1:-1]
    return np.column_stack([np.searchsorted(np.quantile(x, inner), x) for x in X.T]).astype(float)


def sample(n_levels, n=400, seed=0):
    """Three correlated features of that many levels and a continuous one."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[:, 1:] += X[:, :1]
    y = X[:, 1] + X[:, 2] * (X[:, 3] > 0) + rng.standard_normal(n)
    return np.column_stack([cut(X[:, :3], n_levels), X[:, 3]]), y


@pytest.fixture
def rooms(monkeypatch):
    """The workspaces of the forests that are grown."""
    made = []

    def make_cells(data, settings):
        made.append(workspace.make_cells(data, settings))
        return made[-1]

    monkeypatch.setattr(ensemble, "make_cells", make_cells)
    return made


def takes_effects(rooms):
    """Tell whether any logit used effects."""
    return any((room.effects.size > 0).any() for room in rooms)


def grow(X, y, **parameters):
    common = {"n_estimators": 2, "max_features": None, "max_depth": 1, "random_state": 0}
    return LosawRandomForestRegressor(**common | parameters).fit(X, y)


@pytest.mark.parametrize(("n_levels", "is_large"), [(2, False), (4, False), (8, True)])
def test_logits_of_many_unknowns_take_effects(n_levels, is_large, rooms):
    # two features of m levels and a number: (m - 1) (1 + 2 (m - 1) + 1) unknowns
    n_unknowns = (n_levels - 1) * 2 * n_levels
    assert (n_unknowns > MOST_IN_CONTRASTS) == is_large
    grow(*sample(n_levels))
    assert takes_effects(rooms) == is_large


@pytest.mark.parametrize("most", [111, 112])
def test_the_border_is_the_number_of_unknowns(most, rooms, monkeypatch):
    monkeypatch.setattr(workspace, "MOST_IN_CONTRASTS", most)
    grow(*sample(8))
    assert takes_effects(rooms) == (most < 112)


def test_a_logit_on_numbers_stays_in_contrasts(rooms):
    X, y = sample(25)
    X[:, 1:3] += np.linspace(0, 0.5, len(X))[:, None]
    forest = grow(X, y, discrete_features=[0])
    assert 24 * (1 + forest.adjustment_[0].sum()) > MOST_IN_CONTRASTS
    assert not takes_effects(rooms)


def test_two_classes_never_take_effects(rooms, monkeypatch):
    monkeypatch.setattr(workspace, "MOST_IN_CONTRASTS", 0)
    grow(*sample(2))
    assert not takes_effects(rooms)


@pytest.mark.parametrize("kind", [LosawRandomForestRegressor, LosawRandomForestClassifier])
@pytest.mark.parametrize("n_levels", [6, 10])
def test_a_forest_is_the_same_on_either_side_of_the_border(n_levels, kind, rooms, monkeypatch):
    X, y = sample(n_levels)
    if kind is LosawRandomForestClassifier:
        y = np.digitize(y, [-1.0, 1.0])
    forests = []
    for most in (0, 10**6):
        monkeypatch.setattr(workspace, "MOST_IN_CONTRASTS", most)
        rooms.clear()
        forests.append(kind(n_estimators=3, max_depth=6, random_state=0).fit(X, y))
        assert takes_effects(rooms) == (most == 0)
    ours, theirs = forests
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-9)
    for one, other in zip(ours.trees_, theirs.trees_, strict=True):
        np.testing.assert_array_equal(one.feature, other.feature)
        np.testing.assert_array_equal(one.threshold, other.threshold)
        # both end within this distance of the optimum, in standard errors
        decreases = one.relative_decrease, other.relative_decrease
        np.testing.assert_allclose(*decreases, rtol=0, atol=PRECISION**0.5)


class LevelsLogit(ReferenceLogit):
    """The independent solver, on contrasts of the levels where a feature is discrete."""

    discrete = "auto"

    def fit(self, target, adjustment, counts=None):
        """Fit on the rows."""
        blocks = []
        for column, is_discrete in zip(adjustment.T, self.discrete, strict=True):
            levels, code = np.unique(column, return_inverse=True)
            blocks.append(helmert(len(levels))[code] if is_discrete else column[:, None])
        return super().fit(target, np.hstack(blocks), counts)


def separated(seed=0):
    """Ten levels that the levels of two other features part almost everywhere."""
    rng = np.random.default_rng(seed)
    first = rng.permutation(np.arange(400) % 10)
    second = np.where(rng.random(400) < 0.02, rng.integers(0, 10, 400), first)
    X = np.column_stack([first, second, (first + second) // 4, rng.standard_normal(400)])
    return X.astype(float), X[:, 0] + rng.standard_normal(400)


@pytest.mark.parametrize("draw", [lambda: sample(8), separated], ids=["alike", "separated"])
def test_a_forest_weighs_large_logits_as_with_the_independent_solver(draw, rooms):
    X, y = draw()
    ours = grow(X, y)
    assert takes_effects(rooms)
    assert compare(ours, X, y, PRECISION**0.5, {"discrete": LevelsLogit()}) > 1
