"""A session without Snakemake: the same blocks, through the same functions, to the same bytes."""

import multiprocessing
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from losaw.study.blocks import Block
from losaw.study.plan import block_seconds
from losaw.study.request import Request
from losaw.study.runner import law_path, load_law, run_block
from losaw.study.session import Session
from losaw.study.store import check_block

_session: Session | None = None


def execute(session: Session, jobs: int) -> int:
    """Compute every block that is not there yet, on ``jobs`` processes.

    Returns
    -------
    int
        Number of blocks computed.

    Raises
    ------
    StudyError
        What a block raised; finished blocks stay, the rest is cancelled.
    """
    fit_laws(session)
    waiting = [block for block in session.all_blocks if _is_open(session, block)]
    # Longest first, so that the last blocks to finish are short.
    waiting.sort(key=lambda b: -block_seconds(session, session.study(b.study), b))
    if jobs == 1:
        for block in _progress(waiting, len(waiting)):
            run_block(session, block)
        return len(waiting)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _start_worker, (session.request,)) as pool:
        futures = [pool.submit(_work, block) for block in waiting]
        try:
            for future in _progress(as_completed(futures), len(futures)):
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
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


def _start_worker(request: Request) -> None:
    global _session
    _session = Session(request, trusted=True)


def _work(block: Block) -> None:
    if _session is None:
        raise RuntimeError("the worker was not started")
    run_block(_session, block)


def _progress(items: Iterable[Any], total: int) -> Iterable[Any]:
    from tqdm import tqdm

    return tqdm(items, total=total, unit="block", disable=None, file=sys.stderr)
