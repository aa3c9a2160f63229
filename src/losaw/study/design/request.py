"""The request of one run: a configuration file, and what the command line changes of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from losaw.study.design.schema import Configuration, Scalar
from losaw.study.design.source_file import SourceFile
from losaw.study.errors import StudyError

LISTS = ("studies", "plugins")


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


def request_of(configuration: Path, config: Mapping[str, Any]) -> Request:
    """Return the request of a configuration as Snakemake has it: the file and ``--config``.

    A key is one of the file's, ``seeds``, ``learner``, or an axis; several values are
    written ``f3,f5``.

    Raises
    ------
    StudyError
        If the file cannot be read, or ``seeds`` is not a whole number, 1 or more.
    """
    written = SourceFile(configuration).data
    asked = {key: value for key, value in config.items() if written.get(key) != value}
    overrides = {key: value for key, value in asked.items() if key in Configuration.model_fields}
    overrides |= {k: _values(overrides[k]) for k in LISTS if isinstance(overrides.get(k), str)}
    selection = {key: value for key, value in asked.items() if key not in overrides}
    seeds = selection.pop("seeds", None)
    if seeds is not None and (not isinstance(seeds, int) or isinstance(seeds, bool) or seeds < 1):
        raise StudyError(f"seeds: {seeds!r} is not allowed; ask for a whole number, 1 or more")
    return Request(configuration, overrides, {k: _values(v) for k, v in selection.items()}, seeds)


def _values(written: Any) -> tuple[Any, ...]:
    if isinstance(written, list | tuple):
        return tuple(written)
    return tuple(part.strip() for part in str(written).split(",") if part.strip())


def read_words(words: Iterable[str]) -> dict[str, Any]:
    """``["scale=paper", "function=f3,f5"]`` as a mapping; values are YAML, as in Snakemake.

    Raises
    ------
    StudyError
        If a word is not ``key=value``.
    """
    config: dict[str, Any] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key:
            raise StudyError(f"--config {word}: expected key=value")
        config[key.strip()] = yaml.safe_load(value)
    return config
