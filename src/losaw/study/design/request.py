"""The request of one run: a configuration file and its overrides."""

import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from losaw.study.design.schema import Scalar
from losaw.study.errors import StudyError


@dataclass(frozen=True)
class Request:
    """A configuration file and its overrides.

    Attributes
    ----------
    configuration : Path
        The configuration file; studies lie in ``studies/`` and printed numbers in
        ``published/`` next to it.
    overrides : dict
        Configuration key -> value instead of the file's.
    selection : dict
        Axis (or ``learner``) -> values that narrow the grid.
    seeds : int or None
        Number of seeds of every selected setting that the scale runs, instead of the scale's.
    """

    configuration: Path = Path("config/config.yaml")
    overrides: Mapping[str, Any] = field(default_factory=dict)
    selection: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    seeds: int | None = None

    def arguments(self) -> str:
        """The command-line options that make the same request."""
        words: list[str] = ["--config", str(self.configuration)]
        for key, value in self.overrides.items():
            words += ["--configure", f"{key}={json.dumps(value, default=str)}"]
        for axis, values in self.selection.items():
            words += ["--set", f"{axis}={','.join(map(str, values))}"]
        if self.seeds:
            words += ["--seeds", str(self.seeds)]
        return shlex.join(words)


def read_selection(words: Iterable[str]) -> dict[str, tuple[Scalar, ...]]:
    """``["n_samples=500", "function=f3,f5"]`` as an axis -> values mapping.

    Raises
    ------
    StudyError
        If a word is not ``axis=value[,value…]``.
    """
    selection: dict[str, tuple[Scalar, ...]] = {}
    for word in words:
        axis, sign, values = word.partition("=")
        wanted = tuple(value.strip() for value in values.split(",") if value.strip())
        if not sign or not axis.strip() or not wanted:
            raise StudyError(f"--set {word}: expected axis=value or axis=value,value")
        selection[axis.strip()] = (*selection.get(axis.strip(), ()), *wanted)
    return selection


def read_overrides(words: Iterable[str]) -> dict[str, Any]:
    """``["scale=paper"]`` as a configuration key -> value mapping; values are YAML."""
    overrides: dict[str, Any] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign:
            raise StudyError(f"--configure {word}: expected key=value")
        overrides[key.strip()] = yaml.safe_load(value)
    return overrides
