"""Blocks: the same bytes for any number of processes, any cut of the seeds, any order."""

import hashlib
import json
import os
import platform
import stat
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from losaw.study.design.blocks import BlockName
from losaw.study.errors import StudyError
from losaw.study.files.block_file import problem_of, read_block
from losaw.study.results.collect import collect
from losaw.study.results.outputs import write_outputs
from losaw.study.running.runner import execute, run_block

STUDY_FILES = (
    "results.parquet",
    "scores.parquet",
    "settings.csv",
    "summary.csv",
    "comparison.csv",
    "agreement.csv",
    "signs.csv",
    "differences.csv",
)


def digests(folder, pattern):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.glob(pattern))
    }


def run(project, jobs=1, **changes):
    session = project.session(**changes)
    execute(session.all_blocks, jobs)
    for plan in session.plans:
        write_outputs(plan)
    return session


def outputs(session):
    folder = session.results / "tiny"
    return {name: (folder / name).read_bytes() for name in STUDY_FILES}


def test_one_process_and_two_give_the_same_bytes(project, tmp_path):
    one = run(project, jobs=1)
    two = run(project, jobs=2, overrides={"results": str(tmp_path / "two")})
    blocks = digests(one.results, "tiny/blocks/**/*.parquet")
    assert len(blocks) == 4 * 2 * 2
    assert blocks == digests(two.results, "tiny/blocks/**/*.parquet")
    assert outputs(one) == outputs(two)


def test_another_cut_of_the_seeds_gives_the_same_outputs(computed, tmp_path):
    project = computed
    two_blocks = outputs(run(project))
    project.replace(project.study_file, "boundaries: [2, 5]", "boundaries: [1, 2, 4]")
    session = run(project, overrides={"results": str(tmp_path / "other")})
    assert len(list(session.results.glob("tiny/blocks/*/plain/*.parquet"))) == 4 * 4
    assert outputs(session) == two_blocks


