"""The losaw random forest: scikit-learn estimators on compiled tree growing."""

from losaw.forest.classifier import LosawRandomForestClassifier
from losaw.forest.decorrelation import decorrelation
from losaw.forest.plain import PlainRandomForestRegressor
from losaw.forest.regressor import LosawRandomForestRegressor
from losaw.forest.trees import Tree

__all__ = [
    "LosawRandomForestClassifier",
    "LosawRandomForestRegressor",
    "PlainRandomForestRegressor",
    "Tree",
    "decorrelation",
]
