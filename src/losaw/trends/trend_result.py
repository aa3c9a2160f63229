"""The one result object that every trend estimator returns."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.extras import extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class TrendResult:
    """One estimate per feature: its sign is the direction, its absolute value the size.

    Attributes
    ----------
    name : str
        The estimator, as it is shown.
    estimates : array of shape (n_features,)
        Positive: the response rises with the feature. NaN: it has no order to rise along.
    feature_names : tuple of str
    spread : array of shape (n_features,) or None
        NaN where it cannot be had.
    spread_kind : str or None
        What the spread measures, for example ``"standard deviation over trees"``.
    p_values : array of shape (n_features,) or None
        Of the hypothesis that there is no trend, from estimators that test it; NaN where it cannot
        be had.
    details : dict
        Estimator-specific extras, documented by the estimator.

    Raises
    ------
    ValueError
        If lengths differ, or a spread comes without its kind.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.trends import TrendResult
    >>> trend = TrendResult("slope", np.array([0.5, -2.0]), ("age", "dose"))
    >>> trend.sign.tolist()
    [1, -1]
    """

    name: str
    estimates: FloatArray
    feature_names: tuple[str, ...]
    spread: FloatArray | None = None
    spread_kind: str | None = None
    p_values: FloatArray | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimates", np.asarray(self.estimates, dtype=float))
        for attribute in ("estimates", "spread", "p_values"):
            value = getattr(self, attribute)
            if value is not None and np.shape(value) != (len(self.feature_names),):
                raise ValueError(
                    f"{attribute} has shape {np.shape(value)}, expected "
                    f"({len(self.feature_names)},): one number for every feature name"
                )
        if (self.spread is None) != (self.spread_kind is None):
            raise ValueError("spread and spread_kind belong together: give both or neither")

    @property
    def sign(self) -> NDArray[np.int64]:
        """The signs (n_features,): 1 rising, -1 falling, 0 no trend or none defined (NaN)."""
        return np.sign(np.nan_to_num(self.estimates)).astype(np.int64)

    @property
    def size(self) -> FloatArray:
        """Absolute values, (n_features,)."""
        return np.abs(self.estimates)

    def to_frame(self) -> "pd.DataFrame":
        """One row per feature, in the order of the features."""
        import pandas as pd

        columns: dict[str, Any] = {
            "feature": list(self.feature_names),
            "estimate": self.estimates,
            "sign": self.sign,
            "size": self.size,
        }
        if self.spread is not None:
            columns["spread"] = self.spread
        if self.p_values is not None:
            columns["p_value"] = self.p_values
        return pd.DataFrame(columns)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Horizontal bars from zero, rising trends to the right, with the spread where known."""
        with extra("plot"):
            import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(5, 0.3 * len(self.estimates) + 1))
        colours = np.where(self.estimates < 0, "tab:red", "tab:blue")
        ax.barh(self.feature_names, self.estimates, xerr=self.spread, color=list(colours))
        ax.axvline(0, color="black", linewidth=0.8)
        ax.invert_yaxis()
        ax.set_xlabel(self.name)
        return ax
