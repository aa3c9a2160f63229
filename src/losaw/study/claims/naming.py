"""A check that claims and decisions name what exists: studies, methods, metrics, settings."""

from functools import cache
from pathlib import Path

from losaw.study.checks import check_filter
from losaw.study.claims.claim_file import Claim, Claims, Side
from losaw.study.errors import StudyError
from losaw.study.grid import Study
from losaw.support.words import unknown


def check_names(claims: Claims, folder: Path) -> None:
    """Check every claim and decision against the study files in a folder; nothing is run.

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
        for metric in side.metric or claim.metric:
            if metric not in study.metrics:
                raise StudyError(unknown("metric", metric, study.metrics))
            known = study.methods_of(metric)
            for method in side.method or claim.method:
                if method not in known:
                    raise StudyError(unknown("method", method, known))
        check_filter(study, side.where, ("settings",))
    check_filter(study, claim.share_of, ("settings",))
