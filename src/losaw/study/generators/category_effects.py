"""Categories cut from a normal variable at its quantiles, under random letters (CPI, B.2)."""

from typing import Literal

import numpy as np

from losaw.data import FloatArray

Weights = Literal["ordered", "shuffled"]


def cut_into_levels(
    values: FloatArray, n_levels: int, size: float, weights: Weights, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Cut ``values`` (n_samples,) at their quantiles and give the bins random letters and effects.

    Returned are the code of every row, its letter's place in the alphabet, 0, …, n_levels - 1, and
    the effect of every code.

    The effects are equally spaced from -size to size. ``ordered``: in the order of the bins, as
    the text states; the learner, which sees letters, sees them shuffled. ``shuffled``: in the order
    of the letters, as the code of Section 3.2 does; the effect is then a straight line
    in the letter's code, and random over the bins.
    """
    cuts = np.quantile(values, np.arange(1, n_levels) / n_levels)
    bins = np.searchsorted(cuts, values)
    letter_of_bin = rng.permutation(n_levels)
    effects = np.linspace(-size, size, n_levels)
    effect_of_code = effects if weights == "shuffled" else effects[np.argsort(letter_of_bin)]
    return letter_of_bin[bins].astype(float), effect_of_code
