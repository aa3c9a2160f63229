"""Residuals of a feature given the features before it: residual learning, Gram-Schmidt.

Gerstorfer, Krieg and Hahn-Klimroth, Section 3.2. An algorithm turns features F_1, …, F_d in a
given order into residuals W_1 = F_1 and W_j = F_j - A(W_1, …, W_{j-1}).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.words import unknown

# A residual is zero below this share of its feature: what rounding leaves of a duplicate.
TOLERANCE = 1e-10


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
    rounding = 1e-13 * np.abs(feature).max() * np.sqrt(len(feature))
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


ALGORITHMS = (
    "random-forest",
    "random-forest-out-of-bag",
    "gram-schmidt",
    "gram-schmidt-printed",
)


def residual_algorithm(algorithm: Any, n_estimators: int) -> ResidualAlgorithm:
    """The algorithm of a name."""
    match algorithm:
        case "gram-schmidt":
            return gram_schmidt
        case "gram-schmidt-printed":
            return printed_gram_schmidt
        case "random-forest" | "random-forest-out-of-bag":
            out_of_bag = algorithm != "random-forest"
            return partial(forest_residual, n_estimators=n_estimators, out_of_bag=out_of_bag)
    raise ValueError(unknown("algorithm", algorithm, ALGORITHMS))


def plain_forest(n_estimators: int, rng: np.random.Generator, n_jobs: int | None = None) -> Any:
    """scikit-learn's default regression forest, grown by our compiled code.

    Bootstrap samples, all features at every node, grown until leaves are pure: losawRF with
    uniform weights (eta = 1).
    """
    from losaw.forest import LosawRandomForestRegressor

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
