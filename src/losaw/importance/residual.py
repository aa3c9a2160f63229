"""Residual-based feature importance (Gerstorfer, Krieg and Hahn-Klimroth, Algorithm 1).

An algorithm of their Section 3.2 turns features F_1, …, F_d in a given order into residuals
W_1 = F_1 and W_j = F_j - A(W_1, …, W_{j-1}).
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.forest import LosawRandomForestRegressor
from losaw.importance.refit import read_refit
from losaw.rng import as_generator
from losaw.scoring.result import ImportanceResult, checked_by, parameter_repr
from losaw.support.arguments import one_of, whole_number
from losaw.support.models import Task, task_of
from losaw.support.outcomes import finite_sample, unnamed_response
from losaw.support.threads import checked_jobs
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups

ALGORITHMS = (
    "random-forest",
    "random-forest-out-of-bag",
    "gram-schmidt",
    "gram-schmidt-printed",
)
MIN_ROWS = 3
STD_ERROR_KIND = "over permutations, with the sample and the sum of all scores held fixed"

NOTHING_OWN = (
    "the other features determine it, so that nothing is left of it: what it shares with them "
    "counts for none of them"
)

Order = tuple[int, ...]


def residual_importance(
    X: ArrayLike,
    y: ArrayLike,
    *,
    algorithm: str = "gram-schmidt",
    n_permutations: int = 20,
    n_estimators: int = 100,
    task: Task | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """The importance of a feature's residual given the other features.

    For feature i and an order pi of all features that ends with i, let W be the residuals of the
    features in this order (W_1 = F_1, W_j = F_j - A(W_1, …, W_{j-1})). With MDI_i(W) the mean
    decrease in impurity of the last column in a forest of y on all of W, and R_i a forest of y
    on F_i alone,

        f_i = max(0, r(R_i(F_i), y)) * mean over pi of MDI_i(W),     score_i = f_i / sum_j f_j,

    where R_i predicts the rows it was grown on (its r is close to 1 for almost every feature). The
    forests are the paper's: bootstrap samples, all features at every node, pure leaves. Of
    several columns that are one feature (a group, the dummies of levels) each is made a residual
    of the features before them, not of one another; MDI_i is their sum and R_i grown on all.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
        Levels enter as dummies without the first.
    y : array of shape (n_samples,)
        Numbers, or labels of two classes, which are 0 and 1.
    algorithm : str, default "gram-schmidt"
        "random-forest" (residuals of the rows of the fit, as published) or
        "random-forest-out-of-bag" (:func:`losaw.importance.residual.forest_residual`),
        "gram-schmidt" or "gram-schmidt-printed"
        (:func:`losaw.importance.residual.printed_gram_schmidt`).
    n_permutations : int, default 20
        Orders per feature. All (d - 1)! are taken instead where these are not more (d <= 4 by
        default); otherwise each is drawn uniformly, and the features' orders of a draw share their
        beginnings: one order of all features, cut into halves that change places.
    n_estimators : int, default 100
        Trees of every forest.
    task : {"regression", "classification"} or None, default None
        None: classification of text, bools and categories, regression of numbers.
    groups, kinds, feature_names
        As in :func:`losaw.importance.cpi`.
    n_jobs : int or None
        Threads that grow the trees of a forest of y. The result does not depend on it.
    random_state : int, Generator or None

    Returns
    -------
    ImportanceResult
        Scores sum to 1; all are 0 if no feature has anything of its own (all are duplicates). A
        feature that is constant, or (by Gram-Schmidt) a linear function of the others, has 0, and a
        note in the latter case, since the scores of others are then shares without what it stands
        for; a single feature has 1. ``std_error``, over permutations, is None where there is one
        order per feature, and larger than the error where all are taken. ``details``:
        ``mean_decrease_in_impurity`` and ``weight`` r of every feature, ``n_permutations``,
        ``all_permutations``.

    Raises
    ------
    ValueError
        For bad values, fewer than 3 rows, a constant y, more than two classes, or parameters out
        of range.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.importance import residual_importance
    >>> X = np.random.default_rng(0).standard_normal((60, 3))
    >>> few = {"n_permutations": 2, "n_estimators": 10}
    >>> residual_importance(X, X[:, 0], **few, random_state=0).select(top=1)
    ('X1',)
    """
    _check(algorithm, n_permutations, n_estimators)
    checked_jobs(n_jobs)
    sample = read_refit(X, y, task, groups, kinds, feature_names, dummies=True)
    rows, response, _ = finite_sample(sample.columns, sample.y, MIN_ROWS)
    units = sample.units.members
    residual_of = residual_algorithm(algorithm, n_estimators)
    rng = as_generator(random_state)
    n_features = len(units)
    takes_all = math.factorial(n_features - 1) <= n_permutations
    impurities: list[list[float]] = [[] for _ in range(n_features)]
    has_own = np.zeros(n_features, dtype=bool)

    def grow(columns: FloatArray) -> Any:
        return plain_forest(n_estimators, rng, n_jobs).fit(columns, response)

    for orders in _orders(n_features, None if takes_all else n_permutations, rng):
        prefixes: dict[Order, Prefix] = {}
        for order in orders:  # one after the other: all draw from the same stream
            W = prefix_of(rows, order, units, residual_of, prefixes, rng).residuals
            width = len(units[order[-1]])
            impurities[order[-1]].append(float(np.sum(grow(W).feature_importances_[-width:])))
            has_own[order[-1]] |= bool(np.ptp(W[:, -width:], axis=0).any())
    impurity = np.array(impurities)
    weight = np.array([_fit_correlation(grow, rows[:, unit], response) for unit in units])
    weighted = weight[:, None] * impurity
    total = weighted.mean(axis=1).sum() or 1.0  # all are 0 if the sum is
    count = impurity.shape[1]
    std_error = weighted.std(axis=1, ddof=1) / np.sqrt(count) / total if count > 1 else None
    # A feature that varies by itself and not once the others are taken off.
    determined = ~has_own & np.array([bool(np.ptp(rows[:, unit], axis=0).any()) for unit in units])
    return ImportanceResult(
        weighted.mean(axis=1) / total,
        sample.units.names,
        std_error=std_error,
        std_error_kind=None if std_error is None else STD_ERROR_KIND,
        degrees_of_freedom=None if std_error is None else count - 1,
        details={
            "mean_decrease_in_impurity": impurity.mean(axis=1),
            "weight": weight,
            "n_permutations": count,
            "all_permutations": takes_all,
        },
        method=parameter_repr(
            "residual_importance",
            algorithm=algorithm,
            n_permutations=n_permutations,
            n_estimators=n_estimators,
            task=sample.task,
        ),
        kinds=sample.kinds,
        notes={sample.units.names[unit]: NOTHING_OWN for unit in np.flatnonzero(determined)},
    )


def _check(
    algorithm: Any, n_permutations: int, n_estimators: int, top_features: int | None = None
) -> None:
    one_of("algorithm", algorithm, ALGORITHMS)
    whole_number("n_permutations", n_permutations, 1)
    whole_number("n_estimators", n_estimators, 1)
    if top_features is not None:
        whole_number("top_features", top_features, 1)


@checked_by(_check)
def residual_of_top_features(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    algorithm: Any = "gram-schmidt",
    n_permutations: int = 20,
    n_estimators: int = 100,
    top_features: int | None = None,
    feature_names: Sequence[str],
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Residual importance of a training sample, with the forests of the paper.

    The fitted model is not explained; it chooses the ``top_features``, those with the largest
    ``feature_importances_``, which take part, while all others score 0. The number n of features
    multiplies the forests of a draw by n, with forest residuals by n log n. Nominal features enter
    with their level codes, two classes as 0 and 1. The rest is as in :func:`residual_importance`.
    """
    X, y = np.asarray(X), unnamed_response(y, task_of(model))
    columns = np.arange(X.shape[1])
    if top_features is not None and top_features < X.shape[1]:
        order = np.argsort(-np.asarray(model.feature_importances_), kind="stable")
        columns = np.sort(order[:top_features])
    result = residual_importance(
        X[:, columns],
        y,
        algorithm=algorithm,
        n_permutations=n_permutations,
        n_estimators=n_estimators,
        random_state=random_state,
    )

    def spread(values: FloatArray) -> FloatArray:
        everywhere = np.zeros(X.shape[1])
        everywhere[columns] = values
        return everywhere

    return ImportanceResult(
        spread(result.scores),
        tuple(feature_names),
        std_error=None if result.std_error is None else spread(result.std_error),
        std_error_kind=result.std_error_kind,
        degrees_of_freedom=result.degrees_of_freedom,
        details={**result.details, "features": tuple(columns.tolist())},
    )


