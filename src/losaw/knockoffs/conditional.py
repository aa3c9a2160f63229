"""Draws of single features, or groups, from their own distribution given all other columns."""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from losaw.data import FeatureKind, FloatArray
from losaw.knockoffs.conditional_mean import (
    Clusters,
    Regressors,
    conditional_mean,
    in_parts,
    indicators,
    joined,
    normal_scores,
    regressors_of,
    smooth_mean,
)
from losaw.knockoffs.sampler import check_features, fitted_rows, varying_columns
from losaw.rng import as_generator, rows_by_weight
from losaw.support.arguments import as_floats, check_same_order

# Rows with the most similar predictions, of which one gives its residual.
_NEIGHBOURS = 5
# Similar rows are sought in at most so many directions of the predictions.
_MOST_DIRECTIONS = 8
# Weight of a predicted spread next to a predicted mean, in standard deviations of the residuals.
_WEIGHT_OF_SPREAD = 3.0
# Noise of predictions, over the number of rows, in standard deviations of the residuals: the
# prediction of one of n rows without it tells its own value by a share of about 1 / n.
_JITTER = 10.0
# So many rows next to a row are looked at, of which it may be several itself by its weight.
_MOST_SOUGHT = 64
# A column of levels with fewer rows a level is warned of.
_ROWS_A_LEVEL = 5


class _Unit(NamedTuple):
    """Columns that are drawn together, by predictions and residuals of their targets."""

    columns: NDArray[np.intp]
    mean: FloatArray
    residual: FloatArray
    places: FloatArray  # where similar rows are sought
    neighbours: NDArray[np.intp]


class _Values(NamedTuple):
    """The known values of a column in order, their scores (of numbers), and its targets."""

    values: FloatArray
    scores: FloatArray
    n_targets: int


