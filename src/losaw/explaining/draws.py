"""CPI, the test of its draws, and what is selected: by CPI, or by LOCO where draws fail."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.design import sample
from losaw.explaining.preparing import Prepared
from losaw.explaining.scores import LEVEL, Work
from losaw.importance import cpi, loco
from losaw.knockoffs import make_sampler
from losaw.knockoffs.diagnostics import DrawTest, draw_tests, group_draw_test
from losaw.scoring.importance_result import ImportanceResult
from losaw.scoring.one_sided_tests import adjust, t_test
from losaw.scoring.tests import nadeau_bengio
from losaw.tables import Table, read_table

# Features with a larger p-value are not selected, and their draws are not tested.
_MAY_BE_SELECTED, _MOST_TESTED_ROWS = 0.1, 2_000
_FEWEST_TESTED_CLUSTERS = 20
# Draws whose test has no larger p-value are not trusted.
_RECOGNISED = 0.01
# The first of these that was run decides what is selected.
_DECIDING = ("cpi", "loco", "pfi")
# Where LOCO decides it must exceed this: a forest with a noisy copy of a cause may be a little
# better for it, although the copy has no effect of its own.
LEAST_LOCO = 0.01
# Of so many groups LOCO is computed.
_MOST_GROUPS = 6


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
        rows = sample(data, _MOST_TESTED_ROWS, rng)
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


def score_with_draws(work: Work) -> None:
    """Run CPI on draws that are made once, and test these."""
    table = read_table(work.data.X, kinds=work.data.kinds)
    names = work.features or list(table.names)
    columns = None if work.features is None else [table.names.index(name) for name in names]
    draws = work.design.draws
    drawn = DrawnOnce(table, draws, work.stream("draws"), work.data.clusters, columns)
    work.results["cpi"] = cpi(
        features=names, sampler=drawn, n_draws=draws, random_state=work.stream("cpi"), **work.common
    )
    if work.features is None:
        work.draw_tests, work.group_draws = drawn.test(
            work.results["cpi"], work.finest, work.data, work.stream("test of the draws")
        )


def leave_out(work: Work, units: Sequence[tuple[str, ...]]) -> None:
    """Compute LOCO of features and groups that have none yet."""
    known = work.results.get("loco")
    for unit in units:
        if known is not None and len(unit) == 1 and unit[0] in known.feature_names:
            column = known.feature_names.index(unit[0])
            work.left_out[unit] = np.asarray(known.details["fold_scores"])[:, column]
        elif unit not in work.left_out and len(unit) < work.data.X.shape[1]:
            name = unit[0] if len(unit) == 1 else "the group"
            found = loco(
                features=[name], groups={name: list(unit)} if len(unit) > 1 else None,
                random_state=work.stream("loco"), **work.common,
            )  # fmt: skip
            work.left_out[unit] = np.asarray(found.details["fold_scores"])[:, 0]


@dataclass(frozen=True)
class Decision:
    """What is selected, by which method, and what stays open.

    Where the draws of a feature fail their test, or are its copies, CPI says nothing of it: then
    LOCO decides, which needs no draws. A group is stated if LOCO shows it where its draws fail, or
    those of a feature in it.

    Attributes
    ----------
    method : str or None
        The deciding method; None if no method tests.
    selected : tuple of str
        At a false discovery rate over all features (Benjamini and Hochberg), by the method that
        decides on each; in the order of their scores.
    failed : frozenset of str
        Features whose draws fail their test, or are copies.
    by_loco : frozenset of features and groups
        That LOCO decides on, found to matter or not.
    open : tuple of features and groups
        CPI is above 0, but the draws fail and LOCO does not show it.
    stated : tuple of groups
        Those of the finest groups that are stated.
    head : tuple of groups
        Those that may stand in the headline: their LOCO is above 0.
    """

    method: str | None
    selected: tuple[str, ...]
    failed: frozenset[str]
    by_loco: frozenset[tuple[str, ...]]
    open: tuple[tuple[str, ...], ...]
    stated: tuple[tuple[str, ...], ...]
    head: tuple[tuple[str, ...], ...]


def decide(work: Work, fdr: float, heads: bool = True) -> Decision:
    """Decide on features and groups; computes LOCO where it decides.

    Parameters
    ----------
    heads : bool
        Whether LOCO of groups is computed too where their draws are trusted, for the headline.
    """
    method = next((name for name in _DECIDING if name in work.results), None)
    if method is None:
        return Decision(None, (), frozenset(), frozenset(), (), (), ())
    result = work.results[method]
    raw = dict(zip(result.feature_names, result.details["raw_p_values"].tolist(), strict=True))
    n_features, copies, failed = len(work.data.X.columns), set[str](), list[tuple[str, ...]]()
    if method == "loco":
        of_folds = np.asarray(result.details["fold_scores"])
        raw = {n: p_above(of_folds[:, j], LEAST_LOCO) for j, n in enumerate(raw)}
    if method == "cpi":
        copies = {name for name, note in result.notes.items() if "untestable" in note}
        failed = [(name,) for name in raw if name in recognised(work.draw_tests) | copies]
    singly = recognised(work.draw_tests)
    bad = recognised(work.group_draws) | {
        group for group in work.finest if 1 < len(group) < n_features and singly & set(group)
    }
    others = [group for group in work.finest if 1 < len(group) < n_features and group not in bad]
    leave_out(work, [*failed, *bad, *others[: _MOST_GROUPS * heads]])
    p_of = {unit: p_above(of_folds, LEAST_LOCO) for unit, of_folds in work.left_out.items()}
    for unit in failed:
        # Draws that are copies say nothing; where they fail otherwise, CPI and LOCO must agree.
        own = 0.0 if unit[0] in copies else raw[unit[0]]
        raw[unit[0]] = max(own, p_of.get(unit, 1.0))
    adjusted = adjust(np.array(list(raw.values())), "benjamini-hochberg").tolist()
    p_values = dict(zip(raw, adjusted, strict=True))
    order = np.argsort(-result.scores, kind="stable")
    selected = tuple(name for j in order if p_values[name := result.feature_names[j]] <= fdr)
    by_loco = frozenset([*failed, *bad])
    stated = tuple(g for g in work.finest if g not in by_loco or p_of.get(g, 1.0) <= LEVEL)
    passed = result.select(fdr=fdr)
    unclear = [unit for unit in failed if unit[0] in passed and unit[0] not in selected]
    unclear += [group for group in work.finest if group not in (*stated, *unclear)]
    head = tuple(
        group
        for group in stated
        if len(group) in (1, n_features)
        or (group in work.left_out and work.left_out[group].mean() > 0)
    )
    apart = frozenset(name for (name,) in failed)
    return Decision(method, selected, apart, by_loco, tuple(unclear), stated, head)


def p_above(of_folds: FloatArray, least: float) -> float:
    """Return the one-sided p-value of a mean over folds above ``least`` (Nadeau and Bengio)."""
    shifted = of_folds[:, None] - least
    mean, error, freedom = nadeau_bengio(shifted, 1.0 / (len(of_folds) - 1))
    return t_test(float(mean[0]), float(error[0]), freedom, 0.95).p_value
