"""Importances of a bagged forest against plain loops over its trees, and algebraic identities."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.preprocessing import OneHotEncoder

from losaw.forest import (
    LosawRandomForestClassifier,
    LosawRandomForestRegressor,
    PlainRandomForestRegressor,
)
from losaw.importance import air, mdi_oob, split_improvement, tree_permutation, ufi
from losaw.trends import absolute_traversal_rate, relative_traversal_rate

CASES = ("regression", "binary", "three classes", "deep", "extra trees", "losaw", "plain")
CASES += ("losaw, binary", "losaw, three classes")
OF_CLASSES = ("binary", "three classes")


def sample(n_samples=120, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, k + 2, n_samples) for k in range(4)]).astype(float)
    y = X[:, 0] + 0.5 * X[:, 1] + rng.standard_normal(n_samples)
    return X, y


def fitted(case):
    X, y = sample()
    classes = np.digitize(y, np.quantile(y, [0.5] if case.endswith("binary") else [0.3, 0.7]))
    models = {
        "regression": RandomForestRegressor(8, max_depth=3, random_state=1),
        "binary": RandomForestClassifier(8, max_depth=3, random_state=1),
        "three classes": RandomForestClassifier(8, max_depth=3, random_state=1),
        "deep": RandomForestRegressor(5, random_state=1),
        "monotone": RandomForestRegressor(8, monotonic_cst=[1, 0, 0, 0], random_state=1),
        "extra trees": ExtraTreesRegressor(8, max_depth=3, bootstrap=True, random_state=1),
        "losaw": LosawRandomForestRegressor(8, max_depth=3, random_state=1),
        "plain": PlainRandomForestRegressor(8, max_depth=3, random_state=1),
        "losaw, binary": LosawRandomForestClassifier(8, max_depth=3, random_state=1),
        "losaw, three classes": LosawRandomForestClassifier(8, max_depth=3, random_state=1),
    }
    response = classes if case.endswith(OF_CLASSES) else y
    return models[case].fit(X, response), X, response


def trees_and_bags(model, n_samples):
    if hasattr(model, "trees_"):
        return list(zip(model.trees_, model.in_bag_counts(), strict=True))
    counts = [np.bincount(rows, minlength=n_samples) for rows in model.estimators_samples_]
    return list(zip([one.tree_ for one in model.estimators_], counts, strict=True))


def rows_of_nodes(tree, X):
    """Rows in every node, by walking down."""
    inside = [np.arange(len(X))]
    for node in range(len(tree.children_left)):
        inside += [None] * (1 + max(tree.children_right[node], 0) - len(inside))
        left, right = tree.children_left[node], tree.children_right[node]
        if left >= 0:
            rows = inside[node]
            goes_left = X[rows, tree.feature[node]] <= tree.threshold[node]
            inside[left], inside[right] = rows[goes_left], rows[~goes_left]
    return inside


def plain_loop(model, X, y, decrease):
    """For each tree the sum over splits of ``decrease(parent, left, right)`` per feature.

    A node is the pair (in-bag responses with repetition, out-of-bag responses).
    """
    forest = trees_and_bags(model, len(y))
    of_trees = np.zeros((len(forest), X.shape[1]))
    for scores, (tree, counts) in zip(of_trees, forest, strict=True):
        nodes = [
            (np.repeat(y[rows], counts[rows]), y[rows][counts[rows] == 0])
            for rows in rows_of_nodes(tree, X)
        ]
        n = counts.sum()
        for node, left in enumerate(tree.children_left):
            if left >= 0:
                right = tree.children_right[node]
                family = [nodes[node], nodes[left], nodes[right]]
                scores[tree.feature[node]] += decrease(family, n)
    return of_trees


def check(found, of_trees):
    """The mean over trees, with its error."""
    np.testing.assert_allclose(found.scores, of_trees.mean(axis=0), atol=1e-12)
    error = of_trees.std(axis=0, ddof=1) / np.sqrt(len(of_trees))
    np.testing.assert_allclose(found.std_error, error, atol=1e-12)
    assert found.degrees_of_freedom == len(of_trees) - 1


def weighted(family, n, impurity):
    parent, left, right = (len(node[0]) / n * impurity(*node) for node in family)
    return parent - left - right


def is_unseen(family, n):
    """Whether the node or one of its children has no out-of-bag row."""
    return any(len(out) == 0 for _, out in family)


def ufi_regression(family, n):
    if is_unseen(family, n):
        return 0.0
    return weighted(family, n, lambda a, b: a.var() + ((b - a.mean()) ** 2).mean())


def ufi_classification(family, n):
    if is_unseen(family, n):
        return 0.0

    def disagreement(a, b):
        return 1 - sum((a == k).mean() * (b == k).mean() for k in np.unique(a))

    return weighted(family, n, disagreement)


@pytest.mark.parametrize("case", CASES)
def test_ufi_is_what_a_plain_loop_over_the_nodes_gives(case):
    model, X, y = fitted(case)
    rule = ufi_classification if case.endswith(OF_CLASSES) else ufi_regression
    expected = plain_loop(model, X, y, rule)
    assert np.abs(expected).max() > 0
    check(ufi(model, X, y), expected)
    if case == "deep":  # many splits were dropped
        dropped, made = (plain_loop(model, X, y, one).sum() for one in (is_unseen, lambda *_: 1.0))
        assert dropped > 0.1 * made


@pytest.mark.parametrize("case", CASES[:5])
def test_split_improvement_is_scikit_learns_before_it_is_normalised(case):
    model, X, y = fitted(case)
    trees = [t.tree_.compute_feature_importances(normalize=False) for t in model.estimators_]
    check(split_improvement(model, X, y), np.array(trees))


def test_split_improvement_of_a_losaw_forest_is_its_unweighted_variance_decrease():
    model, X, y = fitted("losaw")
    expected = plain_loop(model, X, y, lambda f, n: weighted(f, n, lambda a, b: a.var()))
    check(split_improvement(model, X, y), expected)


def test_the_out_of_bag_decrease_alone_is_ufi_without_the_in_bag_decrease():
    """Features without influence score below 0 by it (Zhou and Hooker, Section 4.2)."""
    model, X, y = fitted("binary")
    np.testing.assert_array_equal(ufi(model, X, y, in_bag=False).scores, ufi(model, X, y).scores)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 4)), rng.standard_normal(300)
    forest = RandomForestRegressor(50, max_depth=2, random_state=0).fit(X, y)
    alone = ufi(forest, X, y, in_bag=False).scores
    assert (alone < 0).all()
    # At this depth every child has out-of-bag rows, so that no split is left out.
    together = alone + split_improvement(forest, X, y).scores
    np.testing.assert_allclose(ufi(forest, X, y).scores, together, atol=0.01 * y.var())


@pytest.mark.parametrize("case", CASES)
def test_mdi_oob_is_the_mean_over_out_of_bag_rows_of_contribution_times_response(case):
    model, X, y = fitted(case)
    # Indicators of classes are taken as they are.
    of_classes = case.endswith(OF_CLASSES)
    outcomes = 1.0 * (y[:, None] == np.unique(y)) if of_classes else (y - y.mean())[:, None]
    trees = trees_and_bags(model, len(y))
    expected = np.zeros((len(trees), X.shape[1]))
    for of_tree, (tree, counts) in zip(expected, trees, strict=True):
        nodes = rows_of_nodes(tree, X)
        mean = [np.average(outcomes[r], axis=0, weights=counts[r]) for r in nodes]
        for node, left in enumerate(tree.children_left):
            for child in (left, tree.children_right[node]) if left >= 0 else ():
                seen = nodes[child][counts[nodes[child]] == 0]
                gain = (mean[child] - mean[node]) @ outcomes[seen].sum(axis=0)
                of_tree[tree.feature[node]] += gain / (counts == 0).sum()
    check(mdi_oob(model, X, y), expected)


@pytest.mark.parametrize("score", [ufi, split_improvement, mdi_oob])
def test_dummies_of_a_factor_are_summed(score):
    X, y = sample()
    dummies = OneHotEncoder(sparse_output=False).fit_transform(X[:, 2:3])
    encoded = np.column_stack([X[:, :2], dummies])
    model = RandomForestRegressor(8, max_depth=3, random_state=1).fit(encoded, y)
    groups = {"factor": [f"X{j + 3}" for j in range(dummies.shape[1])]}
    apart, together = score(model, encoded, y), score(model, encoded, y, groups=groups)
    assert together.feature_names == ("X1", "X2", "factor")
    expected = [*apart.scores[:2], apart.scores[2:].sum()]
    np.testing.assert_allclose(together.scores, expected, atol=1e-15)


@pytest.mark.parametrize("case", ["regression", "binary", "losaw", "monotone"])
def test_tree_permutation_is_the_rise_of_the_loss_of_what_a_tree_predicts_out_of_its_bag(case):
    model, X, y = fitted(case)
    X[:, 3] = 1  # which no tree uses
    model, rng, expected = model.fit(X, y), np.random.default_rng(0), np.zeros((8, 4))
    for of_tree, (tree, counts) in zip(expected, trees_and_bags(model, len(y)), strict=True):
        out = np.flatnonzero(counts == 0)
        for feature in np.unique(tree.feature[tree.feature >= 0]):
            rows, found = np.vstack([X[out], X[out]]), np.zeros(2 * len(out))
            rows[len(out) :, feature] = rng.permutation(X[out, feature])
            for node, inside in enumerate(rows_of_nodes(tree, rows)):
                found[inside] = tree.value[node].ravel()[-1]
            losses = (np.tile(y[out], 2) - found) ** 2
            if case == "binary":  # 1 for a wrong class, half of it for two that tie
                losses = (np.sign(losses - 0.25) + 1) / 2
            of_tree[feature] += np.diff(losses.reshape(2, -1).mean(axis=1))[0]
    check(tree_permutation(model, X, y, random_state=0), expected)


def test_air_of_a_permuted_copy_has_the_opposite_sign_on_average():
    X, y = sample(400)
    model = RandomForestRegressor(20, max_depth=5, random_state=1).fit(X, y)
    draws = [air(model, X, y, random_state=seed).scores for seed in range(10)]
    mean, error = np.mean(draws, axis=0), np.std(draws, axis=0, ddof=1) / np.sqrt(10)
    assert (mean[:2] > 3 * error[:2]).all()
    assert (np.abs(mean[2:]) < 5 * error[2:] + 0.05 * mean[0]).all()


@pytest.mark.parametrize(
    "options",
    [
        {"criterion": "friedman_mse"},
        {"criterion": "poisson"},
        {"monotonic_cst": [1, 0, 0, 0]},  # to which copies are held too
    ],
    ids=str,
)
def test_forests_whose_nodes_hold_means_of_rows_that_weigh_the_same_are_read(options):
    X, y = sample()
    y = y - y.min()
    model = RandomForestRegressor(10, random_state=0, **options).fit(X, y, np.full(len(y), 2.0))
    assert ufi(model, X, y).select(top=1) == ("X1",)
    assert air(model, X, y, random_state=0).select(top=1) == ("X1",)


OF_THE_TRAINING_SAMPLE = (ufi, split_improvement, mdi_oob, tree_permutation)
FORESTS = {
    "scikit-learn": RandomForestRegressor(6, random_state=0),
    "a share of the rows": RandomForestRegressor(6, max_samples=0.6, random_state=0),
    "extra trees": ExtraTreesRegressor(6, bootstrap=True, max_depth=4, random_state=0),
    "ours": LosawRandomForestRegressor(6, random_state=0),
    "plain": PlainRandomForestRegressor(6, min_samples_leaf=3, random_state=0),
    "classes": RandomForestClassifier(6, random_state=0),
    "our classes": LosawRandomForestClassifier(6, random_state=0),
}


def numbers_and_levels(name):
    """Columns of several scales, the last of whole numbers; classes for a classifier."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 4)) * [1.0, 100.0, 1.0, 2.0]
    X[:, 3] = np.round(X[:, 3])
    y = X[:, 0] + X[:, 1] / 100 + 0.3 * X[:, 3] + rng.standard_normal(150)
    return X, np.digitize(y, [0.0]) if "classes" in name else y


