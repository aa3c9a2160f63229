"""A table in LaTeX (booktabs), to be read in by a paper."""

from losaw.report.layout import ArrangedTable, Cell
from losaw.report.markdown import counts_line, legend
from losaw.report.typeset import latex, latex_label, number, signed
from losaw.study.results.agreement import NOT_RUN

PACKAGES = "booktabs, graphicx, amssymb"


def to_latex(table: ArrangedTable) -> str:
    """A ``table*`` float with caption, legend, counts and note."""
    row_heads = len(table.row_axes)
    lines = [
        f"% {table.title}. Needs the packages {PACKAGES}.",
        r"\begin{table*}",
        r"\centering",
        rf"\caption{{{latex(table.caption)} ({latex(table.title)} of the paper)}}",
        rf"\label{{tab:{table.name}}}",
        r"\resizebox{\textwidth}{!}{%",
        rf"\begin{{tabular}}{{{'l' * row_heads}{'c' * len(table.columns)}}}",
        r"\toprule",
        *_header(table),
        r"\midrule",
        *_body(table),
        r"\bottomrule",
        r"\end{tabular}}",
    ]
    for text in (legend(table), counts_line(table), table.note):
        if text.strip():
            lines += [r"\par\smallskip", *_paragraph(text.strip())]
    return "\n".join([*lines, r"\end{table*}", ""])


def _paragraph(text: str) -> list[str]:
    return [r"\begin{minipage}{\textwidth}\footnotesize", latex(text), r"\end{minipage}"]


def _header(table: ArrangedTable) -> list[str]:
    """One line for every column axis, equal neighbours under one heading and a rule."""
    lines = []
    for depth in range(len(table.column_axes)):
        last = depth == len(table.column_axes) - 1
        names = [latex_label(table.show(name)) if last else "" for name in table.row_axes]
        parts, rules, position = names, [], len(names)
        for text, width in table.column_heads(depth):
            heading = latex_label(text)
            parts.append(heading if width == 1 else rf"\multicolumn{{{width}}}{{c}}{{{heading}}}")
            rules.append(rf"\cmidrule(lr){{{position + 1}-{position + width}}}")
            position += width
        lines.append(" & ".join(parts) + r" \\")
        if not last:
            lines.append("".join(rules))
    return lines


def _body(table: ArrangedTable) -> list[str]:
    lines: list[str] = []
    for index, row in enumerate(table.rows):
        heads = table.row_heads(index)
        if index and len(row) > 1 and not heads[0][1]:
            lines.append(r"\addlinespace")
        parts = ["" if repeats else latex_label(heading) for heading, repeats in heads]
        parts += [cell_text(cell, table.decimals) for cell in table.cells_of(row)]
        lines.append(" & ".join(parts) + r" \\")
    return lines


def cell_text(cell: Cell | None, decimals: int) -> str:
    r"""``.530 $\to$ \textbf{.532} (.007)`` over ``$z=+0.3$, $n=40$ \checkmark``."""
    if cell is None:
        return ""
    printed = _rated(number(cell.published, decimals), cell.published_best, cell.published_leads)
    arrow = rf"{printed} $\to$ " if cell.is_printed else ""
    if not cell.was_run:
        return arrow + NOT_RUN
    ours = _rated(number(cell.reproduced, decimals), cell.best, cell.leads)
    first = f"{arrow}{ours} ({number(cell.mc_se, decimals) or '--'})"
    z = f"$z={{{signed(cell.z)}}}$, " if cell.is_printed else ""
    second = f"{z}$n={cell.n_seeds}$ {latex(cell.mark)}".strip()
    return rf"\begin{{tabular}}{{@{{}}c@{{}}}}{first}\\{{\scriptsize {second}}}\end{{tabular}}"


def _rated(text: str, best: bool, leads: bool) -> str:
    if best:
        text = rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if leads else text
