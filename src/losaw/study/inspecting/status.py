"""The progress of a session: blocks done, running, failed; seconds per method; time left."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from losaw.study.design.blocks import Block
from losaw.study.design.plan import StudyPlan, other_blocks
from losaw.study.files.block_file import blocks_to_do
from losaw.study.files.run_record import read_run_record
from losaw.study.running.estimate import block_seconds
from losaw.study.running.progress import duration
from losaw.study.running.running_marks import Running, running_blocks


@dataclass
class StudyStatus:
    """Counts of one study; ``seconds`` and ``fits`` are by learner, of the blocks that are done.

    ``n_stale`` of the requested blocks have a file that a run will replace; ``n_others``
    lie there and are not asked for. ``n_fits`` of ``n_fits_asked`` replicates are in blocks that
    are done.
    """

    study: str
    n_blocks: int = 0
    n_done: int = 0
    n_stale: int = 0
    n_others: int = 0
    n_fits: int = 0
    n_fits_asked: int = 0
    failed_blocks: list[Block] = field(default_factory=list)
    failed_fits: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    fits: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    core_seconds_left: float = 0.0
    peak_megabytes: float = 0.0

    def remarks(self) -> list[str]:
        """Remarks in addition to the counts, one line each."""
        lines = []
        for learner, fits in self.fits.items():
            each = self.seconds[learner] / max(fits, 1)
            lines.append(f"  {self.study}: {learner}: {each:.3g} s a fit over {fits} fits")
        if self.n_stale:
            lines.append(
                f"  {self.study}: {self.n_stale} blocks are stale or damaged (`losaw verify` "
                "says why) and will be run again"
            )
        if self.n_others:
            lines.append(
                f"  {self.study}: {self.n_others} further blocks lie there that this selection "
                "does not ask for; those that the same definition made are collected with it"
            )
        return [*lines, *(f"  failed fits in {block.name}" for block in self.failed_blocks[:5])]


def study_status(plan: StudyPlan) -> StudyStatus:
    """Count the files in the study's folder, requested ones and others."""
    status = StudyStatus(plan.study.name)
    speeds: dict[str, list[float]] = defaultdict(list)  # taken / expected
    left = blocks_to_do(plan.blocks)
    to_do = set(left)
    others = other_blocks(plan)
    status.n_blocks, status.n_done = len(plan.blocks), len(plan.blocks) - len(left)
    status.n_fits_asked = sum(len(block.seeds) for block in plan.blocks)
    status.n_fits = status.n_fits_asked - sum(len(block.seeds) for block in left)
    status.n_stale = sum(block.path.exists() for block in left)
    status.n_others = len(others)
    for block in [*plan.blocks, *others]:
        if block in to_do:
            continue
        record = read_run_record(block.record_path)
        if record is None:
            continue
        learner = block.name.learner
        status.seconds[learner] += record.core_seconds
        status.fits[learner] += len(record.seconds)
        status.peak_megabytes = max(status.peak_megabytes, record.peak_megabytes)
        if record.failed_seeds:
            status.failed_blocks.append(block)
            status.failed_fits += record.failed_seeds
        speeds[learner].append(record.wall_seconds / block_seconds(block, from_record=False))
    for block in left:
        seen = speeds.get(block.name.learner, [])
        speed = sum(seen) / len(seen) if seen else 1.0
        status.core_seconds_left += speed * block_seconds(block)
    return status


def describe_status(plans: Sequence[StudyPlan], jobs: int | None = None) -> str:
    """Return a line for each study, for each learner and for each running block.

    Parameters
    ----------
    jobs : int or None
        Blocks that run at the same time, for the time left; None counts those that run now.
    """
    studies = [study_status(plan) for plan in plans]
    running = [mark for plan in plans for mark in running_blocks(plan)]
    active = [mark for mark in running if mark.alive is not False]
    lines = [
        f"scale {plans[0].scale}, results in {plans[0].results}",
        f"{'study':24}{'blocks':>8}{'done':>8}{'running':>9}{'fits':>8}{'failed fits':>13}"
        f"{'core time left':>18}",
    ]
    for status in studies:
        n_running = sum(mark.block.name.study == status.study for mark in active)
        lines.append(
            f"{status.study:24}{status.n_blocks:>8}{status.n_done:>8}{n_running:>9}"
            f"{status.n_fits:>8}{status.failed_fits:>13}"
            f"{duration(status.core_seconds_left):>18}"
        )
    lines += [line for status in studies for line in status.remarks()]
    lines += map(_describe_running, running)
    left = sum(status.core_seconds_left for status in studies)
    return "\n".join([*lines, _time_left(left, jobs or len(active))])


def _time_left(seconds: float, at_once: int) -> str:
    if not seconds:
        return "all blocks are done"
    if not at_once:
        return f"nothing is running; {duration(seconds)} of core time to do"
    return f"about {duration(seconds / at_once)} left with {at_once} blocks at the same time"


def _describe_running(mark: Running) -> str:
    where = mark.host + (f", Slurm job {mark.slurm_job_id}" if mark.slurm_job_id else "")
    where += f", {mark.job}" if mark.job else ""
    state = "interrupted" if mark.alive is False else "running"
    return f"  {state} since {duration(mark.seconds)} on {where}: {mark.block.name}"
