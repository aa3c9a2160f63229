"""Importance methods, one per file; the functions for your own models."""

import functools
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from losaw.importance.actual_impurity_reduction import air as air
    from losaw.importance.boruta_selection import boruta as boruta
    from losaw.importance.conditional_predictive_impact import cpi as cpi
    from losaw.importance.conditional_subgroups import subgroups as subgroups
    from losaw.importance.hierarchical_tests import GroupTests as GroupTests
    from losaw.importance.hierarchical_tests import hierarchy as hierarchy
    from losaw.importance.leave_one_covariate_out import loco as loco
    from losaw.importance.mean_decrease_in_impurity import mdi as mdi
    from losaw.importance.mean_decrease_in_impurity import split_improvement as split_improvement
    from losaw.importance.out_of_bag_mdi import mdi_oob as mdi_oob
    from losaw.importance.per_tree_permutation import tree_permutation as tree_permutation
    from losaw.importance.permutation_feature_importance import pfi as pfi
    from losaw.importance.residual import residual_importance as residual_importance
    from losaw.importance.shapley_global_importance import sage as sage
    from losaw.importance.tree_inner import treeinner as treeinner
    from losaw.importance.unbiased_feature_importance import ufi as ufi
    from losaw.scoring.importance_result import ImportanceResult as ImportanceResult
    from losaw.scoring.losses import pinball as pinball
    from losaw.tables.groups import groups_of as groups_of
    from losaw.trees.attributions import predecomp as predecomp
    from losaw.trees.attributions import saabas as saabas

# Function -> module. Imported on first use: xgboost and numba are heavy.
_PUBLIC = {
    "GroupTests": "losaw.importance.hierarchical_tests",
    "ImportanceResult": "losaw.scoring.importance_result",
    "air": "losaw.importance.actual_impurity_reduction",
    "boruta": "losaw.importance.boruta_selection",
    "cpi": "losaw.importance.conditional_predictive_impact",
    "groups_of": "losaw.tables.groups",
    "hierarchy": "losaw.importance.hierarchical_tests",
    "loco": "losaw.importance.leave_one_covariate_out",
    "mdi": "losaw.importance.mean_decrease_in_impurity",
    "mdi_oob": "losaw.importance.out_of_bag_mdi",
    "pfi": "losaw.importance.permutation_feature_importance",
    "pinball": "losaw.scoring.losses",
    "predecomp": "losaw.trees.attributions",
    "residual_importance": "losaw.importance.residual",
    "saabas": "losaw.trees.attributions",
    "sage": "losaw.importance.shapley_global_importance",
    "split_improvement": "losaw.importance.mean_decrease_in_impurity",
    "subgroups": "losaw.importance.conditional_subgroups",
    "tree_permutation": "losaw.importance.per_tree_permutation",
    "treeinner": "losaw.importance.tree_inner",
    "ufi": "losaw.importance.unbiased_feature_importance",
}

__all__ = list(_PUBLIC)


@functools.cache
def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'losaw.importance' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(_PUBLIC)
