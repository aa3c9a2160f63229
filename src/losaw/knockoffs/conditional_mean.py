"""Regression of one feature, or a group, on all other columns, chosen by held-out error.

A table's features differ: one follows another in a straight line, the next in a curve, a third
changes at a threshold or with a product. So a few regressions are fitted to every feature, and the
one with the least error on rows that it was not fitted to is taken:

1. ridge regression on normal scores of numbers and indicators of levels;
2. the same with splines of single columns and products of two columns, as long as the residuals
   correlate with any by more than chance explains and the error falls;
3. a forest, out of bag, and a forest of the residuals of 2.

Errors, means and residuals are those of rows that were left out: of a ridge regression by the
leave-one-out formula, of a forest out of bag. Residuals of the fit itself would be too small, and
draws nearly copies, where there are as many columns as rows. Rows of a cluster may be copies of
each other, so that whole clusters are left out where clusters are given: a tenth of them at a time.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FeatureKind, FloatArray
from losaw.forest import PlainRandomForestRegressor

_PENALTIES = np.geomspace(1e-4, 1e3, 15)
# A row that decides its own fitted value has hardly a residual, and no error without it.
_LEAST_LEFT = 1e-9
_ROUNDS, _TERMS_A_ROUND = 4, 5
# Products are formed of at most so many columns, and sought for so many directions of a residual.
_MOST_IN_PRODUCTS, _DIRECTIONS = 60, 3
_TREES, _LEAF, _FOREST_COLUMNS, _FOREST_ROWS = 50, 5, 12, 5_000
# A forest is taken if its error is smaller by this share; it costs smoothness.
SMALLEST_GAIN = 0.02
_OWN_VALUE = 20.0
# Values that so large a share of the rows has get an indicator in a spline.
_POINT_MASS = 0.1
_FEW_VALUES = 10
_MOST_PARTS = 10  # of the rows, of which one at a time is left out


class Clusters(NamedTuple):
    """Rows that belong together, and the parts of the rows that are left out one at a time."""

    labels: NDArray[np.intp]  # (n_rows,)
    parts: list[NDArray[np.intp]]  # row numbers; a cluster is in one part


def in_parts(labels: NDArray[np.intp], rng: np.random.Generator) -> Clusters:
    """Return clusters in up to ten random parts."""
    numbers = np.unique(labels, return_inverse=True)[1]
    n_clusters = int(numbers.max()) + 1
    n_parts = min(n_clusters, _MOST_PARTS)
    part_of_cluster = (rng.permutation(n_clusters) % n_parts)[numbers]
    return Clusters(
        numbers, [np.flatnonzero(part_of_cluster == number) for number in range(n_parts)]
    )


def outside(rows: NDArray[np.intp], part: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows that are not in a part; all where none is left."""
    others = np.setdiff1d(rows, part)
    return others if len(others) else rows


def n_independent(rows: NDArray[np.intp], clusters: Clusters | None) -> int:
    """Return the number of the rows, or of their clusters."""
    return len(rows) if clusters is None else len(np.unique(clusters.labels[rows]))


class Regressors(NamedTuple):
    """A column as a set of regressors: arrays (n_rows, …) with mean 0 and variance 1.

    ``linear`` is the normal score of a number, or the indicators of levels; ``curved`` a spline of
    the score, empty for levels.
    """

    linear: FloatArray
    curved: FloatArray


class _Fit(NamedTuple):
    mean: FloatArray
    error: float


