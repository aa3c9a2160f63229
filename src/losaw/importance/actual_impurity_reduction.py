"""Actual impurity reduction, AIR (Nembrini, König and Wright 2018): ranger's corrected impurity."""

from typing import Any

import numpy as np

from losaw.data import Dataset, FloatArray
from losaw.importance.result import ImportanceResult
from losaw.rng import as_generator, seed_integer


class ActualImpurityReduction:
    """Split improvement of a feature minus that of its permuted copy.

    A forest with the parameters of the given one is grown on ``[X, X[pi]]``, pi one random
    permutation of the rows,

        AIR_j = SI_j - SI_{j+p},

    with SI the split improvement that is not normalised. At a node as many columns are drawn
    from all 2p as the given forest draws from p. A nominal feature's dummies are summed.

    This grows a second forest: the cost of an explanation is about that of a fit.

    Parameters
    ----------
    max_features : int or None, default None
        Columns drawn at a node; None: as many as the given forest. ranger's default is the
        square root of p, rounded down.

    Raises
    ------
    TypeError
        If the model is not a random forest of scikit-learn or this package's ``RandomForest``.
    """

    def __init__(self, max_features: int | None = None) -> None:
        self.max_features = max_features

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of the second forest; ``rng`` draws the permutation and the forest's seed."""
        rng = as_generator(rng)
        from sklearn.base import clone

        X, y = data.train
        forest = getattr(model, "forest_", model)
        if not hasattr(forest, "estimators_") or not hasattr(type(forest), "estimators_samples_"):
            raise TypeError(
                f"{type(model).__name__} is not a fitted random forest of scikit-learn; the "
                "actual impurity reduction is defined for its impurity and its way to split"
            )
        drawn = self.max_features or int(forest.estimators_[0].max_features_)
        shadowed = clone(model).set_params(max_features=drawn, random_state=seed_integer(rng))
        if getattr(model, "one_hot", ()):
            columns = list(model.one_hot)
            shadowed.set_params(one_hot=[*columns, *(c + X.shape[1] for c in columns)])
        shadowed.fit(np.hstack([X, X[rng.permutation(len(X))]]), y)
        scores = _impurity_decreases(shadowed)
        n_features = X.shape[1]
        return ImportanceResult(scores[:n_features] - scores[n_features:], data.feature_names)


def _impurity_decreases(model: Any) -> FloatArray:
    """Mean over trees of the split improvements, a factor's dummies summed."""
    forest = getattr(model, "forest_", model)
    trees = [tree.tree_.compute_feature_importances(normalize=False) for tree in forest.estimators_]
    scores = np.mean(trees, axis=0)
    features = getattr(model, "feature_of_column_", np.arange(len(scores)))
    return np.bincount(features, scores).astype(float)
