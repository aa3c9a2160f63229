"""Contracts: checks of everything that can be registered.

The package's own tests run them on every registered name, ``losaw check my_method.py`` on what a
user's file registers.

Two optional class attributes steer them. ``examples``, a tuple of parameter dicts, gives the
parameters to check; without it the registered defaults are checked, so that a parameter without a
default needs it. ``example_learner``, the registered name of a learner, is explained by an
importance; without it a random forest.
"""

import importlib
from pathlib import Path

from losaw.contracts.outcome import Check, Outcome, Watch, run_checks
from losaw.contracts.project import new_study as new_study
from losaw.contracts.starter import new_method as new_method
from losaw.contracts.starter import template as template
from losaw.registry import Entry
from losaw.registry.plugins import PluginError, plugin_entries


def checks_of(kind: str) -> tuple[Check, ...]:
    """Return the checks of a kind of registered thing; its module has the kind's name."""
    checks: tuple[Check, ...] = importlib.import_module(f"losaw.contracts.{kind}").CHECKS
    return checks


def check_entry(entry: Entry) -> list[Outcome]:
    """Run all checks of a registered thing, for all its examples.

    Parameters
    ----------
    entry : Entry
        As :func:`losaw.registry.get` gives it.

    Returns
    -------
    list of Outcome
        An outcome for each check; ``message`` is empty if it passed.

    Examples
    --------
    >>> from losaw.contracts import check_entry
    >>> from losaw.registry import get
    >>> any(outcome.message for outcome in check_entry(get("metric", "pr_auc")))
    False
    """
    return run_checks(entry, checks_of(entry.kind))


def check_file(path: Path | str, watch: Watch | None = None) -> list[Outcome]:
    """Run all checks of everything that a plugin file registers.

    Parameters
    ----------
    path : path
        A Python file, loaded as a study's ``plugins`` are.
    watch : callable or None
        ``watch(name, check)``: a context around every check, see
        :func:`losaw.contracts.outcome.run_checks`.

    Returns
    -------
    list of Outcome
        As of :func:`check_entry`, for every registered name in order.

    Raises
    ------
    PluginError
        If the file cannot be loaded, or registers nothing.

    Examples
    --------
    >>> from losaw.contracts import check_file, new_method
    >>> new_method("metric", "checked_here.py")
    >>> [outcome.message for outcome in check_file("checked_here.py") if outcome.message]
    []
    """
    entries = plugin_entries(path)
    if not entries:
        raise PluginError(
            f"plugin {path}: it registers nothing; put @register(kind, name) from losaw.registry "
            "above your class, or start from `losaw new KIND FILE`"
        )
    if watch is None:
        return [outcome for entry in entries for outcome in check_entry(entry)]
    return [o for entry in entries for o in run_checks(entry, checks_of(entry.kind), watch)]
