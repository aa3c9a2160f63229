"""Propensity and stabilisation models by name, or a user's own."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.support.words import did_you_mean
from losaw.weighting.propensity import (
    GaussianLinear,
    KernelConditional,
    MultinomialLogit,
    PropensityModel,
)
from losaw.weighting.stabilization import (
    ClassFrequency,
    KernelMarginal,
    NormalDensity,
    StabilizationModel,
)

PROPENSITY: dict[str, Any] = {
    "gaussian": GaussianLinear,
    "logit": MultinomialLogit,
    "kernel": KernelConditional,
}
STABILIZATION: dict[str, Any] = {
    "normal": NormalDensity,
    "frequency": ClassFrequency,
    "kernel": KernelMarginal,
}


# Normal densities below this lose digits; ratios beyond exp(+-_FAR) are cut to it, so that squares
# stay finite. The cap of Algorithm 3.2 cuts them further.
_SMALLEST, _FAR = 1e-290, 300.0


def choose_propensity(choice: Any, is_discrete: bool) -> PropensityModel:
    """Return the model named or given; "auto" is the paper's model for the kind of target."""
    auto = "logit" if is_discrete else "gaussian"
    model: PropensityModel = _choose("propensity", choice, PROPENSITY, auto)
    return model


def choose_stabilization(choice: Any, is_discrete: bool) -> StabilizationModel:
    """Return the model named or given; "auto" is the paper's model for the kind of target."""
    auto = "frequency" if is_discrete else "normal"
    model: StabilizationModel = _choose("stabilization", choice, STABILIZATION, auto)
    return model


def _choose(name: str, choice: Any, known: dict[str, Any], auto: str) -> Any:
    if not isinstance(choice, str):
        missing = [m for m in ("fit", "density") if not callable(getattr(choice, m, None))]
        if missing:
            raise TypeError(
                f"{name} must be 'auto', one of {', '.join(map(repr, known))}, or an object with "
                f"the methods fit and density; {type(choice).__name__} has no {missing[0]}"
            )
        return choice
    if choice == "auto":
        choice = auto
    if choice not in known:
        raise ValueError(
            f"{name} {choice!r} is unknown{did_you_mean(choice, known)} (known: 'auto', "
            f"{', '.join(map(repr, known))})"
        )
    return known[choice]()


def density_ratio(
    marginal: Any, conditional: Any, target: ArrayLike, adjustment: ArrayLike
) -> FloatArray:
    """Return the ratio ``f(x) / f(x | a)`` of two fitted densities for every row, (n,).

    The density of an outlier may be too small for a float. Models with a ``log_density`` then give
    the logarithm of the ratio.

    Parameters
    ----------
    marginal, conditional : object
        A fitted model of stabilisation and one of propensity.
    target : array of shape (n,)
    adjustment : array of shape (n, n_adjustment)

    Raises
    ------
    ValueError
        If a density is zero, negative or missing.
    """
    above = np.asarray(marginal.density(target), dtype=np.float64)
    below = np.asarray(conditional.density(target, adjustment), dtype=np.float64)
    is_small = (above < _SMALLEST) | (below < _SMALLEST)
    if is_small.any() and hasattr(marginal, "log_density") and hasattr(conditional, "log_density"):
        logarithm = marginal.log_density(target) - conditional.log_density(target, adjustment)
        far = np.exp(np.clip(logarithm, -_FAR, _FAR))
        return np.where(is_small, far, above / np.where(is_small, 1.0, below))
    return _positive(marginal, above) / _positive(conditional, below)


def _positive(model: Any, density: FloatArray) -> FloatArray:
    if not (np.isfinite(density) & (density > 0)).all():
        raise ValueError(
            f"{type(model).__name__}.density returned zero, negative or missing values: a density "
            "has to be positive wherever there is a row"
        )
    return density
