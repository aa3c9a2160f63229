"""A faster start of blocks: what scikit-learn imports and a block hardly ever uses."""

import importlib.util
import sys
import types


class _Deferred(types.ModuleType):
    """A module that is there by name and is loaded at the first look into it."""

    def __getattr__(self, name: str) -> object:
        self.__class__ = types.ModuleType  # type: ignore[assignment]
        if self.__spec__ is None or self.__spec__.loader is None:
            raise ImportError(f"{self.__name__} cannot be loaded")
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def import_scikit_learn() -> None:
    """Import scikit-learn's base without pandas and scipy.stats, which take more than half of it.

    To scikit-learn, pandas is optional: it is told that there is none, which only matters to data
    frames, and blocks hold arrays. Whoever imports pandas afterwards gets it. ``scipy.stats`` is
    loaded at the first use of anything in it. (``importlib.util.LazyLoader`` does not do: a second
    import of the module looks at its ``__spec__``, which makes it load.)
    """
    if "sklearn" in sys.modules:
        return
    if "scipy.stats" not in sys.modules:
        _defer("scipy.stats")
    hidden = "pandas" not in sys.modules
    if hidden:
        sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        import sklearn.base  # noqa: F401
    finally:
        if hidden:
            del sys.modules["pandas"]


def _defer(name: str) -> None:
    spec = importlib.util.find_spec(name)
    if spec is None:
        return
    module = importlib.util.module_from_spec(spec)
    module.__class__ = _Deferred
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    setattr(sys.modules[parent], child, module)
