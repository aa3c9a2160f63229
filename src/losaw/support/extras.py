"""Optional libraries: an import that fails names the extra with the missing library."""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager

# Libraries that every command on a study imports; others are checked at their import.
STUDY = ("psutil", "pyarrow", "pydantic", "yaml")
# Libraries that methods import when they are used, by their extra.
LIBRARIES = {"network": ("jax", "optax"), "trends": ("shap",), "xgboost": ("xgboost",)}


class MissingExtraError(ModuleNotFoundError):
    """An error: a library of an extra of losaw is missing; the message says how to install it.

    Examples
    --------
    >>> from losaw.support.extras import MissingExtraError
    >>> print(MissingExtraError("jax", "gpu"))
    'jax' is not installed; it comes with the extra 'gpu': pip install '.[gpu]' in losaw's folder
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(
            f"{library!r} is not installed; it comes with the extra {extra!r}: "
            f"pip install '.[{extra}]' in losaw's folder",
            name=library,
        )


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Run imports of libraries that ``pip install '.[name]'`` brings.

    ``name`` is an extra of pyproject.toml. A library that is not installed raises a
    :class:`MissingExtraError`.

    Examples
    --------
    >>> from losaw.support.extras import MissingExtraError, extra
    >>> try:
    ...     with extra("plot"):
    ...         import a_library_that_draws
    ... except MissingExtraError as error:
    ...     print(str(error).partition(";")[0])
    'a_library_that_draws' is not installed
    """
    try:
        yield
    except MissingExtraError:
        raise
    except ModuleNotFoundError as error:
        raise MissingExtraError((error.name or "?").partition(".")[0], name) from None


def require(name: str, libraries: tuple[str, ...]) -> None:
    """Raise a MissingExtraError if a library is absent, without importing any."""
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            raise MissingExtraError(library, name)