@pytest.mark.parametrize(
    ("name", "method"),
    [*((name, ufi) for name in FORESTS),
     *(("scikit-learn", method) for method in OF_THE_TRAINING_SAMPLE if method is not ufi)],
)  # fmt: skip
def test_rows_other_than_those_of_the_fit_are_refused(name, method):
    X, y = numbers_and_levels(name)
    model = FORESTS[name].fit(X, y)
    assert np.isfinite(method(model, X, y).scores).all()
    unrelated = np.random.default_rng(4).standard_normal(X.shape)
    unrelated[:, 3] = X[::-1, 3]
    other_unit = X * [1.0, 0.01, 1.0, 1.0]
    for other in (X[:, [1, 0, 2, 3]], other_unit, unrelated):
        with pytest.raises(ValueError, match=r"X is not the sample .* reach leaf \d+ of tree 0"):
            method(model, other, y)


@pytest.mark.parametrize("name", ["scikit-learn", "extra trees", "classes"])
def test_the_rows_of_the_fit_in_double_precision_are_those_of_the_fit(name):
    X, y = numbers_and_levels(name)
    expected = ufi(FORESTS[name].fit(X, y), X, y).scores
    single = FORESTS[name].fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(ufi(single, X, y).scores, expected)
    np.testing.assert_array_equal(ufi(single, X.astype(np.float32), y).scores, expected)


