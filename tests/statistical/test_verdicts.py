"""Cells that agree in truth: how often |z| is beyond 2 and 3, for every kind of metric."""

import math

import numpy as np
import pytest

from losaw.study.results.agreement import Kind, Printed, Runs, weigh

CELLS, PRINTED_RUNS = 1500, 250
LEVELS = np.array([0.417, 0.533, 0.583, 0.7, 0.75, 0.806, 0.917])  # of a pr-AUC short of 1


def r_squared(rng):
    """Near normal, every cell with a mean and a deviation of its own."""
    mean, deviation = rng.uniform(0.2, 0.9), rng.uniform(0.005, 0.05)
    return lambda n: rng.normal(mean, deviation, n)


def area(rng):
    """A continuous share, skewed towards 1."""
    mean, size = rng.uniform(0.3, 0.97), rng.uniform(20, 200)
    return lambda n: rng.beta(size * mean, size * (1 - mean), n)


def precision_recall(rng):
    """1 in most runs, else one of a few levels; in many cells hardly ever."""
    short, weights = rng.uniform() ** 2, rng.dirichlet(np.full(len(LEVELS), 0.5))
    return lambda n: np.where(rng.random(n) < short, rng.choice(LEVELS, n, p=weights), 1.0)


def rank(rng):
    """One of five places, some of them hardly ever."""
    weights = rng.dirichlet(np.full(5, 0.4))
    return lambda n: rng.choice(np.arange(1.0, 6.0), n, p=weights)


def decision(rng):
    """Rejected or not, at any rate."""
    rate = rng.uniform()
    return lambda n: (rng.random(n) < rate).astype(float)


KINDS = {
    "r_squared": (r_squared, 3, {}),
    "area": (area, 3, {"is_bounded": True}),
    "precision_recall": (precision_recall, 3, {"is_bounded": True}),
    "rank": (rank, 2, {"is_bounded": True}),
    "decision": (decision, 3, {"is_bounded": True, "is_decision": True}),
}


LONG = [pytest.param(n_seeds, marks=pytest.mark.long) for n_seeds in (12, 250)]


@pytest.mark.parametrize("n_seeds", [4, 40, *LONG])
@pytest.mark.parametrize("name", KINDS)
def test_agreement_is_found_off_as_often_as_chance_says(name, n_seeds):
    law, decimals, about = KINDS[name]
    rng = np.random.default_rng(20)
    cells = []
    for _ in range(CELLS):
        draw = law(rng)
        ours, theirs = draw(n_seeds), draw(PRINTED_RUNS)
        printed = Printed(round(float(theirs.mean()), decimals), decimals, PRINTED_RUNS)
        cells.append((Runs(float(ours.mean()), float(ours.std(ddof=1)), n_seeds), printed))
    pooled = math.sqrt(np.mean([ours.deviation**2 for ours, _ in cells]))
    kind = Kind(deviation=pooled, degrees=CELLS * (n_seeds - 1), **about)
    z = np.abs([weigh(ours, printed, kind).z for ours, printed in cells])
    # 3 to 7 %, and under 1 %, give or take three standard errors of a share of 1,500.
    assert 0.03 - 0.013 < (z > 2).mean() < 0.07 + 0.02
    assert (z > 3).mean() < 0.01 + 0.008


@pytest.mark.parametrize("n_seeds", [4, 40])
def test_print_with_an_inferred_error_is_off_as_often_as_chance_says_or_less(n_seeds):
    # z has the degrees of freedom of our runs, although the inferred error is not theirs: with few
    # runs it is cautious.
    rng = np.random.default_rng(21)
    between, within = 0.006, 0.012
    error = float(np.hypot(between, within / np.sqrt(PRINTED_RUNS)))
    z = []
    for _ in range(CELLS):
        runs = 0.5 + between * rng.standard_normal(n_seeds) + within * rng.standard_normal(n_seeds)
        one_draw = 0.5 + between * rng.standard_normal()
        printed = one_draw + within * rng.standard_normal(PRINTED_RUNS).mean()
        ours = Runs(float(runs.mean()), float(runs.std(ddof=1)), n_seeds)
        z.append(weigh(ours, Printed(printed, 9, PRINTED_RUNS, error=error), Kind()).z)
    assert (np.abs(z) > 2).mean() < 0.07 + 0.02
    assert n_seeds < 40 or (np.abs(z) > 2).mean() > 0.03 - 0.013
    assert (np.abs(z) > 3).mean() < 0.01 + 0.008
