"""The losaw random forest for classification, as a scikit-learn estimator."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from losaw.data import FloatArray
from losaw.forest.losaw_forest import LosawForest, rows_out_of_bag


class LosawRandomForestClassifier(ClassifierMixin, LosawForest):
    """Random forest for classes whose splits are chosen on locally decorrelated samples.

    The Gini impurity of weighted class shares p_c is the sum of the variances of the class
    indicators, ``G_w = 1 - sum_c p_c^2 = sum_c MSE_w(1{y = c})``. Summing losaw's Definition 4.1
    over the indicators gives the weighted relative Gini decrease

        Delta_w^rel(x, p) = (G_w - w_- G_w(x, p)_- - w_+ G_w(x, p)_+) / G_w,

    which a split maximises with the same weights as in :class:`LosawRandomForestRegressor`:
    they depend on the features only. A leaf predicts its unweighted class shares, a forest their
    mean over the trees. With two classes both indicators have the same variance, and the fit is
    the regression fit on one of them.

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
    oob_score : bool, default False
        Whether to score the forest on its out-of-bag rows (``oob_score_``); needs bootstrap.
    warm_start : bool, default False
        Whether another ``fit`` on the same sample keeps the trees and adds what is missing to
        ``n_estimators``. With an int as ``random_state`` the forest is the one that would have
        been grown at once.
    n_jobs : int or None, default None
        Threads; None is 1, -1 all cores. The result does not depend on it.
    random_state : int, numpy.random.Generator or None, default None
    verbose : int, default 0
        1 shows a progress bar.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    feature_importances_ : array of shape (n_features,)
        Definition 4.6 with the unweighted Gini impurity in place of MSE_k.
    trees_ : tuple of losaw.forest.Tree
        The fitted trees; with two classes ``value`` is the share of the second one and
        ``impurity`` its variance, half the Gini impurity.
    adjustment_ : boolean array of shape (n_features, n_features)
        Entry [p, q]: target p is adjusted for feature q.
    is_discrete_ : boolean array of shape (n_features,)
    is_nominal_ : boolean array of shape (n_features,)
    categories_ : dict
        Levels in the order of their codes, by the name (or number) of the column: of categorical
        columns and of those in ``nominal_features``.
    oob_score_ : float
        Of the rows that some tree left out: accuracy. Only with ``oob_score``.
    oob_decision_function_ : array of shape (n_samples, n_classes)
        Mean class shares over the trees that left a row out;
        NaN for a row that no tree left out. Only with ``oob_score``.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)
        Only after a fit on a data frame.

    Raises
    ------
    ValueError, TypeError
        At once on a parameter out of range, missing or infinite values, a single class, fewer
        rows than ``2 * min_samples_leaf``, a discrete feature with too many levels.

    Notes
    -----
    There is no ``sample_weight`` (see :class:`LosawRandomForestRegressor`).
    Propensity models other than the paper's: :class:`losaw.forest.as_printed.ForestAsPrinted`.

    Columns of the dtypes category (pandas), Categorical and Enum (polars) are taken as they are.
    Ordered ones (in polars: Enum) are discrete features in the order of their categories. The
    others are nominal. Their levels, at most 63, are ordered by their weighted mean response in
    the node, and the best split between two neighbours is taken, which is the best of all sets
    of levels for two classes (as long as ``min_samples_leaf`` does not bind). Propensities are
    the same multinomial logits for both. A level that a node has no in-bag row of, or the
    training sample none at all, goes to the child with more in-bag rows; the latter with a
    warning. A level beyond the declared ones of an ordered column is refused.

    For more classes the levels are put in the order of the first principal component of their
    weighted class shares (Coppersmith, Hong and Hosking 1999), which need not hold the best set.

    In the selection of adjustment features, the correlation ratio (adjusted for the number of
    levels) and the bias-corrected Cramér's V stand in for the correlation of nominal features.

    References
    ----------
    losaw, Section 2 ("straight-forward extensions to classification") and Section 4.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw import LosawRandomForestClassifier
    >>> y = np.where(X[:, 0] > 0, "high", "low")
    >>> forest = LosawRandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> forest.predict([[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]).tolist()
    ['high', 'low']
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the forest.

        Parameters
        ----------
        X : array or data frame of shape (n_samples, n_features)
            Numbers and categories; no missing or infinite values.
        y : array of shape (n_samples,)
            Class labels: numbers or strings.

        Returns
        -------
        LosawRandomForestClassifier
            Itself.
        """
        columns, rows, labels = self._read(X, y)
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y has one class only ({classes[0]!r}): nothing to separate")
        self._fit_rows(columns, rows, codes.astype(np.float64), classes)
        return self

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Mean of the trees' class shares, (n_samples, n_classes), in the order of ``classes_``."""
        rows = self.numeric_rows(X)
        if len(self.classes_) > 2:
            return self._fit_result.forest.predict_shares(rows)
        second = self._fit_result.forest.predict(rows)
        return np.column_stack([1.0 - second, second])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class with the largest mean share, (n_samples,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _score_out_of_bag(self, mean: FloatArray, y: FloatArray) -> None:
        if len(self.classes_) == 2:
            mean = np.column_stack([1.0 - mean, mean])
        known = rows_out_of_bag(mean)
        self.oob_decision_function_ = mean
        self.oob_score_ = float(np.mean(mean[known].argmax(axis=1) == y[known]))
