"""The footer of a block's file: what decided its numbers, wherever and whenever it was run."""

import importlib.metadata
import json
import platform
from functools import cache
from typing import Any

import losaw
from losaw.registry.catalogue import EXTRAS
from losaw.study.design.blocks import Block, BlockName
from losaw.study.design.series import Series
from losaw.support.extras import LIBRARIES

ALWAYS = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")
# Generators that solve for a joint law in every replicate, with cvxpy.
FITS_LAWS = (("generator", "losaw-network"),)


def footer_of(block: Block, law: Any) -> dict[str, Any]:
    """The footer of a block whose data are drawn from the joint law of the record ``law``."""
    series = block.series
    learner = series.learner
    return {
        "losaw": losaw.__version__,
        "results_version": series.version,
        "block": identity(block.name),
        "experiment": series.experiment,
        "generator": {
            "name": series.generator.entry.name,
            "parameters": dict(series.generator.parameters),
        },
        "learner": {
            "name": learner.entry.name,
            "parameters": {**learner.entry.parameters, **learner.parameters},
        },
        "importances": {
            label: {"name": importance.entry.name, "parameters": importance.parameters}
            for label, importance in series.importances.items()
        },
        "metrics": list(series.metrics),
        "part_versions": dict(series.part_versions),
        "joint_law": law,
        "libraries": {**library_versions(), **_versions(series)},
    }


def identity(name: BlockName) -> dict[str, Any]:
    """The part of a footer that identifies its block."""
    return {
        "study": name.study,
        "setting": name.setting,
        "learner": name.learner,
        "seeds": [name.first, name.last],
    }


def of_the_fit(footer: dict[str, Any]) -> Any:
    """Return a footer's entries on data, fit and machine, with values as JSON returns them.

    Files that agree in it hold rows of the same fits, whatever their seeds and importances.
    """
    left_out = ("results_version", "part_versions", "importances", "metrics")
    kept = {key: value for key, value in footer.items() if key not in left_out}
    own = [n for k in ("generator", "learner") for n in libraries_of(k, footer[k]["name"])]
    libraries = {n: v for n, v in kept["libraries"].items() if n in ("python", *ALWAYS, *own)}
    kept["libraries"] = libraries
    block = {key: value for key, value in footer["block"].items() if key != "seeds"}
    return json.loads(json.dumps({**kept, "block": block}))


def libraries_of(kind: str, name: str) -> tuple[str, ...]:
    """Return the libraries that a registered method imports, in addition to those of all."""
    fits_laws = ("cvxpy",) if (kind, name) in FITS_LAWS else ()
    return (*LIBRARIES.get(EXTRAS.get((kind, name), ""), ()), *fits_laws)


def _versions(series: Series) -> dict[str, str]:
    methods = [series.generator, series.learner, *series.importances.values()]
    names = {n for m in methods for n in libraries_of(m.entry.kind, m.entry.name)}
    return {name: version_of(name) for name in sorted(names)}


@cache
def version_of(module: str) -> str:
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
