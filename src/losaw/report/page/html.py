"""The report: one self-contained HTML page over all studies of a session."""

import base64
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

import losaw
from losaw.pages import environment
from losaw.report.best_methods import rank_methods
from losaw.report.layout import ArrangedTable, Cell, arrange
from losaw.report.markdown import counts_line
from losaw.report.page import agreement, provenance, sections
from losaw.report.page.svg import z_histogram
from losaw.report.page.table_data import embedded, table_layout
from losaw.report.results import StudyResults
from losaw.report.typeset import html_label, number, signed
from losaw.study.design.grid import Study
from losaw.study.design.published import read_published
from losaw.study.design.session import Session
from losaw.study.files.output_digests import is_collected
from losaw.study.files.writing import write_text
from losaw.study.results.draws import read_draws
from losaw.study.results.tally import compared, counted


def write_report(session: Session, path: Path, first: Sequence[str] = ()) -> Path:
    """Write the page of a session's studies, and of others that were collected in its folder.

    The page needs no network: figures and style are inside it. Equal results give equal bytes;
    what differs between runs (hosts, seconds) is in a separate section.

    Parameters
    ----------
    session : Session
    path : Path
        For example ``results/report.html``.
    first : sequence of str, optional
        The studies that the page begins with; by default those of the session.

    Returns
    -------
    Path

    Raises
    ------
    StudyError
        If a study has not been collected, or the page cannot be written.
    """
    names = list(first or (study.name for study in session.studies))
    studies = [_section(session, study) for study in _collected_studies(session, names)]
    comparisons = [
        counted(section["study"], section["results"].comparison).assign(study=section["study"].name)
        for section in studies
    ]
    page = (
        _environment()
        .get_template("report/report.html")
        .render(
            studies=studies,
            version=losaw.__version__,
            scale=session.scale,
            total=agreement.total_agreement(pd.concat(comparisons, ignore_index=True))
            if comparisons
            else None,
            fits=sum(section["manifest"]["fits"] for section in studies),
            failed=sum(section["manifest"]["failed_rows"] for section in studies),
            left_out=sum(len(section["manifest"]["left_out"]) for section in studies),
            missing=sum(len(section["manifest"]["missing_blocks"]) for section in studies),
        )
    )
    write_text(path, page)
    return path


def shown_studies(page: str) -> list[str]:
    """Return the names of the studies that a page shows, in its order."""
    return re.findall(r'href="#([\w.=+-]+)-provenance"', page)


def _collected_studies(session: Session, names: list[str]) -> list[Study]:
    """The named studies, and after them the others that were collected in the session's folder.

    Each as it is at the scale at which it was collected.
    """
    names += [
        name
        for name in session.available_studies()
        if name not in names and is_collected(session.results, name)
    ]
    return [
        session.read_study(
            name, trusted=True, scale=StudyResults(session.results / name).manifest["scale"]
        )
        for name in names
    ]


def _environment() -> jinja2.Environment:
    filling = environment()
    filling.filters["label"] = lambda text: Markup(html_label(text))
    filling.filters["decimal"] = lambda value, decimals: true_minus(number(value, decimals))
    filling.filters["minus"] = true_minus
    filling.globals |= {"tip": tip, "rating": rating}
    filling.globals |= {"embedded": embedded, "table_layout": table_layout}
    return filling


def _section(session: Session, study: Study) -> dict[str, Any]:
    results = StudyResults(session.results / study.name)
    comparison = results.comparison
    published = read_published(study, session.published_folder)
    return {
        "study": study,
        "results": results,
        "manifest": results.manifest,
        "about": provenance.describe(study),
        "metrics": provenance.metric_notes(study),
        "total": agreement.total_agreement(comparison),
        "histogram": Markup(z_histogram(compared(comparison))),
        "agreement": agreement.agreement_rows(study, results.agreement),
        "signs": agreement.sign_rows(study, results.signs),
        "shared_draws": agreement.shared_draws_line(study, session.results),
        "disagreements": agreement.disagreements(study, comparison),
        "tables": list(_tables(study, comparison)),
        "differences": list(
            sections.difference_grids(
                study, results.differences, published, read_draws(study, session.results)
            )
        ),
        "ranking": [
            (metric, part.to_dict("records"))
            for metric, part in rank_methods(study, results.results).groupby("metric", sort=False)
        ],
        "figures": [_figure(session, study, key) for key in study.file.figures],
        "decided_by": provenance.decided_by(session, study, results),
        "run_where": provenance.run_where(study, results),
    }


def _tables(study: Study, comparison: pd.DataFrame) -> Iterator[tuple[ArrangedTable, str, bool]]:
    """Yield (table, its counts in words, whether it is open); the first with numbers is open."""
    any_open = False
    for name in study.file.tables:
        table = arrange(study, name, comparison)
        is_open = not any_open and any(cell.was_run for cell in table.cells.values())
        any_open |= is_open
        yield table, counts_line(table), is_open


def _figure(session: Session, study: Study, key: str) -> dict[str, str]:
    """A figure of a study; ``source`` is empty if it was not drawn."""
    path = session.figures / f"{key}.png"
    source = ""
    if path.is_file():
        source = "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")
    title = key.replace("_", " ").capitalize()
    caption = " ".join([study.file.figures[key].caption, *study.differs_at_scale.values()])
    return {"key": key, "title": title, "caption": caption.strip(), "source": source}


def tip(cell: Cell, decimals: int) -> str:
    """Describe a cell in one line, with its errors and its verdict."""
    printed = f"published {number(cell.published, decimals)}; " if cell.is_printed else ""
    if not cell.was_run:
        return f"{printed}{cell.verdict}"
    error = number(cell.mc_se, decimals + 1) or "unknown"
    words = f"{printed}reproduced {number(cell.reproduced, decimals)}, s.e. {error}"
    z = f", z {signed(cell.z)}" if cell.is_printed else ""
    return f"{words}, n {cell.n_seeds}{z}: {cell.verdict}"


def true_minus(text: str) -> str:
    """Replace hyphens by minus signs."""
    return text.replace("-", "−")


def rating(best: bool, leads: bool) -> str:
    """Style classes of a number."""
    return " best" * best + " leads" * leads
