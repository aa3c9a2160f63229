"""Diagnostics agree with what the forest did when it grew."""

import numpy as np
import pytest

from losaw import LosawRandomForestRegressor
from losaw.forest import diagnose, plot_diagnostics


def fitted(eta=0.4):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 5))
    X[:, 1] += X[:, 0]
    X[:, 2] = np.clip(np.round(X[:, 2] + X[:, 0]), -1, 1)
    X[:, 3] = np.clip(np.round(X[:, 3] + X[:, 1]), -1, 1)
    y = X[:, 0] + X[:, 2] + 0.3 * rng.standard_normal(300)
    forest = LosawRandomForestRegressor(n_estimators=4, max_features=None, eta=eta, random_state=0)
    return forest.fit(X, y), X


def test_weighting_lowers_the_correlation_at_the_root():
    forest, X = fitted()
    root = diagnose(forest, X).query("depth == 0")
    assert (root["weighted_correlation"] < root["correlation"]).all()


def test_the_plot_shows_every_row():
    forest, X = fitted()
    frame = diagnose(forest, X, n_trees=1, max_depth=1)
    ax = plot_diagnostics(frame)
    assert [len(points.get_offsets()) for points in ax.collections[:2]] == [len(frame)] * 2


def test_other_rows_than_the_training_rows_are_refused():
    forest, X = fitted()
    with pytest.raises(ValueError, match="fitted on 300"):
        diagnose(forest, X[:-1])


def test_a_plain_forest_has_nothing_to_diagnose():
    forest, X = fitted(eta=1.0)
    with pytest.raises(ValueError, match="no weights"):
        diagnose(forest, X)
