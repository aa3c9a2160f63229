"""Pages that would be stale by hand: the API, commands, names, studies, figures, an example.

conf.py calls :func:`write_pages` before Sphinx reads anything. Of what it writes, the page on the
format of study files, ``docs/study_files.md``, and their schema, ``config/schema.json``, are in
git: ``python docs/generate.py`` writes these two alone.
"""

import contextlib
import importlib
import inspect
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from losaw.cli import main

_SHORT = {"cpi": "CPI", "losaw": "losaw", "treeinner": "TreeInner", "ufi": "UFI"}

# What a user imports from: heading, and the names; none named: all that the package re-exports.
PUBLIC: dict[str, tuple[str, tuple[str, ...]]] = {
    "losaw": ("The public functions", ()),
    "losaw.forest": ("Forests", ()),
    "losaw.network": ("Networks", ()),
    "losaw.importance": ("Importances", ()),
    "losaw.trends": ("Directions", ()),
    "losaw.knockoffs": ("Knockoffs", ()),
    "losaw.weighting": ("Weights", ()),
    "losaw.study.datasets": ("Real data", ("DatasetError", "load", "load_cleaned")),
    "losaw.data": ("Data sets of a study", ("Dataset", "Sample", "Truth")),
    "losaw.rng": ("Random streams", ("as_generator", "seed_integer", "stream")),
    "losaw.study.estimates": ("Estimates of a study", ("Estimate",)),
    "losaw.study.metrics.metric": ("Metrics", ("Metric", "Predictions")),
    "losaw.study.registry": ("Registered names", ("register", "get", "names", "entries")),
    "losaw.study.contracts": ("Contracts", ("check_entry",)),
    "losaw.support.extras": ("Extras", ("extra", "MissingExtraError")),
}


def public_names(module: ModuleType) -> list[str]:
    """The functions and classes that a module offers."""
    named = PUBLIC[module.__name__][1]
    if named:
        return list(named)
    listed = getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]

    def is_ours(thing: Any) -> bool:
        return callable(thing) and (getattr(thing, "__module__", "") or "").startswith("losaw")

    return sorted(name for name in listed if is_ours(getattr(module, name)))


def every_public_name() -> Iterator[tuple[str, str]]:
    """(module, name) of everything in the API pages."""
    for name in PUBLIC:
        for attribute in public_names(importlib.import_module(name)):
            yield name, attribute


def write_pages(docs: Path) -> None:
    """Write docs/api/ and docs/reference/, and copy what the documentation's studies drew."""
    _write_api(docs / "api")
    _write_names(docs / "_build" / "names")
    write_study_files(docs)
    _write(docs / "commands.md", "\n".join(_commands()))
    _write_example(docs / "_build" / "live")
    _copy_figures(docs / "_build" / "study", docs / "_build" / "pictures")
    _copy_reference(docs.parent / "reference", docs / "reference")


def _write_api(folder: Path) -> None:
    """Write one page for each module, so that the sidebar shows short names below their module."""
    folder.mkdir(exist_ok=True)
    head = ["API", "===", "", "Every public name, with an example that runs in the tests.", ""]
    head += [".. toctree::", "   :maxdepth: 2", "", *(f"   {name}" for name in PUBLIC)]
    _write(folder / "index.rst", "\n".join(head) + "\n")
    elsewhere = {one: module for module, one in every_public_name() if module != "losaw"}
    for name, (title, _) in PUBLIC.items():
        module = importlib.import_module(name)
        names = public_names(module)
        heading = f"{title} ({name})"
        lines = [heading, "=" * len(heading), "", _first_line(module), ""]
        if name == "losaw":
            links = [
                f":class:`{one} <{elsewhere[one]}.{one}>`"
                for one in sorted(elsewhere)
                if one in names
            ]
            lines += [f"From the packages below: {', '.join(links)}. In addition:", ""]
            names = [one for one in names if one not in elsewhere]
        lines += [f".. currentmodule:: {name}", "", ".. autosummary::", "   :toctree: generated"]
        lines += ["", *(f"   {one}" for one in names), ""]
        _write(folder / f"{name}.rst", "\n".join(lines))


