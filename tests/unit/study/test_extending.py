"""Asking for more: only what is new is computed, nothing old moves.

Of study.running.stored_seeds.
"""

import hashlib
import json

import pandas as pd
import pytest

from losaw.study.results.outputs import write_outputs
from losaw.study.running.runner import execute, run_blocks
from losaw.study.running.task import Task


def digests(session):
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in session.results.glob("tiny/blocks/**/*.parquet")
    }


def fits_computed(session):
    """Run what is open; the number of fits that were computed rather than taken over."""
    blocks = [b for b in session.all_blocks if not b.path.exists()]
    return sum(len(t.block.seeds) - t.n_taken_over for t in run_blocks(blocks, 1))


@pytest.fixture
def wide(project):
    """One setting of the tiny project, two learners; blocks of 20 seeds: 0-19, 20-39, 40-59, …"""
    project.replace(project.study_file, "boundaries: [2, 5]", "boundaries: [20, 40]")
    project.replace(project.study_file, "[30, 60]", "[30]")
    project.replace(project.study_file, "[0.5, 1.0]", "[0.5]")
    text = project.study_file.read_text()
    project.study_file.write_text(text[: text.index("published:")])
    return project


@pytest.mark.parametrize(("first", "then"), [(40, 60), (30, 60), (7, 19), (25, 33)])
def test_more_seeds_compute_the_new_seeds_only_wherever_the_blocks_end(wide, tmp_path, first, then):
    assert fits_computed(wide.session(seeds=first)) == 2 * first
    before = digests(wide.session())
    more = wide.session(seeds=then)
    assert fits_computed(more) == 2 * (then - first)
    assert before.items() <= digests(more).items()
    at_once = wide.session(seeds=then, overrides={"results": str(tmp_path / "at_once")})
    execute(at_once.all_blocks, 1)
    for block, other in zip(more.all_blocks, at_once.all_blocks, strict=True):
        assert block.path.read_bytes() == other.path.read_bytes()


def test_another_cut_of_the_seeds_computes_none_again(computed):
    project = computed
    project.replace(project.study_file, "boundaries: [2, 5]", "boundaries: [1, 3, 4]")
    session = project.session()
    assert fits_computed(session) == 0
    records = [json.loads(block.record_path.read_text()) for block in session.all_blocks]
    assert all(record["taken_over_seeds"] == len(record["seconds"]) for record in records)
    write_outputs(session.plans[0])


def test_a_seed_that_lies_in_two_blocks_is_collected_once(wide):
    execute(wide.session(seeds=7).all_blocks, 1)
    wide.replace(wide.study_file, "boundaries: [20, 40]", "boundaries: [3, 40]")
    session = wide.session(seeds=3)
    execute(session.all_blocks, 1)
    write_outputs(session.plans[0])
    results = pd.read_parquet(session.results / "tiny" / "results.parquet")
    assert not results.duplicated(["setting_id", "learner", "importance", "seed", "metric"]).any()
    assert set(results["seed"]) == set(range(7))


def test_fewer_seeds_are_taken_from_what_is_there(wide):
    execute(wide.session(seeds=33).all_blocks, 1)
    assert fits_computed(wide.session(seeds=8)) == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"jitter: 0.3": "jitter: 0.6"},
        {"metrics: [r2_test, pr_auc]": "metrics: [r2_test]"},
    ],
    ids=["another parameter", "another metric"],
)
def test_seeds_of_another_version_are_not_taken_over(wide, changes):
    execute(wide.session(seeds=5).all_blocks, 1)
    for old, new in changes.items():
        wide.replace(wide.study_file, old, new)
    changed = wide.session(seeds=8, selection={"learner": ("jittered",)})
    assert fits_computed(changed) == 8


def test_what_is_computed_anew_costs_what_it_took_now(wide):
    session = wide.session(seeds=3, selection={"learner": ("jittered",)})
    execute(session.all_blocks, 1)
    (block,) = session.all_blocks
    record = json.loads(block.record_path.read_text())
    block.record_path.write_text(json.dumps(record | {"seconds": [1000.0] * 3}))
    wide.replace(wide.study_file, "metrics: [r2_test, pr_auc]", "metrics: [r2_test]")
    (again,) = wide.session(seeds=3, selection={"learner": ("jittered",)}).all_blocks
    execute([again], 1)
    record = json.loads(again.record_path.read_text())
    assert record["taken_over_seeds"] == 0
    assert max(record["seconds"]) < 1000


def test_seeds_made_with_other_libraries_are_not_taken_over(wide, monkeypatch):
    from losaw.study.files import footer as provenance

    execute(wide.session(seeds=5).all_blocks, 1)
    others = {**provenance.library_versions(), "numpy": "1.0"}
    monkeypatch.setattr(provenance, "library_versions", lambda: others)
    assert fits_computed(wide.session(seeds=8)) == 2 * 8


def test_failed_seeds_are_tried_again(wide):
    wide.replace(wide.study_file, "jitter: 0.3", "fail_share: 0.4")
    session = wide.session(seeds=10)
    n_failed = sum(task.n_failed for task in run_blocks(session.all_blocks, 1))
    assert n_failed > 0
    assert fits_computed(wide.session(seeds=12)) == 2 * 2 + n_failed


def test_one_more_setting_computes_its_own_blocks_only(computed):
    project = computed
    before = digests(project.session())
    project.replace(project.study_file, "n_samples: [30, 60]", "n_samples: [30, 45, 60]")
    assert execute(project.session().all_blocks, 1) == 2 * 2 * 2
    assert before.items() <= digests(project.session()).items()


def test_one_more_importance_computes_all_blocks_of_the_learners_that_have_it(computed):
    project = computed
    project.replace(project.study_file, "plain: {learner: marginal-slopes}",
                    "plain: {learner: marginal-slopes, importances: []}")  # fmt: skip
    assert execute(project.session().all_blocks, 1) == 4 * 2


def test_a_damaged_neighbour_is_not_taken_over(wide):
    session = wide.session(seeds=5)
    execute(session.all_blocks, 1)
    path = session.all_blocks[0].path
    path.write_bytes(path.read_bytes()[:-100])
    assert fits_computed(wide.session(seeds=8)) == 2 * 3 + 5


def test_a_task_that_is_done_needs_no_child(project):
    from losaw.study.running.running_marks import RunningMark
    from losaw.study.running.supervisor import compute

    block = project.session().all_blocks[0]
    done = list(compute([[Task(block, RunningMark(block), [])]], 2))
    assert [task.block for task in done] == [block]
