"""The feature of a mini-batch has the law of Algorithm 5.2, without a pass over the sample."""

import numpy as np
from scipy.stats import chisquare

from losaw import LosawMiniBatches, NetworkRegressor
from losaw.network.training import network_for

N_DRAWS = 4000


def drawn(batches, importances):
    for _ in range(N_DRAWS):
        batches.draw_feature(importances)
    return batches.n_draws


def p_value(counts, importances):
    return chisquare(counts, N_DRAWS * importances / importances.sum()).pvalue


def test_features_drawn_from_single_rows_of_a_network_follow_its_full_sample_saliency():
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 2, (500, 12)).astype(float)
    y = X[:, 2] + X[:, 9] * X[:, 4]
    model = NetworkRegressor(60, batch_size=40, filters=(4, 6), units=(6, 4), random_state=1)
    model.fit(X, y)
    network, parameters = network_for(model, X), model.parameters_
    encoded = network.form.encode(X)
    batches = LosawMiniBatches(X, batch_size=10, random_state=2)
    counts = drawn(batches, lambda rows: network.row_saliency(parameters, encoded[rows]))
    assert p_value(counts, network.mean_row_saliency(parameters, encoded)) > 1e-3


def test_rows_that_are_refused_for_long_leave_the_law_as_it_is():
    """With N = 30 small rows the sum over the sample has to step in for most draws."""
    rng = np.random.default_rng(4)
    table = 0.02 * rng.random((30, 5)) * np.arange(1, 6)
    batches = LosawMiniBatches(rng.standard_normal((30, 5)), batch_size=10, random_state=5)
    assert p_value(drawn(batches, lambda rows: table[rows]), table.sum(axis=0)) > 1e-3


def test_a_row_counts_in_proportion_to_the_sum_of_its_scores():
    """Drawing a row uniformly and a feature within it would give feature 0 half of the draws."""
    rows = np.array([[0.9, 0, 0, 0, 0], [0, 0.1, 0.1, 0.1, 0.1]])
    table = np.repeat(rows, 250, axis=0)
    X = np.random.default_rng(6).standard_normal((500, 5))
    batches = LosawMiniBatches(X, batch_size=10, random_state=7)
    assert p_value(drawn(batches, lambda some: table[some]), table.sum(axis=0)) > 1e-3
