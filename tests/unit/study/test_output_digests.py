"""Files that are written from blocks depend on one digest of all that decides them.

Of study.files.output_digests, workflow.rules.
"""

import os
import time
from functools import cache
from pathlib import Path

import pytest
import yaml

from losaw.cli import main
from losaw.study.files import output_digests
from losaw.study.files.block_file import stored_digests
from losaw.study.source_digests import source_digest
from losaw.workflow.rules import Workflow


@pytest.fixture
def written(computed):
    """The project with all that `losaw run` writes."""
    assert main(["run", "--config", str(computed.configuration)]) == 0
    output_digests._code.cache_clear()
    return computed


def reason(project):
    (plan,) = project.session().plans
    return output_digests.why_not_current(plan, stored_digests(plan.blocks))


def test_what_was_just_written_is_current(written):
    assert reason(written) == ""
    assert output_digests.why_report_is_not_current(written.session().plans) == ""


@pytest.mark.parametrize(
    "target",
    [
        "losaw.study.results.summary:summarise",
        "losaw.report.tables:to_csv",
        "losaw.report.page.write:write_pages",
    ],
)
def test_a_corrected_formula_makes_tables_and_report_stale(written, monkeypatch, target):
    module, name = target.split(":")
    reading_of = source_digest.reading_of

    def corrected(asked):
        reading = reading_of(asked)
        if asked == module:
            reading.definitions[name] = ("corrected", reading.definitions[name][1])
        return reading

    monkeypatch.setattr(source_digest, "reading_of", corrected)
    monkeypatch.setattr(source_digest, "_stored", cache(lambda state: {}))
    monkeypatch.setattr(source_digest, "_store", lambda digests: None)
    output_digests._code.cache_clear()
    assert "have changed since" in reason(written)
    assert "have changed since" in output_digests.why_report_is_not_current(written.session().plans)
    output_digests._code.cache_clear()


def change_study(project):
    project.replace(project.study_file, "caption: a tiny table", "caption: another")


def change_published(project):
    path = project.configuration.parent / "published" / "tiny.csv"
    path.write_text(path.read_text().replace("0.9", "0.8"))


def change_block(project):
    path = sorted(project.results.glob("tiny/blocks/*/plain/*.parquet"))[0]
    path.unlink()


def allow_more_failures(project):
    project.replace(project.configuration, "max_failed_share: 0.0", "max_failed_share: 0.1")


@pytest.mark.parametrize(
    "change", [change_study, change_published, change_block, allow_more_failures]
)
def test_another_input_makes_the_files_of_a_study_stale(written, change):
    change(written)
    assert "have changed since" in reason(written)


@pytest.mark.parametrize("name", ["tiny/comparison.csv", "tiny/tables/table_1.tex"])
def test_an_edited_or_missing_file_is_named(written, name):
    path = written.results / name
    path.write_text(path.read_text() + " ")
    assert reason(written) == f"{path}: is not what was written: it was edited or damaged"
    path.unlink()
    assert reason(written) == f"{path}: is missing"


def test_without_digests_nothing_is_trusted(written):
    sums = output_digests.sums_path(written.results, "tiny")
    sums.unlink()
    assert str(sums) in reason(written)
    assert not output_digests.is_collected(written.results, "tiny")


def planned(project):
    return Workflow(yaml.safe_load(project.configuration.read_text()), project.configuration)


def test_outputs_with_dates_in_the_future_do_not_hide_new_blocks(written):
    future = time.time() + 1e8
    for path in [*(written.results / "tiny").glob("*.csv"), written.results / "report.html"]:
        os.utime(path, (future, future))
    run = planned(written)
    listed = str(written.results / "jobs" / "remade.txt")
    assert listed not in [*run.inputs_of_study("tiny"), *run.inputs_of_report]
    block = run.session.all_blocks[0]
    block.path.unlink()
    run = planned(written)
    assert listed in run.inputs_of_study("tiny")
    date = Path(listed).stat().st_mtime
    outputs = [Path(file) for file in run.outputs_of("tiny")]
    assert all(path.stat().st_mtime < date for path in outputs)
    assert f"for example {block.path}" in Path(listed).read_text()


def test_a_stale_block_with_a_date_in_the_future_is_older_than_the_reason(written):
    path = planned(written).session.all_blocks[0].path
    future = time.time() + 1e8
    os.utime(path, (future, future))
    written.replace(written.study_file, "plain: {learner: marginal-slopes}",
                    "plain: {learner: marginal-slopes, jitter: 0.1}")  # fmt: skip
    run = planned(written)
    (listed,) = set(run.inputs_of([run.session.all_blocks[0]]))
    assert path.stat().st_mtime < Path(listed).stat().st_mtime
    assert f"{path}: was made by results version" in Path(listed).read_text()
