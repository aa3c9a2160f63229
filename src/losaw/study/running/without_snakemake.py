"""Blocks without Snakemake: the same ones, through the same functions, to the same bytes."""

from collections.abc import Sequence

from losaw.study.design.blocks import Block
from losaw.study.files.block_file import blocks_to_do
from losaw.study.files.healing import damaged_small_files, heal
from losaw.study.running.estimate import block_seconds
from losaw.study.running.joint_laws import fit_laws
from losaw.study.running.progress import Progress
from losaw.study.running.runner import run_blocks


def execute(blocks: Sequence[Block], jobs: int) -> int:
    """Compute every block that is not there yet, or damaged, on ``jobs`` processes.

    Damaged joint laws are fitted again; a block is also to do where the record of its run is lost.

    Returns
    -------
    int
        Number of blocks computed.

    Raises
    ------
    StudyError
        If a block cannot be written; finished blocks stay, the rest is cancelled.
    MissingBlocksError
        If blocks could not begin; all others are done.
    """
    heal(damaged_small_files(blocks))
    fit_laws(blocks)
    seconds = {block: block_seconds(block) for block in blocks_to_do(blocks)}
    # Longest first, so that the last blocks to finish are short.
    waiting = sorted(seconds, key=lambda block: -seconds[block])
    with Progress(seconds, jobs) as progress:
        for task in run_blocks(waiting, jobs):
            progress.done(task.block, task.n_failed)
    return len(waiting)
