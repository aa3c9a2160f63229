"""Byte code that is not of its source: Python would run it, and a version would name other code.

Python takes byte code for current if date and size of the source are those that it notes. A source
that was edited with its date kept (``cp -p``, ``rsync -t``) and has the same length runs as what it
was before, while its text, which decides the results version, is another.
"""

import hashlib
import importlib.util
import marshal
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from losaw.study.errors import StudyError
from losaw.study.source_digests import files
from losaw.study.source_digests.digest_cache import digest_folder
from losaw.support.whole_files import write_atomically

_HEADER = 16  # magic number, flags, date and size of the source


@cache
def check_bytecode() -> None:
    """Refuse to go on with byte code that is not of its source, and remove it.

    Raises
    ------
    StudyError
        Names the source; the same command then runs the right code.
    """
    stale = list(stale_bytecode())
    for _, compiled in stale:
        compiled.unlink(missing_ok=True)
    if stale:
        raise StudyError(
            f"{stale[0][0]}: was edited without a new date, so that Python ran its old byte code "
            f"({len(stale)} such files); it has been removed: run the same command again"
        )


def stale_bytecode() -> Iterator[tuple[Path, Path]]:
    """Yield source and byte code where Python takes the code, and the text gives other code.

    Pairs that were found to agree are noted by the digest of both, so that each is compiled once.
    """
    listing = digest_folder() / "bytecode.txt"
    try:
        known = set(listing.read_text(encoding="utf-8").split())
    except OSError:
        known = set()
    agreeing = []
    for name in files.own_files():
        source = files.PACKAGE / name
        compiled = Path(importlib.util.cache_from_source(str(source)))
        try:
            text, code, status = source.read_bytes(), compiled.read_bytes(), source.stat()
        except OSError:
            continue
        noted = code[4:_HEADER]
        now = [0, int(status.st_mtime), status.st_size]
        if noted != b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in now):
            continue  # Python compiles the source again, by itself
        digest = hashlib.sha256(code + text).hexdigest()
        if digest in known or _is_of(code, text, source):
            agreeing.append(digest)
        else:
            yield source, compiled
    if set(agreeing) - known:
        lines = "\n".join(agreeing)
        try:
            write_atomically(listing, lambda place: place.write_text(lines, encoding="utf-8"))
        except OSError:  # no room, or not ours: they are compiled again next time
            return


def _is_of(code: bytes, text: bytes, source: Path) -> bool:
    try:
        return bool(marshal.loads(code[_HEADER:]) == compile(text, str(source), "exec"))
    except (EOFError, ValueError, TypeError, SyntaxError):
        return True  # Python says what is wrong with it
