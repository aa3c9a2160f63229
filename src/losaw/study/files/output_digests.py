"""The files that are written from blocks, with one digest of what they were written from.

Summaries, tables, figures and pages are never trusted, only written again. For each study, and for
the report, ``made/<name>.sha256`` in the results folder begins with the digest of everything that
decided the files, followed by the SHA-256 of each file.
"""

import contextlib
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from losaw import registry
from losaw.study.design.blocks import Block
from losaw.study.design.plan import StudyPlan
from losaw.study.files.writing import file_digest, write_text
from losaw.study.source_digests.module_source import PACKAGE
from losaw.study.source_digests.source_digest import WRITERS, source_digest
from losaw.support.whole_files import TEMPORARY

# Written into the folder of every study by `losaw report`.
COLLECTED = (
    "comparison.csv",
    "summary.csv",
    "settings.csv",
    "blocks.csv",
    "differences.csv",
    "results.parquet",
    "scores.parquet",
    "manifest.json",
)
TABLE_KINDS = ("csv", "md", "tex")
FIGURE_KINDS = ("pdf", "png")
REPORT = "report"
_FIRST_WORDS = "# made from "


def collected_files(plan: StudyPlan) -> list[Path]:
    """Return the files that `losaw report` writes of a study."""
    return [plan.folder / name for name in COLLECTED]


def drawn_files(plan: StudyPlan) -> list[Path]:
    """Return the files of all tables and figures of a study."""
    tables, figures = plan.study.file.tables, plan.study.file.figures
    return [
        *(plan.folder / "tables" / f"{name}.{kind}" for name in tables for kind in TABLE_KINDS),
        *(plan.figures / f"{name}.{kind}" for name in figures for kind in FIGURE_KINDS),
    ]


def study_files(plan: StudyPlan) -> list[Path]:
    """Return all files that are written of a study's blocks."""
    return [*collected_files(plan), *drawn_files(plan)]


def stray_files(plan: StudyPlan) -> list[Path]:
    """Return the files in a study's folder that no run of it writes, so that nothing checks them.

    What a killed process has left is not among them: it is a finding of its own.
    """
    parts = [path for path in plan.folder.glob("*") if path.name not in ("blocks", "runs")]
    there = {path for part in parts for path in (part, *part.rglob("*")) if path.is_file()}
    return sorted(path for path in there.difference(study_files(plan)) if path.suffix != TEMPORARY)


def report_files(results: Path) -> list[Path]:
    """Return the files of the report."""
    return [results / "report.html"]


def sums_path(results: Path, name: str = REPORT) -> Path:
    """Return the file with the digests of a study's files, or of the report."""
    return results / "made" / f"{name}.sha256"


