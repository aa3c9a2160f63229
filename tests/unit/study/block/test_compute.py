"""A block: failures have a place and a limit, attempts the same bytes, data are drawn once."""

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from losaw.study import registry
from losaw.study.block import compute as module
from losaw.study.block.block_file import read_block
from losaw.study.block.recipe import Recipe
from losaw.study.block.spent import cost_path, read_cost, write_cost
from losaw.study.cost import measured
from losaw.study.datasets import DatasetError
from losaw.study.errors import StudyError
from losaw.study.results.collect import collect
from losaw.study.results.outputs import write_outputs
from losaw.study.rules import Run
from reference.in_process import execute, run

BROKEN = """

import os as _os


@register("learner", "aborting")
class Aborting(MarginalSlopes):
    def fit(self, X, y):
        _os.abort()


@register("learner", "hanging")
class Hanging(MarginalSlopes):
    def fit(self, X, y):
        time.sleep(600)


class _Ended(MarginalSlopes):
    def fit(self, X, y):
        if not _os.path.exists(__file__ + ".memory"):
            _os.kill(_os.getpid(), self.number)
        return super().fit(X, y)


@register("learner", "ended-9")
class Ended9(_Ended):
    number = 9


@register("learner", "ended-2")
class Ended2(_Ended):
    number = 2


@register("learner", "busy")
class Busy(MarginalSlopes):
    def fit(self, X, y):
        start = time.process_time()
        while time.process_time() - start < 0.5:
            pass
        return super().fit(X, y)


@register("learner", "busy-child")
class BusyChild(MarginalSlopes):
    def fit(self, X, y):
        import subprocess, sys

        words = "import time; [0 for _ in iter(lambda: time.process_time() < 0.5, False)]"
        subprocess.run([sys.executable, "-c", words], check=True)
        return super().fit(X, y)


def _fit(*arguments):
    Busy().fit(*arguments)


@register("learner", "busy-pool")
class BusyPool(MarginalSlopes):
    def fit(self, X, y):
        from concurrent.futures import ProcessPoolExecutor

        BusyPool.pool = ProcessPoolExecutor(1)  # which goes on
        BusyPool.pool.submit(_fit, X, y).result()
        return super().fit(X, y)


@register("learner", "busy-keeping")
class BusyKeeping(Busy):
    def fit(self, X, y):
        _ended.append([{0: i} for i in range(500_000)])
        return super().fit(X, y)


_ended = []
"""

WITHOUT_DATA = """
from losaw.study.datasets import DatasetError


@register("generator", "without-data")
class WithoutData:
    def __init__(self, n_samples, noise_variance):
        pass

    def sample(self, rng):
        raise DatasetError("set LOSAW_DATA")
"""


@pytest.fixture
def broken(project):
    """The tiny project with a plugin of methods that go wrong."""
    project.extend_plugin(BROKEN)
    project.narrow()
    project.edit("[0.5, 1.0]", "[0.5]")
    project.edit("smoke: 5", "smoke: 2")
    project.replace(project.configuration, "max_failed_share: 0.0", "max_failed_share: 1.0")
    return project


def rows(path):
    return read_block(path).table.to_pylist()


def test_both_attempts_write_the_same_bytes(project):
    paths = execute(project.session())
    first = [path.read_bytes() for path in paths]
    for path in paths:
        module.kept_path(path).unlink()
    assert [path.read_bytes() for path in execute(project.session(), apart=True)] == first


@pytest.mark.parametrize("learner", ["aborting", "hanging"])
def test_a_learner_that_takes_its_process_with_it_loses_its_own_rows(broken, learner):
    broken.edit("{learner: marginal-slopes, j", f"{{learner: {learner}, j")
    (path,) = execute(broken.session(), apart=True, minutes=0.03)
    failed = [row for row in rows(path) if row["status"] != "ok"]
    assert {row["learner"] for row in failed} == {"jittered"} and len(failed) == 2
    assert "'jittered' ended its process" in failed[0]["message"]
    assert sum(row["learner"] == "plain" for row in rows(path)) == 2 * 3


