"""Marks of the blocks that are being computed, next to their run records."""

import contextlib
import datetime
import json
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from losaw.study.design.blocks import Block, BlockName
from losaw.study.design.plan import StudyPlan
from losaw.study.files.writing import write_text
from losaw.support.whole_files import is_running

SUFFIX = ".running"
# Names the job of the workflow to the process that computes its blocks.
JOB_VARIABLE = "LOSAW_JOB"


def mark_path(block: Block) -> Path:
    """Return the file of a block's mark."""
    return block.record_path.with_suffix(SUFFIX)


class RunningMark:
    """The mark of a block that this process computes, until :func:`remove_mark`.

    Raises
    ------
    StudyError
        If it cannot be written: the block could not be written either.
    """

    def __init__(self, block: Block) -> None:
        self.started = datetime.datetime.now(datetime.UTC)
        content = {
            "host": platform.node(),
            "pid": os.getpid(),
            "slurm_job_id": os.environ.get("SLURM_JOB_ID", ""),
            "job": os.environ.get(JOB_VARIABLE, ""),
            "started": self.started.isoformat(timespec="seconds"),
        }
        write_text(mark_path(block), json.dumps(content) + "\n")


def remove_mark(block: Block) -> None:
    """Remove the mark of a block, if there is one."""
    with contextlib.suppress(OSError):
        mark_path(block).unlink(missing_ok=True)


@dataclass(frozen=True)
class Running:
    """A mark that was found.

    Attributes
    ----------
    block : Block
    host, slurm_job_id : str
    job : str
        The job of the workflow; empty where there is none.
    seconds : float
        Since it began.
    alive : bool or None
        Whether its process is there; None if it runs on another host, where we cannot look.
    """

    block: Block
    host: str
    slurm_job_id: str
    job: str
    seconds: float
    alive: bool | None


def running_blocks(plan: StudyPlan) -> Iterator[Running]:
    """The marks in a study's folder, whatever selection its blocks belong to."""
    for path in sorted(plan.folder.glob(f"runs/*/*/seeds_*{SUFFIX}")):
        block_path = plan.folder / "blocks" / path.relative_to(plan.folder / "runs")
        try:
            block = plan.block(BlockName.from_path(block_path.with_suffix(".parquet")))
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            started = datetime.datetime.fromisoformat(content["started"])
        except (OSError, ValueError, KeyError):  # gone just now, half written, of no known block
            continue
        spent = (datetime.datetime.now(datetime.UTC) - started).total_seconds()
        on_this_host = content.get("host") == platform.node()
        alive = is_running(content.get("pid", 0)) if on_this_host else None
        host, slurm, job = (str(content.get(key, "")) for key in ("host", "slurm_job_id", "job"))
        yield Running(block, host, slurm, job, max(spent, 0.0), alive)
