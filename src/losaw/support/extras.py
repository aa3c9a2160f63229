"""Optional libraries: an import that fails says which extra brings what is missing."""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager

# What every command on a study imports; what only some of them need says so where it is imported.
STUDY = ("pyarrow", "pydantic", "yaml")
# What methods import when they are used, by the extra that brings it.
LIBRARIES = {"network": ("jax", "optax"), "xgboost": ("xgboost",)}


class MissingExtraError(ModuleNotFoundError):
    """A library that belongs to an extra of losaw is not installed; says how to install it.

    Parameters
    ----------
    library : str
        Name of the module that is missing.
    extra : str
        The extra that brings it.

    Examples
    --------
    >>> from losaw.support.extras import MissingExtraError
    >>> print(MissingExtraError("jax", "network"))
    'jax' is not installed; it comes with the extra 'network': pip install 'losaw[network]'
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(
            f"{library!r} is not installed; it comes with the extra {extra!r}: "
            f"pip install 'losaw[{extra}]'",
            name=library,
        )


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports of libraries that ``pip install 'losaw[name]'`` brings.

    Parameters
    ----------
    name : str
        An extra of pyproject.toml.

    Yields
    ------
    None
        Once, for the imports.

    Raises
    ------
    MissingExtraError
        If one of them is not installed: one line that names the library and the extra.

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
