"""explain: a table's features and what its target depends on, from a file to a page."""

import argparse
import runpy
import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``losaw explain``."""
    add_table_options(parser, "explained", ".html, .png, .csv and .json")
    parser.add_argument(
        "--groups", metavar="NAME:FEATURE,…;…", help="groups of features to score and test as one"
    )


def add_table_options(
    parser: argparse.ArgumentParser, what: str, endings: str, **defaults: Any
) -> None:
    """Add the options of a command on a person's own table, from the record of all options."""
    from losaw.explaining.options import Options

    parser.add_argument("file", type=Path, help="CSV (or other text) or Parquet")
    parser.add_argument("--target", required=True, help="the column to explain")
    parser.add_argument(
        "--no-header", action="store_true", help="the first line is data: columns are X1, X2, …"
    )
    for option in fields(Options):
        if words := option.metadata["help"]:
            default = defaults.get(option.name, option.default)
            flag = option.metadata.get("flag", option.name).replace("_", "-")
            parser.add_argument(
                f"--{flag}",
                dest=option.name,
                default=default,
                type=option.metadata.get("type", str),
                metavar=option.metadata.get("metavar"),
                help=f"{words} (default {default})" if option.name == "budget" else words,
            )
    parser.add_argument(
        "--output",
        metavar="PREFIX",
        help=f"PREFIX{endings} are written; a folder takes FILE_{what} (default: FILE_{what})",
    )


def explain(options: argparse.Namespace) -> None:
    """Explain a file, print the table and write the page."""
    from losaw.explaining.api import explain as explained
    from losaw.explaining.explanation import ENDINGS
    from losaw.support.extras import require

    require("plot", ("matplotlib",))
    prefix = prefix_of(options, "explained", ENDINGS)
    explanation = on_the_table(explained, options, groups=_groups(options.groups))
    print(explanation.to_text())
    print("\n" + "\n".join(f"wrote {path}" for path in explanation.save(prefix)))


def prefix_of(options: argparse.Namespace, what: str, endings: Sequence[str]) -> Path:
    """Return where the results are written: in a folder that is named, never over the table.

    Raises
    ------
    LosawError
        If the table would be written over, or the folder of the prefix does not exist.
    """
    from losaw.explaining.explanation import paths_of
    from losaw.explaining.table_file import TEXT
    from losaw.support.errors import LosawError

    file = options.file.with_suffix("")  # data.csv.gz has two endings, sales.2026.csv one
    name = f"{file.stem if file.suffix.lower() in TEXT else file.name}_{what}"
    prefix = Path(options.output or name)
    if prefix.is_dir() or str(options.output).endswith("/"):
        prefix = prefix / name
    if not prefix.parent.is_dir():
        raise LosawError(
            f"--output {options.output}: there is no folder {prefix.parent}; make it first"
        )
    for path in paths_of(prefix, endings):
        if path.exists() and path.resolve() == options.file.resolve():
            raise LosawError(f"{path} would be written over by the result; choose another --output")
    return prefix


def on_the_table(function: Callable[..., Any], given: argparse.Namespace, **more: Any) -> Any:
    """Call a function of a table with the options of :func:`add_table_options`, and ``more``."""
    from losaw.explaining.design import SHORTEST_BUDGET, read_budget
    from losaw.explaining.options import Options
    from losaw.explaining.table_file import read_file
    from losaw.support.errors import LosawError

    budget, start = read_budget(given.budget), time.perf_counter()
    frame = read_file(given.file, given.target, has_header=not given.no_header)
    if budget is not None:  # reading is part of it
        budget = max(SHORTEST_BUDGET, budget - (time.perf_counter() - start))
    options = {e.name: getattr(given, e.name) for e in fields(Options) if e.metadata["help"]}
    options |= {"budget": budget, "verbose": True, "kinds": _kinds(given.kinds)}
    if ":" in given.model:
        options["model"] = function_of("model", given.model)()
    options["drop"] = [name for name in given.drop.split(",") if name] if given.drop else ()
    try:
        return function(frame, given.target, **options, **more)
    except ValueError as error:
        raise LosawError(f"{given.file}: {error}") from error


def function_of(option: str, text: str) -> Any:
    """Return the function that ``FILE.py:FUNCTION`` names; the file is run."""
    from losaw.support.errors import LosawError

    path, _, name = text.rpartition(":")
    if not Path(path).is_file():
        raise LosawError(
            f"--{option} {text}: there is no file {path or text}; say FILE.py:FUNCTION"
        )
    function = runpy.run_path(path).get(name)
    if not callable(function):
        raise LosawError(f"--{option} {text}: {path} has no function {name!r}")
    return function


def _groups(text: str | None) -> dict[str, list[str]] | None:
    from losaw.support.errors import LosawError

    if text is None:
        return None
    groups: dict[str, list[str]] = {}
    for part in text.split(";"):
        name, colon, features = part.partition(":")
        if not colon or name.strip() in groups:
            raise LosawError(f"--groups: {part!r} is not NAME:FEATURE,… of a new name, as size:x,y")
        groups[name.strip()] = [feature.strip() for feature in features.split(",")]
    return groups


def _kinds(text: str | None) -> dict[str, str]:
    from losaw.support.errors import LosawError

    kinds: dict[str, str] = {}
    for part in text.split(",") if text else ():
        name, colon, kind = part.rpartition(":")
        if not colon or name.strip() in kinds:
            raise LosawError(f"--kinds: {part!r} is not NAME:KIND of a new name, as zip:nominal")
        kinds[name.strip()] = kind.strip()
    return kinds
