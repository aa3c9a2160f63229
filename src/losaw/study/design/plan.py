"""The part of a session that is one study: its settings, its blocks, its output folders."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from losaw.study.design.blocks import Block
from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting


@dataclass(frozen=True)
class StudyPlan:
    """One study of a session, resolved.

    Attributes
    ----------
    study : Study
    settings : tuple of Setting
        The requested ones with seeds at the session's scale, in the grid's order.
    blocks : dict
        Path -> block, in the grid's order.
    n_seeds : tuple of int
        The numbers of seeds of the settings, each once, ascending.
    results : Path
        The folder of all results, which holds the joint laws.
    folder, figures, published : Path
        Folder of the files that are written from the study's blocks, of its figures, and of the
        printed numbers.
    max_failed_share : float
        Above this share of failed fits a summary refuses.
    scale : str
    request : str
        The words after ``--config`` that ask for this study alone.
    """

    study: Study
    settings: tuple[Setting, ...] = field(repr=False)
    blocks: Mapping[str, Block] = field(repr=False)
    n_seeds: tuple[int, ...]
    results: Path
    folder: Path
    figures: Path
    published: Path
    max_failed_share: float
    scale: str
    request: str

    @property
    def n_fits(self) -> int:
        """Number of requested replicates."""
        return sum(block.n_fits for block in self.blocks.values())
