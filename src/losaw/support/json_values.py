"""Values as JSON has them: numbers, text, lists and objects."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def json_value(value: Any) -> Any:
    """Convert numpy's numbers and arrays to plain values; non-finite numbers become None."""
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return json_value(value.tolist())
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
