"""The published tables, with what was found: one frame of texts, written by pandas.

CSV for programs, Markdown for people, LaTeX for papers, HTML for the pages.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from losaw.study.block.writing import write_text
from losaw.study.columns import BEST
from losaw.study.report.typeset import (
    decimals_of,
    html_label,
    latex,
    latex_label,
    markdown,
    number,
    run_count,
    signed,
    two_digits,
)
from losaw.study.request.grid import Study, table_title
from losaw.study.request.settings import as_own
from losaw.study.request.study_file import TableLayout
from losaw.study.results.agreement import VERDICTS
from losaw.support.words import counted

LEGEND = (
    "A cell reads: published → reproduced (Monte Carlo s.e.), z, the runs, "
    "and a verdict. z counts the standard errors between "
    "the two numbers, made of both Monte Carlo errors and the published rounding. ✓ agrees: the "
    "90 % interval of the difference is within the margin that the study declares for the "
    "metric, however large z is; otherwise ✗ differs: |z| > 3; ! deviates: 2 < |z| ≤ 3; "
    "? undecided: none of these so far; ~ undecidable: none of these, and even equal numbers could "
    "not be shown to agree, because the published error is larger than the margin."
)
LEGEND_OF_OURS = "A cell reads: mean (Monte Carlo s.e.), and the runs."
_DEFAULT_DECIMALS, _FEWEST_DECIMALS = 3, 2
_ENOUGH_DECIMALS = 4  # of a print with more than our error tells, such as a file of results


@dataclass(frozen=True)
class ArrangedTable:
    """A table of a study in the layout that its file declares.

    ``cells`` are its rows of the comparison; ``best`` and ``published_best`` mark the best method
    of a setting and metric.
    """

    study: Study
    name: str  # key under tables
    cells: pd.DataFrame
    decimals: Mapping[str, int]  # by metric: the table's in print; of estimates by their errors
    is_first: bool = False  # on its page, where it is open and has the legend

    @property
    def layout(self) -> TableLayout:
        return self.study.file.tables[self.name]

    @property
    def title(self) -> str:
        return table_title(self.name)

    @property
    def note(self) -> str:
        """The layout's note, and what learners the scale computes otherwise."""
        return " ".join([self.layout.note, *self.study.differs_at_scale.values()]).strip()

    def frame(
        self, text_of: Callable[[Any, int], str], label: Callable[[str], str]
    ) -> pd.DataFrame:
        """The table as a frame of texts, its headings as levels of index and columns.

        A combination that the grid does not have is empty.
        """
        rows, columns, show = self.layout.rows, self.layout.columns, self.study.show
        axes = [*rows, *columns]
        # Each axis has the order of the study file.
        heads = {a: pd.Categorical(self.cells[a], self.cells[a].unique()) for a in axes}
        texts = [text_of(cell, self.decimals[cell.metric]) for cell in self.cells.itertuples()]
        long = pd.Series(texts, pd.MultiIndex.from_frame(pd.DataFrame(heads)))
        frame = long.unstack(columns).sort_index().sort_index(axis=1).fillna("")
        for name in axes:
            own = self.study.file.axes.get(name, ())  # a column of 1 and 2.5 has 1.0
            frame = frame.rename(
                lambda n, axis=name, own=own: label(in_words(show, axis, *as_own([n], own))),
                axis=int(name in columns),
                level=name,
            )
        corner = [label(show(axis)) for axis in rows]
        return frame.rename_axis(index=corner, columns=[None] * len(columns))

    @property
    def is_printed(self) -> bool:
        """Whether a value of the table is published."""
        return bool(self.cells["published"].notna().any())

    @property
    def counts_line(self) -> str:
        """The number of cells with each verdict, in one sentence."""
        # A kept table has its printed cells alone, and its page counts the same.
        cells = self.cells[self.cells["published"].notna()] if self.is_printed else self.cells
        count = cells["verdict"].value_counts()
        counts = [counted(count[v], words) for v, (_, words) in VERDICTS.items() if v in count]
        return f"Of {counted(len(cells), '[cell|cells]')}, {', '.join(counts)}."

    @property
    def legend(self) -> str:
        """What a cell reads; of verdicts only where a value is published."""
        legend = LEGEND if self.is_printed else LEGEND_OF_OURS
        if {*map(self.study.summaries.get, self.cells["metric"])} != {"mean"}:
            legend = legend.replace("mean", "value")
        bold = " Bold: the best method of its setting and metric."
        return legend + (bold if self.cells[[*BEST]].any(axis=None) else "")


