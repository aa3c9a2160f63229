"""A session without Snakemake: the same blocks, through the same functions, to the same bytes."""

from pathlib import Path
from typing import Any

from losaw.study.design.blocks import Block
from losaw.study.design.session import Session
from losaw.study.files.block_file import check_block
from losaw.study.running.estimate import block_seconds
from losaw.study.running.progress import Progress
from losaw.study.running.runner import law_path, load_law, run_blocks


def execute(session: Session, jobs: int) -> int:
    """Compute every block that is not there yet, on ``jobs`` processes.

    Returns
    -------
    int
        Number of blocks computed.

    Raises
    ------
    StudyError
        If a block cannot be written; finished blocks stay, the rest is cancelled.
    MissingBlocksError
        If blocks could not begin; all others are done.
    """
    fit_laws(session)
    waiting = [block for block in session.all_blocks if _is_open(session, block)]
    seconds = {b: block_seconds(session, session.study(b.study), b) for b in waiting}
    # Longest first, so that the last blocks to finish are short.
    waiting.sort(key=lambda block: -seconds[block])
    with Progress(seconds, jobs) as progress:
        for task in run_blocks(session, waiting, jobs):
            progress.done(task.block, task.n_failed)
    return len(waiting)


def fit_laws(session: Session, only: Path | None = None) -> None:
    """Fit and store every joint law (or one of them) that the session's blocks draw from."""
    for path, generator in laws(session).items():
        if only in (None, path) and not path.exists():
            load_law(generator, session.laws_folder)


def laws(session: Session) -> dict[Path, Any]:
    """File -> a generator that draws from the joint law in it."""
    found: dict[Path, Any] = {}
    for study in session.studies:
        for setting in session.settings(study):
            generator = study.generator.entry.create(**setting.parameters)
            path = law_path(generator, session.laws_folder)
            if path is not None:
                found.setdefault(path, generator)
    return found


def _is_open(session: Session, block: Block) -> bool:
    path = session.block_path(block)
    return not path.exists() or check_block(path, block, session.version(block)) is not None
