"""What a random forest of scikit-learn predicts when it is fitted again without some columns."""

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

    Made by :func:`growable_forest`.

    Parameters
    ----------
    forest : RandomForestRegressor
    columns, y : array of shape (n_rows, n_columns), array of shape (n_rows,)
        What it was fitted to.
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
        self._weights = np.ones((len(self._inner), n_rows))
        if forest.bootstrap:
            for weights, taken in zip(self._weights, forest.estimators_samples_, strict=True):
                weights[:] = np.bincount(taken, minlength=n_rows)
        # Equally good splits are told apart by the trees' own seeds.
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
            float(forest.min_weight_fraction_leaf) * self._weights[0].sum(),
        )

    @property
    def pieces(self) -> list[slice]:
        """Trees that belong to one piece of work; the same for any number of threads."""
        return [slice(at, at + _TREES) for at in range(0, len(self._inner), _TREES)]

    def sums_without(
        self,
        piece: slice,
        asked: FloatArray,
        left_out: Sequence[NDArray[np.intp]],
    ) -> FloatArray | None:
        """Sums of the predictions of some trees, grown without one set of columns after the other.

        Parameters
        ----------
        piece : slice
            One of ``pieces``.
        asked : array of shape (n_asked, n_columns)
        left_out : sequence of int arrays
            Columns.

        Returns
        -------
        array of shape (len(left_out), n_asked) or None
            None if the trees were not grown on these rows.
        """
        inner = self._inner[piece]
        masks = np.zeros((len(left_out), asked.shape[1]), dtype=bool)
        for mask, columns in zip(masks, left_out, strict=True):
            mask[columns] = True
        grown = Grown(
            Trees.of((t.feature, t.threshold, t.children_left, t.children_right) for t in inner),
            np.concatenate([tree.value[:, 0, 0] for tree in inner]),
            np.concatenate([tree.weighted_n_node_samples for tree in inner]),
        )
        sums = np.zeros((len(masks), len(asked)))
        # Each set of columns has its own seed, whatever else is left out.
        firsts = [columns.min(initial=asked.shape[1]) for columns in left_out]
        is_as_grown = add_without(
            grown,
            self._rows,
            self._weights[piece],
            _by_column(asked),
            masks,
            self._limits,
            np.ascontiguousarray(self._seeds[piece][:, firsts]),
            sums,
        )
        return sums if is_as_grown else None

    def means(self, sums: Sequence[FloatArray]) -> FloatArray:
        """Predictions of the forests, from the sums of all pieces."""
        return np.add.reduce(sums) / len(self._inner)


def growable_forest(model: Any, columns: FloatArray, y: NDArray[Any]) -> GrowableForest | None:
    """A fitted forest whose refits without columns need not be whole; None if they must be.

    A ``RandomForestRegressor`` of scikit-learn, or a search or Pipeline that ends with one, whose
    nodes look at all columns (``max_features=1.0``, the default) by the squared error, without
    pruning, a limit of leaves or constraints.

    Parameters
    ----------
    columns : array of shape (n_rows, n_columns)
        The training rows as the forest's trees compare them.
    y : array of shape (n_rows,)
    """
    from sklearn.ensemble import RandomForestRegressor

    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    if hasattr(model, "steps"):
        model = model.steps[-1][1]
    if type(model) is not RandomForestRegressor or model.n_outputs_ != 1:
        return None
    if len(model.estimators_) != model.n_estimators or np.asarray(y).dtype.kind not in "fiub":
        return None
    first = model.estimators_[0]
    if any(getattr(model, rule) != getattr(first, rule) for rule in _RULES):
        return None  # set to something else after the fit
    if any(getattr(model, rule) != value for rule, value in _EVERY_RULE.items()):
        return None
    if not _looks_at_all(model.max_features, columns.shape[1]):
        return None
    # The training rows alone do not say how a weighted forest is fitted again.
    if getattr(model, "_sample_weight", None) is not None or not np.isfinite(columns).all():
        return None
    if model.bootstrap and len(columns) <= max(int(s.max()) for s in model.estimators_samples_):
        return None
    return GrowableForest(model, columns, np.asarray(y, dtype=float))


def _looks_at_all(max_features: Any, n_columns: int) -> bool:
    """Whether a node looks at all columns, before and after some are left out."""
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
