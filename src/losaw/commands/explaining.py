"""explain, and audit the methods that find known causes on a table: from a file to a page."""

import argparse
import csv
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from losaw.support.errors import LosawError


def add_options_of_audit(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``losaw audit``."""
    add_options(parser, "audited", "10m")
    text = "simulated responses (default 30, of which a budget keeps 15 at least)"
    parser.add_argument("--rounds", type=int, help=text)
    parser.add_argument(
        "--share", type=float,
        help="explainable part of a response, .05 to .95 (default: estimated from the target)",
    )  # fmt: skip
    parser.add_argument(
        "--signals", type=int, help="features that cause a response (default: a third, 5 at most)"
    )


def add_options(
    parser: argparse.ArgumentParser, what: str = "explained", budget: str = "5m"
) -> None:
    """Add the options of a command on a person's own table, by default of ``losaw explain``."""
    add = parser.add_argument
    add("file", type=Path, help="CSV (or other text) or Parquet")
    add("--target", required=True, help="the column to explain")
    add("--no-header", action="store_true", help="the first line is data: columns are X1, X2, …")
    add(
        "--kinds", metavar="NAME:KIND,…", action="append",
        help="kinds of columns (continuous, discrete, nominal) that are inferred wrongly; a name "
        "with a comma stands in quotes, here and under --drop",
    )  # fmt: skip
    add("--task", help="regression or classification, if inferred wrongly")
    add(
        "--methods",
        action="append",
        help="mdi, ufi, losaw, pfi, cpi, loco, with commas (default: all)",
    )
    add(
        "--model", default="forest",
        help="model that PFI, CPI and LOCO explain: forest (default) or gradient-boosting",
    )  # fmt: skip
    add("--drop", metavar="NAME,…", action="append", help="columns to leave out")
    add("--cluster", metavar="NAME", help="column that says which rows belong together")
    add("--fdr", type=float, default=0.1, help="false discovery rate (default .1)")
    add(
        "--budget",
        default=budget,
        help=f"time, 10s at least, like 90s or 2m; none cuts nothing ({budget})",
    )
    for name, what_it_fixes in (
        ("rows", "rows in use"),
        ("folds", "folds of the cross-fitting"),
        ("permutations", "permutations of PFI"),
        ("draws", "draws of CPI"),
    ):
        add(f"--{name}", type=int, help=f"{what_it_fixes}: fixed, not cut by the budget")
    add("--jobs", type=int, help="threads (default 1; -1: all cores)")
    add("--random-state", type=int, default=0, help="seed (default 0)")
    add(
        "--output", metavar="PREFIX",
        help=f"PREFIX.html, .csv and .json are written; a folder takes FILE_{what} (default: "
        f"FILE_{what})",
    )  # fmt: skip


def add_options_of_explain(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``losaw explain``."""
    add_options(parser)
    parser.add_argument(
        "--given",
        metavar="NAME,…",
        action="append",
        help="columns: what does each other one add to these?",
    )


def explain(options: argparse.Namespace) -> None:
    """Explain a file, print the table and write the page."""
    from losaw.explaining.api import explain as explained

    prefix = prefix_of(options, "explained")
    given = None if options.given is None else _listed(options.given)
    explanation = on_the_table(explained, options, given=given)
    _write(explanation, prefix)


def audit(options: argparse.Namespace) -> None:
    """Audit the methods on a file's features, print the table and write the page."""
    from losaw.auditing import audit as audited

    prefix = prefix_of(options, "audited")
    result = on_the_table(
        audited, options, rounds=options.rounds, share=options.share, signals=options.signals
    )
    _write(result, prefix)


def _write(result: Any, prefix: Path) -> None:
    """Write the files, then print: what the terminal cannot show or take must not cost them."""
    paths = result.save(prefix)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    wrote = "\n".join(f"wrote {path}" for path in paths)
    try:
        print(f"{result.to_text()}\n\n{wrote}", flush=True)
    except KeyboardInterrupt:
        raise LosawError(f"{wrote}; interrupted while the text was printed") from None
    except OSError as error:
        with open(os.devnull, "w") as nowhere:  # what is left in the buffer would fail at the end
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise LosawError(f"{wrote}; the text cannot be printed: {error.strerror}") from None


def prefix_of(options: argparse.Namespace, what: str) -> Path:
    """Return where the results are written: in a folder that is there, never over the table."""
    from losaw.explaining.table_file import TEXT
    from losaw.pages import paths_of
    from losaw.support.whole_files import check_place

    # Of . the name is that of the folder; data.csv.gz has two endings, sales.2026.csv one.
    file = Path(os.path.abspath(options.file))
    if not file.name:
        raise LosawError(f"{options.file}: is a folder; name a file")
    file = file.with_suffix("")
    name = f"{file.stem if file.suffix.lower() in TEXT else file.name}_{what}"
    prefix = Path(options.output or name)
    try:
        if prefix.is_dir() or str(options.output).endswith("/"):
            prefix = prefix / name
        if not prefix.parent.is_dir():
            words = f"there is no folder {prefix.parent}; make it first"
            raise LosawError(f"--output {options.output}: {words}")
        for path in paths_of(prefix):
            if path.exists() and path.resolve() == options.file.resolve():
                words = "would be written over by the result; choose another --output"
                raise LosawError(f"{path} {words}")
            check_place(path)
    except OSError as error:
        words = f"cannot be written: {error.strerror}; choose another --output"
        raise LosawError(f"{error.filename or prefix}: {words}") from None
    return prefix


def on_the_table(function: Callable[..., Any], options: argparse.Namespace, **more: Any) -> Any:
    """Call a function of a table with the options of :func:`add_options`, and ``more``."""
    from losaw.explaining.api import SHORTEST_BUDGET, read_budget
    from losaw.explaining.table_file import read_file

    budget, start = read_budget(options.budget), time.perf_counter()
    passed_on = ("model", "fdr", "rows", "folds", "permutations", "draws")
    columns = {"kinds": _kinds(options.kinds), "task": options.task, "cluster": options.cluster}
    columns["drop"] = _listed(options.drop)
    methods = None if options.methods is None else ",".join(options.methods)
    frame = read_file(options.file, options.target, not options.no_header, **columns)
    if budget is not None:  # reading is part of it
        budget = max(SHORTEST_BUDGET, budget - (time.perf_counter() - start))
    try:
        return function(
            frame, options.target, methods=methods, budget=budget, n_jobs=options.jobs,
            verbose=True, random_state=options.random_state, **columns,
            **{name: getattr(options, name) for name in passed_on}, **more,
        )  # fmt: skip
    except ValueError as error:
        raise LosawError(f"{options.file}: {error}") from error


def _listed(texts: Sequence[str] | None) -> list[str]:
    """Split every text at commas; a name with commas of its own stands in quotes."""
    names: list[str] = []
    for text in texts or ():
        try:
            names += next(csv.reader([text], skipinitialspace=True), [])
        except csv.Error:
            words = "a name with a line break stands in quotes of its own within the option's"
            raise LosawError(f"{text!r}: {words}") from None
    return [name.strip() for name in names if name.strip()]


def _kinds(texts: Sequence[str] | None) -> dict[str, str]:
    """Read NAME:KIND,…"""
    kinds: dict[str, str] = {}
    for pair in _listed(texts):
        name, _, kind = (word.strip() for word in pair.rpartition(":"))
        if not name or name in kinds:
            raise LosawError(
                f"--kinds: {pair!r} is not NAME:KIND of a new name, as zip:nominal; a name with a "
                "comma stands in quotes"
            )
        kinds[name] = kind
    return kinds
