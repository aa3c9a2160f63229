"""Joint laws of discrete features: fitted once, stored in a file, shared by all blocks."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from losaw.study.design.blocks import Block
from losaw.study.errors import StudyError


def load_law(path: Path | None) -> Any:
    """Return the joint law of a file; None without a path, for data that need none.

    Raises
    ------
    StudyError
        If there is no such file, or it is damaged.
    """
    if path is None:
        return None
    from losaw.generators.joint_law.law import JointLaw, JointLawError

    try:
        law = JointLaw.load(path)
    except FileNotFoundError:
        raise StudyError(
            f"{path}: no such joint law; `losaw run` and `losaw internal laws` fit it"
        ) from None
    except JointLawError as error:
        raise StudyError(str(error)) from None
    if law.specification.identifier != path.stem:
        raise StudyError(
            f"{path}: is the joint law {law.specification.identifier}, not the one of its name; "
            "remove it, and `losaw run` fits it again"
        )
    return law


def law_record(path: Path | None) -> Any:
    """Return what a block's footer states about the joint law of its data."""
    law = load_law(path)
    return None if law is None else law.record()


def laws_of(blocks: Iterable[Block]) -> dict[Path, Block]:
    """Return the file of each joint law, with one of the blocks that draw from it."""
    laws: dict[Path, Block] = {}
    for block in blocks:
        if block.law_path is not None:
            laws.setdefault(block.law_path, block)
    return laws


def fit_laws(blocks: Iterable[Block], only: Sequence[Path] = ()) -> None:
    """Fit and store every joint law (or some of them) that the blocks draw from.

    Raises
    ------
    StudyError
        If no block draws from one of ``only``.
    """
    laws = laws_of(blocks)
    for path in only:
        if path not in laws:
            raise StudyError(
                f"{path}: no block draws from this joint law (known: "
                f"{', '.join(map(str, laws)) or 'none'})"
            )
    for path in only or laws:
        if not path.exists():
            from losaw.generators.joint_law.fit import fit_joint_law

            fit_joint_law(laws[path].series.generator.create().joint_law()).save(path)
