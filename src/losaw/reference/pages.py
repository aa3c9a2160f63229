"""One page for each paper, made from the reference run: tables, figures, claims, and what fails."""

import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from losaw.reference.claim_tests import (
    CONTRADICTED,
    MIXED,
    Weighed,
    decisions_of,
    settings_against,
    weigh_claim,
)
from losaw.reference.claims import Claims, Names
from losaw.reference.overview import overview, table_of
from losaw.reference.stored import KeptStudy, Reference, commits_of
from losaw.study.design.session import Session
from losaw.study.design.settings import as_values
from losaw.study.files.writing import write_text
from losaw.study.results.agreement import DIFFERS
from losaw.study.results.cell_numbers import NUMBER_COLUMNS, SD_COLUMNS
from losaw.study.results.tally import VERDICTS, agreement_table, compared

_MOST_CELLS = 40
_EXPLAINED = (
    "A claim is weighed setting by setting: a setting speaks for or against it if the difference "
    "lies beyond a two-sided t bound of level .05 divided by the number of settings (Monte Carlo "
    "errors of both sides taken as independent, which is too large for runs on the same data; of "
    "rates of decisions, the limits of a binomial). *Supported*: some speak for it, none against; "
    "*contradicted*: the reverse; *undecided*: none speaks; of what is claimed of most settings, "
    "more than half speak for it, or against it. *Run in part*: none speaks against it, and "
    "something that it names was not run. A setting supports that values are *near* if the "
    "difference lies within the margin by more than a one-sided bound of the same level. "
    "*Medians* shows the claimed relation between the medians of both sides over the settings."
)
_SIGNS = (
    "Differences between learners, and the share of them whose sign is as printed; *large* are "
    "those that are published as at least as large as the metric's margin."
)


def write_pages(
    reference: Reference, papers: dict[str, Claims], session: Session, folder: Path
) -> list[Path]:
    """Write ``folder/<paper>.md`` for every paper, and ``folder/overview.md`` of all.

    Parameters
    ----------
    reference : Reference
    papers : dict
        Short name -> claims, as :func:`losaw.reference.claims.read_claims` reads them.
    session : Session
        Beside whose configuration the study files lie.
    folder : Path
        Pictures and tables are linked, relative to it.
    """
    decisions = cache(lambda name: decisions_of(session.read_study(name, trusted=True)))
    weighed = {
        name: [
            weigh_claim(claim, reference.summary(claim.study), decisions(claim.study))
            for claim in claims.claims
        ]
        for name, claims in papers.items()
    }
    texts = {"overview": overview(reference, papers, weighed, session)}
    up = Path(os.path.relpath(reference.folder, folder)).as_posix()
    for name, claims in papers.items():
        texts[name] = page(reference, claims, weighed[name], up)
    for name, lines in texts.items():
        write_text(folder / f"{name}.md", "\n".join(lines) + "\n")
    return [folder / f"{name}.md" for name in texts]


def page(
    reference: Reference, claims: Claims, weighed: Sequence[Weighed], way: str
) -> Iterator[str]:
    """Return the page of one paper, as lines of Markdown.

    Parameters
    ----------
    reference : Reference
    claims : Claims
    weighed : sequence of Weighed
        The claims with their verdicts.
    way : str
        From the page's folder to the reference run's.
    """
    studies = [study for study in reference.studies.values() if claims.covers(study.name)]
    yield f"# {claims.title}"
    yield ""
    yield f"{claims.paper}. Made by `losaw reference pages` from the reference run."
    yield from _what_was_run(studies)
    yield from _tables(studies, way)
    yield from _agreement(studies)
    yield from _claims(weighed)
    yield from _list("## Claims that no number here can decide", claims.not_checked)
    yield from _failures(studies, weighed, claims)
    yield from _figures(studies, way)


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from ("", title, "", *(f"- {line}" for line in lines))


def _what_was_run(studies: Sequence[KeptStudy]) -> Iterator[str]:
    yield from ("", "## What was run", "")
    if not studies:
        yield "No study of this paper is in the reference run yet."
        return
    yield "| study | runs a setting | fits, of the paper's | core-hours | whole | core-hours |"
    yield "|---|---|---|---|---|---|"
    for study in studies:
        manifest = study.manifest
        seeds = manifest["seeds"]
        runs = f"{min(seeds)} to {max(seeds)}" if min(seeds) < max(seeds) else f"{seeds[0]}"
        whole = manifest["whole"]
        hours = "not measured" if whole["core_hours"] is None else f"{whole['core_hours']:g}"
        yield (
            f"| `{study.name}` | {runs} | {manifest['fits']:,} of {whole['fits']:,} | "
            f"{manifest['core_seconds'] / 3600:.2f} | `{whole['command']}` | {hours} |"
        )
    commits = sorted({str(each)[:12] for study in studies for each in commits_of(study.manifest)})
    machines = "; ".join(study.manifest["machines"]["like"] for study in studies).split("; ")
    yield ""
    yield f"Commit {', '.join(commits)}; {'; '.join(sorted(set(machines)))}."


