"""What is made of the blocks, as it was written: a file that was edited or damaged is told from it.

Beside the results lies a note for every step that makes files of a study's blocks, with the
SHA-256 of each. What is read back later, or shown, has to be what was written.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from losaw.study.design.plan import StudyPlan
from losaw.study.errors import StudyError
from losaw.study.files.writing import write_text

# What `losaw collect` leaves in a study's folder, of every study.
COLLECTED = (
    "comparison.csv",
    "summary.csv",
    "settings.csv",
    "blocks.csv",
    "agreement.csv",
    "signs.csv",
    "differences.csv",
    "results.parquet",
    "scores.parquet",
    "manifest.json",
)
# Where a study's runs share draws of X.
DRAWS = "draws.csv"
TABLE_KINDS = ("csv", "md", "tex")
FIGURE_KINDS = ("pdf", "png")


def note_path(results: Path, step: str, study: str = "") -> Path:
    """Where the digests of what a step made lie: ``collected``, ``drawn`` or ``report``."""
    return results / "made" / f"{study}{'-' if study else ''}{step}.json"


def collected_files(plan: StudyPlan) -> list[Path]:
    """What `losaw collect` makes of a study."""
    names = [*COLLECTED, DRAWS] if plan.study.file.draws is not None else COLLECTED
    return [plan.folder / name for name in names]


def drawn_files(plan: StudyPlan) -> list[Path]:
    """The files of all tables and figures of a study."""
    tables, figures = plan.study.file.tables, plan.study.file.figures
    return [
        *(plan.folder / "tables" / f"{name}.{kind}" for name in tables for kind in TABLE_KINDS),
        *(plan.figures / f"{name}.{kind}" for name in figures for kind in FIGURE_KINDS),
    ]


def steps(plan: StudyPlan) -> list[tuple[Path, list[Path]]]:
    """The note of every step of a study, with the files that the step makes."""
    name, results = plan.study.name, plan.results
    return [
        (note_path(results, "collected", name), collected_files(plan)),
        (note_path(results, "drawn", name), drawn_files(plan)),
        (note_path(results, "report"), [results / "report.html"]),
    ]


def write_note(note: Path, files: Iterable[Path]) -> None:
    """Note what was written just now, by the files' names; what else is noted stays."""
    digests = {}
    with contextlib.suppress(StudyError):
        digests = _read(note)
    digests |= {path.name: _digest(path) for path in files}
    write_text(note, json.dumps(digests, indent=1) + "\n")


@contextlib.contextmanager
def noted(note: Path, files: Iterable[Path]) -> Iterator[None]:
    """Know nothing of files while they are written; note them when all of them are."""
    with contextlib.suppress(OSError):
        note.unlink(missing_ok=True)
    yield
    write_note(note, files)


def altered(note: Path, files: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Files that are not what their note says, and the note itself if it cannot be read.

    Without a note nothing is known of them.
    """
    if not note.exists():
        return
    try:
        digests = _read(note)
    except StudyError as error:
        yield note, str(error).partition(": ")[2]
        return
    for path in files:
        if path.name not in digests:
            continue
        if not path.exists():
            yield path, "is missing"
        elif path.is_dir() or _digest(path) != digests[path.name]:
            yield path, "is not what was written: it was edited or damaged"


def check_unaltered(path: Path, note: Path) -> None:
    """Refuse a file that is not what its note says.

    Raises
    ------
    StudyError
        Names the file.
    """
    for file, problem in altered(note, [path]):
        if path.exists():
            raise StudyError(f"{file}: {problem}")


def _read(note: Path) -> dict[str, str]:
    try:
        digests = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StudyError(f"{note}: cannot be read: {error}") from None
    if not isinstance(digests, dict):
        raise StudyError(f"{note}: is damaged: it lists no digests")
    return digests


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
