"""The cost of a session, before anything runs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from losaw.study.design.blocks import Block
from losaw.study.design.plan import StudyPlan
from losaw.study.files.block_file import blocks_to_do
from losaw.study.files.run_record import read_run_record

UNMEASURED_SECONDS_PER_SEED = 1.0
# Of a process: starting Python and importing.
START_SECONDS = 1.5
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


def seconds_per_seed(block: Block, from_record: bool = True) -> float | None:
    """Measured cost of one seed: from this block's run record, else from the study file."""
    record = read_run_record(block.record_path) if from_record else None
    if record is None or not record.core_seconds:  # all reused, from an unknown run
        return block.series.seconds_per_seed
    return record.core_seconds / max(len(record.seconds), 1)


def block_seconds(block: Block, from_record: bool = True) -> float:
    """Expected seconds of a block on one core."""
    return _seconds(block, seconds_per_seed(block, from_record))


def _seconds(block: Block, cost: float | None) -> float:
    cost = UNMEASURED_SECONDS_PER_SEED if cost is None else cost
    return cost * len(block.seeds)


def estimate(plan: StudyPlan) -> Estimate:
    """The estimate of one study."""
    costs = {block: seconds_per_seed(block) for block in plan.blocks}
    seconds = {block: _seconds(block, cost) for block, cost in costs.items()}
    left = blocks_to_do(plan.blocks)
    scores = sum(
        float(block.series.setting.parameters.get("n_features", 10)) * len(block.seeds)
        for block in plan.blocks
    )
    return Estimate(
        study=plan.study.name,
        n_settings=len(plan.settings),
        n_blocks=len(plan.blocks),
        n_done=len(plan.blocks) - len(left),
        n_fits=plan.n_fits,
        core_hours=sum(seconds.values()) / 3600,
        core_hours_left=sum(seconds[block] for block in left) / 3600,
        megabytes=(len(plan.blocks) * BYTES_PER_BLOCK + scores * BYTES_PER_SCORE) / 1e6,
        n_left=len(left),
        longest_seconds=max((seconds[block] for block in left), default=0.0),
        measured=None not in costs.values(),
    )


def describe(plans: Sequence[StudyPlan], jobs: int | None = None) -> str:
    """The estimates as text: one line per study, a total, and how the costs are known.

    Parameters
    ----------
    jobs : int or None
        Blocks at the same time: adds how many waves of blocks that makes, and the hours.
    """
    lines = [
        f"scale {plans[0].scale}, results in {plans[0].results}",
        f"{'study':24}{'settings':>9}{'blocks':>8}{'done':>7}{'fits':>9}"
        f"{'core-hours':>12}{'left':>9}{'disk MB':>9}",
    ]
    total = left = 0.0
    unmeasured = []
    n_left, longest = 0, 0.0
    for cost in map(estimate, plans):
        n_left += cost.n_left
        longest = max(longest, cost.longest_seconds)
        lines.append(
            f"{cost.study:24}{cost.n_settings:>9}{cost.n_blocks:>8}{cost.n_done:>7}{cost.n_fits:>9}"
            f"{cost.core_hours:>12.2f}{cost.core_hours_left:>9.2f}{cost.megabytes:>9.1f}"
        )
        total += cost.core_hours
        left += cost.core_hours_left
        if not cost.measured:
            unmeasured.append(cost.study)
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