def _orders(
    n_features: int, n_draws: int | None, rng: np.random.Generator
) -> Iterator[list[Order]]:
    """Yield all orders (None), or for each draw a list with one order ending in each feature.

    Orders of one list share their beginnings.
    """
    if n_draws is None:
        yield list(itertools.permutations(range(n_features)))
        return
    for _ in range(n_draws):
        yield list(_one_for_each((), tuple(rng.permutation(n_features).tolist())))


def _one_for_each(before: Order, rest: Order) -> Iterator[Order]:
    """Yield an order of all features for each of ``rest``: ``before`` first, that feature last.

    Half of ``rest`` comes before all of the other half, so that beginnings are long and few: n
    features have about n log2(n) of them. Where a feature stands in ``rest`` decides how the
    others are moved, so that a uniform order of all leaves a uniform order before each.
    """
    if len(rest) == 1:
        yield before + rest
        return
    half = len(rest) // 2
    first, second = rest[:half], rest[half:]
    yield from _one_for_each(before + second, first)
    yield from _one_for_each(before + first, second)


def _fit_correlation(grow: Any, columns: FloatArray, response: FloatArray) -> float:
    """Correlation of y with its in-sample prediction from one feature, cut at 0."""
    if (np.ptp(columns, axis=0) == 0).all():
        return 0.0
    predicted = grow(columns).predict(columns)
    if np.ptp(predicted) == 0:
        return 0.0
    return max(0.0, float(np.corrcoef(predicted, response)[0, 1]))


