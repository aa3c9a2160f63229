"""How Snakemake was called, and the request behind it."""

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from losaw.study.design.request import Request, read_selection
from losaw.study.design.schema import Configuration
from losaw.study.design.session import LEARNER_AXIS, Session
from losaw.study.design.source_file import SourceFile
from losaw.study.errors import StudyError
from losaw.support.words import unknown


def is_dry_run(arguments: Sequence[str]) -> bool:
    """Return whether Snakemake was called for a dry run (-n, --dry-run, or -np and so on)."""
    return any(re.fullmatch(r"--dry-?run|-[a-zA-Z]*n[a-zA-Z]*", word) for word in arguments)


def forced(arguments: Sequence[str]) -> set[str] | None:
    """Return what Snakemake was called to run again: rules and files; None for everything.

    These are the names after ``-R``, and with ``-f`` every word, which may be a target.
    """
    if any(re.fullmatch(r"--forceall|-[a-zA-Z]*F[a-zA-Z]*", word) for word in arguments):
        return None
    if any(re.fullmatch(r"--force|-[a-zA-Z]*f[a-zA-Z]*", word) for word in arguments):
        return set(arguments)
    names: set[str] = set()
    for index, word in enumerate(arguments):
        if word in ("-R", "--forcerun"):
            names |= set(
                itertools.takewhile(lambda w: not w.startswith("-"), arguments[index + 1 :])
            )
    return names


def request_from_workflow(config: Mapping[str, Any], file: Path) -> Request:
    """The request behind ``snakemake --config key=value …``.

    A key may be one of the configuration file, ``seeds``, an axis of a study, or ``learner``.

    Raises
    ------
    StudyError
        For any other key, with the nearest match.
    """
    written = SourceFile(file).data
    asked = {key: value for key, value in config.items() if written.get(key) != value}
    overrides = {key: value for key, value in asked.items() if key in Configuration.model_fields}
    for key in ("studies", "plugins"):
        if isinstance(overrides.get(key), str):
            overrides[key] = overrides[key].split(",")
    rest = {key: value for key, value in asked.items() if key not in overrides}
    seeds = rest.pop("seeds", None)
    if seeds is not None and (not isinstance(seeds, int) or isinstance(seeds, bool)):
        raise StudyError(f"seeds: {seeds!r} is not allowed; ask for a whole number, 1 or more")
    if rest:
        session = Session(Request(file, overrides), trusted=True)
        axes = {LEARNER_AXIS, *(axis for study in session.studies for axis in study.axes)}
        known = sorted({*Configuration.model_fields, "seeds", *axes})
        for key in rest:
            if key not in axes:
                raise StudyError(f"--config {key}: {unknown('key', key, known)}")
    return Request(
        file, overrides, read_selection(f"{key}={value}" for key, value in rest.items()), seeds
    )