class ConditionalSampler(BaseEstimator):
    """Draws a feature, or a group of features, from its distribution given all other columns,

        X~_j ~ P(X_j | X_-j),   independent of Y,

    one unit at a time: this is what :func:`losaw.importance.cpi` needs, which replaces one unit and
    leaves the others as they are. The draws of different units do not form joint knockoffs.

    Numbers become normal scores of their ranks, levels indicators. They are regressed on all other
    columns; the regression is chosen by its held-out error
    (:mod:`losaw.knockoffs.conditional_mean`). A draw for a row is its own prediction plus the
    residual of another row, one of the five with the most similar prediction (and, where
    it can be predicted, spread), moved to the nearest value of the column. So every value that is
    drawn occurs in the data, with its point masses, bounds and rounding. A group takes the
    residuals of one row. A feature that nothing predicts is drawn from its marginal distribution.

    Notes
    -----
    A missing number is drawn together with the values: a row whose residual is taken gives its
    missing value too. Of levels, missing is one more level.

    No sampler is right for every distribution. The differences to the true one are the distance of
    the neighbours and the error of the regression; :func:`losaw.knockoffs.diagnostics.draw_tests`
    looks for them. A constant column is its own draw; so is, nearly, a column that the others
    determine. A level is drawn again too often where few columns, one of them a number, predict it.
    In 3,000 rows of three columns of three levels and an unrelated number, a column kept its level
    in .85 of the rows, where .71 is right; with ``clusters=numpy.arange(3000)`` in .71.

    With few rows the regression errs, draws are further from their features than they should be,
    and a test rejects too often, without a warning. Of three normal columns one follows another
    (correlation .8), the only cause, and the model predicts by it: it had p <= .05 in .16, .08 and
    .07 of 300 tables of 20, 50 and 100 rows; with 40 more columns in .58 of 60 tables of 20 rows.
    Of a bend the regression errs with many rows too: a noisy square of the cause, by which a linear
    model predicts as it cannot by the cause, had it in .56, .30, .21, .21 and .10 of 300 tables of
    100, 200, 500, 1,000 and 2,500 rows (``benchmarks/levels.py``, "noisy square").

    Warns
    -----
    UserWarning
        For a column of levels with fewer than five rows a level: the regression can hardly learn
        how they follow the other columns. With 30 levels on 100 rows, a feature without effect had
        p < .05 in .09 of 1,000 tables (with 150 to 500 rows in .05 to .08, though draws of 200 and
        500 rows were distinguished from real values in .29 and .14 of 300).
    """

    handles_nominal = True
    handles_units = True

    def __init__(self) -> None:
        """Take no parameter; Python's error then names one that is given."""

    def fit(
        self,
        X: ArrayLike,
        kinds: Sequence[FeatureKind] | None = None,
        rng: int | np.random.Generator | None = None,
        units: Sequence[NDArray[np.intp]] | None = None,
        weights: ArrayLike | None = None,
        clusters: NDArray[np.intp] | None = None,
        given: NDArray[np.intp] | None = None,
    ) -> Self:
        """Regress every unit on the columns outside of it, or on those of them that are given.

        Parameters
        ----------
        X, kinds, rng
            As of every sampler. There will be draws for these rows; more make better regressions.
        units : sequence of int arrays, or None
            Columns that are drawn together, possibly overlapping; None: every column alone.
        weights : array of shape (n_samples,), or None
            A row gives its residual as often as it weighs. Regressions are not weighted.
        clusters : int array of shape (n_samples,), or None
            Rows of one number belong together, and may be copies of each other. A row takes no
            residual from its own cluster, and is predicted by regressions without it.
        given : int array, or None
            The columns that all units are drawn given; none: from their own distribution.
        """
        self._X, self._kinds = check_features(X, kinds, allow_missing=True)
        n_columns = self._X.shape[1]
        units = [np.array([j]) for j in range(n_columns)] if units is None else units
        asked: dict[str, Any] = {
            "units": np.concatenate([*units, []]),
            "given": [] if given is None else given,
        }
        for what, numbers in asked.items():
            outside = ~np.isin(numbers, np.arange(n_columns))
            if outside.any():
                raise ValueError(
                    f"{what}: {np.asarray(numbers)[outside][0]:g} is no number of a column, from 0 "
                    f"to {n_columns - 1}"
                )
        check_same_order(X, "weights", weights)
        check_same_order(X, "clusters", clusters)
        if weights is not None:
            weights = as_floats("weights", weights)
            is_right = weights.shape == (len(self._X),) and (weights >= 0).all()
            if not is_right or not 0 < weights.sum() < np.inf:
                raise ValueError(
                    "weights must have a number for each row of X, none of them negative or "
                    "infinite, and not all 0"
                )
        seed = int(as_generator(rng).integers(2**63))
        drawing = np.random.default_rng([seed, n_columns, 1])
        self._giving = rows_by_weight(weights, len(self._X), drawing)
        self._clusters = self._read(clusters, np.random.default_rng([seed, n_columns]))
        self._varying = varying_columns(self._X)
        self._warn_of_many_levels()
        regressors = {j: regressors_of(self._X[:, j], self._kinds[j]) for j in self._varying}
        self._given = self._varying if given is None else np.intersect1d(given, self._varying)
        self._values = {j: self._values_of(j) for j in self._varying}
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1, "blas"):  # of small matrices, threads cost more than they gain
            self._units = [
                self._fitted(columns, regressors, _stream(seed, columns))
                for columns in (np.asarray(unit, dtype=np.intp) for unit in units)
            ]
        return self

    def sample(self, rng: int | np.random.Generator | None) -> FloatArray:
        """Draw every unit once, each given the original others, (n_samples, n_features)."""
        return self.sample_parts(rng, [np.arange(len(fitted_rows(self)))])[0][0]

    def sample_parts(
        self, rng: int | np.random.Generator | None, parts: Sequence[NDArray[np.intp]]
    ) -> list[tuple[FloatArray, NDArray[np.intp]]]:
        """Draw the rows of each part (row numbers); also return the rows that gave residuals.

        A unit of several columns takes the residual of a row of its own part: its draws are nearly
        that row, and a model that was fitted to the others must not have seen it. A value of a
        single column lies among those that the model was fitted to, whichever row gives it. In a
        part of one cluster its own rows give the residuals: of a single row it is its own.
        """
        rows = fitted_rows(self)
        columns = np.concatenate([np.empty(0, np.intp), *(unit.columns for unit in self._units)])
        if len(np.unique(columns)) < len(columns):
            raise ValueError("units overlap: a column has several draws; take sample_units")
        seed, draws = int(as_generator(rng).integers(2**63)), []
        for held in parts:
            drawn = rows[held]
            donors = np.empty((len(held), len(self._units)), dtype=np.intp)
            for number, unit in enumerate(self._units):
                values, donors[:, number] = self._drawn(unit, _stream(seed, unit.columns), held)
                drawn[:, unit.columns] = values
            draws.append((drawn, donors))
        return draws

    def sample_units(self, rng: int | np.random.Generator | None) -> list[FloatArray]:
        """Draw every unit once: arrays of shape (n_samples, n_columns of the unit)."""
        seed, rows = int(as_generator(rng).integers(2**63)), np.arange(len(self._X))
        return [self._drawn(unit, _stream(seed, unit.columns), rows)[0] for unit in self._units]

    def _read(self, clusters: NDArray[np.intp] | None, rng: np.random.Generator) -> Clusters | None:
        if clusters is None:
            return None
        labels = np.asarray(clusters)
        if labels.shape != (len(self._X),) or (labels == labels[0]).all():
            raise ValueError(
                f"clusters has shape {labels.shape} and {len(np.unique(labels))} different "
                f"numbers, expected ({len(self._X)},) and at least 2: give one number for each row"
            )
        return in_parts(labels, rng)

    def _warn_of_many_levels(self) -> None:
        for j in self._varying:
            n_levels = len(np.unique(self._X[:, j])) if self._kinds[j] == "nominal" else 0
            if n_levels * _ROWS_A_LEVEL > len(self._X):
                warnings.warn(
                    f"column {j} (from 0) has {n_levels} levels on {len(self._X)} rows: with fewer "
                    f"than {_ROWS_A_LEVEL} rows a level its draws hardly follow the other columns, "
                    "and a test of it may reject too often. Join rare levels, or use more rows",
                    stacklevel=3,
                )

    def _fitted(
        self, columns: NDArray[np.intp], regressors: dict[int, Regressors], rng: np.random.Generator
    ) -> _Unit:
        n_rows = len(self._X)
        varying = [j for j in columns if j in regressors]
        if not varying:
            nothing = np.empty((n_rows, 0))
            return _Unit(columns, nothing, nothing, nothing, nothing.astype(np.intp))
        targets = np.column_stack([self._targets(j) for j in varying])
        known = ~np.isnan(targets)
        complete = known.all(axis=0)
        others = [regressors[j] for j in self._given if j not in set(varying)]
        mean = np.empty_like(targets)
        mean[:, complete] = conditional_mean(
            targets[:, complete], others, rng, clusters=self._clusters
        )
        for t in np.flatnonzero(~complete):
            filled = np.where(known[:, [t]], targets[:, [t]], 0.0)
            mean[:, [t]] = conditional_mean(filled, others, rng, known[:, t], self._clusters)
        residual = np.where(known, targets - mean, 0.0)
        scale = np.maximum(np.sqrt((residual**2).mean(axis=0)), 1e-3 * np.nanstd(targets, axis=0))
        scale[scale == 0] = 1.0  # one value, and missing ones
        places = _reduced(mean / scale)
        spread = normal_scores(np.sqrt(((residual / scale) ** 2).sum(axis=1)))
        predicted = smooth_mean(spread, others, self._clusters)
        if predicted is not None:
            places = np.column_stack([places, _WEIGHT_OF_SPREAD * predicted])
        places = _same_where_equal(places, joined([other.linear for other in others], n_rows))
        n_clusters = n_rows if self._clusters is None else int(self._clusters.labels.max()) + 1
        places = places + _JITTER / n_clusters * rng.standard_normal(places.shape)
        return _Unit(columns, mean, residual, places, self._neighbours(places, np.arange(n_rows)))

    def _targets(self, j: int) -> FloatArray:
        """Return what is predicted of a column: indicators of levels, or scores and missingness."""
        column = self._X[:, j]
        if self._kinds[j] == "nominal":
            return indicators(column)
        missing, scores = np.isnan(column), normal_scores(column)
        return np.column_stack([scores, missing]) if missing.any() else scores[:, None]

    def _values_of(self, j: int) -> _Values:
        column, targets = self._X[:, j], self._targets(j)
        if self._kinds[j] == "nominal":
            return _Values(np.unique(column), np.empty(0), targets.shape[1])
        known = ~np.isnan(column)
        values, first = np.unique(column[known], return_index=True)
        return _Values(values, targets[known, 0][first], targets.shape[1])

    def _neighbours(self, places: FloatArray, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of some rows that are next to each of them, its own cluster left out."""
        from scipy.spatial import cKDTree

        n_rows = len(rows)
        if n_rows == 1:
            return np.zeros((1, 1), dtype=np.intp)
        labels = rows if self._clusters is None else self._clusters.labels[rows]
        if (labels == labels[0]).all():  # a fold of one cluster, whose rows alone are unseen
            labels = rows
        places, labels = places[rows], np.unique(labels, return_inverse=True)[1]
        among = np.full(len(self._X), -1)
        among[rows] = np.arange(n_rows)
        givers = among[self._giving]
        givers = givers[givers >= 0] if (givers >= 0).any() else np.arange(n_rows)
        givers = np.tile(givers, -(-n_rows // len(givers)))
        count = min(_NEIGHBOURS, n_rows - 1)
        largest = int(np.bincount(labels[givers]).max())
        sought = min(count + largest, n_rows, _MOST_SOUGHT + count)
        _, found_at = cKDTree(places[givers]).query(places, k=sought)
        nearest = givers[found_at]
        is_own = labels[nearest] == labels[:, None]
        others_first = np.argsort(is_own, axis=1, kind="stable")
        neighbours = np.take_along_axis(nearest, others_first[:, :count], axis=1)
        # Clusters with so much weight that their rows find too few others search without it.
        for label in np.unique(labels[(~is_own).sum(axis=1) < count]):
            members = np.flatnonzero(labels == label)
            giving = givers[labels[givers] != label]
            if not len(giving):
                giving = np.flatnonzero(labels != label)
            most = min(count, len(giving))
            _, found_at = cKDTree(places[giving]).query(places[members], k=range(1, most + 1))
            neighbours[members] = giving[found_at[:, np.arange(count) % most]]
        return neighbours

    def _drawn(
        self, unit: _Unit, rng: np.random.Generator, rows: NDArray[np.intp]
    ) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return values of some rows (n_rows, n_columns), and the rows that gave residuals."""
        n_rows = len(self._X)
        drawn = self._X[np.ix_(rows, unit.columns)]
        if not unit.mean.shape[1]:
            return drawn, rows
        neighbours = unit.neighbours
        if len(unit.columns) > 1 and len(rows) < n_rows:
            neighbours = np.empty_like(unit.neighbours)
            neighbours_in_part = rows[self._neighbours(unit.places, rows)]
            neighbours[rows] = neighbours_in_part[
                :, np.arange(neighbours.shape[1]) % neighbours_in_part.shape[1]
            ]
        turn = rng.integers(neighbours.shape[1], size=n_rows)[rows]
        donors = neighbours[rows, turn]
        moved = unit.mean[rows] + unit.residual[donors]
        first = 0
        for position, j in enumerate(unit.columns):
            if j not in self._values:
                continue
            last = first + self._values[j].n_targets
            drawn[:, position] = self._nearest(j, moved[:, first:last], donors)
            first = last
        return drawn, donors

    def _nearest(self, j: int, moved: FloatArray, donors: NDArray[np.intp]) -> FloatArray:
        """Return the value of column j that is nearest to a predicted target."""
        values, scores, _ = self._values[j]
        if self._kinds[j] == "nominal":
            return np.asarray(values[moved.argmax(axis=1)])
        above = np.clip(np.searchsorted(scores, moved[:, 0]), 1, max(len(scores) - 1, 1))
        if len(values) == 1:
            nearest = np.full(len(moved), values[0])
        else:
            lower = moved[:, 0] - scores[above - 1] < scores[above] - moved[:, 0]
            nearest = values[np.where(lower, above - 1, above)]
        return np.where(np.isnan(self._X[donors, j]), np.nan, nearest)


def _same_where_equal(places: FloatArray, known: FloatArray) -> FloatArray:
    """Return the mean place of all rows whose known columns are equal.

    Predictions of equal rows, each without the row itself, differ by nothing but the rows' own
    values: rows with the same value would be neighbours, and draws copies.
    """
    _, group, counts = np.unique(known, axis=0, return_inverse=True, return_counts=True)
    means = [np.bincount(group, column) / counts for column in places.T]
    return np.where(counts[group][:, None] > 1, np.column_stack(means)[group], places)


def _reduced(places: FloatArray) -> FloatArray:
    """Return places in as few directions as are needed to find neighbours quickly."""
    if places.shape[1] <= _MOST_DIRECTIONS:
        return places
    centred = places - places.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    return np.asarray(centred @ vectors[:, -_MOST_DIRECTIONS:])


def _stream(seed: int, columns: NDArray[np.intp]) -> np.random.Generator:
    """Return a generator of its own for every unit, so that no draw depends on other units."""
    return np.random.default_rng([seed, *columns.tolist()])
