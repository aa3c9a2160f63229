"""Traversal rates against trees counted by hand, their bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from losaw.trends import absolute_traversal_rate, relative_traversal_rate

# The tree of the paper's Figure 1: the root separates {2, 4, 7, 3} from {8, 12, 4, 6}.
FIGURE_1 = np.array([2.0, 4.0, 7.0, 3.0, 8.0, 12.0, 4.0, 6.0])


def data(seed=0, n_samples=120, n_features=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    return X, 3 * X[:, 0] - X[:, 1] + rng.standard_normal(n_samples)


def hand_count(forest, X, y, relative):
    """Rates from the in-bag rows themselves, split by split, without node values."""
    totals, counts = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        inner = tree.tree_

        def visit(node, rows, inner=inner):
            feature = inner.feature[node]
            if feature < 0:
                return
            goes_left = X[rows, feature].astype(np.float32) <= inner.threshold[node]
            left, right = rows[goes_left], rows[~goes_left]
            low, high = y[left].mean(), y[right].mean()
            totals[feature] += (
                2 * (high - low) / abs(low + high) if relative else np.sign(high - low)
            )
            counts[feature] += 1
            visit(inner.children_left[node], left)
            visit(inner.children_right[node], right)

        visit(0, rows)
    return totals / counts


@pytest.mark.parametrize("rate", [absolute_traversal_rate, relative_traversal_rate])
def test_a_rate_is_the_mean_of_signs_or_of_relative_differences_of_the_splits(rate):
    X, y = data()
    y = y - y.min() + 1
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    expected = hand_count(forest, X, y, relative=rate is relative_traversal_rate)
    np.testing.assert_allclose(rate(forest).scores, expected, rtol=1e-9)


def test_a_single_split_has_the_rates_of_its_formula():
    x = np.arange(8.0)[:, None]
    stump = DecisionTreeRegressor(max_depth=1, random_state=0).fit(x, FIGURE_1)
    low, high = FIGURE_1[:4].mean(), FIGURE_1[4:].mean()
    assert absolute_traversal_rate(stump).scores == [1.0]
    for form in ("mean", "printed", "bounded"):
        estimate = relative_traversal_rate(stump, form=form).scores[0]
        assert estimate == pytest.approx(2 * (high - low) / (high + low))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), shift=st.floats(-5, 5), leaf=st.integers(1, 20))
def test_rates_stay_within_their_bounds(seed, shift, leaf):
    X, y = data(seed, 60)
    forest = RandomForestRegressor(3, min_samples_leaf=leaf, random_state=seed).fit(X, y + shift)
    for weighting in ("splits", "rows"):
        rate = absolute_traversal_rate(forest, weighting=weighting)
        assert np.abs(rate.scores).max() <= 1
        bounded = relative_traversal_rate(forest, form="bounded", weighting=weighting)
        assert np.abs(bounded.scores).max() <= 2


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_rates_change_their_sign_with_the_response_and_the_printed_form_is_a_sum(seed):
    X, y = data(seed, 60)
    both = [RandomForestRegressor(3, random_state=seed).fit(X, sign * y) for sign in (1, -1)]
    up, down = (absolute_traversal_rate(forest).scores for forest in both)
    np.testing.assert_array_equal(up, -down)
    up, down = (relative_traversal_rate(forest).scores for forest in both)
    np.testing.assert_allclose(up, -down, rtol=1e-9)
    mean, printed = (relative_traversal_rate(both[0], form=form) for form in ("mean", "printed"))
    np.testing.assert_allclose(printed.scores, mean.scores * mean.details["n_splits"])


def test_weighing_by_rows_lets_the_upper_splits_decide():
    # One rising split of all rows, then falling ones of ever fewer rows.
    x = np.arange(8.0)[:, None]
    tree = DecisionTreeRegressor(random_state=0).fit(x, [1.0, 0.5, 0.2, 0.1, 9.0, 8.5, 8.2, 8.1])
    by_splits = absolute_traversal_rate(tree).scores[0]
    by_rows = absolute_traversal_rate(tree, weighting="rows").scores[0]
    assert by_splits == pytest.approx(-5 / 7)
    assert by_rows > by_splits


def test_a_feature_without_splits_of_values_has_no_trend():
    X, y = data()
    X[:, 2] = np.where(y > 0, np.nan, 1.0)
    result = absolute_traversal_rate(RandomForestRegressor(5, random_state=0).fit(X, y))
    assert result.scores[2] == 0
    assert result.details["n_splits"][2] == 0
    assert np.isnan(result.std_error[2])


def test_splits_whose_denominator_is_zero_are_counted_and_left_out():
    x = np.arange(4.0)[:, None]
    stump = DecisionTreeRegressor(max_depth=1, random_state=0).fit(x, [-1.0, -1.0, 1.0, 1.0])
    result = relative_traversal_rate(stump)
    assert result.scores == [0.0] and result.details["undefined_splits"] == 1


def test_the_error_is_that_of_a_mean_over_trees():
    X, y = data()
    forest = RandomForestRegressor(4, random_state=0).fit(X, y)
    single = [absolute_traversal_rate(tree).scores for tree in forest.estimators_]
    result = absolute_traversal_rate(forest)
    np.testing.assert_allclose(result.std_error, np.std(single, axis=0, ddof=1) / 2)


def test_the_error_of_the_printed_sum_is_that_of_a_sum_over_all_trees():
    X, y = data()
    forest = RandomForestRegressor(10, max_features=1, random_state=0).fit(X, y)
    single = [relative_traversal_rate(tree, form="printed").scores for tree in forest.estimators_]
    result = relative_traversal_rate(forest, form="printed")
    np.testing.assert_allclose(result.scores, np.sum(single, axis=0))
    np.testing.assert_allclose(result.std_error, np.std(single, axis=0, ddof=1) * np.sqrt(10))


def test_the_error_of_the_printed_sum_is_its_spread_over_forests():
    X, y = data()
    found = [
        relative_traversal_rate(
            RandomForestRegressor(20, max_depth=2, max_features=1, random_state=seed).fit(X, y + 9),
            form="printed",
            weighting="rows",
        )
        for seed in range(60)
    ]
    spread = np.std([one.scores for one in found], axis=0, ddof=1)
    errors = np.sqrt(np.mean([one.std_error**2 for one in found], axis=0))
    np.testing.assert_allclose(errors, spread, rtol=0.35)  # .09 is the error of the spread


def test_a_feature_that_one_tree_alone_splits_on_has_no_error():
    stumps = RandomForestRegressor(2, max_depth=1, max_features=1, random_state=1)
    result = relative_traversal_rate(stumps.fit(*data()), form="printed")
    assert result.details["n_splits"].max() == 1 and np.isnan(result.std_error).all()


def test_two_classes_are_read_as_the_share_of_the_second():
    X, y = data()
    model = RandomForestClassifier(20, max_depth=4, random_state=0)
    rate = absolute_traversal_rate(model.fit(X, np.where(y > 0, "yes", "no")))
    assert rate.scores[0] > 0.5 and rate.method.endswith("towards class 'yes'")
