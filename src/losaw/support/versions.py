"""The versions of the libraries that results depend on."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

_LIBRARIES = """
    losaw numpy scipy scikit-learn numba pandas pyarrow cvxpy xgboost shap jax matplotlib snakemake
"""


def show_versions() -> None:
    """Print the versions of Python, of the machine's system and of the libraries, for a report.

    Examples
    --------
    >>> import losaw
    >>> losaw.show_versions()  # doctest: +ELLIPSIS
    Python: 3...
    """
    print(f"Python: {sys.version.split()[0]}")
    print(f"system: {platform.platform()}")
    for name in _LIBRARIES.split():
        try:
            print(f"{name}: {version(name)}")
        except PackageNotFoundError:
            print(f"{name}: not installed")