def write_tables(study: Study, comparison: pd.DataFrame, folder: Path) -> None:
    """Write ``<folder>/<table>.{csv,md,tex}`` for every table of a study.

    ``comparison`` is as :func:`losaw.study.results.compare.compare` makes it, or as read back from
    its CSV.
    """
    folder.mkdir(parents=True, exist_ok=True)  # the workflow needs it even without tables
    for name in study.file.tables:
        table = arrange(study, name, comparison)
        for suffix, text_of in (("csv", to_csv), ("md", to_markdown), ("tex", to_latex)):
            write_text(folder / f"{name}.{suffix}", text_of(table))


def to_csv(table: ArrangedTable) -> str:
    """One line per cell with its row of the comparison, every number at full precision."""
    first = [*table.layout.rows, *table.layout.columns]
    rest = [name for name in table.cells.columns if name not in first]
    return table.cells[[*first, *rest]].to_csv(index=False, lineterminator="\n")


def to_markdown(table: ArrangedTable) -> str:
    """The table in Markdown with caption, legend, counts and note."""
    frame = table.frame(cell_text, markdown)
    # A heading of a row is empty where it and all before it repeat the row above.
    heads = frame.index.to_frame().astype(str)
    starts = heads.ne(heads.shift()).cummax(axis=1)
    frame = frame.set_axis(pd.MultiIndex.from_frame(heads.where(starts, "")), axis=0)
    if frame.columns.nlevels > 1:
        frame.columns = ["<br>".join(column) for column in frame.columns]
    aligned = ["left"] * frame.index.nlevels + ["center"] * frame.shape[1]
    text = frame.reset_index(allow_duplicates=True).to_markdown(
        index=False, tablefmt="pipe", colalign=aligned, disable_numparse=True
    )
    below = [table.legend, table.counts_line, table.note]
    paragraphs = [f"# {table.title}", markdown(table.layout.caption), unpadded(text), *below]
    return "\n\n".join(text.strip() for text in paragraphs if text.strip()) + "\n"


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
    below = [table.legend, table.counts_line, table.note]
    is_of_paper = table.study.file.paper or table.is_printed
    place = f" ({latex(table.title)} of the paper)" if is_of_paper else ""
    return "\n".join(
        [
            f"% {table.title}. Needs the packages booktabs, graphicx, amssymb.",
            r"\begin{table*}",
            r"\centering",
            rf"\caption{{{latex(table.layout.caption)}{place}}}",
            rf"\label{{tab:{table.name}}}",
            r"\resizebox{\textwidth}{!}{%",
            f"{text.strip()}}}",
            r"\par\smallskip",
            r"\begin{minipage}{\textwidth}\footnotesize",
            "\n\n".join(latex(text.strip()) for text in below if text.strip()),
            r"\end{minipage}",
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


def cell_text(cell: Any, decimals: int, bold: str = "**{}**") -> str:
    """``.530 → **.532** (.007) z +0.3 40 runs ✓``."""
    ours, printed = _numbers(cell, decimals, bold)
    if not ours:
        return f"{printed} → {cell.verdict}" if printed else cell.verdict
    items = [f"{printed} →" if printed else "", ours, f"({number(cell.mc_se, decimals) or '–'})"]
    items += [f"z {signed(cell.z)}" if printed else "", run_count([cell.n_seeds])]
    return " ".join(filter(None, (*items, VERDICTS[cell.verdict][0])))


def _numbers(cell: Any, decimals: int, bold: str) -> list[str]:
    """Our mean and the published value, each bold where it is the best, or empty."""
    pairs = ((cell.reproduced, cell.best), (cell.published, cell.published_best))
    return [(bold if is_best else "{}").format(number(value, decimals)) for value, is_best in pairs]


def _latex_cell(cell: Any, decimals: int) -> str:
    text = cell_text(cell, decimals, r"\textbf{{{}}}")
    return re.sub("[-→✓✗~]", lambda found: latex(found[0].replace("-", "−")), text)


def _html_class(cell: Any, _: int) -> str:
    return "absent" if math.isnan(cell.reproduced) else cell.verdict.replace(" ", "-")


def _html_cell(cell: Any, decimals: int) -> str:
    """Ours with its error and mark; below it the published value and the evidence."""
    ours, below = _numbers(cell, decimals, "<b>{}</b>")
    if ours:
        ours += f" ({number(cell.mc_se, decimals) or '–'}) {VERDICTS[cell.verdict][0]}"
        z = f"{below}, z {signed(cell.z)}, " if below else ""
        below = f"{z}{run_count([cell.n_seeds])}"
    text = (ours or "–").strip() + (f"<small>{below}</small>" if below else "")
    return text.replace("-", "−")


def in_words(show: Callable[[Any], str], axis: str, value: Any) -> str:
    """A value in words: ``N = 500`` for a number, the label alone for a name."""
    return show(value) if isinstance(value, str) else f"{show(axis)} = {show(value)}"


def arrange(study: Study, name: str, comparison: pd.DataFrame) -> ArrangedTable:
    """Lay out one table of a study, named as under ``tables`` in its file."""
    cells = comparison[comparison["table"] == table_title(name)]
    # Shorter published values end in zeros.
    texts = [f"{Decimal(repr(float(value))):f}" for value in cells["published"].dropna()]
    printed = [text.partition(".")[2] for text in texts]
    most = max([*map(len, printed), _FEWEST_DECIMALS]) if printed else _DEFAULT_DECIMALS
    decimals = {}
    for metric, own in cells.groupby("metric"):
        errors, is_own = own["mc_se"], own["published"].isna().all()
        few = min(most, max(_decimals(errors), _ENOUGH_DECIMALS))
        is_estimate = study.metrics[str(metric)].entry.load().needs == "estimate"
        decimals[str(metric)] = few
        if is_own:
            more = decimals_of(own["reproduced"], errors, few)
            decimals[str(metric)] = _decimals(errors) if is_estimate else more
    keys = [*study.axes, "metric"]
    towards = np.array([1.0 if higher_is_better(study, m) else -1.0 for m in cells["metric"]])
    judges = np.array([study.judges(m) for m in cells["metric"]], dtype=bool)
    for best, value in zip(BEST, ("reproduced", "published"), strict=True):
        # Values that look equal are equal: two best ones are both marked, and none where all are.
        rounded = map(round, cells[value], cells["metric"].map(decimals))
        seen = towards * pd.Series(rounded, cells.index, dtype=float)
        rivals = seen.groupby([cells[key] for key in keys], sort=False, dropna=False)
        is_best = (seen == rivals.transform("max")) & (rivals.transform("nunique") > 1)
        cells = cells.assign(**{best: is_best & judges & study.file.tables[name].bold})
    return ArrangedTable(study, name, cells, decimals)


def _decimals(errors: pd.Series) -> int:
    """Return the decimals that show two digits of the median Monte Carlo error."""
    error = errors[errors > 0].median()
    return two_digits(error) if math.isfinite(error) else _DEFAULT_DECIMALS


def higher_is_better(study: Study, metric: str) -> bool:
    """Return whether larger values of a metric are better."""
    return bool(study.metrics[metric].entry.load().higher_is_better)
