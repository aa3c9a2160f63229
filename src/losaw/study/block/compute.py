"""Compute a block: all learners on the data sets of its settings and seeds, in one process."""

import faulthandler
import multiprocessing
import signal
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pyarrow as pa

from losaw.study.block.block_file import (
    begun_path,
    footer_of,
    keep_block,
    kept_path,
    mark_begun,
    write_block,
)
from losaw.study.block.recipe import Pair, Recipe
from losaw.study.block.replicate import ingredients_of, run_replicate
from losaw.study.block.rows import Row, table_of
from losaw.study.block.spent import Seconds, cpu_seconds, part_name, write_cost
from losaw.study.block.taken import Stored, take_rows
from losaw.study.errors import StudyError

# These end a process from outside; what is raised inside (SIGSEGV, SIGABRT) is a method's failure.
FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU}


def compute(
    recipe: Recipe,
    path: Path,
    laws: Sequence[Path] = (),
    minutes: float = 60.0,
    apart: bool = False,
    reuse: bool = True,
) -> None:
    """Compute a block and write its file, which is whole or absent.

    Rows that the last whole file holds of the same fits are taken from it, unless ``reuse`` is
    false. A method that raises leaves a failed row. One that takes more than so many ``minutes`` or
    kills its process ends the job. Snakemake's next attempt runs every learner in a process of its
    own (``apart``), so that only that learner's rows are lost. If such a process is ended from
    outside (memory, a node that goes down), the job fails, and the rows of the others are kept for
    the next. ``recipe`` is that of a :class:`losaw.study.block.blocks.Block`, and ``laws`` are the
    files of the joint laws that its data are drawn from.
    """
    recipe.check_versions()
    footer = footer_of(recipe.to_dict(), load_laws(laws))
    kept, begun = kept_path(path), begun_path(path)
    mark_begun(path)
    with _watched(minutes):
        stored = take_rows(recipe, footer, kept, apart) if reuse else {}
    rows: dict[Pair, list[Row]] = {}
    seconds: Seconds = defaultdict(float)
    ended: list[str] = []
    if apart:
        for label in recipe.learners:
            own, message = _rows_apart(recipe, label, stored, minutes, seconds)
            rows, ended = rows | own, ended + [message] * bool(message)
    else:
        with _watched(minutes):
            rows = rows_of(recipe, recipe.learners, stored, seconds)
    table = pa.concat_tables(table_of(recipe.study, *pair, rows[pair]) for pair in recipe.pairs())
    taken = {part_name(pair[1], part) for (pair, _), own in stored.items() for part in own}
    write_block(kept if ended else path, table, footer)
    write_cost(path, seconds, taken)
    if ended:
        raise StudyError("; ".join(ended))
    # A file that had everything may hold more: rows of a learner that is left out this time.
    if seconds:
        keep_block(path, kept)
    begun.unlink(missing_ok=True)


def rows_of(
    recipe: Recipe,
    learners: Iterable[str],
    stored: Stored,
    seconds: Seconds | None = None,
) -> dict[Pair, list[Row]]:
    """Return the rows of some learners of a block by setting and learner, seed by seed.

    Settings that differ by a learner's parameter alone have the same data: they are drawn once. The
    CPU time of each part that is computed is added to ``seconds``.
    """
    rows: dict[Pair, list[Row]] = {pair: [] for pair in recipe.pairs(learners)}
    by_data = defaultdict(list)
    for setting, learner in rows:
        by_data[recipe.settings[setting].data].append((setting, learner))
    for pairs in by_data.values():
        ingredients = {pair: ingredients_of(recipe, *pair) for pair in pairs}
        for seed in range(recipe.seeds[0], recipe.seeds[1] + 1):
            drawn = cache(ingredients[pairs[0]].data)  # those of the seed before are freed
            for pair in pairs:
                if seed not in ingredients[pair].seeds:
                    continue
                there, parts = stored.get((pair, seed), {}), ingredients[pair].parts
                new: list[Row] = []
                if missing := [part for part in parts if part not in there]:
                    new = run_replicate(ingredients[pair], seed, missing, drawn, seconds)
                if new and new[0].metric == "":  # the fit has failed
                    rows[pair] += new
                    continue
                for part in parts:
                    rows[pair] += there.get(part, [row for row in new if row.importance == part])
    return rows


def load_laws(paths: Sequence[Path]) -> dict[str, Any]:
    """Read the joint laws that data are drawn from; return them by their identifiers."""
    if not paths:
        return {}
    from losaw.study.generators.joint_law.fit import use_law
    from losaw.study.generators.joint_law.law import JointLaw

    laws = [JointLaw.load(path) for path in paths]
    for law in laws:
        use_law(law)
    return {law.specification.identifier: law for law in laws}


def _rows_apart(
    recipe: Recipe, learner: str, stored: Stored, minutes: float, seconds: Seconds
) -> tuple[dict[Pair, list[Row]], str]:
    """Return a learner's rows from a process of its own; failed rows if that is ended.

    And why, if it was ended from outside: that is no failure of the learner. The CPU time of its
    parts is added to ``seconds``, or of the whole process if that is ended.
    """
    start = cpu_seconds()
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_send_rows, args=(sending, minutes, recipe, learner, stored))
    process.start()
    sending.close()
    try:
        found = receiving.recv()
    except EOFError:
        found = None
    process.join()
    if isinstance(found, Exception):
        raise found
    if found is not None:
        rows, spent = found
        for part, added in spent.items():
            seconds[part] += added
        return rows, ""
    seconds[part_name(learner)] += cpu_seconds() - start
    outside = ""
    message = (
        f"ProcessEnded: the learner {learner!r} ended its process or took longer than "
        f"{minutes:g} minutes; see the log"
    )
    number = -(process.exitcode or 0)
    if number in FROM_OUTSIDE:
        message = outside = (
            f"the process of the learner {learner!r} was ended from outside by "
            f"{signal.Signals(number).name}, which is no failure of the learner: too little memory "
            "(memory_megabytes of the study), or the machine went down; the next run tries it again"
        )
    failed = partial(Row, importance="", metric="", status="failed", message=message)
    pairs = recipe.pairs([learner])
    return {pair: list(map(failed, recipe.seeds_of(*pair))) for pair in pairs}, outside


def _send_rows(
    sending: Connection, minutes: float, recipe: Recipe, learner: str, stored: Stored
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # or it would be an exit by an exception
    try:
        with _watched(minutes):
            seconds: Seconds = defaultdict(float)
            found: Any = rows_of(recipe, [learner], stored, seconds), seconds
    except Exception as error:
        found = error
    sending.send(found)
    for child in multiprocessing.active_children():  # a pool, which would be waited for
        child.terminate()


@contextmanager
def _watched(minutes: float) -> Iterator[None]:
    """End the process if the body takes longer, with a traceback of all threads on stderr."""
    faulthandler.dump_traceback_later(60 * minutes, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
