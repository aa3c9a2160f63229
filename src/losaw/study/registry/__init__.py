"""Registered names, imported on first use.

A name is bound to ``"module:attribute"`` and to default parameters. Nothing is imported
before its first use, so that a forest block never loads a neural-network library.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from losaw.study.registry.catalogue import BUILT_IN, USES
from losaw.support.errors import LosawError
from losaw.support.words import did_you_mean, unknown

KINDS = ("learner", "importance", "estimator", "generator", "metric", "drawing", "knockoff")
# Kind of a function of a user -> its method in a study, and how many arguments a study gives it.
_FUNCTIONS = {"generator": ("sample", 1), "estimator": ("estimate", 2)}
_ADAPTED = ("losaw.importance.", "losaw.study.importances.")  # modules of functions for studies

Registered = TypeVar("Registered", bound=Callable[..., Any])


class RegistryError(LosawError):
    """An error: a name is unknown, or taken."""


@dataclass(frozen=True)
class Registration:
    """A registered name: its target, ``"module:attribute"``, and the parameters it implies."""

    kind: str
    name: str
    target: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Any:
        """Return the registered class or function; functions in the adapter for studies."""
        module, _, attribute = self.target.partition(":")
        thing = getattr(importlib.import_module(module), attribute)
        if self.kind in _FUNCTIONS and inspect.isfunction(thing):
            return _class_of(thing, *_FUNCTIONS[self.kind])
        # Functions of (model, X, y); a class of a plugin has explain(model, data, rng) itself.
        if not module.startswith(_ADAPTED):
            return thing
        from losaw.study.registry.importances import InStudies

        return InStudies(thing, USES[attribute])

    def create(self, **parameters: Any) -> Any:
        """Create an instance, with ``parameters`` overriding the registered defaults."""
        return self.load()(**{**self.parameters, **parameters})

    def accepted_parameters(self) -> list[str]:
        """Return the names that :meth:`create` accepts, in order."""
        parameters = inspect.signature(self.load()).parameters.values()
        if self.kind == "learner" and any(one.kind is one.VAR_KEYWORD for one in parameters):
            return list(self.create().get_params())  # xgboost's hand theirs on
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return [parameter.name for parameter in parameters if parameter.kind in named]


def _class_of(function: Callable[..., Any], method: str, n_given: int) -> type:
    """Return the class that a user writes as a function ``draw(rng, **parameters)``."""
    parameters = list(inspect.signature(function).parameters.values())
    signature = inspect.Signature(parameters[n_given:])

    def keep(self: Any, **parameters: Any) -> None:
        signature.bind(**parameters)  # a TypeError names one that is missing or not known
        self.parameters = parameters

    return type(
        function.__name__,
        (),
        {
            "__init__": keep,
            method: lambda self, *given: function(*given, **self.parameters),
            "__signature__": signature,
            "__doc__": function.__doc__,
            "__module__": function.__module__,
            "examples": getattr(function, "examples", ({},)),
        },
    )


_entries: dict[tuple[str, str], Registration] = {}
# What the decorator has registered, in order, with the class or function that it was given.
decorated: list[tuple[Registration, Any]] = []


def add(kind: str, name: str, target: str, **parameters: Any) -> Registration:
    """Bind ``name`` to ``"module:attribute"``; refuse a name that is taken."""
    if kind not in KINDS:
        raise RegistryError(unknown("kind", kind, KINDS))
    if not (isinstance(name, str) and name.strip()):
        raise RegistryError(f"{kind}: a name must be a text, got {name!r}")
    function = target.partition(":")[2]
    if target.startswith(_ADAPTED) and function not in USES:
        raise RegistryError(
            f"{kind} {name!r}: studies have no use of losaw's {function}; register a class of your "
            "own with explain(model, data, rng), which may call it"
        )
    entry = Registration(kind, name, target, parameters)
    other = _entries.get((kind, name), entry)
    if other != entry:
        raise RegistryError(f"{kind} {name!r} is taken by {other.target}; choose another name")
    _entries[kind, name] = entry
    return entry


def forget(target: str) -> None:
    """Forget every name whose target begins with ``target``: a plugin's, before it is reloaded."""
    for key in [key for key, entry in _entries.items() if entry.target.startswith(target)]:
        del _entries[key]
    decorated[:] = [pair for pair in decorated if not pair[0].target.startswith(target)]