def _write_names(folder: Path) -> None:
    """Tables of the registered names and of the studies, to be included in pages."""
    from losaw.study import registry
    from losaw.study.datasets import SOURCES

    folder.mkdir(parents=True, exist_ok=True)
    for kind in registry.KINDS:
        rows = ["| name | summary |", "|---|---|"]
        for entry in registry.entries(kind):
            rows.append(f"| `{entry.name}` | {_summary(entry)} |")
        _write(folder / f"{kind}.md", "\n".join(rows) + "\n")
    configuration = Path(__file__).parents[1] / "config"
    rows = ["| study | title |", "|---|---|"]
    for path in sorted((configuration / "studies").glob("*.yaml")):
        title = next(
            line.partition(":")[2].strip()
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.startswith("title:")
        )
        rows.append(f"| `{path.stem}` | {title.strip(chr(34))} |")
    _write(folder / "studies.md", "\n".join(rows) + "\n")
    _write(folder / "disagreements.md", "\n".join(_disagreements(configuration)) + "\n")
    rows = ["| data set | origin | licence |", "|---|---|---|"]
    rows += [f"| `{name}` | {one.origin} | {one.licence} |" for name, one in SOURCES.items()]
    _write(folder / "data.md", "\n".join(rows) + "\n")


def write_study_files(docs: Path) -> None:
    """Write the page on the files of a study, and the schema, from the models that read them."""
    from losaw.study.request.study_file import StudyFile

    _write(docs / "study_files.md", "\n".join(study_files()))
    schema = json.dumps(StudyFile.model_json_schema(), indent=1)
    _write(docs.parent / "config" / "schema.json", schema + "\n")


def study_files() -> Iterator[str]:
    """Yield the lines of the page on the files of a study."""
    from losaw.study.claims.claim_file import Claim, Claims, OpenPoint
    from losaw.study.request.published import PublishedCell
    from losaw.study.request.study_file import Configuration, FigureLayout, StudyFile, TableLayout

    yield "# The files of a study\n\nWhat is *needed* has no default.\n"
    for title, model in (
        ("`config/studies/<study>.yaml`", StudyFile),
        ("An entry of `tables`", TableLayout),
        ("An entry of `figures`", FigureLayout),
        ("`config/published/<file>.csv`", PublishedCell),
        ("`config/claims/<paper>.yaml`", Claims),
        ("An entry of `claims`", Claim),
        ("An entry of `decisions`", OpenPoint),
        ("`config/config.yaml`", Configuration),
    ):
        about = " ".join((model.__doc__ or "").split()).replace("``", "`")
        yield f"## {title}\n\n{about}\n"
        for name, field in model.model_fields.items():
            default = "needed" if field.is_required() else f"default `{field.default}`"
            is_simple = isinstance(field.default, int | float | str | Path)
            is_simple &= field.default is not False and field.default != ""
            shown = f" ({default})" if field.is_required() or is_simple else ""
            words = " ".join((field.description or "").replace("``", "`").split())
            yield f"- `{name}`{shown}" + (f": {words}" if words else "")
        if model is FigureLayout:
            yield "\n`losaw list --drawings` prints the drawings, each with its options."
        yield ""