@pytest.mark.parametrize(("number", "name"), [(9, "SIGKILL"), (2, "SIGINT")])
def test_a_process_that_is_ended_from_outside_is_tried_again_and_loses_no_other_rows(
    broken, number, name
):
    assert {signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU} < module.FROM_OUTSIDE  # alike
    broken.edit("{learner: marginal-slopes, j", f"{{learner: ended-{number}, j")
    with pytest.raises(StudyError, match=f"'jittered' was ended from outside by {name}"):
        execute(broken.session(), apart=True)
    (block,) = broken.session().plans[0].blocks.values()
    assert not block.path.exists()
    kept = rows(module.kept_path(block.path))
    assert {row["learner"] for row in kept if row["status"] == "ok"} == {"plain"}
    assert module.begun_path(block.path).exists()  # by which the next run knows what to keep
    (broken.folder / "plugin.py.memory").touch()
    (path,) = execute(broken.session())
    assert not module.begun_path(block.path).exists()
    assert {row["status"] for row in rows(path)} == {"ok"}


@pytest.mark.parametrize("is_forced", [False, True])
def test_what_is_kept_of_a_block_outlives_a_job_that_ends_before_it_begins(computed, is_forced):
    """Snakemake removes the block before the job starts, and asks for it as missing afterwards."""
    asked = Run(computed.configuration, {}, is_main=False)
    path = Path(asked.blocks[0])
    job = SimpleNamespace(
        rule=SimpleNamespace(name="block"),
        output=[str(path)],
        wildcards=SimpleNamespace(study="tiny"),
    )

    def start(**why):
        reason = SimpleNamespace(**{"forced": False, "missing_output": False, **why})
        asked.start(SimpleNamespace(needrun_jobs=lambda: [job], reason=lambda _: reason))

    start(forced=is_forced)  # else the recipe has changed
    path.unlink()
    start(missing_output=True)
    assert module.kept_path(path).exists() != is_forced


def test_a_mark_of_a_block_that_no_run_asks_for_any_more_is_removed(computed):
    asked = Run(computed.configuration, {}, is_main=False)
    path = Path(asked.blocks[0])
    module.mark_begun(path)  # by a run that was stopped, before the edit was taken back
    missing = Path(asked.blocks[1])
    module.mark_begun(missing)  # by a job that failed; this run does not ask for it
    missing.unlink()
    asked.start(SimpleNamespace(needrun_jobs=list))
    assert not module.begun_path(path).exists()
    assert module.begun_path(missing).exists()


def test_what_a_removed_importance_cost_is_no_part_of_the_cost(computed):
    (plan,) = computed.session().plans
    for path in map(Path, plan.blocks):
        cost = read_cost(path)
        cost["seconds"]["plain/slow"] = 1e9
        cost_path(path).write_text(json.dumps(cost))
    write_outputs(plan)
    assert json.loads((plan.folder / "manifest.json").read_text())["core_seconds"] < 1e8
    assert measured(next(iter(plan.blocks.values())))["plain"] < 1e6


def test_a_job_that_computes_notes_the_cost_of_what_it_leaves(tmp_path):
    path = tmp_path / "blocks" / "all" / "seeds_000-001.parquet"
    write_cost(path, {"plain/": 1.0, "plain/slow": 50.0, "other/": 2.0}, ())
    write_cost(path, {}, {"plain/", "other/"})  # all that is asked for is there: rows stay
    assert read_cost(path)["seconds"]["plain/slow"] == 50.0
    write_cost(path, {"plain/": 3.0}, {"other/"})
    parts = {part: spent for part, spent in read_cost(path)["seconds"].items() if part}
    assert parts == {"plain/": 3.0, "other/": 2.0}


def by_learner(path):
    seconds = Counter()
    for part, spent in read_cost(path)["seconds"].items():
        seconds[part.partition("/")[0]] += spent
    return seconds


@pytest.mark.parametrize(
    ("learner", "apart"),
    [
        ("busy", False),
        ("busy", True),
        ("busy-child", True),
        ("busy-pool", False),
        ("busy-pool", True),
    ],
)
def test_the_cost_of_rows_is_what_they_took_when_they_were_computed(broken, learner, apart):
    broken.edit("{learner: marginal-slopes, j", f"{{learner: {learner}, j")
    costs = []
    for _ in range(2):
        (path,) = execute(broken.session(), apart=apart)
        costs.append(by_learner(path))
    first, again = costs  # of two fits, the second time taken from kept/
    assert 1.0 < first["jittered"] < 3.0 and first["plain"] < 0.7
    assert first["jittered"] <= again["jittered"] < first["jittered"] + 0.5
    write_outputs(broken.session().plans[0])
    found = json.loads((path.parents[2] / "manifest.json").read_text())["core_seconds"]
    assert found == pytest.approx(sum(again.values()), abs=0.1)
    if (learner, apart) != ("busy", False):
        return
    module.kept_path(path).unlink()
    execute(broken.session(), apart=apart)
    assert by_learner(path)["jittered"] < first["jittered"] + 0.7  # not added
    cost_path(path).unlink()
    write_outputs(broken.session().plans[0])  # a part of the cost would be taken for the whole
    assert json.loads((path.parents[2] / "manifest.json").read_text())["core_seconds"] is None


