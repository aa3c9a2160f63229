"""A check that claims and decisions name what exists: studies, methods, metrics, settings."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from losaw.study.claims.claim_file import Claim, Claims, Side
from losaw.study.errors import StudyError
from losaw.study.grid import Study
from losaw.study.settings import as_values, same
from losaw.support.words import unknown


def check_names(claims: Claims, folder: Path) -> None:
    """Check every claim and decision against the study files; nothing is run.

    Parameters
    ----------
    claims : Claims
    folder : Path
        Of the study files.

    Raises
    ------
    StudyError
        For a study, metric, method, axis or value that there is not, and for a claim that
        compares numbers with themselves; it names the claim or decision.
    """
    read = cache(lambda name: Study(folder / f"{name}.yaml"))
    known = sorted(path.stem for path in folder.glob("*.yaml"))
    for claim in claims.claims:
        try:
            if claim.study not in known:
                raise StudyError(unknown("study", claim.study, known))
            _check(claim, read(claim.study))
        except StudyError as error:
            raise StudyError(f"claim {claim.says!r}: {error}") from None
    for decision in claims.decisions:
        for name in decision.studies:
            if name not in known:
                raise StudyError(f"decision {decision.point!r}: {unknown('study', name, known)}")


def _check(claim: Claim, study: Study) -> None:
    than = claim.than if isinstance(claim.than, Side) else None
    if than == Side():
        raise StudyError("'than' names nothing; a method, metric or settings to compare with")
    for side in (claim, than) if than else (claim,):
        for metric in as_values(side.metric or claim.metric):
            if metric not in study.metrics:
                raise StudyError(unknown("metric", metric, study.metrics))
            known = study.methods_of(metric)
            for method in as_values(side.method or claim.method):
                if method not in known:
                    raise StudyError(unknown("method", method, known))
        _check_where(side.where, study)
    _check_where(claim.share_of, study)


def _check_where(where: Mapping[str, Any], study: Study) -> None:
    for axis, values in where.items():
        if axis not in study.axes:
            raise StudyError(unknown("axis", axis, study.axes))
        known = study.file.settings[axis]
        for value in as_values(values):
            if not any(same(value, other) for other in known):
                raise StudyError(unknown(f"value of {axis}", str(value), [str(v) for v in known]))
