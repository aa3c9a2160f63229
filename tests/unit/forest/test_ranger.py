"""Trees as ranger grows them: against scikit-learn's trees, and against ranger where R has it."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from losaw.forest.ranger import RangerTrees
from losaw.study.learners.r_forests import missing, run_script


def data(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.standard_normal(n), rng.integers(0, 5, n), rng.random(n) < 0.5])
    return X, X[:, 0] + (X[:, 1] == 2) + rng.standard_normal(n)


@pytest.mark.parametrize(("columns", "min_node_size"), [([0], 5), ([1], 5), ([0, 1, 2], 60)])
@pytest.mark.parametrize("n", [70, 900])
def test_with_all_columns_as_candidates_a_tree_is_scikit_learns(columns, min_node_size, n):
    X, y = data(n)
    X = X[:, columns]
    forest = RangerTrees(3, min_node_size, 1, n_candidates=len(columns)).fit(X, y)
    expected = [
        DecisionTreeRegressor(min_samples_split=min_node_size + 1, random_state=0)
        .fit(X[rows], y[rows])
        .predict(X)
        for rows in (np.repeat(np.arange(n), counts) for counts in forest.in_bag_counts())
    ]
    assert np.allclose(forest.predict(X), np.mean(expected, axis=0), rtol=1e-12, atol=1e-12)


def test_a_node_whose_candidates_are_constant_is_a_leaf_unless_others_are_drawn():
    y = np.arange(40.0)
    X = np.column_stack([y > 20, np.zeros(40)])
    for redraw, share in ((False, 0.5), (True, 0.0)):
        forest = RangerTrees(400, 5, 2, n_candidates=1, redraw=redraw).fit(X, y)
        stumps = (np.diff(forest.starts) == 1).mean()
        # Four binomial standard errors; none is left where drawing goes on.
        assert abs(stumps - share) <= 4 * np.sqrt(share * (1 - share) / 400)


def test_forests_follow_their_seed():
    X, y = data()
    first, again, other = (RangerTrees(5, 5, seed).fit(X, y).predict(X) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_decrease_belongs_to_the_column_that_was_split():
    X, y = data()
    X[:, 1] = 3.0
    found = RangerTrees(20, 5, 1, n_candidates=3).fit(X, y).importances.mean(axis=0)
    assert found.sum() == pytest.approx(1)
    assert found[1] == 0


@pytest.mark.skipif(bool(missing("ranger")), reason=missing("ranger") or "R has ranger")
def test_trees_have_as_many_leaves_as_rangers(tmp_path):
    n_trees = 2000
    X, y = data(200)
    np.savetxt(
        tmp_path / "rows.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments=""
    )
    leaves = run_script(
        tmp_path,
        f"""
        data <- read.csv("rows.csv")
        model <- ranger::ranger(y ~ ., data, num.trees = {n_trees}, num.threads = 1, seed = 1)
        count <- function(tree) sum(tree[[1]] == 0)
        write.csv(data.frame(leaves = sapply(model$forest$child.nodeIDs, count)), "out.csv")
        """,
    )
    forest = RangerTrees(n_trees, 5, 1).fit(X, y)
    ours = (np.diff(forest.starts) + 1) / 2
    error = np.sqrt((ours.var() + leaves.var()) / n_trees)
    assert abs(ours.mean() - leaves.mean()) < 4 * error
    redrawn = RangerTrees(n_trees, 5, 1, redraw=True).fit(X, y)
    assert (np.diff(redrawn.starts) + 1).mean() / 2 > leaves.mean() + 10 * error
