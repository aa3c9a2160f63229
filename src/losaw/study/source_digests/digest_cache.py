"""Digests of the sources, stored between processes: reading all sources takes longer than to start.

A reading is stored next to the package, as byte code is, with a digest of all that decides it: the
text, the names of our other modules, the code that reads and the version of Python. Another text,
or a damaged file, is read anew.
"""

import contextlib
import hashlib
import json
import os
import sys
from functools import cache, lru_cache
from pathlib import Path

from losaw.registry.plugins import PREFIX
from losaw.study.source_digests import files, reading
from losaw.study.source_digests.files import text_of
from losaw.study.source_digests.reading import Reading, parse
from losaw.support.whole_files import write_atomically


def reading_of(module: str) -> Reading:
    """Return the source of a module, as it is now."""
    return _read(module, text_of(module))


def read_all() -> None:
    """Read all of our modules, so that no later process has to."""
    for file in files.own_files():
        parts = Path(file).with_suffix("").parts
        reading_of(".".join(("losaw", *(part for part in parts if part != "__init__"))))


@lru_cache(maxsize=1024)
def _read(module: str, text: str) -> Reading:
    if module.startswith(PREFIX):
        return parse(module, text)
    path = digest_folder() / f"{module}.json"
    decided_by = _digest(module, text, _surroundings())
    known = _kept(path, decided_by)
    if known is not None:
        return known
    read = parse(module, text)
    with contextlib.suppress(OSError):  # no room, or not ours: it is read again next time
        _keep(path, decided_by, read)
    return read


def _kept(path: Path, decided_by: str) -> Reading | None:
    """The reading that a file holds, if it is of the same text and undamaged."""
    try:
        head, _, content = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    if head != _digest(decided_by, content):
        return None
    definitions, imports = json.loads(content)
    return Reading(
        {
            name: (digest, tuple((module, attribute) for module, attribute in mentioned))
            for name, (digest, mentioned) in definitions.items()
        },
        {name: (module, attribute) for name, (module, attribute) in imports.items()},
    )


def _keep(path: Path, decided_by: str, read: Reading) -> None:
    content = json.dumps([read.definitions, read.imports])
    text = f"{_digest(decided_by, content)}\n{content}"
    write_atomically(path, lambda place: place.write_text(text, encoding="utf-8"))


def _surroundings() -> str:
    """All that decides how a text is read, apart from the text."""
    return _digest(sys.version, _code(), *files.own_files())


@cache
def _code() -> str:
    sources = (__file__, reading.__file__, files.__file__)
    return "".join(Path(str(source)).read_text(encoding="utf-8") for source in sources)


def _digest(*texts: str) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def digest_folder() -> Path:
    """Return the folder of digests between processes: next to the package, or at home."""
    package = files.PACKAGE
    if os.access(package, os.W_OK):
        return package / "__pycache__" / "readings"
    return Path.home() / ".cache" / "losaw" / "readings"
