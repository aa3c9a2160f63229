"""Damaged files: found by one rule, and taken away so that the next run makes them again."""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from losaw.study.design.blocks import Block
from losaw.study.errors import StudyError
from losaw.study.files.run_record import read_run_record


@dataclass(frozen=True)
class Finding:
    """A file that is not as it should be, and what is wrong with it."""

    path: Path
    problem: str
    block: Block | None = None


def damaged_small_files(blocks: Iterable[Block]) -> Iterator[Finding]:
    """Joint laws and run records that do not hold what was written, folders in a block's place.

    Blocks themselves are read by :func:`losaw.study.files.block_file.blocks_to_do`, and written
    anew over what is there.
    """
    blocks = list(blocks)
    for path in dict.fromkeys(block.law_path for block in blocks):
        if path is not None and path.exists():
            from losaw.generators.joint_law.law import JointLaw, JointLawError

            try:
                JointLaw.load(path)
            except JointLawError as error:
                yield Finding(path, str(error))
    for block in blocks:
        if block.record_path.exists() and read_run_record(block.record_path) is None:
            yield Finding(block.record_path, "is damaged; how the block was run is not known")
        if block.path.is_dir():
            yield Finding(block.path, "is a folder, where a block's file should be", block)


def remove(findings: Iterable[Finding]) -> None:
    """Remove what was found, blocks with their run records; only these are made again.

    Raises
    ------
    StudyError
        If a file cannot be removed.
    """
    for finding in findings:
        for path in [finding.path, *([finding.block.record_path] if finding.block else [])]:
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise StudyError(
                    f"{path}: cannot be removed: {error.strerror or error}; remove it by hand"
                ) from None


def heal(findings: Iterable[Finding]) -> str:
    """Remove damaged files; what to tell a person, or nothing if there were none."""
    damaged = list(findings)
    remove(damaged)
    shown = "".join(f"\n  {finding.path}: {finding.problem}" for finding in damaged[:5])
    more = f"\n  … and {len(damaged) - 5} more" if len(damaged) > 5 else ""
    if not damaged:
        return ""
    return f"removed {len(damaged)} damaged files; what they held is made again:{shown}{more}"
