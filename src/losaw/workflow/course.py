"""The course of a run of Snakemake: its announcement, start, end and failure."""

import shlex
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path

from losaw.kernels.machine_code import is_compiled
from losaw.study.design.blocks import Block
from losaw.study.results.tally import describe_end
from losaw.study.running.estimate import START_SECONDS, block_seconds
from losaw.study.running.jobs import job_list, write_job
from losaw.study.running.progress import Progress, duration
from losaw.workflow.rules import Workflow


class Course:
    """A run from its announcement to its last line.

    Parameters
    ----------
    workflow : Workflow
        Of the main process.
    """

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._blocks = workflow.session.all_blocks
        again = {block for job in workflow.jobs if workflow.is_forced(job) for block in job.blocks}
        self._to_do = [b for b in self._blocks if b not in workflow.stored or b in again]
        self._stopped = threading.Event()
        self._progress = Progress(self._to_do, len(self._blocks))
        self._thread = threading.Thread(
            target=self._progress.show_until, args=(self._stopped,), daemon=True
        )
        self._announce()

    def _announce(self) -> None:
        """Print how much there is to compute, before Snakemake prints anything."""
        to_do = set(self._to_do)
        n_jobs = sum(not to_do.isdisjoint(job.blocks) for job in self._workflow.jobs)
        seconds = n_jobs * START_SECONDS + sum(map(block_seconds, self._to_do))
        work = f", in {n_jobs} jobs, about {duration(seconds)} on one core"
        _say(f"{len(self._to_do)} of {len(self._blocks)} blocks to compute{work if n_jobs else ''}")

    def start(self) -> None:
        """List the blocks of every job, compile once before all jobs do, and show progress."""
        for job in self._workflow.jobs:
            write_job(self._workflow.results, job, self._workflow.is_forced(job))
        if self._to_do and not is_compiled():
            _say("compiling once, for about two minutes")
            subprocess.run([sys.executable, "-m", "losaw", "internal", "compile"], check=False)
        if self._to_do:
            self._thread.start()

    def finish(self) -> None:
        """Remove the lists of jobs, and print where the report is."""
        self._stop()
        for job in self._workflow.jobs:
            job_list(self._workflow.results, job.name).unlink(missing_ok=True)
        plans = self._workflow.session.plans
        if all((plan.folder / "comparison.csv").exists() for plan in plans):
            print(describe_end(plans), file=sys.stderr, flush=True)

    def fail(self, failed: Iterable[str]) -> None:
        """Write summaries, tables, figures and report without the blocks that failed.

        A summary states how many blocks are missing, and refuses above ``max_failed_share``. Where
        a missing block has not failed, the run was interrupted, and nothing is summarised.

        Parameters
        ----------
        failed : iterable of str
            Outputs of the jobs whose last attempt failed.
        """
        self._stop()
        failed = set(failed)
        missing = [block for block in self._blocks if not block.path.exists()]
        if not missing or not all(_has_failed(block, failed) for block in missing):
            return
        logs = dict.fromkeys(map(self._log_of, missing))
        _say(
            f"{len(missing)} of {len(self._blocks)} blocks failed, for example {missing[0].path}; "
            "going on without them. The same command tries them again. "
            f"Logs: {_listed(map(str, logs))}"
        )
        words = shlex.split(self._workflow.arguments)
        subprocess.run([sys.executable, "-m", "losaw", "report", *words], check=False)

    def _log_of(self, block: Block) -> Path:
        name = next(job.name for job in self._workflow.jobs if block in job.blocks)
        return job_list(self._workflow.results, name).with_suffix(".log")

    def _stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(5)
        if self._to_do:
            self._progress.end()


def _has_failed(block: Block, failed: set[str]) -> bool:
    return not failed.isdisjoint([str(block.path), str(block.law_path)])


def _say(text: str) -> None:
    print(f"losaw: {text}", file=sys.stderr, flush=True)


def _listed(names: Iterable[str]) -> str:
    first, *others = names
    return f"{first} and {len(others)} more" if others else first
