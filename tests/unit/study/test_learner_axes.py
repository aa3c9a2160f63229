"""Learners by axis, by scale, and optional ones: what they take, and that every file says so."""

import pandas as pd
import pytest

from losaw.study.errors import StudyError
from losaw.study.report.tables import write_tables
from losaw.study.session import Session
from reference.in_process import run
from reference.repository import CONFIGURATION

AXES = "  noise_variance: [0.5, 1.0]\n"


@pytest.fixture
def jitter_axis(project):
    """The tiny study with the learner's jitter as an axis."""
    project.edit(AXES, AXES + "  jitter: [0.0, 0.3]\nlearner_axes: [jitter]\ncounted: false\n")
    project.edit("jitter: 0.3}", "jitter: {axis: jitter}}")
    project.published.write_text(project.published.read_text().replace(",made up", ","))
    project.edit("[n_samples, method]", "[n_samples, jitter, method]")
    return project


def run_project(project):
    session = project.session()
    run(session)
    return session


def values(session, learner):
    frame = pd.read_parquet(session.plans[0].folder / "results.parquet")
    frame = frame[frame["learner"] == learner]
    study = session.studies[0]
    jitter = {s.identifier: s.axes["jitter"] for s in study.settings}
    data = {s.identifier: s.data_identifier for s in study.settings}
    frame = frame.assign(jitter=frame["setting_id"].map(jitter), data=frame["setting_id"].map(data))
    return frame.pivot_table(
        index=["data", "seed", "metric"], columns="jitter", values="value"
    ).to_numpy()


def test_all_values_of_a_learner_axis_see_the_same_data_and_a_learner_takes_its_own(jitter_axis):
    session = run_project(jitter_axis)
    plain, jittered = (values(session, name) for name in ("plain", "jittered"))
    assert len(plain) and (plain[:, 0] == plain[:, 1]).all()
    assert (jittered[:, 0] != jittered[:, 1]).any()


OPTIONAL = """

@register("learner", "needs-a-program")
class NeedsAProgram(MarginalSlopes):
    @staticmethod
    def unavailable():
        return "the program is not installed"
"""


@pytest.fixture
def optional_learner(project):
    project.extend_plugin(OPTIONAL)
    project.edit(
        "jittered: {learner: marginal-slopes,",
        "jittered: {learner: needs-a-program, optional: true,",
    )
    return project


def test_an_optional_learner_that_cannot_run_leaves_cells_not_run(optional_learner):
    session = run_project(optional_learner)
    comparison = pd.read_csv(session.plans[0].folder / "comparison.csv")
    verdicts = comparison.groupby("method")["verdict"].unique()
    assert list(verdicts["jittered"]) == ["not run"]
    assert "not run" not in verdicts["plain"]


def test_asking_for_a_learner_that_cannot_run_says_why(optional_learner):
    with pytest.raises(StudyError, match="the program is not installed"):
        optional_learner.session(learner=("jittered",))


@pytest.mark.parametrize(
    ("group", "scale", "study", "missing"),
    [
        ("ufi", "desk", "ufi_figure5", "rna_editing"),
        ("ufi, treeinner", "reference", "treeinner_eta", "chip_enhancer"),
        ("treeinner", "desk", "treeinner_eta", None),
    ],
)
def test_a_group_leaves_out_studies_whose_real_data_are_not_there(
    monkeypatch, tmp_path, group, scale, study, missing
):
    monkeypatch.setenv("LOSAW_DATA", str(tmp_path))
    session = Session(CONFIGURATION, {"studies": group, "scale": scale}, trusted=True)
    is_named = any(f"{study!r} is left out: {missing} not found" in n for n in session.notes)
    assert is_named == (missing is not None)
    assert (study in {one.name for one in session.studies}) == (missing is None)


OTHER = "scales: {smoke: {learners: {jittered: {jitter: 0.1}}}}"
SAID = "jittered at scale smoke: jitter 0.1 in place of 0.3."


@pytest.fixture
def scaled(project):
    """The tiny study, whose second learner is another one at the scale smoke."""
    project.edit("importances: [reported]", f"{OTHER}\nimportances: [reported]")
    return project


def test_a_scale_has_its_own_learner_in_files_of_its_own(scaled):
    found = {}
    for scale in ("smoke", "desk"):
        block = next(iter(scaled.session(scale=scale).plans[0].blocks.values()))
        found[scale] = block.recipe.learners["jittered"].parameters
        assert scale in block.path.parts
    assert found == {"smoke": {"jitter": 0.1}, "desk": {"jitter": 0.3}}


def test_tables_say_what_the_scale_computes_otherwise(scaled):
    session = scaled.session(scale="smoke")
    folder = run(session)
    comparison = pd.read_csv(folder / "comparison.csv")
    write_tables(session.studies[0], comparison, folder / "tables")
    assert SAID in (folder / "tables" / "table_1.md").read_text()
    assert scaled.session(scale="desk").studies[0].differs_at_scale == {}
