"""Forests without weights, by the rules of other packages, in the compiled loops of losaw."""

from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from losaw.data import FloatArray
from losaw.forest.adjustment import location_and_scale
from losaw.forest.ensemble import Forest, draw_seeds, grow_forest
from losaw.forest.growing.arrays import Settings
from losaw.forest.grown_forest import GrownForest
from losaw.forest.precision import precision_of
from losaw.forest.preparation import prepare
from losaw.forest.validation import check_max_depth, check_max_features, check_n_trees
from losaw.rng import as_generator
from losaw.support.arguments import (
    check_same_order,
    check_unique,
    estimator_rows,
    truth_value,
    unmasked,
    whole_number,
)
from losaw.support.outcomes import finite_numbers
from losaw.tables.columns import few_levels


def grow_plain_forest(
    X: FloatArray, y: FloatArray, settings: Settings, seeds: NDArray[np.uint64], n_threads: int
) -> Forest:
    """Grow a forest without weights on checked rows, by the rules in ``settings``.

    Features of few values are summed by value; the others in sorted order.
    """
    few = [few_levels(column) for column in X.T]
    data = prepare(
        X,
        y,
        np.array([values is not None for values in few]),
        np.zeros(X.shape[1], dtype=bool),
        [values for values in few if values is not None],
        *location_and_scale(X),
    )
    forest = grow_forest(data, settings, seeds, n_threads)
    forest.nodes.value[:] += y.mean()
    return forest


@dataclass(eq=False, repr=False)
class PlainRandomForestRegressor(RegressorMixin, GrownForest):
    """Breiman's random forest for regression, as scikit-learn grows it, in the loops of losaw.

    For one bootstrap sample, and with all features tried at each node, the trees are those of
    :class:`sklearn.tree.DecisionTreeRegressor`, node by node; bootstrap samples and the features
    tried at a node have the same distribution, from another random stream. Two forests with the
    same ``random_state`` are therefore two draws from one distribution.

    Parameters
    ----------
    n_estimators : int, default 100
    max_depth : int or None, default None
        Largest number of splits from the root to a leaf; None: no limit.
    min_samples_leaf : int, default 1
        Smallest number of different in-bag rows in a leaf; ``LosawRandomForestRegressor`` counts a
        row as often as it was drawn.
    max_features : int, float, "sqrt", "log2" or None, default 1.0
        Features drawn at a node: a number, a fraction (rounded down), or all (None). Drawing goes
        on while only constant features were drawn.
    bootstrap : bool, default True
        Whether a tree's sample is drawn with replacement; if not, it is the training sample.
    random_state : int, numpy.random.Generator or None, default None

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Mean over the trees that have a split of their normalised impurity decreases.
    trees_ : tuple of losaw.forest.Tree
    is_nominal_ : boolean array of shape (n_features,)
        False: this forest takes no nominal features.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)
        Only after a fit on a data frame.

    Notes
    -----
    Scikit-learn rounds features to 32 bits and takes values closer than 1e-7 for equal; here they
    are compared as they are, and rows of another precision than the fit's in the lower of both.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.forest import PlainRandomForestRegressor
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> forest = PlainRandomForestRegressor(n_estimators=10, random_state=0).fit(X, X[:, 0])
    >>> int(forest.feature_importances_.argmax())
    0
    """

    n_estimators: int = 100
    _: KW_ONLY
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_features: int | float | str | None = 1.0
    bootstrap: bool = True
    random_state: int | np.random.Generator | None = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the forest to X (n_samples, n_features) and y (n_samples,)."""
        self.__dict__.pop("forest_", None)  # a refused or interrupted fit leaves an unfitted one
        check_unique(getattr(X, "columns", ()))
        check_same_order(X, "y", y)
        rows, response = estimator_rows(self, X, unmasked(y), y_numeric=True)
        response = np.ascontiguousarray(finite_numbers(response))
        n_trees = check_n_trees("n_estimators", self.n_estimators)
        settings = Settings(
            max_depth=check_max_depth(self.max_depth),
            min_samples_leaf=whole_number("min_samples_leaf", self.min_samples_leaf, 1),
            max_features=check_max_features(self.max_features, rows.shape[1]),
            eta=1.0,
            bootstrap=truth_value("bootstrap", self.bootstrap),
            counts_rows_once=True,
            splits_half_way=True,
            needs_gain=False,
        )
        seeds = draw_seeds(as_generator(self.random_state), n_trees)
        self.is_nominal_ = np.zeros(rows.shape[1], dtype=bool)
        self._precision = precision_of(X, self.is_nominal_)
        self.forest_ = grow_plain_forest(rows, response, settings, seeds, 1)
        return self

    @property
    def feature_importances_(self) -> FloatArray:
        """Mean over the trees that have a split; zeros if there is none."""
        check_is_fitted(self)
        of_trees = self.forest_.importances
        total = of_trees.sum(axis=0)
        return np.asarray(total / (total.sum() or 1.0))
