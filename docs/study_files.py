"""The page on the format of study files, from the models that read them.

``python docs/study_files.py`` writes docs/study_files.md.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from losaw.report.figures import describe_drawings
from losaw.study.design.schema import Configuration, FigureLayout, StudyFile, TableLayout

PAGE = Path(__file__).with_suffix(".md")


def page() -> Iterator[str]:
    """The page on study files, line by line, made from the models that read them."""
    yield "# The format of a study file"
    yield ""
    yield "Made by `python docs/study_files.py` from the models that read the files. For editors,"
    yield "`losaw list --schema study` and `losaw list --schema configuration` print JSON Schemas."
    for title, model in (
        ("`config/studies/<study>.yaml`", StudyFile),
        ("An entry of `tables`", TableLayout),
        ("An entry of `figures`", FigureLayout),
        ("`config/config.yaml`", Configuration),
    ):
        yield ""
        yield f"## {title}"
        yield ""
        yield from _of_model(model)
    yield ""
    yield "## Drawings and their options"
    yield ""
    yield "```text"
    yield from describe_drawings()
    yield "```"


def _of_model(model: Any) -> Iterator[str]:
    text, _, attributes = inspect.cleandoc(model.__doc__ or "").partition("\n\nAttributes\n")
    yield from text.replace("``", "`").splitlines()
    yield ""
    said = _attributes(attributes)
    for name, field in model.model_fields.items():
        default = "needed" if field.is_required() else f"default `{field.default!r}`"
        words = f": {said[name]}" if name in said else ""
        yield f"- `{name}` ({default}){words}"


def _attributes(text: str) -> dict[str, str]:
    """Name -> description, of a numpydoc section of attributes."""
    said: dict[str, list[str]] = {}
    names: list[str] = []
    for line in text.splitlines()[1:]:
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
            said.update({name: [] for name in names})
        elif line.strip():
            for name in names:
                said[name].append(line.strip())
    return {name: " ".join(lines).replace("``", "`") for name, lines in said.items()}


if __name__ == "__main__":
    PAGE.write_text("\n".join([*page(), ""]), encoding="utf-8")