# A residual is zero below this share of its feature: what rounding leaves of a duplicate.
TOLERANCE = 1e-10
_NEAR = 1e-3  # of so small a residual it is asked whether rounding has left it


class Prefix(NamedTuple):
    """The features treated so far: as they were, their residuals, and an orthonormal basis.

    ``basis`` (n, rank) spans the centred features; only Gram-Schmidt fills it.
    """

    features: FloatArray
    residuals: FloatArray
    basis: FloatArray


# From the features before, a feature and a generator to its residual and, if the algorithm has a
# basis, one more direction of it. Pure, so that a common prefix is computed once.
ResidualAlgorithm = Callable[
    [Prefix, FloatArray, np.random.Generator], tuple[FloatArray, FloatArray | None]
]


def gram_schmidt(
    prefix: Prefix, feature: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray | None]:
    """W_j = F_j - sum_{i<j} Cov(F_j, W_i) / Var(W_i) W_i: the columns are uncorrelated.

    One QR factorisation, column by column, with every projection repeated once against
    rounding. W_j does not depend on the order of the columns before it. A feature that is a
    linear function of those before it, or is constant, has W_j = 0.
    """
    residual = feature - feature.mean()
    size = np.linalg.norm(residual)
    # The constant is one more direction: rounding leaves a mean, which counts where the residual
    # is small compared with the feature, and is removed again.
    for _ in range(2):
        residual = residual - prefix.basis @ (prefix.basis.T @ residual)
        residual = residual - residual.mean()
    left = np.linalg.norm(residual)
    rounding = np.abs(feature).max()
    if prefix.features.shape[1] and left <= _NEAR * size:  # that of the others as well
        others = prefix.features - prefix.features.mean(axis=0)
        shares = np.linalg.lstsq(others, feature - feature.mean(), rcond=None)[0]
        rounding += np.abs(shares) @ np.abs(prefix.features).max(axis=0)
    rounding *= 1e-13 * np.sqrt(len(feature))
    if left <= max(TOLERANCE * size, rounding):
        return np.zeros_like(feature), None
    return residual, residual / left


def printed_gram_schmidt(
    prefix: Prefix, feature: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, None]:
    """W_j = F_j - sum_{i<j} Cov(F_j, W_i) / Var(F_j) F_i, as the paper prints it.

    Not an orthogonalisation: the coefficient is divided by the variance of the wrong variable
    and multiplies the feature instead of its residual. It changes when a feature is rescaled.
    """
    centred = feature - feature.mean()
    variance = centred @ centred
    if variance == 0 or prefix.residuals.shape[1] == 0:
        return feature, None
    centred_residuals = prefix.residuals - prefix.residuals.mean(axis=0)
    return feature - prefix.features @ (centred_residuals.T @ centred / variance), None


