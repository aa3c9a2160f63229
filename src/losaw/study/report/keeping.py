"""Keep a run in the repository: small enough for git, with digests of all rows."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from losaw.study.block.writing import write_csv, write_text
from losaw.study.errors import StudyError
from losaw.study.report.page.stored import KEPT_RANKING, RUNS, Shelf
from losaw.study.report.tables import arrange, to_markdown
from losaw.study.request.published import read_published
from losaw.study.results.compare import compare
from losaw.study.results.summary import short_summary
from losaw.study.stored_tables import read_stored
from losaw.study.verify import EVIDENCE, HEX_DIGITS

SEVEN_DIGITS = "%.7g"
MOST_PICTURES = 3  # of a study; the others are drawn from its results


def keep(shelf: Shelf, names: Sequence[str], folder: Path) -> int:
    """Copy what a repository should hold of a run into ``folder/<study>``.

    These are the summary, the cells that have a published value, the differences of the methods
    that the study compares, the tables in Markdown, the first pictures, and for each setting,
    learner and range of seeds how the digest of its rows begins. How a study was run is its line of
    ``folder/runs.csv``. Other studies that the folder holds stay. Returned are the bytes that it
    holds then.
    """
    runs = dict(Shelf(folder, shelf.configuration).runs) if (folder / RUNS).is_file() else {}
    for name in names:
        kept, results = folder / name, shelf.results[name]
        if (kept / "blocks").exists() or (kept / "manifest.json").exists():
            raise StudyError(f"{kept}: holds the results of a run; name another folder")
        results.check_whole("blocks.csv")
        evidence = read_stored(results.folder / "blocks.csv", EVIDENCE)[list(EVIDENCE)]
        digests = evidence["rows_sha256"].str[:HEX_DIGITS]
        summary, cells = short_summary(results.summary), _printed(results.comparison)
        pair = set((results.is_paired and shelf.studies[name].file.compare) or ())
        is_own = results.differences[["method", "minus"]].isin(pair).all(axis=1)
        differences = results.differences[is_own]
        ranking = shelf.ranking(name)
        shutil.rmtree(kept, ignore_errors=True)  # what takes its place is read
        axes = shelf.studies[name].axes
        _write(kept / "summary.csv", summary, axes)
        _write(kept / "comparison.csv", cells, axes)
        if pair:
            _write(kept / "differences.csv", differences, axes)
        write_csv(kept / "blocks.csv", evidence.assign(rows_sha256=digests))
        if shelf.studies[name].file.ranking:
            write_csv(kept / KEPT_RANKING, ranking, SEVEN_DIGITS)
        for table in sorted((results.folder / "tables").glob("*.md")):
            write_text(kept / "tables" / table.name, table.read_text("utf-8"))
        for _, picture in list(shelf.pictures(name))[:MOST_PICTURES]:
            copy = kept / "figures" / picture.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, copy)
        runs[name] = shelf.runs[name]
    write_csv(folder / RUNS, pd.DataFrame([runs[name] for name in sorted(runs)]))
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _write(path: Path, frame: pd.DataFrame, axes: Sequence[str]) -> None:
    """Write numbers with seven digits, and values of axes, by which settings are found, whole."""
    numbers = frame[[axis for axis in axes if axis in frame]].select_dtypes("float")
    whole = {str(axis): values.map(_whole) for axis, values in numbers.items()}
    write_csv(path, frame.assign(**whole), SEVEN_DIGITS)


def _whole(value: float) -> str:
    text = SEVEN_DIGITS % value
    return text if float(text) == value else repr(value)


def _printed(comparison: pd.DataFrame) -> pd.DataFrame:
    """The cells that have a published value."""
    return comparison[comparison["published"].notna()]


def compare_again(shelf: Shelf) -> None:
    """Compare the stored means with the published values again, and write the tables.

    A corrected verdict or another note in a study file needs no new run: means, Monte Carlo errors
    and digests stay as they are.
    """
    for name in shelf.studies:  # all, before any is written
        if (shelf.folder / name / "manifest.json").exists():
            words = "holds the results of a run; name the folder of a reference run"
            raise StudyError(f"{shelf.folder / name}: {words}")
    for name, study in shelf.studies.items():
        published = read_published(study, shelf.configuration / "published")
        cells = compare(study, shelf.results[name].summary, published)
        _write(shelf.folder / name / "comparison.csv", _printed(cells), study.axes)
        for table in study.file.tables:
            path = shelf.folder / name / "tables" / f"{table}.md"
            write_text(path, to_markdown(arrange(study, table, cells)))