KIND = """
from losaw.study.metrics.metric import Metric
from losaw.study.registry import add

kind = Metric(lambda result, truth: result.std_error_kind is None)
add("metric", "own-kind", f"{__name__}:kind")
"""


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    ("old", "new"),
    [("pr_auc]", "pr_auc, own-kind]"), ("[reported]", "[reported, permutation]")],
    ids=["metric", "importance"],
)
def test_fits_that_an_edit_needs_again_are_no_second_cost_of_their_learner(broken, apart, old, new):
    broken.extend_plugin(KIND)
    broken.edit("{learner: marginal-slopes, j", "{learner: busy, j")
    (path,) = execute(broken.session(), apart=apart)
    first = read_cost(path)["seconds"]
    broken.edit(old, new)
    execute(broken.session(), apart=apart)
    again = read_cost(path)["seconds"]
    assert 1.0 < first["jittered/"] <= again["jittered/"] < 1.5 * first["jittered/"]
    assert sum(again.values()) > sum(first.values()) + 0.9  # that of the job has them


AS_A_JOB = """
from pathlib import Path

from losaw.study.block.compute import compute
from losaw.study.block.job import job
from losaw.study.session import Session

with job("log"):
    (block,) = Session(Path("config/config.yaml")).plans[0].blocks.values()
    compute(block.recipe, block.path)
"""


@pytest.mark.parametrize("learner", ["busy-child", "busy-keeping"])
def test_the_noted_cost_is_what_the_system_counts(broken, learner):
    broken.edit("{learner: marginal-slopes, j", f"{{learner: {learner}, j")
    process = subprocess.Popen([sys.executable, "-c", AS_A_JOB], cwd=broken.folder)
    _, status, used = os.wait4(process.pid, 0)
    (block,) = broken.session().plans[0].blocks.values()
    counted = sum(read_cost(block.path)["seconds"].values())
    assert status == 0 and counted == pytest.approx(used.ru_utime + used.ru_stime, rel=0.05)


def test_missing_data_end_a_job_and_leave_no_rows(broken):
    broken.extend_plugin(WITHOUT_DATA)
    broken.edit("{name: normal-linear, correlation: heterogeneous}", "without-data")
    with pytest.raises(DatasetError, match="set LOSAW_DATA"):
        execute(broken.session())


def test_all_learners_of_a_data_set_see_one_draw(project, monkeypatch):
    drawn = []
    real = module.ingredients_of

    def counted(*arguments):
        recipe = real(*arguments)
        draw = recipe.draw
        object.__setattr__(recipe, "draw", lambda rng: drawn.append(1) or draw(rng))
        return recipe

    monkeypatch.setattr(module, "ingredients_of", counted)
    execute(project.session())
    assert len(drawn) == 4 * 5  # settings and seeds, not learners


def test_learners_with_fewer_seeds_are_in_the_blocks_that_have_them(project):
    costly = "seeds: {smoke: [{seeds: 3, learner: jittered}, {seeds: 5}], "
    project.edit("seeds: {smoke: 5, ", costly)
    paths = execute(project.session())
    seeds = [
        {learner: {r["seed"] for r in rows(path) if r["learner"] == learner} for learner in names}
        for path in paths[:3]
        for names in [("plain", "jittered")]
    ]
    assert seeds == [
        {"plain": {0, 1}, "jittered": {0, 1}},
        {"plain": {2, 3}, "jittered": {2}},
        {"plain": {4}, "jittered": set()},
    ]
    (plan,) = project.session().plans
    collect(plan)
    assert plan.n_fits == 4 * (5 + 3)


def test_a_learner_that_the_scale_leaves_out_of_a_setting_is_not_run_there(project):
    some = "smoke: [{seeds: 3, learner: jittered, n_samples: 30}, {seeds: 5, learner: plain}]"
    project.edit("smoke: 5", some)
    together = "blocks: {inside: [n_samples, noise_variance], seeds: 5}"
    project.edit("blocks: {seeds: 2}", together)
    (path,) = execute(project.session())
    fits = {(r["learner"], r["setting_id"].split("_")[0], r["seed"]) for r in rows(path)}
    of_jittered = {("jittered", "30", seed) for seed in range(3)}
    assert fits == of_jittered | {("plain", n, seed) for n in ("30", "60") for seed in range(5)}


