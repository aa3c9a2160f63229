"""A YAML file, and errors that name its keys."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from losaw.study.errors import StudyError

Location = tuple[str | int, ...]


class _Loader(yaml.CSafeLoader):
    """A YAML loader that reads a date as text, as JSON does."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


class SourceFile:
    """A YAML file that holds a mapping.

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
            self.data: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
        except OSError as error:
            raise StudyError(f"{path}: cannot be read: {error.strerror}") from None
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise StudyError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
        if not isinstance(self.data, dict):
            raise StudyError(f"{path}: expected a mapping of keys to values")
        try:
            json.dumps(self.data, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise StudyError(
                f"{path}: holds a value that is not finite, or has a tag: {error}"
            ) from None
        self._overridden: set[str] = set()

    def override(self, values: Mapping[str, Any]) -> None:
        """Put the command line's values in the place of the file's."""
        self.data = {**self.data, **values}
        self._overridden = set(values)

    def error(self, location: Location, message: str) -> StudyError:
        """``file: key.path: message``; a key that the command line has given has no file."""
        place = "" if location and location[0] in self._overridden else f"{self.path}: "
        key = ".".join(str(part) for part in location) + ": " if location else ""
        return StudyError(f"{place}{key}{message}")
