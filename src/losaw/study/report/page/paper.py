"""The page of a paper: what was found first, then tables, claims, failures and figures."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from os.path import relpath

import pandas as pd

from losaw.scoring.many_tests import rank_words
from losaw.study.claims.claim_file import Claims
from losaw.study.claims.weighing import CONTRADICTED, MIXED, Weighed, settings_against
from losaw.study.report.advice import advice, decisions_by_design, ranks_by_design, values_by_design
from losaw.study.report.best_methods import rank_methods
from losaw.study.report.headline import headline
from losaw.study.report.page.design import design
from losaw.study.report.page.parts import Drawn, Either, Page, Part, Picture, Section, Tiles
from losaw.study.report.page.stored import CLAIMS, KEPT_RANKING, RUNS, Shelf
from losaw.study.report.replication import draw_replication
from losaw.study.report.tables import ArrangedTable, arrange, in_words
from losaw.study.report.typeset import decimals_of, markdown, number, signed
from losaw.study.request.published import read_published, without_cell
from losaw.study.results.agreement import AGREES, DEVIATES, DIFFERS, UNDECIDED
from losaw.study.results.chance import FEW, MISPRINT
from losaw.study.results.compare import CANNOT_BE_DECIDED, OUTCOMES, rms_z
from losaw.support.words import counted, percent

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
_FAILING = {CONTRADICTED: "Claims that fail", MIXED: "Claims that fail in some settings"}
_HOURS = (
    "Core-hours are CPU time of the jobs, by their own clock; of runs before losaw measured it, "
    "by samples that Snakemake took, which miss up to 30 s of a job."
)
_VALUES = (
    "Every mark is one published value. Panels: published against ours, equal on the line. Rows: "
    "their differences, table by table (grey: within the margin)."
)
_BARS = "Bars: the claims of the text, by the verdict of our numbers."
_RANKING = (
    "Over all settings that the methods share, each setting counting the same. The rank (1 is "
    "best) is taken on every single data set and then averaged. In brackets, the Monte Carlo "
    "standard error over these settings; on other settings the ranks may differ. An error of .00 "
    "says that the rank is the same in all data sets of each setting. The places that a method can "
    "have by its mean rank hold for all methods at once with probability of about .95 (differences "
    "on the same data sets, with those between settings in the error; all pairs adjusted by Holm)."
)
_BY_DESIGN = (
    "The mean rank on single data sets, 1 is best, and the places that a method can have by it, in "
    "each column all at once with probability of about .95. Bold: not told apart from the best; a "
    "column without bold tells nothing apart. Seconds are CPU time of a data set with the fit of "
    "the model; draws that methods share are counted with the first."
)
_DECISIONS = (
    "Of methods that decide by a test at the level .05, feature by feature, or by a rule of their "
    "own: the share of causes found, and the mean share of false features among what is found."
)


def paper_page(shelf: Shelf, name: str) -> Page:
    """The page of a paper, by the name of its file of claims, or of a study that has none."""
    names, paper, weighed = shelf.pages[name], shelf.paper(name), shelf.weighed.get(name, ())
    compared = shelf.compared(name)
    cells = compared[compared["is_counted"]]
    shown = {study: _shown(shelf, study) for study in names}
    first = _take_first(shown, paper.shown_first)
    claims, others = claims_table(weighed), paper.not_checked
    explained = Section("How a claim is weighed", [_EXPLAINED], is_folded=True)
    file = f"{relpath(shelf.configuration, shelf.folder)}/claims/{name}.yaml"
    parts: list[Part] = [f"After {paper.paper}."] if paper.paper else []
    parts += [*finding(shelf, names), *verdict_tiles(cells), *_not_compared(shelf, names)]
    parts += _rms_by_kind(shelf, cells)
    parts += [
        *picture(name, cells, {name: weighed}),
        *first,
        *(part for study in names for part in _ranked(shelf, study)),
        _disagreements(shelf, paper, weighed, compared),
        _linked(
            f"What the paper says, weighed: {counted(len(weighed), '[claim|claims]')}",
            claims,
            CLAIMS,
            explained,
        ),
        _linked(f"Claims that no number here can decide: {len(others)}", others, file),
        _decisions(paper),
        *(_study(shelf, study, parts) for study, parts in shown.items()),
        _failed(shelf, names),
        _linked("What was run", what_was_run(shelf, names), RUNS, _HOURS),
    ]
    return Page(name, paper.title, parts)


def _shown(shelf: Shelf, name: str) -> dict[str, Part]:
    """The tables and figures of a study that have something to show, by their keys."""
    study, comparison = shelf.studies[name], shelf.results[name].comparison
    tables = {key: arrange(study, key, comparison) for key in study.file.tables}
    shown: dict[str, Part] = {key: table for key, table in tables.items() if len(table.cells)}
    for key, path in shelf.pictures(name):
        caption = study.file.figures[key].caption.strip()
        shown[key] = Picture(path, key.replace("_", " "), caption)
    return shown


def _take_first(shown: Mapping[str, dict[str, Part]], named: Sequence[str]) -> list[Part]:
    """Take the main table and figure of a page from all that its studies show."""
    pairs = [(study, key) for study, parts in shown.items() for key in parts]
    main = [pair for name in named for pair in pairs if "/".join(pair) == name]
    if not named:
        tables = [pair for pair in pairs if getattr(shown[pair[0]][pair[1]], "is_printed", False)]
        figures = [pair for pair in pairs if isinstance(shown[pair[0]][pair[1]], Picture)]
        main = [*tables[:1], *figures[:1]]
    taken = [shown[study].pop(key) for study, key in main]
    return [replace(t, is_first=True) if isinstance(t, ArrangedTable) else t for t in taken]


def _study(shelf: Shelf, name: str, shown: Mapping[str, Part]) -> Section:
    """All that there is of a study, in the order of its file, to which Markdown has a link."""
    study = shelf.studies[name]
    notes = [*study.differs_at_scale.values(), *study.file.notes]
    file = _link(f"{relpath(shelf.configuration, shelf.folder)}/studies/{name}.yaml")
    box = Either([design(study, shelf.results[name].summary)], [f"Design and notes: {file}."])
    parts = [box, *shown.values(), *_methods(shelf, name), Either([notes], [])]
    return Section(f"{study.file.title} (`{name}`)", parts, is_folded=True)


def _linked(title: str, lines: list[str] | pd.DataFrame, file: str, *about: Part) -> Either:
    """What HTML folds, and Markdown leaves to a file that has it; nothing without lines."""
    if not len(lines):
        return Either([], [])
    return Either([Section(title, [*about, lines], is_folded=True)], [f"{title}: {_link(file)}."])


def _link(file: str) -> str:
    return f"[{file.rpartition('/')[2]}]({file})"


def finding(shelf: Shelf, names: Sequence[str]) -> list[str]:
    """The headline of the study with the most settings that compares two methods, and advice."""
    advised = [one for name in names for one in advice(shelf.studies[name], shelf.ranking(name))]
    headlines = [headline(shelf.studies[name], shelf.results[name]) for name in names]
    _, sentence = max(headlines, key=lambda pair: pair[0], default=(0, ""))
    return [*([sentence] if sentence else []), *advised]


def verdict_tiles(cells: pd.DataFrame) -> list[Part]:
    """A few numbers on the published values, if there are any."""
    if cells.empty:
        return []
    n, count = len(cells), cells["outcome"].value_counts().reindex(OUTCOMES, fill_value=0)
    tiles = [
        (f"{n:,}", "published values compared"),
        (percent(count[AGREES] / n), "agree: the 90 % interval is within the margin"),
        (f"{count[DIFFERS]} + {count[DEVIATES]}", "differ (|z| > 3) and deviate (2 < |z| ≤ 3)"),
        (percent(count[UNDECIDED] / n), "open: more runs can decide"),
        (
            percent(count[CANNOT_BE_DECIDED] / n),
            "cannot be decided by runs: the published number is too uncertain",
        ),
    ]
    if math.isfinite(rms := rms_z(cells)):  # of some that are not certain
        tiles.append((f"{rms:.2f}", "root mean square of z; 1 if chance made all differences"))
    return [Tiles(tiles)]


def _not_compared(shelf: Shelf, names: Sequence[str]) -> Iterator[str]:
    """Say how many printed numbers the tiles leave out: no table of the page has a cell of them."""
    lines, reached = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
    for study in (shelf.studies[name] for name in names):
        if (file := study.file.published) is not None:
            printed = read_published(study, shelf.configuration / "published")
            printed = printed.dropna(subset="published")
            lines[file] |= {*printed.index}
            reached[file] |= {*printed.index} - without_cell(study, printed).keys()
    for file, every in lines.items():
        if n := len(every - reached[file]):
            words = "printed [number has|numbers have] no cell in the tables, and [is|are]"
            yield f"`{file}`: {counted(n, words)} not compared."


def _rms_by_kind(shelf: Shelf, cells: pd.DataFrame) -> list[str]:
    """The root mean square of z of each kind of data, by the first axis that has several."""
    cells = cells[cells["explained"] != MISPRINT]
    pairs = zip(cells["study"], cells["setting_id"], strict=True)
    axes = [shelf.studies[study].setting(setting).axes for study, setting in pairs]
    for axis in dict.fromkeys(chain(*(study.text_axes for study in shelf.studies.values()))):
        kinds = pd.Series([values.get(axis) for values in axes], cells.index, dtype=object)
        groups = cells.groupby(kinds)
        sizes = {value: rms_z(own) for value, own in groups if own["z"].notna().sum() >= FEW}
        said = [f"{value} {size:.2f}" for value, size in sizes.items() if math.isfinite(size)]
        if len(said) > 1:
            return [f"Root mean square of z without misprints: {', '.join(said)}."]
    return []


def picture(page: str, cells: pd.DataFrame, weighed: Mapping[str, Iterable[Weighed]]) -> list[Part]:
    """The replication in a picture, if there is a value or a claim to show."""
    claims = {
        name: [item.verdict for item in items if not item.claim.ours]
        for name, items in weighed.items()
    }
    claims = {name: verdicts for name, verdicts in claims.items() if verdicts}
    if cells.empty and not claims:
        return []
    wide, narrow = (draw_replication(cells, claims, is_narrow) for is_narrow in (False, True))
    values = [_VALUES] if len(cells) else []
    return [Drawn(page, wide, narrow, " ".join([*values, *([_BARS] if claims else [])]))]


def _disagreements(
    shelf: Shelf, paper: Claims, weighed: Sequence[Weighed], compared: pd.DataFrame
) -> Section:
    """What does not reproduce: a sentence each, with what is known of it below."""
    parts: list[Part] = [_sentence_first(words) for words in paper.does_not_reproduce]
    for verdict, title in _FAILING.items():
        failing = [_failing(item) for item in weighed if item.verdict == verdict]
        parts.append(Section(title, failing))
    beyond = compared[compared["verdict"].isin([DIFFERS, DEVIATES])]
    cells, others = (beyond[beyond["is_counted"] == counts] for counts in (True, False))
    groups = sorted(
        cells.groupby(["noted", "explained"], sort=False), key=lambda group: -len(group[1])
    )
    titles = [
        f"{len(own)}{f' ({explained})' if explained else ''}: {noted or 'nothing is known of why'}"
        for (noted, explained), own in groups
    ]
    files = ", ".join(f"[{n}](./{n}/comparison.csv)" for n in cells["study"].unique())
    listed = [
        Section(title, [_largest_first(shelf, own)], is_folded=True)
        for title, (_, own) in zip(titles, groups, strict=True)
    ]
    known = Either(listed, [titles, f"Cell by cell: {files}."] if titles else [])
    not_counted = counted(
        len(others), "more, of readings that are not counted, [is|are] in comparison.csv."
    )
    title = f"Cells that differ or deviate, by what is known of them: {len(cells)}"
    parts.append(Section(title, [known, *([not_counted] if len(others) else [])], is_folded=True))
    return Section("What does not reproduce", parts)


def _sentence_first(words: str) -> Part:
    """A note whose first sentence, after what it is about, is seen; a click opens the others."""
    about, _, rest = words.partition(". ")
    seen, *others = re.split(r"(?<=[.:;]) (?=[A-Z])", rest, maxsplit=1) if rest else [""]
    return Section(f"**{about}.** {seen}", others, True) if others else f"**{about}.** {seen}"


def _failing(item: Weighed) -> Section:
    """A claim that fails, with what is known of it; of the settings, Markdown has the clearest."""
    claim, settings = item.claim, list(settings_against(item))
    counts = f"{item.n_for} for it, {item.n_against} against, {item.n_open} open"
    texts = [
        f"{'; '.join([f'{claim.place}: {counts}', *shown])}. {claim.comment}".strip()
        for shown in (settings, settings[:1])
    ]
    title = f"Our own claim: {claim.says}" if claim.ours else claim.says
    return Section(title, [Either(texts[:1], texts[1:])], is_folded=True)


def _largest_first(shelf: Shelf, cells: pd.DataFrame) -> pd.DataFrame:
    """Cells as a frame, the largest |z| first; the numbers stand before the setting."""
    cells = cells.sort_values("z", key=abs, ascending=False, kind="stable")
    rows = []
    for row in cells.to_dict("records"):
        study = shelf.studies[row["study"]]
        axes = study.setting(row["setting_id"]).axes  # a column may have the name of an axis
        words = (in_words(study.show, axis, value) for axis, value in axes.items())
        setting = markdown(", ".join(words))
        rows.append(
            {
                "verdict": row["verdict"],
                "published": f"{row['published']:g}",
                "ours (s.e.)": f"{_short(row['reproduced'])} ({_short(row['mc_se']) or '–'})",
                "z": signed(row["z"]),
                "metric": markdown(row["label"]),
                "method": markdown(study.show(row["method"])),
                "setting": setting,
                "table": row["table"],
                "runs": row["n_seeds"],
            }
        )
    return pd.DataFrame(rows)


def _short(value: float) -> str:
    return number(value, 3) if value == 0 or not abs(value) < 0.0005 else f"{value:.2g}"


def claims_table(weighed: Iterable[Weighed], with_remarks: bool = False) -> pd.DataFrame:
    """A row for each claim: its verdict, the numbers that it rests on, and where it stands.

    The remark on one that fails stands further up on its page, and here only if asked for.
    """
    rows = []
    for item in weighed:
        claim = item.claim
        fails = item.verdict in (CONTRADICTED, MIXED) and not with_remarks
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
    return pd.DataFrame(rows)


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
    full = pd.DataFrame(rows)
    short = full.drop(columns="studies", errors="ignore")
    title = "Decisions: the paper is silent, unclear or not followed"
    return Section(title, [Either([full], [short])], is_folded=True)


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


def _methods(shelf: Shelf, name: str) -> Iterator[Part]:
    """The ranking of a study without published values, where single runs are there."""
    study, results = shelf.studies[name], shelf.results[name]
    is_stored = (results.folder / "results.parquet").is_file()
    if study.file.published or study.file.ranking or not is_stored:
        return
    for metric, ranking in rank_methods(study, results.results).groupby("metric", sort=False):
        decimals = decimals_of(ranking["mean"], ranking["mean_se"], 4)
        rows = [
            {
                "method": markdown(study.show(row["method"])),
                "mean rank": f"{row['rank']:.2f} ({_rank_error(row['rank_se'])})",
                "place": rank_words(row["best_place"], row["worst_place"]),
                "mean": f"{number(row['mean'], decimals)} ({number(row['mean_se'], decimals)})",
                "settings": row["settings"],
                "data sets": row["seeds"],
            }
            for row in ranking.to_dict("records")
        ]
        title = f"Ranking by {markdown(study.show(metric))}"
        yield Section(title, [_RANKING, pd.DataFrame(rows)])


def _rank_error(error: float) -> str:
    return "< .01" if 0 < error < 0.005 else number(error, 2)  # .00 says that there is none


def _ranked(shelf: Shelf, name: str) -> Iterator[Part]:
    """The tables of the ranking that a study asks for."""
    study, ranking = shelf.studies[name], shelf.ranking(name)
    if study.file.ranking is None or ranking.empty:
        return
    metric = markdown(study.show(study.file.ranking.metric))
    kept = f"{name}/{KEPT_RANKING}"
    full = ranks_by_design(study, ranking)
    designs = full.drop(columns=["method", "all"], errors="ignore")
    short = full.assign(**designs.replace(r" \(.*\)", "", regex=True))
    places = f"The places in each design: {_link(kept)}."
    yield Section(f"Mean rank by {metric}", [_BY_DESIGN, Either([full], [places, short])])
    decisions = decisions_by_design(study, ranking)
    if len(decisions):
        yield Section("Causes found / false among the found", [_DECISIONS, decisions])
    yield _linked(f"Mean {metric}", values_by_design(study, ranking), kept)


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