def test_a_method_or_sampler_that_is_edited_during_a_run_is_refused(project):
    project.edit("[reported]", "[cpi-gaussian]")
    (block, *_) = project.session().plans[0].blocks.values()
    for version in ('"version": 1', '"sampler_version": 1'):
        edited = json.dumps(block.recipe.to_dict()).replace(version, version[:-1] + "0")
        with pytest.raises(StudyError, match="' or its sampler has been edited since the run"):
            module.compute(Recipe.from_dict(json.loads(edited)), block.path)
    assert not block.path.exists()


def test_a_full_disk_is_named_with_the_remedy_and_leaves_no_block(project, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    (block, *_) = project.session().plans[0].blocks.values()
    with pytest.raises(StudyError, match=r"seeds_000-001.parquet.*No space left.*results=FOLDER"):
        module.compute(block.recipe, block.path)
    files = [path for path in project.results.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {".begun"}


def test_a_folder_in_which_nothing_can_be_made_is_named_with_the_remedy(project):
    (block, *_) = project.session().plans[0].blocks.values()
    kept = module.kept_path(block.path).parent
    kept.parent.mkdir(parents=True)
    kept.touch()
    with pytest.raises(StudyError, match=r"/kept/.*begun: cannot be written.*results=FOLDER"):
        module.compute(block.recipe, block.path)


FAILING = """

from losaw.scoring.result import ImportanceResult


@register("importance", "flaky")
class Flaky:
    def explain(self, model, data, rng):
        if data.test.y[0] < 0:
            raise RuntimeError("a bad day")
        return ImportanceResult(model.slopes_, tuple(data.feature_names))
"""


@pytest.fixture
def failing(project):
    """The tiny project with a plugin of importances that fail."""
    project.extend_plugin(FAILING)
    project.narrow()
    return project


def test_blocks_that_cannot_be_used_are_removed_by_the_command_that_is_named(project):
    project.narrow()
    (plan,) = project.session(results=str(project.folder / "my: results")).plans
    damaged = [Path(block) for block in plan.blocks]
    for path in damaged:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("damaged")
    with pytest.raises(StudyError) as refusal:
        collect(plan)
    subprocess.run(str(refusal.value).splitlines()[-1], shell=True, check=True)
    assert len(damaged) == 6 and not any(path.exists() for path in damaged)


def test_an_importance_that_fails_too_often_is_named_and_leaves_no_summary(failing):
    failing.edit("[reported]", "[mdi, flaky]")
    execute(failing.session())
    (plan,) = failing.session(max_failed_share=0.01).plans
    with pytest.raises(StudyError) as refusal:
        write_outputs(plan)
    assert not (plan.folder / "summary.csv").exists()
    write_outputs(failing.session(max_failed_share=0.95).plans[0])
    summary = pd.read_csv(plan.folder / "summary.csv")
    flaky = summary[(summary.importance == "flaky") & (summary.metric == "pr_auc")]
    assert (flaky["n_failed"] > 0).any() and (flaky["n_seeds"] > 0).all()
    of_plain = flaky[flaky.learner == "plain"][["n_failed", "n_seeds"]].sum()
    said = str(refusal.value)
    assert f"plain flaky failed in {of_plain['n_failed']} of {of_plain.sum()} fits" in said
    assert "so there is no summary" in said and "RuntimeError: a bad day (plugin.py:" in said
    assert re.search(r"\n  rm .*seeds_000-001.parquet", said)


GLOBAL = """

import random as _random


@register("learner", "by-numpy")
class ByNumpy(MarginalSlopes):
    def fit(self, X, y):
        np.random.shuffle([1, 2, 3])
        return super().fit(X, y)


@register("learner", "by-python")
class ByPython(MarginalSlopes):
    def fit(self, X, y):
        self.jitter = _random.random()
        return super().fit(X, y)


@register("importance", "by-numpy")
class ByNumpyToo:
    def explain(self, model, data, rng):
        return ImportanceResult(np.random.random(len(data.feature_names)), data.feature_names)


@register("learner", "predicting")
class Predicting(MarginalSlopes):
    def predict(self, X):
        return super().predict(X) + np.random.random()


@register("metric", "drawing")
class Drawing:
    needs, range, higher_is_better = "prediction", (0.0, 1.0), True

    def __call__(self, measured, truth):
        return np.random.random()


import aside
from losaw.study.registry import add

add("generator", "aside", "aside:draw")
add("metric", "by-a-function", "aside:metric")
"""
ASIDE = """
import numpy as np
from losaw.study.generators.simulated import simulated
from losaw.study.metrics.metric import Metric

def draw(rng, *, n_samples, noise_variance):
    X = np.random.standard_normal((n_samples, 3))
    return simulated(X, X[:, 0], signal=["X1"], n_train=20)

def metric(result, truth):
    return float(np.random.random())

metric = Metric(metric)
"""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("{learner: marginal-slopes, j", "{learner: by-numpy, j", "ByNumpy.fit"),
        ("{learner: marginal-slopes, j", "{learner: by-python, j", "ByPython.fit"),
        ("[reported]", "[by-numpy]", "the importance 'by-numpy'"),
        ("{learner: marginal-slopes, j", "{learner: predicting, j", "Predicting.predict"),
        ("[r2_test, pr_auc]", "[r2_test, pr_auc, drawing]", "the metric 'drawing'"),
        ("[r2_test, pr_auc]", "[r2_test, pr_auc, by-a-function]", "the metric 'by-a-function'"),
        ("{name: normal-linear, correlation: heterogeneous}", "aside", "the generator"),
    ],
)
def test_a_plugin_that_draws_from_a_global_generator_is_named(failing, monkeypatch, old, new, name):
    monkeypatch.syspath_prepend(failing.folder)
    monkeypatch.delitem(sys.modules, "aside", raising=False)
    registry.forget("aside:")
    (failing.folder / "aside.py").write_text(ASIDE)
    failing.extend_plugin(GLOBAL)
    failing.edit(old, new)
    with pytest.raises(StudyError, match=f"ValueError: {name} draws from numpy's or Python's glob"):
        run(failing.session())


