"""Knockoffs that are drawn once for all rows, and handed out to the folds of a cross-fitting."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.knockoffs import make_sampler
from losaw.tables import Table

# Short paths of penalties: on tables with strongly correlated columns the default path of a hundred
# takes a hundred times longer, most of it behind the penalty that is chosen.
PATH = {
    "n_folds": 5,
    "n_penalties": 30,
    "smallest_ratio": 1e-3,
    "patience": 3,
    "tolerance": 1e-4,
}


class DrawnOnce:
    """A knockoff sampler for :func:`losaw.importance.cpi` with ``cv``.

    Knockoffs do not look at the response, so that the laws of the features may be estimated from
    all rows, not only from those that a fold holds out; and one draw serves single features and
    groups.

    Parameters
    ----------
    table : Table
        All rows.
    folds : list of int arrays
        Rows held out, in the order in which the folds ask.
    n_draws : int
    rng : Generator
    """

    handles_nominal = True
    handles_missing = True

    def __init__(
        self,
        table: Table,
        folds: list[NDArray[np.intp]],
        n_draws: int,
        rng: np.random.Generator,
    ) -> None:
        sampler = make_sampler("sequential", **PATH)
        sampler.fit(table.codes, table.kinds, rng)
        self.table = table
        self.folds = folds
        self.draws = [sampler.sample(rng) for _ in range(n_draws)]
        self._next_fold = 0
        self._next_draw = 0

    def fit(self, X: FloatArray, kinds: Any = None, rng: Any = None) -> Self:
        """Turn to the next fold; its rows must be ``X``."""
        self._held = self.folds[self._next_fold]
        self._next_fold = (self._next_fold + 1) % len(self.folds)
        self._next_draw = 0
        if not np.array_equal(self.table.codes[self._held], X, equal_nan=True):
            raise ValueError("the rows are not those of the next fold")
        return self

    def sample(self, rng: np.random.Generator) -> FloatArray:
        """The next draw of the fold's rows."""
        drawn = self.draws[self._next_draw % len(self.draws)]
        self._next_draw += 1
        return drawn[self._held]
