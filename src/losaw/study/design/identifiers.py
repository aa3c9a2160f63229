"""One spelling of a value, and short names made from it."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any


def canonical_json(value: Any) -> str:
    """Sorted keys, no blanks, shortest float spelling: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def short_digest(value: Any) -> str:
    """First eight hexadecimal digits of the SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:8]


def setting_identifier(generator: str, parameters: Mapping[str, Any], axes: list[str]) -> str:
    """Readable slug of the axes' values, then the digest of everything that decides the data."""
    slug = "_".join(re.sub(r"[^A-Za-z0-9.]+", "-", str(parameters[axis])) for axis in axes)
    digest = short_digest({"generator": generator, **parameters})
    return f"{slug or generator}-{digest}"
