"""The compiled forest against losawRF as the paper states it, on small random data sets."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from losaw import LosawRandomForestRegressor
from losaw.forest import LosawRandomForestClassifier, losaw_forest
from losaw.forest.as_printed.forest import ForestAsPrinted, KernelDensity
from losaw.forest.as_printed.steps import relative_decrease
from losaw.forest.growing.arrays import Settings
from losaw.weighting import PointMassError
from reference.node_by_node import compare, splits

KINDS = ["continuous", "ties", "discrete", "levels", "mixed"]
TOLERANCE = 1e-9  # rounding only
NOMINAL = [False, True, False, True, False]


@pytest.fixture(autouse=True)
def converged(monkeypatch):
    """Logits that end at their optimum, so that only rounding is left."""
    monkeypatch.setattr(losaw_forest, "Settings", partial(Settings, precision=1e-22))


def sample(kind, n, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    X[:, 1] += 1.2 * X[:, 0]
    X[:, 2] += X[:, 0] + X[:, 1]
    X[:, 4] += 0.5 * X[:, 3]
    y = X[:, 0] + X[:, 1] * (X[:, 3] > 0) + 0.3 * rng.standard_normal(n)
    if kind == "discrete":
        X = np.clip(np.round(X), -1, 1)
    if kind == "levels":  # 2 to 6 levels
        X = np.clip(np.round(2 * X), [-2, -2, -1, 0, -3], [2, 1, 1, 1, 2])
    if kind == "ties":
        X = np.round(X, 1)
    if kind == "mixed":
        X[:, [0, 2]] = np.clip(np.round(X[:, [0, 2]]), -1, 1)
    if kind == "nominal":  # codes that do not follow the order
        X[:, 1] = rng.permutation(5)[np.digitize(X[:, 1], [-1.5, -0.5, 0.5, 1.5])]
        X[:, 3] = rng.permutation(3)[np.digitize(X[:, 3], [-0.5, 0.5])]
        X[:, 4] = np.clip(np.round(X[:, 4]), -1, 1)
    return X, y


def fitted(kind, task, n, seed, **parameters):
    """A forest that tries all features at every node, and its sample."""
    X, y = sample(kind, n, seed)
    model = LosawRandomForestRegressor
    if task != "regression":
        cuts = [np.median(y)] if task == "two classes" else np.quantile(y, [0.3, 0.6])
        model, y = LosawRandomForestClassifier, np.digitize(y, cuts)
    forest = model(
        n_estimators=1,
        max_features=None,
        max_depth=4,
        nominal_features=NOMINAL if kind == "nominal" else None,
        random_state=seed,
        **parameters,
    )
    return forest.fit(X, y), X, y


@pytest.mark.parametrize("task", ["regression", "two classes", "three classes"])
@pytest.mark.parametrize("eta", [0.25, 0.7, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_every_node_splits_as_the_paper_says(kind, eta, task):
    n_splits = 0
    for seed in (0, 2, 4):
        forest, X, y = fitted(kind, task, 40 + 20 * seed, seed, eta=eta)
        assert forest.adjustment_.any() == (eta < 1)
        n_splits += compare(forest, X, y, TOLERANCE)
    assert n_splits > 10


@pytest.mark.long
@pytest.mark.parametrize("task", ["regression", "two classes", "three classes"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_node_of_many_forests_splits_as_the_paper_says(kind, task):
    n_splits = 0
    for seed in range(100, 200):
        rng = np.random.default_rng(seed)
        forest, X, y = fitted(
            kind,
            task,
            int(rng.integers(30, 150)),
            seed,
            eta=float(rng.uniform(0.1, 1.0)),
            min_samples_leaf=int(rng.integers(1, 8)),
            bootstrap=bool(rng.integers(2)),
        )
        n_splits += compare(forest, X, y, TOLERANCE)
    assert n_splits > 100


@pytest.mark.parametrize(("task", "n_forests"), [("regression", 4), ("two classes", 12)])
@pytest.mark.parametrize("eta", [0.25, 1.0])
def test_no_set_of_levels_is_better_than_the_one_taken(task, n_forests, eta):
    by_sets = 0
    for seed in range(n_forests):
        forest, X, y = fitted("nominal", task, 80, seed, eta=eta, min_samples_leaf=1)
        compare(forest, X, y, TOLERANCE)
        by_sets += sum(np.isnan(t.threshold[~t.is_leaf]).sum() for t in forest.trees_)
    assert by_sets > 10


def test_with_more_classes_the_sets_along_the_principal_component_are_nearly_the_best():
    shares = []
    for seed in range(8):
        forest, X, y = fitted("nominal", "three classes", 80, seed, min_samples_leaf=1)
        for tree, node, _, decrease, best, _ in splits(forest, X, y):
            assert tree.relative_decrease[node] == pytest.approx(decrease, abs=TOLERANCE)
            shares.append(decrease / best)
    assert len(shares) > 30
    assert np.mean(np.array(shares) > 0.999) > 0.8
    assert min(shares) > 0.7


def test_targets_that_no_other_feature_is_adjusted_for_are_weighted_alike():
    forest, X, y = fitted("continuous", "regression", 150, 3, n_adjustment=1)
    assert (forest.adjustment_.any(axis=1) & ~forest.adjustment_.any(axis=0)).any()
    compare(forest, X, y, 1e-9)


@pytest.mark.parametrize(("n", "max_depth", "outlier"), [(80, 4, None), (3000, 1, 1000.0)])
def test_without_bootstrap_both_forests_are_one(n, max_depth, outlier):
    """Adjustment features, splits, importances and predictions of whole forests."""
    X, y = sample("continuous", n, 0)
    if outlier is not None:
        X[0, 2] = outlier  # 54 standard deviations: its normal density is 0
    common = {"n_estimators": 1, "max_depth": max_depth, "max_features": None, "bootstrap": False}
    ours = LosawRandomForestRegressor(**common, random_state=0).fit(X, y)
    plain = ForestAsPrinted(**common, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.adjustment_, plain.adjustment_)
    np.testing.assert_allclose(ours.feature_importances_, plain.feature_importances_, atol=1e-9)
    np.testing.assert_allclose(ours.predict(X), plain.predict(X), atol=1e-9)


def test_kernel_densities_weight_a_forest():
    X, y = sample("mixed", 60, 0)
    common = {"n_estimators": 2, "max_depth": 2, "random_state": 0}
    normal = ForestAsPrinted(**common).fit(X, y)
    kernel = ForestAsPrinted(
        **common,
        propensity={"continuous": KernelDensity()},
        stabilization={"continuous": KernelDensity()},
    ).fit(X, y)
    assert kernel.predict(X).shape == (60,)
    assert kernel.feature_importances_.sum() == pytest.approx(1)
    assert not np.allclose(kernel.feature_importances_, normal.feature_importances_)


def test_a_kernel_density_given_other_features_integrates_to_one():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((200, 2))
    x = a[:, 0] + rng.standard_normal(200)
    grid = np.linspace(-12, 12, 3001)
    found = KernelDensity().fit(x, a).density(grid, np.tile([0.3, -0.2], (3001, 1)))
    assert found.sum() * (grid[1] - grid[0]) == pytest.approx(1, abs=1e-6)
    with pytest.raises(PointMassError):
        KernelDensity().fit(x, np.column_stack([a, x]))


def test_classes_are_predicted_with_their_shares():
    X, y = sample("nominal", 80, 0)
    words = np.array(["low", "mid", "high"])[np.digitize(y, np.quantile(y, [0.3, 0.7]))]
    ours = LosawRandomForestClassifier(n_estimators=2, nominal_features=NOMINAL, random_state=0)
    adjustment = ours.fit(X, words).adjustment_
    forest = ForestAsPrinted(
        "classification",
        n_estimators=5,
        nominal_features=NOMINAL,
        adjustment=adjustment,
        random_state=0,
    ).fit(X, words)
    shares = forest.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(forest.predict(X), forest.classes_[shares.argmax(axis=1)])
    assert (forest.predict(X) == words).mean() > 0.7


def test_the_initial_forest_finds_the_adjustment_features():
    X, y = sample("continuous", 150, 0)
    forest = ForestAsPrinted(
        n_estimators=1, max_depth=2, n_adjustment=2, n_initial_estimators=5, random_state=0
    ).fit(X, y)
    assert 0 < forest.adjustment_.any(axis=0).sum() <= 2


class Failing:
    def fit(self, target, adjustment, counts=None):
        raise PointMassError("nothing to invert")

    def density(self, target, adjustment):
        return np.zeros(len(target))


class Zero(Failing):
    def fit(self, target, adjustment, counts=None):
        pass


def test_a_point_mass_is_split_with_uniform_weights_and_a_density_of_zero_is_an_error():
    X, y = sample("continuous", 60, 0)
    common = {"n_estimators": 2, "max_depth": 3, "random_state": 0}
    unweighted = ForestAsPrinted(**common, propensity={"continuous": Failing()}).fit(X, y)
    plain = ForestAsPrinted(**common, eta=1.0).fit(X, y)
    np.testing.assert_array_equal(unweighted.predict(X), plain.predict(X))
    with pytest.raises(ValueError, match="returned zero, negative"):
        ForestAsPrinted(**common, propensity={"continuous": Zero()}).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"propensity": {"continous": None}}, ValueError, "did you mean 'continuous'"),
        ({"propensity": "kernel"}, TypeError, "must be a dict"),
        ({"task": "regresion"}, ValueError, "did you mean 'regression'"),
        ({"nominal_features": [True] * 5}, ValueError, "merge levels"),
    ],
)
def test_a_wrong_choice_says_what_is_allowed(parameters, error, message):
    X, y = sample("continuous", 60, 0)
    with pytest.raises(error, match=message):
        ForestAsPrinted(n_estimators=1, **parameters).fit(X, y)


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_lemma_9_2_by_brute_force(size, seed):
    rng = np.random.default_rng(seed)
    w = rng.exponential(size=size)
    w /= w.sum()
    y = rng.standard_normal(size)
    left = np.zeros(size, dtype=bool)
    left[: rng.integers(1, size)] = True
    total, left_total, left_weight = w @ y, w[left] @ y[left], w[left].sum()
    lemma = left_total**2 / left_weight + (total - left_total) ** 2 / (1 - left_weight) - total**2
    whole = w @ y**2 - total**2
    assert lemma / whole == pytest.approx(relative_decrease(w, y[:, None], left), abs=1e-10)
