"""Permutation within subgroups (Molnar, König, Bischl & Casalicchio 2023)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import Dataset, FloatArray
from losaw.importance.losses import resolve_loss
from losaw.importance.model_columns import check_sample, columns_of
from losaw.importance.result import ImportanceResult
from losaw.rng import as_generator


class ConditionalSubgroups:
    """Loss after a permutation of X_j among rows with similar other features, minus the loss,

        CS_j = E[L(f(X_-j, X_pi(j)), Y)] - E[L(f(X), Y)],   pi within the leaves of a tree

    that predicts X_j from X_-j on the training sample; the median over permutations.

    The trees are scikit-learn's regression and classification trees (the paper uses transformation
    and conditional inference trees, which also split on changes of spread); nominal features
    enter them as dummies.

    Parameters
    ----------
    max_depth : int, default 3
    min_samples_leaf : int, default 30
        Of training rows, as in the published code; fewer where the sample has less than two
        leaves' worth of rows.
    n_repeats : int, default 5
    loss : str, callable or None, default None
        As in :class:`ConditionalPredictiveImpact`.

    Returns
    -------
    ImportanceResult
        ``std_error`` of the mean over permutations, if there are two or more;
        ``details["n_subgroups"]`` (n_features,).

    Raises
    ------
    ValueError
        For a parameter below 1, missing values, or fewer than 2 features.

    Notes
    -----
    A row that is alone in its subgroup keeps its value. In larger subgroups no row keeps its
    place (a random cycle).
    """

    def __init__(
        self,
        max_depth: int = 3,
        min_samples_leaf: int = 30,
        n_repeats: int = 5,
        loss: Any = None,
    ) -> None:
        counts = {
            "max_depth": max_depth,
            "min_samples_leaf": min_samples_leaf,
            "n_repeats": n_repeats,
        }
        for name, value in counts.items():
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value!r}")
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.n_repeats = n_repeats
        self.loss = loss

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """CS of every feature for a fitted ``model``."""
        rng = as_generator(rng)
        X, y = data.test
        check_sample(X, y, len(data.feature_names))
        if len(data.feature_names) < 2:
            raise ValueError("subgroups need at least 2 features: they are made of the others")
        view = columns_of(model, data)
        loss, y = resolve_loss(self.loss, view.task), view.response(y)
        columns = view.encode(X)
        original = float(loss(y, view.predict(columns)).mean())
        subgroups = [self._subgroups(data, j, rng) for j in range(X.shape[1])]
        repeats = np.empty((self.n_repeats, X.shape[1]))
        for repeat in range(self.n_repeats):
            matrices = []
            for group, leaves in zip(view.groups, subgroups, strict=True):
                changed = columns.copy()
                changed[:, group] = columns[np.ix_(_cycle_within(leaves, rng), group)]
                matrices.append(changed)
            repeats[repeat] = [
                float(loss(y, found).mean()) for found in view.predict_each(matrices)
            ]
        repeats -= original
        several = self.n_repeats > 1
        return ImportanceResult(
            np.median(repeats, axis=0),
            data.feature_names,
            std_error=repeats.std(axis=0, ddof=1) / np.sqrt(self.n_repeats) if several else None,
            std_error_kind="over permutations within subgroups" if several else None,
            details={"n_subgroups": np.array([len(np.unique(leaves)) for leaves in subgroups])},
        )

    def _subgroups(self, data: Dataset, column: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Leaf of every test row."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        from losaw.rng import seed_integer

        nominal = data.feature_kinds[column] == "nominal"
        tree = (DecisionTreeClassifier if nominal else DecisionTreeRegressor)(
            max_depth=self.max_depth,
            min_samples_leaf=max(1, min(self.min_samples_leaf, len(data.train.y) // 2)),
            random_state=seed_integer(rng),
        )
        others = _others(data, column)
        tree.fit(others(data.train.X), data.train.X[:, column])
        return np.asarray(tree.apply(others(data.test.X)))


def _others(data: Dataset, column: int) -> Any:
    """Function from X to the other features, nominal ones as dummies of the training levels."""
    levels = {
        j: np.unique(data.train.X[:, j])
        for j, kind in enumerate(data.feature_kinds)
        if kind == "nominal"
    }

    def encode(X: FloatArray) -> FloatArray:
        parts = [
            (X[:, [j]] == levels[j]).astype(float) if j in levels else X[:, [j]]
            for j in range(X.shape[1])
            if j != column
        ]
        return np.hstack(parts)

    return encode


def _cycle_within(leaves: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """Row to take the value from: a random cycle through the rows of every leaf."""
    source = np.arange(len(leaves))
    for leaf in np.unique(leaves):
        rows = rng.permutation(np.flatnonzero(leaves == leaf))
        source[rows] = np.roll(rows, 1)
    return source
