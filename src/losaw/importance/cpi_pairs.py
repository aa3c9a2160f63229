"""Whether two features work together: the conditional predictive impact of both and of each."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.importance.cpi import (
    ERROR_KIND,
    draws_of_folds,
    fit_units,
    generators_of_draws,
    notes_on,
    shares_over_folds,
)
from losaw.knockoffs import make_sampler
from losaw.rng import as_generator
from losaw.scoring.folds import Fit, fits, with_units
from losaw.scoring.losses import Loss, LossName
from losaw.scoring.many_tests import Adjustment
from losaw.scoring.result import ImportanceResult, parameter_repr
from losaw.scoring.rows import Rows, ScoringOptions, read_rows
from losaw.scoring.tests import Differences, Inference, TestName, added_by_donors, check_test, infer
from losaw.support.arguments import ArgumentTypeError, whole_number
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

    The score of a pair is CPI_i + CPI_j - CPI_ij, row by row,

        E[L(f(X~_i, X_j, R), Y) + L(f(X_i, X~_j, R), Y) - L(f(X~_i, X~_j, R), Y) - L(f(X), Y)],

    with R the other features, and X~_i and X~_j drawn given R, independently of each other and of
    all else. Let X_i and X_j be independent given R. Then the score is, by squared error and for
    any model f,

        2 E[f_ij m_ij],   m = E[Y | X],   g_ij = g - E[g | X_i, R] - E[g | X_j, R] + E[g | R],

    which is 0 if m, or f, is the sum of a function of (X_i, R) and one of (X_j, R). By any loss it
    is 0 if X_i, or X_j, is independent of Y and of the other feature given R. A test of such a pair
    keeps its level.

    Of features that depend on each other given R it is, if f adds their effects f_i and f_j,

        -2 E[Cov(f_i(X_i, R), f_j(X_j, R) | R)]:

    below 0 where they stand in for each other, but above 0 where effects of opposite sign go with a
    positive correlation, or the reverse. So a pair that is found works together if its features are
    independent given the others, or their effects go the same way.

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
    options = ScoringOptions(loss, scoring, None, None, n_jobs)
    models = fits(model, rows, options, cv, rng, test)
    seed = int(rng.integers(2**63))
    found = [_of_pair(pair, models, rows, n_draws, as_generator(seed)) for pair in of_pairs.members]
    in_turn = iter(zip(*(of_folds for of_folds, _ in found), strict=True))
    notes = {n: why for n, (_, why) in zip(of_pairs.names, found, strict=True) if why}

    def differences(fit: Fit) -> Differences:
        changes, donated = zip(*next(in_turn), strict=True)
        return Differences(np.hstack(changes), details={"notes": notes}, donated=np.hstack(donated))

    shown = parameter_repr(
        "cpi_pairs", n_draws=n_draws, loss=models[0].model.loss_name, test=test,
        adjustment=adjustment, cv=cv,
    )  # fmt: skip
    inference = Inference(test, adjustment, ERROR_KIND, shown)
    return infer(differences, with_units(models, of_pairs), rows, inference, rng)


def _pairs(pairs: Sequence[Sequence[str]], names: Sequence[str]) -> Units:
    """Return every pair of features as a unit, its places in order."""
    members = []
    if not isinstance(pairs, Iterable):
        raise ArgumentTypeError(
            f"pairs must be a list of pairs of features, as [('a', 'b')], got {pairs!r}"
        )
    for pair in pairs:
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"pairs: {pair!r} is not a pair of features, as ('a', 'b')")
        members.append(chosen_units(units_of(names), pair, "pairs"))
    if not members or len({frozenset(pair.tolist()) for pair in members}) < len(members):
        raise ValueError("pairs must name one pair of features at least, and each pair once")
    return Units(tuple(" & ".join(names[j] for j in pair) for pair in members), tuple(members))


def _of_pair(
    pair: NDArray[np.intp],
    models: Sequence[Fit],
    rows: Rows,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[list[tuple[FloatArray, FloatArray]], str]:
    """Return the differences of every fold with what donors add to them, and a note."""
    names, sampler = [rows.table.names[j] for j in pair], make_sampler("conditional")
    each = (pair[:1], pair[1:])
    fit_units(sampler, rows, rng, list(each), np.setdiff1d(np.arange(len(rows.table.names)), pair))
    drawn = draws_of_folds(sampler, models, generators_of_draws(n_draws, rng))
    alone = with_units(models, Units(tuple(names), each))
    notes = notes_on(alone[0].model, shares_over_folds(alone, rows, drawn))
    of_folds, together = [], with_units(models, Units(("both",), (pair,)))
    for fit, both_of_fit, draws in zip(alone, together, drawn, strict=True):
        subject, total, donated = fit.model, np.zeros((len(fit.held), 1)), np.zeros((len(rows), 1))
        codes = [subject.encode(copy) for copy in draws.codes]
        # No column is in two units of one exchange.
        of_each = subject.exchange(codes, n_draws)
        of_both = both_of_fit.model.exchange(codes, n_draws)
        for predictions, (_, of_pair), donors in zip(
            of_each, of_both, draws.donors or (), strict=True
        ):
            losses = (subject.loss(subject.y, p) for p in (*predictions, of_pair))
            same, first, second, both = losses
            changes = (first + second - both - same)[:, None]
            total += changes / n_draws
            for of_one in np.hsplit(donors, 2):
                donated += added_by_donors(changes, of_one, subject.weights, len(rows)) / n_draws
        of_folds.append((total, donated))
    return of_folds, "; ".join(f"{name} is {note}" for name, note in notes.items())
