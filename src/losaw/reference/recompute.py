"""Blocks of the reference run, computed again and compared by their digests."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from losaw.reference.stored import KeptBlock
from losaw.study.design.blocks import Block, BlockName
from losaw.study.design.session import Session
from losaw.study.files.block_file import BlockFile, digest_of, load_named
from losaw.study.running.joint_laws import fit_laws
from losaw.study.running.runner import run_blocks

EQUAL = "equal, byte for byte"
EQUAL_ROWS = "equal rows, bit for bit; the footer names other versions"
DIFFERS = "DIFFERS"
OTHER_VERSION = "not comparable: what decides its numbers has changed since"


@dataclass(frozen=True)
class ComesOut:
    """One block that was computed again.

    Attributes
    ----------
    block : KeptBlock
    verdict : str
        ``equal, byte for byte``, equal rows, ``DIFFERS``, or not comparable.
    """

    block: KeptBlock
    verdict: str

    @property
    def is_wrong(self) -> bool:
        """True if rows that must be equal differ."""
        return self.verdict == DIFFERS

    def __str__(self) -> str:
        return f"{self.block.file}: {self.verdict}"


def recompute(
    session: Session, blocks: Sequence[KeptBlock], n_blocks: int, seed: int, jobs: int = 1
) -> Iterator[ComesOut]:
    """Compute a random sample of the reference run's blocks and compare their digests.

    Nothing is read but names, versions and digests: the blocks' laws are fitted again, too.

    Parameters
    ----------
    session : Session
        With the studies of the blocks.
    blocks : sequence of KeptBlock
    n_blocks : int
        Size of the sample; all blocks if there are fewer.
    seed : int
        Decides the sample: the same for everybody.
    jobs : int, default 1
        Processes.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(blocks), size=min(n_blocks, len(blocks)), replace=False)
    kept_ones = [blocks[index] for index in sorted(drawn)]
    sample = {BlockName.from_path(Path(kept.file)): kept for kept in kept_ones}
    with tempfile.TemporaryDirectory(prefix="losaw-reference-") as folder:
        to_run: list[Block] = []
        for name, kept in sample.items():
            # The run may be of another scale than the session, and compute a learner otherwise.
            known = (session.block(name), *session.blocks_at_other_scales(name))
            same = [block for block in known if block.series.version == kept.results_version]
            if same:
                to_run.append(same[0].placed_in(Path(folder)))
            else:
                yield ComesOut(kept, OTHER_VERSION)
        fit_laws(to_run)
        for task in run_blocks(to_run, jobs):
            kept = sample[task.block.name]
            again = load_named(task.block.path, task.block.name)
            yield ComesOut(kept, verdict_on(kept, again))


def verdict_on(kept: KeptBlock, again: BlockFile) -> str:
    """Return how a block that was computed again compares with what is stored of it."""
    if kept.sha256 == again.sha256:
        return EQUAL
    return EQUAL_ROWS if kept.rows_sha256 == digest_of(again.table, {}) else DIFFERS
