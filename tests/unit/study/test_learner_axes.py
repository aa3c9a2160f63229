"""Axes of learners: parameters taken from the grid, data shared, optional learners left out.

Of study.design.grid.
"""

from pathlib import Path

import pytest

from losaw.study.errors import StudyError
from reference.in_process import run

CONFIGURATION = Path(__file__).parents[3] / "config" / "config.yaml"
AXES = "  noise_variance: [0.5, 1.0]\n"


@pytest.fixture
def jitter_axis(project):
    """The tiny study with the learner's jitter as an axis."""
    project.replace(
        project.study_file, AXES, AXES + "  jitter: [0.0, 0.3]\nlearner_axes: [jitter]\n"
    )
    project.replace(project.study_file, "jitter: 0.3}", "jitter: {axis: jitter}}")
    published = project.folder / "config" / "published" / "tiny.csv"
    published.write_text(published.read_text().replace(",made up", ","))
    project.replace(project.study_file, "[n_samples, method]", "[n_samples, jitter, method]")
    return project


def run_project(project):
    session = project.session()
    run(session)
    return session


def values(session, learner):
    import pandas as pd

    frame = pd.read_parquet(session.plans[0].folder / "results.parquet")
    frame = frame[frame["learner"] == learner]
    study = session.studies[0]
    jitter = {s.identifier: s.axes["jitter"] for s in study.settings}
    data = {s.identifier: s.data_identifier for s in study.settings}
    frame = frame.assign(jitter=frame["setting_id"].map(jitter), data=frame["setting_id"].map(data))
    return frame.pivot_table(
        index=["data", "seed", "metric"], columns="jitter", values="value"
    ).to_numpy()


def test_all_values_of_a_learner_axis_see_the_same_data(jitter_axis):
    found = values(run_project(jitter_axis), "plain")
    assert len(found) and (found[:, 0] == found[:, 1]).all()


def test_a_learner_takes_its_parameter_from_the_axis(jitter_axis):
    found = values(run_project(jitter_axis), "jittered")
    assert (found[:, 0] != found[:, 1]).any()


def test_a_parameter_is_looked_up_by_an_axis(project):
    lookup = "jitter: {axis: n_samples, values: {30: 0.1, 60: 0.2}}}"
    project.replace(project.study_file, "jitter: 0.3}", lookup)
    study = project.session().studies[0]
    found = [study.learners["jittered"].parameters_for(s)["jitter"] for s in study.settings]
    assert found == [0.1, 0.1, 0.2, 0.2]


def test_a_lookup_without_the_value_names_it_before_anything_runs(project):
    lookup = "jitter: {axis: n_samples, values: {30: 0.1}}}"
    project.replace(project.study_file, "jitter: 0.3}", lookup)
    with pytest.raises(StudyError, match=r"tiny.yaml: .*no value for n_samples = 60"):
        project.session()


def test_a_learner_axis_that_is_no_axis_is_refused(project):
    project.replace(project.study_file, AXES, AXES + "learner_axes: [jiter]\n")
    with pytest.raises(StudyError, match="jiter"):
        project.session()


OPTIONAL = """

@register("learner", "needs-a-program")
class NeedsAProgram(MarginalSlopes):
    @staticmethod
    def unavailable():
        return "the program is not installed"
"""


@pytest.fixture
def optional_learner(project):
    plugin = project.folder / "plugin.py"
    plugin.write_text(plugin.read_text() + OPTIONAL)
    project.replace(
        project.study_file,
        "jittered: {learner: marginal-slopes,",
        "jittered: {learner: needs-a-program, optional: true,",
    )
    return project


def test_an_optional_learner_that_cannot_run_leaves_cells_not_run(optional_learner):
    import pandas as pd

    session = run_project(optional_learner)
    comparison = pd.read_csv(session.plans[0].folder / "comparison.csv")
    verdicts = comparison.groupby("method")["verdict"].unique()
    assert list(verdicts["jittered"]) == ["not run"]
    assert "not run" not in verdicts["plain"]


def test_asking_for_a_learner_that_cannot_run_says_why(optional_learner):
    with pytest.raises(StudyError, match="the program is not installed"):
        optional_learner.session(selection={"learner": ("jittered",)})


def test_a_costly_learner_can_have_fewer_seeds(project):
    costly = "seeds: {smoke: [{seeds: 2, learner: jittered}, {seeds: 5}], "
    project.replace(project.study_file, "seeds: {smoke: 5, ", costly)
    session = project.session()
    study, setting = session.studies[0], session.studies[0].settings[0]
    assert [study.seeds("smoke", setting, one) for one in study.learners] == [5, 2]


def test_an_unknown_learner_among_the_seeds_is_refused(project):
    costly = "seeds: {smoke: [{seeds: 2, learner: jitered}, {seeds: 5}], "
    project.replace(project.study_file, "seeds: {smoke: 5, ", costly)
    with pytest.raises(StudyError, match="did you mean 'jittered'"):
        project.session()


def test_a_group_leaves_out_studies_whose_real_data_are_not_there(monkeypatch, tmp_path):
    from losaw.study.design.request import Request
    from losaw.study.design.session import Session

    monkeypatch.setenv("LOSAW_DATA", str(tmp_path))
    request = Request(CONFIGURATION, overrides={"studies": ["ufi"]})
    session = Session(request)
    assert any("'ufi_figure5' is left out: rna_editing not found" in n for n in session.notes)
    names = [study.name for study in session.studies]
    assert "ufi_table1" in names and not {"ufi_figure5", "ufi_figure6", "ufi_figure7"} & set(names)
