"""Joint laws of discrete features: fitted once, stored in a file, shared by all blocks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from losaw.study.errors import StudyError


def load_laws(paths: Sequence[Path]) -> dict[str, Any]:
    """Return the joint laws of some files, by their identifiers.

    Raises
    ------
    StudyError
        If there is no such file, or it is damaged.
    """
    if not paths:
        return {}
    from losaw.study.generators.joint_law.law import JointLaw, JointLawError

    laws = {}
    for path in paths:
        try:
            law = JointLaw.load(path)
        except (FileNotFoundError, JointLawError) as error:
            raise StudyError(
                f"{error}; delete the file, and Snakemake fits the law again"
            ) from None
        if law.specification.identifier != path.stem:
            raise StudyError(
                f"{path}: is the joint law {law.specification.identifier}, not the one of its "
                "name; delete it, and Snakemake fits it again"
            )
        laws[path.stem] = law
    return laws


def fit_law(specification: Mapping[str, Any], path: Path) -> None:
    """Fit a joint law and write its file."""
    from losaw.study.generators.joint_law.fit import fit_joint_law
    from losaw.study.generators.joint_law.law import JointLawSpecification

    fit_joint_law(JointLawSpecification(**specification)).save(path)
