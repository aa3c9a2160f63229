"""Jobs: as many blocks as make it worth starting Python once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from losaw.study.design.blocks import Block, BlockName
from losaw.study.design.identifiers import short_digest
from losaw.study.errors import StudyError
from losaw.study.files.writing import write_text
from losaw.study.running.estimate import START_SECONDS, block_seconds

# Beyond this number jobs grow longer: it is what a scheduler can still look over.
MOST_JOBS = 5000
# A study of more than so many jobs tapers: its last ones take this part of what is left, each. A
# start costs less than a core that waits for another one's last job.
MANY, TAPERING = 2, 4
AGAIN = "# all of them again"


@dataclass(frozen=True)
class Job:
    """Blocks of one study that one process computes, one after the other.

    Attributes
    ----------
    name : str
        The study and a digest of the blocks and their versions.
    blocks : tuple of Block
    seconds : float
        Expected, on one core, the start included.
    """

    name: str
    blocks: tuple[Block, ...]
    seconds: float

    @property
    def laws(self) -> list[str]:
        """Files of the joint laws that the blocks draw from."""
        paths = dict.fromkeys(block.law_path for block in self.blocks)
        return [str(path) for path in paths if path is not None]

    @property
    def megabytes(self) -> int:
        """Memory of the process, as the study states it."""
        return max(block.series.megabytes for block in self.blocks)


def cut_into_jobs(blocks: Iterable[Block], seconds: float) -> list[Job]:
    """Cut blocks, in their order, into jobs that take about so many seconds each.

    A block that takes longer is a job of its own. Blocks do not change: the cut decides which
    process computes them, and nothing else.
    """
    costs = {block: block_seconds(block) for block in blocks}
    total = sum(costs.values())
    seconds = max(seconds, total / MOST_JOBS)
    of_studies = [list(part) for _, part in groupby(costs, key=lambda block: block.name.study)]
    # The study with the least to do runs last (Workflow.priority). If it is long,
    # its last jobs become shorter and shorter: all cores come to their end at about the same time.
    last = min(of_studies, key=lambda part: sum(map(costs.__getitem__, part)), default=[])
    return [
        _job(part, costs)
        for of_study in of_studies
        for part in _parts(of_study, costs, seconds, tapers=of_study is last)
    ]


def _parts(
    blocks: Sequence[Block], costs: dict[Block, float], seconds: float, tapers: bool
) -> Iterator[list[Block]]:
    remaining = sum(map(costs.__getitem__, blocks))
    tapers &= remaining > MANY * seconds
    part: list[Block] = []
    spent, aim = 0.0, seconds
    for block in blocks:
        # The nearer of two ends: one block less, or one more.
        if part and spent + costs[block] / 2 > aim:
            yield part
            remaining -= spent
            part, spent = [], 0.0
            if tapers:
                aim = min(seconds, max(remaining, seconds) / TAPERING)
        part.append(block)
        spent += costs[block]
    if part:
        yield part


def _job(blocks: Sequence[Block], costs: dict[Block, float]) -> Job:
    digest = short_digest([[str(block.name), block.series.version] for block in blocks])
    seconds = START_SECONDS + sum(costs[block] for block in blocks)
    return Job(f"{blocks[0].name.study}-{digest}", tuple(blocks), seconds)


def job_list(results: Path, name: str) -> Path:
    """The file that lists the blocks of a job, for the process that computes them."""
    return results / "jobs" / f"{name}.txt"


def write_job(results: Path, job: Job, again: bool = False) -> None:
    """List the blocks of a job; ``again``: to be computed whatever lies there."""
    lines = [AGAIN] * again + [str(block.name) for block in job.blocks]
    write_text(job_list(results, job.name), "".join(f"{line}\n" for line in lines))


def read_job(path: Path) -> tuple[list[BlockName], bool]:
    """The blocks that a job's list names, and whether they are computed whatever lies there.

    Raises
    ------
    StudyError
        If there is no such list, or a line of it names no block.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise StudyError(f"{path}: cannot be read: {error.strerror}") from None
    names = [BlockName.from_path(Path(line)) for line in lines if line != AGAIN]
    return names, AGAIN in lines
