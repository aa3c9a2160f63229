"""The one result object that every importance method returns."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.data import FloatArray
from losaw.extras import extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class ImportanceResult:
    """Scores of all features, with what is known of their error.

    Attributes
    ----------
    scores : array of shape (n_features,)
        The raw scores, never renormalised.
    feature_names : tuple of str
    std_error : array of shape (n_features,) or None
    std_error_kind : str or None
        What the standard error measures, for example ``"over test rows"``.
    p_values : array of shape (n_features,) or None
    higher_is_more : bool, default True
        Whether a larger score means a more important feature.
    details : dict
        Method-specific extras, documented by the method.

    Raises
    ------
    ValueError
        If lengths differ, or a standard error comes without its kind.
    """

    scores: FloatArray
    feature_names: tuple[str, ...]
    std_error: FloatArray | None = None
    std_error_kind: str | None = None
    p_values: FloatArray | None = None
    higher_is_more: bool = True
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", np.asarray(self.scores, dtype=float))
        for name in ("scores", "std_error", "p_values"):
            value = getattr(self, name)
            if value is not None and np.shape(value) != (len(self.feature_names),):
                raise ValueError(
                    f"{name} has shape {np.shape(value)}, expected ({len(self.feature_names)},): "
                    "one number for every feature name"
                )
        if (self.std_error is None) != (self.std_error_kind is None):
            raise ValueError("std_error and std_error_kind belong together: give both or neither")

    def ranking_scores(self) -> FloatArray:
        """Scores oriented so that larger means more important."""
        return self.scores if self.higher_is_more else -self.scores

    def to_frame(self) -> "pd.DataFrame":
        """One row per feature, most important first."""
        import pandas as pd

        columns: dict[str, Any] = {"feature": list(self.feature_names), "score": self.scores}
        if self.std_error is not None:
            columns["std_error"] = self.std_error
        if self.p_values is not None:
            columns["p_value"] = self.p_values
        frame = pd.DataFrame(columns)
        order = np.argsort(-self.ranking_scores(), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def plot(self, ax: "Axes | None" = None, top: int = 20) -> "Axes":
        """Horizontal bars of the ``top`` features, with one standard error where known."""
        with extra("plot"):
            import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(5, 0.3 * min(top, len(self.scores)) + 1))
        frame = self.to_frame().head(top).iloc[::-1]
        ax.barh(frame["feature"], frame["score"], xerr=frame.get("std_error"), color="tab:blue")
        ax.set_xlabel("importance")
        return ax
