"""Tests of knockoffs: are they exchangeable with their features by swaps?"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FeatureKind, FloatArray
from losaw.knockoffs.sampler import check_features


class SwapTest(NamedTuple):
    """One family of tests: its smallest p-value after Bonferroni, and where it is.

    ``n_tests`` counts the tests of the family; ``columns`` are those of the smallest p-value.
    """

    p_value: float
    columns: tuple[int, int]
    n_tests: int


def swap_tests(
    X: ArrayLike, knockoffs: ArrayLike, kinds: Sequence[FeatureKind] | None = None
) -> dict[str, SwapTest]:
    """Test (X, X~)_swap(S) =_d (X, X~) through means of products that a swap exchanges.

    With g functions of one column (standardised value and its square; indicators of levels), under
    exchangeability these differences have mean 0 for all j, k:

    - ``marginal``: g(X_j) - g(X~_j), one column swapped;
    - ``pairwise``: g(X_j) h(X_k) - g(X~_j) h(X~_k), both swapped;
    - ``pair-swapped``: g(X_j) h(X_k) - g(X~_j) h(X_k), k not swapped.

    Every mean is compared with its standard error over rows (normal law); the smallest p-value
    of a family is multiplied by their number. Small p-values speak against the sampler; large
    ones do not prove it right.

    Parameters
    ----------
    X, knockoffs : arrays of shape (n_samples, n_features)
    kinds : sequence of {"continuous", "discrete", "nominal"} or None
    """
    X, kinds = check_features(X, kinds)
    copies, _ = check_features(knockoffs, None)
    if copies.shape != X.shape:
        raise ValueError(f"knockoffs have shape {copies.shape}, X has {X.shape}")
    columns, originals, swapped = _functions(X, copies, kinds)
    n = len(X)
    families: dict[str, tuple[FloatArray, NDArray[np.intp]]] = {
        "marginal": (originals - swapped, np.column_stack([columns, columns])),
    }
    first, second = np.nonzero(columns[:, None] < columns[None, :])
    pairs = np.column_stack([columns[first], columns[second]])
    families["pairwise"] = (
        originals[:, first] * originals[:, second] - swapped[:, first] * swapped[:, second],
        pairs,
    )
    first, second = np.nonzero(columns[:, None] != columns[None, :])
    pairs = np.column_stack([columns[first], columns[second]])
    families["pair-swapped"] = (
        (originals[:, first] - swapped[:, first]) * originals[:, second],
        pairs,
    )
    return {name: _smallest(values, where, n) for name, (values, where) in families.items()}


def _functions(
    X: FloatArray, copies: FloatArray, kinds: Sequence[FeatureKind]
) -> tuple[NDArray[np.intp], FloatArray, FloatArray]:
    """Column of every function, and its values on X and on the knockoffs, centred alike."""
    columns: list[int] = []
    originals: list[FloatArray] = []
    swapped: list[FloatArray] = []
    for j, kind in enumerate(kinds):
        both = np.concatenate([X[:, j], copies[:, j]])
        if kind == "nominal":
            values = [(both == level).astype(float) for level in np.unique(X[:, j])[1:]]
        else:
            scaled = (both - both.mean()) / (both.std() or 1.0)
            values = [scaled, scaled**2]
        for column in values:
            # Centring by the pooled mean is unchanged by swaps.
            centred = column - column.mean()
            columns.append(j)
            originals.append(centred[: len(X)])
            swapped.append(centred[len(X) :])
    return np.array(columns), np.column_stack(originals), np.column_stack(swapped)


def _smallest(differences: FloatArray, where: NDArray[np.intp], n: int) -> SwapTest:
    from scipy.special import ndtr

    if differences.shape[1] == 0:
        return SwapTest(1.0, (0, 0), 0)
    error = differences.std(axis=0) / np.sqrt(n)
    z = np.divide(
        np.abs(differences.mean(axis=0)), error, out=np.zeros(len(error)), where=error > 0
    )
    best = int(z.argmax())
    p_value = min(1.0, 2 * float(ndtr(-z[best])) * len(z))
    return SwapTest(p_value, (int(where[best, 0]), int(where[best, 1])), len(z))
