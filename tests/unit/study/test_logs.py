"""Which log tells of a block: from the record of its run, or from the list of its job."""

import json
import shutil

import pytest

from losaw.report.page.html import write_report
from losaw.study.files.run_record import DIGEST
from losaw.study.inspecting.logs import logs_of
from losaw.study.results.outputs import write_outputs
from losaw.study.running.jobs import Job, job_list, write_job


@pytest.fixture
def session(computed):
    return computed.session(selection={"noise_variance": ["0.5"]})


def edit_record(block, **changes):
    """Write other entries, without the digest: a record of an earlier version has none."""
    record = json.loads(block.record_path.read_text())
    del record[DIGEST]
    block.record_path.write_text(json.dumps({**record, **changes}))


def said_to_come_from(block, job, session):
    """As a block's record is after `losaw internal blocks <list> …`."""
    log = job_list(session.results, job).with_suffix(".log")
    log.parent.mkdir(exist_ok=True)
    log.write_text("what a job says")
    listed = log.with_suffix(".txt")
    edit_record(block, command=f"/some where/losaw internal blocks '{listed}' --config config.yaml")
    return log


def test_a_block_names_the_job_that_computed_it(session):
    first, second, *_ = session.all_blocks
    log = said_to_come_from(first, "tiny-1234", session)
    assert logs_of(session.results, [first.name, second.name]) == {first.name: log}
    log.unlink()
    assert logs_of(session.results, [first.name]) == {}


def test_a_missing_block_stands_in_the_list_of_its_job(session):
    block = session.all_blocks[0]
    block.path.unlink()
    block.record_path.unlink()
    write_job(session.results, Job("tiny-5678", (block,), 1.0))
    log = job_list(session.results, "tiny-5678").with_suffix(".log")
    assert logs_of(session.results, [block.name]) == {}
    log.write_text("it was killed")
    assert logs_of(session.results, [block.name]) == {block.name: log}


def test_the_report_names_the_logs_of_blocks_with_failed_fits(session):
    block = session.all_blocks[1]
    log = said_to_come_from(block, "tiny-1234", session)
    write_outputs(session.plan("tiny"))
    page = write_report(session, session.results / "report.html").read_text("utf-8")
    assert "jobs/tiny.*.log in the results folder, one for each job" in page
    assert log.name not in page
    path = session.results / "tiny" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "failures": {"an error": 1}}))
    record = json.loads(block.record_path.read_text())
    block.record_path.write_text(json.dumps({**record, "failed_seeds": 1}))
    shutil.rmtree(session.results / "made")  # which says what was written
    page = write_report(session, session.results / "report.html").read_text("utf-8")
    line = f"<dt>jobs/{log.name}</dt><dd>tells of {block.name}</dd>"
    assert line in page
    assert '<a href="#tiny-logs">' in page


def test_without_failures_the_manifest_lists_none(session):
    path = write_outputs(session.plan("tiny")).parent / "manifest.json"
    assert json.loads(path.read_text())["failures"] == {}
