"""The blocks, versions and machines behind a table, a figure or any other output."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from losaw.study.design.blocks import BlockName
from losaw.study.design.grid import Study
from losaw.study.design.session import LEARNER_AXIS
from losaw.study.design.settings import Selection, Setting, as_values
from losaw.study.errors import StudyError
from losaw.study.files.block_file import read_block
from losaw.study.files.run_record import RunRecord, read_run_record
from losaw.study.files.writing import file_digest


@dataclass(frozen=True)
class Origin:
    """One block behind an output.

    Attributes
    ----------
    name : BlockName
    results_version, sha256 : str
        Of the file when it was collected.
    state : str
        ``""`` if the file is still the one that was collected, else what has become of it.
    footer : dict
        What decided its numbers; empty if the file is gone or damaged.
    record : RunRecord or None
        How it was run; None if unknown.
    """

    name: BlockName
    results_version: str
    sha256: str
    state: str
    footer: dict[str, Any]
    record: RunRecord | None


def find_output(
    output: Path, studies: Sequence[Study], results: Path, figures: Path
) -> tuple[Study | None, str]:
    """The study behind an output, and the key of its table or figure (empty: all of it).

    Parameters
    ----------
    output : Path
    studies : sequence of Study
        All that could have written it.
    results, figures : Path
        The folders that they write into.

    Returns
    -------
    study : Study or None
        None for what is made of all studies, such as the report.
    key : str

    Raises
    ------
    StudyError
        If there is no such file, or it is not one that a study writes.
    """
    place = output.resolve()
    if place.parent == results.resolve() and place.exists():
        return None, ""
    for study in studies:
        if place.parent == figures.resolve() and place.stem in study.file.figures:
            return study, place.stem
        if (results / study.name).resolve() in place.parents:
            return study, place.stem if place.stem in study.file.tables else ""
    raise StudyError(
        f"{output}: not an output of a study (results in {results}, figures in "
        f"{figures}, studies: {', '.join(study.name for study in studies)}); name the folder "
        "with --output"
    )


def origins(study: Study, key: str, results: Path, selection: Selection) -> list[Origin]:
    """The blocks behind one table or figure of a study, or behind all of it.

    They are read from ``blocks.csv``, which was written together with what the tables and figures
    are made of: blocks that were computed later, or for another request, do not count. A selection
    of axes and learners narrows them to those behind some of its cells.

    Raises
    ------
    StudyError
        If the study has not been collected.
    """
    listing = results / study.name / "blocks.csv"
    try:
        with listing.open(newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
    except OSError:
        raise StudyError(f"{listing}: not there; run `losaw report` first") from None
    shown = []
    for line in lines:
        name = BlockName.from_path(Path(line["file"]))
        setting, learners = study.setting(name.setting), selection.get(LEARNER_AXIS)
        selected = setting.matches(selection) and (learners is None or name.learner in learners)
        if selected and _is_shown(study, key, setting, name.learner):
            shown.append(_origin(results, name, line))
    return shown


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


def _origin(results: Path, name: BlockName, line: dict[str, str]) -> Origin:
    path = results / name.relative_path
    footer: dict[str, Any] = {}
    try:
        same = file_digest(path) == line["sha256"]
        state = "" if same else "changed since it was collected"
        footer = read_block(path).footer
    except OSError:
        state = "gone since it was collected"
    except StudyError:
        state = "damaged since it was collected"
    record = read_run_record(results / name.run_record_path)
    return Origin(name, line["results_version"], line["sha256"], state, footer, record)


def describe_origins(study: Study, key: str, blocks: list[Origin], list_blocks: bool) -> str:
    """The origins as text: counts of what differs, then the blocks if asked for."""
    n_seeds = sum(len(origin.name.seeds) for origin in blocks)
    settings = {origin.name.setting for origin in blocks}
    lines = [
        f"{study.name}{f', {key}' if key else ''}: {study.file.title}",
        f"{len(blocks)} blocks, {len(settings)} settings, {n_seeds} fits, "
        f"seeds {min((o.name.first for o in blocks), default=0)} to "
        f"{max((o.name.last for o in blocks), default=0)}",
    ]
    for learner in sorted({origin.name.learner for origin in blocks}):
        lines.append(f"  {learner}: {_versions([o for o in blocks if o.name.learner == learner])}")
    footers = [origin.footer for origin in blocks if origin.footer]
    records = [origin.record for origin in blocks if origin.record]
    libraries = Counter(
        ", ".join(f"{name} {version}" for name, version in footer["libraries"].items())
        for footer in footers
    )
    laws = Counter(f["joint_law"]["identifier"] for f in footers if f.get("joint_law"))
    started = sorted(record.started for record in records)
    described = {
        "losaw": _counts(Counter(footer["losaw"] for footer in footers)),
        "libraries": _counts(libraries),
        "joint laws": _counts(laws),
        "commit": _counts(Counter(record.commit or "unknown" for record in records)),
        "hosts": _counts(Counter(record.host for record in records)),
        "Slurm jobs": str(len({r.slurm_job_id for r in records if r.slurm_job_id}) or ""),
        "run from": f"{started[0]} to {started[-1]}" if started else "",
        "core-seconds": f"{sum(record.core_seconds for record in records):.1f}",
        "changed": _counts(Counter(origin.state for origin in blocks if origin.state)),
    }
    lines += [f"  {name}: {words}" for name, words in described.items() if words]
    if list_blocks:
        lines += [f"  {o.sha256}  {o.name}  {o.results_version}" for o in blocks]
    return "\n".join(lines)


def _versions(blocks: list[Origin]) -> str:
    """Return the number of versions in words; several in one setting are reported as mixed."""
    versions = {(origin.name.setting, origin.results_version) for origin in blocks}
    n_settings = len({origin.name.setting for origin in blocks})
    if len(versions) == n_settings:
        only = f" ({blocks[0].results_version})" if n_settings == 1 else ", one for each setting"
        return f"{n_settings} results versions{only}" if n_settings > 1 else f"1 version{only}"
    return f"{len(versions)} results versions for {n_settings} settings: they are mixed"


def _counts(counter: Counter[str]) -> str:
    if len(counter) == 1:
        return next(iter(counter))
    return "; ".join(f"{text} ({number} blocks)" for text, number in counter.most_common())
