"""Importance methods, one per file; the functions for your own models."""

# Imported at once: a file has the name of its function, and one that is imported later would take
# the function's place in this package.
from losaw.importance.air import air as air
from losaw.importance.boruta import boruta as boruta
from losaw.importance.cpi import cpi as cpi
from losaw.importance.cpi_pairs import cpi_pairs as cpi_pairs
from losaw.importance.hierarchy import GroupTests as GroupTests
from losaw.importance.hierarchy import hierarchy as hierarchy
from losaw.importance.loco import loco as loco
from losaw.importance.mdi import mdi as mdi
from losaw.importance.mdi import split_improvement as split_improvement
from losaw.importance.mdi_oob import mdi_oob as mdi_oob
from losaw.importance.pfi import pfi as pfi
from losaw.importance.residual import residual_importance as residual_importance
from losaw.importance.sage import sage as sage
from losaw.importance.subgroups import subgroups as subgroups
from losaw.importance.tree_permutation import tree_permutation as tree_permutation
from losaw.importance.treeinner import treeinner as treeinner
from losaw.importance.ufi import ufi as ufi
from losaw.scoring.losses import pinball as pinball
from losaw.scoring.result import ImportanceResult as ImportanceResult
from losaw.tables.groups import groups_of as groups_of
from losaw.trees.attributions import predecomp as predecomp
from losaw.trees.attributions import saabas as saabas

__all__ = [
    "GroupTests",
    "ImportanceResult",
    "air",
    "boruta",
    "cpi",
    "cpi_pairs",
    "groups_of",
    "hierarchy",
    "loco",
    "mdi",
    "mdi_oob",
    "pfi",
    "pinball",
    "predecomp",
    "residual_importance",
    "saabas",
    "sage",
    "split_improvement",
    "subgroups",
    "tree_permutation",
    "treeinner",
    "ufi",
]
