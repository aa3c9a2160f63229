"""The parts of the repository that a wheel contains: the studies and their workflow.

In a checkout they are in its top folder; in an installed package, in its folder ``checkout``
(pyproject.toml puts them there).
"""

from pathlib import Path

CONFIGURATION = Path("config", "config.yaml")


def checkout() -> Path:
    """Return the folder of ``Snakefile``, ``config/``, ``profiles/`` and ``workflow/``.

    Examples
    --------
    >>> from losaw.support.checkout import checkout
    >>> (checkout() / "config" / "studies" / "losaw_forest.yaml").is_file()
    True
    """
    packaged = Path(__file__).parents[1] / "checkout"
    return packaged if packaged.is_dir() else Path(__file__).parents[3]


def default_configuration() -> Path:
    """Return ``config/config.yaml`` of the current folder, or else that of losaw."""
    return CONFIGURATION if CONFIGURATION.is_file() else checkout() / CONFIGURATION
