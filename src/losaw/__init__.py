"""losaw: feature importance that holds when features are correlated."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from losaw.forest import LosawRandomForestRegressor as LosawRandomForestRegressor
    from losaw.importance.result import ImportanceResult as ImportanceResult

__version__ = "0.1.0"

# Public name -> module. Imported on first use, so that `import losaw` costs nothing.
_PUBLIC = {
    "ImportanceResult": "losaw.importance.result",
    "LosawRandomForestRegressor": "losaw.forest",
}

__all__ = ["ImportanceResult", "LosawRandomForestRegressor", "__version__"]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'losaw' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
