"""Jobs hold every block once, in order, and as many as their seconds allow."""

import itertools
import json

import pytest

from losaw.study.errors import StudyError
from losaw.study.files.block_file import blocks_to_do
from losaw.study.running import jobs as jobs_module
from losaw.study.running import worker_process
from losaw.study.running.estimate import (
    BYTES_PER_BLOCK,
    BYTES_PER_SCORE,
    START_SECONDS,
    block_seconds,
    estimate,
)
from losaw.study.running.jobs import cut_into_jobs, job_list, priorities, read_job, write_job
from losaw.study.running.progress import Progress
from losaw.study.running.runner import run_job
from losaw.study.running.running_marks import RunningMark


@pytest.mark.parametrize("seconds", [0.1, 4.0, 7.0, 1e6])
def test_every_block_is_in_one_job_and_a_job_takes_about_its_seconds(project, seconds):
    blocks = project.session().all_blocks
    jobs = cut_into_jobs(blocks, seconds)
    assert [block for job in jobs for block in job.blocks] == blocks
    assert len({job.name for job in jobs}) == len(jobs)
    longest = max(map(block_seconds, blocks))
    for job in jobs[:-1]:
        cost = sum(map(block_seconds, job.blocks))
        # Of more than two jobs the last ones are shorter.
        assert len(job.blocks) == 1 or len(jobs) > 2 or abs(cost - seconds) <= longest / 2
        assert len(job.blocks) == 1 or cost - seconds <= longest / 2


def test_a_plan_states_the_size_of_its_blocks_and_scores(project):
    (plan,) = project.session().plans
    n_scores = sum(10 * len(block.seeds) for block in plan.blocks)
    expected = len(plan.blocks) * BYTES_PER_BLOCK + n_scores * BYTES_PER_SCORE
    assert estimate(plan).megabytes == pytest.approx(expected / 1e6)


def test_the_last_jobs_of_a_long_run_are_short_so_that_no_core_waits_long(project):
    blocks = project.session(seeds=600).all_blocks
    total = sum(map(block_seconds, blocks))
    seconds = total / 12
    costs = [job.seconds - START_SECONDS for job in cut_into_jobs(blocks, seconds)]
    longest = max(map(block_seconds, blocks))
    assert sum(costs) == pytest.approx(total) and longest < seconds / 8
    assert costs[:8] == pytest.approx([seconds] * 8, abs=longest)
    assert all(a >= b - longest for a, b in itertools.pairwise(costs))
    assert costs[-1] <= seconds / 4 + longest and len(costs) <= 18
    four = [job.seconds - START_SECONDS for job in cut_into_jobs(blocks, total / 4)]
    assert four[-1] <= total / 16 + longest and len(four) <= 10
    # A short run is cut into equal parts.
    few = [job.seconds - START_SECONDS for job in cut_into_jobs(blocks, total / 2)]
    assert few == pytest.approx([total / 2] * 2, abs=2 * longest)


def test_a_huge_plan_has_longer_jobs_rather_than_more(project, monkeypatch):
    monkeypatch.setattr(jobs_module, "MOST_JOBS", 40)
    blocks = project.session(seeds=60).all_blocks
    assert len(blocks) > 100
    # The last four are cut into some more.
    assert len(cut_into_jobs(blocks, 0.1)) <= 40 + 6


def test_a_job_computes_what_is_missing_and_the_progress_counts_it(project, capsys):
    session = project.session()
    (job,) = cut_into_jobs(session.all_blocks[:4], 1e6)
    write_job(session.results, job)
    path = job_list(session.results, job.name)
    assert [session.block(name) for name in read_job(path)[0]] == list(job.blocks)
    run_job(job.blocks[:1])
    progress = Progress(blocks_to_do(job.blocks), len(job.blocks))
    assert progress.line().startswith("losaw: 1 of 4 blocks, 0 fits in")
    before = job.blocks[0].path.stat().st_mtime_ns
    run_job(job.blocks)
    assert job.blocks[0].path.stat().st_mtime_ns == before
    assert blocks_to_do(job.blocks) == []
    assert progress.line().startswith("losaw: 4 of 4 blocks, 8 fits in")
    assert capsys.readouterr().out.count("seeds_") == 4


