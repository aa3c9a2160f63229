"""The published tables, with what was found: one frame of texts, written by pandas.

CSV for programs, Markdown for people, LaTeX for papers, HTML for the pages.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.io.formats.style import Styler

from losaw.study.design.grid import Study
from losaw.study.design.schema import TableLayout
from losaw.study.errors import StudyError
from losaw.study.files.writing import write_text
from losaw.study.report.typeset import html_label, latex, latex_label, markdown, number, signed
from losaw.study.results.agreement import (
    AGREES,
    DEVIATES,
    DIFFERS,
    NO_ERROR,
    NOT_PRINTED,
    NOT_RUN,
    UNDECIDABLE,
    UNDECIDED,
)
from losaw.study.results.lookup import table_title

# What the reader should see first comes first: verdict -> mark, words for a count of cells.
VERDICTS = {
    DIFFERS: ("✗", "differ from the published value (|z| > 3)"),
    DEVIATES: ("!", "deviate (2 < |z| ≤ 3)"),
    UNDECIDED: ("?", "are undecided"),
    UNDECIDABLE: ("~", "are undecidable"),
    AGREES: ("✓", "agree within the margin"),
    NO_ERROR: ("", "have no known error"),
    NOT_PRINTED: ("", "have no published value"),
    NOT_RUN: ("", "were not run"),
}
LEGEND = (
    "A cell reads: published → reproduced (Monte Carlo s.e.), z, number of seeds n, "
    "and a verdict. z counts the standard errors between "
    "the two numbers, made of both Monte Carlo errors and the published rounding. ✓ agrees: the "
    "90 % interval of the difference is within the margin that the study declares for the "
    "metric; ✗ differs: |z| > 3; ! deviates: 2 < |z| ≤ 3; ? undecided: none "
    "of these so far; ~ undecidable: none of these, and even equal numbers could not be shown to "
    "agree, because the published error is larger than the margin."
)
LEGEND_OF_OURS = "A cell reads: mean over n seeds (Monte Carlo s.e.)."
LATEX_PACKAGES = "booktabs, graphicx, amssymb"
_DEFAULT_DECIMALS, _FEWEST_DECIMALS = 3, 2

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Cell:
    """One number of a table, published and reproduced.

    ``best`` and ``published_best`` mark the best method of a row, and ``leads`` one that is ahead
    of the others by more than the table's ``underline_lead``.
    """

    published: float
    reproduced: float
    mc_se: float
    n_seeds: int
    z: float
    verdict: str
    best: bool = False
    leads: bool = False
    published_best: bool = False

    @property
    def was_run(self) -> bool:
        return math.isfinite(self.reproduced)

    @property
    def is_printed(self) -> bool:
        return math.isfinite(self.published)

    @property
    def mark(self) -> str:
        """The sign of the verdict."""
        return VERDICTS[self.verdict][0]


@dataclass(frozen=True)
class ArrangedTable:
    """A table of a study in the layout that its file declares.

    Attributes
    ----------
    name, title, caption, note : str
    row_axes, column_axes : list of str
        Axes of the row heads and of the header.
    rows, columns : list of tuple
        Values of these axes, in the order of the grid.
    cells : dict
        (row, column) -> Cell; a combination that the grid does not have is absent.
    decimals : int
        Decimals of the published values.
    show : callable
        Name -> label.
    underline_lead : float or None
    """

    name: str
    title: str
    caption: str
    note: str
    row_axes: list[str]
    column_axes: list[str]
    rows: list[Key]
    columns: list[Key]
    cells: Mapping[tuple[Key, Key], Cell]
    decimals: int
    show: Callable[[Any], str]
    underline_lead: float | None

    def frame(
        self, text_of: Callable[[Cell, int], str], label: Callable[[str], str]
    ) -> pd.DataFrame:
        """The table as a frame of texts, its headings as levels of index and columns."""
        texts = [
            [
                text_of(self.cells[row, column], self.decimals)
                if (row, column) in self.cells
                else ""
                for column in self.columns
            ]
            for row in self.rows
        ]
        return pd.DataFrame(
            texts,
            index=self._headings(self.row_axes, self.rows, label).set_names(
                [label(self.show(axis)) for axis in self.row_axes]
            ),
            columns=self._headings(self.column_axes, self.columns, label),
        )

    def _headings(
        self, axes: list[str], keys: list[Key], label: Callable[[str], str]
    ) -> pd.MultiIndex:
        named = [
            tuple(label(in_words(self.show, *pair)) for pair in zip(axes, key, strict=True))
            for key in keys
        ]
        return pd.MultiIndex.from_tuples(named, names=[None] * len(axes))

    def counts(self) -> dict[str, int]:
        """Number of cells of every verdict."""
        tally = dict.fromkeys(VERDICTS, 0)
        for cell in self.cells.values():
            tally[cell.verdict] += 1
        return tally

    @property
    def counts_line(self) -> str:
        """The number of cells with each verdict, in one sentence."""
        counts = [f"{count} {VERDICTS[word][1]}" for word, count in self.counts().items() if count]
        return f"Of {len(self.cells)} cells, {', '.join(counts)}."

    @property
    def legend(self) -> str:
        """What a cell reads; of verdicts only where a value is published."""
        cells = self.cells.values()
        sentences = [LEGEND if any(cell.is_printed for cell in cells) else LEGEND_OF_OURS]
        if any(cell.best for cell in cells):
            sentences.append("Bold: the best method of its setting and metric.")
        if self.underline_lead is not None:
            lead = number(self.underline_lead, 2)
            sentences.append(f"Underlined: it leads by more than {lead}.")
        return " ".join(sentences)


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
        for suffix, text_of in (("csv", to_csv), ("md", to_markdown), ("tex", to_latex)):
            path = folder / f"{name}.{suffix}"
            write_text(path, text_of(table))
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


def to_markdown(table: ArrangedTable) -> str:
    """The table in Markdown with caption, legend, counts and note."""
    frame = _without_repeats(table.frame(cell_text, markdown))
    frame.columns = ["<br>".join(column) for column in frame.columns]
    aligned = ["left"] * frame.index.nlevels + ["center"] * frame.shape[1]
    text = frame.reset_index().to_markdown(
        index=False, tablefmt="pipe", colalign=aligned, disable_numparse=True
    )
    words = [table.legend, table.counts_line, table.note]
    parts = [f"# {table.title}", markdown(table.caption), unpadded(text), *words]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def unpadded(text: str) -> str:
    """A Markdown table without padding, which would change every line when one cell grows."""
    return re.sub(r" {2,}", " ", re.sub(r"-{3,}", "---", text))


def to_latex(table: ArrangedTable) -> str:
    """The table in LaTeX (booktabs), as a ``table*`` float with legend, counts and note."""
    frame = table.frame(_latex_cell, latex_label)
    text = frame.to_latex(
        escape=False,
        sparsify=True,
        multirow=False,
        multicolumn_format="c",
        column_format="l" * frame.index.nlevels + "c" * frame.shape[1],
    )
    notes = [
        line
        for words in (table.legend, table.counts_line, table.note)
        if words.strip()
        for line in (
            r"\par\smallskip",
            r"\begin{minipage}{\textwidth}\footnotesize",
            latex(words.strip()),
            r"\end{minipage}",
        )
    ]
    return "\n".join(
        [
            f"% {table.title}. Needs the packages {LATEX_PACKAGES}.",
            r"\begin{table*}",
            r"\centering",
            rf"\caption{{{latex(table.caption)} ({latex(table.title)} of the paper)}}",
            rf"\label{{tab:{table.name}}}",
            r"\resizebox{\textwidth}{!}{%",
            f"{text.strip()}}}",
            *notes,
            r"\end{table*}",
            "",
        ]
    )


def to_html(table: ArrangedTable) -> str:
    """The table in HTML, its cells coloured by the class of their verdict."""
    frame, classes = (table.frame(text_of, html_label) for text_of in (_html_cell, _html_class))
    styler = Styler(frame, uuid=table.name, cell_ids=False).set_td_classes(classes)
    text = styler.set_table_attributes('class="numbers"').to_html()
    return re.sub(r"<style.*?</style>\s*", "", text, flags=re.DOTALL)


def _without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a heading of a row empty where it and all before it repeat the row above."""
    rows: list[Key] = []
    above: Key = ()
    for row in frame.index:
        repeats = [row[: depth + 1] == above[: depth + 1] for depth in range(len(row))]
        rows.append(tuple("" if r else text for text, r in zip(row, repeats, strict=True)))
        above = row
    index = pd.MultiIndex.from_tuples(rows, names=frame.index.names)
    return frame.set_axis(index, axis=0)


