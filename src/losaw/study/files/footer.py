"""The footer of a block's file: what decided its numbers, wherever and whenever it was run."""

import importlib.metadata
import json
import platform
from collections.abc import Sequence
from functools import cache
from typing import Any

import losaw
from losaw.study.design.blocks import Block, BlockName
from losaw.study.files.adoption import ADOPTED

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")


def footer_of(block: Block, law: Any, adopted: Sequence[Any] = ()) -> dict[str, Any]:
    """The footer of a block whose data are drawn from the joint law of the record ``law``.

    ``adopted`` is the history of rows that another version has computed.
    """
    series = block.series
    learner = series.learner
    footer = {
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
        "libraries": library_versions(),
    }
    return {**footer, ADOPTED: list(adopted)} if adopted else footer


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
    left_out = ("results_version", "part_versions", "importances", "metrics", ADOPTED)
    kept = {key: value for key, value in footer.items() if key not in left_out}
    block = {key: value for key, value in footer["block"].items() if key != "seeds"}
    return json.loads(json.dumps({**kept, "block": block}))


@cache
def library_versions() -> dict[str, str]:
    """Versions of Python and of the libraries that numbers may depend on."""
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        versions[name] = importlib.metadata.version(name)
    return versions
