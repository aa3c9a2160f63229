"""A trial before the first job: a replicate of each study, and its figures of made-up numbers.

What only a fit or a drawing finds is found in seconds, and not after all blocks.
"""

import multiprocessing
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from losaw.data import Dataset, default_feature_names
from losaw.study.block.blocks import Cell
from losaw.study.block.replicate import ingredients_in, run_replicate
from losaw.study.block.rows import SCORES, Row
from losaw.study.errors import FAILURES, StudyError
from losaw.study.report.figures import draw
from losaw.study.report.results import StudyResults
from losaw.study.report.style import house_style
from losaw.study.request.grid import Study
from losaw.study.request.published import read_published
from losaw.study.request.study_file import Location
from losaw.study.results.collect import Collection
from losaw.study.results.compare import compare
from losaw.study.results.summary import summarise
from losaw.study.session import StudyPlan

# Replicates that a study file says to cost more are left to their jobs.
MOST_SECONDS = 0.3
PATIENCE = 120.0  # seconds until a trial goes on without a study
SEEDS = (0, 1)  # what fails by chance, does not fail in both


def check_by_trial(plans: Sequence[StudyPlan]) -> Iterator[str]:
    """Try out studies in a process of its own, which a method may end or hang; yield notes."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_send_mistakes, args=(sending, plans))
    process.start()
    sending.close()
    mistakes = []
    try:
        for plan in plans:
            study = plan.study.name
            if not receiving.poll(PATIENCE):
                raise EOFError
            mistakes.append(receiving.recv())
    except EOFError:
        yield f"study {study!r}: its trial ended early, or took over {PATIENCE:g} s"
    finally:
        process.kill()
        process.join()
    if any(mistakes):
        raise StudyError("\n".join(filter(None, mistakes)))


def _send_mistakes(sending: Connection, plans: Sequence[StudyPlan]) -> None:
    _be_quiet()
    for plan in plans:
        try:
            try_out(plan)
            sending.send("")
        except StudyError as error:
            sending.send(str(error))


def needs_kernels(plans: Sequence[StudyPlan]) -> bool:
    """Return whether a trial runs a loop that is not compiled yet, or leaves a learner out."""
    process = multiprocessing.get_context("fork").Process(target=_end_at_kernel, args=(plans,))
    process.start()
    process.join(PATIENCE)
    process.kill()
    return process.exitcode != 0


def _end_at_kernel(plans: Sequence[StudyPlan]) -> None:
    from numba.core import event

    class End(event.Listener):
        def on_start(self, event: Any) -> None:
            if event.data["dispatcher"].py_func.__module__.startswith("losaw."):
                os._exit(1)

        def on_end(self, event: Any) -> None:
            pass

    _be_quiet()
    event.register("numba:compile", End())
    for plan in plans:
        with suppress(StudyError):  # the trial itself says it
            if not try_out(plan):
                os._exit(1)


def _be_quiet() -> None:
    """Show nothing of what is tried: warnings are in the logs of the jobs."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)


def try_out(plan: StudyPlan) -> bool:
    """Run the cheapest replicate of each learner of a study, and draw its figures.

    Return whether every learner was run. What draws from a joint law, which a job fits, or from
    real data that are not there, is not run, nor anything where all fits may fail.
    """
    study, cells = plan.study, plan.cells
    features: Sequence[str] = default_feature_names(3)
    signal: Sequence[int] = (0,)
    is_whole = True
    for learner in dict.fromkeys(cell.learner for cell in cells):
        own = [c for c in cells if c.learner == learner and study.law_of(c.setting) is None]
        if not own or plan.max_failed_share == 1 or study.missing_data_sets([own[0].setting]):
            is_whole = False
            continue
        costs = [study.cost_of_seed(cell.setting, learner) for cell in own]
        seconds, is_stated = min(costs)
        if seconds <= MOST_SECONDS or not is_stated:
            data = _run_replicates(plan, own[costs.index((seconds, is_stated))])
            if isinstance(data, Dataset):
                features, signal = data.feature_names, data.truth.signal
        else:
            is_whole = False
    if study.file.figures:
        _check_figures(plan, made_up(study, cells, features, signal))
    return is_whole


