"""The drawings of UFI and TreeInner show the collected numbers; their studies are valid.

Of report.drawings.score_boxes, report.drawings.average_ranks, report.drawings.largest_scores,
report.drawings.metric_lines, report.drawings.feature_bars.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from losaw.report import figures
from losaw.report.drawings import (
    average_ranks,
    feature_bars,
    largest_scores,
    metric_lines,
    score_boxes,
)
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.study.design.grid import Study
from losaw.study.design.published import read_published
from losaw.study.design.validation import validate
from losaw.study.results.collect import settings_frame
from losaw.study.results.lookup import cells

CONFIG = Path(__file__).parents[3] / "config"
NAMES = sorted(
    path.stem
    for path in CONFIG.glob("studies/*.yaml")
    if path.stem.startswith(("ufi", "treeinner"))
)
RUNS = 6


def study_of(name):
    return Study(CONFIG / "studies" / f"{name}.yaml")


def made_results(study, folder, where=lambda axes: True, features=("X1", "X2", "X3")):
    """Random scores and metrics of every setting that ``where`` chooses, without any fit."""
    rng = np.random.default_rng(0)
    scores, summary = [], []
    axes = settings_frame(study).set_index("setting_id")
    for setting in (s for s in study.settings if where(s.axes)):
        keys = {"setting_id": setting.identifier}
        for label, learner in study.learners.items():
            for importance in learner.importances:
                for seed in range(RUNS):
                    values = {"features": list(features), "signal": [1], "seed": seed}
                    values["scores"] = rng.random(len(features))
                    scores.append({**keys, "learner": label, "importance": importance, **values})
                method = study.method_name(label, importance)
                for metric in study.metrics:
                    row = {"metric": metric, "method": method, "mean": rng.random()}
                    row |= {"mc_se": 0.1, "n_seeds": RUNS, **axes.loc[setting.identifier].to_dict()}
                    summary.append({**keys, **row})
    pd.DataFrame(scores).to_parquet(folder / "scores.parquet")
    pd.DataFrame(summary).to_csv(folder / "summary.csv", index=False)
    return StudyResults(folder)


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_studies_and_their_figures_are_valid(name):
    validate(study_of(name))
    figures.check_figures(study_of(name))


def is_shown(axes):
    """One panel is enough, and cheap."""
    chosen = {"dataset": "Simulated", "task": "regression"}
    return all(chosen.get(axis, value) == value for axis, value in axes.items())


@pytest.mark.parametrize(
    "name", ["ufi_figure1", "ufi_figure2", "ufi_figure7", "treeinner_figure1", "treeinner_eta"]
)
def test_every_figure_is_drawn_and_one_of_each_drawing_twice_to_the_same_bytes(name, tmp_path):
    study = study_of(name)
    results = made_results(study, tmp_path, is_shown, features=("random", "b", "c"))
    drawn = study.file.figures
    first = {p.name: p.read_bytes() for p in figures.write_figures(study, results, tmp_path / "1")}
    assert len(first) == 2 * len(drawn)
    one_of_each = {figure.drawing: key for key, figure in drawn.items()}.values()
    for key in set(drawn) - set(one_of_each):
        del drawn[key]
    second = {p.name: p.read_bytes() for p in figures.write_figures(study, results, tmp_path / "2")}
    assert len(second) == 2 * len(one_of_each) and second.items() <= first.items()


def test_figures_of_all_studies_have_names_of_their_own():
    names = [key for name in NAMES for key in study_of(name).file.figures]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["ufi_table1", "treeinner_table4"])
def test_every_printed_number_has_a_cell(name):
    study = study_of(name)
    published = read_published(study, CONFIG / "published")
    known = {
        (table.replace("_", " ").capitalize(), *map(str, setting.axes.values()), metric, method)
        for table, setting, metric, method in cells(study)
    }
    printed = {
        (row["table"], *(str(row[axis]) for axis in study.axes), row["metric"], row["method"])
        for row in published.to_dict("records")
    }
    assert len(printed) == len(published)
    assert printed <= known


def test_table_4_has_a_cell_for_every_printed_row_and_for_forest_inner():
    # 18 scores and the risk of 4 models; EnsembleAbs is ours.
    study = study_of("treeinner_table4")
    shown = [c for c in cells(study) if c[0] == "table_4" and "Ensemble" not in c[3]]
    aucs = [method for *_, metric, method in shown if metric == "auc"]
    assert len(aucs) == 4 * (3 * 4 + 2)
    assert sum(method.startswith("ForestInner") for method in aucs) == 16
    assert sum(metric == "risk" for *_, metric, _ in shown) == 4


def test_average_ranks_are_those_of_the_scores(tmp_path):
    study = study_of("ufi_figure2")
    results = made_results(study, tmp_path, lambda axes: axes["rho"] == 0.5)
    options = study.file.figures["ufi_figure_2"].options
    figure = average_ranks.draw(study, results, **options)
    scores = results.scores[results.scores["importance"] == "SI"]
    for ax, setting in zip(
        figure.axes, [s for s in study.settings if s.axes["rho"] == 0.5], strict=True
    ):
        values = np.stack(scores[scores["setting_id"] == setting.identifier]["scores"].to_list())
        expected = (-values).argsort(axis=1).argsort(axis=1).mean(axis=0) + 1
        drawn = [line.get_ydata()[0] for line in ax.lines]
        np.testing.assert_allclose(drawn, expected)


def test_boxes_are_quartiles_of_the_scores(tmp_path):
    study = study_of("ufi_figure1")
    results = made_results(study, tmp_path, lambda axes: axes["task"] == "regression")
    options = study.file.figures["ufi_figure_3"].options
    ax = score_boxes.draw(study, results, **options).axes[0]
    scores = results.scores[results.scores["importance"] == "UFI"]
    low, high = np.quantile(np.stack(scores["scores"].to_list()), [0.25, 0.75], axis=0)
    ends = [patch.get_path().vertices[:, 1] for patch in ax.patches]
    np.testing.assert_allclose([end.min() for end in ends], low)
    np.testing.assert_allclose([end.max() for end in ends], high)
    assert list(ax.lines[0].get_ydata()) == [0, 0]
    ax = score_boxes.draw(study, results, **options, line=1.0).axes[0]
    assert list(ax.lines[0].get_ydata()) == [1, 1]


def test_lines_are_means_with_one_standard_error_in_the_order_of_the_axis(tmp_path):
    study = study_of("treeinner_eta")
    chosen = {"dataset": "Simulated", "task": "regression"}
    results = made_results(study, tmp_path, lambda axes: chosen.items() <= axes.items())
    options = study.file.figures["treeinner_figure_6"].options
    figure = metric_lines.draw(study, results, **options)
    container = figure.axes[0].containers[0]
    summary = results.summary
    rows = summary[(summary["metric"] == "auc") & (summary["method"] == options["methods"][0])]
    np.testing.assert_allclose(
        container.lines[0].get_ydata().astype(float), rows["mean"].to_numpy()
    )
    low, high = np.array(container.lines[2][0].get_segments())[:, :, 1].T
    np.testing.assert_allclose(high - low, 0.2)


def test_lines_lie_inside_their_panel_and_beside_each_other(tmp_path):
    study = study_of("treeinner_eta")
    results = made_results(study, tmp_path, is_shown)
    figure = metric_lines.draw(study, results, **study.file.figures["treeinner_figure_6"].options)
    figure.canvas.draw()
    ax = figure.axes[0]
    drawn = [c.lines[0] for c in ax.containers]
    points = np.array([line.get_transform().transform(line.get_xydata()) for line in drawn])
    low, high = ax.get_window_extent().get_points()
    assert (points > low).all() and (points < high).all()
    assert (np.diff(points[:, :, 0], axis=0) > 1).all()


def test_names_of_many_features_have_the_whole_width(tmp_path):
    study = study_of("ufi_figure5")
    features = [f"X{index}" for index in range(44)]
    results = made_results(study, tmp_path, features=features)
    figure = feature_bars.draw(study, results, methods=["SI", "UFI"])
    figure.canvas.draw()
    for ax in figure.axes:
        labels = [label.get_window_extent() for label in ax.get_xticklabels()]
        assert len(labels) == 44
        assert all(a.x1 <= b.x0 for a, b in pairwise(labels))


def test_bars_are_sorted_means_and_leave_out_methods_that_were_not_run(tmp_path):
    study = study_of("ufi_figure7")
    results = made_results(study, tmp_path)
    scores = results.scores[results.scores["importance"].isin(["SI", "UFI"])]
    results.__dict__["scores"] = scores
    figure = feature_bars.draw(study, results, methods=["SI", "UFI", "ranger"], highlight="X2")
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert len(shown) == 2
    heights = [bar.get_height() for bar in shown[0].patches]
    means = np.stack(scores[scores["importance"] == "SI"]["scores"].to_list()).mean(axis=0)
    np.testing.assert_allclose(heights, sorted(means, reverse=True))


def test_largest_scores_are_drawn_as_their_mean_logarithm(tmp_path):
    study = study_of("treeinner_figure1")
    chosen = {"dataset": "Simulated", "task": "regression", "max_depth": 4}
    results = made_results(study, tmp_path, lambda axes: chosen.items() <= axes.items())
    options = study.file.figures["treeinner_figure_1"].options
    ax = largest_scores.draw(study, results, **options).axes[0]
    largest = np.stack(results.scores["scores"].to_list()).max(axis=1)
    assert ax.containers[0].lines[0].get_ydata()[0] == pytest.approx(np.log10(largest).mean())


def test_a_panel_of_several_settings_and_an_unknown_scale_are_refused(tmp_path):
    study = study_of("ufi_figure2")
    results = made_results(study, tmp_path)
    with pytest.raises(OptionError, match="several settings"):
        score_boxes.draw(study, results, learner="RF", importance="SI", panels="task")
    with pytest.raises(OptionError, match="scale must be one of linear, log, symlog"):
        metric_lines.draw(
            study, results, metric="risk", axis="rho", panels="task", scale="logarithmic"
        )
    with pytest.raises(OptionError, match="methods: unknown method 'SJ'"):
        feature_bars.draw(study, results, methods=["SJ"])
