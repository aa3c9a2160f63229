"""The HTML pages of report, explain and audit: one folder of templates, filled by Jinja.

Text is escaped, and a value that is missing is an error.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import jinja2
from markupsafe import Markup

from losaw.support.errors import LosawError
from losaw.support.json_values import json_value
from losaw.support.whole_files import write_together

if TYPE_CHECKING:
    import pandas as pd

ENDINGS = (".html", ".csv", ".json")
# A cell that begins so is a formula to a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(template: str, **values: Any) -> str:
    """Fill a template below ``losaw/pages/templates``, such as ``"explain/content.html"``.

    ``values`` are those that it names, all of them. ``markupsafe.Markup`` is taken as HTML.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("losaw.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(**values)


class Result:
    """What a person is shown of a table: one list of sentences as text, page and JSON.

    A subclass has the data in one line (``headline``), the numbers as a frame (``to_frame``), the
    lines of a terminal, the heads with their sentences, what JSON has and what the template names.
    """

    template: ClassVar[str]
    title: ClassVar[str]  # before the name of the target
    target: str
    headline: Callable[[], str]
    to_frame: Callable[[], "pd.DataFrame"]
    _lines: Callable[[], list[str]]
    _sentences: Callable[[], Mapping[str, Sequence[str]]]
    _content: Callable[[], dict[str, Any]]
    _values: Callable[[], dict[str, Any]]

    def to_text(self) -> str:
        """The table and the sentences, for a terminal."""
        lines = [self.headline(), "", *self._lines()]
        for head, sentences in self._sentences().items():
            lines += ["", head, *(f"  - {sentence}" for sentence in sentences)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.to_text()

    def to_json(self) -> str:
        """Everything as JSON; numbers that are not finite are null."""
        return json.dumps(json_value(self._content()), indent=1, ensure_ascii=False)

    def to_html(self) -> str:
        """One HTML page that loads nothing from the network."""
        title, content = f"{self.title} {self.target}", Markup(self._repr_html_())
        return render("person_page.html", title=title, content=content)

    def _repr_html_(self) -> str:
        return render(self.template, found=self, sentences=self._sentences(), **self._values())

    def save(self, prefix: str | Path) -> tuple[Path, ...]:
        """Write ``prefix.html``, ``.csv`` and ``.json``: all of them, or none.

        Raises
        ------
        LosawError
            If they cannot be written there.
        """
        safe = self.to_frame().map(
            lambda cell: f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
        )
        texts = self.to_html(), safe.to_csv(index=False, lineterminator="\n"), self.to_json() + "\n"
        # A CSV of other letters than ASCII has the mark without which Excel misreads them.
        codes = "utf-8", "utf-8" if texts[1].isascii() else "utf-8-sig", "utf-8"
        both = zip(texts, codes, strict=True)
        writers = [methodcaller("write_text", text, encoding=code) for text, code in both]
        paths = paths_of(prefix)
        advice = "choose another place with --output"
        write_together(list(zip(paths, writers, strict=True)), LosawError, advice)
        return tuple(paths)


def paths_of(prefix: str | Path) -> list[Path]:
    """The files that ``save`` writes."""
    path = Path(prefix)
    return [path.with_name(path.name + ending) for ending in ENDINGS]


def text_table(table: "pd.DataFrame") -> list[str]:
    """The lines of a table for a terminal, where Chinese letters are two cells wide."""
    import pandas as pd

    with pd.option_context("display.unicode.east_asian_width", True):
        return table.to_string(index=False).split("\n")
