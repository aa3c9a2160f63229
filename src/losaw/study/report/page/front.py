"""The front page: the finding, all papers in one table, and every claim that fails."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from losaw.study.claims.weighing import (
    CONTRADICTED,
    MIXED,
    MOSTLY_OPEN,
    NOT_RUN,
    PARTLY_RUN,
    SUPPORTED,
    UNDECIDED,
    Weighed,
)
from losaw.study.report.page.paper import (
    counted_cells,
    finding,
    paper_page,
    verdict_tiles,
    weigh_claims,
    what_was_run,
)
from losaw.study.report.page.parts import Page, Part, Section
from losaw.study.report.page.stored import Shelf
from losaw.study.results.agreement import DEVIATES, DIFFERS
from losaw.study.results.compare import COMPARED, compared_cells

DISTANCES = (0.01, 0.02, 0.05)
_COUNTED = (
    "Each published value is counted once: in the study that reproduces it, under the reading that "
    "is believed (`counted` in the study files)."
)
_APART = (
    "Compared, but not counted: other readings of these values, other joint laws for them, and "
    "nominal sizes of tests, which no paper has published as results."
)
_WHY = (
    "Some are explained: by a misprint, by a choice that the paper leaves unstated, or by an "
    "inference of ours. Others are open points that a study file describes and nothing explains; "
    "of the last ones nothing is known. Of cells with one and the same law, 4.6 % have |z| > 2 by "
    "chance."
)
_KINDS = ("misprint", "unstated", "inference", "open")
_SUMMED = ("fits", "fits of the paper", "failed values", "core-hours")
_OF_CLAIMS = (SUPPORTED, MOSTLY_OPEN, CONTRADICTED, MIXED, UNDECIDED, PARTLY_RUN, NOT_RUN)


def front_page(shelf: Shelf, name: str) -> Page:
    """The page that leads to all others; its file is called ``report`` or ``overview``."""
    weighed = {paper: weigh_claims(shelf, paper) for paper in shelf.papers}
    cells = pd.concat([counted_cells(shelf, study) for study in shelf.studies], ignore_index=True)
    parts = [*finding(shelf, shelf.studies), *verdict_tiles(cells)]
    links = [f"[{shelf.paper(name).title}](./{name}.md)" for name in shelf.pages]
    parts.append(Section("Pages", [links]))
    if len(cells):
        apart = Section("Compared, but not counted", [_APART, _cells(shelf, False)], True)
        reasons = Section("Cells that differ or deviate", [_WHY, _explained(shelf)])
        parts.append(Section("Published values", [_COUNTED, _cells(shelf, True), reasons, apart]))
    if any(weighed.values()):
        failing = _failing(shelf, weighed)
        parts.append(Section("Claims of the texts", [_claims(weighed), *failing]))
    parts.append(Section("What was run", [_run(shelf)], is_folded=True))
    title = "Published and reproduced" if len(cells) else "Methods on simulated data"
    return Page(name, title, parts)


def write_pages(shelf: Shelf, front: Path) -> list[Path]:
    """Write the front page, and next to it the page of each paper and of each other study."""
    pages = [front_page(shelf, front.stem), *(paper_page(shelf, name) for name in shelf.pages)]
    return [page.write(front.with_stem(page.name)) for page in pages]


def _cells(shelf: Shelf, are_counted: bool) -> pd.DataFrame:
    rows = []
    for group, names in shelf.pages.items():
        parts = []
        for name in names:
            own = counted_cells(shelf, name)
            cells = compared_cells(shelf.results[name].comparison)
            parts.append(own if are_counted else cells.drop(own.index))
        cells = pd.concat(parts)
        distance = (cells["reproduced"] - cells["published"]).abs()
        words = {word: int((cells["verdict"] == word).sum()) for word in COMPARED}
        near = {f"within {d:g}": int((distance <= d + 1e-9).sum()) for d in DISTANCES}
        if len(cells):
            rows.append({"paper": f"[{group}](./{group}.md)", "cells": len(cells), **words, **near})
    return _with_total(pd.DataFrame(rows))


def _explained(shelf: Shelf) -> pd.DataFrame:
    """What explains the counted cells that differ or deviate, by paper."""
    rows = []
    for group, names in shelf.pages.items():
        cells = pd.concat([counted_cells(shelf, name) for name in names])
        beyond = cells[cells["verdict"].isin([DIFFERS, DEVIATES])]["explained"]
        kinds = {kind: int((beyond == kind).sum()) for kind in _KINDS}
        if len(beyond):
            row = {"paper": f"[{group}](./{group}.md)", "differ or deviate": len(beyond), **kinds}
            rows.append({**row, "not explained": int((beyond == "").sum())})
    return _with_total(pd.DataFrame(rows))


def _claims(weighed: Mapping[str, Sequence[Weighed]]) -> pd.DataFrame:
    """Verdicts of the papers' claims, with the claims that are ours in a row of their own."""
    rows = [
        _counts(paper, [item for item in items if not item.claim.ours])
        for paper, items in weighed.items()
    ]
    frame = _with_total(pd.DataFrame(rows))
    own = [item for items in weighed.values() for item in items if item.claim.ours]
    ours = [_counts("our own claims", own)] if own else []
    return pd.concat([frame, pd.DataFrame(ours)], ignore_index=True)


def _counts(name: str, items: Sequence[Weighed]) -> dict[str, object]:
    verdicts = {verdict: sum(item.verdict == verdict for item in items) for verdict in _OF_CLAIMS}
    return {"paper": name, "claims": len(items), **verdicts}


def _failing(shelf: Shelf, weighed: Mapping[str, Sequence[Weighed]]) -> Iterator[Part]:
    for name, items in weighed.items():
        lines = [_failure(item) for item in items if item.verdict in (CONTRADICTED, MIXED)]
        if lines:
            yield Section(f"Claims that fail: {shelf.paper(name).title}", [lines])


def _failure(item: Weighed) -> str:
    counts = f"{item.n_for} for it, {item.n_against} against, {item.n_open} open"
    own = "Our own claim: " if item.claim.ours else ""
    line = f"{own}{item.claim.says} ({item.claim.place}): {item.verdict} ({counts})"
    return f"{line}. {item.claim.comment}" if item.claim.comment else line


def _run(shelf: Shelf) -> pd.DataFrame:
    rows = []
    for group, names in shelf.pages.items():
        runs = what_was_run(shelf, names)
        sums = {name: runs[name].sum() for name in _SUMMED}
        rows.append({"paper": f"[{group}](./{group}.md)", "studies": len(names), **sums})
    return _with_total(pd.DataFrame(rows))


def _with_total(frame: pd.DataFrame) -> pd.DataFrame:
    if len(frame) < 2:
        return frame
    total = frame.drop(columns="paper").sum()
    last = pd.DataFrame([{"paper": "all", **total}]).astype(frame.dtypes.to_dict())
    return pd.concat([frame, last], ignore_index=True)
