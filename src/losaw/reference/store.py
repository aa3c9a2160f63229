"""Store a run without its blocks: small enough for a repository, and checkable."""

import itertools
import json
import os
import platform
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from losaw.reference.stored import (
    BLOCKS,
    FIGURES,
    KEPT_COLUMNS,
    MANIFEST,
    KeptBlock,
    KeptStudy,
    Reference,
    commits_of,
)
from losaw.report.layout import arrange
from losaw.report.markdown import to_markdown
from losaw.report.results import StudyResults
from losaw.study.design.blocks import BlockName
from losaw.study.design.grid import Study
from losaw.study.design.plan import StudyPlan
from losaw.study.design.published import read_published
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.files.block_file import digest_of, read_block
from losaw.study.files.writing import write_csv, write_file, write_text
from losaw.study.results.compare import compare
from losaw.study.results.draws import read_draws
from losaw.study.results.tally import agreement_table, sign_table
from losaw.support.extras import extra

KEPT = ("settings.csv", "summary.csv", "agreement.csv", "signs.csv", "draws.csv")
COMPARISON = "comparison.csv"
# Of a manifest: what holds on any machine. Paths, host names and command lines do not.
_SAID = (
    "study",
    "title",
    "losaw",
    "commit",
    "libraries",
    "scale",
    "seeds",
    "threads",
    "joint_laws",
    "blocks",
    "fits",
    "left_out",
    "failed_rows",
    "failures",
    "core_seconds",
    "core_seconds_by_learner",
    "peak_megabytes",
)
_WIDTH, _COLOURS = 900, 64


def keep(plans: Sequence[StudyPlan], folder: Path) -> int:
    """Copy summaries, tables and small figures of a run into ``folder/<study>/``.

    Summary, comparison (the cells that have a published value; the summary has all),
    agreement, tables and figures are copied (figures as small PNG); of each block its name,
    results version and digests are kept, so that :func:`losaw.reference.recompute.recompute` can
    say whether it comes out again.

    Parameters
    ----------
    plans : sequence of StudyPlan
        What was run, and collected: ``losaw run`` ends with it.
    folder : Path
        Other studies in it stay. So do learners and settings of a study that a run leaves out,
        and tables and verdicts are made of both: one method, or one kind of data, is run again
        without the others. What a learner cost is then shared among its blocks by their fits.

    Returns
    -------
    int
        Bytes that the folder holds then.

    Raises
    ------
    StudyError
        If a study was not collected, what was collected is not what is selected, a block has
        changed since, or what is stored of other learners and settings does not fit.
    """
    for plan in plans:
        place = folder / plan.study.name
        content = _manifest(plan)
        blocks = _blocks(plan)
        # Part of a setting's runs must not take the place of all that is stored of it.
        other = {block.name for block in plan.blocks} ^ set(map(_name, blocks["file"]))
        if other:
            raise StudyError(
                f"{min(other)}: selected but not collected, or collected but not selected, and "
                f"{len(other) - 1} more; give the --scale, --set and --seeds of the run, or run "
                f"`losaw run` with these into a folder of its own"
            )
        cells = _printed_cells(plan)
        others = _blocks_of_others(plan, KeptStudy(place), blocks["file"])
        if others:
            _put_with_others(plan, KeptStudy(place), others, content, blocks)
            continue
        shutil.rmtree(place, ignore_errors=True)
        write_text(place / MANIFEST, json.dumps(content, indent=1) + "\n")
        write_csv(place / BLOCKS, blocks)
        for source in _files(plan):
            relative = source.relative_to(plan.folder)
            write_text(place / relative, source.read_text(encoding="utf-8"))
        write_csv(place / COMPARISON, cells)
        for name in plan.study.file.figures:
            picture = plan.figures / f"{name}.png"
            if picture.exists():
                _write_small(picture, place / FIGURES / picture.name)
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _blocks_of_others(plan: StudyPlan, kept: KeptStudy, run: Iterable[str]) -> list[KeptBlock]:
    """The stored blocks of learners and settings of the study that are not of a run's files.

    Raises
    ------
    StudyError
        If they cannot stay: of another scale, with failures, or of a study with figures or draws.
    """
    if not (kept.folder / MANIFEST).is_file():
        return []
    settings = {setting.identifier for setting in plan.study.settings}
    whole = set(itertools.product(settings, plan.study.learners))
    left_out = whole - {_series(_name(file)) for file in run}
    others = [block for block in kept.kept_blocks if _series(_name(block.file)) in left_out]
    learners = {_name(block.file).learner for block in others}
    reasons = {
        "the study has figures or draws, which are made from all blocks": bool(
            plan.study.file.figures or plan.study.file.draws
        ),
        f"they are of scale {kept.manifest['scale']!r}": kept.manifest["scale"] != plan.scale,
        "some of their fits failed": kept.manifest["failed_rows"] > 0,
    }
    for reason, is_so in reasons.items():
        if others and is_so:
            raise StudyError(
                f"{plan.study.name}: the stored blocks of {', '.join(sorted(learners))} that this "
                f"run leaves out cannot stay, since {reason}; run all, or delete {kept.folder}"
            )
    return others


