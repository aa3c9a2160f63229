"""The losaw random forest for regression, as a scikit-learn estimator."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.forest.fitting import fit_forest
from losaw.forest.trees import Tree
from losaw.forest.validation import check_finite


class LosawRandomForestRegressor(RegressorMixin, BaseEstimator):
    """Random forest whose splits are chosen on locally decorrelated samples (losawRF).

    A node's split maximises the weighted relative impurity decrease over the drawn features p
    and the split points x,

        Delta_w^rel(x, p) = (MSE_w - w_- MSE_w(x, p)_- - w_+ MSE_w(x, p)_+) / MSE_w,

    with weights w = w_p that make p uncorrelated with its adjustment features in the node:
    ``w_n ∝ P(x_p) / P(x_p | adjustment features)``, capped so that the relative effective sample
    size is at least ``eta``. A leaf predicts its unweighted mean, a forest the mean of its trees.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    max_depth : int or None, default 10
        Largest number of splits from the root to a leaf; None: no limit.
    min_samples_leaf : int, default 5
        Smallest number of in-bag rows in a leaf, counted with multiplicity.
    max_features : int, float, "sqrt", "log2" or None, default 1/3
        Features drawn at a node: a number, a fraction (rounded down), or all. As in
        scikit-learn, drawing goes on while only constant features were drawn.
    eta : float in (0, 1], default 0.25
        Smallest relative effective sample size of the weights. 1 is the plain random forest.
    n_adjustment : int, default 10
        Adjustment features are chosen among this many most important features (Q), by mean
        decrease in impurity of an initial plain forest on the training sample.
    correlation_threshold : float in [0, 1], default 0.1
        Of those, a target is adjusted for the ones whose absolute Pearson correlation with it
        on the training sample is larger.
    n_initial_estimators : int, default 20
        Number of trees of the initial forest, which is grown only where there are more features
        than ``n_adjustment`` and some pair is correlated.
    discrete_features : "auto", boolean mask, column numbers or names, default "auto"
        Features whose propensity is a multinomial logit (and whose values enter the propensities
        of others as levels) rather than a normal linear regression. "auto": at most 10 distinct
        values, each seen five times on average.
    bootstrap : bool, default True
        Whether a tree's sample is drawn with replacement; if not, it is the training sample.
    n_jobs : int or None, default None
        Threads; None is 1, -1 all cores. The result does not depend on it.
    random_state : int, numpy.random.Generator or None, default None
    verbose : int, default 0
        1 shows a progress bar.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Definition 4.6: mean over the trees of their standardised importances.
    trees_ : tuple of losaw.forest.Tree
        The fitted trees.
    adjustment_ : boolean array of shape (n_features, n_features)
        Entry [p, q]: target p is adjusted for feature q.
    is_discrete_ : boolean array of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)
        Only after a fit on a data frame.

    Raises
    ------
    ValueError, TypeError
        At once on a parameter out of range, missing or infinite values, a constant ``y``, fewer
        rows than ``2 * min_samples_leaf``, a discrete feature with too many levels.

    Notes
    -----
    There is no ``sample_weight``: a losaw forest makes its own weights, and outside weights
    would have to enter the propensities, the effective sample size and the bootstrap alike,
    which the paper does not define. Repeat rows instead.

    A feature without adjustment features, or whose regression leaves no residual variance in the
    node, is split with uniform weights. Propensities are estimated in the node, stabilising
    densities on the full training sample.

    References
    ----------
    losaw, Section 4: Definitions 4.1, 4.2, 4.6, Algorithm 4.3, Remark 4.9.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = 10,
        min_samples_leaf: int = 5,
        max_features: int | float | str | None = 1 / 3,
        eta: float = 0.25,
        n_adjustment: int = 10,
        correlation_threshold: float = 0.1,
        n_initial_estimators: int = 20,
        discrete_features: str | ArrayLike = "auto",
        bootstrap: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.eta = eta
        self.n_adjustment = n_adjustment
        self.correlation_threshold = correlation_threshold
        self.n_initial_estimators = n_initial_estimators
        self.discrete_features = discrete_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the forest.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Numbers; no missing or infinite values.
        y : array of shape (n_samples,)

        Returns
        -------
        LosawRandomForestRegressor
            Itself.
        """
        rows, response = validate_data(
            self, X, y, dtype=np.float64, order="C", ensure_all_finite=False, y_numeric=True
        )
        names = getattr(self, "feature_names_in_", None)
        check_finite(rows, names)
        response = np.ascontiguousarray(response, dtype=np.float64)
        if not np.isfinite(response).all():
            raise ValueError(
                f"y has {int((~np.isfinite(response)).sum())} missing or infinite values (NaN, "
                "inf); drop those rows"
            )
        if np.ptp(response) == 0.0 and len(response) > 1:
            raise ValueError(f"y is constant ({response[0]:g}): there is nothing to explain")
        fitted = fit_forest(self, rows, response, names)
        self.forest_ = fitted.forest
        self.adjustment_ = fitted.adjustment
        self.is_discrete_ = fitted.is_discrete
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Mean of the trees' leaf means, (n_samples,)."""
        return self.forest_.predict(self._check_rows(X))

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """Leaf of every row in every tree, numbered within the tree: (n_samples, n_trees)."""
        return self.forest_.apply(self._check_rows(X))

    @property
    def feature_importances_(self) -> FloatArray:
        """Mean over the trees of the standardised importances (losaw, Definition 4.6)."""
        check_is_fitted(self)
        return self.forest_.importances.mean(axis=0)

    @property
    def trees_(self) -> tuple[Tree, ...]:
        """The fitted trees."""
        check_is_fitted(self)
        return self.forest_.trees

    def in_bag_counts(self) -> NDArray[np.int64]:
        """How often each training row stands in each tree's sample: (n_trees, n_samples)."""
        check_is_fitted(self)
        return self.forest_.in_bag_counts()

    def _check_rows(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        rows = validate_data(
            self, X, reset=False, dtype=np.float64, order="C", ensure_all_finite=False
        )
        check_finite(rows, getattr(self, "feature_names_in_", None))
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = False
        return tags
