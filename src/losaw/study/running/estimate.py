"""What a session will cost, before anything runs."""

import contextlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

from losaw.study.design.blocks import Block
from losaw.study.design.grid import Study, as_values, first_match
from losaw.study.design.session import Session

UNMEASURED_SECONDS_PER_SEED = 1.0
START_SECONDS = 2.0
BYTES_PER_BLOCK = 12_000
BYTES_PER_SCORE = 10


@dataclass(frozen=True)
class Estimate:
    """Cost of a study: blocks, core-hours, bytes; ``measured`` tells whether costs are known."""

    study: str
    n_settings: int
    n_blocks: int
    n_done: int
    n_fits: int
    core_hours: float
    core_hours_left: float
    megabytes: float
    measured: bool
    n_left: int
    longest_seconds: float


def seconds_per_seed(
    session: Session, study: Study, block: Block, from_record: bool = True
) -> float | None:
    """Measured cost of one seed: from this block's run record, else from the study file."""
    if from_record:
        with contextlib.suppress(OSError, ValueError, KeyError):
            record = (session.results / block.run_record_path).read_text(encoding="utf-8")
            seconds = json.loads(record)["seconds"]
            return sum(seconds) / max(len(seconds), 1)
    written = study.file.seconds_per_seed
    entries = [e for e in written if block.learner in as_values(e.get("learner", block.learner))]
    entry = first_match(entries, study.setting(block.setting), ("learner", "seconds"))
    return float(entry["seconds"]) if entry else None


def block_seconds(session: Session, study: Study, block: Block, from_record: bool = True) -> float:
    """Expected seconds of a block on one core, its start included."""
    cost = seconds_per_seed(session, study, block, from_record)
    cost = UNMEASURED_SECONDS_PER_SEED if cost is None else cost
    return START_SECONDS + cost * len(block.seeds)


def estimate(session: Session) -> Iterator[Estimate]:
    """One estimate per study of the session."""
    for study in session.studies:
        blocks = session.blocks(study)
        seconds = {block: block_seconds(session, study, block) for block in blocks}
        left = [block for block in blocks if not session.block_path(block).exists()]
        n_features = [
            float(session.study(study.name).setting(b.setting).parameters.get("n_features", 10))
            for b in blocks
        ]
        scores = sum(p * len(b.seeds) for p, b in zip(n_features, blocks, strict=True))
        yield Estimate(
            study=study.name,
            n_settings=len(session.settings(study)),
            n_blocks=len(blocks),
            n_done=len(blocks) - len(left),
            n_fits=sum(len(block.seeds) for block in blocks),
            core_hours=sum(seconds.values()) / 3600,
            core_hours_left=sum(seconds[block] for block in left) / 3600,
            megabytes=(len(blocks) * BYTES_PER_BLOCK + scores * BYTES_PER_SCORE) / 1e6,
            n_left=len(left),
            longest_seconds=max((seconds[block] for block in left), default=0.0),
            measured=all(seconds_per_seed(session, study, b) is not None for b in blocks),
        )


def describe(session: Session, jobs: int | None = None) -> str:
    """The estimates as text: one line per study, a total, and how the costs are known.

    Parameters
    ----------
    jobs : int or None
        Blocks at the same time: adds how many waves of blocks that makes, and the hours.
    """
    lines = [
        f"scale {session.scale}, results in {session.results}",
        f"{'study':24}{'settings':>9}{'blocks':>8}{'done':>7}{'fits':>9}"
        f"{'core-hours':>12}{'left':>9}{'disk MB':>9}",
    ]
    total = left = 0.0
    unmeasured = []
    n_left, longest = 0, 0.0
    for one in estimate(session):
        n_left += one.n_left
        longest = max(longest, one.longest_seconds)
        lines.append(
            f"{one.study:24}{one.n_settings:>9}{one.n_blocks:>8}{one.n_done:>7}{one.n_fits:>9}"
            f"{one.core_hours:>12.2f}{one.core_hours_left:>9.2f}{one.megabytes:>9.1f}"
        )
        total += one.core_hours
        left += one.core_hours_left
        if not one.measured:
            unmeasured.append(one.study)
    lines.append(f"in all {total:.2f} core-hours, {left:.2f} of them still to do")
    if jobs:
        hours = max(left / jobs, longest / 3600)
        lines.append(
            f"with {jobs} blocks at the same time: {math.ceil(n_left / jobs)} waves of blocks, "
            f"about {hours:.2f} hours (the longest block takes {longest / 60:.0f} minutes)"
        )
    if unmeasured:
        lines.append(
            f"not measured, taken as {UNMEASURED_SECONDS_PER_SEED:g} s a fit where unknown: "
            + ", ".join(unmeasured)
        )
    return "\n".join(lines)
