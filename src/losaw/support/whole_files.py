"""Files that are whole or absent: written under a temporary name, synced, renamed."""

import contextlib
import errno
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

TEMPORARY = ".unfinished"


def write_atomically(
    path: Path,
    write: Callable[[Path], object],
    error: type[Exception] = OSError,
    advice: str = "free space or choose another folder",
) -> None:
    """Let ``write`` fill a temporary file in the same folder, then rename it to ``path``.

    The temporary name contains host and process, so that two processes that write the same file do
    not collide, and never ends in the suffix that readers look for. Temporary files of killed
    processes of this host are removed. The folder is created if necessary; a file that cannot be
    written raises an ``error`` that ends with ``advice``.
    """
    temporary = _temporary(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f"{path.name}.{platform.node()}.*{TEMPORARY}"):
            if not is_running(left.name.split(".")[-2]):
                left.unlink(missing_ok=True)
        write(temporary)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as problem:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if not isinstance(problem, OSError):
            raise
        raise error(f"{path}: cannot be written: {problem.strerror or problem}; {advice}") from None


def write_together(
    files: Sequence[tuple[Path, Callable[[Path], object]]],
    error: type[Exception] = OSError,
    advice: str = "free space or choose another folder",
) -> None:
    """Write several files that belong together as :func:`write_atomically` does.

    All temporary files are written before the first of them takes its place, so that a ``write``
    that fails leaves every place as it was.
    """
    if not files:
        return
    (path, write), *others = files

    def write_all(temporary: Path) -> None:
        write(temporary)
        write_together(others, error, advice)

    write_atomically(path, write_all, error, advice)


def check_place(path: Path) -> None:
    """Raise an OSError where :func:`write_atomically` could not write."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    temporary = _temporary(path)
    try:
        temporary.touch()
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    temporary.unlink()


def _temporary(path: Path) -> Path:
    return path.with_name(f"{path.name}.{platform.node()}.{os.getpid()}{TEMPORARY}")


def is_running(pid: int | str) -> bool:
    """Return whether this host has a process of that number, of any user."""
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except OSError:
        return True
    return int(pid) > 0
