"""Joint laws of discrete features: fitted once, kept in a file, shared by all blocks."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from losaw.study.design.blocks import Block
from losaw.study.errors import StudyError


def load_law(path: Path | None) -> Any:
    """The joint law in a file; None where there is no path, as data need none.

    Raises
    ------
    StudyError
        If there is no such file, or it is damaged.
    """
    if path is None:
        return None
    from losaw.generators.joint_law.law import JointLaw, JointLawError

    try:
        return JointLaw.load(path)
    except FileNotFoundError:
        raise StudyError(
            f"{path}: no such joint law; `losaw run` and `losaw fit-law` fit it"
        ) from None
    except JointLawError as error:
        raise StudyError(str(error)) from None


def law_record(path: Path | None) -> Any:
    """What the footer of a block says of the joint law that its data are drawn from."""
    law = load_law(path)
    return None if law is None else law.record()


def laws_of(blocks: Iterable[Block]) -> dict[Path, Block]:
    """File of each joint law -> one of the blocks that draw from it."""
    laws: dict[Path, Block] = {}
    for block in blocks:
        if block.law_path is not None:
            laws.setdefault(block.law_path, block)
    return laws


def fit_laws(blocks: Iterable[Block], only: Path | None = None) -> None:
    """Fit and store every joint law (or one of them) that the blocks draw from.

    Raises
    ------
    StudyError
        If ``only`` is none of them.
    """
    laws = laws_of(blocks)
    if only is not None and only not in laws:
        raise StudyError(
            f"{only}: no block draws from this joint law (known: "
            f"{', '.join(map(str, laws)) or 'none'})"
        )
    for path, block in laws.items():
        if only in (None, path) and not path.exists():
            from losaw.generators.joint_law.fit import fit_joint_law

            fit_joint_law(block.series.generator.create().joint_law()).save(path)
