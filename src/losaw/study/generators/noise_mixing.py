"""Mixing data with noise, feature by feature (Gerstorfer, Krieg and Hahn-Klimroth, Section 2.3)."""

from typing import Literal

import numpy as np

from losaw.data import FloatArray

Target = Literal["kept", "shifted", "standardized", "mixed"]
# "shifted" adds so many standard deviations of the response.
SHIFT = 4.0


def standardize(columns: FloatArray) -> FloatArray:
    """Scale to mean 0 and variance 1 along the rows; a constant column becomes 0."""
    centred = columns - columns.mean(axis=0)
    scale = centred.std(axis=0)
    return np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)


def mix(
    X: FloatArray, y: FloatArray, share: float, target: Target, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Mix features, or the response as well, with noise: ``(1 - share) B + share N``.

    B are the standardised features, N standard normal noise, standardised in the same way. The
    paper does not state the treatment of the response: "kept" leaves it unchanged, "shifted" adds
    four of its standard deviations, so that it is far from 0, "standardized" standardises it,
    "mixed" also mixes it with noise as the features are.
    """
    noise = standardize(rng.standard_normal(X.shape))
    mixed = (1 - share) * standardize(X) + share * noise
    if target == "kept":
        return mixed, y
    if target == "shifted":
        return mixed, y + SHIFT * y.std()
    response = standardize(y)
    if target == "mixed":
        response = (1 - share) * response + share * standardize(rng.standard_normal(len(y)))
    return mixed, response
