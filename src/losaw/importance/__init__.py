"""Importance methods, one per file; the functions for your own models."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from losaw.fitted_trees.attributions import predecomp as predecomp
    from losaw.importance.out_of_bag_mdi import mdi_oob as mdi_oob
    from losaw.importance.residual import residual_importance as residual_importance
    from losaw.importance.split_gain import split_improvement as split_improvement
    from losaw.importance.tree_inner import treeinner as treeinner
    from losaw.importance.unbiased_feature_importance import ufi as ufi

# Function -> module. Imported on first use: xgboost and numba are heavy.
_PUBLIC = {
    "mdi_oob": "losaw.importance.out_of_bag_mdi",
    "predecomp": "losaw.fitted_trees.attributions",
    "residual_importance": "losaw.importance.residual",
    "split_improvement": "losaw.importance.split_gain",
    "treeinner": "losaw.importance.tree_inner",
    "ufi": "losaw.importance.unbiased_feature_importance",
}

__all__ = [
    "mdi_oob",
    "predecomp",
    "residual_importance",
    "split_improvement",
    "treeinner",
    "ufi",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'losaw.importance' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
