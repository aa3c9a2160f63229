"""Whether two features work together: the conditional predictive impact of both and of each."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.importance.cpi import (
    ERROR_KIND,
    differences_of_draws,
    draws_of_folds,
    fit_units,
    generators_of_draws,
    shares_over_folds,
)
from losaw.knockoffs import make_sampler
from losaw.rng import as_generator
from losaw.scoring.folds import Fit, fits
from losaw.scoring.losses import Loss, LossName
from losaw.scoring.many_tests import Adjustment
from losaw.scoring.result import ImportanceResult, parameter_repr
from losaw.scoring.rows import ScoringOptions, read_rows
from losaw.scoring.tests import Differences, Testing, TestName, check_test, tested
from losaw.support.arguments import whole_number
from losaw.tables.columns import Kinds
from losaw.tables.groups import Units, chosen_units, units_of


def cpi_pairs(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    pairs: Sequence[Sequence[str]],
    *,
    n_draws: int = 1,
    loss: LossName | Loss | None = None,
    scoring: Any = None,
    test: TestName = "t",
    adjustment: Adjustment = "none",
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Test whether two features work together: whether the effect of one depends on the other.

    The score of a pair is

        CPI_i + CPI_j - CPI_ij,

    each of :func:`losaw.importance.cpi`, by row. Let R be the other features, and X_i and X_j be
    independent given them. Then the score by squared error is, for any model f,

        2 E[f_ij E[Y | X]_ij],   g_ij = g - E[g | X_i, R] - E[g | X_j, R] + E[g | R],

    which is 0 where the mean of Y is a sum of a function of (X_i, R) and one of (X_j, R), or f is.
    By any loss it is 0 if X_i, or X_j, is independent of Y and of the other one given R. A test
    of such a pair keeps its level.

    Two features that are dependent given R share what they tell: either alone is missed little,
    both are missed much, and the score falls. It is negative if they stand in for each other. For
    a sum b_i X_i + b_j X_j of normal features of variance v and correlation r given R it is

        -2 v (r^2 (b_i^2 + b_j^2) + 2 r b_i b_j):

    above 0, with no interaction, where r b_i b_j < 0 outweighs the rest. So a pair that is found
    works together if its features are independent given the others, or their effects and their
    dependence have one sign.

    Parameters
    ----------
    model, X, y, n_draws, loss, scoring, test, adjustment, kinds, feature_names, sample_weight, \
clusters, cv, n_jobs, random_state
        As in :func:`losaw.importance.cpi`.
    pairs : sequence of pairs of str
        Two features each.

    Returns
    -------
    ImportanceResult
        As of :func:`losaw.importance.cpi`, for pairs: "a & b".

    Raises
    ------
    ValueError, TypeError
        As :func:`losaw.importance.cpi`; for a pair that is not two different features.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> from losaw.importance import cpi_pairs
    >>> X = np.random.default_rng(0).standard_normal((600, 3))
    >>> y = X[:, 0] * X[:, 1] + X[:, 2]
    >>> model = HistGradientBoostingRegressor().fit(X[:400], y[:400])
    >>> found = cpi_pairs(model, X[400:], y[400:], [("X1", "X2"), ("X1", "X3")], random_state=0)
    >>> found.select(fwer=0.05)
    ('X1 & X2',)
    """
    check_test(test, adjustment)
    whole_number("n_draws", n_draws, 1)
    rng = as_generator(random_state)
    rows = read_rows(X, y, kinds, feature_names, sample_weight, clusters)
    of_pairs = _pairs(pairs, rows.table.names)
    each = np.unique(np.concatenate(of_pairs.members))
    alone = Units(tuple(rows.table.names[j] for j in each), tuple(each[:, None]))
    options = ScoringOptions(loss, scoring, list(alone.names), None, n_jobs)
    models = fits(model, rows, options, cv, rng, test)
    # Pairs may have a feature in common: each has a sampler of its own.
    batches = [alone, *(Units((n,), (m,)) for n, m in zip(*of_pairs, strict=True))]
    seed, found = int(rng.integers(2**63)), list[list[Differences]]()
    for units in batches:
        sampler, own, scoring = make_sampler("conditional"), as_generator(seed), _of(models, units)
        fit_units(sampler, rows, own, list(units.members))
        drawn = draws_of_folds(sampler, scoring, generators_of_draws(n_draws, own))
        shares = shares_over_folds(scoring, rows, drawn)
        found.append(
            [
                differences_of_draws(fit, draws, len(rows), shares=shares)
                for fit, draws in zip(scoring, drawn, strict=True)
            ]
        )
    in_turn = (_together(alone, of_pairs, *of_fold) for of_fold in zip(*found, strict=True))
    shown = parameter_repr(
        "cpi_pairs", n_draws=n_draws, loss=models[0].model.loss_name, test=test,
        adjustment=adjustment, cv=cv,
    )  # fmt: skip
    testing = Testing(test, adjustment, ERROR_KIND, shown)
    return tested(lambda fit: next(in_turn), _of(models, of_pairs), rows, testing, rng)


def _pairs(pairs: Sequence[Sequence[str]], names: Sequence[str]) -> Units:
    """Return every pair of features as a unit, its places in order."""
    members = []
    for pair in pairs:
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"pairs: {pair!r} is not a pair of features, as ('a', 'b')")
        members.append(chosen_units(units_of(names), pair, "pairs"))
    if not members or len({frozenset(pair.tolist()) for pair in members}) < len(members):
        raise ValueError("pairs must name one pair of features at least, and each pair once")
    return Units(tuple(" & ".join(names[j] for j in pair) for pair in members), tuple(members))


def _of(models: Sequence[Fit], units: Units) -> list[Fit]:
    """Return the models with these units, all of them scored."""
    scored = np.arange(len(units.names))
    return [fit._replace(model=replace(fit.model, units=units, scored=scored)) for fit in models]


def _together(alone: Units, pairs: Units, each: Differences, *both: Differences) -> Differences:
    """Return the losses of both features of a pair alone, less those of the pair."""
    places = np.searchsorted(np.concatenate(alone.members), np.array(pairs.members))

    def difference(name: str) -> FloatArray:
        of_each = getattr(each, name)
        of_both = np.column_stack([getattr(pair, name) for pair in both])
        return np.asarray(of_each[:, places].sum(axis=2) - of_both)

    notes = {
        pair: f"{alone.names[j]} is {each.details['notes'][alone.names[j]]}"
        for pair, own in zip(pairs.names, places, strict=True)
        for j in own
        if alone.names[j] in each.details["notes"]
    }
    return Differences(difference("rows"), details={"notes": notes}, given=difference("given"))
