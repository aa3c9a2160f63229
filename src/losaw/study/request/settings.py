"""Settings: the points of a study's grid, and selections of them."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from losaw.study.request.study_file import Scalar, as_values

Selection = Mapping[str, Sequence[Scalar]]


@dataclass(frozen=True)
class Setting:
    """One point of the grid: everything that decides the data, and the learner axes."""

    identifier: str  # readable slug and digest
    data_identifier: str  # the same without the learner axes: the random streams' axis
    axes: Mapping[str, Scalar]  # as in the study file
    parameters: Mapping[str, Any]  # of the generator: its axes and the fixed parameters

    def matches(self, selection: Selection) -> bool:
        """Return whether every selected axis, learners aside, has one of the selected values."""
        return matches({k: v for k, v in selection.items() if k != "learner"}, self.axes)


def same(value: Scalar, other: Any) -> bool:
    """Equality that lets ``1`` on a command line mean ``1.0`` in a study file."""
    return bool(plain(value) == plain(other))


def plain(value: Any) -> Any:
    """Numbers as floats, so that 1 and 1.0 are one key; everything else as text, True as true."""
    text = str(value)
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        number = float(value)
    except (TypeError, ValueError):
        return text
    # A name may be nan, and equals itself; what is missing in a table equals nothing.
    return text if isinstance(value, str) and math.isnan(number) else number


def as_own(written: Iterable[Any], own: Iterable[Scalar]) -> list[Any]:
    """Return values of a table as a study file writes them: 500.0 as 500, others as they are."""
    known = {plain(value): value for value in own}
    return [known.get(plain(value), value) for value in written]


def matches(where: Mapping[str, Any], cell: Mapping[str, Any]) -> bool:
    """Return whether a cell has one of the values that ``where`` names, for each of its keys."""
    return all(
        key in cell and any(same(cell[key], value) for value in as_values(values))
        for key, values in where.items()
    )


def short_digest(value: Any) -> str:
    """First eight hexadecimal digits of the SHA-256 of JSON with sorted keys and no blanks."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def safe_name(value: object) -> str:
    """Return a value as it may stand in the name of a file."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", str(value))


def short_name(name: str) -> str:
    """Return a name of a file or folder; a digest of a long one: file systems allow 255 bytes."""
    return name if len(name) <= 200 else short_digest(name)


def setting_identifier(generator: str, parameters: Mapping[str, Any], axes: list[str]) -> str:
    """Readable slug of the axes' values, then the digest of everything that decides the data."""
    slug = "_".join(safe_name(parameters[axis]) for axis in axes)
    digest = short_digest({"generator": generator, **parameters})
    return f"{slug or generator}-{digest}"
