"""How far a session is: blocks done, running, failed; seconds per method; time left."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from losaw.study.design.blocks import Block
from losaw.study.design.session import Session
from losaw.study.running.estimate import block_seconds
from losaw.study.running.marks import Running, running_blocks
from losaw.study.running.progress import duration


@dataclass
class StudyStatus:
    """Counts of one study; ``seconds`` and ``fits`` are by learner, of the blocks that are done."""

    study: str
    n_blocks: int = 0
    n_done: int = 0
    failed_blocks: list[Block] = field(default_factory=list)
    failed_fits: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    fits: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    core_seconds_left: float = 0.0
    peak_megabytes: float = 0.0


def study_status(session: Session, name: str) -> StudyStatus:
    """Count what is there, from names and run records; block files are not opened."""
    study = session.study(name)
    status = StudyStatus(name)
    speeds: dict[str, list[float]] = defaultdict(list)  # taken / expected
    left: list[Block] = []
    for block in session.blocks(study):
        status.n_blocks += 1
        if not session.block_path(block).exists():
            left.append(block)
            continue
        status.n_done += 1
        record = _record(session, block)
        if not record:
            continue
        seconds = sum(record["seconds"])
        status.seconds[block.learner] += seconds
        status.fits[block.learner] += len(record["seconds"])
        status.peak_megabytes = max(status.peak_megabytes, record["peak_megabytes"])
        n_failed = record.get("failed_seeds", 0)
        if n_failed:
            status.failed_blocks.append(block)
            status.failed_fits += n_failed
        expected = block_seconds(session, study, block, from_record=False)
        speeds[block.learner].append(record.get("wall_seconds", seconds) / expected)
    for block in left:
        seen = speeds.get(block.learner, [])
        speed = sum(seen) / len(seen) if seen else 1.0
        status.core_seconds_left += speed * block_seconds(session, study, block)
    return status


def describe_status(session: Session, jobs: int | None = None) -> str:
    """The status of all studies as text.

    Parameters
    ----------
    jobs : int or None
        Blocks that run at the same time, for the time left; None counts those that run now.
    """
    found = [study_status(session, study.name) for study in session.studies]
    running = list(running_blocks(session))
    active = [one for one in running if one.alive is not False]
    lines = [
        f"scale {session.scale}, results in {session.results}",
        f"{'study':24}{'blocks':>8}{'done':>8}{'running':>9}{'failed fits':>13}"
        f"{'core time left':>18}",
    ]
    for status in found:
        n_running = sum(one.block.study == status.study for one in active)
        lines.append(
            f"{status.study:24}{status.n_blocks:>8}{status.n_done:>8}{n_running:>9}"
            f"{status.failed_fits:>13}{duration(status.core_seconds_left):>18}"
        )
    for status in found:
        for learner, fits in status.fits.items():
            each = status.seconds[learner] / max(fits, 1)
            lines.append(f"  {status.study}: {learner}: {each:.3g} s a fit over {fits} fits")
        for block in status.failed_blocks[:5]:
            lines.append(f"  failed fits in {block.relative_path}")
    lines += [_describe_running(one) for one in running]
    left = sum(status.core_seconds_left for status in found)
    at_once = jobs or len(active)
    if left and at_once:
        lines.append(
            f"about {duration(left / at_once)} left with {at_once} blocks at the same time"
        )
    elif left:
        lines.append(f"nothing is running; {duration(left)} of core time to do")
    else:
        lines.append("all blocks are done")
    return "\n".join(lines)


def _describe_running(one: Running) -> str:
    where = one.host + (f", Slurm job {one.slurm_job_id}" if one.slurm_job_id else "")
    state = "interrupted" if one.alive is False else "running"
    return f"  {state} since {duration(one.seconds)} on {where}: {one.block.relative_path}"


def _record(session: Session, block: Block) -> dict[str, Any]:
    try:
        return json.loads((session.results / block.run_record_path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
