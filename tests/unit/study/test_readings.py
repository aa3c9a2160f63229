"""Cells of a comparison: readings that count, notes, and kinds, whose deviations are pooled."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from losaw.study.results.compare import compare, counted, kinds_of, pooled_deviation, rms_z
from losaw.study.session import Session
from reference.repository import CONFIGURATION
from reference.summaries import summary_of


@pytest.fixture(scope="module")
def session():
    return Session(CONFIGURATION, {"studies": ["ufi_figure1"]})


def published(session, name):
    study = session.read_study(name, trusted=True)
    frame = pd.read_csv(session.published_folder / study.file.published)
    return study, frame


@pytest.mark.parametrize("name", ["treeinner_table4", "losaw_network", "ufi_table1"])
def test_each_published_number_of_several_readings_counts_once(session, name):
    study, frame = published(session, name)
    cells = frame.assign(verdict="agrees")
    if "independent_share" in study.axes:  # the published file holds for both laws
        cells = pd.concat([cells.assign(independent_share=w) for w in (0, 0.02)])
    own = counted(study, cells.reset_index(drop=True))
    readings = {"noise", "logit", "levels", "independent_share", "table", "note"}
    identity = [c for c in ("dataset", "task", "max_depth", "function", "method", "metric")
                if c in own.columns and c not in readings]  # fmt: skip
    assert not own.duplicated(identity).any()
    distinct = cells.assign(metric=cells["metric"].replace("r2_ind_train_noise", "r2_ind"))
    assert len(own) == len(distinct.drop_duplicates([*identity, "published"]))


def test_nominal_sizes_and_other_laws_do_not_count(session):
    study, frame = published(session, "cpi_type1")
    assert counted(study, frame.assign(verdict="agrees")).empty


def test_deviations_are_pooled_within_a_task_and_a_data_set(session):
    study = session.read_study("treeinner_table4", trusted=True)
    summary = summary_of(study)
    tasks = summary["setting_id"].map({s.identifier: s.axes["task"] for s in study.settings})
    summary["sd"] = tasks.map({"regression": 1.7, "classification": 0.01})
    kinds = kinds_of(study, summary)
    deviations = {key[3]: kind.deviation for key, kind in kinds.items()}
    assert deviations == {
        "regression": pytest.approx(1.7),
        "classification": pytest.approx(0.01),
    }


def test_two_equal_runs_of_a_function_do_not_differ_because_another_never_varies(session):
    # Both runs of f5 find all signals; f3 never does, and says nothing of f5.
    study = session.read_study("losaw_forest", trusted=True)
    f5, f3 = (
        next(s for s in study.settings if s.axes["function"] == name and s.axes["phi"] == 0.1
             and s.axes["data_type"] == "continuous" and s.axes["n_samples"] == 500)
        for name in ("f5", "f3")
    )  # fmt: skip
    rows = [
        {"setting_id": s.identifier, "metric": "pr_auc", "method": "RF", "mean": mean, "sd": 0.0,
         "n_seeds": n, "mc_se": 0.0}
        for s, mean, n in ((f5, 1.0, 2), (f3, 0.417, 200))
    ]  # fmt: skip
    frame = pd.read_csv(session.published_folder / "losaw_tables.csv")
    comparison = compare(study, pd.DataFrame(rows), frame)
    found = comparison[(comparison["function"] == "f5") & (comparison["n_seeds"] == 2)]
    assert set(found["verdict"]) == {"no error at hand"}


def test_notes_of_published_numbers_and_of_the_study_file_reach_the_cell(computed):
    entry = "{where: {method: jittered, metric: pr_auc}, kind: open, note: known to deviate}"
    known = f"known:\n  - {entry}\n"
    computed.edit("published: tiny.csv\n", "published: tiny.csv\n" + known)
    study = computed.session().studies[0]
    frame = pd.read_csv(computed.published)
    comparison = compare(study, summary_of(study), frame)
    assert set(comparison["noted"]) == {"", "made up; known to deviate"}
    assert set(comparison["explained"]) == {"", "open"}


@pytest.fixture
def study(project):
    return project.session().studies[0]


def every_cell(study, number):
    """The same published number in every cell."""
    columns = ["table", *study.axes, "metric", "method", "published", "decimals", "published_runs"]
    rows = [
        ("Table 1", n, v, "pr_auc", method, number, 3, 250)
        for n in (30, 60)
        for v in (0.5, 1.0)
        for method in ("plain", "jittered")
    ]
    return pd.DataFrame(rows, columns=columns).assign(note=None)


def test_the_pooled_deviation_weighs_cells_by_their_degrees_of_freedom():
    pooled, degrees = pooled_deviation(pd.Series([0.3, 0.1, math.nan]), pd.Series([2, 4, 1]))
    assert degrees == 4
    assert pooled == pytest.approx(math.sqrt((0.3**2 + 3 * 0.1**2) / 4))
    assert pooled_deviation(pd.Series([math.nan]), pd.Series([1]))[1] == 0


def test_a_kind_knows_its_metric(study):
    kinds = kinds_of(study, summary_of(study))
    assert kinds["pr_auc", "plain"].is_bounded and not kinds["r2_test", "plain"].is_bounded
    assert kinds["pr_auc", "plain"].degrees == 4 * 3
    assert not kinds["r2_test", "plain"].is_decision


def test_a_cell_whose_runs_sit_on_one_value_is_judged_by_the_others(study):
    measured = summary_of(study)
    same = (measured["metric"] == "pr_auc") & (
        measured["setting_id"] == study.settings[0].identifier
    )
    measured.loc[same, ["mean", "sd", "mc_se"]] = 0.417, 0.0, 0.0
    far = compare(study, measured, every_cell(study, 0.999))
    cell = far[(far["n_samples"] == 30) & (far["noise_variance"] == 0.5)]
    assert set(cell[cell["metric"] == "pr_auc"]["verdict"]) == {"differs"}


def test_rms_z_leaves_out_the_cells_in_which_every_run_has_the_published_value():
    cells = pd.DataFrame(
        {
            "metric": "pr_auc",
            "n_samples": [10, 20, 30, 40],
            "published": [1.0, 0.9, 0.5, 0.5],
            "reproduced": [1.0, 1.0, 0.6, 0.5],
            "mc_se": [0.0, 0.0, 0.05, 0.05],
            "z": [0.0, 3.0, 2.0, 0.0],
            "verdict": "agrees",
        }
    )
    assert rms_z(cells) == pytest.approx(((3**2 + 2**2 + 0) / 3) ** 0.5)


def test_cells_that_count_are_those_of_the_believed_reading_and_none_of_no_cells():
    rule = [{"method": "a"}]
    study = SimpleNamespace(file=SimpleNamespace(counted=rule))
    verdicts = ["agrees", "agrees", "not run"]
    cells = pd.DataFrame(
        {"method": ["a", "b", "a"], "verdict": verdicts, "published": [0.1, 0.2, 0.3]}
    )
    assert counted(study, cells)["method"].tolist() == ["a"]
    assert counted(study, cells.iloc[:0])["verdict"].tolist() == []
