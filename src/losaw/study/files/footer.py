"""The footer of a block's file: what decided its rows, wherever and whenever it was run."""

import importlib.metadata
import json
import platform
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import losaw
from losaw.study.registry.catalogue import EXTRAS
from losaw.support.extras import LIBRARIES

ALWAYS = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")
# Generators that solve for a joint law in every replicate, with cvxpy.
FITS_LAWS = (("generator", "losaw-network"),)


def footer_of(recipe: Mapping[str, Any], laws: Mapping[str, Any]) -> dict[str, Any]:
    """Return the footer of a block, with values as JSON gives them back."""
    footer = {
        "losaw": losaw.__version__,
        "recipe": recipe,
        "libraries": {**library_versions(), **_versions(recipe)},
        "laws": {name: law.record() for name, law in laws.items()},
    }
    plain: dict[str, Any] = json.loads(json.dumps(footer))
    return plain


def _versions(recipe: Mapping[str, Any]) -> dict[str, str]:
    names = {name for kind, method in _methods(recipe) for name in _libraries_of(kind, method)}
    return {name: version_of_library(name) for name in sorted(names)}


def _methods(recipe: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "generator", recipe["generator"]["name"]
    for kind in ("learner", "importance"):
        for method in recipe[f"{kind}s"].values():
            yield kind, method["name"]


def _libraries_of(kind: str, name: str) -> tuple[str, ...]:
    """Return the libraries that a registered method imports, in addition to those of all."""
    fits_laws = ("cvxpy",) if (kind, name) in FITS_LAWS else ()
    return (*LIBRARIES.get(EXTRAS.get((kind, name), ""), ()), *fits_laws)


@cache
def version_of_library(module: str) -> str:
    """Return the version of the distribution that contains a module; empty if there is none."""
    try:
        return importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:  # a distribution of another name
        distributions = importlib.metadata.packages_distributions().get(module, [])
        return importlib.metadata.version(distributions[0]) if distributions else ""


@cache
def library_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that numbers may depend on."""
    versions = {"python": platform.python_version()}
    for name in ALWAYS:
        versions[name] = importlib.metadata.version(name)
    return versions
