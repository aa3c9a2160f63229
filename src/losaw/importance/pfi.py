"""Permutation feature importance on unseen rows (Breiman 2001; Fisher, Rudin & Dominici 2019)."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.rng import as_generator, rows_by_weight
from losaw.scoring.folds import Fit, alike_notes, fits
from losaw.scoring.losses import Loss, LossName
from losaw.scoring.result import ImportanceResult, checked_by, parameter_repr
from losaw.scoring.rows import ScoringOptions, read_rows
from losaw.scoring.tests import Differences, Inference, added_by_donors, infer
from losaw.support.arguments import one_of, whole_number
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups

SCALES = ("difference", "ratio")
# A loss that is smaller than this part of the loss after a permutation is 0 but for rounding.
_ROUNDING = 1e-14


def _check(scale: str, n_repeats: int) -> None:
    one_of("scale", scale, SCALES)
    whole_number("n_repeats", n_repeats, 1)


@checked_by(_check)
def pfi(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    scale: str = "difference",
    n_repeats: int = 5,
    loss: LossName | Loss | None = None,
    scoring: Any = None,
    features: Sequence[str] | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Loss after a permutation of a feature's values, against the loss before,

        difference:  E[L(f(X_-j, X_pi(j)), Y)] - E[L(f(X), Y)],   0: no importance;
        ratio:       E[L(f(X_-j, X_pi(j)), Y)] / E[L(f(X), Y)],   1: no importance,

    the mean over permutations. A permutation leaves a row its own value with probability 1/m of m
    rows, with ``cv`` those of a fold, so that 1 - 1/m of the difference is expected; m is the
    number of clusters for a feature that has one value in each of equal clusters. Marginal: a
    feature counts if the model uses it, also where others could stand in for it.

    Parameters
    ----------
    model, X, y, features, groups, kinds, feature_names, sample_weight, clusters, n_jobs, \
random_state
        As in :func:`losaw.importance.cpi`: rows that the model has not seen, or ``cv=``. Missing
        values are the model's business.
    scale : {"difference", "ratio"}, default "difference"
    n_repeats : int, default 5
        Permutations of a feature.
    loss, scoring
        As in :func:`losaw.importance.cpi`.
    cv : int, splitter or None, default None
        As in :func:`losaw.importance.cpi`: with it the scores have an error over fits, and are
        tested, ratios against 1: whether the models use the feature. That is no test of
        dependence: a model also uses a noisy copy of a cause, which has no effect of its own and
        had p <= .05 in .15 to .53 of tables; ask :func:`losaw.importance.cpi` of that.

    Returns
    -------
    ImportanceResult
        ``std_error`` over rows as they take and give values (none of a ratio without folds), with
        ``cv`` over fits too. No standard error where the model was fitted to these rows.
        ``rows``: differences of single rows, mean over permutations; ``details``: ``repeats``
        (n_repeats, n_features), and without folds ``permutation_error``, that of their mean, model
        and rows held fixed; ``notes``: features, and groups with one, that have one value
        within every fold.

    Raises
    ------
    ValueError, TypeError
        As :func:`losaw.importance.cpi`, and for a ratio to a loss of 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from losaw.importance import pfi
    >>> X = np.random.default_rng(0).standard_normal((300, 3))
    >>> model = LinearRegression().fit(X[:200], X[:200, 0])
    >>> pfi(model, X[200:], X[200:, 0], random_state=0).select(top=1)
    ('X1',)
    """
    _check(scale, n_repeats)
    rng = as_generator(random_state)
    rows = read_rows(X, y, kinds, feature_names, sample_weight, clusters)
    models = fits(model, rows, ScoringOptions(loss, scoring, features, groups, n_jobs), cv, rng)
    used = models[0].model.loss_name
    shown = parameter_repr("pfi", scale=scale, n_repeats=n_repeats, loss=used, cv=cv)
    inference = Inference(
        method=shown,
        compares=scale == "difference",
        notes=alike_notes(models, rows),
    )
    shift = 1.0 if scale == "ratio" and cv is not None else 0.0  # tests are of scores above 0

    def differences(fit: Fit) -> Differences:
        if len(fit.held) == 1:
            raise ValueError(
                "a fold of cv scores one row, whose values cannot be exchanged with another row's; "
                "take fewer folds"
            )

        def permutations() -> list[NDArray[np.intp]]:
            giving = rows_by_weight(fit.model.weights, len(fit.held), rng)
            return [giving[rng.permutation(len(giving))] for _ in fit.model.units.names]

        result = permuted_differences(fit, permutations, n_repeats, len(rows), scale)
        return result._replace(scores=np.asarray(result.scores) - shift)

    result = infer(differences, models, rows, inference, rng)
    if cv is None or scale == "difference":
        return result
    moved = result.details | {"fold_scores": result.details["fold_scores"] + shift}
    return replace(result, scores=result.scores + shift, details=moved)


def permuted_differences(
    fit: Fit,
    sources: Callable[[], list[NDArray[np.intp]]],
    n_repeats: int,
    n_rows: int,
    scale: str = "difference",
) -> Differences:
    """Differences in loss when units take their values from other rows.

    ``sources`` is called once for every repeat, and returns for each unit, also for those that are
    not scored, so that they change nothing, the row that each row takes its values from.
    ``n_rows`` is the number of all rows, of all folds.
    """
    subject = fit.model
    y, loss, columns = subject.y, subject.loss, subject.columns
    before = loss(y, subject.predictions())
    original = float(subject.mean(before))
    if scale == "ratio" and original == 0:
        raise ValueError("scale='ratio' is not defined: the model's loss is 0; use 'difference'")
    if scale == "ratio" and original < 0:
        raise ValueError(
            f"scale='ratio' needs a loss above 0, and the model's is {original:.2g}; use "
            "'difference', or a loss that is not negative"
        )

    donors: deque[NDArray[np.intp]] = deque()

    def permuted() -> Iterator[FloatArray]:
        for _ in range(n_repeats):
            copies = columns.copy()
            drawn = sources()
            donors.append(np.column_stack([drawn[unit_number] for unit_number in subject.scored]))
            for giving, unit in zip(donors[-1].T, subject.scored_columns, strict=True):
                copies[:, unit] = columns[np.ix_(giving, unit)]
            yield copies

    repeats = np.empty((n_repeats, len(subject.scored)))
    total = np.zeros((len(y), len(subject.scored)))
    donated = np.zeros((n_rows, len(subject.scored)))
    exchanged = subject.exchange(permuted(), n_repeats)
    for repeat, predictions in enumerate(exchanged):
        changes = np.empty_like(total)
        for unit_number, predicted in enumerate(predictions[1:]):
            after = loss(y, predicted)
            repeats[repeat, unit_number] = subject.mean(after)
            changes[:, unit_number] = after - before
        total += changes
        giving = fit.held[donors.popleft()]
        donated += added_by_donors(changes, giving, subject.weights, n_rows) / n_repeats
    if scale == "ratio" and original < _ROUNDING * repeats.max(initial=0.0):
        raise ValueError(
            f"scale='ratio' is not defined: the loss ({original:.2g}) is 0 but for rounding "
            f"(after a permutation {repeats.max():.2g}); use 'difference'"
        )
    repeats = repeats - original if scale == "difference" else repeats / original
    return Differences(total / n_repeats, repeats.mean(axis=0), {"repeats": repeats}, donated)
