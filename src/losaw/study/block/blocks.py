"""Blocks: the files of a study, each a slice of its grid and a range of seeds."""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from losaw.study.block.recipe import Recipe
from losaw.study.block.spent import OTHER
from losaw.study.request.grid import Study
from losaw.study.request.settings import Selection, Setting, safe_name, same, short_name

LEARNER_AXIS = "learner"
# In the folder of a study; its log and its costs have the same names in other folders.
BLOCK_FILE = "{folder}/{slice}/seeds_{first}-{last}.{ending}"


class Cell(NamedTuple):
    """One learner in one setting, with its number of seeds: they are counted from 0."""

    setting: Setting
    learner: str
    n_seeds: int


@dataclass(frozen=True, eq=False)
class Slice:
    """The settings and learners of a study that lie in the same files."""

    name: str  # axes with values: data_type~continuous_n_samples~500
    study: Study = field(repr=False)
    cells: tuple[Cell, ...] = field(repr=False)  # in the order of the grid

    @cached_property
    def recipe(self) -> Recipe:
        """What decides the rows of all its blocks."""
        return Recipe.of(self.study, [(cell.setting, cell.learner) for cell in self.cells])

    @property
    def laws(self) -> list[str]:
        """Identifiers of the joint laws that its data are drawn from."""
        laws = (conditions.law for conditions in self.recipe.settings.values())
        return list(dict.fromkeys(law for law in laws if law is not None))

    def ranges(self) -> Iterator[range]:
        """Cut the seeds at multiples of the study's width; more seeds add ranges at the end."""
        width = self.study.seeds_in_a_block(self.cells[0].setting)
        most = max(cell.n_seeds for cell in self.cells)
        for first in range(0, most, width):
            yield range(first, min(first + width, most))


def slices(study: Study, cells: Iterable[Cell], selection: Selection) -> Iterator[Slice]:
    """Cut the grid into slices: one for each value of every axis that does not lie inside.

    A selection on an axis inside, or of learners, makes other slices, and their names say so: a
    part of a file never takes the place of the whole.
    """
    inside = study.file.blocks.inside
    known: dict[str, list[Any]] = {axis: study.file.axes[axis] for axis in inside}
    known[LEARNER_AXIS] = list(study.learners)
    selected = []
    for axis, values in known.items():
        chosen = [v for v in values if any(same(v, other) for other in selection.get(axis, values))]
        if len(chosen) < len(values):
            selected.append(f"{axis}~{'+'.join(map(safe_name, chosen))}")
    outside = [axis for axis in study.axes if axis not in inside]
    by_name = defaultdict(list)
    for cell in cells:
        words = [f"{axis}~{safe_name(cell.setting.axes[axis])}" for axis in outside]
        by_name[short_name("_".join([*words, *selected])) or "all"].append(cell)
    for name, part in by_name.items():
        yield Slice(name, study, tuple(part))


@dataclass(frozen=True)
class Block:
    """A range of seeds of a slice, and the place of its file."""

    folder: Path  # <results>/<scale>/<study>
    slice: Slice = field(compare=False)
    seeds: range

    @property
    def path(self) -> Path:
        """The block's file."""
        first, last = f"{self.seeds.start:03d}", f"{self.seeds.stop - 1:03d}"
        names = {"slice": self.slice.name, "first": first, "last": last}
        return self.folder / BLOCK_FILE.format(folder="blocks", ending="parquet", **names)

    @property
    def recipe(self) -> Recipe:
        """What decides its rows."""
        recipe = self.slice.recipe
        n_seeds = {(setting.identifier, learner): n for setting, learner, n in self.slice.cells}
        fewer: dict[str, dict[str, int]] = {}
        for learner, setting in itertools.product(recipe.learners, recipe.settings):
            n = n_seeds.get((setting, learner), 0)  # the scale may leave a pair out
            if n < self.seeds.stop:
                fewer.setdefault(learner, {})[setting] = n
        seeds = [self.seeds.start, self.seeds.stop - 1]
        return replace(recipe, seeds=seeds, fewer_seeds=fewer or None)

    @property
    def n_fits(self) -> int:
        """Number of fits of the block."""
        return sum(n for _, n in self._counts())

    def seconds(self, measured: Mapping[str, float]) -> float:
        """Expected seconds on one core: of a learner's fits as measured, else as stated."""
        cost = self.slice.study.cost_of_seed
        return measured.get(OTHER, 0.0) + sum(
            measured.get(cell.learner, cost(cell.setting, cell.learner)[0]) * n
            for cell, n in self._counts()
        )

    def _counts(self) -> Iterator[tuple[Cell, int]]:
        for cell in self.slice.cells:
            yield cell, max(0, min(cell.n_seeds, self.seeds.stop) - self.seeds.start)