def _tables(studies: Sequence[KeptStudy], way: str) -> Iterator[str]:
    printed = [(study, agreement_table(study.comparison, ["table"])) for study in studies]
    printed = [(study, tally) for study, tally in printed if len(tally)]
    if not printed:
        return
    yield from ("", "## Tables, published and reproduced", "")
    yield "| study | table | cells | " + " | ".join(VERDICTS) + " | within .02 | largest \\|z\\| |"
    yield "|---" * (len(VERDICTS) + 5) + "|"
    for study, tally in printed:
        cells = compared(study.comparison)
        largest = cells["z"].abs().groupby(cells["table"]).max()
        for row in tally.to_dict("records"):
            title = row["table"]
            stem = title.replace(" ", "_").lower()
            counts = " | ".join(str(row[verdict]) for verdict in VERDICTS)
            yield (
                f"| `{study.name}` | [{title}]({way}/{study.name}/tables/{stem}.md) | "
                f"{row['cells']} | {counts} | {row['within_0.02']:.0%} | {largest[title]:.1f} |"
            )


def _agreement(studies: Sequence[KeptStudy]) -> Iterator[str]:
    """Yield the verdicts by method and metric, and the signs of differences between learners."""
    printed = [study for study in studies if len(study.agreement)]
    if printed:
        yield from ("", "## Agreement by method and metric")
    for study in printed:
        yield from ("", f"### Agreement in `{study.name}`", "", *table_of(study.agreement))
        if len(study.signs):
            yield from ("", _SIGNS, "", *table_of(study.signs))


def _claims(weighed: Sequence[Weighed]) -> Iterator[str]:
    if not weighed:
        return
    yield from ("", "## What the paper says, weighed", "", _EXPLAINED, "")
    yield "| claim | place | study, number | medians | for | against | open | verdict |"
    yield "|---|---|---|---|---|---|---|---|"
    for item in weighed:
        claim = item.claim
        verdict = f"**{item.verdict}**" if item.verdict in (CONTRADICTED, MIXED) else item.verdict
        if item.missing:
            verdict += f" (without {', '.join(item.missing)})"
        own = "Our own claim: " if claim.ours else ""
        yield (
            f"| {own}{claim.says} | {claim.place} | `{claim.study}`, {_joined(claim.metric)} of "
            f"{_joined(claim.method)} | {_medians(item)} | {item.n_for} | "
            f"{item.n_against} | {item.n_open} | {verdict} |"
        )


def _medians(item: Weighed) -> str:
    """Describe a claim, with the medians over the settings on both sides."""
    claim, cells = item.claim, item.cells
    if cells.empty:
        return ""
    left, right = cells["left"].median(), cells["right"].median()
    margin = f", margin {claim.margin:g}" if claim.margin else ""
    kind = "deviations " if claim.statistic == "deviation" else ""
    if claim.share_of:
        kind = f"shares of {', '.join(f'{k} = {v}' for k, v in claim.share_of.items())}: "
    return f"{kind}{left:.3g} {claim.relation} {right:.3g}{margin}"


def _joined(names: Names) -> str:
    return ", ".join(as_values(names))


def _failures(
    studies: Sequence[KeptStudy], weighed: Sequence[Weighed], claims: Claims
) -> Iterator[str]:
    lines = [
        f"{item.claim.says} ({item.claim.place}): {item.verdict}; "
        + "; ".join(settings_against(item))
        + (f". {item.claim.comment}" if item.claim.comment else "")
        for item in weighed
        if item.verdict in (CONTRADICTED, MIXED)
    ]
    yield from _list("## What does not reproduce", [*claims.does_not_reproduce, *lines])
    for study in studies:
        cells = compared(study.comparison)
        cells = cells[cells["verdict"] == DIFFERS]
        if cells.empty:
            continue
        cells = cells.reindex(cells["z"].abs().sort_values(ascending=False).index)
        yield from (
            "",
            f"### Cells of `{study.name}` that differ from published values: {len(cells)}",
            "",
        )
        axes = [c for c in cells.columns if c not in (*NUMBER_COLUMNS, *SD_COLUMNS)]
        yield "| " + " | ".join([*axes, "published", "ours (s.e.)", "z", "runs"]) + " |"
        yield "|---" * (len(axes) + 4) + "|"
        for _, row in cells.head(_MOST_CELLS).iterrows():
            numbers = f"{row['published']:g} | {row['reproduced']:.3f} ({row['mc_se']:.3f})"
            where = " | ".join(str(row[axis]) for axis in axes)
            yield f"| {where} | {numbers} | {row['z']:+.1f} | {row['n_seeds']} |"
        if len(cells) > _MOST_CELLS:
            yield ""
            yield f"And {len(cells) - _MOST_CELLS} more; all are in the study's `comparison.csv`."


def _figures(studies: Sequence[KeptStudy], way: str) -> Iterator[str]:
    if any(study.figures for study in studies):
        yield from ("", "## Figures")
    for study in studies:
        for picture in study.figures:
            yield from ("", f"### {picture.stem.replace('_', ' ')}", "")
            yield f"![{picture.stem}]({way}/{study.name}/figures/{picture.name})"
