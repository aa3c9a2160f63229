"""The part of a session that is one study: its settings, its blocks, its output files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from losaw.study.design.blocks import Block, BlockName
from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting
from losaw.study.errors import StudyError


@dataclass(frozen=True)
class StudyPlan:
    """One study of a session, resolved.

    Attributes
    ----------
    study : Study
    settings : tuple of Setting
        The requested ones with seeds at the session's scale, in the grid's order.
    blocks : tuple of Block
        All requested ones, in the grid's order.
    n_seeds : tuple of int
        The numbers of seeds of the settings, each once, ascending.
    results, folder, figures, published : Path
        Folder of all results, of the files that are written from the study's blocks, of the
        figures, and of the printed numbers.
    max_failed_share : float
        Above this share of failed or missing fits a summary refuses.
    scale : str
    request : str
        The command-line options that ask for this study alone.
    configuration : dict
        The configuration, as plain values.
    block : callable
        The block of a :class:`BlockName`, requested or not.
    blocks_at_other_scales : callable
        The same block as the scales define it that compute its learner otherwise.
    """

    study: Study
    settings: tuple[Setting, ...] = field(repr=False)
    blocks: tuple[Block, ...] = field(repr=False)
    n_seeds: tuple[int, ...]
    results: Path
    folder: Path
    figures: Path
    published: Path
    max_failed_share: float
    scale: str
    request: str
    configuration: Mapping[str, Any] = field(repr=False)
    block: Callable[[BlockName], Block] = field(repr=False)
    blocks_at_other_scales: Callable[[BlockName], list[Block]] = field(repr=False)

    @property
    def n_fits(self) -> int:
        """Number of requested replicates."""
        return sum(len(block.seeds) for block in self.blocks)


def blocks_by_setting(plan: StudyPlan) -> list[Block]:
    """Requested and other blocks, setting by setting, the requested ones first."""
    place = {setting.identifier: index for index, setting in enumerate(plan.study.settings)}
    blocks = [*plan.blocks, *other_blocks(plan)]
    return sorted(blocks, key=lambda block: place[block.name.setting])


def other_blocks(plan: StudyPlan) -> list[Block]:
    """The stored blocks of the study that are not requested, by name.

    Another selection, scale or number of seeds has left them. What belongs to no setting or
    learner of the study file any more is not among them.
    """
    asked = set(plan.blocks)
    others = []
    for path in sorted(plan.folder.glob("blocks/*/*/seeds_*.parquet")):
        try:
            block = plan.block(BlockName.from_path(path))
        except StudyError:
            continue
        if block not in asked:
            others.append(block)
    return others
