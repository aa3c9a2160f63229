"""The logs of jobs that computed a block; each is next to the list of the job's blocks."""

import shlex
from collections.abc import Iterable
from pathlib import Path

from losaw.study.design.blocks import BlockName
from losaw.study.files.run_record import read_run_record
from losaw.study.running.jobs import job_list


def logs_of(results: Path, blocks: Iterable[BlockName]) -> dict[BlockName, Path]:
    """Block -> log of the job that computed it, or was to compute it.

    A block that is there names its job in the record of its run, a missing one is in the list of a
    job that did not end well. A block that no job of the workflow had has no log: what
    ``losaw run`` says, it says to the terminal.
    """
    listed = _listed(results)
    logs = {}
    for block in blocks:
        record = read_run_record(results / block.run_record_path)
        log = (record and _named(record.command, results)) or listed.get(str(block))
        if log is not None and log.is_file():
            logs[block] = log
    return logs


def _named(command: str, results: Path) -> Path | None:
    """The log of a job that was started as ``losaw internal blocks <list> …``."""
    words = shlex.split(command)
    if "blocks" not in words[:-1]:
        return None
    name = Path(words[words.index("blocks") + 1]).stem
    return job_list(results, name).with_suffix(".log")


def _listed(results: Path) -> dict[str, Path]:
    lists = sorted(job_list(results, "job").parent.glob("*.txt"))
    return {
        line: path.with_suffix(".log")
        for path in lists
        for line in path.read_text(encoding="utf-8").splitlines()
    }
