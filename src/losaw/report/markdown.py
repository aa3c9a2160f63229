"""A table in Markdown, readable on its own."""

from losaw.report.layout import Cell, Table
from losaw.report.typeset import markdown, number, signed
from losaw.study.results.agreement import AGREES, DIFFERS, NEAR, NO_ERROR, NOT_PRINTED, NOT_RUN

LEGEND = (
    "A cell reads: printed → reproduced (Monte Carlo s.e.), z, number of seeds n, and "
    "✓ for |z| ≤ 2, ≈ for |z| ≤ 3, ✗ beyond. z counts the standard errors between the two "
    "numbers, made of both Monte Carlo errors and the printed rounding."
)

COUNTED = {
    AGREES: "agree with print (|z| ≤ 2)",
    NEAR: "are near (|z| ≤ 3)",
    DIFFERS: "differ",
    NOT_PRINTED: "have no printed number at hand",
    NOT_RUN: "were not run",
    NO_ERROR: "have too few runs for a z",
}


def to_markdown(table: Table) -> str:
    """The table with caption, legend, counts and note."""
    row_heads = len(table.row_axes)
    header = [markdown(table.show(axis)) for axis in table.row_axes]
    for column in table.columns:
        headings = zip(table.column_axes, column, strict=True)
        header.append("<br>".join(markdown(table.heading(*pair)) for pair in headings))
    lines = [_line(header), _line(["---"] * row_heads + [":---:"] * len(table.columns))]
    previous: tuple = ()
    for row in table.rows:
        lines.append(_line([*_row_heads(table, row, previous), *_cells(table, row)]))
        previous = row
    parts = [f"# {table.title}", markdown(table.caption), "\n".join(lines), legend(table)]
    parts += [counts_line(table), table.note]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def legend(table: Table) -> str:
    """How to read the table's cells."""
    sentences = [LEGEND]
    if any(cell.best for cell in table.cells.values()):
        sentences.append("Bold: the best method of its row.")
    if table.underline_lead is not None:
        lead = number(table.underline_lead, 2)
        sentences.append(f"Underlined: it leads by more than {lead}.")
    return " ".join(sentences)


def counts_line(table: Table) -> str:
    """How many cells agree with print, in one sentence."""
    counts = [
        f"{count} {COUNTED.get(verdict, verdict)}"
        for verdict, count in table.counts().items()
        if count
    ]
    return f"Of {len(table.cells)} cells, {', '.join(counts)}."


def _line(parts: list[str]) -> str:
    return "| " + " | ".join(parts) + " |"


def _row_heads(table: Table, row: tuple, previous: tuple) -> list[str]:
    """Headings of a row; those that repeat the row above are left out."""
    found = []
    for depth, (axis, value) in enumerate(zip(table.row_axes, row, strict=True)):
        repeats = row[: depth + 1] == previous[: depth + 1]
        found.append("" if repeats else markdown(table.heading(axis, value)))
    return found


def _cells(table: Table, row: tuple) -> list[str]:
    found = []
    for column in table.columns:
        cell = table.cells.get((row, column))
        found.append("" if cell is None else cell_text(cell, table.decimals))
    return found


def cell_text(cell: Cell, decimals: int) -> str:
    """``.530 → **.532** (.007) z +0.3 n 40 ✓``."""
    printed = _rated(number(cell.published, decimals), cell.published_best, cell.published_leads)
    if not cell.was_run:
        return f"{printed} → {NOT_RUN}" if cell.is_printed else NOT_RUN
    ours = _rated(number(cell.reproduced, decimals), cell.best, cell.leads)
    error = number(cell.mc_se, decimals) or "–"
    words = [f"{printed} →" if cell.is_printed else "", ours, f"({error})"]
    if cell.is_printed:
        words.append(f"z {signed(cell.z)}")
    words += [f"n {cell.n_seeds}", cell.mark]
    return " ".join(word for word in words if word)


def _rated(text: str, best: bool, leads: bool) -> str:
    if best:
        text = f"**{text}**"
    return f"<ins>{text}</ins>" if leads else text