def test_a_run_goes_on_where_it_was_killed(project, tmp_path):
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.3, pause: 0.05")
    whole = run(project, overrides={"results": str(tmp_path / "whole")})
    command = [sys.executable, "-m", "losaw", "run", "--config", str(project.configuration)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list(project.results.glob("tiny/blocks/**/*.parquet")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.002)
    process.kill()
    process.wait()
    left = len(list(project.results.glob("tiny/blocks/**/*.parquet")))
    assert left < 16
    assert execute(project.session().all_blocks, 1) == 16 - left
    session = run(project)
    assert digests(session.results, "tiny/blocks/**/*.parquet") == digests(
        whole.results, "tiny/blocks/**/*.parquet"
    )
    assert outputs(session) == outputs(whole)


def test_more_seeds_compute_new_blocks_only(computed):
    project = computed
    run(project)
    before = digests(project.results, "tiny/blocks/**/*.parquet")
    assert execute(project.session(seeds=8).all_blocks, 1) == 4 * 2
    after = digests(project.results, "tiny/blocks/**/*.parquet")
    assert before.items() <= after.items()


def test_one_more_learner_moves_no_other_number(computed):
    project = computed
    run(project)
    before = digests(project.results, "tiny/blocks/**/*.parquet")
    project.replace(
        project.study_file,
        "importances: [mdi]",
        "  third: {learner: marginal-slopes, jitter: 1.0}\nimportances: [mdi]",
    )
    assert execute(project.session().all_blocks, 1) == 4 * 2
    after = digests(project.results, "tiny/blocks/**/*.parquet")
    assert before.items() <= after.items()


def test_a_changed_learner_runs_its_own_blocks_again(computed):
    project = computed
    run(project)
    before = digests(project.results, "tiny/blocks/**/*.parquet")
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.6")
    with pytest.raises(StudyError, match="results version"):
        collect(project.session().plans[0])
    assert execute(project.session().all_blocks, 1) == 4 * 2
    after = digests(project.results, "tiny/blocks/**/*.parquet")
    assert {k for k in before if before[k] != after[k]} == {k for k in before if "/jittered/" in k}


def test_learners_see_the_same_data(computed):
    project = computed
    session = run(project)
    scores = pq.read_table(session.results / "tiny" / "scores.parquet").to_pandas()
    results = pd.read_parquet(session.results / "tiny" / "results.parquet")
    plain = results[(results.learner == "plain") & (results.metric == "r2_test")]
    again = run(project, selection={"learner": ("plain",)})
    alone = pd.read_parquet(again.results / "tiny" / "results.parquet")
    keys = (alone.learner == "plain") & (alone.metric == "r2_test")
    assert np.array_equal(plain["value"], alone[keys]["value"])
    # Without jitter the two learners are the same function of the data.
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.0")
    unjittered = run(project)
    both = pq.read_table(unjittered.results / "tiny" / "scores.parquet").to_pandas()
    first, second = (
        both[both.learner == name]["scores"].tolist() for name in ("plain", "jittered")
    )
    assert np.array_equal(np.array(first), np.array(second))
    assert len(scores) == 4 * 2 * 5


def test_a_failed_fit_is_a_row_and_the_summary_refuses_above_the_stated_share(project):
    project.replace(project.study_file, "jitter: 0.3", "fail_share: 0.4")
    session = project.session()
    execute(session.all_blocks, 1)
    with pytest.raises(StudyError, match=r"fits failed .* max_failed_share allows 0.0%") as caught:
        collect(session.plans[0])
    assert "ArithmeticError: this fit fails on purpose" in str(caught.value)
    tolerant = project.session(overrides={"max_failed_share": 0.9})
    write_outputs(tolerant.plans[0])
    summary = pd.read_csv(project.results / "tiny" / "summary.csv")
    found = collect(tolerant.plans[0])
    failed = found.results[found.results.status == "failed"]
    assert len(failed) > 0 and set(failed.learner) == {"jittered"}
    assert (summary[summary.learner == "plain"]["n_seeds"] == 5).all()
    ok = summary[(summary.learner == "jittered") & (summary.metric == "r2_test")]["n_seeds"].sum()
    assert ok == 4 * 5 - len(failed)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_bytes(path.read_bytes()[:-200]), "damaged or truncated"),
        (lambda path: path.write_bytes(path.read_bytes()[:300]), "damaged or truncated"),
    ],
)
def test_a_damaged_file_is_named_and_only_its_block_runs_again(computed, damage, words):
    project = computed
    session = run(project)
    whole = outputs(session)
    path = session.all_blocks[3].path
    damage(path)
    with pytest.raises(StudyError, match=words) as caught:
        collect(session.plans[0])
    assert str(path) in str(caught.value) and "make them again" in str(caught.value)
    assert execute(session.all_blocks, 1) == 1
    assert outputs(run(project)) == whole


def test_swapped_files_are_found(computed):
    project = computed
    session = run(project)
    first, second = (session.all_blocks[i].path for i in (0, 5))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    with pytest.raises(StudyError, match="2 files of blocks are unusable"):
        collect(session.plans[0])


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_a_folder_that_cannot_be_written_is_named_and_nothing_is_lost(computed):
    project = computed
    session = run(project)
    block = session.all_blocks[0]
    path = block.path
    before = path.read_bytes()
    other = BlockName(block.name.study, block.name.setting, block.name.learner, 5, 6)
    if os.geteuid() == 0:  # root may write anywhere: a file in the folder's place refuses root too
        blocked = project.folder / "blocked"
        blocked.write_text("in the way")
        session = project.session(overrides={"results": str(blocked / "results")})
    else:
        path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(StudyError, match=r"cannot be written: .*--output"):
        run_block(session.block(other))
    assert path.read_bytes() == before


