"""Counts over the cells of a comparison, and their kinds."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from losaw.study.results.compare import compare, counted, kinds_of, pooled_deviation, rms_z
from reference.summaries import summary_of


@pytest.fixture
def study(project):
    return project.session().studies[0]


def printed(study, frame):
    columns = ["table", *study.axes, "metric", "method", "published", "decimals", "published_runs"]
    return pd.DataFrame(frame, columns=columns).assign(note=None)


def every_cell(study, published, methods=("plain", "jittered")):
    return printed(
        study,
        [
            ("Table 1", n, v, "pr_auc", method, published, 3, 250)
            for n in (30, 60)
            for v in (0.5, 1.0)
            for method in methods
        ],
    )


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
