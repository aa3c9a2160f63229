"""Plugins: Python files that register a user's own methods."""

import importlib.util
import itertools
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from losaw.study.registry import Registration, RegistryError, decorated, entries, forget
from losaw.support.errors import LosawError

PREFIX = "losaw_plugin_"

REGISTERED: dict[str, tuple[Registration, ...]] = {}  # by the module of the plugin


class PluginError(LosawError):
    """An error: a plugin file is missing, has no usable name, or raises when it is loaded."""


def load_plugin(path: Path | str) -> ModuleType:
    """Import a plugin file as the module ``losaw_plugin_<stem>``; a second call does nothing.

    The module's name depends on the file's name only, so that its methods can be found again in
    every process that has loaded it.
    """
    path = Path(path).resolve()
    if not path.is_file():
        raise PluginError(
            f"plugin {path}: no such file (paths count from the folder in which the command runs)"
        )
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise PluginError(f"plugin {path}: name it like a Python module, for example my_method.py")
    name = PREFIX + path.stem
    loaded = sys.modules.get(name)
    if loaded is not None:
        if Path(str(loaded.__file__)) != path:
            raise PluginError(
                f"plugin {path}: a plugin of the same name is loaded from {loaded.__file__}; "
                "rename either of them"
            )
        return loaded
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # which a .py file has
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    known, n_before = {(entry.kind, entry.name) for entry in entries()}, len(decorated)
    try:
        spec.loader.exec_module(module)
        _check_own_names(n_before)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        forget(f"{name}:")
        message = f"plugin {path}: raised {type(error).__name__}: {error}{place_of(error)}"
        is_import = isinstance(error, ModuleNotFoundError)
        remedy = "; for a module of your own, name its folder in PYTHONPATH" * is_import
        raise PluginError(message + remedy) from error
    REGISTERED[name] = tuple(
        entry
        for entry in entries()
        if (entry.kind, entry.name) not in known or entry.target.startswith(f"{name}:")
    )
    return module


def _check_own_names(n_before: int) -> None:
    """Check that what a plugin registered is what its names mean: they are looked up in a job."""
    for entry, registered in decorated[n_before:]:
        module, _, name = entry.target.partition(":")
        if getattr(sys.modules.get(module), name, None) is not registered:
            raise RegistryError(
                f"{entry.kind} {entry.name!r}: its name {name!r} means another thing at the end of "
                "the file; give each a name of its own, and let @register stand above other "
                "decorators"
            )


def is_of_a_plugin(made: type | Callable[..., Any]) -> bool:
    """Return whether a class or function is of a plugin, or of a module that one registers from."""
    modules = {entry.target.partition(":")[0] for entry in itertools.chain(*REGISTERED.values())}
    return made.__module__.startswith(PREFIX) or made.__module__ in modules


def plugin_entries(path: Path | str) -> tuple[Registration, ...]:
    """Load a plugin file; return its registrations, sorted by kind and name."""
    return REGISTERED[load_plugin(path).__name__]


def place_of(error: BaseException) -> str:
    """``" (file.py:14)"``: the last line of a user's own file that was reached, if one was."""
    frames = [
        f" ({Path(frame.f_code.co_filename).name}:{line})"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__", "")).startswith(PREFIX)
    ]
    return frames[-1] if frames else ""
