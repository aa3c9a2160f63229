"""Reuse of stored seeds: a longer run, another cut or a new importance recomputes nothing."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from losaw.study.design.blocks import Block, BlockName
from losaw.study.errors import StudyError
from losaw.study.files.block_file import BlockFile, load_named
from losaw.study.files.footer import footer_of, libraries_of, of_the_fit, version_of
from losaw.study.files.rows import Row, rows_by_seed
from losaw.study.files.run_record import read_run_record
from losaw.study.running.joint_laws import law_record

# Of a replicate: an importance's label, or "" for data, fit and predictions.
Part = str


@dataclass
class Stored:
    """The stored seeds of a block.

    Attributes
    ----------
    rows : dict
        Seed -> part -> its rows.
    whole : dict
        Seed -> all its rows in the block's order, of the seeds of which nothing is missing.
    seconds : dict
        By seed, of those of which there is anything.
    law : record of the joint law that the data were drawn from, or None
    """

    rows: dict[int, dict[Part, list[Row]]] = field(default_factory=dict)
    whole: dict[int, list[Row]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    law: Any = None


def stored_seeds(block: Block) -> Stored:
    """Find a block's seeds in the files of its setting and learner.

    A file counts if its footer agrees with the one that the block will get in all that decides
    data and fits: learner, parameters, joint law, versions of losaw and of all libraries; and of
    its rows those count whose part has the version of today. The block's bytes therefore do not
    depend on what was there before. Parts with anything that failed are left out.
    """
    stored = Stored()
    expected: dict[str, Any] | None = None
    for path in sorted(block.path.parent.glob("seeds_*.parquet")):
        try:
            name = BlockName.from_path(path)
            if not set(name.seeds) & set(block.seeds):
                continue
            file = load_named(path, name)
        except StudyError:
            continue
        if expected is None:
            stored.law = law_record(block.law_path)
            expected = of_the_fit(footer_of(block, stored.law))
        if of_the_fit(file.footer) == expected:
            _take(stored, block, name, file)
    parts = block.series.part_versions
    for seed, stored_parts in stored.rows.items():
        if all(part in stored_parts for part in parts):
            stored.whole[seed] = in_order(stored_parts, parts)
    return stored


def _take(stored: Stored, block: Block, name: BlockName, file: BlockFile) -> None:
    versions = file.footer.get("part_versions", {})
    record = read_run_record(block.results / name.run_record_path)
    seconds = dict(zip(name.seeds, record.seconds if record else (), strict=False))
    for seed, rows in rows_by_seed(file.table).items():
        if seed not in block.seeds:
            continue
        parts = stored.rows.setdefault(seed, {})
        for part, version in block.series.part_versions.items():
            of_part = [row for row in rows if row.importance == part]
            if part and not _has_libraries(block, part, file.footer):
                continue
            is_whole = all(row.status == "ok" for row in of_part) and (of_part or not part)
            if versions.get(part) == version and is_whole:
                parts.setdefault(part, of_part)
        if parts:
            stored.seconds.setdefault(seed, seconds.get(seed, 0.0))


def _has_libraries(block: Block, part: Part, footer: dict[str, Any]) -> bool:
    """Return whether a file's importance was computed with the libraries that are installed."""
    entry = block.series.importances[part].entry
    return all(
        footer["libraries"].get(name) == version_of(name)
        for name in libraries_of(entry.kind, entry.name)
    )


def in_order(parts: dict[Part, list[Row]], order: Iterable[Part]) -> list[Row]:
    """The rows of a replicate, part by part."""
    return [row for part in order for row in parts.get(part, ())]
