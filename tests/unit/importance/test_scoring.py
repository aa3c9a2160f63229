"""Scores of scikit-learn in place of losses."""

import numpy as np
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, mean_squared_error

from losaw.importance import cpi, loco, pfi, sage

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 3))
Y = X[:, 0] + RNG.standard_normal(200)
LABELS = (Y > 0).astype(int)
LINE, LOGIT = LinearRegression().fit(X[:100], Y[:100]), LogisticRegression().fit(X, LABELS)
OPTIONS = {
    pfi: {},
    cpi: {"sampler": "gaussian"},
    loco: {"cv": 3},
    sage: {"max_permutations": 16},
}


@pytest.mark.parametrize(
    ("scoring", "loss"),
    [
        ("neg_mean_squared_error", "squared-error"),
        ("neg_mean_absolute_error", "absolute-error"),
        (make_scorer(mean_squared_error, greater_is_better=False), "squared-error"),
    ],
)
@pytest.mark.parametrize("function", OPTIONS)
def test_a_score_of_a_regression_is_a_loss_with_another_sign(function, scoring, loss):
    by_score, by_loss = (
        function(LINE, X[100:], Y[100:], random_state=0, **OPTIONS[function], **asked)
        for asked in ({"scoring": scoring}, {"loss": loss})
    )
    np.testing.assert_array_equal(by_score.scores, by_loss.scores)
    assert f"loss={loss!r}" in repr(by_score)


@pytest.mark.parametrize(
    ("model", "y", "scoring", "loss"),
    [
        (LINE, Y, "neg_mean_squared_error", "squared-error"),
        (LOGIT, LABELS, "accuracy", "zero-one"),
        (LOGIT, LABELS, "neg_log_loss", "log-loss"),
        (LOGIT, LABELS, get_scorer("neg_brier_score"), "brier"),
    ],
)
def test_a_score_is_the_one_of_permutation_importance(model, y, scoring, loss):
    found = pfi(model, X, y, scoring=scoring, n_repeats=40, random_state=0)
    assert f"loss={loss!r}" in repr(found)
    theirs = permutation_importance(model, X, y, scoring=scoring, n_repeats=40, random_state=0)
    bound = 5 * (theirs.importances_std + found.details["repeats"].std(axis=0)) / np.sqrt(40)
    for ours in (found.scores, found.details["repeats"].mean(axis=0)):
        assert (np.abs(ours - theirs.importances_mean) <= bound).all()
