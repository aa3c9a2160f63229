"""A table in Markdown, readable on its own."""

from losaw.report.layout import ArrangedTable, Cell
from losaw.report.typeset import markdown, number, signed
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

LEGEND = (
    "A cell reads: published → reproduced (Monte Carlo s.e.), z, number of seeds n, "
    "and a verdict. z counts the standard errors between "
    "the two numbers, made of both Monte Carlo errors and the published rounding. ✓ agrees: the "
    "90 % interval of the difference is within the margin that the study declares for the "
    "metric; ✗ differs: |z| > 3; ! deviates: 2 < |z| ≤ 3; ? undecided: none "
    "of these so far; ~ undecidable: none of these, and even equal numbers could not be shown to "
    "agree, because the published error is larger than the margin."
)

COUNTED = {
    DIFFERS: "differ from the published value (|z| > 3)",
    DEVIATES: "deviate (2 < |z| ≤ 3)",
    UNDECIDED: "are undecided",
    UNDECIDABLE: "are undecidable",
    AGREES: "agree within the margin",
    NO_ERROR: "have no known error",
    NOT_PRINTED: "have no published value",
    NOT_RUN: "were not run",
}


def to_markdown(table: ArrangedTable) -> str:
    """The table with caption, legend, counts and note."""
    row_heads = len(table.row_axes)
    header = [markdown(table.show(axis)) for axis in table.row_axes]
    for column in table.columns:
        headings = zip(table.column_axes, column, strict=True)
        header.append("<br>".join(markdown(table.heading(*pair)) for pair in headings))
    lines = [_line(header), _line(["---"] * row_heads + [":---:"] * len(table.columns))]
    for index, row in enumerate(table.rows):
        heads = table.row_heads(index)
        texts = ["" if repeats else markdown(heading) for heading, repeats in heads]
        texts += [cell_text(cell, table.decimals) for cell in table.cells_of(row)]
        lines.append(_line(texts))
    parts = [f"# {table.title}", markdown(table.caption), "\n".join(lines), legend(table)]
    parts += [counts_line(table), table.note]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def legend(table: ArrangedTable) -> str:
    """A legend that explains the table's cells."""
    sentences = [LEGEND]
    if any(cell.best for cell in table.cells.values()):
        sentences.append("Bold: the best method of its setting and metric.")
    if table.underline_lead is not None:
        lead = number(table.underline_lead, 2)
        sentences.append(f"Underlined: it leads by more than {lead}.")
    return " ".join(sentences)


def counts_line(table: ArrangedTable) -> str:
    """Return the number of cells with each verdict, in one sentence."""
    counts = [f"{count} {COUNTED[word]}" for word, count in table.counts().items() if count]
    return f"Of {len(table.cells)} cells, {', '.join(counts)}."


def _line(parts: list[str]) -> str:
    return "| " + " | ".join(parts) + " |"


def cell_text(cell: Cell | None, decimals: int) -> str:
    """``.530 → **.532** (.007) z +0.3 n 40 ✓``; empty where the grid has no cell."""
    if cell is None:
        return ""
    printed = _rated(number(cell.published, decimals), cell.published_best, cell.published_leads)
    if not cell.was_run:
        return f"{printed} → {NOT_RUN}" if cell.is_printed else NOT_RUN
    ours = _rated(number(cell.reproduced, decimals), cell.best, cell.leads)
    error = number(cell.mc_se, decimals) or "–"
    words = [f"{printed} →" if cell.is_printed else "", ours, f"({error})"]
    if cell.is_printed:
        words.append(f"z {signed(cell.z)}")
    words.append(f"n {cell.n_seeds}")
    words.append(cell.mark)
    return " ".join(word for word in words if word)


def _rated(text: str, best: bool, leads: bool) -> str:
    if best:
        text = f"**{text}**"
    return f"<ins>{text}</ins>" if leads else text
