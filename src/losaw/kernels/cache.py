"""A test of whether this machine has compiled the loops already."""

import os
from pathlib import Path


def is_compiled() -> bool:
    """Return whether numba's cache, here or in its own folder, contains any of our loops."""
    folders = [Path(__file__).parents[1]]
    if os.environ.get("NUMBA_CACHE_DIR"):
        folders = [Path(os.environ["NUMBA_CACHE_DIR"])]
    elif not os.access(folders[0], os.W_OK):
        folders = [Path.home() / ".cache" / "numba"]
    return any(next(folder.rglob("*.nbi"), None) for folder in folders)
