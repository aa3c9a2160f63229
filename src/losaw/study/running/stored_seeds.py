"""Seeds that are stored already: asking for more seeds, or another cut, computes none again."""

from dataclasses import dataclass, field
from typing import Any

from losaw.study.design.blocks import Block, BlockName
from losaw.study.errors import StudyError
from losaw.study.files.block_file import load_named
from losaw.study.files.footer import footer_of, without_seeds
from losaw.study.files.rows import Row, rows_by_seed
from losaw.study.files.run_record import read_run_record
from losaw.study.running.joint_laws import law_record


@dataclass
class Stored:
    """Rows and seconds by seed; ``law`` is the record of the joint law they were drawn from."""

    rows: dict[int, list[Row]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    law: Any = None


def stored_seeds(block: Block) -> Stored:
    """The block's seeds that other files of its setting and learner hold.

    A file counts if its footer differs from the one that the block will get in the range of
    seeds only: same methods, parameters, joint law, versions of losaw and of all libraries. The
    block's bytes therefore do not depend on what was there before. Failed seeds are left out.
    """
    stored = Stored()
    expected: dict[str, Any] | None = None
    for path in sorted(block.path.parent.glob("seeds_*.parquet")):
        try:
            name = BlockName.from_path(path)
            if name == block.name or not set(name.seeds) & set(block.seeds) - stored.rows.keys():
                continue
            file = load_named(path, name)
        except StudyError:
            continue
        if expected is None:
            stored.law = law_record(block.law_path)
            expected = without_seeds(footer_of(block, stored.law))
        if without_seeds(file.footer) != expected:
            continue
        record = read_run_record(block.results / name.run_record_path)
        seconds = dict(zip(name.seeds, record.seconds if record else (), strict=False))
        for seed, rows in rows_by_seed(file.table).items():
            wanted = seed in block.seeds and seed not in stored.rows
            if wanted and all(row.status == "ok" for row in rows):
                stored.rows[seed] = rows
                stored.seconds[seed] = seconds.get(seed, 0.0)
    return stored
