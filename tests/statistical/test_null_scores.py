"""Scores of features without effect, over many data sets: UFI centres on 0, and MDI-oob nearly."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from losaw.importance import mdi_oob
from losaw.trees.node_moments import scores_of_trees
from losaw.trees.view import view_forest

RUNS = 250
# A mean beyond this many errors comes with probability 1e-4.
BOUND = norm.isf(0.5e-4)


def data_sets(task):
    """Forests on one feature that decides and three, one of them binary, that do not."""
    make = RandomForestRegressor if task == "regression" else RandomForestClassifier
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((150, 4))
        X[:, 3] = rng.integers(0, 2, 150)
        if task == "regression":
            y = X[:, 0] + rng.standard_normal(150)
        else:
            y = (rng.random(150) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
        yield make(10, max_features=None, random_state=seed).fit(X, y), X, y


def z_of(scores):
    scores = np.array(scores)
    return scores.mean(axis=0) / (scores.std(axis=0, ddof=1) / np.sqrt(len(scores)))


def share_term(nodes):
    """s' · sum_c N'_c d_c of every split: the children's shares out of bag are not those in bag."""
    mean, total, size = nodes.in_bag.mean, nodes.out_of_bag.total, nodes.out_of_bag.size
    outcome = total[nodes.splits] / np.maximum(size[nodes.splits], 1.0)[:, None]
    moved = sum((mean[c] - mean[nodes.splits]) * size[c][:, None] for c in nodes.children)
    return (outcome * moved).sum(axis=1) / max(size[0], 1.0)


@pytest.mark.long
def test_mdi_oob_of_a_regression_centres_on_zero():
    scores = [mdi_oob(*one).scores[1:] for one in data_sets("regression")]
    assert (np.abs(z_of(scores)) < BOUND).all()


@pytest.mark.long
def test_mdi_oob_of_classes_is_below_zero_by_the_shares_of_rows_alone():
    whole, shares = [], []
    for model, X, y in data_sets("classification"):
        whole.append(mdi_oob(model, X, y).scores[1:])
        shares.append(scores_of_trees(view_forest(model, X, y)[0], share_term).mean(axis=0)[1:])
    assert (z_of(whole) < -2).all() and (z_of(shares) < -2.5).all()
    assert (np.abs(z_of(np.subtract(whole, shares))) < BOUND).all()
