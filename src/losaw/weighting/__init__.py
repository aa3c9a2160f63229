"""Local sample weighting: propensities, stabilisation, effective sample size (losaw, 2 and 3).

Usable without a forest: :func:`losaw_weights` for a target and its adjustment features, or its
parts. The forest estimates the same weights in every node, with the same compiled cap and logits
(:mod:`losaw.kernels`).
"""

from losaw.weighting.effective_sample_size import cap_weights, effective_sample_size
from losaw.weighting.losaw_weights import losaw_weights, weighted_correlations
from losaw.weighting.propensity import GaussianLinear, MultinomialLogit, PointMassError
from losaw.weighting.stabilization import ClassFrequency, NormalDensity

__all__ = [
    "ClassFrequency",
    "GaussianLinear",
    "MultinomialLogit",
    "NormalDensity",
    "PointMassError",
    "cap_weights",
    "effective_sample_size",
    "losaw_weights",
    "weighted_correlations",
]
