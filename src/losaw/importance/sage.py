"""Shapley additive global importance (Covert, Lundberg & Lee 2020)."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.rng import as_generator, rows_by_weight
from losaw.scoring.folds import Fit, alike_notes, fits
from losaw.scoring.losses import Loss, LossName
from losaw.scoring.model import Model
from losaw.scoring.result import ImportanceResult, checked_by, parameter_repr
from losaw.scoring.rows import ScoringOptions, read_rows
from losaw.scoring.tests import (
    Differences,
    Inference,
    check_effective_number,
    infer,
    mean_deviations,
)
from losaw.support.arguments import real_number, whole_number
from losaw.support.threads import each
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups

_BATCH = 16  # permutations between two looks at the convergence
ERROR_KIND = "over test rows, their random orders and the rows of the background"


def _check(n_background: int, max_permutations: int, threshold: float | None) -> None:
    whole_number("n_background", n_background, 2)
    whole_number("max_permutations", max_permutations, 2)
    if threshold is not None and not real_number("threshold", threshold) > 0:
        raise ValueError(f"threshold must be positive or None, got {threshold!r}")


@checked_by(_check)
def sage(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_background: int = 32,
    max_permutations: int = 512,
    threshold: float | None = 0.05,
    loss: LossName | Loss | None = None,
    scoring: Any = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Shapley values of the fall in loss that a set of known features brings,

        SAGE_j = mean over orders of E[L(f_S(X), Y) - L(f_{S + j}(X), Y)],
        f_S(x) = E[f(x_S, X_-S)] over the marginal distribution of the others,

    S the features before j in a random order. The values sum to the loss of the mean prediction
    minus the loss of the model. Marginal imputation breaks the features' dependence: the
    importance of a feature is shared with those that could stand in for it.

    Parameters
    ----------
    model, X, y, loss, scoring, groups, kinds, feature_names, clusters, cv, n_jobs, random_state
        As in :func:`losaw.importance.cpi`: rows that the model has not seen, or ``cv=``. Missing
        values are the model's business.
    n_background : int, default 32
        Rows of X, drawn once, that represent the marginal distribution; all if there are fewer.
        With weights that differ always so many, some rows several times.
    max_permutations : int, default 512
        Orders; each goes with one row, all rows in turn.
    threshold : float or None, default 0.05
        Stop when the largest standard error over orders is below this share of the spread of the
        values (largest minus smallest). None runs all permutations.
    sample_weight : array of shape (n_samples,) or None
        Rows and background are drawn with these probabilities.

    Returns
    -------
    ImportanceResult
        ``std_error`` over rows (or clusters), of which each has the mean of its orders, and over
        the rows of the background by Tukey's jackknife, if two or more of both are drawn; the model
        is held fixed (with ``cv`` over folds). ``details``: ``n_permutations`` and ``converged``,
        with ``cv`` their means over folds; ``notes``: features, and groups with one, that have one
        value within every fold, whose rows are the background.

    Raises
    ------
    ValueError, TypeError
        As :func:`losaw.importance.cpi`, and for a parameter out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from losaw.importance import sage
    >>> X = np.random.default_rng(0).standard_normal((300, 3))
    >>> model = LinearRegression().fit(X[:200], X[:200, 0])
    >>> sage(model, X[200:], X[200:, 0], random_state=0).select(top=1)
    ('X1',)
    """
    _check(n_background, max_permutations, threshold)
    rng = as_generator(random_state)
    rows = read_rows(X, y, kinds, feature_names, sample_weight, clusters)
    models = fits(model, rows, ScoringOptions(loss, scoring, groups=groups, n_jobs=n_jobs), cv, rng)
    shown = parameter_repr(
        "sage",
        n_background=n_background,
        max_permutations=max_permutations,
        threshold=threshold,
        loss=models[0].model.loss_name,
        cv=cv,
    )

    def run(subject: Model) -> _Sampled:
        return _sample(subject, n_background, max_permutations, threshold, rng)

    if cv is None:
        check_effective_number(rows)
        subject = models[0].model
        sampled = run(subject)
        # Stored scores have the last bits of sums down its columns.
        contributions = np.asfortranarray(sampled.contributions)
        scores = contributions.mean(axis=0)
        deviations, freedom = _deviations(sampled, contributions - scores, rows.clusters)
        kind = ERROR_KIND if rows.clusters is None else ERROR_KIND.replace("rows", "clusters")
        return ImportanceResult(
            scores,
            subject.names,
            std_error=None if deviations is None else np.sqrt((deviations**2).sum(axis=0)),
            std_error_kind=None if deviations is None else kind,
            degrees_of_freedom=freedom,
            deviations=None if models[0].seen else deviations,  # of remembered rows no ranks
            deviations_freedom=freedom,
            details={"n_permutations": len(contributions), "converged": sampled.is_converged},
            method=shown,
            kinds=subject.kinds,
        )

    def differences(fit: Fit) -> Differences:
        if len(fit.held) == 1:
            raise ValueError(
                "a fold of cv scores one row, which cannot be its own background; take fewer folds"
            )
        sampled = run(fit.model)
        scores = sampled.contributions
        details = {"n_permutations": len(scores), "converged": sampled.is_converged}
        return Differences(None, scores.mean(axis=0), details)

    inference = Inference(method=shown, notes=alike_notes(models, rows))
    return infer(differences, models, rows, inference, rng)


