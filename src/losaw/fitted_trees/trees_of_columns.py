"""The trees whose mean a model predicts, and the columns that they compare."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.kernels.trees import Trees
from losaw.tables.groups import column_sources

# Steps that make every column of their output of a single column, row by row.
_COLUMN_BY_COLUMN = (
    "KBinsDiscretizer",
    "MaxAbsScaler",
    "MinMaxScaler",
    "OneHotEncoder",
    "OrdinalEncoder",
    "PowerTransformer",
    "QuantileTransformer",
    "RobustScaler",
    "SimpleImputer",
    "StandardScaler",
    "TargetEncoder",
)


class TreesOfColumns(NamedTuple):
    """The trees whose mean a model predicts.

    Attributes
    ----------
    trees : Trees
    value : array of shape (n_nodes,) or (n_nodes, n_outputs)
        What a node predicts as a leaf: of two classes the probability of the second, of more
        those of all.
    encode : callable
        Rows as the model is given them to columns as the trees compare them.
    feature_of_column : int array
        The feature of the rows that each such column is computed from.
    """

    trees: Trees
    value: FloatArray
    encode: Callable[[Any], FloatArray]
    feature_of_column: NDArray[np.intp]


def trees_of(model: Any, names: Sequence[str]) -> TreesOfColumns | None:
    """The trees whose mean a fitted model predicts; None if there are none, or columns are mixed.

    Forests of scikit-learn, losaw forests, this package's learners made of either, and Pipelines
    that encode column by column before one. Not their subclasses, which may predict as they like.

    Parameters
    ----------
    names : sequence of str
        The features of the rows that the model is given.
    """
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
    from sklearn.pipeline import Pipeline

    if type(model) in (GridSearchCV, RandomizedSearchCV):
        return trees_of(getattr(model, "best_estimator_", None), names)
    if type(model) is Pipeline:
        before, last = model[:-1], model.steps[-1][1]
        if not all(_is_column_by_column(step) for _, step in before.steps):
            return None
        inner = trees_of(last, ())
        if inner is None:
            return None
        try:
            features = column_sources(before, names) if before.steps else np.arange(len(names))
        except ValueError:
            return None

        def encode(rows: Any) -> FloatArray:
            return inner.encode(before.transform(rows) if before.steps else rows)

        return TreesOfColumns(inner.trees, inner.value, encode, features[inner.feature_of_column])
    if type(model).__module__.startswith("losaw."):
        return _of_losaw(model)
    return _of_scikit_learn(model)


def _is_column_by_column(step: Any) -> bool:
    if isinstance(step, str) or step is None:
        return step in (None, "passthrough", "drop")
    if hasattr(step, "steps"):
        return all(_is_column_by_column(part) for _, part in step.steps)
    if type(step).__name__ == "ColumnTransformer":
        return all(_is_column_by_column(part) for _, part, _ in step.transformers_)
    if getattr(step, "is_column_by_column", False):
        return True
    module = type(step).__module__.partition(".")[0]
    if type(step).__name__ == "SimpleImputer" and step.add_indicator:
        return False
    return module == "sklearn" and type(step).__name__ in _COLUMN_BY_COLUMN


def _of_scikit_learn(model: Any) -> TreesOfColumns | None:
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )

    forests = (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    if type(model) not in forests or model.n_outputs_ != 1:
        return None
    inner = [estimator.tree_ for estimator in model.estimators_]
    trees = Trees.of((t.feature, t.threshold, t.children_left, t.children_right) for t in inner)
    values = np.concatenate([tree.value[:, 0] for tree in inner])
    if hasattr(model, "classes_"):
        if len(model.classes_) < 2:
            return None
        of_classes = values[:, 1] if len(model.classes_) == 2 else values
        return TreesOfColumns(trees, of_classes, _single, np.arange(model.n_features_in_))
    return TreesOfColumns(trees, values[:, 0], _single, np.arange(model.n_features_in_))


def _single(rows: Any) -> FloatArray:
    """Rows in the precision in which scikit-learn's trees compare them."""
    dense = rows.toarray() if hasattr(rows, "toarray") else rows
    with np.errstate(over="ignore"):
        return np.asarray(dense).astype(np.float32).astype(np.float64)


def _of_losaw(model: Any) -> TreesOfColumns | None:
    # By name: what exchanges a model's features does not rest on how our forests are grown, and
    # its stored blocks stay when that changes.
    name = type(model).__name__
    if name == "RandomForest":
        inner = _of_scikit_learn(model.forest_)
        if inner is None:
            return None
        return TreesOfColumns(
            inner.trees,
            inner.value,
            lambda rows: _single(model.encode(rows)),
            model.feature_of_column_,
        )
    if name not in ("LosawRandomForestClassifier", "LosawRandomForestRegressor"):
        return None
    nodes = model.forest_.nodes
    has_many = len(getattr(model, "classes_", ())) > 2
    return TreesOfColumns(
        model.forest_.flat_trees,
        nodes.distribution if has_many else nodes.value,
        model.numeric_rows,
        np.arange(model.n_features_in_),
    )


def trees_of_encoded(model: Any, n_columns: int) -> TreesOfColumns | None:
    """The trees of a model with ``predict_encoded``, on its own columns; None if there are none.

    See :class:`losaw.learners.encoded.EncodedLearner`.
    """
    if not type(model).__module__.startswith("losaw."):
        return None
    from losaw.learners.encoded import EncodedLearner

    columns = np.arange(n_columns)
    if type(model).__name__ == "RangerForest":  # by name, as in `_of_losaw`
        grown = model.model_
        return TreesOfColumns(grown.trees_, grown.value_, np.asarray, columns)
    if isinstance(model, EncodedLearner) and (
        type(model).predict_encoded is EncodedLearner.predict_encoded
    ):
        return _of_scikit_learn(model.model_)
    return None
