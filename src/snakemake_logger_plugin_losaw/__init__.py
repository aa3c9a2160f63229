"""The messages of Snakemake during a run: errors, lint, and little else.

The progress is shown by ``losaw.workflow.course``.

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
_SHOWN = ("Nothing to be done", "Complete log", "Lints for", "Congratulations", "Unlocking")
_INTERRUPTED = "Terminating processes on user request"


class LogHandler(LogHandlerBase):
    """A handler that shows errors with the end of their job's log, and leaves out the rest."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    _is_interrupted = False
    _has_failed_job = False

    def emit(self, record: LogRecord) -> None:
        """Write what a person has to know; everything, in a dry run and where VERBOSE is set."""
        try:
            if os.environ.get("VERBOSE") or self.common_settings.dryrun:
                text = self.format(record)
            else:
                text = self._text_of(record)
        except Exception:  # a log must not end a run
            self.handleError(record)
            return
        if text and text != "None":
            print(text, file=sys.stderr, flush=True)

    def _text_of(self, record: LogRecord) -> str:
        event: Any = getattr(record, "event", None)
        message = record.getMessage() if record.msg else ""
        if message.startswith(_INTERRUPTED):
            self._is_interrupted = True
            return "\nlosaw: interrupted; the same command goes on from the finished blocks"
        if self._is_interrupted:  # what follows are the errors of the processes that were ended
            return ""
        if event == LogEvent.JOB_ERROR:
            self._has_failed_job = True
            return _of_failed_job(record)
        if event == LogEvent.ERROR:
            # The exception of a failed job repeats what was shown, without its log.
            is_repeated = self._has_failed_job and "RuleException" in message
            return "" if is_repeated else message or str(getattr(record, "exception", ""))
        is_shown = message.startswith(_SHOWN) or (event is None and record.levelno >= ERROR)
        return message if is_shown else ""


def _of_failed_job(record: LogRecord) -> str:
    """Return the rule, its log and the last lines of it."""
    lines = [f"losaw: the job {getattr(record, 'rule_name', None) or ''} failed"]
    for log in getattr(record, "log", None) or ():
        lines.append(f"  its log is {log}:")
        try:
            text = Path(log).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        lines += [f"    {line}" for line in text.splitlines()[-_LAST_LINES:]]
    return "\n".join(lines)