def _put_with_others(
    plan: StudyPlan,
    kept: KeptStudy,
    others: Sequence[KeptBlock],
    content: Mapping[str, Any],
    blocks: pd.DataFrame,
) -> None:
    """Replace what is stored of the run's blocks, and compare all again with the papers."""
    before, seconds = kept.manifest, Counter(content["core_seconds_by_learner"])
    stay, stored = _fits_by_learner(others), _fits_by_learner(kept.kept_blocks)
    for name, fits in stay.items():
        seconds[name] += fits / stored[name] * before["core_seconds_by_learner"][name]
    machines = sorted({*before["machines"]["like"].split("; "), content["machines"]["like"]})
    blocks = pd.concat([pd.DataFrame(others), blocks])
    names = [_name(file) for file in blocks["file"]]
    places = [(name.setting, name.learner) for name in names]
    laws = {law["identifier"]: law for law in (*before["joint_laws"], *content["joint_laws"])}
    together = {
        **content,
        "commits": sorted({*commits_of(before), content["commit"]}),
        "seeds": sorted({*before["seeds"], *content["seeds"]}),
        "machines": {**content["machines"], "like": "; ".join(machines)},
        "joint_laws": list(laws.values()),
        "blocks": len(blocks),
        "fits": sum(len(name.seeds) for name in names),
        "core_seconds": round(sum(seconds.values()), 1),
        "core_seconds_by_learner": {name: round(seconds[name], 1) for name in sorted(seconds)},
        "peak_megabytes": max(before["peak_megabytes"], content["peak_megabytes"]),
    }
    staying = {_series(_name(block.file)) for block in others}
    lines = zip(kept.summary["setting_id"], kept.summary["learner"], strict=True)
    still = kept.summary[[line in staying for line in lines]]
    summary = pd.concat([still, StudyResults(plan.folder).summary])
    cells = list(zip(summary["setting_id"], summary["learner"], strict=True))
    write_text(kept.folder / MANIFEST, json.dumps(together, indent=1) + "\n")
    write_csv(kept.folder / BLOCKS, _in_order(plan, blocks, places))
    write_csv(kept.folder / "summary.csv", _in_order(plan, summary, cells))
    _compare(plan.study, KeptStudy(kept.folder), plan.published)


