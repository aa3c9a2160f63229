"""Jobs of blocks: as many blocks as make it worth starting Python once.

A job is named by what it covers: the study, the range of its blocks in the order of the grid, and
its number, for example ``losaw_forest.continuous-N5000-P100.3``.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from losaw.study.design.blocks import Block, BlockName, companies
from losaw.study.design.schema import Scalar
from losaw.study.errors import StudyError
from losaw.study.files.writing import write_text
from losaw.study.running.estimate import START_SECONDS, block_seconds

# Beyond this number jobs grow longer: it is what a scheduler can still look over.
MOST_JOBS = 5000
# A study of more than so many jobs tapers: its last ones take this part of what is left, each. A
# start costs less than a core that waits for another one's last job.
MANY, TAPERING = 2, 4
SLOWEST_MACHINE = 3.0
FEWEST_MINUTES = 10
AGAIN = "# all of them again"
# Axes that a job's name spells as the papers do.
LETTERS = {"n_samples": "N", "n_features": "P"}


@dataclass(frozen=True)
class Job:
    """Blocks of one study that one process computes, one after the other.

    Attributes
    ----------
    name : str
        The study, what all blocks have in common, and the job's number in the study.
    blocks : tuple of Block
    seconds : float
        Expected, on one core, the start included.
    """

    name: str
    blocks: tuple[Block, ...]
    seconds: float

    @property
    def megabytes(self) -> int:
        """Memory of the process, as the study states it."""
        return max(block.series.megabytes for block in self.blocks)

    @property
    def minutes(self) -> int:
        """Run time to request from a cluster: the estimate on a machine three times slower."""
        return max(FEWEST_MINUTES, math.ceil(SLOWEST_MACHINE * self.seconds / 60))


def cut_into_jobs(blocks: Iterable[Block], seconds: float) -> list[Job]:
    """Cut blocks, in their order, into jobs that take about so many seconds each.

    A block that takes longer is a job of its own; blocks that draw the same knockoffs stay
    together. The cut decides which process computes a block, and nothing else. It does not depend
    on what has been run: a job keeps its blocks and its name.
    """
    costs = {block: block_seconds(block, from_record=False) for block in blocks}
    total = sum(costs.values())
    seconds = max(seconds, total / MOST_JOBS)
    of_studies = [list(part) for _, part in groupby(costs, key=lambda block: block.name.study)]
    # The study with the least to do runs last. If it is long, its last jobs become shorter and
    # shorter, so that all cores come to their end at about the same time.
    last = min(of_studies, key=lambda part: sum(map(costs.__getitem__, part)), default=[])
    return [
        Job(job_name(part, number), tuple(part), START_SECONDS + sum(map(costs.__getitem__, part)))
        for of_study in of_studies
        for number, part in enumerate(_parts(of_study, costs, seconds, of_study is last), start=1)
    ]


def _parts(
    blocks: Sequence[Block], costs: dict[Block, float], seconds: float, tapers: bool
) -> Iterator[list[Block]]:
    remaining = sum(map(costs.__getitem__, blocks))
    tapers &= remaining > MANY * seconds
    part: list[Block] = []
    spent, aim = 0.0, seconds
    for company in companies(blocks):
        cost = sum(map(costs.__getitem__, company))
        # The nearer of two ends: without these blocks, or with them.
        if part and spent + cost / 2 > aim:
            yield part
            remaining -= spent
            part, spent = [], 0.0
            if tapers:
                aim = min(seconds, max(remaining, seconds) / TAPERING)
        part += company
        spent += cost
    if part:
        yield part


def job_name(blocks: Sequence[Block], number: int) -> str:
    """Return the name of a study's job: study, what its blocks have in common, number."""
    axes = [block.series.setting.axes for block in blocks]
    common = [
        _spelled(axis, value)
        for axis, value in axes[0].items()
        if all(other.get(axis) == value for other in axes)
    ]
    learners = {block.name.learner for block in blocks}
    words = [*common, *(learners if len(learners) == 1 else ())]
    covered = "-".join(re.sub(r"[^A-Za-z0-9._]+", "-", word) for word in words)
    return ".".join(filter(None, (blocks[0].name.study, covered, str(number))))


def _spelled(axis: str, value: Scalar) -> str:
    if isinstance(value, str) and not value[:1].isdigit():
        return value
    return f"{LETTERS.get(axis, axis)}{value}"


def priorities(jobs: Sequence[Job]) -> dict[str, float]:
    """Return a number below 1 for each job: large studies start first, and their longest jobs.

    What is left at the end is then short, and no core waits for another.
    """
    seconds: dict[str, float] = {}
    for job in jobs:
        study = job.blocks[0].name.study
        seconds[study] = seconds.get(study, 0.0) + job.seconds
    whole = sum(seconds.values()) + 2
    of_study = {job.name: seconds[job.blocks[0].name.study] for job in jobs}
    return {
        job.name: (of_study[job.name] + job.seconds / of_study[job.name]) / whole for job in jobs
    }


def job_list(results: Path, name: str) -> Path:
    """Return the file that lists the blocks of a job, for the process that computes them."""
    return results / "jobs" / f"{name}.txt"


def write_job(results: Path, job: Job, again: bool = False) -> None:
    """Write the list of a job's blocks; with ``again``, those that are stored are computed too."""
    lines = [AGAIN] * again + [str(block.name) for block in job.blocks]
    write_text(job_list(results, job.name), "".join(f"{line}\n" for line in lines))


def read_job(path: Path) -> tuple[list[BlockName], bool]:
    """Return the blocks that a job's list names, and whether stored ones are computed again.

    Raises
    ------
    StudyError
        If there is no such list, or a line does not name a block.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}") from None
    names = [BlockName.from_path(Path(line)) for line in lines if line != AGAIN]
    return names, AGAIN in lines