@pytest.mark.parametrize("name", FORESTS)
def test_a_frame_of_the_rows_is_the_rows(name):
    X, y = numbers_and_levels(name)
    frame = pd.DataFrame(X, columns=list("abcd")).astype({"d": "float32"})
    model = FORESTS[name].fit(frame, y)
    assert np.isfinite(ufi(model, frame, y).scores).all()
    with pytest.raises(ValueError, match="X is not the sample"):
        ufi(model, frame.assign(a=frame.b, b=frame.a), y)


@pytest.mark.parametrize("forest", [LosawRandomForestRegressor, LosawRandomForestClassifier])
def test_categories_reach_the_leaves_that_they_were_fitted_to(forest):
    X, y = numbers_and_levels("classes" if forest is LosawRandomForestClassifier else "")
    towns = pd.Categorical(np.array(list("uvwxyzabcdefg"))[X[:, 3].astype(int)])
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "town": towns, "yes": X[:, 2] > 0})
    model = forest(6, random_state=0).fit(frame, y)
    assert np.isfinite(ufi(model, frame, y).scores).all()
    with pytest.raises(ValueError, match="X is not the sample"):
        ufi(model, frame.assign(town=frame.town.to_numpy()[::-1]), y)


def with_categories(n=240, n_estimators=10):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, n)
    X = pd.DataFrame(
        {
            "town": pd.Categorical.from_codes(codes, ["Ulm", "Aalen", "Linz", "Bern", "Graz"]),
            "age": rng.standard_normal(n) + 0.3 * codes,
            "noise": pd.Categorical.from_codes(rng.integers(0, 5, n), list("vwxyz")),
        }
    )
    y = np.array([2.0, -1.0, 0.5, 1.0, -2.0])[codes] + X["age"] + 0.3 * rng.standard_normal(n)
    forest = LosawRandomForestRegressor(n_estimators=n_estimators, max_features=2, random_state=0)
    return forest.fit(X, y), X, y


