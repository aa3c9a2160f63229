"""Which blocks, versions and machines a table, a figure or any other output came from."""

import csv
import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from losaw.study.design.blocks import Block
from losaw.study.design.grid import Setting, Study, as_values
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.files.block_file import read_footer


@dataclass(frozen=True)
class Origin:
    """One block behind an output.

    Attributes
    ----------
    block : Block
    results_version, sha256 : str
        Of the file when it was collected.
    state : str
        ``""`` if the file is still the one that was collected, else what has become of it.
    footer : dict
        What decided its numbers; empty if the file is gone or damaged.
    record : dict
        How it was run: host, time, command, commit, Slurm job; empty if unknown.
    """

    block: Block
    results_version: str
    sha256: str
    state: str
    footer: dict[str, Any]
    record: dict[str, Any]


def find_output(session: Session, output: Path) -> tuple[list[Study], str]:
    """The studies behind an output, and the key of its table or figure (empty: all of them).

    Every study beside the configuration is looked at, not only those of the session.

    Raises
    ------
    StudyError
        If the file is not one that a study writes.
    """
    place = output.resolve()
    if place.parent == session.results.resolve():
        return session.studies, ""
    for name in session.available_studies():
        study = session.read_study(name, trusted=True)
        if place.parent == session.figures.resolve() and place.stem in study.file.figures:
            return [study], place.stem
        if (session.results / name).resolve() in place.parents:
            return [study], place.stem if place.stem in study.file.tables else ""
    raise StudyError(
        f"{output}: not an output of a study (results in {session.results}, figures in "
        f"{session.figures}, studies: {', '.join(session.available_studies())}); name the folder "
        "with --output"
    )


def origins(session: Session, study: Study, key: str) -> list[Origin]:
    """The blocks behind one table or figure of a study, or behind all of it.

    They are read from ``blocks.csv``, which was written together with what the tables and figures
    are made of: blocks that were computed later, or for another request, do not count.

    Raises
    ------
    StudyError
        If the study has not been collected.
    """
    listing = session.results / study.name / "blocks.csv"
    try:
        with listing.open(newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
    except OSError:
        raise StudyError(f"{listing}: not there; run `losaw collect` first") from None
    found = []
    for line in lines:
        block = Block.from_path(Path(line["file"]))
        if _is_shown(study, key, study.setting(block.setting), block.learner):
            found.append(_origin(session, block, line))
    return found


def _is_shown(study: Study, key: str, setting: Setting, learner: str) -> bool:
    if key in study.file.tables:
        where = study.file.tables[key].where
    elif key in study.file.figures:
        options = study.file.figures[key].options
        where = options.get("where") or {}
        if options.get("learner") not in (None, learner):
            return False
    else:
        where = {}
    return setting.matches({axis: as_values(values) for axis, values in where.items()})


def _origin(session: Session, block: Block, line: dict[str, str]) -> Origin:
    path = session.block_path(block)
    footer: dict[str, Any] = {}
    try:
        same = hashlib.sha256(path.read_bytes()).hexdigest() == line["sha256"]
        state = "" if same else "changed since it was collected"
        footer = read_footer(path)
    except OSError:
        state = "gone since it was collected"
    except StudyError:
        state = "damaged since it was collected"
    try:
        record = json.loads((session.results / block.run_record_path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record = {}
    return Origin(block, line["results_version"], line["sha256"], state, footer, record)


def describe_origins(study: Study, key: str, found: list[Origin], list_blocks: bool) -> str:
    """The origins as text: counts of what differs, then the blocks if asked for."""
    n_seeds = sum(len(one.block.seeds) for one in found)
    settings = {one.block.setting for one in found}
    lines = [
        f"{study.name}{f', {key}' if key else ''}: {study.file.title}",
        f"{len(found)} blocks, {len(settings)} settings, {n_seeds} fits, "
        f"seeds {min((o.block.first for o in found), default=0)} to "
        f"{max((o.block.last for o in found), default=0)}",
    ]
    for learner in sorted({one.block.learner for one in found}):
        lines.append(f"  {learner}: {_versions([o for o in found if o.block.learner == learner])}")
    footers = [one.footer for one in found if one.footer]
    records = [one.record for one in found if one.record]
    libraries = Counter(
        ", ".join(f"{name} {version}" for name, version in footer["libraries"].items())
        for footer in footers
    )
    laws = Counter(f["joint_law"]["identifier"] for f in footers if f.get("joint_law"))
    started = sorted(record["started"] for record in records)
    described = {
        "losaw": _counts(Counter(footer["losaw"] for footer in footers)),
        "libraries": _counts(libraries),
        "joint laws": _counts(laws),
        "commit": _counts(Counter(record["commit"] or "unknown" for record in records)),
        "hosts": _counts(Counter(record["host"] for record in records)),
        "Slurm jobs": str(len({r["slurm_job_id"] for r in records if r["slurm_job_id"]}) or ""),
        "run from": f"{started[0]} to {started[-1]}" if started else "",
        "core-seconds": f"{sum(sum(record['seconds']) for record in records):.1f}",
        "changed": _counts(Counter(one.state for one in found if one.state)),
    }
    lines += [f"  {name}: {words}" for name, words in described.items() if words]
    if list_blocks:
        lines += [f"  {o.sha256}  {o.block.relative_path}  {o.results_version}" for o in found]
    return "\n".join(lines)


def _versions(found: list[Origin]) -> str:
    """Settings have versions of their own: what matters is whether one of them has several."""
    versions = {(one.block.setting, one.results_version) for one in found}
    n_settings = len({one.block.setting for one in found})
    if len(versions) == n_settings:
        only = f" ({found[0].results_version})" if n_settings == 1 else ", one for each setting"
        return f"{n_settings} results versions{only}" if n_settings > 1 else f"1 version{only}"
    return f"{len(versions)} results versions for {n_settings} settings: they are mixed"


def _counts(counter: Counter[str]) -> str:
    if len(counter) == 1:
        return next(iter(counter))
    return "; ".join(f"{text} ({number} blocks)" for text, number in counter.most_common())
