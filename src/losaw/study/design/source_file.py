"""YAML that knows its line numbers, for errors that point at them."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from losaw.study.errors import StudyError

Location = tuple[str | int, ...]

MOST_VALUES, DEEPEST = 50_000, 40


class _Loader(yaml.CSafeLoader):
    """A YAML loader that reads a date as text, as JSON does."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_NUMBERS = _Loader("")
KINDS = ("map", "seq", "str", "int", "float", "bool", "null")


class SourceFile:
    """A YAML file with the line of every key, for errors that point at it.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    StudyError
        If the file is missing, is not YAML, or is not a mapping.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise StudyError(f"{path}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise StudyError(f"{path}:{line}: not UTF-8 text; save the file as UTF-8") from None
        try:
            node = yaml.compose(text, Loader=_Loader)
            self.data: Any = yaml.load(text, Loader=_Loader)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise StudyError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
        if node is None or not isinstance(self.data, dict):
            raise StudyError(f"{path}: expected a mapping of keys to values")
        self._overridden: set[str] = set()
        self._lines: dict[Location, int] = {}
        self._read_lines(node, ())

    def _read_lines(self, node: yaml.Node, location: Location) -> None:
        # Aliases of aliases would make millions of values, one of itself no end.
        if len(self._lines) > MOST_VALUES or len(location) > DEEPEST:
            raise StudyError(
                f"{self.path}: more than {MOST_VALUES} values, or more than {DEEPEST} inside each "
                "other; do aliases refer to aliases, or to themselves?"
            )
        self._lines.setdefault(location, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                below = (*location, key.value)
                self._lines[below] = key.start_mark.line + 1
                self._read_lines(value, below)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                self._read_lines(value, (*location, index))
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        if kind not in KINDS:
            raise self.error(location, f"has the tag {node.tag}; write it without one")
        if kind == "float" and not math.isfinite(_NUMBERS.construct_yaml_float(node)):
            raise self.error(location, f"{node.value} is not allowed; write a finite number")

    def override(self, values: Mapping[str, Any]) -> None:
        """Put the command line's values in the place of the file's."""
        self.data = {**self.data, **values}
        self._overridden = set(values)

    def location(self, parts: Sequence[str | int]) -> Location:
        """Return the parts that the file or the command line has: a validator adds its own."""
        known: Location = ()
        for part in parts:
            if (*known, part) in self._lines or part in self._overridden:
                known = (*known, part)
        return known

    def error(self, location: Location, message: str) -> StudyError:
        """``file:line: key.path: message`` for the deepest part of ``location`` in the file.

        A key that the command line has given is named without file and line.
        """
        if location and location[0] in self._overridden:
            return StudyError(f"{location[0]}: {message}")
        known = location
        while known not in self._lines:
            known = known[:-1]
        key = ".".join(str(part) for part in location) + ": " if location else ""
        return StudyError(f"{self.path}:{self._lines[known]}: {key}{message}")