def _commands(words: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the help of a command, and below it that of each of its own commands."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        main([*words, "--help"])
    title = f"`losaw {' '.join(words)}`" if words else "The command line"
    yield f"{'##' if words else '#'} {title}\n\n```text\n{text.getvalue()}```\n"
    for command in re.findall(r"^    (\w+)", text.getvalue(), re.MULTILINE):
        yield from _commands((*words, command))


def _write_example(folder: Path) -> None:
    """Write the page of ``losaw explain`` on data that scikit-learn contains."""
    from sklearn.datasets import load_diabetes

    from losaw import explain

    folder.mkdir(parents=True, exist_ok=True)
    frame = load_diabetes(as_frame=True, scaled=False).frame
    explain(frame, "target", budget=None).save(folder / "diabetes_explained")


def _disagreements(configuration: Path) -> Iterator[str]:
    """List the disagreements with each paper, from the files of claims."""
    from losaw.study.claims.claim_file import read_claims

    for path in sorted((configuration / "claims").glob("*.yaml")):
        claims = read_claims(path)
        yield from (f"### {claims.title}", "", f"{claims.paper}.", "")
        yield from (f"- {line}" for line in claims.does_not_reproduce)
        yield from (
            "",
            f"{len(claims.claims)} claims of its text are written down to be weighed.",
            "",
        )


def _summary(entry: Any) -> str:
    """Return the summary of a registered name as one cell of a table, with its parameters."""
    thing = entry.load()
    if entry.kind == "drawing":
        thing = inspect.getmodule(thing)
    words = _first_line(thing).rstrip(".,:").replace("|", "\\|")
    parameters = ", ".join(f"{name}={value!r}" for name, value in entry.parameters.items())
    return f"{words} (`{parameters}`)" if parameters else words


def _first_line(thing: Any) -> str:
    """Return the summary of a docstring as Markdown: names instead of roles, no formula."""
    summary = (inspect.getdoc(thing) or "").partition("\n\n")[0]
    summary = re.sub(r":[\w:]+:`~?([^`<]+?)(?: <[^>]+>)?`", r"`\1`", summary)
    return " ".join(summary.replace("``", "`").split())


def _copy_figures(study: Path, pictures: Path) -> None:
    pictures.mkdir(parents=True, exist_ok=True)
    drawn = sorted((study / "figures").glob("desk/*/*.png"))
    if not drawn:
        raise SystemExit(f"{study / 'figures'}: no figures; `make docs` draws them first")
    for path in drawn:
        shutil.copyfile(path, pictures / path.name)
    for path in study.glob("desk/*/tables/*.md"):
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = [re.sub(r" n \d+(?= \|)", "", line) for line in lines if line.startswith("|")]
        _write(pictures / path.name, "\n".join(rows) + "\n")


def _copy_reference(stored: Path, folder: Path) -> None:
    """Copy the pages of the reference run, with the files that they link.

    The tables are listed below the page of their paper.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(stored, folder, ignore=shutil.ignore_patterns("README.md"))
    pages = sorted(path.stem for path in folder.glob("*.md"))
    for path in folder.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("](../config/", "](../../config/"), encoding="utf-8")
    tables: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*/tables/*.md")):
        study = path.parts[-3]
        text = path.read_text(encoding="utf-8")
        title, _, rest = text.partition("\n")
        paper, _, words = study.partition("_")
        path.write_text(f"# {_title(title.lstrip('# '), paper, words)}\n{rest}", encoding="utf-8")
        place = paper if paper in pages else "index"
        tables.setdefault(place, []).append(path.relative_to(folder).with_suffix("").as_posix())
    shutil.copyfile(stored / "README.md", folder / "index.md")
    for name, listed in {"index": pages, **tables}.items():
        entries = listed if name != "index" else [*pages, *tables.get("index", [])]
        with (folder / f"{name}.md").open("a", encoding="utf-8") as page:
            page.write(
                "\n```{toctree}\n:hidden:\n:titlesonly:\n\n" + "\n".join(entries) + "\n```\n"
            )


def _title(table: str, paper: str, study: str) -> str:
    """Return the paper, the table and what the study adds: "losaw, Table 6: discrete laws"."""
    added = "" if re.fullmatch(r"(figure|table)_?\d+", study) else study.replace("_", " ")
    title = f"{_SHORT.get(paper, paper.capitalize())}, {table}"
    return f"{title}: {added}" if added.lower() not in ("", table.lower()) else title


def _write(path: Path, text: str) -> None:
    """Write only what changed, so that a second build has little to do."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_study_files(Path(__file__).parent)
