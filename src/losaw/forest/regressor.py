"""The losaw random forest for regression, as a scikit-learn estimator."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from losaw.forest.losaw_forest import LosawForest
from losaw.support.outcomes import finite_numbers


class LosawRandomForestRegressor(RegressorMixin, LosawForest):
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
        than ``n_adjustment``. 20 find the same pairs among the study's six correlated features
        as 100 do, 10 miss up to 2 % of them at 500 rows.
    discrete_features : "auto", boolean mask, column numbers or names, default "auto"
        Features whose propensity is a multinomial logit (and whose values enter the propensities
        of others as levels) rather than a normal linear regression. "auto": at most 10 distinct
        values, each seen five times on average.
    nominal_features : "auto", boolean mask, column numbers or names, default "auto"
        Discrete features whose levels have no order: split into two sets of levels (see Notes),
        in place of values up to a threshold and above. "auto": the unordered categorical columns
        of a data frame, which are nominal in any case.
    bootstrap : bool, default True
        Whether a tree's sample is drawn with replacement; if not, it is the training sample.
    n_jobs : int or None, default None
        Threads; None is 1, -1 all cores. The result does not depend on it.
    random_state : int, numpy.random.Generator or None, default None

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Definition 4.6: mean over the trees of their standardised importances. A tree without a
        split counts as zeros, so that the sum may be below 1.
    trees_ : tuple of losaw.forest.Tree
        The fitted trees.
    adjustment_ : boolean array of shape (n_features, n_features)
        Entry [p, q]: target p is adjusted for feature q.
    is_discrete_ : boolean array of shape (n_features,)
    is_nominal_ : boolean array of shape (n_features,)
    categories_ : dict
        Levels in the order of their codes, by the name (or number) of the column: of categorical
        columns and of those in ``nominal_features``.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)
        Only after a fit on a data frame.

    Raises
    ------
    ValueError, TypeError
        At once on a parameter out of range, missing or infinite values, a constant ``y``, fewer
        rows than ``2 * min_samples_leaf``, a discrete feature with too many levels, a
        feature with values so far out that regressions lose the digits of the others.

    Notes
    -----
    There is no ``sample_weight``: a losaw forest makes its own weights, and outside weights
    would have to enter the propensities, the effective sample size and the bootstrap alike,
    which the paper does not define. Repeat rows instead.

    Propensities are the paper's two: normal linear regression for continuous targets, multinomial
    logit for discrete ones, both estimated in the node. Stabilising densities (normal, class
    frequencies) are estimated on the full training sample. A feature without adjustment features,
    or whose regression leaves no residual variance in the node, is split with uniform weights.
    :class:`losaw.forest.as_printed.forest.ForestAsPrinted`, which is slow, takes kernel densities.

    :func:`losaw.forest.decorrelation` measures how far the weights decorrelate each feature.

    Columns of the dtypes category (pandas), Categorical and Enum (polars) are taken as they are.
    Ordered ones (in polars: Enum) are discrete features in the order of their categories. The
    others are nominal. Their levels, at most 63, are ordered by their weighted mean response in
    the node, and the best split between two neighbours is taken, which is the best of all sets
    of levels (as long as ``min_samples_leaf`` does not bind). Propensities are the same
    multinomial logits for both. A nominal level that a node has no in-bag row of, or the training
    sample none at all, goes to the child with more in-bag rows; the latter with a warning. A level
    beyond the declared ones of an ordered column is refused.

    A split sends a row to the left whose value is at most that of a training row. Rows of another
    precision than the fit's are compared in the lower of both: .1 in 32 bits is more than in 64.

    In the selection of adjustment features, the correlation ratio (adjusted for the number of
    levels) and the bias-corrected Cramér's V stand in for the correlation of nominal features.

    References
    ----------
    losaw, Section 4: Definitions 4.1, 4.2, 4.6, Algorithm 4.3, Remark 4.9.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw import LosawRandomForestRegressor
    >>> forest = LosawRandomForestRegressor(n_estimators=10, random_state=0).fit(X, X[:, 0])
    >>> int(forest.feature_importances_.argmax())
    0
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the forest to X (n_samples, n_features), numbers and categories, and y (n_samples,).

        Nothing is missing or infinite in either.
        """
        columns, rows, response = self._read(X, y, y_numeric=True)
        response = np.ascontiguousarray(finite_numbers(response))
        if np.ptp(response) == 0.0 and len(response) > 1:
            raise ValueError(f"y is constant ({response[0]:g}): there is nothing to explain")
        self._grow(X, columns, rows, response)
        return self