def _run_replicates(plan: StudyPlan, cell: Cell) -> Any:
    """Return the data of the last seed; a StudyError names what fails with every seed."""
    study, failed = plan.study, []
    ingredients = ingredients_in(study, cell.setting, cell.learner)
    draw = cache(ingredients.data)
    for seed in SEEDS[: cell.n_seeds]:
        try:
            data = draw(seed)
        except FAILURES as error:
            words = f"{type(error).__name__}: {error}"
            raise _mistake(plan, ("generator",), words, cell) from None
        rows = run_replicate(ingredients, seed, ingredients.parts, draw)
        _check_ranges(plan, rows, cell)
        failed.append({(row.importance, row.metric): row for row in rows if row.status != "ok"})
    for key, row in failed[0].items():
        if all(key in others for others in failed):
            raise _mistake(plan, _location(study, row, cell.learner), row.message, cell)
    return data


def _check_ranges(plan: StudyPlan, rows: Sequence[Row], cell: Cell) -> None:
    """Refuse a value that its metric says it cannot have: claims and printed values rest on that.

    In a run it is kept: its mean is right, and an edit of the range computes nothing again.
    """
    for row in rows:
        if row.metric not in plan.study.metrics:
            continue
        low, high = plan.study.metrics[row.metric].entry.load().range
        rounding = 1e-6 * (high - low if np.isfinite(high - low) else 1.0)
        if row.value < low - rounding or row.value > high + rounding:  # NaN is no value
            words = f"the metric {row.metric!r} gave {row.value:.15g}, outside of its own range, "
            words += f"{low:g} to {high:g}; correct the one or the other"
            raise _mistake(plan, ("metrics", row.metric), words, cell)


def _location(study: Study, row: Row, learner: str) -> Location:
    if row.metric == SCORES:
        return "importances", row.importance
    return ("metrics", row.metric) if row.metric else (f"{study.learner_kind}s", learner)


def _mistake(plan: StudyPlan, location: Location, words: str, cell: Cell) -> StudyError:
    """An error at a part of the study, or at the parameter of it that the words name."""
    study = plan.study
    key = str(location[0]).replace("estimators", "learners")
    part = study.generator if len(location) == 1 else getattr(study, key)[location[1]]
    named = [name for name in part.parameters if re.search(rf"\b{re.escape(name)}\b", words)]
    where = f"a trial of {study.learner_kind} {cell.learner!r} in setting {cell.setting.identifier}"
    return study.source.error((*location, *named[:1]), f"{words} ({where})")


def made_up(
    study: Study, cells: Sequence[Cell], features: Sequence[str], signal: Sequence[int]
) -> Collection:
    """Return random positive values and scores of every method in all cells, for two seeds."""
    rng = np.random.default_rng(0)
    values, scores = [], []
    for (setting, learner, _), seed in product(cells, SEEDS):
        fit = {"setting_id": setting.identifier, "learner": learner, "seed": seed}
        for metric in study.metrics:
            for importance in study.measured(metric, learner):
                value = {"metric": metric, "value": rng.random(), "status": "ok"}
                values.append({**fit, "importance": importance, **value})
        for importance in study.learners[learner].importances:
            drawn = {name: rng.random(len(features)).tolist() for name in ("scores", "p_values")}
            of_features = {"features": list(features), "signal": list(signal), **drawn}
            scores.append({**fit, "importance": importance, **of_features})
    settings = [{"setting_id": s.identifier, **s.axes} for s in study.settings]
    frames = pd.DataFrame(settings), pd.DataFrame(values), pa.Table.from_pylist(scores)
    return Collection(*frames, pd.DataFrame(), {}, {})


def _check_figures(plan: StudyPlan, collection: Collection) -> None:
    """Draw the figures of a study; a StudyError names the options that one cannot use."""
    study, results = plan.study, StudyResults(plan.folder, plan.study)
    summary = summarise(study, collection)
    comparison = compare(study, summary, read_published(study, plan.published))
    stored = {"summary": summary, "comparison": comparison, "results": collection.results}
    vars(results).update(stored, scores=collection.scores.to_pandas())  # in place of the files
    problems = []
    for key in study.file.figures:
        try:
            with house_style():
                draw(study, results, key)
        except StudyError as error:
            problems.append(str(error))
    if problems:
        raise StudyError("\n".join(problems))