def cell_text(
    cell: Cell, decimals: int, bold: str = "**{}**", underlined: str = "<ins>{}</ins>"
) -> str:
    """``.530 → **.532** (.007) z +0.3 n 40 ✓``."""
    printed = number(cell.published, decimals)
    printed = bold.format(printed) if cell.published_best else printed
    if not cell.was_run:
        return f"{printed} → {NOT_RUN}" if cell.is_printed else NOT_RUN
    ours = number(cell.reproduced, decimals)
    ours = bold.format(ours) if cell.best else ours
    ours = underlined.format(ours) if cell.leads else ours
    words = [f"{printed} →" if cell.is_printed else "", ours, _evidence(cell, decimals)]
    return " ".join(word for word in (*words, cell.mark) if word)


def _evidence(cell: Cell, decimals: int) -> str:
    words = [f"({number(cell.mc_se, decimals) or '–'})"]
    words += [f"z {signed(cell.z)}"] if cell.is_printed else []
    return " ".join([*words, f"n {cell.n_seeds}"])


def _latex_cell(cell: Cell, decimals: int) -> str:
    text = cell_text(cell, decimals, r"\textbf{{{}}}", r"\underline{{{}}}")
    return re.sub("[-→✓✗–~]", lambda found: latex(found[0].replace("-", "−")), text)


