"""The front page: the finding, all papers in one table, and every claim that fails."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import pandas as pd

from losaw.study.block.writing import write_csv
from losaw.study.claims.weighing import (
    CLAIM_VERDICTS,
    CONTRADICTED,
    MIXED,
    MOSTLY_OPEN,
    SUPPORTED,
    Weighed,
)
from losaw.study.report.page.paper import (
    claims_table,
    finding,
    paper_page,
    picture,
    verdict_tiles,
    what_was_run,
)
from losaw.study.report.page.parts import Either, Page, Part, Section
from losaw.study.report.page.stored import CLAIMS, Shelf
from losaw.study.report.undecided import HOW, UNDECIDED_POINTS, costs_by_study, undecided_table
from losaw.study.request.published import check_counted_once
from losaw.study.results.agreement import AGREES, DEVIATES, DIFFERS, NO_ERROR, UNDECIDED
from losaw.study.results.chance import CHANCE, MISPRINT, RULE, beyond_errors
from losaw.study.results.compare import CANNOT_BE_DECIDED, OUTCOMES
from losaw.support.words import counted

DISTANCES = (0.01, 0.02, 0.05)
_COUNTED = (
    "Each published value is counted once: in the study that reproduces it, under the reading that "
    "is believed (`counted` in the study files)."
)
_APART = (
    "other readings of these values, other joint laws for them, and nominal sizes of tests, which "
    "no paper has published as results."
)
_WHY = (
    "A misprint explains some, a choice that the paper leaves unstated or an inference of ours "
    f"others; open points are described, and of the last ones nothing is known. {RULE}"
)
_BY_CHANCE = (
    "Of cells with an error that nothing else explains: how many are beyond two and three, and how "
    "many would be if all were right. Within the margin they agree, however certain."
)
_ABOUT = (
    "Numbers that papers have printed, beside our own of the same designs: each is a mean over "
    "simulated data sets, the *runs*. The short names of the papers stand in the list of pages."
)
_ON_PAGES = f"The page of a paper says which claims fail; all are in [{CLAIMS}](./{CLAIMS})."
_ONE_BY_ONE = f"One by one: [{UNDECIDED_POINTS}](./{UNDECIDED_POINTS})."
_HOLD, _FAIL = (SUPPORTED, MOSTLY_OPEN), (CONTRADICTED, MIXED)
_KINDS = (MISPRINT, "unstated", "inference", CHANCE, "open")
_SUMMED = ("fits", "fits at scale paper", "failed values", "core-hours")


def front_page(shelf: Shelf, name: str) -> Page:
    """The page that leads to all others; its file is called ``report`` or ``overview``."""
    check_counted_once(shelf.studies.values(), shelf.configuration / "published")
    compared = shelf.all_compared
    links = compared["page"].map(_link)
    compared = compared.assign(paper=links, row=compared["page"] + " " + compared["row"])
    cells, uncounted = (compared[compared["is_counted"] == counts] for counts in (True, False))
    parts: list[Part] = [
        *([_ABOUT] if len(cells) else []),
        in_short(cells, [item for items in shelf.weighed.values() for item in items]),
        *verdict_tiles(cells),
        *([_meaning(cells)] if len(cells) else []),
        *picture(name, cells, shelf.weighed),
        Section("Pages", [[_about(shelf, page) for page in shelf.pages]]),
    ]
    if len(cells):
        apart = [
            f"{counted(len(uncounted), '[cell|cells]')}: {_APART}",
            Either([_verdicts(uncounted)], []),
        ]
        others = [Section("Compared, but not counted", apart)] if len(uncounted) else []
        told = cells["z"].notna() & cells["explained"].isin(
            ["", CHANCE]
        )  # of one run no z is known
        counts = [_BY_CHANCE, *beyond_errors(cells)] if told.any() else []
        why = [_WHY, _explained(cells), Section("What chance alone makes", counts, True)]
        reasons = Section("Cells that differ or deviate", why)
        values = [_COUNTED, _verdicts(cells), reasons, *others]
        parts.append(Section("Published values, paper by paper", values, is_folded=True))
    if any(shelf.weighed.values()):
        claims = [_claims(shelf.weighed), Either(list(_failing(shelf)), [_ON_PAGES])]
        parts.append(Section("Claims of the texts, and which of them fail", claims, is_folded=True))
    if shelf.undecided:
        by_study = costs_by_study(undecided_table(shelf.undecided))
        costs = [HOW, by_study, Either([], [_ONE_BY_ONE])]  # a run does not write the file
        parts.append(Section("What is undecided, and what it costs", costs, is_folded=True))
    parts.append(Section("What was run", [_run(shelf)], is_folded=True))
    title = "Published and reproduced" if len(cells) else "Methods on simulated data"
    return Page(name, title, parts)


def in_short(cells: pd.DataFrame, weighed: Sequence[Weighed]) -> list[str]:
    """What was reproduced, what was not and what is open, a line each."""
    count = cells["outcome"].value_counts().reindex(OUTCOMES, fill_value=0)
    claims = pd.Series([item.verdict for item in weighed if not item.claim.ours], dtype=str)
    n_good, n_bad = (int(claims.isin(words).sum()) for words in (_HOLD, _FAIL))
    tables = cells.loc[cells["outcome"].isin([DIFFERS, DEVIATES]), "row"].value_counts().head(3)
    most = ", ".join(f"{n} in {row}" for row, n in tables.items())
    n_left, n_beyond = len(claims) - n_good - n_bad, count[[DIFFERS, DEVIATES]].sum()
    n_never, n_unknown = count[[CANNOT_BE_DECIDED, NO_ERROR]]
    reasons = (
        (n_never, f" (of {n_never} no number of runs decides: the published are too uncertain)"),
        (n_unknown, f"; {counted(n_unknown, '[has|have] no error to judge by')}"),
    )
    lines = {
        "Reproduced": (
            counted(
                count[AGREES],
                f"of {len(cells):,} published values [agrees|agree] within the margin",
            ),
            counted(n_good, f"of {len(claims)} claims of the texts [is|are] supported"),
        ),
        "Not reproduced": (
            counted(n_beyond, "[value differs or deviates|values differ or deviate]")
            + (f" (most: {most})" if most else ""),
            counted(n_bad, "[claim fails|claims fail], in some settings or in all"),
        ),
        "Open": (
            counted(count[UNDECIDED] + n_never, "[value|values]")
            + "".join(why for n, why in reasons if n),
            counted(n_left, "[claim is undecided, or was|claims are undecided, or were] not run"),
        ),
    }
    has = (len(cells) > 0, len(claims) > 0)
    said = {what: list(compress(words, has)) for what, words in lines.items()}
    return [f"**{what}**: {'; '.join(words)}." for what, words in said.items() if words]


def _meaning(cells: pd.DataFrame) -> str:
    margins = cells.loc[cells["largest"] == 1, "margin"].dropna()
    widths = f" ({margins.min():g} to {margins.max():g} of metrics up to 1)" if len(margins) else ""
    return (
        "*z* is a difference divided by the standard error of both numbers together (less, where "
        "runs are few). A value "
        f"*agrees* if the 90 % interval of its difference lies within the margin that the study "
        f"declares{widths}; else it *deviates* beyond two standard errors and *differs* beyond "
        "three."
    )


def write_pages(shelf: Shelf, front: Path) -> list[Path]:
    """Write the front page, the page of each paper and of each other study, and all claims."""
    pages = [front_page(shelf, front.stem), *(paper_page(shelf, name) for name in shelf.pages)]
    claims = [
        claims_table(items, with_remarks=True).assign(paper=name)
        for name, items in shelf.weighed.items()
        if items
    ]
    tables = {
        CLAIMS: pd.concat(claims) if claims else None,
        UNDECIDED_POINTS: undecided_table(shelf.undecided) if shelf.undecided else None,
    }
    for file, table in tables.items():
        if table is None:  # what stands there is of earlier pages
            front.with_name(file).unlink(missing_ok=True)
        else:
            write_csv(front.with_name(file), table)
    return [page.write(front.with_stem(page.name)) for page in pages]


def _about(shelf: Shelf, page: str) -> str:
    """A link to a page, and what its paper compares."""
    title = _link(page, shelf.paper(page).title)
    return " ".join([f"{title}.", *finding(shelf, shelf.pages[page])])


def _link(page: str, title: str = "") -> str:
    text = re.sub(r"([][])", r"\\\1", title or page)
    return f"[{text}](./{page}.md)"


def _verdicts(cells: pd.DataFrame) -> pd.DataFrame:
    """The sums of each paper's cells by verdict, and of those near the published value.

    A distance says the same of all metrics with the largest value 1, and nothing of ranks and
    scores in a unit of their own.
    """
    has_scale = cells["largest"] == 1
    distance = (cells["reproduced"] - cells["published"]).abs().where(has_scale)
    verdicts = {outcome: cells["outcome"] == outcome for outcome in OUTCOMES}
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
        lines = [_failure(item) for item in items if item.verdict in _FAIL]
        yield Section(f"Claims that fail: {shelf.paper(name).title}", [lines])


def _failure(item: Weighed) -> str:
    counts = f"{item.n_for} for it, {item.n_against} against, {item.n_open} open"
    whose = "Our own claim: " if item.claim.ours else ""
    return f"{whose}{item.claim.says} ({item.claim.place}): {item.verdict} ({counts})."


def _run(shelf: Shelf) -> pd.DataFrame:
    rows = [what_was_run(shelf, names).assign(paper=_link(n)) for n, names in shelf.pages.items()]
    return _sums(pd.concat(rows).assign(studies=1)[["paper", "studies", *_SUMMED]])


def _sums(rows: pd.DataFrame) -> pd.DataFrame:
    """The sums of every paper, and those of all where there are several; unknown with unknown."""
    frame = rows.groupby("paper", sort=False).agg(_sum)
    if len(frame) > 1:
        frame = pd.concat([frame, frame.agg(_sum).to_frame("all").T.astype(frame.dtypes)])
    return frame.rename_axis("paper").reset_index()


def _sum(values: "pd.Series[Any]") -> Any:
    return values.sum(skipna=False)
