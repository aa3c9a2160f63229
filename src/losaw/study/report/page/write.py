"""Pages as files: HTML next to results, Markdown in the reference run."""

from pathlib import Path

from losaw.study.report.page.front import front_page
from losaw.study.report.page.paper import paper_page
from losaw.study.report.page.parts import Page
from losaw.study.report.page.stored import Shelf
from losaw.study.writing import write_text


def write_paper(shelf: Shelf, name: str, path: Path) -> Path:
    """Write the page of a paper, or of a study that belongs to none.

    Parameters
    ----------
    shelf : Shelf
        The folder of the studies' results.
    name : str
        Short name of the paper, as its file of claims is called, or of the study.
    path : Path
        Ends with ``.html`` or ``.md``; a page in Markdown lies in the shelf's folder, to which its
        links are relative.
    """
    return _write(paper_page(shelf, name), path)


def write_front_page(shelf: Shelf, path: Path) -> Path:
    """Write the page that leads to the pages of :func:`write_paper`."""
    return _write(front_page(shelf, path.stem), path)


def write_pages(shelf: Shelf, front: Path) -> list[Path]:
    """Write the front page, and next to it the page of each paper and of each other study."""
    names = [*shelf.papers, *shelf.others]
    return [
        write_front_page(shelf, front),
        *(write_paper(shelf, name, front.with_stem(name)) for name in names),
    ]


def _write(page: Page, path: Path) -> Path:
    is_html = path.suffix == ".html"
    write_text(path, page.html() if is_html else page.markdown(path.parent))
    return path
