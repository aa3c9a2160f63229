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
    seconds = max(seconds, sum(costs.values()) / MOST_JOBS)
    return [
        _job(part, costs)
        for _, of_study in groupby(costs, key=lambda block: block.name.study)
        for part in _parts(of_study, costs, seconds)
    ]


def _parts(
    blocks: Iterable[Block], costs: dict[Block, float], seconds: float
) -> Iterator[list[Block]]:
    part: list[Block] = []
    spent = 0.0
    for block in blocks:
        # The nearer of two ends: one block less, or one more.
        if part and spent + costs[block] / 2 > seconds:
            yield part
            part, spent = [], 0.0
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
