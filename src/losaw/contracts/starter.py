"""Starter files for a user's own methods, from a template for each kind."""

import re
from pathlib import Path
from string import Template

from losaw.registry import KINDS, RegistryError
from losaw.registry.plugins import PluginError
from losaw.support.words import unknown

_TEMPLATES = Path(__file__).parent / "templates"


def template(kind: str, name: str = "my-method") -> str:
    """Return the text of a commented, working Python file that registers ``name`` as a ``kind``.

    Parameters
    ----------
    kind : {"learner", "importance", "generator", "metric", "drawing", "knockoff"}
    name : str, default "my-method"
        The registered name; the class is named after it.

    Raises
    ------
    RegistryError
        If the kind is unknown.
    """
    if kind not in KINDS:
        raise RegistryError(unknown("kind", kind, KINDS))
    text = (_TEMPLATES / f"{kind}.txt").read_text(encoding="utf-8")
    class_name = "".join(part.capitalize() for part in re.split(r"[^A-Za-z0-9]+", name))
    return Template(text).substitute(name=name, class_name=class_name)


def new_method(kind: str, path: Path | str) -> None:
    """Write a starter file, whose method is named after the file (my_method: my-method).

    Parameters
    ----------
    kind : str
        Kind of the thing: "importance", "learner", "generator", "metric", "drawing" or "knockoff".
    path : path
        The file to write, ``<name>.py``.

    Raises
    ------
    RegistryError
        If the kind is unknown.
    PluginError
        If the file exists, or its name is not that of a Python module.

    Examples
    --------
    >>> from pathlib import Path
    >>> from losaw.contracts import new_method
    >>> new_method("importance", "started_here.py")
    >>> Path("started_here.py").is_file()
    True
    """
    path = Path(path)
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise PluginError(f"{path}: name it like a Python module, for example my_method.py")
    text = template(kind, path.stem.strip("_").replace("_", "-"))
    if path.exists():
        raise PluginError(f"{path} exists; it was left as it is: choose another name")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise PluginError(f"{path} cannot be written: {error.strerror}") from None