def normal_scores(values: FloatArray) -> FloatArray:
    """Return normal quantiles of mid-ranks, with variance 1; equal values have equal scores.

    Missing values stay missing.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores = np.full(len(values), np.nan)
    known = ~np.isnan(values)
    if known.any():
        quantiles = ndtri((rankdata(values[known]) - 0.5) / known.sum())
        scores[known] = quantiles / (quantiles.std() or 1.0)
    return scores


def regressors_of(column: FloatArray, kind: FeatureKind) -> Regressors:
    """Return scores, indicators and splines of a column (n_rows,), and what of it is missing."""
    nothing = np.empty((len(column), 0))
    if kind == "nominal":
        return Regressors(_standardised(indicators(column)), nothing)
    missing, scores = np.isnan(column), np.nan_to_num(normal_scores(column))
    linear = _standardised(np.column_stack([scores, missing]))
    values, counts = np.unique(scores[~missing], return_counts=True)
    if len(values) <= 2:
        return Regressors(linear, nothing)
    if len(values) <= _FEW_VALUES:
        return Regressors(linear, _standardised(scores[:, None] == values))
    masses = values[counts >= _POINT_MASS * len(column)]
    curved = np.column_stack([_spline(scores), scores[:, None] == masses])
    return Regressors(linear, _standardised(curved))


def indicators(column: FloatArray) -> FloatArray:
    """Return one column of 0 and 1 for every value, missing as the last, (n_rows, n_values)."""
    values, codes = np.unique(column, return_inverse=True)
    return np.eye(len(values))[codes]


def conditional_mean(
    targets: FloatArray,
    columns: Sequence[Regressors],
    rng: np.random.Generator,
    known: NDArray[np.bool_] | None = None,
    clusters: Clusters | None = None,
) -> FloatArray:
    """Return means of targets (n_rows, n_targets) given the columns, by the best regression.

    The mean of a row is that of a regression which did not see the row, or its cluster. Regressions
    are fitted to the rows (n_rows,) whose targets are ``known``; None: all.
    """
    rows = np.arange(len(targets)) if known is None else np.flatnonzero(known)
    smooth = _additive(targets, columns, rows, clusters)
    linear = joined([column.linear for column in columns], len(targets))
    if not linear.shape[1] or not smooth.error > 0:
        return smooth.mean
    constant = targets[rows].mean(axis=0) + np.zeros_like(targets)
    variance = float(targets[rows].var(axis=0).sum())
    best = _Fit(constant, variance * (1.0 - SMALLEST_GAIN))
    # A mean without a row of n tells the row's own value by a share 1 / n. Means that explain not
    # much more than that would make rows with similar values neighbours.
    if smooth.error < variance * (1.0 - _OWN_VALUE / n_independent(rows, clusters) ** 2):
        best = _Fit(smooth.mean, smooth.error * (1.0 - SMALLEST_GAIN))
    chosen = strongest_columns(targets, columns, linear, rows)
    for start in (constant, smooth.mean):
        change = _unseen_means(chosen, targets - start, rows, rng, clusters)
        error = float(((targets - start - change)[rows] ** 2).sum() / len(rows))
        if error < best.error:
            best = _Fit(start + change, error)
    return best.mean


def smooth_mean(
    target: FloatArray, columns: Sequence[Regressors], clusters: Clusters | None = None
) -> FloatArray | None:
    """Return the mean of a target (n_rows,) by ridge regression; None if that explains nothing."""
    fit = _additive(target[:, None], columns, np.arange(len(target)), clusters)
    return fit.mean[:, 0] if fit.error < (1.0 - SMALLEST_GAIN) * float(target.var()) else None


def _additive(
    targets: FloatArray,
    columns: Sequence[Regressors],
    rows: NDArray[np.intp],
    clusters: Clusters | None,
) -> _Fit:
    """Fit a ridge regression to some rows, and add curves and products while its error falls."""
    design = joined([column.linear for column in columns], len(targets))
    fit = _ridge(design, targets, rows, clusters)
    curves = [column.curved for column in columns if column.curved.shape[1]]
    strength = _correlations(design[rows], targets[rows])
    factors = design[:, _first_by(strength, _MOST_IN_PRODUCTS)]
    n_terms = sum(curve.shape[1] for curve in curves) + factors.shape[1] * (factors.shape[1] - 1)
    if not n_terms:
        return fit
    # No more than about one term of a table without any passes by chance.
    least = np.sqrt((2.0 * np.log(n_terms) + 2.0) / n_independent(rows, clusters))
    taken: set[tuple[int, ...]] = set()
    for _ in range(_ROUNDS):
        known_curves = [curve[rows] for curve in curves]
        promising = _promising((targets - fit.mean)[rows], known_curves, factors[rows], least)
        new = [term for _, term in sorted(promising, reverse=True) if term not in taken]
        new = new[:_TERMS_A_ROUND]
        if not new:
            break
        taken.update(new)
        terms = [
            curves[term[0]]
            if len(term) == 1
            else _standardised(factors[:, [term[0]]] * factors[:, [term[1]]])
            for term in new
        ]
        design = np.column_stack([design, *terms])
        richer = _ridge(design, targets, rows, clusters)
        if richer.error >= fit.error:
            break
        fit = richer
    return fit


def _promising(
    residual: FloatArray, curves: Sequence[FloatArray], factors: FloatArray, least: float
) -> list[tuple[float, tuple[int, ...]]]:
    """Return curves (place,) and products (place, place) that correlate with the residual."""
    n_rows = len(residual)
    scaled = residual / np.maximum(residual.std(axis=0), 1e-12)
    promising: list[tuple[float, tuple[int, ...]]] = []
    for number, curve in enumerate(curves):
        strength = float(np.abs(curve.T @ scaled).max() / n_rows)
        if strength > least:
            promising.append((strength, (number,)))
    for direction in _leading(scaled, _DIRECTIONS).T:
        products = np.abs((factors * direction[:, None]).T @ factors) / n_rows
        for a, b in zip(*np.nonzero(np.triu(products > least, 1)), strict=True):
            promising.append((float(products[a, b]), (int(a), int(b))))
    return promising


def _ridge(
    design: FloatArray, targets: FloatArray, rows: NDArray[np.intp], clusters: Clusters | None
) -> _Fit:
    """Fit to some rows at the penalty with the least leave-one-out error.

    Each of these rows is predicted by the fit to the others: its residual is e_i / (1 - h_ii), with
    h the diagonal of the matrix that maps targets to fitted values. With clusters, each row is
    predicted by the fit to the parts that its cluster is not in.
    """
    offset, centre = targets[rows].mean(axis=0), design[rows].mean(axis=0)
    response, columns = targets[rows] - offset, design[rows] - centre
    n_rows, n_columns = columns.shape
    if not n_columns:
        return _Fit(offset + np.zeros_like(targets), float((response**2).sum()) / n_rows)
    if clusters is not None:
        return _ridge_in_parts(design, targets, rows, clusters)
    values, left = _decomposed(columns)
    projected = left.T @ response
    best_error, best_penalty, residual = np.inf, 0.0, response
    for penalty in _PENALTIES:
        shrinkage = values / (values + penalty)
        leverage = (left**2) @ shrinkage + 1.0 / n_rows
        left_out = response - left @ (shrinkage[:, None] * projected)
        left_out /= np.maximum(1.0 - leverage, _LEAST_LEFT)[:, None]
        error = float((left_out**2).sum()) / n_rows
        if error < best_error:
            best_error, best_penalty, residual = error, penalty, left_out
    scaled = projected / (n_rows * (values + best_penalty))[:, None]
    mean = offset + (design - centre) @ (columns.T @ (left @ scaled))
    mean[rows] = targets[rows] - residual
    return _Fit(mean, best_error)


def _ridge_in_parts(
    design: FloatArray, targets: FloatArray, rows: NDArray[np.intp], clusters: Clusters
) -> _Fit:
    """Predict every part by the slopes of the others, at the penalty with the least error.

    The centre is that of all rows: another one for each part would make rows of a part neighbours.
    """
    offset, centre = targets[rows].mean(axis=0), design[rows].mean(axis=0)
    means = np.empty((len(_PENALTIES), *targets.shape))
    for held_rows in clusters.parts:
        train = outside(rows, held_rows)
        columns = design[train] - design[train].mean(axis=0)
        values, left = _decomposed(columns)
        projected = left.T @ (targets[train] - targets[train].mean(axis=0))
        held = (design[held_rows] - centre) @ (columns.T @ left)
        for mean, penalty in zip(means, _PENALTIES, strict=True):
            scaled = projected / (len(train) * (values + penalty))[:, None]
            mean[held_rows] = offset + held @ scaled
    errors = ((targets - means)[:, rows] ** 2).sum(axis=(1, 2)) / len(rows)
    best = int(errors.argmin())
    return _Fit(means[best], float(errors[best]))


def _decomposed(columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues of the covariance, and the left singular vectors, of columns."""
    n_rows, n_columns = columns.shape
    if n_columns <= n_rows:
        values, vectors = np.linalg.eigh(columns.T @ columns / n_rows)
        known = values > 1e-10 * values[-1]
        values = values[known]
        return values, columns @ (vectors[:, known] / np.sqrt(n_rows * values))
    values, left = np.linalg.eigh(columns @ columns.T / n_rows)
    known = values > 1e-10 * values[-1]
    return values[known], left[:, known]