def forest_residual(
    prefix: Prefix,
    feature: FloatArray,
    rng: np.random.Generator,
    n_estimators: int,
    out_of_bag: bool,
) -> tuple[FloatArray, None]:
    """W_j = F_j - (random forest of F_j on W_1, …, W_{j-1}).

    As published the forest predicts the rows it was grown on, which leaves about a third of the
    noise it could not know; with ``out_of_bag`` a row is predicted by the trees that left it out.
    """
    if prefix.residuals.shape[1] == 0:
        return feature, None
    if np.ptp(feature) == 0:
        return np.zeros_like(feature), None
    forest = plain_forest(n_estimators, rng).fit(prefix.residuals, feature)
    if out_of_bag:
        return feature - out_of_bag_prediction(forest, prefix.residuals), None
    return feature - forest.predict(prefix.residuals), None


def extended(
    residual_of: ResidualAlgorithm, prefix: Prefix, columns: FloatArray, rng: np.random.Generator
) -> Prefix:
    """The prefix with all ``columns`` (n_samples, n_columns) of a feature.

    Each is made a residual of the features before it, not of the feature's other columns.
    """
    residuals, basis = np.empty_like(columns), prefix.basis
    for j, column in enumerate(columns.T):
        residuals[:, j], direction = residual_of(prefix, column, rng)
        if j > 0 and direction is not None:  # orthogonal to the feature's own columns, too
            _, direction = residual_of(prefix._replace(basis=basis), column, rng)
        if direction is not None:
            basis = np.column_stack([basis, direction])
    return Prefix(
        np.column_stack([prefix.features, columns]),
        np.column_stack([prefix.residuals, residuals]),
        basis,
    )


def prefix_of(
    rows: FloatArray,
    order: tuple[int, ...],
    units: Sequence[NDArray[np.intp]],
    residual_of: ResidualAlgorithm,
    known: dict[tuple[int, ...], Prefix],
    rng: np.random.Generator,
) -> Prefix:
    """The residuals of a whole order, started from its longest known beginning."""
    length = len(order)
    while length and order[:length] not in known:
        length -= 1
    nothing = np.empty((len(rows), 0))
    prefix = known[order[:length]] if length else Prefix(nothing, nothing, nothing)
    for end in range(length, len(order)):
        prefix = extended(residual_of, prefix, rows[:, units[order[end]]], rng)
        known[order[: end + 1]] = prefix
    return prefix


def residual_algorithm(algorithm: str, n_estimators: int) -> ResidualAlgorithm:
    """The algorithm of a name."""
    out_of_bag = algorithm == "random-forest-out-of-bag"
    of_forest = partial(forest_residual, n_estimators=n_estimators, out_of_bag=out_of_bag)
    no_forest = {"gram-schmidt": gram_schmidt, "gram-schmidt-printed": printed_gram_schmidt}
    return no_forest.get(algorithm, of_forest)


def plain_forest(n_estimators: int, rng: np.random.Generator, n_jobs: int | None = None) -> Any:
    """scikit-learn's default regression forest, grown by our compiled code.

    Bootstrap samples, all features at every node, grown until leaves are pure: losawRF with
    uniform weights (eta = 1).
    """
    return LosawRandomForestRegressor(
        n_estimators=n_estimators,
        max_depth=None,
        min_samples_leaf=1,
        max_features=None,
        eta=1.0,
        discrete_features=[],
        n_jobs=n_jobs,
        random_state=rng,
    )


def out_of_bag_prediction(forest: Any, X: FloatArray) -> FloatArray:
    """Mean prediction of the trees whose sample left the row out, (n_samples,)."""
    left_out = forest.in_bag_counts().T == 0
    if not left_out.any(axis=1).all():
        raise ValueError(
            f"a row is in the sample of all {left_out.shape[1]} trees and has no out-of-bag "
            "prediction; raise n_estimators"
        )
    leaves = forest.apply(X)
    values = np.column_stack(
        [tree.value[leaves[:, index]] for index, tree in enumerate(forest.trees_)]
    )
    return np.average(values, axis=1, weights=left_out)
