"""The versions of registered names: under a new one, stored results of a method are out of date."""

import sys
from pathlib import Path

from losaw.study.registry import Registration
from losaw.study.registry.plugins import REGISTERED
from losaw.support.sources import digest_of, local_sources

# (kind, name) -> version. Whoever changes the numbers of a method raises its version here, and the
# blocks that use it are computed again. A name that is not listed has version 1.
RAISED: dict[tuple[str, str], int] = {
    ("importance", "loco"): 2,  # refits of scikit-learn's forests, in place of trees grown again
    ("importance", "absolute-attribution"): 2,
    # A feature whose draws are its copies, or that is constant, has no p-value.
    ("importance", "cpi-conditional"): 3,  # draws of levels given levels are no copies
    ("importance", "cpi-deep"): 2,
    ("importance", "cpi-gaussian"): 2,
    ("importance", "cpi-sequential"): 2,
    ("importance", "forest-inner"): 2,
    ("importance", "sage"): 3,  # its error counts the rows of the background
    ("importance", "shap-pearson"): 2,
    ("importance", "shap-spearman"): 2,
    ("importance", "subgroups"): 2,  # subgroups of values that differ by less than 1e-7
    ("importance", "total-gain-deviation"): 2,
    ("importance", "tree-inner"): 2,
    ("learner", "losaw-forest"): 2,
    ("learner", "losaw-forest-classifier"): 2,
}


def version_of(entry: Registration) -> int | str:
    """Return the version of a method: a number of ours, or what its library or plugin says.

    A library says its version; the digest of a plugin is of its file and of the local modules that
    it imports.
    """
    module = entry.target.partition(":")[0]
    # A plugin's file decides the parameters too, and may register a class of ours or of a library.
    module = next((plugin for plugin, its in REGISTERED.items() if entry in its), module)
    file = getattr(sys.modules.get(module), "__file__", None)
    package = module.partition(".")[0]
    if package in ("losaw", "sklearn") or file is None:
        return RAISED.get((entry.kind, entry.name), 1)
    if module not in REGISTERED and hasattr(sys.modules[package], "__version__"):
        return str(sys.modules[package].__version__)
    return digest_of(local_sources(Path(file)))
