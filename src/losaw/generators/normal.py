"""Standard normal features with a correlated leading block."""

import numpy as np

from losaw.data import FloatArray


def draw_normal(
    factor: FloatArray, n_samples: int, n_features: int, rng: np.random.Generator
) -> FloatArray:
    """Draw features (n_samples, n_features): first columns N(0, L L'), the others N(0, I).

    Parameters
    ----------
    factor : array of shape (n_correlated, n_correlated)
        Lower-triangular L.
    n_samples, n_features : int
    rng : numpy.random.Generator
        The correlated block is drawn first: it is the same for any ``n_features``.
    """
    n_correlated = len(factor)
    X = np.empty((n_samples, n_features))
    X[:, :n_correlated] = rng.standard_normal((n_samples, n_correlated)) @ factor.T
    X[:, n_correlated:] = rng.standard_normal((n_samples, n_features - n_correlated))
    return X
