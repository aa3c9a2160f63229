"""Run blocks: compute their seeds in watched children, write their files."""

from collections.abc import Iterable, Iterator, Sequence

from losaw.study.design.blocks import Block, companies
from losaw.study.errors import MissingBlocksError
from losaw.study.files.block_file import blocks_to_do, write_block
from losaw.study.files.footer import footer_of
from losaw.study.files.healing import damaged_small_files, heal
from losaw.study.files.run_record import write_run_record
from losaw.study.running.estimate import block_seconds
from losaw.study.running.joint_laws import fit_laws
from losaw.study.running.progress import Progress
from losaw.study.running.running_marks import mark_path, remove_mark
from losaw.study.running.supervisor import compute
from losaw.study.running.task import Task, open_task


def run_block(block: Block) -> None:
    """Compute a block and write its Parquet file, which is whole or absent, and its run record."""
    for _ in run_blocks([block], jobs=1):
        pass


def run_job(blocks: Iterable[Block], again: bool = False) -> None:
    """Compute those of a job's blocks that are not there yet; finished ones stay if it is ended.

    A block whose mark an ended process has left behind comes last: if it was what ended the
    process, it takes no other block with it a second time. With ``again``, all are computed.
    """
    blocks = list(blocks)
    to_do = sorted(
        blocks if again else blocks_to_do(blocks), key=lambda block: mark_path(block).exists()
    )
    for task in run_blocks(to_do, jobs=1, again=again):
        failed = f", {task.n_failed} failed fits" if task.n_failed else ""
        print(f"{task.block.name}: {sum(task.seconds.values()):.1f} s{failed}", flush=True)


def run_blocks(blocks: Iterable[Block], jobs: int, again: bool = False) -> Iterator[Task]:
    """Compute blocks on ``jobs`` processes; yields each one when its file is written.

    With ``again``, nothing that files hold of them already is taken over.

    Raises
    ------
    StudyError
        If a block cannot be written: at once.
    MissingBlocksError
        If blocks cannot begin (a parameter that a method refuses, a law that is damaged, a
        process that dies before its first seed): when the others are done.
    """
    refusals: list[str] = []
    under_way: set[Block] = set()

    def tasks(company: Iterable[Block]) -> Iterator[Task]:
        for block in company:
            under_way.add(block)  # before its mark: an interruption in between leaves none
            yield open_task(block, again)

    try:
        for task in compute(map(tasks, companies(blocks)), jobs):
            if task.refusal:
                refusals.append(task.refusal)
            else:
                _write(task)
            remove_mark(task.block)
            under_way.remove(task.block)
            if not task.refusal:
                yield task
    finally:
        for block in under_way:
            remove_mark(block)
    if refusals:
        more = f"\n… and {len(refusals) - 5} more" if len(refusals) > 5 else ""
        raise MissingBlocksError(
            f"{len(refusals)} blocks could not begin:\n" + "\n".join(refusals[:5]) + more
        )


def _write(task: Task) -> None:
    """Write the file of a block that is done, and before it the record of how it was run."""
    block = task.block
    write_run_record(
        block.record_path,
        task.mark.started,
        [task.seconds[seed] for seed in block.seeds],
        n_failed=task.n_failed,
        n_taken_over=task.n_taken_over,
        peak_megabytes=task.peak_megabytes,
    )
    rows = [row for seed in block.seeds for row in task.rows[seed]]
    write_block(block, rows, footer_of(block, task.law))


def execute(blocks: Sequence[Block], jobs: int) -> int:
    """Compute every block that is missing, stale or damaged, on ``jobs`` processes.

    Damaged joint laws are fitted again. A block whose run record is lost is computed too.

    Returns
    -------
    int
        Number of blocks computed.

    Raises
    ------
    StudyError
        If a block cannot be written. Finished blocks stay, the rest is cancelled.
    MissingBlocksError
        If blocks could not begin. All others are done.
    """
    heal(damaged_small_files(blocks))
    fit_laws(blocks)
    # Longest first, so that the last blocks to finish are short.
    to_do = companies(blocks_to_do(blocks))
    to_do.sort(key=lambda company: -sum(map(block_seconds, company)))
    waiting = [block for company in to_do for block in company]
    progress = Progress(waiting, len(blocks))
    for _ in run_blocks(waiting, jobs):
        progress.show_if_due()
    if waiting:
        progress.end()
    return len(waiting)
