"""Seeds that are stored already: asking for more seeds, or another cut, computes none again."""

import json
from dataclasses import dataclass, field
from typing import Any

from losaw.study.design.blocks import Block
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.files.block_file import load_block, rows_of
from losaw.study.files.footer import footer
from losaw.study.running.replicate import Row


@dataclass
class Stored:
    """Rows and seconds by seed; ``law`` is the record of the joint law they were drawn from."""

    rows: dict[int, list[Row]] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    law: Any = None


def stored_seeds(session: Session, block: Block) -> Stored:
    """The block's seeds that other files of its setting and learner hold.

    A file counts if its footer differs from the one that the block will get in the range of
    seeds only: same methods, parameters, joint law, versions of losaw and of all libraries. The
    block's bytes therefore do not depend on what was there before. Failed seeds are left out.
    """
    found = Stored()
    expected: dict[str, Any] | None = None
    for path in sorted(session.block_path(block).parent.glob("seeds_*.parquet")):
        try:
            other = Block.from_path(path)
            if other == block or not set(other.seeds) & set(block.seeds) - found.rows.keys():
                continue
            loaded = load_block(path, other, version=None)
        except StudyError:
            continue
        if expected is None:
            found.law = _law_record(session, block)
            expected = _comparable(block_footer(session, block, found.law))
        if _comparable(loaded.footer) != expected:
            continue
        seconds = _seconds(session, other)
        for seed, rows in rows_of(loaded.table).items():
            wanted = seed in block.seeds and seed not in found.rows
            if wanted and all(row.status == "ok" for row in rows):
                found.rows[seed] = rows
                found.seconds[seed] = seconds.get(seed, 0.0)
    return found


def block_footer(session: Session, block: Block, law: Any) -> dict[str, Any]:
    """The footer of a block of this session."""
    study = session.study(block.study)
    setting, learner = study.setting(block.setting), study.learner(block.learner)
    return footer(study, block, setting, learner, session.version(block), law)


def _comparable(written: dict[str, Any]) -> Any:
    """A footer without its range of seeds, with its values as JSON gives them back."""
    block = {key: value for key, value in written["block"].items() if key != "seeds"}
    return json.loads(json.dumps({**written, "block": block}))


def _law_record(session: Session, block: Block) -> Any:
    from losaw.study.running.runner import load_law

    study = session.study(block.study)
    parameters = study.setting(block.setting).parameters
    law = load_law(study.generator.entry.create(**parameters), session.laws_folder)
    return None if law is None else law.record()


def _seconds(session: Session, block: Block) -> dict[int, float]:
    path = session.results / block.run_record_path
    try:
        written = json.loads(path.read_text(encoding="utf-8"))["seconds"]
    except (OSError, ValueError, KeyError):
        return {}
    return dict(zip(block.seeds, written, strict=False))
