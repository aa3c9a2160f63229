"""Tests of groups of features, from the top of a tree down."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, t
from sklearn.linear_model import LinearRegression

from losaw.importance import cpi, hierarchy
from losaw.scoring.group_tree import top_down_tests, tree_of_groups

NAMES = ("a", "b", "c", "d")


def table(n=400, seed=0):
    """Of a and b one is a copy of the other; c matters beyond all other features, d does not."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.standard_normal((n, 4)), columns=NAMES)
    X["b"] = X["a"] + 0.01 * X["b"]
    return X, X["a"] + X["c"] + rng.standard_normal(n)


def fitted(X, y):
    return LinearRegression().fit(X, y)


def line(found, *features):
    rows = found.table[[row == features for row in found.table["features"]]]
    assert len(rows) == 1
    return rows.iloc[0]


def test_near_copies_give_a_statement_of_their_group_and_a_cause_one_of_itself():
    X, y = table()
    found = hierarchy(fitted(X[:200], y[:200]), X[200:], y[200:], random_state=0)
    assert set(found.statements) == {
        "c matters beyond all other features",
        "one of {a, b} matters, but the data do not tell which",
    }
    assert set(found.selected) == {("a", "b"), ("c",)}
    assert str(found).splitlines() == list(found.statements)


def test_the_score_of_a_group_is_what_the_model_loses_with_it():
    """Of a linear model with known coefficients a draw of c adds 2 b^2 Var(c | others)."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((4000, 3))
    model = LinearRegression().fit(X, X @ [1.0, 1.0, 0.0])
    y = X @ [1.0, 1.0, 0.0] + rng.standard_normal(4000)
    found = hierarchy(model, X, y, groups={"pair": ["X1", "X2"]}, random_state=0)
    pair, single = line(found, "X1", "X2"), line(found, "X1")
    assert pair["score"] == pytest.approx(4.0, abs=5 * pair["std_error"])
    assert single["score"] == pytest.approx(2.0, abs=5 * single["std_error"])
    assert pair["lower"] < pair["score"] < pair["upper"]
    assert pair["parent"] == "X1 + X2 + X3" and single["parent"] == "pair"


def test_single_features_have_the_scores_of_cpi_whatever_the_tree():
    X, y = table()
    model = fitted(X[:200], y[:200])
    one = hierarchy(model, X[200:], y[200:], groups={"copies": ["a", "b"]}, random_state=0)
    other = hierarchy(model, X[200:], y[200:], groups={"rest": ["c", "d"]}, random_state=0)
    assert line(one, "c")["score"] == line(other, "c")["score"]
    alone = cpi(model, X[200:], y[200:], random_state=0)
    score = alone.scores[list(NAMES).index("c")]
    assert line(one, "c")["score"] == pytest.approx(score, rel=0.3)


def test_with_cv_each_fold_has_its_model_and_tests_are_those_of_ten_folds():
    X, y = table()
    found = hierarchy(LinearRegression(), X, y, cv=10, random_state=0)
    assert set(found.selected) == {("a", "b"), ("c",)}
    tested = found.table.dropna(subset="p_value")
    expected = t.sf(tested["score"] / tested["std_error"], 9)
    np.testing.assert_allclose(tested["p_value"], expected)


def test_nothing_is_tested_below_a_group_that_is_not_rejected():
    X, y = table()
    found = hierarchy(fitted(X, np.zeros(len(X))), X, y, random_state=0)
    assert len(found.table) == 1 and found.selected == ()
    assert found.statements[0].startswith("no group of features is found to matter")


def tree_of_four():
    groups = {"left": ["a", "b"], "right": ["c", "d"]}
    return tree_of_groups(NAMES, groups)


def outcome(p_of, level=0.05):
    tree = tree_of_four()
    raw, adjusted = top_down_tests(
        tree, lambda places: np.array([p_of[tree[place].name] for place in places]), level
    )
    return {node.name: (raw[i], adjusted[i]) for i, node in enumerate(tree)}


def test_a_group_is_tested_at_the_level_of_its_share_of_what_is_left():
    p_of = {"a + b + c + 1 more": 1e-4, "left": 0.02, "right": 0.03, "a": 0.012, "b": 0.5}
    found = outcome({**p_of, "c": 1.0, "d": 1.0})
    assert found["left"] == (0.02, 0.04)  # 2 of 4 features
    assert found["a"] == (0.012, pytest.approx(0.048))  # 1 of 4
    # a is rejected as a single feature: 3 are left, and the right pair has 2 of them.
    assert found["right"] == (0.03, pytest.approx(0.048))
    assert found["b"][1] > 0.05 and found["c"][1] > 0.05


def test_below_an_accepted_group_there_are_no_p_values():
    found = outcome(dict.fromkeys(("a + b + c + 1 more", "left", "right", *NAMES), 0.04))
    assert found["a + b + c + 1 more"] == (0.04, 0.04)
    assert found["left"][1] > 0.05 and np.isnan(found["a"][0])


def test_no_tree_of_p_values_has_more_false_rejections_than_the_level():
    """c and d have no effect; their p-values and that of their group are uniform and dependent."""
    tree, rng, false = tree_of_four(), np.random.default_rng(0), 0
    runs = 4000
    for _ in range(runs):
        null = dict(zip(("right", "c", "d"), rng.random(3), strict=True))

        def p_values(places, null=null):
            return np.array([null.get(tree[place].name, 0.0) for place in places])

        _, adjusted = top_down_tests(tree, p_values, 0.1)
        false += any(adjusted[place] <= 0.1 for place, node in enumerate(tree) if node.name in null)
    assert binom.ppf(1e-4, runs, 0.05) < false <= binom.isf(1e-4, runs, 0.1)


def test_groups_and_other_features_are_parts_of_all_and_groups_are_not_nested():
    tree = tree_of_groups(NAMES, {"one": ["d"], "inner": ["b", "a"]})
    names = ["a + b + c + 1 more", "one", "inner", "a", "b", "c"]
    assert [node.name for node in tree] == names
    assert [node.parent for node in tree] == [-1, 0, 0, 2, 2, 0]
    assert tree[2].members.tolist() == [0, 1]
    with pytest.raises(TypeError, match="group 'outer' must be a list of columns"):
        tree_of_groups(NAMES, {"outer": {"inner": ["a", "b"]}})


def test_a_feature_named_as_an_inner_group_is_no_obstacle():
    X, y = table()
    X = X.rename(columns={"d": "group 0"})
    found = hierarchy(fitted(X[:200], y[:200]), X[200:], y[200:], random_state=0)
    assert ("c",) in found.selected
