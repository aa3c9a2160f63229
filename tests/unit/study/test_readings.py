"""Readings of published values that count, notes on cells, and pools of deviations."""

from pathlib import Path

import pandas as pd
import pytest

from losaw.study.results.compare import compare, counted, kinds_of
from losaw.study.session import Session
from reference.summaries import summary_of

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def session():
    return Session(ROOT / "config" / "config.yaml", {"studies": ["ufi_figure1"]})


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
