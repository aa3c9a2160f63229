"""The paper's two densities of a target by its kind, and their ratio, which is the weight."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.weighting.propensity import GaussianLinear, MultinomialLogit
from losaw.weighting.stabilization import ClassFrequency, NormalDensity

# Normal densities below this lose digits; ratios beyond exp(+-_FAR) are cut to it, so that squares
# stay finite. The cap of Algorithm 3.2 cuts them further.
_SMALLEST, _FAR = 1e-290, 300.0


def papers_propensity(is_discrete: bool) -> GaussianLinear | MultinomialLogit:
    """Return the paper's model of P(x | a) for the kind of target (Section 2)."""
    return MultinomialLogit() if is_discrete else GaussianLinear()


def papers_stabilization(is_discrete: bool) -> NormalDensity | ClassFrequency:
    """Return the paper's model of P(x) for the kind of target (Section 2)."""
    return ClassFrequency() if is_discrete else NormalDensity()


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
