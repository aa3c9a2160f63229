"""Knockoffs of a data set, drawn once for all learners that are explained in a process."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FeatureKind, FloatArray

# Of all draws that are kept; those that were not asked for longest are dropped first.
MOST_BYTES = 2**28
kept_draws: OrderedDict[tuple[str, int], FloatArray] = OrderedDict()


class SharedKnockoffs:
    """A sampler whose draws depend on the rows and on a data set's stream, not on who asks.

    What is fitted or drawn with other learners comes from no common generator: the k-th fit, and
    each of its draws, have generators of their own. So a draw can be kept and given again, and
    results are the same whether it was kept or not. Draws are shared under the same name, that of
    the sampler with its parameters; ``stream`` is at the beginning of the stream that belongs to
    the data set and the sampler, which is not fitted.
    """

    def __init__(self, sampler: Any, name: str, stream: np.random.Generator) -> None:
        self.sampler, self.name, self._stream = sampler, name, stream
        for of_sampler in ("handles_nominal", "handles_units"):
            setattr(self, of_sampler, getattr(sampler, of_sampler, False))

    def __repr__(self) -> str:
        return self.name

    def fit(
        self,
        X: ArrayLike,
        kinds: Sequence[FeatureKind] | None = None,
        rng: np.random.Generator | None = None,
        **units: Any,
    ) -> Self:
        """Note the rows; the sampler is fitted to them if a draw of them is not there yet."""
        X = np.ascontiguousarray(X)
        self._seed, self._n_draws, self._is_fitted = int(self._stream.integers(2**63)), 0, False
        self._rows = (X, kinds, units)
        groups = {
            name: None if value is None else [np.asarray(columns).tolist() for columns in value]
            for name, value in units.items()
        }
        asked = repr((self.name, self._seed, kinds, groups, X.shape, X.dtype.str)).encode()
        self._digest = hashlib.sha256(asked + X.tobytes()).hexdigest()
        return self

    def _checked(self, rng: np.random.Generator) -> FloatArray:
        """Return a draw, a copy, if it can take the place of the rows."""
        rows = self._rows[0]
        drawn = np.array(self.sampler.sample(rng), dtype=float)
        if drawn.shape != rows.shape:
            raise ValueError(
                f"the knockoff sampler {self.name} gives shape {drawn.shape}, expected {rows.shape}"
            )
        if not (np.isfinite(drawn) | ~np.isfinite(rows)).all():
            raise ValueError(
                f"the knockoff sampler {self.name} gives missing or infinite values where the rows "
                "have none"
            )
        return drawn

    def sample(self, rng: np.random.Generator) -> FloatArray:
        """Return the next draw, whatever the generator."""
        self._n_draws += 1
        key = (self._digest, self._n_draws)
        drawn = kept_draws.pop(key, None)
        if drawn is None:
            if not self._is_fitted:
                X, kinds, units = self._rows
                self.sampler.fit(X, kinds, np.random.default_rng((self._seed, 0)), **units)
                self._is_fitted = True
            drawn = self._checked(np.random.default_rng((self._seed, self._n_draws)))
            drawn.flags.writeable = False
        kept_draws[key] = drawn
        while sum(kept.nbytes for kept in kept_draws.values()) > MOST_BYTES:
            kept_draws.popitem(last=False)
        return drawn