def test_a_block_that_ended_its_process_takes_no_other_with_it_again(project, capsys):
    blocks = project.session().all_blocks[:3]
    RunningMark(blocks[0])
    run_job(blocks)
    done = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert done == [str(blocks[index].name) for index in (1, 2, 0)]


def test_a_list_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StudyError, match=r"job\.txt: cannot be read"):
        read_job(tmp_path / "job.txt")


def test_a_run_record_counts_cpu_time_and_no_waiting(project):
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.3, pause: 0.2")
    block = next(b for b in project.session().all_blocks if b.name.learner == "jittered")
    run_job([block])
    record = json.loads(block.record_path.read_text())
    assert record["wall_seconds"] >= 0.2 * len(block.seeds)
    assert all(0 < seconds < 0.2 for seconds in record["seconds"])


def test_a_job_that_is_forced_computes_its_blocks_again(project):
    blocks = project.session().all_blocks[:2]
    run_job(blocks)
    before = [block.path.read_bytes() for block in blocks]
    written = [block.path.stat().st_mtime_ns for block in blocks]
    run_job(blocks, again=True)
    assert [block.path.read_bytes() for block in blocks] == before
    assert all(
        block.path.stat().st_mtime_ns > then for block, then in zip(blocks, written, strict=True)
    )
    for block in blocks:
        assert json.loads(block.record_path.read_text())["taken_over_seeds"] == 0


def test_a_job_list_says_whether_all_is_computed_again(project):
    session = project.session()
    (job,) = cut_into_jobs(session.all_blocks[:3], 1e6)
    path = job_list(session.results, job.name)
    for again in (False, True):
        write_job(session.results, job, again)
        names, read = read_job(path)
        assert [session.block(name) for name in names] == list(job.blocks) and read is again


def test_what_starts_last_is_short(project):
    jobs = cut_into_jobs(project.session().all_blocks, 2)
    priority = priorities(jobs)
    order = sorted(jobs, key=lambda job: -priority[job.name])
    assert len(order) > 2
    assert [job.seconds for job in order] == sorted((job.seconds for job in order), reverse=True)
    assert all(0 < value < 1 for value in priority.values())


def test_a_job_is_named_by_what_its_blocks_have_in_common(project):
    blocks = project.session().all_blocks
    assert [job.name for job in cut_into_jobs(blocks, 1e6)] == ["tiny.1"]
    single = [job.name for job in cut_into_jobs(blocks, 0.1)]
    assert single[0] == "tiny.N30-noise_variance0.5-plain.1" and len(set(single)) == len(blocks)
    by_size = [job.name for job in cut_into_jobs(blocks[:8], 1e6)]
    assert by_size == ["tiny.N30.1"]


def test_a_job_keeps_its_blocks_and_its_name_when_blocks_have_been_run(project):
    blocks = project.session().all_blocks
    before = cut_into_jobs(blocks, 3)
    run_job(blocks[:3])
    record = json.loads(blocks[0].record_path.read_text())
    blocks[0].record_path.write_text(json.dumps({**record, "seconds": [100.0, 100.0]}))
    assert cut_into_jobs(blocks, 3) == before


@pytest.mark.parametrize(("by_jax", "seconds"), [(0.0, 2.0), (4.0, 1.0), (9.0, 0.0)])
def test_what_jax_compiles_is_no_time_of_a_seed_however_busy_the_machine(
    monkeypatch, by_jax, seconds
):
    # Eight seconds on the wall, two of the processor.
    monkeypatch.setattr(worker_process, "_core_seconds", iter((1.0, 3.0)).__next__)
    monkeypatch.setattr(worker_process, "_seconds_of_jax", iter((5.0, 5.0 + by_jax)).__next__)
    monkeypatch.setattr(worker_process.time, "perf_counter", iter((10.0, 18.0)).__next__)
    assert worker_process._Clock().seconds_since() == pytest.approx(seconds)
