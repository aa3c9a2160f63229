"""The losaw random forest for classification, as a scikit-learn estimator."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from losaw.data import FloatArray
from losaw.forest.losaw_forest import LosawForest
from losaw.forest.validation import check_labels


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
    n_estimators, max_depth, min_samples_leaf, max_features, eta
        As in :class:`LosawRandomForestRegressor`. So are ``n_adjustment``,
        ``correlation_threshold``, ``n_initial_estimators``, ``discrete_features``,
        ``nominal_features``, ``bootstrap``, ``n_jobs`` and ``random_state``.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    feature_importances_ : array of shape (n_features,)
        Definition 4.6 with the unweighted Gini impurity in place of MSE_k.
    trees_ : tuple of losaw.forest.Tree
        The fitted trees; with two classes ``value`` is the share of the second one and
        ``impurity`` its variance, half the Gini impurity.

    Notes
    -----
    Other fitted attributes, and what is said there of weights and of columns with categories, are
    those of :class:`LosawRandomForestRegressor`. Of more than two classes, the levels of a nominal
    feature are put in the order of the first principal component of their weighted class shares
    (Coppersmith, Hong and Hosking 1999), which need not hold the best set.

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
        """Fit the forest to X (n_samples, n_features) and class labels y, numbers or strings."""
        columns, rows, labels = self._read(X, y)
        check_labels(labels)
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y has one class only ({classes[0]!r}): nothing to separate")
        self._grow(X, columns, rows, codes.astype(np.float64), len(classes))
        self.classes_ = classes
        return self

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Mean of the trees' class shares, (n_samples, n_classes), in the order of ``classes_``."""
        rows = self.numeric_rows(X)
        if len(self.classes_) > 2:
            return self.forest_.predict_shares(rows)
        second = np.clip(self.forest_.predict(rows), 0.0, 1.0)  # means of centred classes round
        return np.column_stack([1.0 - second, second])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class with the largest mean share, (n_samples,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])