def _html_class(cell: Cell, _: int) -> str:
    return cell.verdict.replace(" ", "-") if cell.was_run else "absent"


def _html_cell(cell: Cell, decimals: int) -> str:
    """Ours with its error and mark; below it the published value and the evidence."""
    if not cell.was_run:
        ours = "–"
    else:
        ours = number(cell.reproduced, decimals)
        ours = f"<b>{ours}</b>" if cell.best else ours
        ours = f"<u>{ours}</u>" if cell.leads else ours
        ours += f" ({number(cell.mc_se, decimals) or '–'}) {cell.mark}"
    if not cell.is_printed:
        below = f"n {cell.n_seeds}" if cell.was_run else ""
    else:
        printed = number(cell.published, decimals)
        below = f"<b>{printed}</b>" if cell.published_best else printed
        below += f", z {signed(cell.z)}, n {cell.n_seeds}" if cell.was_run else ""
    text = ours.strip() + (f"<small>{below}</small>" if below else "")
    return text.replace("-", "−")


def in_words(show: Callable[[Any], str], axis: str, value: Any) -> str:
    """A value in words: ``N = 500`` for a number, the label alone for a name."""
    return show(value) if isinstance(value, str) else f"{show(axis)} = {show(value)}"


def arrange(study: Study, name: str, comparison: pd.DataFrame) -> ArrangedTable:
    """Lay out one table of a study.

    Parameters
    ----------
    name : str
        Key under ``tables`` in the study file.
    comparison : DataFrame
        As :func:`losaw.study.results.compare.compare` makes it, or as read back from its CSV.

    Raises
    ------
    StudyError
        If two cells would fall on one place, because an axis with several values is neither
        fixed under ``where`` nor named under ``rows`` or ``columns``.
    """
    layout = study.file.tables[name]
    records = comparison[comparison["table"] == table_title(name)].to_dict("records")
    decimals = _decimals(record["published"] for record in records)
    cells: dict[tuple[Key, Key], Cell] = {}
    rivals: dict[Key, list[tuple[Key, Key]]] = {}
    for record in records:
        place = _key(record, layout.rows), _key(record, layout.columns)
        if place in cells:
            raise _overlap(study, name, records)
        cells[place] = _cell(record)
        rivals.setdefault(_key(record, [*study.axes, "metric"]), []).append(place)
    if layout.bold:
        for (*_, metric), places in rivals.items():
            direction = 1 if higher_is_better(study, metric) else -1
            rated = _rated([cells[p] for p in places], direction, decimals, layout)
            cells.update(zip(places, rated, strict=True))
    return ArrangedTable(
        name,
        table_title(name),
        layout.caption,
        " ".join([layout.note, *study.differs_at_scale.values()]).strip(),
        list(layout.rows),
        list(layout.columns),
        _ordered(layout.rows, records),
        _ordered(layout.columns, records),
        cells,
        decimals,
        study.show,
        layout.underline_lead if layout.bold else None,
    )


