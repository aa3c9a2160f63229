"""The front page: the finding, all papers in one table, and every claim that fails."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from losaw.study.claims.weighing import CLAIM_VERDICTS, CONTRADICTED, MIXED, Weighed
from losaw.study.report.page.paper import finding, paper_page, verdict_tiles, what_was_run
from losaw.study.report.page.parts import Page, Part, Section
from losaw.study.report.page.stored import Shelf
from losaw.study.request.published import check_counted_once
from losaw.study.results.agreement import DEVIATES, DIFFERS
from losaw.study.results.compare import COMPARED, compared_cells, counted

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
    "of the last ones nothing is known."
)
_KINDS = ("misprint", "unstated", "inference", "open")
_SUMMED = ("fits", "fits at scale paper", "failed values", "core-hours")


def front_page(shelf: Shelf, name: str) -> Page:
    """The page that leads to all others; its file is called ``report`` or ``overview``."""
    check_counted_once(shelf.studies.values(), shelf.configuration / "published")
    cells, uncounted = (_compared(shelf, are_counted) for are_counted in (True, False))
    pages = shelf.pages.items()
    findings = [
        f"{line} ({_link(page)})" for page, names in pages for line in finding(shelf, names)
    ]
    parts: list[Part] = [findings, *verdict_tiles(cells)]
    links = [_link(page, shelf.paper(page).title) for page in shelf.pages]
    parts.append(Section("Pages", [links]))
    if len(cells):
        others = Section("Compared, but not counted", [_APART, _verdicts(uncounted)], True)
        reasons = Section("Cells that differ or deviate", [_WHY, _explained(cells)])
        parts.append(Section("Published values", [_COUNTED, _verdicts(cells), reasons, others]))
    if any(shelf.weighed.values()):
        parts.append(Section("Claims of the texts", [_claims(shelf.weighed), *_failing(shelf)]))
    parts.append(Section("What was run", [_run(shelf)], is_folded=True))
    title = "Published and reproduced" if len(cells) else "Methods on simulated data"
    return Page(name, title, parts)


def write_pages(shelf: Shelf, front: Path) -> list[Path]:
    """Write the front page, and next to it the page of each paper and of each other study."""
    pages = [front_page(shelf, front.stem), *(paper_page(shelf, name) for name in shelf.pages)]
    return [page.write(front.with_stem(page.name)) for page in pages]


def _compared(shelf: Shelf, are_counted: bool) -> pd.DataFrame:
    """The compared cells of all papers that count, or those that do not."""
    tables = []
    for page, names in shelf.pages.items():
        for name in names:
            study, comparison = shelf.studies[name], shelf.results[name].comparison
            cells = counted(study, comparison)
            if not are_counted:
                cells = compared_cells(comparison).drop(cells.index)
            ends = {label: method.entry.load().range[1] for label, method in study.metrics.items()}
            tables.append(cells.assign(paper=_link(page), largest=cells["metric"].map(ends)))
    return pd.concat(tables, ignore_index=True)


def _link(page: str, title: str = "") -> str:
    return f"[{title or page}](./{page}.md)"


def _verdicts(cells: pd.DataFrame) -> pd.DataFrame:
    """The sums of each paper's cells by verdict, and of those near the published value.

    A distance says the same of all metrics with the largest value 1, and nothing of ranks and
    scores in a unit of their own.
    """
    has_scale = cells["largest"] == 1
    distance = (cells["reproduced"] - cells["published"]).abs().where(has_scale)
    verdicts = {verdict: cells["verdict"] == verdict for verdict in COMPARED}
    near = {f"within {d:g}": distance <= d + 1e-9 for d in DISTANCES}
    numbers = {"cells": 1, **verdicts, "of a metric up to 1": has_scale, **near}
    return _sums(pd.DataFrame({"paper": cells["paper"], **numbers}))


def _explained(cells: pd.DataFrame) -> pd.DataFrame:
    """What explains the counted cells that differ or deviate, by paper."""
    beyond = cells[cells["verdict"].isin([DIFFERS, DEVIATES])]
    kinds = {kind: beyond["explained"] == kind for kind in _KINDS}
    rows = {"paper": beyond["paper"], "differ or deviate": 1, **kinds}
    return _sums(pd.DataFrame({**rows, "not explained": beyond["explained"] == ""}))


def _claims(weighed: Mapping[str, Sequence[Weighed]]) -> pd.DataFrame:
    """Verdicts of the papers' claims, with the claims that are ours in a row of their own."""
    rows = [
        {"paper": paper, "ours": item.claim.ours, "claims": 1}
        | {verdict: item.verdict == verdict for verdict in CLAIM_VERDICTS}
        for paper, items in weighed.items()
        for item in items
    ]
    frame = pd.DataFrame(rows)
    ours = frame[frame.pop("ours")].assign(paper="our own claims")
    return pd.concat([_sums(frame.drop(ours.index)), _sums(ours)], ignore_index=True)


def _failing(shelf: Shelf) -> Iterator[Section]:
    for name, items in shelf.weighed.items():
        lines = [_failure(item) for item in items if item.verdict in (CONTRADICTED, MIXED)]
        yield Section(f"Claims that fail: {shelf.paper(name).title}", [lines])


def _failure(item: Weighed) -> str:
    counts = f"{item.n_for} for it, {item.n_against} against, {item.n_open} open"
    whose = "Our own claim: " if item.claim.ours else ""
    line = f"{whose}{item.claim.says} ({item.claim.place}): {item.verdict} ({counts})"
    return f"{line}. {item.claim.comment}" if item.claim.comment else line


def _run(shelf: Shelf) -> pd.DataFrame:
    rows = [what_was_run(shelf, names).assign(paper=_link(n)) for n, names in shelf.pages.items()]
    return _sums(pd.concat(rows).assign(studies=1)[["paper", "studies", *_SUMMED]])


def _sums(rows: pd.DataFrame) -> pd.DataFrame:
    """The sums of every paper, and those of all where there are several."""
    frame = rows.groupby("paper", sort=False).sum()
    if len(frame) > 1:
        frame = pd.concat([frame, frame.sum().to_frame("all").T.astype(frame.dtypes)])
    return frame.rename_axis("paper").reset_index()
