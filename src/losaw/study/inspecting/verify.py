"""Are the stored blocks whole, in their place and up to date, and do they come out again?"""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from losaw.study.design.blocks import Block
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.files.block_file import BLOCK_SCHEMA, TEMPORARY, load_block
from losaw.study.running.runner import load_law, run_blocks


@dataclass(frozen=True)
class Finding:
    """A file that is not as it should be, and what is wrong with it."""

    path: Path
    problem: str
    block: Block | None = None


@dataclass(frozen=True)
class Verification:
    """What was found in a session's results folder.

    Attributes
    ----------
    n_good : int
        Blocks that are whole, in their place and up to date.
    n_absent : int
        Blocks that are asked for and have not been run.
    n_failed : int
        Good blocks that hold failed fits.
    findings : list of Finding
        Unusable blocks and joint laws, and temporary files that a killed process has left.
    """

    n_good: int
    n_absent: int
    n_failed: int
    findings: list[Finding]


def verify(session: Session, failed: bool = False) -> Verification:
    """Check every block that the session asks for, every joint law, and what is left over.

    Parameters
    ----------
    failed : bool, default False
        Report blocks with failed fits too, so that they can be removed and run again.
    """
    findings = list(_damaged_laws(session))
    n_good = n_absent = n_failed = 0
    for block in session.all_blocks:
        path = session.block_path(block)
        if not path.exists():
            n_absent += 1
            continue
        try:
            found = load_block(path, block, session.version(block))
        except StudyError as error:
            findings.append(Finding(path, str(error).partition(": ")[2], block))
            continue
        n_good += 1
        messages = [text for text in found.table["message"].unique().to_pylist() if text]
        if messages:
            n_failed += 1
            if failed:
                findings.append(Finding(path, f"failed fits: {messages[0]}", block))
    for study in session.studies:
        for path in (session.results / study.name).rglob(f"*{TEMPORARY}"):
            findings.append(Finding(path, "left by a killed process"))
    return Verification(n_good, n_absent, n_failed, findings)


def remove(session: Session, findings: list[Finding]) -> None:
    """Remove what was found, blocks with their run records; only these are computed again."""
    for finding in findings:
        finding.path.unlink(missing_ok=True)
        if finding.block is not None:
            (session.results / finding.block.run_record_path).unlink(missing_ok=True)


def _damaged_laws(session: Session) -> Iterator[Finding]:
    from losaw.generators.joint_law.law import JointLawError
    from losaw.study.running.without_snakemake import laws

    for path, generator in laws(session).items():
        if path.exists():
            try:
                load_law(generator, session.laws_folder)
            except JointLawError as error:
                yield Finding(path, str(error))


@dataclass(frozen=True)
class Recomputed:
    """A block that was computed again.

    Attributes
    ----------
    block : Block
    same_bytes : bool
        Whether the files are equal.
    same_numbers : bool
        Whether all rows are equal, bit for bit; footers may name other library versions.
    largest_difference : float
        Largest difference of two values, relative to the larger of 1 and the stored one; infinite
        if rows differ in more than their numbers.
    other_libraries : dict
        Library -> (stored, here), where they differ.
    """

    block: Block
    same_bytes: bool
    same_numbers: bool
    largest_difference: float
    other_libraries: dict[str, tuple[str, str]]

    def __str__(self) -> str:
        words = "same bytes" if self.same_bytes else "same numbers"
        if not self.same_numbers:
            words = f"DIFFERS, by up to {self.largest_difference:.3g}"
        others = [f"{name} {a} then, {b} now" for name, (a, b) in self.other_libraries.items()]
        return f"{self.block.relative_path}: {words}" + (
            f" ({', '.join(others)})" if others else ""
        )


def recompute(session: Session, n_blocks: int, seed: int, jobs: int = 1) -> Iterator[Recomputed]:
    """Compute a random sample of the stored blocks again, in a folder of their own, and compare.

    Parameters
    ----------
    n_blocks : int
        Size of the sample; all stored blocks if there are fewer.
    seed : int
        Decides the sample: the same for everybody who has the same blocks.
    """
    stored = [block for block in session.all_blocks if session.block_path(block).exists()]
    if not stored:
        raise StudyError(f"{session.results}: holds none of the session's blocks")
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(stored), size=min(n_blocks, len(stored)), replace=False)
    sample = [stored[index] for index in sorted(chosen)]
    with tempfile.TemporaryDirectory(prefix="losaw-recompute-") as folder:
        overrides = {**session.request.overrides, "results": folder}
        again = Session(replace(session.request, overrides=overrides), trusted=True)
        if session.laws_folder.is_dir():
            # A joint law is what blocks are made of, not what is tested here.
            shutil.copytree(session.laws_folder, again.laws_folder)
        for task in run_blocks(again, sample, jobs):
            yield _compare(session, again, task.block)


def _compare(session: Session, again: Session, block: Block) -> Recomputed:
    old = load_block(session.block_path(block), block, None)
    new = load_block(again.block_path(block), block, None)
    before, now = old.footer["libraries"], new.footer["libraries"]
    return Recomputed(
        block,
        old.sha256 == new.sha256,
        _same_rows(old.table, new.table),
        _largest_difference(old.table, new.table),
        {name: (before.get(name, "-"), now[name]) for name in now if before.get(name) != now[name]},
    )


def _same_rows(old: pa.Table, new: pa.Table) -> bool:
    # Arrow takes NaN for unequal to itself: compare what the rows print as.
    return old.num_rows == new.num_rows and repr(old.to_pylist()) == repr(new.to_pylist())


def _largest_difference(old: pa.Table, new: pa.Table) -> float:
    numbers = [field.name for field in BLOCK_SCHEMA if "double" in str(field.type)]
    if old.num_rows != new.num_rows or not old.drop(numbers).equals(new.drop(numbers)):
        return float("inf")
    largest = 0.0
    for name in numbers:
        columns = []
        for table in (old, new):
            column = table[name].combine_chunks()
            if not pa.types.is_floating(column.type):
                column = column.flatten()
            columns.append(column.to_numpy(zero_copy_only=False))
        first, second = columns
        if first.shape != second.shape or not np.array_equal(np.isnan(first), np.isnan(second)):
            return float("inf")
        if len(first):
            scale = np.maximum(1.0, np.abs(first))
            largest = max(largest, float(np.nanmax(np.abs(first - second) / scale, initial=0.0)))
    return largest
