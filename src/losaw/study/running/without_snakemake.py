"""Blocks without Snakemake: the same blocks by the same functions, with equal bytes."""

from collections.abc import Sequence

from losaw.study.design.blocks import Block
from losaw.study.files.block_file import blocks_to_do
from losaw.study.files.healing import damaged_small_files, heal
from losaw.study.running.estimate import block_seconds
from losaw.study.running.joint_laws import fit_laws
from losaw.study.running.progress import Progress
from losaw.study.running.runner import run_blocks


def execute(blocks: Sequence[Block], jobs: int) -> int:
    """Compute every block that is missing, stale or damaged, on ``jobs`` processes.

    Damaged joint laws are fitted again. A block whose run record is lost is computed too.

    Returns
    -------
    int
        Number of blocks computed.

    Raises
    ------
    StudyError
        If a block cannot be written. Finished blocks stay, the rest is cancelled.
    MissingBlocksError
        If blocks could not begin. All others are done.
    """
    heal(damaged_small_files(blocks))
    fit_laws(blocks)
    # Longest first, so that the last blocks to finish are short.
    waiting = sorted(blocks_to_do(blocks), key=lambda block: -block_seconds(block))
    progress = Progress(waiting, len(blocks))
    for _ in run_blocks(waiting, jobs):
        progress.show_if_due()
    if waiting:
        progress.end()
    return len(waiting)
