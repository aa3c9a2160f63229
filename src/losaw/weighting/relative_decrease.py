"""The relative impurity decrease of a weighted split (Definition 4.1, Lemma 9.2).

The readable form of :mod:`losaw.forest.growing.scan_continuous`, where the same loop is compiled.
"""

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray


def relative_decreases(
    x: ArrayLike, y: ArrayLike, weights: ArrayLike, min_samples_leaf: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Return the split points of a feature and their weighted relative impurity decrease.

    A split at t sends the rows with ``x <= t`` to the left. With W_L = sum w and T_L = sum w y
    over them, T the same over all rows and S = sum w y^2,

        Delta_w^rel(t) = (T_L^2 / W_L + (T - T_L)^2 / (1 - W_L) - T^2) / (S - T^2),

    which is ``1 - (W_L MSE_w,- + (1 - W_L) MSE_w,+) / MSE_w``.

    Parameters
    ----------
    x : array of shape (n_samples,)
        The feature; values are assumed to differ.
    y : array of shape (n_samples,)
        The response; it must not be constant.
    weights : array of shape (n_samples,)
        They sum to 1.
    min_samples_leaf : int, default 1
        Splits that leave a side fewer rows are left out.

    Returns
    -------
    points, decreases : arrays of shape (n_samples - 2 min_samples_leaf + 1,)
        In increasing order of the points; decreases are in [0, 1].

    References
    ----------
    losaw, Definition 4.1, Lemma 9.2 (its minus sign is a misprint), Algorithm 9.3.

    Examples
    --------
    >>> points, decreases = relative_decreases([1, 2, 3, 4], [0, 0, 1, 1], [0.25] * 4)
    >>> points, decreases.round(3)
    (array([1., 2., 3.]), array([0.333, 1.   , 0.333]))
    """
    x, y, w = (np.asarray(values, dtype=float) for values in (x, y, weights))
    order = np.argsort(x, kind="stable")
    mass, moment = np.cumsum(w[order]), np.cumsum((w * y)[order])
    total = moment[-1]
    inner = slice(min_samples_leaf - 1, len(x) - min_samples_leaf)
    left, right = moment[inner] ** 2 / mass[inner], (total - moment[inner]) ** 2 / (1 - mass[inner])
    impurity = w @ y**2 - total**2
    return x[order][inner], (left + right - total**2) / impurity
