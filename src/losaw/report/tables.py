"""The published tables as files: CSV for programs, Markdown for people, LaTeX for papers."""

from dataclasses import asdict
from pathlib import Path

import pandas as pd

from losaw.report.latex import to_latex
from losaw.report.layout import ArrangedTable, arrange
from losaw.report.markdown import to_markdown
from losaw.study.design.grid import Study
from losaw.study.files.output_digests import TABLE_KINDS
from losaw.study.files.writing import write_text


def write_tables(study: Study, comparison: pd.DataFrame, folder: Path) -> list[Path]:
    """Write ``<folder>/<table>.{csv,md,tex}`` for every table of a study.

    Parameters
    ----------
    comparison : DataFrame
        As :func:`losaw.study.results.compare.compare` makes it, or as read back from its CSV.
    folder : Path

    Returns
    -------
    list of Path

    Raises
    ------
    StudyError
        If a layout puts two cells on one place, or a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)  # the workflow needs it even without tables
    written = []
    for name in study.file.tables:
        table = arrange(study, name, comparison)
        texts = (to_csv(table), to_markdown(table), to_latex(table))
        for suffix, text in zip(TABLE_KINDS, texts, strict=True):
            path = folder / f"{name}.{suffix}"
            write_text(path, text)
            written.append(path)
    return written


def to_csv(table: ArrangedTable) -> str:
    """One line per cell, row by row, every number in its own column at full precision."""
    records = [
        {
            **dict(zip(table.row_axes, row, strict=True)),
            **dict(zip(table.column_axes, column, strict=True)),
            **asdict(table.cells[row, column]),
        }
        for row in table.rows
        for column in table.columns
        if (row, column) in table.cells
    ]
    return pd.DataFrame(records).to_csv(index=False, lineterminator="\n")
