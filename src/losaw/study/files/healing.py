"""Damaged laws, run records and metadata, removed so that a run writes them again."""

import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from losaw.study.design.blocks import Block
from losaw.study.errors import StudyError
from losaw.study.files.run_record import check_run_record


@dataclass(frozen=True)
class Finding:
    """A file that is damaged, and what is wrong with it.

    ``with_it`` is removed together with the file.
    """

    path: Path
    problem: str
    with_it: Path | None = None


def damaged_small_files(blocks: Iterable[Block]) -> Iterator[Finding]:
    """Yield damaged joint laws and run records, and folders in the place of a block's file.

    Blocks themselves are read by :func:`losaw.study.files.block_file.blocks_to_do` and overwritten;
    so is a block whose run record is missing.
    """
    blocks = list(blocks)
    yield from _damaged_laws(blocks)
    for block in blocks:
        record = block.record_path
        try:
            if check_run_record(record) is None and block.path.is_file():
                yield Finding(record, "is missing: how the block was run is not known")
        except StudyError as error:
            yield Finding(record, str(error).partition(": ")[2])
        if block.path.is_dir():
            yield Finding(block.path, "is a folder, where a block's file should be", record)


def damaged_metadata(folder: Path) -> Iterator[Finding]:
    """Yield damaged metadata of Snakemake, which would end it with a traceback."""
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file():
            try:
                is_whole = isinstance(json.loads(path.read_bytes()), dict)
            except (OSError, ValueError):
                is_whole = False
            if not is_whole:
                yield Finding(path, "Snakemake's own note of an output is damaged")


def _damaged_laws(blocks: Iterable[Block]) -> Iterator[Finding]:
    for path in dict.fromkeys(block.law_path for block in blocks):
        if path is not None and path.exists():
            from losaw.generators.joint_law.law import JointLaw, JointLawError

            try:
                identifier = JointLaw.load(path).specification.identifier
            except JointLawError as error:
                yield Finding(path, str(error))
                continue
            if identifier != path.stem:
                yield Finding(path, f"is the joint law {identifier}, not the one of its name")


def remove(findings: Iterable[Finding]) -> None:
    """Remove the files that were found, so that a run writes them again.

    Raises
    ------
    StudyError
        If a file cannot be removed.
    """
    for finding in findings:
        for path in [finding.path, *([finding.with_it] if finding.with_it else [])]:
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise StudyError(
                    f"{path}: cannot be removed: {error.strerror or error}; remove it by hand"
                ) from None


def heal(findings: Iterable[Finding]) -> None:
    """Remove damaged files, and print which."""
    damaged = list(findings)
    remove(damaged)
    shown = "".join(f"\n  {finding.path}: {finding.problem}" for finding in damaged[:5])
    more = f"\n  … and {len(damaged) - 5} more" if len(damaged) > 5 else ""
    if damaged:
        what = f"losaw: {len(damaged)} missing or damaged files are computed again:{shown}{more}"
        print(what, file=sys.stderr, flush=True)
