"""The parts of a page, each written as Markdown (for git) and as HTML without scripts.

A paragraph is a text, a list is one of texts. They are Markdown: ``**bold**``, ``*slanted*``, code
in backticks and ``[links](./page.md)``. Numbers of a data frame are written with three digits. A
table of a study stands in HTML next to the published one; in Markdown it is a link to its file,
with its caption.
"""

import base64
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, takewhile
from operator import methodcaller
from pathlib import Path
from textwrap import wrap
from typing import TypeAlias

import pandas as pd
from markupsafe import Markup

from losaw.pages import render
from losaw.study.block.writing import write_file, write_text
from losaw.study.report.tables import ArrangedTable, to_html, unpadded
from losaw.study.results.compare import COMPARED

# What is no mark: after a backslash, and in code.
_LITERAL = re.compile(r"\\([\\|*`\[\]]|&[lg]t;)|`([^`]+)`")
_INLINE = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"),
    (re.compile(r"\*(\S[^*]*)\*"), r"<i>\1</i>"),
    (re.compile(r"\[([^]]+)\]\(\./([\w.=+-]+)\.md\)"), r'<a href="\2.html">\1</a>'),
)


_LONG = 40  # letters; a cell with more keeps its width


@dataclass(frozen=True)
class Tiles:
    """A few numbers in large type, each with what it counts."""

    tiles: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Picture:
    """A figure; a page in HTML holds its bytes."""

    path: Path
    title: str
    caption: str


@dataclass(frozen=True)
class Drawn:
    """A picture as PNG, in Markdown ``<name>.png`` next to the page, and the same for a phone."""

    name: str
    wide: bytes
    narrow: bytes
    caption: str


@dataclass(frozen=True)
class Section:
    """A heading with what is below it; what is folded opens at a click.

    A list or frame without lines is not shown, nor is a section without anything else.
    """

    title: str
    parts: Sequence["Part"]
    is_folded: bool = False


@dataclass(frozen=True)
class Either:
    """What a page in HTML shows, and what one in Markdown, such as the file that has it."""

    html: Sequence["Part"]
    markdown: Sequence["Part"]


Part: TypeAlias = (
    str | list[str] | pd.DataFrame | Tiles | ArrangedTable | Picture | Drawn | Section | Either
)


@dataclass(frozen=True)
class Page:
    """A page; its name is that of its file, without the ending."""

    name: str
    title: str
    parts: Sequence[Part]

    def markdown(self, folder: Path) -> str:
        """The page in Markdown, for a file in ``folder``."""
        _, *lines = _markdown(Section(self.title, self.parts), folder, 1)
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """The page in HTML: it loads nothing, and needs no script."""
        body = Markup("\n".join(_html(part, 2) for part in filter(_is_shown, self.parts)))
        return render("report/page.html", title=self.title, body=body)

    def write(self, path: Path) -> Path:
        """Write it as the ending says; one in Markdown has links from the file's folder."""
        is_html = path.suffix == ".html"
        write_text(path, self.html() if is_html else self.markdown(path.parent))
        for drawn in () if is_html else self._drawn:
            place = path.with_name(f"{drawn.name}.png")
            write_file(place, methodcaller("write_bytes", drawn.wide))
        return path

    @property
    def _drawn(self) -> list[Drawn]:
        return [part for part in self.parts if isinstance(part, Drawn)]

    def description(self) -> str:
        """What the page begins with, up to its picture, in reStructuredText for Snakemake."""
        words = takewhile(lambda part: isinstance(part, str | list), self.parts)
        first = [[f"- {line}" for line in w] if isinstance(w, list) else [w] for w in words]
        lines = [self.title, "=" * len(self.title), "", *chain(*([*w, ""] for w in first))]
        uris = (wrap(_png(drawn.wide), 100) for drawn in self._drawn)  # docutils limits lines
        images = (".. image:: " + "\n   ".join(uri) + "\n   :width: 100%\n" for uri in uris)
        where = "The pages of the papers are under *pages*, and need no network either."
        return "\n".join([*lines, *images, where, ""])


def _is_shown(part: Part, form: str = "html") -> bool:
    if isinstance(part, Section | Either):
        parts = part.parts if isinstance(part, Section) else getattr(part, form)
        return any(_is_shown(below, form) for below in parts)
    return len(part) > 0 if isinstance(part, list | pd.DataFrame) else True


_is_shown_in_markdown = partial(_is_shown, form="markdown")


