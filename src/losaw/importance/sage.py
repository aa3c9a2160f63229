"""Shapley additive global importance (Covert, Lundberg & Lee 2020)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.rng import as_generator, rows_by_weight
from losaw.scoring.folds import Fit, fits
from losaw.scoring.losses import Loss, LossName
from losaw.scoring.model import Model
from losaw.scoring.result import ImportanceResult, checked_by, parameter_repr
from losaw.scoring.rows import ScoringOptions, read_rows
from losaw.scoring.tests import Differences, Inference, infer, mean_deviations
from losaw.support.arguments import real_number, whole_number
from losaw.support.threads import each
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups

_BATCH = 16  # permutations between two looks at the convergence
ERROR_KIND = "over test rows and their random orders, the background held fixed"


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
        ``std_error`` over rows (or clusters), if two or more are drawn, of which each has the mean
        of its orders, model and background held fixed (with ``cv`` over folds). Few rows of heavy
        tails do not show all of it: an interval of .95 of 150 rows of t(5) held the strongest score
        in .88 of 600 tables. ``details``: ``n_permutations`` and ``converged``.

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

    def run(subject: Model) -> tuple[FloatArray, NDArray[np.intp], bool]:
        return _contributions(subject, n_background, max_permutations, threshold, rng)

    if cv is None:
        subject = models[0].model
        contributions, turns, converged = run(subject)
        # Stored scores have the last bits of sums down its columns.
        contributions = np.asfortranarray(contributions)
        scores = contributions.mean(axis=0)
        error = contributions.std(axis=0, ddof=1) / np.sqrt(len(contributions))
        freedom = len(contributions) - 1.0
        labels = turns if rows.clusters is None else rows.clusters[turns]
        n_labels = len(np.unique(labels))
        if 1 < n_labels < len(labels):  # those of one row or cluster are no sample
            deviations, freedom = mean_deviations(contributions - scores, None, labels)
            error = np.sqrt((deviations**2).sum(axis=0))
        return ImportanceResult(
            scores,
            subject.names,
            std_error=error if n_labels > 1 else None,
            std_error_kind=None
            if n_labels == 1
            else ERROR_KIND.replace("rows", "rows" if rows.clusters is None else "clusters"),
            degrees_of_freedom=freedom,
            details={"n_permutations": len(contributions), "converged": converged},
            method=shown,
            kinds=subject.kinds,
        )

    def differences(fit: Fit) -> Differences:
        return Differences(None, run(fit.model)[0].mean(axis=0))

    return infer(differences, models, rows, Inference(method=shown), rng)


def _contributions(
    subject: Model,
    n_background: int,
    max_permutations: int,
    threshold: float | None,
    rng: np.random.Generator,
) -> tuple[FloatArray, NDArray[np.intp], bool]:
    """How much each unit lowers the loss, by order; the orders' rows; whether all converged."""
    columns = subject.columns
    background = columns[_in_turn(subject, n_background, rng)[:n_background]]
    # The mean prediction: what is known of every row before the first feature.
    nothing = subject.predict(background).mean(axis=0)[None]
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
        predictions = np.stack([*subject.grow(columns[rows], background, orders)])
        falls = _falls(subject, rows, nothing, predictions)
        gains = np.empty_like(falls)
        np.put_along_axis(gains, np.stack(orders), falls, axis=1)
        return gains

    gains: list[FloatArray] = []
    converged = False
    for more in each(gains_of, batches(), subject.n_threads):
        gains.append(more)
        contributions = np.concatenate(gains)
        converged = _is_converged(contributions, threshold)
        if converged:
            break
    # Threads are given orders ahead: what was drawn for nothing is not drawn.
    rng.bit_generator.state = states[len(gains) - 1]
    turns = rows_in_turn[np.arange(len(contributions)) % len(rows_in_turn)]
    return contributions, turns, converged


def _falls(
    subject: Model, rows: NDArray[np.intp], nothing: FloatArray, predictions: FloatArray
) -> FloatArray:
    """Return how much each unit lowers the loss when it becomes known, (n_rows, n_units).

    ``nothing`` (1, …) is the prediction when no unit is known; ``predictions`` (n_rows, n_units *
    n_background, …) are those of :meth:`losaw.scoring.model.Model.grow`.
    """
    n_rows, n_units = len(rows), len(subject.units.members)
    known = predictions.reshape(n_rows, n_units, -1, *predictions.shape[2:]).mean(axis=2)
    first = np.broadcast_to(nothing, (n_rows, *nothing.shape))
    stages = np.concatenate([first, known], axis=1)
    y = np.repeat(subject.y[rows], n_units + 1)
    losses = subject.loss(y, stages.reshape(len(y), *stages.shape[2:])).reshape(n_rows, -1)
    return np.asarray(losses[:, :-1] - losses[:, 1:])


def _in_turn(subject: Model, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """All rows in a random order; with weights, at least ``count`` of them.

    With weights they come in rounds of as many as there are rows: in each, a row comes as often as
    it weighs (:func:`losaw.rng.rows_by_weight`).
    """
    n_rows, weights = len(subject.y), subject.weights
    n_rounds = 1 if weights is None else -(-count // n_rows)
    rounds = (rng.permutation(rows_by_weight(weights, n_rows, rng)) for _ in range(n_rounds))
    return np.concatenate(list(rounds))


def _is_converged(contributions: FloatArray, threshold: float | None) -> bool:
    if threshold is None:
        return False
    error = contributions.std(axis=0, ddof=1).max() / np.sqrt(len(contributions))
    spread = np.ptp(contributions.mean(axis=0))
    return bool(error <= threshold * spread)
