"""A digest of the sources that a registered thing runs: definition by definition, and no more.

What is reached from a function or class by the names that it mentions counts; what merely stands
in the same file does not. Where a definition stands, and the words of errors, warnings and
docstrings, decide no number and do not count: moving or renaming a module changes no digest.
"""

import hashlib
from dataclasses import dataclass

from losaw.study.source_digests.digest_cache import reading_of
from losaw.study.source_digests.files import PACKAGE, forget_texts, path_of, stamp_of
from losaw.study.source_digests.reading import ON_IMPORT, Target, target_of
from losaw.support.byte_code import check_byte_code

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


@dataclass(frozen=True)
class _Digest:
    """Digest of what a target reaches, the names of that, and the files that were read."""

    digest: str
    names: frozenset[str]
    files: tuple[tuple[str, object], ...]


_digests: dict[str, _Digest] = {}


def source_digest(target: str) -> str:
    """Digest of ``"module:attribute"`` and of all that it mentions; empty outside losaw."""
    return _digest(target).digest


def reached_names(target: str) -> frozenset[str]:
    """Names of the definitions that ``"module:attribute"`` reaches."""
    return _digest(target).names


def look_again() -> None:
    """Forget the digests of sources that have changed; a session looks once, when it begins."""
    check_byte_code(PACKAGE)
    read = {module for digest in _digests.values() for module, _ in digest.files}
    stamps = {module: stamp_of(module) for module in read}
    for target, known in list(_digests.items()):
        if any(stamps[module] != (module, stamp) for module, stamp in known.files):
            del _digests[target]
    forget_texts()


def _digest(target: str) -> _Digest:
    if target not in _digests:
        reached = _reached(target_of(target))
        parts = sorted((name, reading_of(module).definitions[name][0]) for module, name in reached)
        _digests[target] = _Digest(
            hashlib.sha256(repr(parts).encode()).hexdigest() if parts else "",
            frozenset(name for _, name in reached),
            tuple(stamp_of(module) for module in sorted({module for module, _ in reached})),
        )
    return _digests[target]


def _reached(start: Target) -> set[Target]:
    """Every definition that is mentioned by one that is mentioned by … ``start``."""
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
    if module in _OUTSIDE or path_of(module) is None:
        return []
    reading = reading_of(module)
    if name in reading.definitions:
        return [target]
    if name in reading.imports:
        return _resolve(reading.imports[name])
    if name and path_of(f"{module}.{name}") is not None:
        return _resolve((f"{module}.{name}", ""))
    return [(module, each) for each in reading.definitions]  # a name made in another way: all of it