def register(kind: str, name: str, **parameters: Any) -> Callable[[Registered], Registered]:
    """Return a decorator that registers a class: methods of users (``examples/``).

    Parameters
    ----------
    kind : {"learner", "importance", "estimator", "generator", "metric", "drawing", "knockoff"}
    name : str
        Name in study files.
    **parameters
        Parameters that it is called with under this name.

    Examples
    --------
    >>> from losaw.study.registry import register
    >>> @register("learner", "example-mean")  # doctest: +SKIP
    ... class Mean: ...
    """

    def decorate(registered: Registered) -> Registered:
        target = getattr(registered, "__qualname__", "")
        if not target.isidentifier():  # of a function in a function, a lambda, a partial
            raise RegistryError(
                f"{kind} {name!r}: {target or type(registered).__name__!r} is not found by its "
                "name; register a function or class that stands at the top of its file"
            )
        entry = add(kind, name, f"{registered.__module__}:{target}", **parameters)
        decorated.append((entry, registered))
        return registered

    return decorate


def get(kind: str, name: str) -> Registration:
    """Return the entry of a name; a RegistryError says which known one is nearest to another.

    A learner may have the import path of any estimator: ``"sklearn.svm.SVR"``.

    Examples
    --------
    >>> from losaw.study.registry import get
    >>> get("importance", "cpi-sequential").parameters
    {'sampler': 'sequential'}
    """
    if kind == "learner" and "." in name and (kind, name) not in _entries:
        return _imported(name)
    if (kind, name) not in _entries:
        known = names(kind)
        raise RegistryError(
            f"{kind} {name!r} is not registered{did_you_mean(name, known)} "
            f"(registered: {', '.join(known) or 'none'}; your own: name its file under "
            "'plugins:' of the configuration, or --config plugins=FILE)"
        )
    return _entries[kind, name]


def _imported(path: str) -> Registration:
    """Return the entry of an estimator's import path."""
    module, _, attribute = path.rpartition(".")
    try:
        inside = vars(importlib.import_module(module))
    except (Exception, SystemExit) as error:  # whatever a module raises when it is loaded
        words = f"{error}" if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        raise RegistryError(f"learner {path!r}: {module!r} cannot be imported: {words}") from error
    estimators = [name for name, thing in inside.items() if _is_estimator(thing)]
    if attribute not in estimators:
        raise RegistryError(f"learner {path!r}: {unknown('estimator', attribute, estimators)}")
    return Registration("learner", path, f"{module}:{attribute}")


def _is_estimator(thing: Any) -> bool:
    needed = ("fit", "predict", "get_params", "set_params")
    return inspect.isclass(thing) and all(hasattr(thing, name) for name in needed)


def names(kind: str) -> tuple[str, ...]:
    """Return all registered names of a kind (:data:`KINDS`), sorted.

    Examples
    --------
    >>> from losaw.study.registry import names
    >>> "sequential" in names("knockoff")
    True
    """
    return tuple(entry.name for entry in entries(kind))


def entries(kind: str | None = None) -> tuple[Registration, ...]:
    """Return all entries, or those of a kind, sorted by kind and name.

    Examples
    --------
    >>> from losaw.study.registry import entries
    >>> {entry.kind for entry in entries("metric")}
    {'metric'}
    """
    return tuple(_entries[key] for key in sorted(_entries) if kind in (None, key[0]))


for _kind, _name, _target, _parameters in BUILT_IN:
    add(_kind, _name, _target, **_parameters)
