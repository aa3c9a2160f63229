"""Losses that deep knockoffs minimise (Romano, Sesia & Candès 2020, Section 4)."""

import jax.numpy as jnp
from jax import Array

# Widths of the Gaussian kernels whose mean is the kernel of the discrepancy.
KERNEL_WIDTHS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
# Keeps the slope of a square root finite: a dummy may be 0 in a whole batch.
_SMALL = 1e-6


def maximum_mean_discrepancy(first: Array, second: Array) -> Array:
    """Square root of the biased estimate of MMD^2 between rows of two samples,

    mean K(Z, Z) + mean K(Z', Z') - 2 mean K(Z, Z'), K a mixture of Gaussian kernels.
    """
    rows = jnp.concatenate([first, second])
    norms = (rows**2).sum(axis=1)
    squared = jnp.maximum(norms[:, None] + norms - 2 * rows @ rows.T, 0.0)
    # exp(-d / (2 w^2)) for w = 128, 64, …: each the fourth power of the one before.
    kernel = jnp.exp(-squared / (2 * KERNEL_WIDTHS[-1] ** 2))
    mixture = kernel
    for _ in KERNEL_WIDTHS[1:]:
        kernel = (kernel * kernel) * (kernel * kernel)
        mixture = mixture + kernel
    n = len(first)
    mixture = mixture / len(KERNEL_WIDTHS)
    value = mixture[:n, :n].mean() + mixture[n:, n:].mean() - 2 * mixture[:n, n:].mean()
    return jnp.sqrt(jnp.maximum(value, 0.0) + _SMALL)


def swap_discrepancy(X: Array, knockoffs: Array, swapped: Array) -> Array:
    """Discrepancy between (X, X~) and the same with columns swapped, on separate halves of rows.

    ``swapped`` (n_features,) is 1 where a column is swapped with its knockoff, 0 elsewhere.
    """
    half = len(X) // 2
    first = jnp.concatenate([X[:half], knockoffs[:half]], axis=1)
    a, b = X[half:], knockoffs[half:]
    second = jnp.concatenate([a + swapped * (b - a), b + swapped * (a - b)], axis=1)
    return maximum_mean_discrepancy(first, second)


def second_moment_loss(X: Array, knockoffs: Array, covariance: Array) -> Array:
    """Squared distance of the knockoffs' mean from 0, and of Cov(X~), and of Cov(X, X~) off the

    diagonal, from Cov(X), relative to |Cov(X)|^2.

    ``covariance`` is that of all rows, which have mean 0. The batch's own would pull X~ towards X:
    the difference of two covariances of one batch is free of sampling noise only if X~ = X.
    """
    n, p = X.shape
    a, b = X - X.mean(axis=0), knockoffs - knockoffs.mean(axis=0)
    copied, cross = b.T @ b / n, a.T @ b / n
    off_diagonal = 1.0 - jnp.eye(p)
    squares = ((covariance - copied) ** 2).sum()
    squares += ((off_diagonal * (covariance - cross)) ** 2).sum()
    return (knockoffs.mean(axis=0) ** 2).sum() / p + squares / (covariance**2).sum()


def decorrelation_loss(X: Array, knockoffs: Array, target: Array) -> Array:
    """Mean squared distance of corr(X_j, X~_j) to its target 1 - s_j."""
    a, b = X - X.mean(axis=0), knockoffs - knockoffs.mean(axis=0)
    spread = jnp.sqrt((a**2).mean(axis=0) * (b**2).mean(axis=0) + _SMALL)
    return (((a * b).mean(axis=0) / spread - target) ** 2).mean()
