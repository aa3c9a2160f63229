"""Fitted trees in the form that ``shap.TreeExplainer`` reads."""

from typing import Any

import numpy as np

from losaw.forest.losaw_forest import LosawForest


def to_shap(forest: LosawForest) -> dict[str, Any]:
    """The trees of a fitted forest as a model for ``shap.TreeExplainer``.

    Parameters
    ----------
    forest : LosawRandomForestRegressor or LosawRandomForestClassifier
        Fitted. Of a classifier, the outputs are the shares of its ``classes_``.

    Returns
    -------
    dict
        The custom model of the shap package: a list of trees with their children, split
        features, thresholds, values (divided by the number of trees) and in-bag rows. Rows to
        explain are those of ``forest.numeric_rows(X)``.

    Raises
    ------
    ValueError
        If the forest has nominal features: shap's custom trees have thresholds only.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.forest import LosawRandomForestRegressor, to_shap
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> len(to_shap(forest)["trees"])  # shap.TreeExplainer(to_shap(forest)).shap_values(X)
    5
    """
    if forest.is_nominal_.any():
        names = getattr(forest, "feature_names_in_", np.arange(forest.n_features_in_))
        raise ValueError(
            f"the forest splits {list(names[forest.is_nominal_])[:5]} into sets of levels, which "
            "shap's custom trees do not have; encode them as numbers before the forest"
        )
    fitted = forest.forest_
    trees = []
    for tree, start, end in zip(forest.trees_, fitted.starts[:-1], fitted.starts[1:], strict=True):
        values = tree.value[:, None]
        if hasattr(forest, "classes_"):
            values = np.hstack([1.0 - values, values])
        if fitted.nodes.distribution.size:
            values = fitted.nodes.distribution[start:end]
        trees.append(
            {
                "children_left": tree.children_left,
                "children_right": tree.children_right,
                "children_default": tree.children_left,  # of missing values, which are refused
                "features": tree.feature,
                "thresholds": np.nan_to_num(tree.threshold),
                "values": values / len(fitted),
                "node_sample_weight": tree.n_samples,
            }
        )
    return {
        "trees": trees,
        "base_offset": 0.0,
        "input_dtype": np.float64,
        "internal_dtype": np.float64,
        "tree_output": "raw_value",
        "objective": "squared_error",
    }
