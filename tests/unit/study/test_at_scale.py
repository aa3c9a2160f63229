"""A learner that a scale computes otherwise: said everywhere, and served to no other scale.

Of study.design.grid, study.design.session, report.layout, report.page.html.
"""

import shlex

import pytest
import yaml

from losaw.cli import main
from losaw.report.page.stored import Shelf
from losaw.report.page.write import write_paper
from losaw.report.tables import write_tables
from losaw.study.errors import StudyError
from losaw.study.files.block_file import blocks_to_do
from losaw.study.results.outputs import write_outputs
from losaw.study.running.jobs import cut_into_jobs, job_list, write_job
from losaw.study.running.runner import execute
from losaw.workflow.rules import Workflow

OTHER = "jittered: {learner: marginal-slopes, jitter: 0.3, at_scale: {smoke: {jitter: 0.1}}}"
SAID = "jittered at scale smoke: jitter 0.1 in place of 0.3."


@pytest.fixture
def scaled(project):
    """The tiny study, whose second learner is another one at the scale smoke."""
    before = {str(b.name): b.series.version for b in at(project, "desk").all_blocks}
    project.replace(project.study_file, "jittered: {learner: marginal-slopes, jitter: 0.3}", OTHER)
    return project, before


def at(project, scale, **changes):
    return project.session(overrides={"scale": scale}, **changes)


def write(project, text):
    project.replace(project.study_file, "at_scale: {smoke: {jitter: 0.1}}", text)


def test_a_scale_without_an_entry_keeps_its_versions_and_the_other_has_new_ones(scaled):
    project, before = scaled
    desk, smoke = at(project, "desk"), at(project, "smoke")
    assert {str(b.name): b.series.version for b in desk.all_blocks} == before
    for block in smoke.all_blocks:
        assert (block.series.version == desk.block(block.name).series.version) == (
            block.name.learner == "plain"
        )
    jitter = {s.studies[0].scale: s.all_blocks[-1].series.learner.parameters for s in (desk, smoke)}
    assert jitter == {"desk": {"jitter": 0.3}, "smoke": {"jitter": 0.1}}


def test_a_block_of_one_scale_is_not_served_to_another(scaled, capsys):
    project, _ = scaled
    smoke = at(project, "smoke")
    execute(smoke.all_blocks, jobs=1)
    name = next(b.name for b in smoke.all_blocks if b.name.learner == "jittered")
    computed = smoke.block(name).path.read_bytes()
    desk = at(project, "desk", seeds=5)
    n_jittered = sum(b.name.learner == "jittered" for b in desk.all_blocks)
    assert execute(desk.all_blocks, jobs=1) == n_jittered
    assert desk.block(name).path.read_bytes() != computed
    # Seeds 2 to 4 are those of the scale desk, which nobody asks for here: they are whole.
    narrow = ["--config", str(project.configuration), "--scale", "smoke", "--seeds", "2"]
    execute(at(project, "smoke", seeds=2).all_blocks, jobs=1)
    write_outputs(at(project, "smoke", seeds=2).plans[0])
    assert main(["verify", *narrow]) == 0
    assert "further blocks belong to other selections and are whole" in capsys.readouterr().out


def test_a_job_of_the_workflow_computes_what_its_scale_asks_for(scaled):
    project, _ = scaled
    smoke = at(project, "smoke")
    asked = yaml.safe_load(project.configuration.read_text()) | {"scale": "smoke"}
    options = shlex.split(Workflow(asked, project.configuration).block_arguments)
    for job in cut_into_jobs(smoke.all_blocks, 1e6):
        write_job(smoke.results, job)
        assert main(["internal", "blocks", str(job_list(smoke.results, job.name)), *options]) == 0
    assert blocks_to_do(smoke.all_blocks) == []


def test_tables_and_report_say_what_the_scale_computes_otherwise(scaled):
    project, _ = scaled
    session = at(project, "smoke")
    execute(session.all_blocks, jobs=1)
    comparison = write_outputs(session.plans[0])
    import pandas as pd

    folder = comparison.parent / "tables"
    write_tables(session.studies[0], pd.read_csv(comparison), folder)
    assert SAID in (folder / "table_1.md").read_text()
    assert "jitter 0.1 in place of 0.3" in (folder / "table_1.tex").read_text()
    shelf = Shelf(project.results, project.configuration.parent)
    assert SAID in write_paper(shelf, "tiny", project.results / "tiny.html").read_text("utf-8")


def test_costs_are_of_the_scale(scaled):
    project, _ = scaled
    project.replace(
        project.study_file,
        "published: tiny.csv",
        "seconds_per_seed:\n  - {learner: jittered, scale: smoke, seconds: 2}\n"
        "  - {seconds: 7}\npublished: tiny.csv",
    )
    for scale, seconds in (("smoke", 2.0), ("desk", 7.0)):
        study = at(project, scale).studies[0]
        assert study.seconds_per_seed(study.settings[0], "jittered") == seconds
        assert study.seconds_per_seed(study.settings[0], "plain") == 7.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("at_scale: {smok: {jitter: 0.1}}", "did you mean 'smoke'"),
        ("at_scale: {smoke: {jiter: 0.1}}", "did you mean 'jitter'"),
        ("at_scale: {smoke: {learner: marginal-slope}}", "did you mean 'marginal-slopes'"),
        ("at_scale: {smoke: {importances: [mdi]}}", "the same at all scales"),
        ("at_scale: {smoke: {}}", "at least 1 item"),
        ("at_scale: smoke", "valid dictionary, got 'smoke'"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_every_scale(scaled, text, message):
    project, _ = scaled
    write(project, text)
    for scale in ("desk", "smoke"):
        with pytest.raises(StudyError, match=rf"tiny.yaml:\d+: learners.jittered.*{message}"):
            at(project, scale)
