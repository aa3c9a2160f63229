"""Pages as files: HTML next to results, Markdown in the reference run."""

from pathlib import Path

from losaw.study.report.page.front import front_page
from losaw.study.report.page.paper import paper_page
from losaw.study.report.page.parts import Page
from losaw.study.report.page.stored import Shelf
from losaw.study.writing import write_text


def write_page(page: Page, path: Path) -> Path:
    """Write a page as its ending says; links in Markdown are relative to its folder."""
    is_html = path.suffix == ".html"
    write_text(path, page.html() if is_html else page.markdown(path.parent))
    return path


def write_pages(shelf: Shelf, front: Path) -> list[Path]:
    """Write the front page, and next to it the page of each paper and of each other study."""
    names = [*shelf.papers, *shelf.others]
    pages = [front_page(shelf, front.stem), *(paper_page(shelf, name) for name in names)]
    return [write_page(page, front.with_stem(page.name)) for page in pages]
