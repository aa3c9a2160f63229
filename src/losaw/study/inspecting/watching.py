"""Watching a session until it is done: the status, drawn anew, or a line now and then."""

import shutil
import sys
from collections.abc import Sequence
from time import monotonic, sleep, strftime
from typing import TextIO

from losaw.study.design.plan import StudyPlan
from losaw.study.inspecting.status import SessionStatus, session_status

SECONDS_ON_A_TERMINAL = 2.0
SECONDS_IN_A_LOG = 30.0
# Looking at a large study takes long: it shall not take all the time.
SHARE_SPENT_LOOKING = 0.1


def watch(
    plans: Sequence[StudyPlan],
    jobs: int | None = None,
    every: float | None = None,
    out: TextIO | None = None,
) -> None:
    """Show the status again and again until all blocks are done or the person interrupts.

    On a terminal the whole status is drawn over the last one; elsewhere a line follows a line.

    Parameters
    ----------
    plans : sequence of StudyPlan
    jobs : int or None
        As in :class:`losaw.study.inspecting.status.SessionStatus`.
    every : float or None
        Seconds between two looks; None is 2 on a terminal and 30 elsewhere. Where looking takes
        more than a tenth of this, it is done less often.
    out : file or None
        Where to; None is the standard output.
    """
    out = sys.stdout if out is None else out
    on_terminal = out.isatty()
    pause = every or (SECONDS_ON_A_TERMINAL if on_terminal else SECONDS_IN_A_LOG)
    drawn = 0
    try:
        while True:
            began = monotonic()
            status = session_status(plans, jobs)
            drawn = _redraw(status, drawn, out) if on_terminal else _say(status, out)
            if status.is_done:
                return
            took = monotonic() - began
            sleep(max(pause, took / SHARE_SPENT_LOOKING))
    except KeyboardInterrupt:
        print(file=out)


def _say(status: SessionStatus, out: TextIO) -> int:
    now = strftime("%H:%M:%S")
    print(f"{now}  {status.line()}", file=out, flush=True)
    return 0


def _redraw(status: SessionStatus, drawn: int, out: TextIO) -> int:
    """Draw over the last ``drawn`` lines; returns how many there are now, none of them wrapped."""
    columns, rows = shutil.get_terminal_size()
    lines = [line[: columns - 1] for line in str(status).splitlines()]
    if len(lines) >= rows:
        lines = [*lines[: rows - 3], "  …", lines[-1]]
    over = f"\033[{drawn}F\033[J" if drawn else ""
    print(over + "\n".join(lines), file=out, flush=True)
    return len(lines)
