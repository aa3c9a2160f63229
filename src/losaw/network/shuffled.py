"""Plain mini-batches: rows without replacement, in a new order every epoch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class ShuffledMiniBatches:
    """Mini-batches cut off a stream of random orders of the sample.

    All have the same size: if an epoch's last rows do not fill a mini-batch, the next epoch's first
    rows do.

    Parameters
    ----------
    n_samples, batch_size : int
    rng : numpy.random.Generator
    """

    def __init__(self, n_samples: int, batch_size: int, rng: np.random.Generator) -> None:
        self.n_samples = n_samples
        self.batch_size = batch_size
        self._rng = rng
        self._waiting = np.empty(0, dtype=np.intp)

    def draw(self) -> NDArray[np.intp]:
        """Draw the rows (batch_size,) of the next mini-batch."""
        while len(self._waiting) < self.batch_size:
            self._waiting = np.concatenate([self._waiting, self._rng.permutation(self.n_samples)])
        rows, self._waiting = np.split(self._waiting, [self.batch_size])
        return rows

    def state(self) -> dict[str, Any]:
        """Return everything that later draws depend on."""
        return {"generator": self._rng.bit_generator.state, "waiting": self._waiting}

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from a :meth:`state`."""
        self._rng.bit_generator.state = state["generator"]
        self._waiting = np.array(state["waiting"], dtype=np.intp)
