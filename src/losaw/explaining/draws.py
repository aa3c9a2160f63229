"""The draws of CPI: made once for all folds, and tested before a sentence rests on them."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.preparing import Prepared
from losaw.knockoffs import make_sampler
from losaw.knockoffs.diagnostics import DrawTest, draw_tests, group_draw_test
from losaw.scoring.importance_result import ImportanceResult
from losaw.tables import Table

# Features with a larger p-value are not selected, and their draws are not tested.
_MAY_BE_SELECTED, _MOST_TESTED_ROWS = 0.1, 2_000
_FEWEST_TESTED_CLUSTERS = 20
# Draws whose test has no larger p-value are not trusted.
_RECOGNISED = 0.01


def recognised(tests: Mapping[Any, DrawTest]) -> frozenset[Any]:
    """Return the features, or groups, whose draws can be distinguished from real values."""
    return frozenset(unit for unit, test in tests.items() if test.p_value <= _RECOGNISED)


class DrawnOnce:
    """A sampler for :func:`losaw.importance.cpi` whose draws of all rows are made beforehand.

    Draws do not look at the response, so that one fit to all rows serves every fold; and the test
    of the draws looks at the very ones that CPI uses.

    Parameters
    ----------
    table : Table
        All rows.
    n_draws : int
    rng : Generator
    clusters : int array of shape (n_rows,) or None
    columns : sequence of int or None
        Only these are drawn; None: all.
    """

    handles_nominal = handles_missing = handles_units = True

    def __init__(
        self,
        table: Table,
        n_draws: int,
        rng: np.random.Generator,
        clusters: NDArray[np.intp] | None = None,
        columns: Sequence[int] | None = None,
    ) -> None:
        sampler = make_sampler("conditional")
        units = None if columns is None else [np.array([column]) for column in columns]
        sampler.fit(table.codes, table.kinds, rng, units=units, clusters=clusters)
        self.table, self._clusters = table, clusters
        self.drawn = [sampler.sample(rng) for _ in range(n_draws)]
        self._turns = itertools.cycle(self.drawn)

    def fit(self, X: FloatArray, kinds: Any = None, rng: Any = None, units: Any = None) -> Self:
        """Check that the rows are those of the draws."""
        if not np.array_equal(self.table.codes, X, equal_nan=True):
            raise ValueError("the rows are not those that were drawn")
        return self

    def sample(self, rng: np.random.Generator) -> FloatArray:
        """Return the next draw."""
        return next(self._turns)

    def test(
        self,
        result: ImportanceResult,
        finest: Sequence[tuple[str, ...]],
        data: Prepared,
        rng: np.random.Generator,
    ) -> tuple[dict[str, DrawTest], dict[tuple[str, ...], DrawTest]]:
        """Test the draws of features and of groups on which a sentence may rest.

        They are the features that CPI may select or that stand alone in ``finest``, and the groups
        in ``finest`` (but all features together, whose draws are rows), on at most 2,000 rows.

        The halves of the rows are drawn apart: where draws take values of similar rows, a
        classifier must not have seen these. Rows of a cluster are not independent observations: of
        20 clusters or more, one row of each is tested.
        """
        raw = np.asarray(result.details["raw_p_values"])
        names = self.table.names
        columns = [
            names.index(name)
            for name, p_value in zip(result.feature_names, raw, strict=True)
            if p_value <= _MAY_BE_SELECTED or (name,) in finest
        ]
        groups = [group for group in finest if 1 < len(group) < len(names)]
        units = [np.array([j]) for j in columns]
        units += [np.array([names.index(name) for name in group]) for group in groups]
        rows = data.sample(_MOST_TESTED_ROWS, rng)
        if self._clusters is not None:
            mixed = rng.permutation(rows)
            one_each = mixed[np.unique(self._clusters[mixed], return_index=True)[1]]
            rows = one_each if len(one_each) >= _FEWEST_TESTED_CLUSTERS else rows
        codes = self.table.codes[rows]
        first = rng.permutation(len(codes)) % 2 == 0
        drawn = [codes[:, unit] for unit in units]
        for half in (first, ~first) if units else ():
            sampler = make_sampler("conditional").fit(codes[half], self.table.kinds, rng, units)
            for part, values in zip(drawn, sampler.sample_units(rng), strict=True):
                part[half] = values
        single, n_single = codes.copy(), len(columns)
        single[:, columns] = np.array([part[:, 0] for part in drawn[:n_single]]).T
        found = draw_tests(
            codes, single, self.table.kinds, columns=columns, half=first, random_state=rng
        )
        of_groups = {
            group: group_draw_test(
                codes, part, unit.tolist(), self.table.kinds, half=first, random_state=rng
            )
            for group, part, unit in zip(groups, drawn[n_single:], units[n_single:], strict=True)
        }
        return {names[column]: test for column, test in found.items()}, of_groups
