"""The drawing of metrics along a noted number, with published values as dashed lines."""

import pandas as pd
import pytest

from losaw.report.drawings.against_published import draw
from losaw.report.options import OptionError
from losaw.study.design.grid import Study

STUDY = """
study: made
title: Made up
generator: {name: losaw, n_features: 6, phi: 0.1, data_type: discrete}
settings:
  independent_share: [0.1, 0]
  n_samples: [50, 60]
  function: [f3, f4]
learners:
  RF: {learner: random-forest}
  losawRF: {learner: losaw-forest}
importances: [mdi]
metrics: {r2_ind: {}, pr_auc: {}, mass: {metric: truth_detail, key: off_support}}
seeds: {smoke: 2, desk: 4, paper: 8}
"""
OPTIONS = {"metrics": ["r2_ind", "pr_auc"], "along": "mass", "panels": "n_samples"}


class Results:
    """Summary and comparison of every setting, the mass off the support .07 or 0."""

    def __init__(self, study):
        rows, cells = [], []
        for setting in study.settings:
            place = {"r2_ind": 0.5, "pr_auc": 0.9, "mass": 0.7 * setting.axes["independent_share"]}
            for metric, mean in place.items():
                for method in ("RF", "losawRF"):
                    shared = {**setting.axes, "metric": metric, "method": method}
                    row = {"setting_id": setting.identifier, **shared}
                    rows.append({**row, "n_seeds": 4, "mean": mean, "mc_se": 0.01})
                    printed = {"RF": 0.466, "losawRF": 0.629}[method]
                    cells.append({**shared, "table": "Table 6", "published": printed})
        self.summary, self.comparison = pd.DataFrame(rows), pd.DataFrame(cells)


@pytest.fixture
def study(tmp_path):
    (tmp_path / "made.yaml").write_text(STUDY)
    return Study(tmp_path / "made.yaml")


def test_a_line_runs_along_the_noted_number_and_print_is_dashed(study):
    figure = draw(study, Results(study), where={"function": "f3"}, **OPTIONS)
    assert len(figure.axes) == 2 * 2
    ax = figure.axes[0]
    solid = [
        line for line in ax.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 2
    ]
    assert [list(line.get_xdata()) for line in solid[:2]] == [pytest.approx([0, 0.07])] * 2
    dashed = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    assert dashed == [0.466, 0.629]


@pytest.mark.parametrize(
    ("change", "words"),
    [({"along": "of"}, "along: unknown"), ({"where": {"functions": "f3"}}, "where: unknown axis")],
)
def test_unknown_names_are_refused(study, change, words):
    with pytest.raises(OptionError, match=words):
        draw(study, Results(study), **{**OPTIONS, **change})
