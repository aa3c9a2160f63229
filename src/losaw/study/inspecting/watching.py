"""The progress of a session that other processes compute, shown until it is done."""

import sys
from collections.abc import Sequence
from threading import Event
from typing import TextIO

from losaw.study.design.plan import StudyPlan
from losaw.study.files.block_file import blocks_to_do
from losaw.study.running.progress import Progress


def watch(
    plans: Sequence[StudyPlan], every: float | None = None, out: TextIO | None = None
) -> None:
    """Show the progress until all blocks are done or the person interrupts.

    Parameters
    ----------
    plans : sequence of StudyPlan
    every : float or None
        Seconds between two lines; None is 1 on a terminal and 30 elsewhere.
    out : file or None
        None is the standard output.
    """
    blocks = [block for plan in plans for block in plan.blocks]
    out = sys.stdout if out is None else out
    progress = Progress(blocks_to_do(blocks), len(blocks), every, out)
    try:
        progress.show()
        progress.show_until(Event())
    except KeyboardInterrupt:
        pass
    print(file=out)
