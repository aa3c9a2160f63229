"""Byte code that is checked by the content of its source, not by its date and size.

Python runs stored byte code if the source has the date and the size that the byte code notes. After
an edit that keeps both (``cp -p``, ``rsync -t``) the old code would run under the new version.
``make install`` stores byte code with a hash of its source, which Python compares at every import,
and so stores it again after every edit.
"""

import importlib.util
import marshal
import os
import py_compile
import struct
from pathlib import Path

_HEADER = 16  # bytes before the code: magic number, kind, then date and size or a hash


def check_byte_code(package: Path) -> None:
    """Compare byte code that is checked by date with its source, and have it checked by content.

    Such byte code is that of modules that were added since ``make install``. It is compared once:
    afterwards it is checked by content too. In a read-only package nothing is done, since no
    user can have edited it.

    Raises
    ------
    RuntimeError
        If byte code is not that of its source: this process may run it.
    """
    if not os.access(package, os.W_OK):
        return
    for source in package.rglob("*.py"):
        stored = Path(importlib.util.cache_from_source(str(source)))
        if not _is_used_by_date(source, stored):
            continue
        code = compile(source.read_bytes(), str(source), "exec", dont_inherit=True)
        is_stale = marshal.loads(stored.read_bytes()[_HEADER:]) != code
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        py_compile.compile(str(source), str(stored), doraise=True, invalidation_mode=mode)
        if is_stale:
            raise RuntimeError(
                f"{source}: edited, but with the date and size of before, so that Python ran its "
                "old byte code; this is corrected, run the same command again"
            )


def _is_used_by_date(source: Path, stored: Path) -> bool:
    """Return whether Python would run stored byte code because of its source's date and size."""
    try:
        with stored.open("rb") as file:
            header = file.read(_HEADER)
    except OSError:
        return False
    of = source.stat()
    date_and_size = (int(of.st_mtime) & 0xFFFFFFFF, of.st_size & 0xFFFFFFFF)
    return header == importlib.util.MAGIC_NUMBER + struct.pack("<3I", 0, *date_and_size)