@pytest.mark.parametrize("method", OF_THE_TRAINING_SAMPLE)
def test_scores_of_a_frame_with_categories(method):
    forest, X, y = with_categories()
    result = method(forest, X, y, **{"random_state": 0} if method is tree_permutation else {})
    assert result.feature_names == ("town", "age", "noise")
    assert result.scores[0] > 10 * abs(result.scores[2])
    assert result.scores[1] > 5 * abs(result.scores[2])


def test_a_nominal_feature_has_no_trend():
    forest = with_categories()[0]
    for rate in (absolute_traversal_rate, relative_traversal_rate):
        result = rate(forest)
        assert result.feature_names == ("town", "age", "noise")
        assert np.isnan(result.scores[[0, 2]]).all()
        assert result.scores[1] > 0.5


def test_an_array_is_named_as_the_forest_was_fitted():
    _, X, y = with_categories()
    ages = pd.DataFrame({"age": X["age"], "square": X["age"] ** 2})
    forest = LosawRandomForestRegressor(n_estimators=3, random_state=0).fit(ages, y)
    with pytest.warns(UserWarning, match="feature names"):
        result = ufi(forest, ages.to_numpy(), y)
    assert result.feature_names == ("age", "square")
    np.testing.assert_array_equal(result.scores, ufi(forest, ages, y).scores)
