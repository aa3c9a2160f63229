"""Predictions of a random forest of scikit-learn that is refitted without some columns."""

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.fitted_trees.growing_again import Grown, add_without
from losaw.fitted_trees.squared_error_splits import Limits, Rows
from losaw.kernels.trees import Trees
from losaw.support.jobs import Jobs, each_short

# Trees that are grown again in one piece of work.
_TREES = 10
# What a tree is grown by; of the forest, and of its trees when they were grown.
_RULES = (
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
    "monotonic_cst",
)
_EVERY_RULE = {
    "criterion": "squared_error",
    "max_leaf_nodes": None,
    "min_impurity_decrease": 0.0,
    "ccp_alpha": 0.0,
    "monotonic_cst": None,
}


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
        self._rows = Rows(
            by_column,
            np.argsort(by_column, axis=1, kind="stable").astype(np.int32),
            np.ascontiguousarray(y, dtype=float),
        )
        self._inner = [estimator.tree_ for estimator in forest.estimators_]
        # How often a row is in a tree's sample: small numbers, for every row and tree.
        self._counts = np.ones((len(self._inner), n_rows), dtype=np.uint16)
        if forest.bootstrap:
            for counts, taken in zip(self._counts, forest.estimators_samples_, strict=True):
                counts[:] = np.bincount(taken, minlength=n_rows)
        # The trees' own seeds choose between equally good splits.
        self._seeds = np.array(
            [
                np.random.default_rng(estimator.random_state).integers(
                    1, 2**63, n_columns + 1, dtype=np.uint64
                )
                for estimator in forest.estimators_
            ]
        )
        min_leaf = _rows_of(forest.min_samples_leaf, n_rows, 1)
        self._limits = Limits(
            np.iinfo(np.int32).max if forest.max_depth is None else int(forest.max_depth),
            max(_rows_of(forest.min_samples_split, n_rows, 2), 2 * min_leaf),
            min_leaf,
            float(forest.min_weight_fraction_leaf) * int(self._counts[0].sum()),
        )

    def predictions_without(
        self, asked: FloatArray, left_out: Sequence[NDArray[np.intp]], jobs: Jobs
    ) -> FloatArray | None:
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
        array of shape (len(left_out), n_asked) or None
            None if the trees were not grown on the training rows.
        """
        by_column = _by_column(asked)
        masks = np.zeros((len(left_out), len(by_column)), dtype=bool)
        for mask, columns in zip(masks, left_out, strict=True):
            mask[columns] = True
        # Each set of columns has its own seed, whatever else is left out.
        firsts = [columns.min(initial=len(by_column)) for columns in left_out]

        def sums_of(piece: slice) -> FloatArray | None:
            sums = np.zeros((len(masks), len(asked)))
            is_as_grown = add_without(
                self._grown(piece),
                self._rows,
                self._counts[piece].astype(float),
                by_column,
                masks,
                self._limits,
                np.ascontiguousarray(self._seeds[piece][:, firsts]),
                sums,
            )
            return sums if is_as_grown else None

        pieces = [slice(at, at + _TREES) for at in range(0, len(self._inner), _TREES)]
        total = np.zeros((len(masks), len(asked)))
        # Added in the order of the trees, whatever the number of threads.
        for sums in each_short(jobs, sums_of, pieces, len(pieces), "loco, trees"):
            if sums is None:
                return None
            total += sums
        return total / len(self._inner)

    def _grown(self, piece: slice) -> Grown:
        inner = self._inner[piece]
        return Grown(
            Trees.of((t.feature, t.threshold, t.children_left, t.children_right) for t in inner),
            np.concatenate([tree.value[:, 0, 0] for tree in inner]),
            np.concatenate([tree.weighted_n_node_samples for tree in inner]),
        )


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
    # What was set to something else after the fit holds for a refit only.
    first = model.estimators_[0]
    if any(getattr(model, rule) != getattr(first, rule) for rule in _RULES):
        return None
    if len(model.estimators_) != model.n_estimators:
        return None
    if any(getattr(model, rule) != value for rule, value in _EVERY_RULE.items()):
        return None
    if not _drew_from(model, n_rows):
        return None
    return model if _looks_at_all(model.max_features, model.n_features_in_) else None


def _drew_from(forest: Any, n_rows: int) -> bool:
    """Return whether the trees' samples are drawn from so many rows, all of them equally likely.

    scikit-learn draws rows of a larger weight more often, and a refit has no weights. Without
    bootstrap, weighted rows are found out later: the leaves have other weights than rows.
    """
    share = forest.max_samples if forest.bootstrap else None
    if share is not None and not isinstance(share, float):
        return False  # a number of rows does not show how many they are drawn from
    samples = forest.estimators_samples_
    expected = n_rows if share is None else max(1, round(share * n_rows))
    if len(samples[0]) != expected or max(int(rows.max()) for rows in samples) >= n_rows:
        return False
    if not forest.bootstrap:
        return True
    # As scikit-learn draws equally likely rows. If it ever draws otherwise, all refits are whole.
    seed = forest.estimators_[0].random_state
    equally = np.random.RandomState(seed).randint(0, n_rows, expected, dtype=np.int32)
    return bool(np.array_equal(samples[0], equally))


def _looks_at_all(max_features: Any, n_columns: int) -> bool:
    """Return whether a node looks at all columns, before and after some are left out."""
    if max_features is None:
        return True
    if isinstance(max_features, str):
        return False
    try:
        return operator.index(max_features) >= n_columns
    except TypeError:
        return float(max_features) == 1.0


def _rows_of(number: Any, n_rows: int, least: int) -> int:
    """A number of rows, given as it is or as a share."""
    try:
        return operator.index(number)
    except TypeError:
        return max(least, math.ceil(number * n_rows))


def _by_column(rows: FloatArray) -> NDArray[np.float32]:
    return np.require(rows.T, dtype=np.float32, requirements=["C", "A", "W"])