def test_the_footer_says_where_the_numbers_came_from(computed):
    project = computed
    session = run(project)
    block = session.all_blocks[-1]
    footer = read_block(block.path).footer
    assert footer["results_version"] == block.series.version
    assert footer["block"]["seeds"] == [block.name.first, block.name.last]
    assert footer["learner"]["parameters"] == {"jitter": 0.3}
    assert {"python", "numpy", "scikit-learn"} <= set(footer["libraries"])
    record = json.loads(block.record_path.read_text())
    assert len(record["seconds"]) == len(block.seeds) and record["host"]
    assert problem_of(block) is None


def test_the_manifest_says_what_was_asked_by_which_command_on_how_many_threads(project):
    session = run(project, seeds=3)
    manifest = json.loads((session.results / "tiny" / "manifest.json").read_text())
    assert manifest["seeds"] == [3] and manifest["fits"] == 4 * 2 * 3
    assert manifest["configuration"]["studies"] == ["tiny"] and "--seeds 3" in manifest["request"]
    assert manifest["command"] and set(manifest["threads"]) >= {"OMP_NUM_THREADS"}
    assert manifest["joint_laws"] == []  # this generator needs none


def test_a_run_takes_one_thread_whatever_the_environment_has(project):
    """Sums over several threads have other last bits, which the training of a network enlarges."""
    variables = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
    variables += ["NUMBA_NUM_THREADS", "NPROC"]
    command = [sys.executable, "-m", "losaw", "run", "--config", str(project.configuration)]
    environment = dict(os.environ) | dict.fromkeys(variables, "3")
    subprocess.run(command, env=environment, capture_output=True, check=True)
    block = project.session().all_blocks[0]
    assert json.loads(block.record_path.read_text())["threads"] == dict.fromkeys(variables, "1")


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="for x86 processors")
def test_a_run_compiles_loops_for_one_processor_whatever_the_environment_has():
    """A sum in groups of another size has other last bits, which are seen in a weighted forest."""
    code = "import losaw.cli, numba; print(numba.config.CPU_NAME, numba.config.CPU_FEATURES)"
    command = [sys.executable, "-c", code]
    environment = dict(os.environ, NUMBA_CPU_NAME="skylake-avx512")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["znver4", "None"]  # None: the instructions of this processor


def test_a_number_that_is_not_in_the_grid_is_run_with_the_fewest_seeds(project):
    project.replace(
        project.study_file,
        "smoke: 5",
        "smoke: [{seeds: 4, n_samples: 30}, {seeds: 3, n_samples: 60, noise_variance: 0.5}]",
    )
    with pytest.warns(UserWarning, match=r"n_samples=45 is not in the grid \(30, 60\)"):
        session = project.session(selection={"n_samples": ("45",)})
    (plan,) = session.plans
    sizes = {(s.axes["n_samples"], s.axes["noise_variance"]) for s in plan.settings}
    assert sizes == {(45, 0.5), (45, 1.0)} and plan.n_seeds == (3, 4)
    execute(session.all_blocks, 1)
    write_outputs(plan)
    summary = pd.read_csv(session.results / "tiny" / "summary.csv")
    assert set(summary["n_samples"]) == {45}


def test_the_comparison_holds_every_cell_of_every_table(project):
    session = run(project, selection={"n_samples": ("30",)})
    frame = pd.read_csv(session.results / "tiny" / "comparison.csv")
    assert list(frame.columns) == [
        "table", "n_samples", "noise_variance", "metric", "method",
        "published", "reproduced", "mc_se", "n_seeds", "z", "low", "high", "margin",
        "verdict", "explained", "noted",
    ]  # fmt: skip
    assert len(frame) == 2 * 2 * 2 * 2
    assert set(frame[frame.n_samples == 60]["verdict"]) == {"not run"}
    printed = frame[frame.published.notna()]
    assert len(printed) == 2
    assert np.isfinite(printed[printed.n_samples == 30]["z"]).all()
