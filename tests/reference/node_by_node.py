"""A compiled forest next to losawRF as the paper states it, node by node.

The propensity models share nothing with the package: least squares by numpy, and scikit-learn's
logit on an indicator for each level.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression

from losaw.forest.as_printed.forest import ForestAsPrinted
from losaw.forest.as_printed.steps import SplitAsPrinted, relative_decrease, relative_size
from losaw.weighting import PointMassError


def indicators(adjustment, discrete):
    """An indicator for each level of a discrete column, and the other columns."""
    return np.hstack(
        [
            (column[:, None] == np.unique(column)).astype(float) if is_discrete else column[:, None]
            for column, is_discrete in zip(adjustment.T, discrete, strict=True)
        ]
    )


class LeastSquares:
    """A normal density around least squares."""

    discrete = "auto"

    def _design(self, adjustment):
        ones = np.ones((len(adjustment), 1))
        return np.hstack([ones, indicators(adjustment, self.discrete)])

    def fit(self, target, adjustment, counts=None):
        z = self._design(adjustment)
        self.coefficients = np.linalg.lstsq(z, target, rcond=1e-11)[0]
        self.variance = ((target - z @ self.coefficients) ** 2).mean()
        if self.variance <= 1e-8 * target.var():
            raise PointMassError("no residual")

    def density(self, target, adjustment):
        residual = target - self._design(adjustment) @ self.coefficients
        return np.exp(-(residual**2) / (2 * self.variance)) / np.sqrt(self.variance)


class ScikitLogit:
    """Scikit-learn's logit with its defaults; one class alone has no weights."""

    discrete = "auto"

    def fit(self, target, adjustment, counts=None):
        z = indicators(adjustment, self.discrete)
        if len(np.unique(target)) < 2:
            raise PointMassError("one class")
        self.logit = LogisticRegression(solver="newton-cholesky", tol=1e-12).fit(z, target)

    def density(self, target, adjustment):
        p = self.logit.predict_proba(indicators(adjustment, self.discrete))
        return p[np.arange(len(target)), np.searchsorted(self.logit.classes_, target)]


INDEPENDENT = {"continuous": LeastSquares(), "discrete": ScikitLogit()}


def plain_of(forest, X, y, propensity=None):
    """The plain forest on the same sample, with the same rules and adjustment features."""
    return ForestAsPrinted(
        "classification" if hasattr(forest, "classes_") else "regression",
        n_estimators=1,
        max_depth=1,
        min_samples_leaf=forest.min_samples_leaf,
        eta=forest.eta,
        adjustment=forest.adjustment_,
        discrete_features=forest.is_discrete_,
        nominal_features=forest.is_nominal_,
        propensity=INDEPENDENT if propensity is None else propensity,
        random_state=0,
    ).fit(X, y)


def splits(forest, X, y, propensity=None):
    """Every split of the compiled forest: the tree, its node, and what the plain forest says.

    Yields (tree, node, rows, decrease of the split, largest decrease of any split, weights).
    """
    plain = plain_of(forest, X, y, propensity)
    response = (
        np.column_stack([np.asarray(y) == c for c in plain.classes_]).astype(float)
        if (hasattr(plain, "classes_"))
        else np.asarray(y, dtype=float)[:, None]
    )
    for tree, counts in zip(forest.trees_, forest.in_bag_counts(), strict=True):
        pending = [(0, np.repeat(np.arange(len(X)), counts))]
        while pending:
            node, rows = pending.pop()
            p = int(tree.feature[node])
            assert tree.n_samples[node] == len(rows)
            if p < 0:
                continue
            levels = [k for k in range(63) if int(tree.left_levels[node]) >> k & 1]
            left = SplitAsPrinted(
                p, 0.0, tree.threshold[node], tuple(map(float, levels))
            ).goes_left(X[rows])
            w = plain.weights(rows, p)
            decrease = relative_decrease(w, response[rows], left)
            every = [plain.best_split(rows, q) for q in range(X.shape[1])]
            best = max((split.decrease for split in every if split is not None), default=0.0)
            yield tree, node, rows, decrease, best, w
            pending.append((int(tree.children_left[node]), rows[left]))
            pending.append((int(tree.children_right[node]), rows[~left]))


def compare(forest, X, y, tolerance, propensity=None):
    """Check every split of a forest that tries all features; the number of splits."""
    scores = np.zeros((len(forest.trees_), X.shape[1]))
    number = {id(tree): t for t, tree in enumerate(forest.trees_)}
    n_splits = 0
    for tree, node, rows, decrease, best, w in splits(forest, X, y, propensity):
        n_splits += 1
        assert abs(tree.relative_decrease[node] - decrease) < tolerance
        assert decrease >= best - tolerance  # the same split, up to ties
        size = relative_size(w)
        assert abs(tree.capped_effective_sample_size[node] - size) < max(tolerance, 1e-7)
        if hasattr(forest, "classes_"):
            shares = np.unique(np.asarray(y)[rows], return_counts=True)[1] / len(rows)
            # with two classes the tree has the variance of one of them
            impurity = (1 - (shares**2).sum()) / (1 + (len(forest.classes_) == 2))
        else:
            impurity = np.var(y[rows])
            assert abs(tree.value[node] - y[rows].mean()) < 1e-9
        assert abs(tree.impurity[node] - impurity) < 1e-9
        scores[number[id(tree)], tree.feature[node]] += decrease * impurity * len(rows)
    total = scores.sum(axis=1, keepdims=True)
    importances = (scores / np.where(total > 0, total, 1.0)).mean(axis=0)
    assert np.abs(forest.feature_importances_ - importances).max() < tolerance
    return n_splits
