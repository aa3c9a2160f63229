"""Outputs of a study that are not what its blocks give: found by writing them once more."""

import json
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from losaw.report.figures import write_figures
from losaw.report.page.html import shown_studies, write_report
from losaw.report.results import StudyResults
from losaw.report.tables import write_tables
from losaw.study.design.blocks import BlockName
from losaw.study.design.plan import StudyPlan
from losaw.study.design.request import Request
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.files.healing import Finding
from losaw.study.files.output_digests import report_files, study_files
from losaw.study.results.outputs import measuring_first, write_outputs

_MANIFEST = "manifest.json"
# What the manifest says of the process that wrote it, of which the blocks know nothing.
_OF_A_PROCESS = ("losaw", "commit", "libraries", "request", "command", "configuration", "threads")
_CHANGED = "it was edited, or blocks, study file or program have changed since"
_NOT_MADE = "cannot be made of its blocks again"
_PROBLEM = f"is not what its blocks give: {_CHANGED}"
_PROBLEM_OF_FIGURES = (
    f"is not what is drawn here from its blocks: {_CHANGED}, or another version of matplotlib or "
    "Pillow drew it"
)


def differing_outputs(session: Session) -> Iterator[Finding]:
    """Yield summaries, tables, figures, manifests and the report that the blocks do not give.

    They are written once more into a temporary folder, from the blocks that they name, and compared
    byte for byte; of a manifest, what the blocks decide. So an edited file is found although its
    digest was edited with it, and so is a summary that is older than its blocks. Whatever the
    session asks for, a study is written at the scale and for the settings that its files state, and
    the report with the studies that it shows. A study of which no file was written is left out.
    """
    with tempfile.TemporaryDirectory(prefix="losaw-remade-") as name:
        results, drawn = Path(name, "results"), Path(name, "figures")
        _link(session.results, results)
        (results / "made").unlink(missing_ok=True)
        _link(session.results / "made", results / "made")
        for plan in measuring_first(session.plans):
            if any(path.exists() for path in study_files(plan)):
                yield from _differing(session, plan, results, drawn)
        for page in filter(Path.is_file, report_files(session.results)):
            yield from _differing_page(session, results, page, Path(name, "report.html"))


def _link(folder: Path, place: Path) -> None:
    """Make a folder with a link to everything that another contains."""
    place.mkdir()
    for path in folder.iterdir() if folder.is_dir() else ():
        (place / path.name).symlink_to(path.resolve())


def _at(session: Session, results: Path, scale: str, study: str, **selection: Any) -> Session:
    """Return the session of a study at a scale, which writes into another folder."""
    asked = {"results": str(results), "scale": scale, "studies": [study]}
    overrides = {**session.request.overrides, **asked}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of settings that are not in the grid
        return Session(Request(session.request.configuration, overrides, selection), trusted=True)


def _differing(session: Session, plan: StudyPlan, results: Path, drawn: Path) -> Iterator[Finding]:
    """Write the files of a study and yield those that differ."""
    written, place = plan.folder, results / plan.study.name
    place.unlink(missing_ok=True)
    place.mkdir()
    for part in ("blocks", "runs"):
        (place / part).symlink_to((written / part).resolve())
    again = StudyResults(place)
    try:
        plan = _as_written(session, plan, results)
        write_outputs(plan)
        tables = write_tables(plan.study, again.comparison, place / "tables")
        figures = write_figures(plan.study, again, drawn)
    except StudyError as error:
        yield Finding(written / "comparison.csv", f"{_NOT_MADE}: {_first_line(error)}")
        return
    made = [path for path in place.glob("*.*") if path.name != _MANIFEST]
    there = {path: written / path.relative_to(place) for path in sorted([*made, *tables])}
    yield from _unequal(there.items(), _PROBLEM)
    yield from _unequal(((path, plan.figures / path.name) for path in figures), _PROBLEM_OF_FIGURES)
    if _decided(written / _MANIFEST) == _decided(place / _MANIFEST):
        shutil.copy(written / _MANIFEST, place / _MANIFEST)
    else:
        yield Finding(written / _MANIFEST, _PROBLEM)


def _as_written(session: Session, plan: StudyPlan, results: Path) -> StudyPlan:
    """Return the plan with the scale, the numbers and the blocks that a study's files name."""
    written, grid = StudyResults(plan.folder), plan.study.file.settings
    try:
        scale = str(written.manifest["scale"])
        names = [*written.manifest["missing_blocks"], *written.blocks["file"]]
        blocks = [BlockName.from_path(Path(name)) for name in names]
        selection = {
            axis: tuple(dict.fromkeys(written.settings[axis].tolist()))
            for axis, known in grid.items()
            if not any(isinstance(value, str | bool) for value in known)
        }
    except (KeyError, TypeError):
        raise StudyError(
            f"{plan.folder}: its files do not name scale, settings or blocks"
        ) from None
    if any(block.study != plan.study.name for block in blocks):
        raise StudyError(f"{plan.folder}: its files name blocks of another study")
    (again,) = _at(session, results, scale, plan.study.name, **selection).plans
    return replace(again, blocks=tuple(dict.fromkeys(map(again.block, blocks))))


def _unequal(files: Iterable[tuple[Path, Path]], problem: str) -> Iterator[Finding]:
    for made, written in files:
        if written.is_file() and written.read_bytes() != made.read_bytes():
            yield Finding(written, problem)


def _decided(manifest: Path) -> Any:
    """Return what the blocks decide of a manifest."""
    try:
        said = json.loads(manifest.read_text("utf-8"))
        return {key: None if key in _OF_A_PROCESS else value for key, value in said.items()}
    except (OSError, ValueError, AttributeError):
        return None


def _differing_page(session: Session, results: Path, page: Path, made: Path) -> Iterator[Finding]:
    """Write the report from the studies' files that were made again, and compare it."""
    text = page.read_text("utf-8", errors="replace")
    studies = shown_studies(text)
    try:
        scale = str(StudyResults(results / studies[0]).manifest["scale"])
        write_report(_at(session, results, scale, studies[0]), made, studies)
    except (StudyError, LookupError, TypeError, ValueError) as error:
        yield Finding(page, f"{_NOT_MADE}: {_first_line(error)}")
        return
    if text != made.read_text("utf-8"):
        yield Finding(page, _PROBLEM)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(":")