def strongest_columns(
    targets: FloatArray,
    columns: Sequence[Regressors],
    linear: FloatArray,
    rows: NDArray[np.intp],
    most: int = _FOREST_COLUMNS,
) -> FloatArray:
    """Return the linear columns that are most associated with the targets, for a forest."""
    strength = _correlations(linear[rows], targets[rows])
    first = 0
    for column in columns:
        width = column.linear.shape[1]
        if column.curved.shape[1] and width:
            curved = _correlations(column.curved[rows], targets[rows]).max()
            strength[first] = max(strength[first], curved)
        first += width
    return linear[:, _first_by(strength, most)]


def _unseen_means(
    columns: FloatArray,
    targets: FloatArray,
    rows: NDArray[np.intp],
    rng: np.random.Generator,
    clusters: Clusters | None,
) -> FloatArray:
    """Return means by a forest, out of bag; with clusters, by the forest of the other parts."""
    if clusters is None:
        return out_of_bag_means(columns, targets, rows, rng)
    means = np.empty_like(targets)
    for held_rows in clusters.parts:
        means[held_rows] = out_of_bag_means(columns, targets, outside(rows, held_rows), rng)[
            held_rows
        ]
    return means


def out_of_bag_means(
    columns: FloatArray,
    targets: FloatArray,
    rows: NDArray[np.intp],
    rng: np.random.Generator,
) -> FloatArray:
    """Return means of the targets in the leaves of trees that did not see the row.

    Trees are grown on ``rows``, those of several targets on random combinations of the targets, a
    few trees on each.
    """
    n_rows, n_targets = targets.shape
    if len(rows) > _FOREST_ROWS:
        rows = np.sort(rng.choice(rows, _FOREST_ROWS, replace=False))
    n_forests = min(n_targets, 5)
    total, n_trees = np.zeros_like(targets), np.zeros(n_rows)
    for _ in range(n_forests):
        weights = np.ones(1) if n_targets == 1 else rng.standard_normal(n_targets)
        response = targets @ (weights / np.maximum(targets[rows].std(axis=0), 1e-12))
        forest = PlainRandomForestRegressor(
            -(-_TREES // n_forests),
            min_samples_leaf=_LEAF,
            max_features=max(min(columns.shape[1], 4), columns.shape[1] // 3),
            random_state=rng,
        ).fit(columns[rows], response[rows])
        for leaves, in_bag in zip(forest.apply(columns).T, forest.in_bag_counts(), strict=True):
            counts = np.zeros(n_rows)
            counts[rows] = in_bag
            unseen = np.flatnonzero(counts == 0)
            reached = leaves[unseen]
            size = np.maximum(np.bincount(leaves, counts), 1e-12)[reached]
            for j, values in enumerate(targets.T):
                total[unseen, j] += np.bincount(leaves, counts * values)[reached] / size
            n_trees[unseen] += 1
    return np.asarray(total / np.maximum(n_trees, 1)[:, None])


def _spline(scores: FloatArray) -> FloatArray:
    """Return cubic B-splines with knots at eighths of the rows."""
    from sklearn.preprocessing import SplineTransformer

    knots = np.unique(np.quantile(scores, np.linspace(0, 1, 9)))[:, None]
    return np.asarray(SplineTransformer(degree=3, knots=knots).fit_transform(scores[:, None]))


def _standardised(columns: FloatArray | NDArray[np.bool_]) -> FloatArray:
    """Return columns with mean 0 and variance 1, constant ones left out."""
    columns = columns - columns.mean(axis=0)
    scale = columns.std(axis=0)
    return np.asarray(columns[:, scale > 1e-9] / scale[scale > 1e-9])


def joined(parts: Sequence[FloatArray], n_rows: int) -> FloatArray:
    return np.column_stack([np.empty((n_rows, 0)), *parts])


def _correlations(columns: FloatArray, targets: FloatArray) -> FloatArray:
    """Return the largest absolute correlation of every column with a target."""
    scaled = (targets - targets.mean(axis=0)) / np.maximum(targets.std(axis=0), 1e-12)
    return np.asarray(np.abs(columns.T @ scaled).max(axis=1, initial=0.0) / len(targets))


def _first_by(strength: FloatArray, most: int) -> NDArray[np.intp]:
    """Return the places of the largest, in their old order."""
    return np.sort(np.argsort(-strength, kind="stable")[:most])


def _leading(columns: FloatArray, most: int) -> FloatArray:
    """Return the first principal components of columns, with variance 1."""
    if columns.shape[1] <= most:
        return columns
    _, vectors = np.linalg.eigh(columns.T @ columns)
    leading = columns @ vectors[:, -most:]
    return np.asarray(leading / np.maximum(leading.std(axis=0), 1e-12))
