"""explain: a table's features and what its target depends on, from a file to a page."""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``losaw explain``."""
    add_table_options(parser, budget="5m")
    parser.add_argument(
        "--output", type=Path, metavar="PREFIX",
        help="PREFIX.html, .png, .csv and .json are written (default: FILE_explained)",
    )  # fmt: skip


def add_table_options(parser: argparse.ArgumentParser, budget: str) -> None:
    """The options of every command on a person's own table."""
    parser.add_argument("file", type=Path, help="CSV (or other text) or Parquet")
    parser.add_argument("--target", required=True, help="the column to explain")
    parser.add_argument(
        "--no-header", action="store_true", help="the first line is data: columns are X1, X2, …"
    )
    parser.add_argument(
        "--kinds",
        metavar="NAME:KIND,…",
        help="kinds of columns (continuous, discrete, nominal) that are inferred wrongly",
    )
    parser.add_argument("--task", help="regression or classification, if inferred wrongly")
    parser.add_argument("--methods", help="mdi, ufi, losaw, pfi, cpi, loco, atr, …, with commas")
    parser.add_argument(
        "--model", default="forest", help="what PFI, CPI and LOCO explain: forest (default) or "
        "gradient-boosting",
    )  # fmt: skip
    parser.add_argument("--drop", default="", metavar="NAME,…", help="columns to leave out")
    parser.add_argument("--fdr", type=float, default=0.1, help="false discovery rate (default .1)")
    parser.add_argument(
        "--budget",
        default=budget,
        help=f"time, like 90s, 2m (default {budget}); none cuts nothing",
    )
    for name, what in (
        ("rows", "rows in use"),
        ("losaw-rows", "rows that losawRF is fitted to"),
        ("folds", "folds of the cross-fitting"),
        ("permutations", "permutations of PFI"),
        ("draws", "knockoff draws of CPI"),
    ):
        parser.add_argument(f"--{name}", type=int, help=f"{what}: fixed, not cut by the budget")
    parser.add_argument("--jobs", type=int, default=1, help="threads (default 1; -1: all cores)")
    parser.add_argument("--random-state", type=int, default=0, help="seed (default 0)")


def explain(options: argparse.Namespace) -> None:
    """Explain a file, print the table and write the page."""
    from losaw.explaining import explain as explained
    from losaw.explaining.explanation import paths_of
    from losaw.support.extras import require

    require("plot", ("matplotlib",))
    prefix = prefix_of(options, "explained", paths_of)
    explanation = on_the_table(explained, options)
    print(explanation.to_text())
    print("\n" + "\n".join(f"wrote {path}" for path in explanation.save(prefix)))


def prefix_of(
    options: argparse.Namespace, what: str, paths_of: Callable[[Path], list[Path]]
) -> Path:
    """Where the results are written; not over the table itself."""
    from losaw.support.errors import LosawError

    prefix: Path = options.output or Path(f"{options.file.name.partition('.')[0]}_{what}")
    for path in paths_of(prefix):
        if path.exists() and path.resolve() == options.file.resolve():
            raise LosawError(f"{path} would be written over by the result; choose another --output")
    return prefix


def on_the_table(function: Callable[..., Any], options: argparse.Namespace, **more: Any) -> Any:
    """Call a function of a table with the options of :func:`add_table_options`, and ``more``."""
    from losaw.explaining.design import SHORTEST_BUDGET, read_budget
    from losaw.explaining.reading import read_file
    from losaw.support.errors import LosawError

    budget, start = read_budget(options.budget), time.perf_counter()
    frame = read_file(options.file, options.target, has_header=not options.no_header)
    if budget is not None:  # reading is part of it
        budget = max(SHORTEST_BUDGET, budget - (time.perf_counter() - start))
    try:
        return function(
            frame,
            options.target,
            kinds=_kinds(options.kinds),
            task=options.task,
            methods=options.methods,
            model=options.model,
            drop=[name for name in options.drop.split(",") if name],
            fdr=options.fdr,
            budget=budget,
            rows=options.rows,
            losaw_rows=options.losaw_rows,
            folds=options.folds,
            permutations=options.permutations,
            draws=options.draws,
            n_jobs=options.jobs,
            verbose=sys.stderr.isatty(),
            random_state=options.random_state,
            **more,
        )
    except ValueError as error:
        raise LosawError(f"{options.file}: {error}") from error


def _kinds(text: str | None) -> dict[str, str] | None:
    from losaw.support.errors import LosawError

    if text is None:
        return None
    kinds: dict[str, Any] = {}
    for part in text.split(","):
        name, colon, kind = part.rpartition(":")
        if not colon:
            raise LosawError(f"--kinds: {part!r} is not NAME:KIND, as in zip:nominal")
        kinds[name.strip()] = kind.strip()
    return kinds
