"""What Snakemake says of a run: one line of progress, and what failed.

Snakemake looks for its plugins by the name of a top-level module (``--logger losaw``). Its own log
goes to ``.snakemake/log``; ``VERBOSE=1`` brings it back to the terminal.
"""

import os
import sys
from logging import ERROR, LogRecord
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

_LAST_LINES = 15
_KEPT = ("Nothing to be done", "Complete log")


class LogHandler(LogHandlerBase):
    """Errors with the end of their job's log; all else is told by the line of progress."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Write what a person has to know; everything, in a dry run and where VERBOSE is set."""
        try:
            if os.environ.get("VERBOSE") or self.common_settings.dryrun:
                text = self.format(record)
            else:
                text = self._told(record)
        except Exception:  # a log must not end a run
            self.handleError(record)
            return
        if text and text != "None":
            print(text, file=sys.stderr, flush=True)

    def _told(self, record: LogRecord) -> str:
        event: Any = getattr(record, "event", None)
        if event == LogEvent.JOB_ERROR:
            return _of_failed_job(record)
        if event == LogEvent.ERROR:
            return str(getattr(record, "exception", None) or record.getMessage())
        message = record.getMessage() if record.msg else ""
        is_kept = message.startswith(_KEPT) or (event is None and record.levelno >= ERROR)
        return message if is_kept else ""


def _of_failed_job(record: LogRecord) -> str:
    """The rule, its log and the end of it."""
    lines = [f"losaw: the job {getattr(record, 'rule_name', None) or ''} failed"]
    for log in getattr(record, "log", None) or ():
        lines.append(f"  its log is {log}:")
        try:
            text = Path(log).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        lines += [f"    {line}" for line in text.splitlines()[-_LAST_LINES:]]
    return "\n".join(lines)