def made_from(plan: StudyPlan, blocks: Mapping[str, str]) -> str:
    """Return the digest of all that decides a study's summary, tables and figures.

    Parameters
    ----------
    blocks : dict
        Name of a block that is there -> SHA-256 of its file. Those of the plan count.
    """
    study = plan.study
    published = study.file.published and plan.published / study.file.published
    names = [str(block.name) for block in plan.blocks]
    parts = [
        [[name, blocks.get(name)] for name in names],
        [plan.scale, plan.max_failed_share],
        _text_of(study.source.path),
        _text_of(published) if published else "",
        _code(tuple(layout.drawing for layout in study.file.figures.values())),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def report_made_from(plans: Sequence[StudyPlan]) -> str:
    """Return the digest of all that decides the report: what its studies' files were made from."""
    texts = [_text_of(sums_path(plan.results, plan.study.name)) for plan in plans]
    return hashlib.sha256(json.dumps([*texts, _code(())]).encode()).hexdigest()


def remove_sums(results: Path, name: str) -> None:
    """Remove the digests of files that are about to be written."""
    with contextlib.suppress(OSError):
        sums_path(results, name).unlink()


def write_sums(results: Path, name: str, decided_by: str, files: Iterable[Path]) -> None:
    """Write the digest of what files were made from, and the digest of each of them."""
    _write_sums(
        sums_path(results, name), decided_by, {_label(path): file_digest(path) for path in files}
    )


def add_sums(results: Path, name: str, files: Iterable[Path]) -> None:
    """Add the digests of further files that were made from the same."""
    decided_by, sums = _read_sums(sums_path(results, name))
    sums |= {_label(path): file_digest(path) for path in files}
    _write_sums(sums_path(results, name), decided_by, sums)


def altered(results: Path, name: str, files: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield files that are missing, or are not what was written, with what is wrong.

    Without digests nothing is known of the files: then the digests are what is missing.
    """
    written = _read_sums(sums_path(results, name))[1]
    if not written:
        yield sums_path(results, name), "is missing or damaged: the files cannot be checked"
        return
    for path in files:
        if not path.exists():
            yield path, "is missing"
        elif path.is_dir() or written.get(_label(path)) != file_digest(path):
            yield path, "is not what was written: it was edited or damaged"


def altered_outputs(plans: Sequence[StudyPlan]) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with the files that were written of studies and with the report."""
    results = plans[0].results
    for name, files in [
        *((p.study.name, study_files(p)) for p in plans),
        (REPORT, report_files(results)),
    ]:
        written = _read_sums(sums_path(results, name))[1]
        known = [path for path in files if path.exists() or _label(path) in written]
        if known:
            yield from altered(results, name, known)


def is_collected(results: Path, study: str) -> bool:
    """Return whether a study's summary is there as it was written; print why it is left out."""
    files = [results / study / name for name in COLLECTED]
    if not any(path.is_file() for path in files):
        return False
    for path, problem in altered(results, study, files):
        print(f"losaw: study {study!r} is left out: {path}: {problem}", file=sys.stderr)
        return False
    return True


def why_not_current(plan: StudyPlan, stored: Mapping[Block, str]) -> str:
    """Return why a study's files must be written again; empty if they are current.

    Parameters
    ----------
    stored : dict
        Block that is whole and up to date -> SHA-256 of its file, as
        :func:`losaw.study.files.block_file.stored_digests` returns it.
    """
    decided_by = made_from(plan, {str(block.name): digest for block, digest in stored.items()})
    return _why_not_current(plan.results, plan.study.name, decided_by, study_files(plan))


def why_report_is_not_current(plans: Sequence[StudyPlan]) -> str:
    """Return why the report must be written again; empty if it is current."""
    results = plans[0].results
    return _why_not_current(results, REPORT, report_made_from(plans), report_files(results))


def _why_not_current(results: Path, name: str, decided_by: str, files: list[Path]) -> str:
    for path, problem in altered(results, name, files):
        return f"{path}: {problem}"
    if _read_sums(sums_path(results, name))[0] != decided_by:
        return "blocks, request or program have changed since it was written"
    return ""


def _label(path: Path) -> str:
    """Return the name of a file in the list, which does not depend on where the folders are."""
    if path.suffix[1:] in FIGURE_KINDS:
        return f"figures/{path.name}"
    return f"tables/{path.name}" if path.parent.name == "tables" else path.name


def _write_sums(path: Path, decided_by: str, sums: Mapping[str, str]) -> None:
    lines = [f"{digest}  {name}\n" for name, digest in sums.items()]
    write_text(path, f"{_FIRST_WORDS}{decided_by}\n{''.join(lines)}")


def _read_sums(path: Path) -> tuple[str, dict[str, str]]:
    """Return the digest of what was decisive, and the digest of each file by its label."""
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return "", {}
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    return first.removeprefix(_FIRST_WORDS), sums


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@cache
def _code(drawings: tuple[str, ...]) -> list[str]:
    """Return digests of the code and the templates that write a study's files."""
    drawn = [registry.get("drawing", name).target for name in dict.fromkeys(drawings)]
    templates = sorted(
        path for path in (PACKAGE / "pages" / "templates").rglob("*") if path.is_file()
    )
    return [*map(source_digest, (*WRITERS, *drawn)), *map(file_digest, templates)]
