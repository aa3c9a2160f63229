"""The losaw random forest for regression, as a scikit-learn estimator."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from losaw.arguments import beyond_range
from losaw.data import FloatArray
from losaw.forest.base import LosawForest


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
        as 100 do, 10 miss up to 2 % of them at 500 rows (``benchmarks/initial_forest.py``).
    discrete_features : "auto", boolean mask, column numbers or names, default "auto"
        Features whose propensity is a multinomial logit (and whose values enter the propensities
        of others as levels) rather than a normal linear regression. "auto": at most 10 distinct
        values, each seen five times on average.
    propensity : "auto", "gaussian", "logit", "kernel", a PropensityModel or a dict, default "auto"
        Model of P(target | adjustment features) in a node. "auto": normal linear regression for
        continuous targets ("gaussian"), multinomial logit for discrete ones ("logit"), both
        compiled. "kernel": :class:`losaw.weighting.KernelConditional` for continuous targets. A
        model of one's own (:class:`losaw.weighting.PropensityModel`) serves all targets, a dict
        with the keys "continuous" and "discrete" sets them apart. Models that are not compiled
        are called from Python, for every node and drawn target, and take far longer.
    stabilization : "auto", "normal", "frequency", "kernel", a StabilizationModel or a dict
        Model of P(target) on the training sample. "auto": normal density and class frequencies.
        "kernel": :class:`losaw.weighting.KernelMarginal` for continuous targets. Evaluated once
        per fit, so that any model is as fast as the default.
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
        response = np.ascontiguousarray(response, dtype=np.float64)
        if (too_large := beyond_range(response)).any():
            raise ValueError(
                f"y has {int(too_large.sum())} values beyond 1e150, whose squares are infinite: "
                "change its unit"
            )
        if np.ptp(response) == 0.0 and len(response) > 1:
            raise ValueError(f"y is constant ({response[0]:g}): there is nothing to explain")
        self._fit_rows(rows, response)
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Mean of the trees' leaf means, (n_samples,)."""
        rows = self._check_rows(X)
        return self.forest_.predict(rows)
