"""The correlation matrices of the losaw paper by name, and normal features with them."""

from collections.abc import Callable

import numpy as np

from losaw.data import FloatArray
from losaw.support.arguments import one_of, real_number, whole_number


def first_pair_matrix(n_features: int, first_pair: float) -> FloatArray:
    """Return Sigma_a of Example 1.1: a between X1 and X2, .8 between all other pairs."""
    matrix = np.full((n_features, n_features), 0.8)
    np.fill_diagonal(matrix, 1.0)
    matrix[[0, 1], [1, 0]] = first_pair
    return matrix


def heterogeneous(n_features: int) -> FloatArray:
    """Return Sigma_.5 of Example 1.1, which is positive definite up to five features."""
    why = "correlation 'heterogeneous' is not positive definite beyond 5"
    return first_pair_matrix(whole_number("n_features", n_features, 2, why, 5), 0.5)


def six_features(n_features: int = 6) -> FloatArray:
    """Return Sigma of Section 4.10: a heterogeneous block {X1, X2, X3} (.4, .8, .8), a homogeneous
    block {X4, X5, X6} (.9), .2 between them, and independent features after the sixth."""
    whole_number("n_features", n_features, 6, "needed by correlation 'six-features'")
    matrix = np.zeros((n_features, n_features))
    matrix[:6, :6] = 0.2
    matrix[:3, :3] = 0.8
    matrix[[0, 1], [1, 0]] = 0.4
    matrix[3:6, 3:6] = 0.9
    np.fill_diagonal(matrix, 1.0)
    return matrix


def five_feature_block(alpha: float, beta: float) -> FloatArray:
    """Return sigma(alpha, beta) of Section 5.3: alpha between X1 and X2 and between X1 and X4, beta
    between all other pairs. A matrix that is not positive definite raises a ValueError.
    """
    matrix = np.full((5, 5), real_number("beta", beta))
    matrix[0, [1, 3]] = matrix[[1, 3], 0] = real_number("alpha", alpha)
    np.fill_diagonal(matrix, 1.0)
    cholesky_factor(matrix, f"the five-feature block with alpha={alpha!r}, beta={beta!r}")
    return matrix


# name -> matrix of a number of features, four or more
MATRICES: dict[str, Callable[[int], FloatArray]] = {
    "identity": np.eye,
    "homogeneous": lambda n_features: first_pair_matrix(n_features, 0.8),
    "heterogeneous": heterogeneous,
    "six-features": six_features,
}


def correlation_matrix(name: str, n_features: int) -> FloatArray:
    """Return the correlation matrix (n_features, n_features) of a name of :data:`MATRICES`.

    The first three are those of Example 1.1 (a = .8 and a = .5); "six-features" is Sigma of
    Sections 3 and 4.10, with all features after the sixth independent.
    """
    return MATRICES[one_of("correlation", name, MATRICES)](n_features)


def cholesky_factor(matrix: FloatArray, name: str = "the correlation matrix") -> FloatArray:
    """Return lower-triangular L with L L' = ``matrix``, which must be positive definite."""
    try:
        return np.linalg.cholesky(matrix).astype(float)
    except np.linalg.LinAlgError:
        smallest = float(np.linalg.eigvalsh(matrix)[0])
        raise ValueError(
            f"{name} is not positive definite (smallest eigenvalue {smallest:.3g})"
        ) from None


def draw_normal(
    factor: FloatArray, n_samples: int, n_features: int, rng: np.random.Generator
) -> FloatArray:
    """Draw features (n_samples, n_features): first columns N(0, L L'), the others N(0, I).

    The block of ``factor``, L, is drawn first: it is the same for any ``n_features``.
    """
    correlated = rng.standard_normal((n_samples, len(factor))) @ factor.T
    return np.hstack([correlated, rng.standard_normal((n_samples, n_features - len(factor)))])