class _Sampled(NamedTuple):
    contributions: FloatArray  # how much each unit lowers the loss, (n_orders, n_units)
    turns: NDArray[np.intp]  # the row of each order
    without: FloatArray  # scores without one row of the background, (n_background, n_units)
    background: NDArray[np.intp]  # its rows
    is_converged: bool


def _deviations(
    sampled: _Sampled, deviations: FloatArray, clusters: NDArray[np.intp] | None
) -> tuple[FloatArray | None, float | None]:
    """Return what each row, and each row of the background, adds to the error of the scores.

    None of one row or cluster; and the rows' degrees of freedom. The background's are Tukey's
    jackknife. Scores of a linear model and squares depend on the square of the background's own
    error alone: there its error is too large, never too small.
    """
    turns, background = sampled.turns, sampled.background
    if clusters is not None:
        turns, background = clusters[turns], clusters[background]
    if min(len(np.unique(turns)), len(np.unique(background))) == 1:
        return None, None
    pseudo_values = (len(background) - 1) * (sampled.without.mean(axis=0) - sampled.without)
    of_rows, freedom = mean_deviations(deviations, None, turns)
    of_background, _ = mean_deviations(pseudo_values, None, background)
    return np.concatenate([of_rows, of_background]), freedom


def _sample(
    subject: Model,
    n_background: int,
    max_permutations: int,
    threshold: float | None,
    rng: np.random.Generator,
) -> _Sampled:
    columns = subject.columns
    background = _in_turn(subject, n_background, rng)[:n_background]
    # What is known of every row before the first feature.
    nothing = subject.predict(columns[background])
    rows_in_turn = _in_turn(subject, max_permutations, rng)
    states = []

    def batches() -> Iterator[tuple[NDArray[np.intp], list[NDArray[np.intp]]]]:
        for start in range(0, max_permutations, _BATCH):
            turns = np.arange(start, min(start + _BATCH, max_permutations))
            orders = [rng.permutation(len(subject.units.names)) for _ in turns]
            states.append(rng.bit_generator.state)
            yield rows_in_turn[turns % len(rows_in_turn)], orders

    def gains_of(batch: tuple[NDArray[np.intp], list[NDArray[np.intp]]]) -> FloatArray:
        rows, orders = batch
        grown = np.stack([*subject.grow(columns[rows], columns[background], orders)])
        falls = _falls(subject, rows, nothing, grown)
        gains = np.empty_like(falls)
        np.put_along_axis(gains, np.stack(orders)[None], falls, axis=2)
        return gains

    gains: list[FloatArray] = []
    without: Any = 0.0
    converged = False
    for more in each(gains_of, batches(), subject.n_threads):
        gains.append(more[0].copy())  # without the rest, which is as long as the background
        without = without + more[1:].sum(axis=1)
        contributions = np.concatenate(gains)
        converged = _is_converged(contributions, threshold)
        if converged:
            break
    # Threads are given orders ahead: what was drawn for nothing is not drawn.
    rng.bit_generator.state = states[len(gains) - 1]
    turns = rows_in_turn[np.arange(len(contributions)) % len(rows_in_turn)]
    without = np.asarray(without / len(contributions))
    return _Sampled(contributions, turns, without, background, converged)


def _falls(
    subject: Model, rows: NDArray[np.intp], nothing: FloatArray, grown: FloatArray
) -> FloatArray:
    """Return how much each unit lowers the loss when it becomes known.

    Shape (1 + n_background, n_rows, n_units): with the whole background, then without each of its
    rows. ``nothing`` (n_background, …) are predictions of the background, ``grown`` (n_rows,
    n_units * n_background, …) those of :meth:`losaw.scoring.model.Model.grow`.
    """
    n_rows, n_units, n_background = len(rows), len(subject.units.members), len(nothing)
    known = grown.reshape(n_rows, n_units, n_background, *grown.shape[2:])
    first = np.broadcast_to(nothing, (n_rows, 1, *nothing.shape))
    # Stored scores have the last bits of sums down the predictions of the background.
    mean_of_first = np.broadcast_to(nothing.mean(axis=0), (n_rows, 1, *nothing.shape[1:]))
    means = np.concatenate([mean_of_first, known.mean(axis=2)], axis=1)
    predictions = np.concatenate([first, known], axis=1)
    without = (predictions.sum(axis=2, keepdims=True) - predictions) / (n_background - 1)
    stages = np.concatenate([means[None], np.moveaxis(without, 2, 0)])
    y = np.tile(np.repeat(subject.y[rows], n_units + 1), 1 + n_background)
    losses = subject.loss(y, stages.reshape(len(y), *stages.shape[3:]))
    losses = losses.reshape(1 + n_background, n_rows, n_units + 1)
    return np.asarray(losses[:, :, :-1] - losses[:, :, 1:])


def _in_turn(subject: Model, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """All rows in a random order; with weights that differ, at least ``count`` of them.

    With such weights they come in rounds of as many as there are rows: in each, a row comes as
    often as it weighs (:func:`losaw.rng.rows_by_weight`).
    """
    n_rows, weights = len(subject.y), subject.weights
    n_rounds = 1 if weights is None or not np.ptp(weights) else -(-count // n_rows)
    rounds = (rng.permutation(rows_by_weight(weights, n_rows, rng)) for _ in range(n_rounds))
    return np.concatenate(list(rounds))


def _is_converged(contributions: FloatArray, threshold: float | None) -> bool:
    if threshold is None:
        return False
    error = contributions.std(axis=0, ddof=1).max() / np.sqrt(len(contributions))
    spread = np.ptp(contributions.mean(axis=0))
    return bool(error <= threshold * spread)
