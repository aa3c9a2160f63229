"""Predictions of a random forest of scikit-learn that is refitted without some columns."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.fitted_trees.growing_again import add_without
from losaw.fitted_trees.squared_error_splits import GrowthLimits, SortedRows
from losaw.kernels.trees import Trees
from losaw.support.threads import Jobs, each_short

# Trees that are grown again in one piece of work.
_TREES = 10
# How far a leaf's value may be from the mean of its rows, relative to the largest response.
_TOLERANCE = 1e-9
# What a tree is grown by, and the only values that are known here (None: any).
_RULES: dict[str, tuple[Any, ...] | None] = {
    "criterion": ("squared_error",),
    "max_depth": None,
    "max_features": (None, 1.0),
    "max_leaf_nodes": (None,),
    "min_samples_split": None,
    "min_samples_leaf": None,
    "min_weight_fraction_leaf": (0.0,),
    "min_impurity_decrease": (0.0,),
    "ccp_alpha": (0.0,),
    "monotonic_cst": (None,),
}


def growable_forest(model: Any, n_rows: int) -> Any:
    """The forest inside a fitted model if refits of it need not be whole; None if they must be.

    A ``RandomForestRegressor`` of scikit-learn, or a search or Pipeline that ends with one, whose
    nodes look at all columns (``max_features=1.0``, the default) by the squared error, without
    pruning, a limit of leaves, constraints or weights, and that was fitted to ``n_rows`` rows.
    """
    from sklearn.ensemble import RandomForestRegressor

    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    if hasattr(model, "steps"):
        model = model.steps[-1][1]
    if type(model) is not RandomForestRegressor or model.n_outputs_ != 1:
        return None
    if len(model.estimators_) != model.n_estimators:
        return None
    for rule, known in _RULES.items():
        value = getattr(model, rule)
        if known is not None and not any(value is one or value == one for one in known):
            return None
        # What was set to something else after the fit holds for a refit only.
        if value != getattr(model.estimators_[0], rule):
            return None
    # An integer is a number of columns or rows, a float a share.
    if isinstance(model.max_features, Integral):
        return None
    if isinstance(model.min_samples_leaf, float) or isinstance(model.min_samples_split, float):
        return None
    return model if _drew_from(model, n_rows) else None


def _drew_from(forest: Any, n_rows: int) -> bool:
    """Return whether the trees' samples are drawn from so many rows, all of them equally likely.

    scikit-learn draws rows of a larger weight more often, and a refit has no weights. Without
    bootstrap, weighted rows are found out later: the leaves have other weights than rows.
    """
    first = forest.estimators_samples_[0]
    if not forest.bootstrap:
        return len(first) == n_rows
    if forest.max_samples is not None:
        return False
    # As scikit-learn draws equally likely rows. If it ever draws otherwise, all refits are whole.
    random = np.random.RandomState(forest.estimators_[0].random_state)
    return np.array_equal(first, random.randint(0, n_rows, n_rows, dtype=np.int32))


class GrowableForest:
    """A forest whose trees can be grown again where left-out columns have split them.

    Parameters
    ----------
    forest : RandomForestRegressor
        Of :func:`growable_forest`.
    columns, y : array of shape (n_rows, n_columns), array of shape (n_rows,)
        What it was fitted to, rows as its trees compare them; finite.
    """

    def __init__(self, forest: Any, columns: FloatArray, y: FloatArray) -> None:
        n_rows, n_columns = columns.shape
        by_column = _by_column(columns)
        order = np.argsort(by_column, axis=1, kind="stable").astype(np.int32)
        self._rows = SortedRows(by_column, order, np.ascontiguousarray(y, dtype=float))
        self._inner = [estimator.tree_ for estimator in forest.estimators_]
        # How often a row is in a tree's sample: small numbers, for every row and tree.
        samples = forest.estimators_samples_
        self._counts = np.array(
            [np.bincount(taken, minlength=n_rows) for taken in samples], dtype=np.uint16
        )
        # The trees' own seeds choose between equally good splits.
        self._seeds = np.array(
            [
                np.random.default_rng(estimator.random_state).integers(
                    1, 2**63, n_columns + 1, dtype=np.uint64
                )
                for estimator in forest.estimators_
            ]
        )
        self._limits = GrowthLimits(
            np.iinfo(np.int32).max if forest.max_depth is None else int(forest.max_depth),
            max(int(forest.min_samples_split), 2 * int(forest.min_samples_leaf)),
            int(forest.min_samples_leaf),
        )

    def was_grown_on_the_rows(self) -> bool:
        """Return whether the leaves have the weights and the means of these rows."""
        y, rows = self._rows.response, np.ascontiguousarray(self._rows.columns.T)
        largest = np.abs(y).max()
        for tree, counts in zip(self._inner, self._counts, strict=True):
            is_leaf, reached = tree.children_left < 0, tree.apply(rows)
            weight = np.bincount(reached, counts, tree.node_count)[is_leaf]
            total = np.bincount(reached, counts * y, tree.node_count)[is_leaf]
            if (weight != tree.weighted_n_node_samples[is_leaf]).any():
                return False
            if np.abs(total / weight - tree.value[is_leaf, 0, 0]).max() > _TOLERANCE * largest:
                return False
        return True

    def predictions_without(
        self, asked: FloatArray, left_out: Sequence[NDArray[np.intp]], jobs: Jobs
    ) -> FloatArray:
        """Predictions of the forests that are grown without one set of columns after the other.

        Parameters
        ----------
        asked : array of shape (n_asked, n_columns)
            Rows as the trees compare them, finite.
        left_out : sequence of int arrays
            Columns; not all of them in one set.
        jobs : Jobs

        Returns
        -------
        array of shape (len(left_out), n_asked)
        """
        by_column = _by_column(asked)
        masks = np.zeros((len(left_out), len(by_column)), dtype=bool)
        for mask, columns in zip(masks, left_out, strict=True):
            mask[columns] = True
        # Each set of columns has its own seed, whatever else is left out.
        firsts = [columns.min(initial=len(by_column)) for columns in left_out]

        def sums_of(piece: slice) -> FloatArray:
            inner = self._inner[piece]
            splits = ((t.feature, t.threshold, t.children_left, t.children_right) for t in inner)
            sums = np.zeros((len(masks), len(asked)))
            add_without(
                Trees.of(splits),
                np.concatenate([tree.value[:, 0, 0] for tree in inner]),
                self._rows,
                self._counts[piece].astype(float),
                by_column,
                masks,
                self._limits,
                np.ascontiguousarray(self._seeds[piece][:, firsts]),
                sums,
            )
            return sums

        pieces = [slice(at, at + _TREES) for at in range(0, len(self._inner), _TREES)]
        # Added in the order of the trees, whatever the number of threads.
        total = np.zeros((len(masks), len(asked)))
        for sums in each_short(jobs, sums_of, pieces, len(pieces), "loco, trees"):
            total += sums
        return total / len(self._inner)


def _by_column(rows: FloatArray) -> NDArray[np.float32]:
    return np.require(rows.T, dtype=np.float32, requirements=["C", "A", "W"])