def _in_order(
    plan: StudyPlan, frame: pd.DataFrame, cells: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """Sort lines of a setting and a learner as the study file lists these."""
    settings = {setting.identifier: place for place, setting in enumerate(plan.study.settings)}
    learners = {label: place for place, label in enumerate(plan.study.learners)}
    places = [(settings[setting], learners[learner]) for setting, learner in cells]
    return frame.iloc[sorted(range(len(cells)), key=places.__getitem__)]


def _name(file: str) -> BlockName:
    return BlockName.from_path(Path(file))


def _series(name: BlockName) -> tuple[str, str]:
    return name.setting, name.learner


def _fits_by_learner(blocks: Sequence[KeptBlock]) -> Counter[str]:
    return Counter(_name(block.file).learner for block in blocks for _ in _name(block.file).seeds)


def _files(plan: StudyPlan) -> Iterator[Path]:
    yield from (path for name in KEPT if (path := plan.folder / name).exists())
    yield from sorted((plan.folder / "tables").glob("*.md"))


def _printed_cells(plan: StudyPlan) -> pd.DataFrame:
    """The cells of a comparison that have a printed number, as they are written."""
    path = plan.folder / COMPARISON
    try:
        cells = pd.read_csv(path, dtype=str, keep_default_na=False)
    except OSError:
        raise StudyError(f"{path}: not there; run `losaw report` first") from None
    return cells[cells["published"] != ""]


def _manifest(plan: StudyPlan) -> dict[str, Any]:
    written = StudyResults(plan.folder).manifest
    return {
        **{key: written[key] for key in _SAID if key in written},
        "machines": {"number": len(written["hosts"]), "like": _machine()},
    }


def _machine() -> str:
    """Return processor, number of cores and Python, on which the seconds depend."""
    information = Path("/proc/cpuinfo")
    text = information.read_text(encoding="utf-8") if information.exists() else ""
    model = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    name = model[1] if model else platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _blocks(plan: StudyPlan) -> pd.DataFrame:
    """The collected blocks, each with a digest of its rows that no library version enters."""
    blocks = StudyResults(plan.folder).blocks
    digests = []
    for line in blocks.itertuples():
        path = plan.results / BlockName.from_path(Path(str(line.file))).relative_path
        file = read_block(path)
        if file.sha256 != line.sha256:
            raise StudyError(f"{path}: has changed since it was collected; run `losaw report`")
        digests.append(digest_of(file.table, {}))
    return blocks.assign(rows_sha256=digests)[list(KEPT_COLUMNS)]


def _write_small(picture: Path, place: Path) -> None:
    """Write the picture at the width of a page on a screen, with few colours."""
    with extra("plot"):
        from PIL import Image

    def write(path: Path) -> None:
        with Image.open(picture) as image:
            height = round(image.height * _WIDTH / image.width)
            small = image.convert("RGB").resize((_WIDTH, height), Image.Resampling.LANCZOS)
            small.quantize(_COLOURS).save(path, format="PNG", optimize=True)

    write_file(place, write)


def remake(reference: Reference, session: Session, whole: Sequence[StudyPlan]) -> None:
    """Compare the stored means with the published values again, study by study.

    A corrected verdict, another note in a study file or another plan for the paper's scale needs
    no new run. Means, Monte Carlo errors and digests of blocks stay as they are.

    Parameters
    ----------
    reference : Reference
    session : Session
        With the study files and published numbers next to its configuration.
    whole : sequence of StudyPlan
        Every study at the scale of its paper: what was left out is counted against it.
    """
    from losaw.study.running.estimate import estimate

    for plan in whole:
        kept, cost = reference.studies[plan.study.name], estimate(plan)
        said = {
            "command": f"losaw run --study {plan.study.name} --scale {plan.scale} --jobs 2",
            "fits": plan.n_fits,
            "core_hours": round(cost.core_hours, 2) if cost.measured else None,
        }
        content = json.dumps({**kept.manifest, "whole": said}, indent=1)
        write_text(kept.folder / MANIFEST, content + "\n")
    for name, kept in reference.studies.items():
        study = session.read_study(name, trusted=True, scale=kept.manifest["scale"])
        _compare(study, kept, session.published_folder)


def _compare(study: Study, kept: KeptStudy, published: Path) -> None:
    """Write what is made of a summary: verdicts, agreement, signs and tables."""
    between_draws = read_draws(study, kept.folder.parent, is_checked=False)
    cells = compare(study, kept.summary, read_published(study, published), between_draws)
    by = [*study.axes[:1], "method", "metric"]
    write_csv(kept.folder / "agreement.csv", agreement_table(cells, by))
    write_csv(kept.folder / "signs.csv", sign_table(study, cells))
    write_csv(kept.folder / COMPARISON, cells[cells["published"].notna()])
    for table in study.file.tables:
        text = to_markdown(arrange(study, table, cells))
        write_text(kept.folder / "tables" / f"{table}.md", text)
