"""The page of a paper: what was found first, then tables, claims, failures and figures."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import pandas as pd

from losaw.scoring.many_tests import rank_words
from losaw.study.claims.claim_file import Claims
from losaw.study.claims.weighing import CONTRADICTED, MIXED, Weighed, settings_against
from losaw.study.report.best_methods import rank_methods
from losaw.study.report.headline import headline
from losaw.study.report.page.parts import Page, Part, Picture, Section, Tiles
from losaw.study.report.page.stored import Shelf
from losaw.study.report.tables import LEGEND, arrange, in_words
from losaw.study.report.typeset import number, signed
from losaw.study.request.grid import Study
from losaw.study.results.agreement import AGREES, DEVIATES, DIFFERS, UNDECIDABLE, UNDECIDED
from losaw.study.results.compare import COMPARED, compared_cells, counted, rms_z
from losaw.support.words import percent

_EXPLAINED = (
    "A claim is weighed setting by setting: a setting speaks for or against it if the difference "
    "lies beyond a two-sided t bound of level .05 divided by the number of settings (Monte Carlo "
    "errors of both sides taken as independent, which on the same data they are not, but those of "
    "two metrics paired where single runs are kept, else added; of rates of decisions, the limits "
    "of a binomial). *Supported*: some speak "
    "for it, none against; *supported, mostly open*: so, but more than half decide neither; "
    "*contradicted*: some against it, none for it; *undecided*: none speaks; of what is claimed of "
    "most settings, more than half speak for it, or against it. *Run in part*: none speaks against "
    "it, and something that it names was not run. A setting supports that values are *near* if the "
    "difference lies within the margin by more than a one-sided bound of the same level. *Medians* "
    "shows the claimed relation between the medians of both sides over the settings."
)
_HOURS = (
    "Core-hours are CPU time of the jobs, by their own clock; of runs before losaw measured it, "
    "by samples that Snakemake took, which miss up to 30 s of a job."
)
_RANKING = (
    "Over all settings that the methods share, each setting counting the same. The rank (1 is "
    "best) is taken on every single data set and then averaged. In brackets, the Monte Carlo "
    "standard error over these settings; on other settings the ranks may differ. An error of .00 "
    "says that the rank is the same in all data sets of each setting. The places that a method can "
    "have by its mean rank hold for all methods at once with probability of about .95 (differences "
    "on the same data sets, with those between settings in the error; all pairs adjusted by Holm)."
)


def paper_page(shelf: Shelf, name: str) -> Page:
    """The page of a paper, by the name of its file of claims, or of a study that has none."""
    names, paper, weighed = shelf.pages[name], shelf.paper(name), shelf.weighed.get(name, ())
    parts: list[Part] = [f"After {paper.paper}."] if paper.paper else []
    parts += finding(shelf, names)
    cells = [counted(shelf.studies[study], shelf.results[study].comparison) for study in names]
    parts += verdict_tiles(pd.concat(cells, ignore_index=True))
    parts += [_disagreements(shelf, names, paper, weighed), *_tables(shelf, names)]
    parts += [
        _claims(weighed),
        Section("Claims that no number here can decide", [paper.not_checked]),
        _decisions(paper),
        *(_methods(shelf, study) for study in names),
        _figures(shelf, names),
        _failed(shelf, names),
        Section("What was run", [_HOURS, what_was_run(shelf, names)], is_folded=True),
        _notes(shelf, names),
    ]
    return Page(name, paper.title, parts)


def finding(shelf: Shelf, names: Iterable[str]) -> list[Part]:
    """The headline of the study with the most settings, of those that compare two methods."""
    headlines = [headline(shelf.studies[name], shelf.results[name]) for name in names]
    _, sentence = max(headlines, key=lambda pair: pair[0], default=(0, ""))
    return [sentence] if sentence else []


def verdict_tiles(cells: pd.DataFrame) -> list[Part]:
    """Five numbers on the published values, if there are any."""
    if cells.empty:
        return []
    n, count = len(cells), cells["verdict"].value_counts().reindex(COMPARED, fill_value=0)
    undecided = percent((count[UNDECIDED] + count[UNDECIDABLE]) / n)
    tiles = [
        (f"{n:,}", "published values compared"),
        (percent(count[AGREES] / n), "agree: the 90 % interval is within the margin"),
        (f"{count[DIFFERS]} + {count[DEVIATES]}", "others differ (|z| > 3) and deviate (|z| > 2)"),
        (undecided, f"undecided, {count[UNDECIDABLE]} of them whatever the number of runs"),
        (f"{rms_z(cells):.2f}", "root mean square of z; 1 is expected"),
    ]
    return [Tiles(tiles)]


def _disagreements(
    shelf: Shelf, names: Sequence[str], paper: Claims, weighed: Sequence[Weighed]
) -> Section:
    """What does not reproduce: sentences, and the counted cells that differ or deviate."""
    lines = [
        f"{item.claim.says} ({item.claim.place}): {item.verdict}; "
        + "; ".join(settings_against(item))
        + (f". {item.claim.comment}" if item.claim.comment else "")
        for item in weighed
        if item.verdict in (CONTRADICTED, MIXED)
    ]
    parts: list[Part] = [[*paper.does_not_reproduce, *lines]]
    for name in names:
        study, comparison = shelf.studies[name], shelf.results[name].comparison
        cells = compared_cells(comparison)
        cells = cells[cells["verdict"].isin([DIFFERS, DEVIATES])]
        that_count = cells[cells.index.isin(counted(study, comparison).index)]
        n_others = len(cells) - len(that_count)
        others = [f"{n_others} more, of readings that are not counted, are in comparison.csv."]
        title = f"Cells of `{name}` that differ or deviate: {len(that_count)}"
        frame = _largest_first(study, that_count)
        parts.append(Section(title, [frame, *(others if n_others else [])], True))
    return Section("What does not reproduce", parts)


def _largest_first(study: Study, cells: pd.DataFrame) -> pd.DataFrame:
    """Cells as a frame, the largest |z| first; the numbers stand before the setting."""
    cells = cells.sort_values("z", key=abs, ascending=False, kind="stable")
    rows = [
        {
            "verdict": row["verdict"] + (f" ({row['explained']})" if row["explained"] else ""),
            "published": f"{row['published']:g}",
            "ours (s.e.)": f"{number(row['reproduced'], 3)} ({number(row['mc_se'], 3)})",
            "z": signed(row["z"]),
            "metric": study.show(row["metric"]),
            "method": study.show(row["method"]),
            "setting": ", ".join(in_words(study.show, axis, row[axis]) for axis in study.axes),
            "table": row["table"],
            "runs": row["n_seeds"],
            "noted": row["noted"],
        }
        for row in cells.to_dict("records")
    ]
    return pd.DataFrame(rows)


def _tables(shelf: Shelf, names: Sequence[str]) -> Iterator[Part]:
    tables = [
        arrange(shelf.studies[name], table, shelf.results[name].comparison)
        for name in names
        for table in shelf.studies[name].file.tables
    ]
    tables = [table for table in tables if len(table.cells)]
    if any(table.is_printed for table in tables):
        legend = Section("How to read a cell", [LEGEND], is_folded=True)
        yield Section("Tables, published and reproduced", [legend, *tables])
    elif tables:
        yield Section("Tables", tables)


def _claims(weighed: Sequence[Weighed]) -> Section:
    rows = []
    for item in weighed:
        claim = item.claim
        fails = item.verdict in (CONTRADICTED, MIXED)  # with its comment further up
        verdict = f"**{item.verdict}**" if fails else item.verdict
        verdict += f" (without {', '.join(item.missing)})" if item.missing else ""
        rows.append(
            {
                "claim": f"Our own claim: {claim.says}" if claim.ours else claim.says,
                "verdict": verdict,
                "medians": _medians(item),
                "for": item.n_for,
                "against": item.n_against,
                "open": item.n_open,
                "place": claim.place,
                "study": f"`{claim.study}`",
                "numbers": f"{', '.join(claim.metric)} of {', '.join(claim.method)}",
                "remark": "" if fails else claim.comment,
            }
        )
    explained = Section("How a claim is weighed", [_EXPLAINED], is_folded=True)
    parts = [explained, pd.DataFrame(rows)] if rows else []
    return Section("What the paper says, weighed", parts)


def _decisions(paper: Claims) -> Section:
    rows = [
        {
            "point": decision.point,
            "decided": decision.decided,
            "why": decision.why,
            "the other reading": decision.otherwise,
            "studies": ", ".join(f"`{study}`" for study in decision.studies),
        }
        for decision in paper.decisions
    ]
    return Section("Decisions: the paper is silent, unclear or not followed", [pd.DataFrame(rows)])


def _medians(item: Weighed) -> str:
    """Describe a claim, with the medians over the settings on both sides."""
    claim, comparisons = item.claim, item.comparisons
    if comparisons.empty:
        return ""
    left, right = comparisons["left"].median(), comparisons["right"].median()
    margin = f", margin {claim.margin:g}" if claim.margin else ""
    kind = "deviations " if claim.statistic == "deviation" else ""
    if claim.share_of:
        parts = (f"{axis} = {', '.join(map(str, v))}" for axis, v in claim.share_of.items())
        kind = f"shares of {', '.join(parts)}: "
    return f"{kind}{left:.3g} {claim.relation} {right:.3g}{margin}"


def _methods(shelf: Shelf, name: str) -> Section:
    """The ranking of a study without published values, where single runs are there."""
    study, results, parts = shelf.studies[name], shelf.results[name], []
    if study.file.published or not (results.folder / "results.parquet").is_file():
        return Section("", [])
    for metric, ranking in rank_methods(study, results.results).groupby("metric", sort=False):
        rows = [
            {
                "method": study.show(row["method"]),
                "mean rank": f"{row['rank']:.2f} ({number(row['rank_se'], 2)})",
                "place": rank_words(row["best_place"], row["worst_place"]),
                "mean": f"{number(row['mean'], 4)} ({number(row['mean_se'], 4)})",
                "settings": row["settings"],
                "data sets": row["seeds"],
            }
            for row in ranking.to_dict("records")
        ]
        parts.append(Section(f"Ranking by {study.show(metric)}", [_RANKING, pd.DataFrame(rows)]))
    return Section(f"Methods of `{name}`", parts)


def _figures(shelf: Shelf, names: Sequence[str]) -> Section:
    parts = [
        Picture(path, key.replace("_", " "), shelf.studies[name].file.figures[key].caption.strip())
        for name in names
        for key, path in shelf.pictures(name)
    ]
    return Section("Figures", parts)


def _failed(shelf: Shelf, names: Sequence[str]) -> Section:
    """What failed and what is therefore left out, by the manifests that are there."""
    lines = []
    for name in names:
        manifest = shelf.manifest(name)
        lines += [f"`{name}`, {key}: {why}" for key, why in manifest.get("left_out", {}).items()]
        lines += [f"`{name}`: {n} × `{why}`" for why, n in manifest.get("failures", {}).items()]
    return Section("Failed and left out", [lines])


def what_was_run(shelf: Shelf, names: Sequence[str]) -> pd.DataFrame:
    """A row per study; the scale ``paper`` has learners that cannot run here as well."""
    rows = []
    for name in names:
        run, study = shelf.runs[name], shelf.studies[name]
        pairs = product(study.settings, study.learners)
        rows.append(
            {
                "study": f"`{name}`",
                "scale": run["scale"],
                "runs a setting": run["seeds"],
                "fits": int(run["fits"]),
                "fits at scale paper": sum(study.seeds("paper", *pair) for pair in pairs),
                "failed values": int(run["failed_values"]),
                "core-hours": float(run["core_hours"]),
                "commit": str(run["commit"])[:12],
            }
        )
    return pd.DataFrame(rows)


def _notes(shelf: Shelf, names: Sequence[str]) -> Section:
    """The notes of the study files: how the numbers were made."""
    parts = []
    for name in names:
        study = shelf.studies[name]
        notes = [*study.differs_at_scale.values(), *study.file.notes]
        parts.append(Section(f"`{study.name}`: {study.file.title}", [notes]))
    return Section("Notes on the studies", parts, is_folded=True)
