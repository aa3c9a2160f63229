"""Propensity and stabilisation models other than the compiled ones, inside the forest."""

import copy
from typing import ClassVar

import numpy as np
import pytest

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor, diagnose
from losaw.weighting import (
    ClassFrequency,
    GaussianLinear,
    KernelConditional,
    MultinomialLogit,
    NormalDensity,
    PointMassError,
)
from losaw.weighting.logit.newton import PRECISION


def sample(kind, n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    X[:, 1] += X[:, 0]
    X[:, 2] += X[:, 0] + X[:, 1]
    if kind == "discrete":
        X = np.clip(np.round(X), -1, 1)
    if kind == "mixed":
        X[:, [0, 2]] = np.clip(np.round(X[:, [0, 2]]), -1, 1)
    return X, X[:, 0] + X[:, 1] * (X[:, 3] > 0) + 0.3 * rng.standard_normal(n)


def fit(X, y, **parameters):
    return LosawRandomForestRegressor(n_estimators=4, random_state=1, **parameters).fit(X, y)


def assert_equal_forests(ours, theirs, tolerance):
    for one, other in zip(ours.trees_, theirs.trees_, strict=True):
        np.testing.assert_array_equal(one.feature, other.feature)
        np.testing.assert_array_equal(one.threshold, other.threshold)
        np.testing.assert_allclose(
            one.relative_decrease, other.relative_decrease, atol=tolerance, rtol=0
        )
    np.testing.assert_allclose(
        ours.feature_importances_, theirs.feature_importances_, atol=tolerance, rtol=0
    )


# The linear models differ by rounding only. Small logits are solved eight at a time in the forest,
# one at a time in losaw.weighting: both end within this distance, in standard errors.
TOLERANCE = {"continuous": 1e-9, "discrete": PRECISION**0.5, "mixed": PRECISION**0.5}


@pytest.mark.parametrize("eta", [0.25, 0.95])  # the cap cuts discrete weights at the larger one
@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed"])
def test_the_papers_models_asked_node_by_node_grow_the_compiled_forest(kind, eta):
    X, y = sample(kind)
    models = {"continuous": GaussianLinear(), "discrete": MultinomialLogit(standardize=False)}
    assert_equal_forests(fit(X, y, propensity=models, eta=eta), fit(X, y, eta=eta), TOLERANCE[kind])


def test_a_model_for_all_targets_need_not_be_named_by_kind():
    X, y = sample("continuous")
    assert_equal_forests(fit(X, y, propensity=GaussianLinear()), fit(X, y), 1e-9)


def test_asked_models_grow_the_compiled_forest_of_three_classes():
    X, y = sample("mixed")
    labels = np.digitize(y, [-1.0, 0.5])
    models = {"continuous": GaussianLinear(), "discrete": MultinomialLogit(standardize=False)}
    asked, compiled = (
        LosawRandomForestClassifier(n_estimators=3, random_state=1, propensity=p).fit(X, labels)
        for p in (models, "auto")
    )
    assert_equal_forests(asked, compiled, 1e-9)


@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed"])
def test_the_papers_densities_looked_up_grow_the_compiled_forest(kind):
    X, y = sample(kind)
    densities = {"continuous": NormalDensity(), "discrete": ClassFrequency()}
    assert_equal_forests(fit(X, y, stabilization=densities), fit(X, y), 1e-9)


def test_kernel_stabilisation_is_the_same_in_compiled_and_asked_forests():
    X, y = sample("continuous")
    compiled = fit(X, y, stabilization="kernel")
    asked = fit(X, y, stabilization="kernel", propensity=GaussianLinear())
    assert_equal_forests(asked, compiled, 1e-9)
    assert not np.allclose(compiled.feature_importances_, fit(X, y).feature_importances_)


def test_kernel_stabilisation_weights_the_root_like_the_weighting_package():
    X, y = sample("continuous")
    forest = fit(X, y, stabilization="kernel", bootstrap=False, max_features=None, max_depth=1)
    frame = diagnose(forest, X, n_trees=1)
    root = frame[frame.is_split]
    np.testing.assert_allclose(
        root["effective_size"], forest.trees_[0].effective_sample_size[0], rtol=1e-9
    )


def test_a_conditional_kernel_density_weights_inside_the_forest():
    X, y = sample("continuous", n=80)
    forest = fit(X, y, propensity="kernel")
    sizes = np.concatenate([tree.effective_sample_size for tree in forest.trees_])
    assert (sizes < 1).any() and np.isfinite(forest.feature_importances_).all()


class Recording(GaussianLinear):
    """Notes what a node hands over."""

    seen: ClassVar[list] = []

    def fit(self, target, adjustment, counts=None):
        self.seen.append((len(target), adjustment.shape[1], np.array(self.discrete), counts.sum()))
        return super().fit(target, adjustment, counts)


def test_a_model_gets_the_nodes_rows_the_adjustment_features_and_which_are_discrete():
    X, y = sample("mixed")
    Recording.seen.clear()
    forest = fit(
        X,
        y,
        propensity={"continuous": Recording()},
        bootstrap=False,
        max_features=None,
        max_depth=1,
    )
    widths = {int(row.sum()) for row in forest.adjustment_[~forest.is_discrete_] if row.any()}
    assert {size for size, *_ in Recording.seen} == {len(y)}
    assert {columns for _, columns, *_ in Recording.seen} <= widths
    assert all(mask.shape == (columns,) for _, columns, mask, _ in Recording.seen)
    assert any(mask.any() for _, _, mask, _ in Recording.seen)


class PointMass(GaussianLinear):
    def fit(self, target, adjustment, counts=None):
        raise PointMassError("nothing to invert")


def test_where_a_model_finds_a_point_mass_the_forest_splits_with_uniform_weights():
    X, y = sample("mixed")
    assert_equal_forests(fit(X, y, propensity=PointMass()), fit(X, y, eta=1.0), 1e-12)


class Failing(GaussianLinear):
    def fit(self, target, adjustment, counts=None):
        raise ArithmeticError("no luck")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_model_reaches_the_caller(n_jobs):
    X, y = sample("continuous")
    forest = LosawRandomForestRegressor(n_estimators=30, n_jobs=n_jobs, propensity=Failing())
    with pytest.raises(ArithmeticError, match="no luck"):
        forest.fit(X, y)
    assert not hasattr(forest, "forest_")


class Zero(GaussianLinear):
    def density(self, target, adjustment):
        return np.zeros(len(target))


def test_a_density_of_zero_is_an_error():
    X, y = sample("continuous")
    with pytest.raises(ValueError, match="returned zero, negative"):
        fit(X, y, propensity=Zero())


def test_asked_models_give_the_same_forest_in_two_threads():
    X, y = sample("mixed")
    one, two = (
        LosawRandomForestRegressor(
            n_estimators=20, random_state=1, n_jobs=n_jobs, propensity=GaussianLinear()
        ).fit(X, y)
        for n_jobs in (1, 2)
    )
    assert_equal_forests(one, two, 0)


def test_the_given_model_is_never_fitted_itself():
    X, y = sample("continuous")
    model = KernelConditional()
    before = copy.copy(vars(model))
    fit(X, y, propensity=model, max_depth=1)
    assert vars(model) == before


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"propensity": "gausian"}, "did you mean 'gaussian'"),
        ({"stabilization": "gaussian"}, "'gaussian' is unknown"),
        ({"propensity": {"continous": "gaussian"}}, "did you mean 'continuous'"),
        ({"propensity": {"discrete": "gaussian"}}, "is for continuous targets"),
    ],
)
def test_a_wrong_choice_says_what_is_allowed(parameters, message):
    X, y = sample("continuous")
    with pytest.raises(ValueError, match=message):
        fit(X, y, **parameters)


def test_an_object_without_density_is_refused():
    X, y = sample("continuous")
    with pytest.raises(TypeError, match="has no fit"):
        fit(X, y, propensity=object())