def _markdown(part: Part, folder: Path, level: int) -> Iterator[str]:
    if not isinstance(part, Either):
        yield ""
    match part:
        case str():
            yield part
        case list():
            yield from (f"- {line}" for line in part)
        case Tiles(tiles):
            yield from (f"- {amount} {what}" for amount, what in tiles)
        case pd.DataFrame():
            cells = part.map(lambda value: _on_one_line(_text(value))).rename(columns=_on_one_line)
            text = cells.to_markdown(index=False, tablefmt="pipe", disable_numparse=True)
            yield unpadded(text)
        case ArrangedTable():
            study, way = part.study.name, f"./{part.study.name}/tables/{part.name}.md"
            yield f"[{part.title}]({way}) of `{study}`: {part.layout.caption}. {part.counts_line}"
        case Drawn(name, _, _, caption):
            yield from (f"![The replication in a picture](./{name}.png)", "", caption)
        case Picture(path, title, caption):
            yield f"![{title}](./{path.relative_to(folder).as_posix()})"
            yield from ("", f"**{title}.** {caption}")
        case Either(_, parts):
            for instead in filter(_is_shown_in_markdown, parts):
                yield from _markdown(instead, folder, level)
        case Section(title, parts, is_folded):
            heading = f"<details>\n<summary>{_words(title)}</summary>"
            yield heading if is_folded else f"{'#' * level} {title}"
            for below in filter(_is_shown_in_markdown, parts):
                yield from _markdown(below, folder, level + 1)
            if is_folded:
                yield "\n</details>"


def _on_one_line(text: str) -> str:
    """Text for a cell of a Markdown table, which ends at a line's end and at a bare |."""
    return re.sub(r"(?<!\\)\|", r"\|", text).replace("\n", " ")


def _html(part: Part, level: int) -> str:
    match part:
        case str():
            return f"<p>{_words(part)}</p>"
        case list():
            items = "\n".join(f"<li>{_words(line)}</li>" for line in part)
            return f"<ul>\n{items}\n</ul>"
        case Tiles(tiles):
            boxes = "\n".join(
                f'<div class="tile"><b>{_words(amount)}</b><span>{_words(what)}</span></div>'
                for amount, what in tiles
            )
            return f'<div class="tiles">\n{boxes}\n</div>'
        case ArrangedTable():
            about = f"<b>{html.escape(part.title)}.</b> {html.escape(part.layout.caption)}"
            note = f'<p class="note">{html.escape(part.note)}</p>' if part.note else ""
            legend = f'<p class="note">{html.escape(part.legend)}</p>' if part.is_first else ""
            inside = f'<div class="scroll">{to_html(part)}</div>{note}{legend}'
            summary = f'{about} <span class="counts">{html.escape(part.counts_line)}</span>'
            return _folded(summary, inside, part.is_first)
        case Drawn(_, wide, narrow, caption):
            source = f'<source media="(max-width: 34rem)" srcset="{_png(narrow)}">'
            image = f'<img src="{_png(wide)}" alt="{html.escape(caption)}">'
            below = f"<figcaption>{_words(caption)}</figcaption>"
            return f"<figure>\n<picture>{source}{image}</picture>\n{below}\n</figure>"
        case Picture(path, title, caption):
            below = f"<figcaption><b>{html.escape(title)}.</b> {_words(caption)}</figcaption>"
            alt = html.escape(caption or title)
            image = f'<img src="{_png(path.read_bytes())}" alt="{alt}">'
            return f"<figure>\n{image}\n{below}\n</figure>"
        case Either(parts):
            return "\n".join(_html(below, level) for below in filter(_is_shown, parts))
        case Section(title, parts, is_folded):
            inside = "\n".join(_html(below, level + 1) for below in filter(_is_shown, parts))
            if is_folded:
                return _folded(_words(title), inside)
            return f"<section>\n<h{level}>{_words(title)}</h{level}>\n{inside}\n</section>"
        case _:  # a data frame
            cells = part.map(_cell).rename(columns=lambda name: _words(str(name)))
            table = cells.to_html(
                index=False, escape=False, border=0, classes="plain", justify="left"
            )
            return f'<div class="scroll">{table}</div>'


def _png(data: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(data).decode('ascii')}"


def _folded(summary: str, inside: str, is_open: bool = False) -> str:
    return f"<details{' open' * is_open}>\n<summary>{summary}</summary>\n{inside}\n</details>"


def _cell(value: object) -> str:
    """A cell of a frame; one that begins with a verdict has its colour."""
    text = _words(_text(value)).replace("–", "–\u2060")  # a range stays on its line
    word = text.replace("<b>", "").split(" ")[0]
    if word in COMPARED:
        return f'<span class="swatch {word}">{text}</span>'
    return f'<div class="long">{text}</div>' if len(text) > _LONG else text


def _words(words: str) -> str:
    """Markdown's inline marks as HTML; everything else is escaped."""
    text = _LITERAL.sub(_literal, html.escape(words, quote=False))
    for pattern, replacement in _INLINE:
        text = pattern.sub(replacement, text)
    return text


def _literal(found: re.Match[str]) -> str:
    """Text that is no mark, or code, its letters of marks as numbers, which no pattern finds."""
    text = re.sub(r"[\\*`\[\]]", lambda mark: f"&#{ord(mark[0])};", found[1] or found[2])
    return text if found[1] else f"<code>{text}</code>"


def _text(value: object) -> str:
    if isinstance(value, float):
        return "" if value != value else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