def higher_is_better(study: Study, metric: str) -> bool:
    """Return whether larger values of a metric are better."""
    return bool(study.metrics[metric].entry.load().higher_is_better)


def _key(record: Mapping[str, Any], axes: Iterable[str]) -> Key:
    return tuple(record[axis] for axis in axes)


def _ordered(axes: Iterable[str], records: list[dict[str, Any]]) -> list[Key]:
    """All keys, sorted by each axis in turn in the order of the study file."""
    axes = list(axes)
    ranks = [
        {value: rank for rank, value in enumerate(dict.fromkeys(r[axis] for r in records))}
        for axis in axes
    ]
    keys = dict.fromkeys(_key(record, axes) for record in records)
    return sorted(
        keys, key=lambda key: [rank[value] for rank, value in zip(ranks, key, strict=True)]
    )


def _decimals(published: Iterable[float]) -> int:
    """Return the largest number of decimals of the published values: shorter ones end in zeros."""
    printed = [repr(float(value)) for value in published if math.isfinite(value)]
    decimals = [len(text.partition(".")[2]) for text in printed]
    return max([*decimals, _FEWEST_DECIMALS]) if decimals else _DEFAULT_DECIMALS


def _cell(record: Mapping[str, Any]) -> Cell:
    return Cell(
        published=float(record["published"]),
        reproduced=float(record["reproduced"]),
        mc_se=float(record["mc_se"]),
        n_seeds=int(record["n_seeds"]),
        z=float(record["z"]),
        verdict=str(record["verdict"]),
    )


def _rated(cells: list[Cell], direction: int, decimals: int, layout: TableLayout) -> list[Cell]:
    """The methods' cells of one setting and metric, the best of them marked."""
    ours = _leaders([cell.reproduced for cell in cells], direction, decimals, layout)
    print_ = _leaders([cell.published for cell in cells], direction, decimals, layout)
    return [
        replace(cell, best=best, leads=leads, published_best=print_best)
        for cell, (best, leads), (print_best, _) in zip(cells, ours, print_, strict=True)
    ]


def _leaders(
    values: list[float], direction: int, decimals: int, layout: TableLayout
) -> list[tuple[bool, bool]]:
    """Return (is the best, leads by more than the margin) of every value as it is shown.

    Values that look equal are equal: two best ones are both marked, and none is where all are.
    """
    seen = [round(direction * value, decimals) for value in values if math.isfinite(value)]
    if len(set(seen)) < 2:
        return [(False, False)] * len(values)
    first, second = sorted(seen, reverse=True)[:2]
    margin = math.inf if layout.underline_lead is None else layout.underline_lead
    leads = round(first - second, decimals) > margin
    leaders = []
    for value in values:
        best = math.isfinite(value) and round(direction * value, decimals) == first
        leaders.append((best, best and leads))
    return leaders


def _overlap(study: Study, name: str, records: list[dict[str, Any]]) -> StudyError:
    layout = study.file.tables[name]
    open_axes = [
        axis
        for axis in (*study.axes, "metric", "method")
        if axis not in (*layout.rows, *layout.columns) and len({r[axis] for r in records}) > 1
    ]
    return study.source.error(
        ("tables", name),
        f"several cells fall on one place, because {' and '.join(open_axes)} "
        "is neither fixed under 'where' nor named under 'rows' or 'columns'",
    )