def test_a_plugins_predictions_are_watched_where_only_an_importance_asks_for_them(failing):
    failing.extend_plugin(GLOBAL.partition("import aside")[0])
    failing.edit("{learner: marginal-slopes, j", "{learner: predicting, j")
    failing.edit("[reported]", "[permutation]")
    failing.edit("[r2_test, pr_auc]", "[pr_auc]")
    with pytest.raises(StudyError, match=r"ValueError: Predicting\.predict draws from numpy's"):
        run(failing.session())


def test_the_log_of_the_attempt_before_stays_and_the_second_has_time_for_each_learner(project):
    log = project.folder / "log"
    for attempt in (1, 2):
        words = f"from losaw.study.block.job import job\nwith job({str(log)!r}, (), {attempt}):"
        words += f"print('try', {attempt})"
        subprocess.run([sys.executable, "-c", words], check=True)
    assert log.read_text().split() == ["try", "1", "losaw:", "attempt", "2", "try", "2"]
    asked = Run(project.configuration, {"block_minutes": 7}, is_main=False)
    (path, *_) = asked.plan("tiny").blocks
    slice_, seeds = Path(path).parts[-2:]
    first, last = seeds.removeprefix("seeds_").removesuffix(".parquet").split("-")
    block = SimpleNamespace(study="tiny", slice=slice_, first=first, last=last)
    assert [asked.minutes_of(block, attempt) for attempt in (1, 2)] == [7, 7 + 2 * 7]


@pytest.mark.parametrize("rule", ["report", "tables"])
def test_a_selection_ends_with_what_was_found_and_the_path_of_its_report(project, capsys, rule):
    asked = Run(project.configuration, {"noise_variance": "0.5"}, is_main=False)
    Path(asked.pages).mkdir(parents=True)
    Path(asked.pages, "report.rst").write_text("Title\n\n- **Open**: 3 values.\n", "utf-8")
    page = Path(asked.pages, "report.html")
    page.touch()
    job = SimpleNamespace(rule=SimpleNamespace(name=rule))
    (project.folder / "log").write_bytes(b"caf\xe9")  # as a library of C may write
    logs = [project.folder / "log", project.folder / "removed"]
    blocks = [SimpleNamespace(rule=SimpleNamespace(name="block"), log=[str(log)]) for log in logs]
    asked.end(SimpleNamespace(needrun_jobs=lambda **_: iter([job, *blocks]), jobs=[job]))
    said = capsys.readouterr().err.splitlines()
    assert "/noise_variance~0.5/" in str(page)
    # With --until tables a report that is there is of an earlier run.
    assert said == ["losaw: Open: 3 values.", f"losaw: {page}"] * (rule == "report")
