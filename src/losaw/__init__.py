"""losaw: feature importance that holds when features are correlated."""

import importlib

TYPE_CHECKING = False  # typing itself would be half of what `import losaw` costs
if TYPE_CHECKING:
    from losaw.auditing import Audit as Audit
    from losaw.auditing import audit as audit
    from losaw.explaining.api import explain as explain
    from losaw.explaining.result import Explanation as Explanation
    from losaw.forest import LosawRandomForestClassifier as LosawRandomForestClassifier
    from losaw.forest import LosawRandomForestRegressor as LosawRandomForestRegressor
    from losaw.network import LosawMiniBatches as LosawMiniBatches
    from losaw.network import LosawNetworkRegressor as LosawNetworkRegressor
    from losaw.network import NetworkRegressor as NetworkRegressor
    from losaw.scoring.result import ImportanceResult as ImportanceResult
    from losaw.support.versions import show_versions as show_versions

__version__ = "0.1.0"

# Public name -> module. Imported on first use, so that `import losaw` costs nothing.
_PUBLIC = {
    "Audit": "losaw.auditing",
    "Explanation": "losaw.explaining.result",
    "ImportanceResult": "losaw.scoring.result",
    "LosawMiniBatches": "losaw.network",
    "LosawNetworkRegressor": "losaw.network",
    "LosawRandomForestClassifier": "losaw.forest",
    "LosawRandomForestRegressor": "losaw.forest",
    "NetworkRegressor": "losaw.network",
    "audit": "losaw.auditing",
    "explain": "losaw.explaining.api",
    "show_versions": "losaw.support.versions",
}

__all__ = [*_PUBLIC, "__version__"]


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'losaw' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
