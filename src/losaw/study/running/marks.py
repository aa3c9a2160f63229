"""Which blocks are being computed: a mark beside the run record while a block runs."""

import contextlib
import datetime
import json
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from losaw.study.design.blocks import Block
from losaw.study.design.session import Session
from losaw.study.errors import StudyError

SUFFIX = ".running"


def mark_path(session: Session, block: Block) -> Path:
    """Where the mark of a block lies."""
    return (session.results / block.run_record_path).with_suffix(SUFFIX)


class RunningMark:
    """The mark of a block that this process computes; gone when the block is done.

    Raises
    ------
    StudyError
        If it cannot be written: the block could not be written either.
    """

    def __init__(self, session: Session, block: Block) -> None:
        self.started = datetime.datetime.now(datetime.UTC)
        self._path = mark_path(session, block)
        content = {
            "host": platform.node(),
            "pid": os.getpid(),
            "slurm_job_id": os.environ.get("SLURM_JOB_ID", ""),
            "started": self.started.isoformat(timespec="seconds"),
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(content) + "\n", encoding="utf-8")
        except OSError as error:
            raise StudyError(
                f"{self._path}: cannot be written: {error.strerror or error}. Finished results are "
                "untouched; free space or choose another folder with --output, then run it again"
            ) from None

    def remove(self) -> None:
        """Take the mark away."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Running:
    """A mark that was found.

    Attributes
    ----------
    block : Block
    host, slurm_job_id : str
    seconds : float
        Since it began.
    alive : bool or None
        Whether its process is there; None if it runs on another host, where we cannot look.
    """

    block: Block
    host: str
    slurm_job_id: str
    seconds: float
    alive: bool | None


def running_blocks(session: Session) -> Iterator[Running]:
    """The marks of the session's blocks."""
    for block in session.all_blocks:
        path = mark_path(session, block)
        try:
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            started = datetime.datetime.fromisoformat(content["started"])
        except (OSError, ValueError, KeyError):
            continue
        spent = (datetime.datetime.now(datetime.UTC) - started).total_seconds()
        here = content.get("host") == platform.node()
        alive = _is_alive(int(content.get("pid", 0))) if here else None
        yield Running(
            block, content.get("host", ""), content.get("slurm_job_id", ""), max(spent, 0.0), alive
        )


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return pid > 0
