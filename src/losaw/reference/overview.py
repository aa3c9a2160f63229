"""The reference run on one page: one line per paper, and every claim that fails."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from losaw.reference.claim_tests import (
    CONTRADICTED,
    MIXED,
    MOSTLY_OPEN,
    NOT_RUN,
    PARTLY_RUN,
    SUPPORTED,
    UNDECIDED,
    Weighed,
)
from losaw.reference.claims import Claims
from losaw.reference.stored import KeptStudy, Reference
from losaw.study.design.session import Session
from losaw.study.results.tally import DISTANCES, VERDICTS, compared, counted

_VALUES = (
    "Each published value is counted once: in the study that reproduces it, under the reading that "
    "is believed (`counted` in the study files)."
)
_APART = (
    "Other readings of these values, other joint laws for them, and nominal sizes of tests, which "
    "no paper has published as results."
)
_OF_CLAIMS = (SUPPORTED, MOSTLY_OPEN, CONTRADICTED, MIXED, UNDECIDED, PARTLY_RUN, NOT_RUN)


def overview(
    reference: Reference,
    papers: Mapping[str, Claims],
    weighed: Mapping[str, Sequence[Weighed]],
    session: Session,
) -> Iterator[str]:
    """Return the overview of the reference run, as lines of Markdown.

    Parameters
    ----------
    reference : Reference
    papers : mapping
        Short name -> claims; the page of that name is linked.
    weighed : mapping
        Short name -> the claims with their verdicts.
    session : Session
        With the study files next to its configuration.
    """
    kept = {
        paper: {name: study for name, study in reference.studies.items() if claims.covers(name)}
        for paper, claims in papers.items()
    }
    yield "# The reference run on one page"
    yield ""
    yield "Written by `losaw reference pages`. One page per paper gives details."
    yield from ("", "## What was run", "", *table_of(_run(kept)))
    for name, claims in papers.items():
        studies = session.available_studies()
        missing = [study for study in studies if claims.covers(study) and study not in kept[name]]
        if missing:
            yield ""
            listed = ", ".join(f"`{study}`" for study in missing)
            yield f"Studies of {name} that were not run: {listed}."
    yield from ("", "## Published values", "", _VALUES)
    yield from ("", *table_of(_cells(kept, session, are_counted=True)))
    yield from ("", "## Compared, but not counted", "", _APART)
    yield from ("", *table_of(_cells(kept, session, are_counted=False)))
    yield from ("", "## Claims of the texts", "", *table_of(_claims(weighed)))
    yield from ("", "## Claims that fail")
    for name, items in weighed.items():
        failing = [item for item in items if item.verdict in (CONTRADICTED, MIXED)]
        if failing:
            yield from ("", f"### {papers[name].title}", "")
            yield from map(_failure, failing)


def table_of(frame: pd.DataFrame) -> Iterator[str]:
    """A data frame as a table in Markdown; whole numbers whole, others to three digits."""
    yield "| " + " | ".join(str(name).replace("_", " ") for name in frame.columns) + " |"
    yield "|---" * len(frame.columns) + "|"
    for row in frame.itertuples(index=False):
        yield "| " + " | ".join(map(_text, row)) + " |"


def _text(value: object) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _failure(item: Weighed) -> str:
    counts = f"{item.n_for} for it, {item.n_against} against, {item.n_open} open"
    own = "Our own claim: " if item.claim.ours else ""
    line = f"- {own}{item.claim.says} ({item.claim.place}): {item.verdict} ({counts})"
    return f"{line}. {item.claim.comment}" if item.claim.comment else line


def _run(kept: Mapping[str, Mapping[str, KeptStudy]]) -> pd.DataFrame:
    rows = []
    for paper, studies in kept.items():
        manifests = [study.manifest for study in studies.values()]
        rows.append(
            {
                "paper": f"[{paper}](./{paper}.md)",
                "studies": len(studies),
                "blocks": sum(len(study.blocks) for study in studies.values()),
                "fits": sum(int(manifest["fits"]) for manifest in manifests),
                "fits of these studies in the paper": sum(
                    int(manifest["whole"]["fits"]) for manifest in manifests
                ),
                "core-hours": sum(manifest["core_seconds"] for manifest in manifests) / 3600,
            }
        )
    return _with_total(pd.DataFrame(rows))


def _cells(
    kept: Mapping[str, Mapping[str, KeptStudy]], session: Session, are_counted: bool
) -> pd.DataFrame:
    rows = []
    for paper, studies in kept.items():
        parts = []
        for name, study in studies.items():
            cells = compared(study.comparison)
            own = counted(session.read_study(name, trusted=True), study.comparison)
            parts.append(own if are_counted else cells.drop(own.index))
        distances = [(part["reproduced"] - part["published"]).abs() for part in parts]
        rows.append(
            {
                "paper": paper,
                "cells": sum(map(len, parts)),
                **{
                    word: sum(int((p["verdict"] == word).sum()) for p in parts) for word in VERDICTS
                },
                **{
                    f"within {near:g}": sum(int((d <= near + 1e-9).sum()) for d in distances)
                    for near in DISTANCES
                },
            }
        )
    return _with_total(pd.DataFrame(rows))


def _claims(weighed: Mapping[str, Sequence[Weighed]]) -> pd.DataFrame:
    """Verdicts of the papers' claims, with the claims that are ours in a row of their own."""
    groups = {
        paper: [item for item in items if not item.claim.ours] for paper, items in weighed.items()
    }
    frame = _with_total(pd.DataFrame(_counts(paper, items) for paper, items in groups.items()))
    own = [item for items in weighed.values() for item in items if item.claim.ours]
    if not own:
        return frame
    return pd.concat([frame, pd.DataFrame([_counts("our own claims", own)])], ignore_index=True)


def _counts(name: str, items: Sequence[Weighed]) -> dict[str, object]:
    verdicts = {verdict: sum(item.verdict == verdict for item in items) for verdict in _OF_CLAIMS}
    return {"paper": name, "claims": len(items), **verdicts}


def _with_total(frame: pd.DataFrame) -> pd.DataFrame:
    total = frame.drop(columns="paper").sum()
    last = pd.DataFrame([{"paper": "all", **total}]).astype(frame.dtypes.to_dict())
    return pd.concat([frame, last], ignore_index=True)
