"""The page of an audit: one HTML file that asks nothing of the network."""

from typing import TYPE_CHECKING

import losaw

if TYPE_CHECKING:
    from losaw.auditing.result import Audit


def page(audit: "Audit", template: str = "audit/page.html") -> str:
    """Return the page; with the template ``audit/content.html`` its content without a style."""
    again = (
        f"{audit.design.options()} --rounds {audit.n_rounds} --signals {audit.n_signals} "
        f"--share {audit.share:.17g}"
    )
    computed = [
        f"{audit.design.words()}.",
        *(f"Cut by the budget: {cut}." for cut in audit.cuts),
        f"The same numbers on any machine: {again}",
        f"The model is {audit.model}; random state {audit.random_state}; losaw "
        f"{losaw.__version__}.",
    ]
    rows = list(zip(audit.standings, audit.cells(), strict=True))
    from losaw.pages import render

    return render(template, audit=audit, rows=rows, computed=computed)
