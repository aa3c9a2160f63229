"""The computation of one block: stored seeds are reused, a child process computes the others."""

import time
from dataclasses import dataclass, field
from typing import Any

from losaw.study.design.blocks import Block
from losaw.study.files.rows import SCORES, Row
from losaw.study.running.running_marks import RunningMark
from losaw.study.running.stored_seeds import Part, Stored, in_order, stored_seeds


@dataclass
class Task:
    """A block that is being computed: the seeds that are done and those still to do.

    Attributes
    ----------
    block : Block
    mark : RunningMark
        Says that the block is on its way.
    waiting : list of int
        Seeds to compute, in order; the first one is being computed.
    rows, seconds : dict
        By seed, of the seeds that are done.
    stored : Stored
        What files hold of the seeds already; of a waiting seed only some parts.
    n_taken_over : int
        How many of them were stored already.
    law : record of the joint law, or None
    peak_megabytes : float
        Peak memory of the process that computed the seeds.
    refusal : str
        Why the block could not begin; empty if it could.
    """

    block: Block
    mark: RunningMark
    waiting: list[int]
    rows: dict[int, list[Row]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    stored: Stored = field(default_factory=Stored)
    n_taken_over: int = 0
    law: Any = None
    peak_megabytes: float = 0.0
    refusal: str = ""
    _n_seeds: int = field(default=0, init=False)
    _started: float = field(default=0.0, init=False)
    _ready: bool = field(default=False, init=False)
    _tried: set[tuple[int, Part]] = field(default_factory=set, init=False)
    # Of the current seed: the importance that is being computed, and why others were given up.
    _importance: Part = field(default="", init=False)
    _given_up: dict[Part, str] = field(default_factory=dict, init=False)
    _extra_shares: int = field(default=0, init=False)

    @property
    def seconds_allowed(self) -> float:
        """The seconds that all waiting seeds may take together.

        The k-th of n seeds must be done after k/n of them: a hang costs its own share only, and a
        seed may use what the seeds before it have left. A seed of which an importance was given up
        has a share more for the others.
        """
        return 60 * self.block.limits.minutes

    @property
    def n_failed(self) -> int:
        """Number of seeds with anything that failed."""
        return sum(any(row.status != "ok" for row in rows) for rows in self.rows.values())

    def missing(self, seed: int) -> list[Part]:
        """The parts of a replicate that no file holds and that were not given up."""
        done = {*self.stored.rows.get(seed, {})}
        if seed == self.waiting[0]:
            done |= {*self._given_up}
        return [part for part in self.block.series.part_versions if part not in done]

    def begin(self) -> None:
        """Start the clock, which is for the whole block until its first seed begins."""
        self._n_seeds = len(self.waiting)
        self._started = time.monotonic()

    @property
    def deadline(self) -> float:
        """The time at which the current seed must be done, on the monotonic clock."""
        done = self._n_seeds - len(self.waiting)
        share = (done + 1 + self._extra_shares) / self._n_seeds if self._ready else 1.0
        return self._started + self.seconds_allowed * share

    def take(self, message: tuple[Any, ...]) -> None:
        """Record a message of the child process."""
        kind, *content = message
        if kind == "refused":
            self.refuse(content[0])
            return
        if kind == "ready":
            self.law = content[0]
            if not self._ready:
                self._ready = True
                self._started = time.monotonic()
            return
        if kind == "importance":
            self._importance = content[0]
            return
        seed, rows, seconds, peak = content
        self.rows[seed] = self._with_stored(seed, rows)
        self._leave(seed)
        self.seconds[seed] = self.stored.seconds.get(seed, 0.0) + seconds
        self.peak_megabytes = max(self.peak_megabytes, peak)

    def _with_stored(self, seed: int, rows: list[Row]) -> list[Row]:
        """The rows just computed, with those of the parts that were stored."""
        if any(row.metric == "" for row in rows):  # nothing of a failed fit is kept
            return rows
        parts = dict(self.stored.rows.get(seed, {}))
        for part in self.missing(seed):
            parts[part] = [row for row in rows if row.importance == part]
        metrics = self.block.series.metrics.items()
        of_importances = [k for k, m in metrics if m.entry.load().needs == "importance"]
        for part, reason in self._given_up.items():
            parts[part] = [
                Row(seed, part, name, status="failed", message=reason)
                for name in (SCORES, *of_importances)
            ]
        return in_order(parts, self.block.series.part_versions)

    def _leave(self, seed: int) -> None:
        """Go on to the next seed."""
        self.waiting.remove(seed)
        self._importance = ""
        self._given_up = {}

    def may_try_again(self) -> bool:
        """Return whether what is computed may be tried a second time, and use up that chance."""
        current = (self.waiting[0], self._importance)
        is_new = current not in self._tried
        self._tried.add(current)
        if is_new:
            self._importance = ""
        return is_new

    def refuse(self, reason: str) -> None:
        """Record that the block could not begin."""
        self.refusal = f"{self.block.name}: {reason}"
        self.waiting.clear()

    def give_up(self, reason: str, seconds: float) -> None:
        """Record the current seed as failed, or only the importance that is being computed."""
        if not self._ready:
            self.refuse(f"{reason}, before its first seed")
            return
        if self._importance:
            self._given_up[self._importance] = reason
            self._importance = ""
            self._extra_shares += 1
            return
        seed = self.waiting[0]
        self._leave(seed)
        self.rows[seed] = [Row(seed, "", "", status="failed", message=reason)]
        self.seconds[seed] = seconds


def open_task(block: Block, again: bool = False) -> Task:
    """Mark a block as running, and read what is stored of it unless ``again``."""
    mark = RunningMark(block)
    stored = Stored() if again else stored_seeds(block)
    return Task(
        block,
        mark,
        waiting=[seed for seed in block.seeds if seed not in stored.whole],
        rows=dict(stored.whole),
        seconds={seed: stored.seconds[seed] for seed in stored.whole},
        stored=stored,
        n_taken_over=len(stored.whole),
        law=stored.law,
    )
