"""The exception of the study engine."""

from collections.abc import Mapping
from typing import TypeVar

from losaw.support.errors import LosawError
from losaw.support.words import unknown

Part = TypeVar("Part")
# What a method of a user raises is its failure; sys.exit() would end the job with no word on it.
FAILURES = (Exception, SystemExit)


class StudyError(LosawError):
    """A mistake that the user can fix; it names the file, key and value, and the remedy."""


def part_of(what: str, name: str, parts: Mapping[str, Part], place: str = "") -> Part:
    """Return a part by its name; a StudyError says which names there are, and the nearest."""
    if name not in parts:
        raise StudyError(f"{place}{unknown(what, name, parts)}")
    return parts[name]


class OptionError(ValueError):
    """An option that a drawing cannot use with the settings or results of a study."""
