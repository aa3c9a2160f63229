"""Path-dependent Shapley values of trees (Lundberg et al. 2020), by the library shap."""

from typing import Any

import numpy as np

from losaw.data import FloatArray
from losaw.support.extras import extra
from losaw.trees.forests import Forest


def shapley_values(forest: Forest, rows: FloatArray) -> FloatArray:
    """Shapley values of the prediction of trees, (n_rows, n_features).

    The game's value of a coalition S at a row x is the tree's prediction when a split on a
    feature outside S sends the row down both branches in proportion to their in-bag rows. A row's
    values sum to its prediction minus the mean one. The prediction of a gradient boosting
    classifier is its raw score, before the link.

    Parameters
    ----------
    forest : Forest
    rows : array of shape (n_rows, n_features)
        As the trees compare them.
    """
    with extra("trends"):
        import shap

    if forest.is_nominal.any():
        raise ValueError(
            "the forest splits features into sets of levels, which shap's trees do not have; "
            "encode them as numbers before the forest, for example by OneHotEncoder of scikit-learn"
        )
    explainer = shap.TreeExplainer(_model(forest), feature_perturbation="tree_path_dependent")
    values: FloatArray = explainer.shap_values(rows, check_additivity=False)
    return values.reshape(rows.shape)


def _model(forest: Forest) -> dict[str, Any]:
    """The trees as a custom model of shap."""
    trees = forest.trees
    weight = forest.scale / trees.n_trees
    shown = []
    for start, end in zip(trees.starts[:-1], trees.starts[1:], strict=True):
        part = slice(start, end)
        left, right = (np.maximum(side[part] - start, -1) for side in (trees.left, trees.right))
        shown.append(
            {
                "children_left": left,
                "children_right": right,
                "children_default": left,  # of missing values, which are refused
                "features": trees.feature[part],
                "thresholds": np.nan_to_num(trees.threshold[part]),
                "values": weight * forest.value[part, None],
                "node_sample_weight": forest.n_samples[part],
            }
        )
    return {
        "trees": shown,
        "base_offset": 0.0,
        "input_dtype": np.float64,
        "internal_dtype": np.float64,
        "tree_output": "raw_value",
        "objective": "squared_error",
    }
