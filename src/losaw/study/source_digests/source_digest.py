"""A digest of the definitions that a registered thing runs, and of no others.

What is reached from a function or class by the names that it mentions counts; what merely stands
in the same file does not. Where a definition stands, and the words of errors, warnings and
docstrings, decide no number and do not count: moving or renaming a module changes no digest.

All digests of one state of the package are stored in one file for the next process, because it
takes longer to read the sources than to start.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from losaw.registry import Entry, entries
from losaw.registry.catalogue import ADAPTER
from losaw.registry.plugins import PREFIX
from losaw.study.errors import StudyError
from losaw.study.source_digests import module_source
from losaw.study.source_digests.module_source import ON_IMPORT, Target, reading_of, target_of
from losaw.support.byte_code import check_byte_code
from losaw.support.whole_files import write_atomically

# How errors spell, and names of what is digested itself, decide no number.
_OUTSIDE = frozenset(
    {
        "losaw",
        "losaw.support.words",
        "losaw.registry",
        "losaw.registry.catalogue",
        "losaw.registry.plugins",
    }
)
_SAMPLERS = "make_sampler"

# What every study runs in addition to registered names: a replicate, and the functions that write.
ENGINE = "losaw.study.running.replicate:run_replicate"
WRITERS = (
    "losaw.study.results.outputs:write_outputs",
    "losaw.report.tables:write_tables",
    "losaw.report.figures:write_figures",
    "losaw.report.page.write:write_pages",
)

# Digest of what a target reaches, and whether it reaches the choice of a knockoff sampler.
Digest = tuple[str, bool]


def source_digest(target: str) -> str:
    """Digest of ``"module:attribute"`` and of all that it mentions; empty outside losaw."""
    return _digest(target)[0]


def chooses_sampler(target: str) -> bool:
    """Return whether ``"module:attribute"`` makes a knockoff sampler by its name."""
    return _digest(target)[1]


def accepted_parameters(entry: Entry) -> dict[str, bool]:
    """Return what an entry accepts, as it says; of ours this is stored, and nothing imported."""
    if not entry.target.startswith(("losaw.", "sklearn.")):
        return entry.accepted_parameters()
    stored = _stored(module_source.state())
    key = f"{entry.target}/{importlib.metadata.version('scikit-learn')}"
    if key not in stored:
        stored[key] = tuple(entry.accepted_parameters().items())
        _store(stored)
    return dict(stored[key])


def look_again() -> None:
    """Read the sources again when a digest is next asked for; a session does so when it begins.

    Raises
    ------
    StudyError
        If Python has run byte code of another source.
    """
    try:
        check_byte_code(module_source.PACKAGE)
    except RuntimeError as error:
        raise StudyError(str(error)) from None
    module_source.forget_sources()


def store_all() -> None:
    """Store the digests of all registered names, so that no later process reads the sources."""
    _store_digests([ENGINE, ADAPTER, *WRITERS, *(entry.target for entry in entries())])


def _store_digests(targets: Iterable[str]) -> None:
    digests = _stored(module_source.state())
    missing = [target for target in targets if _key(target) not in digests]
    digests.update({_key(target): _computed(target) for target in missing})
    if missing:
        _store(digests)


def _digest(target: str) -> Digest:
    _store_digests([target])
    found: Digest = _stored(module_source.state())[_key(target)]
    return found


def _key(target: str) -> str:
    return f"{target} {module_source.plugins_state()}" if target.startswith(PREFIX) else target


def _computed(target: str) -> Digest:
    reached = _reached(target_of(target))
    parts = sorted((name, reading_of(module).definitions[name][0]) for module, name in reached)
    return _sha256(repr(parts)) if parts else "", _SAMPLERS in {name for _, name in reached}


@functools.lru_cache(maxsize=1)
def _stored(state: str) -> dict[str, Any]:
    """Digests and names of parameters that are stored for this state, if undamaged."""
    try:
        written = json.loads(digest_file().read_text(encoding="utf-8"))
        if written["state"] == state and written["sha256"] == _sha256(written["digests"]):
            return {key: tuple(value) for key, value in json.loads(written["digests"])}
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {}


def _store(digests: dict[str, Any]) -> None:
    # A plugin's digests are stored for its last source only.
    last = module_source.plugins_state()
    text = json.dumps([item for item in digests.items() if item[0].partition(" ")[2] in ("", last)])
    written = json.dumps({"state": module_source.state(), "sha256": _sha256(text), "digests": text})
    with contextlib.suppress(OSError):  # no room, or not ours: computed again next time
        write_atomically(digest_file(), lambda place: place.write_text(written, encoding="utf-8"))


def digest_file() -> Path:
    """Return the file of the digests: next to the package, or at home."""
    package = module_source.PACKAGE
    folder = package / "__pycache__"
    if not os.access(package, os.W_OK):
        folder = Path.home() / ".cache" / "losaw"
    return folder / "source_digests.json"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _reached(start: Target) -> set[Target]:
    """Return every definition that ``start`` mentions, directly or through others."""
    reached: set[Target] = set()
    waiting = [start]
    while waiting:
        for definition in _resolve(waiting.pop()):
            if definition not in reached:
                reached.add(definition)
                module, name = definition
                waiting += reading_of(module).definitions[name][1]
                if ON_IMPORT in reading_of(module).definitions:
                    waiting.append((module, ON_IMPORT))
    return reached


def _resolve(target: Target) -> list[Target]:
    """The definitions that a mentioned name stands for, through re-exports."""
    module, name = target
    if module in _OUTSIDE or not module_source.is_known(module):
        return []
    source = reading_of(module)
    if name in source.definitions:
        return [target]
    if name in source.imports:
        return _resolve(source.imports[name])
    if name and module_source.is_known(f"{module}.{name}"):
        return _resolve((f"{module}.{name}", ""))
    return [(module, each) for each in source.definitions]  # a name made in another way: all of it
