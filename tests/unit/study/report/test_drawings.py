"""Each drawing shows the collected numbers, and refuses options that would mix them."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from losaw.network.architecture import Architecture
from losaw.study.design.grid import Study
from losaw.study.design.published import read_published
from losaw.study.report.best_methods import rank_methods
from losaw.study.report.drawings import bars, boxes, lines, panels, ranking, replicate, schemes
from losaw.study.report.options import OptionError
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FIRST, NOISE

CONFIG = Path(__file__).parents[4] / "config"
RUNS = 5


def study_of(name):
    return Study(CONFIG / "studies" / f"{name}.yaml")


def made(study, folder, where=None, features=("X1", "X2", "X3"), signal=(0, 1)):
    """Random scores and metrics of the settings that agree with ``where``, without any fit."""
    rng = np.random.default_rng(0)
    scores, summary, results = [], [], []
    for setting in panels.selected(study, where):
        keys = {"setting_id": setting.identifier}
        for learner in study.learners:
            for importance in study.importances:
                for seed in range(RUNS):
                    row = {**keys, "learner": learner, "importance": importance, "seed": seed}
                    drawn = {"scores": rng.standard_normal(len(features)), "p_values": None}
                    scores.append({**row, **drawn, "features": features, "signal": signal})
        for metric in study.metrics:
            for method in study.methods_of(metric):
                numbers = {"mean": rng.random(), "sd": 0.2, "mc_se": 0.1, "n_seeds": RUNS}
                row = {**keys, **setting.axes, "metric": metric, "method": method, **numbers}
                summary.append({**row, "learner": method.split()[-1], "importance": ""})
            for learner in study.learners:
                for seed in range(RUNS):
                    row = {**keys, "learner": learner, "importance": "", "seed": seed}
                    results.append({**row, "metric": metric, "value": rng.random(), "status": "ok"})
    pd.DataFrame(scores).to_parquet(folder / "scores.parquet")
    pd.DataFrame(results).to_parquet(folder / "results.parquet")
    pd.DataFrame(summary).to_csv(folder / "summary.csv", index=False)
    if study.file.published:
        printed = read_published(study, CONFIG / "published")
        printed.to_csv(folder / "comparison.csv", index=False)
    return StudyResults(folder)


def scores(results, importance, setting=None):
    first = results.scores["learner"].iloc[0]
    chosen = results.scores_of(first, importance)
    if setting is not None:
        chosen = chosen[chosen["setting_id"] == setting.identifier]
    return np.stack(chosen["scores"].to_list())


def of_figure(study, key):
    return study.file.figures[key].options


# lines

ONE_PANEL = {"dataset": "Simulated", "task": "regression"}
REJECTIONS = {
    "panel_metrics": {"X3": ["rejected_X3"], "X1": ["rejected_X1"]},
    "axis": "n_samples",
    "methods": ["sequential codes", "gaussian dummies"],
}


def test_metric_lines_are_means_with_one_error_inside_their_panel_and_beside_each_other(tmp_path):
    study = study_of("treeinner_eta")
    results, options = made(study, tmp_path, ONE_PANEL), of_figure(study, "treeinner_figure_6")
    figure = lines.metric_lines(study, results, **options)
    ax = figure.axes[0]
    summary = results.summary
    rows = summary[(summary["metric"] == "auc") & (summary["method"] == options["methods"][0])]
    first = ax.containers[0]
    np.testing.assert_allclose(first.lines[0].get_ydata().astype(float), rows["mean"])
    low, high = np.array(first.lines[2][0].get_segments())[:, :, 1].T
    np.testing.assert_allclose(high - low, 0.2)
    figure.canvas.draw()
    drawn = [c.lines[0] for c in ax.containers]
    points = np.array([line.get_transform().transform(line.get_xydata()) for line in drawn])
    low, high = ax.get_window_extent().get_points()
    assert (points > low).all() and (points < high).all()
    assert (np.diff(points[:, :, 0], axis=0) > 1).all()


def test_largest_scores_are_drawn_as_their_mean_logarithm(tmp_path):
    study = study_of("treeinner_figure1")
    results = made(study, tmp_path, {**ONE_PANEL, "max_depth": 4})
    ax = lines.largest_scores(study, results, **of_figure(study, "treeinner_figure_1")).axes[0]
    largest = np.maximum(scores(results, "deviation").max(axis=1), np.finfo(float).tiny)
    assert ax.containers[0].lines[0].get_ydata()[0] == pytest.approx(np.log10(largest).mean())


def test_average_ranks_are_those_of_the_scores(tmp_path):
    study = study_of("ufi_figure2")
    results = made(study, tmp_path, {"rho": 0.5})
    figure = lines.average_ranks(study, results, **of_figure(study, "ufi_figure_2"))
    for ax, setting in zip(figure.axes, panels.selected(study, {"rho": 0.5}), strict=True):
        values = scores(results, "SI", setting)
        expected = (-values).argsort(axis=1).argsort(axis=1).mean(axis=0) + 1
        np.testing.assert_allclose([line.get_ydata()[0] for line in ax.lines], expected)


def test_trend_lines_are_the_means_with_their_intervals(tmp_path):
    study = study_of("residual_figure2")
    results = made(study, tmp_path, {"target": "kept", "noise_share": [0.01, 0.5]})
    names = ["LM", "ATR"]
    figure = lines.trend_lines(study, results, learner="RF", importances=names, axis="noise_share")
    settings = panels.chosen_settings(study, results, None)
    for ax, importance in zip(figure.axes, names, strict=True):
        values = [scores(results, importance, setting) for setting in settings]
        means = {tuple(np.round(line.get_ydata(), 12)) for line in ax.lines}
        for column in range(3):
            assert tuple(np.round([v[:, column].mean() for v in values], 12)) in means
        ends = np.concatenate([band.get_paths()[0].vertices[:, 1] for band in ax.collections])
        half = 1.96 * values[0].std(axis=0, ddof=1) / np.sqrt(RUNS)
        for end in values[0].mean(axis=0) + half:
            assert np.abs(ends - end).min() < 1e-12


def test_signal_features_are_coloured_and_noise_features_grey():
    colours = panels.feature_colours(["X1", "X2", "X3", "X4"], {0, 2})
    assert colours["X2"] == colours["X4"] == NOISE
    assert len({colours["X1"], colours["X3"], NOISE}) == 3
    assert NOISE not in panels.feature_colours(["X1", "X2"], set()).values()


def test_metric_panels_show_means_and_printed_numbers_as_open_markers(tmp_path):
    study = study_of("cpi_figure2")
    results = made(study, tmp_path)
    results.summary.loc[results.summary["n_samples"] == 7000, "n_seeds"] = 0
    figure = lines.metric_panels(study, results, printed="figure_2", **REJECTIONS)
    ax = figure.axes[0]
    summary = results.summary[results.summary["n_seeds"] > 0]
    chosen = (summary["metric"] == "rejected_X3") & (summary["method"] == "sequential codes")
    line = ax.containers[0].lines[0]
    assert line.get_xdata().tolist() == summary[chosen]["n_samples"].tolist()
    assert line.get_ydata().tolist() == summary[chosen]["mean"].tolist()
    printed = [line for line in ax.lines if line.get_markerfacecolor() == "none"]
    assert printed[0].get_ydata().tolist() == [0.364, 0.49, 0.62, 0.904, 0.992, 0.998, 1.0]
    # Printed places have ticks also where nothing was run.
    assert ax.get_xticks().tolist() == [500, 750, 1000, 2000, 3000, 5000, 7000]
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {60}
    assert len(figure.legends) == 1


def test_metric_panels_without_results_say_so(tmp_path):
    study = study_of("cpi_figure2")
    results = made(study, tmp_path)
    results.summary["n_seeds"] = 0
    figure = lines.metric_panels(study, results, **REJECTIONS)
    assert [text.get_text() for text in figure.texts] == [panels.NOT_RUN]


def test_a_line_runs_along_the_noted_number_and_print_is_dashed(tmp_path):
    study = study_of("losaw_discrete_laws")
    results = made(study, tmp_path, {"function": "f3"})
    summary = results.summary
    of_mass = summary["metric"] == "off_support"
    shared = summary.loc[of_mass, "setting_id"].rank(method="dense") / 10
    summary.loc[of_mass, "mean"] = shared
    results.__dict__["comparison"] = pd.DataFrame(
        [
            {**setting.axes, "metric": "r2_ind", "method": method, "published": published}
            for setting in panels.selected(study, {"function": "f3"})
            for method, published in (("RF", 0.466), ("losawRF", 0.629))
        ]
    )
    key, layout = next(
        (k, v) for k, v in study.file.figures.items() if v.drawing == "against-published"
    )
    ax = lines.against_published(study, results, **layout.options).axes[0]
    dashed = {line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"}
    assert dashed >= {0.466, 0.629}, key
    places = ax.containers[0].lines[0].get_xdata().astype(float)
    assert (np.diff(places) > 0).all() and set(places) <= set(shared)


# bars


def test_bars_are_mean_scores_with_intervals_and_colours_tell_signal_from_noise(tmp_path):
    study = study_of("losaw_figure_1")
    features = [f"X{number}" for number in range(1, 15)]
    results = made(study, tmp_path, features=features)
    options = of_figure(study, "figure_1")
    figure = bars.mean_importances(study, results, **options)
    assert len(figure.axes) == 3
    for ax, setting in zip(figure.axes, study.settings, strict=True):
        values = scores(results, "mdi", setting)
        np.testing.assert_allclose([b.get_height() for b in ax.patches], values.mean(axis=0))
        colours = [bar.get_facecolor() for bar in ax.patches]
        assert len(set(colours[:2])) == len(set(colours[2:])) == 1
        assert colours[0] != colours[2]
        half = [(high - low) / 2 for (_, low), (_, high) in ax.collections[0].get_segments()]
        np.testing.assert_allclose(half, 1.96 * values.std(axis=0, ddof=1) / np.sqrt(RUNS))
        assert ax.get_ylim()[0] == 0
    # Of so many features only the signals are named.
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["$X_{1}$", "$X_{2}$"]


def test_feature_bars_are_sorted_and_leave_out_methods_that_were_not_run(tmp_path):
    study = study_of("ufi_figure7")
    results = made(study, tmp_path)
    kept = results.scores[results.scores["importance"].isin(["SI", "UFI"])]
    kept = kept[kept["learner"] == kept["learner"].iloc[0]]
    results.__dict__["scores"] = kept
    figure = bars.feature_bars(study, results, methods=["SI", "UFI", "ranger"], highlight="X2")
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert len(shown) == 2
    heights = [bar.get_height() for bar in shown[0].patches]
    np.testing.assert_allclose(heights, sorted(scores(results, "SI").mean(axis=0), reverse=True))
    with pytest.raises(OptionError, match="methods: unknown method 'SJ'"):
        bars.feature_bars(study, results, methods=["SJ"])


def test_names_of_many_features_have_the_whole_width(tmp_path):
    study = study_of("ufi_figure5")
    results = made(study, tmp_path, features=[f"X{index}" for index in range(44)])
    figure = bars.feature_bars(study, results, methods=["SI", "UFI"])
    figure.canvas.draw()
    for ax in figure.axes:
        labels = [label.get_window_extent() for label in ax.get_xticklabels()]
        assert len(labels) == 44
        assert all(a.x1 <= b.x0 for a, b in pairwise(labels))


def test_trend_bars_are_means_and_falling_ones_have_another_colour(tmp_path):
    study = study_of("residual_figure4")
    results = made(study, tmp_path, signal=(), features=("a", "b", "c", "d", "e", "f"))
    drawn = bars.trend_bars(study, results, learner="RF", importances=["LM"]).axes[0].patches
    np.testing.assert_allclose([b.get_width() for b in drawn], scores(results, "LM").mean(axis=0))
    falling = {bar.get_facecolor() for bar in drawn if bar.get_width() < 0}
    rising = {bar.get_facecolor() for bar in drawn if bar.get_width() > 0}
    assert len(falling) == len(rising) == 1 and falling != rising


def test_bars_tell_rejected_features_from_others_and_from_untested_ones(tmp_path):
    study = study_of("cpi_figure5")
    results = made(study, tmp_path)
    # Two runs: CPIseq rejects its first feature twice, its second once.
    two = results.scores[(results.scores["learner"] == "RF") & (results.scores["seed"] < 2)].copy()
    two["scores"] = [np.array([3.0, 2.0, float(seed)]) for seed in two["seed"]]
    tests = ([0.01, 0.01, 0.9], [0.02, 0.3, 0.7])
    two["p_values"] = [
        np.array(tests[seed]) if name == "CPIseq" else None
        for name, seed in zip(two["importance"], two["seed"], strict=True)
    ]
    results.__dict__["scores"] = two
    options = {"importances": ["CPIseq", "PFI"]}
    figure = bars.tested_importances(study, results, learner="RF", **options)
    tested, untested = (ax for ax in figure.axes if ax.get_visible())
    assert [bar.get_width() for bar in tested.patches[:3]] == [3.0, 2.0, 0.5]
    first, second, third = (bar.get_facecolor() for bar in tested.patches[:3])
    assert first == second != third
    assert [text.get_text() for text in tested.texts] == ["100%", "50%", "0%"]
    assert {bar.get_facecolor() for bar in untested.patches[:3]}.isdisjoint({first, third})
    assert not untested.texts
    nothing = bars.tested_importances(study, results, learner="NN", **options)
    assert "not run" in nothing.texts[0].get_text()


def test_grouped_importances_are_shares_of_every_run(tmp_path):
    study = study_of("residual_figure7")
    results = made(study, tmp_path, {"power": "signed"})
    names = ["impurity", "permutation"]
    figure = bars.grouped_importances(
        study, results, learner="RF", importances=names, panels="data_set"
    )
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["SYN3", "SYN2"]
    settings = panels.chosen_settings(study, results, None)
    for ax, setting in zip(figure.axes, settings, strict=True):
        heights = np.array([bar.get_height() for bar in ax.patches]).reshape(2, 3)
        for row, name in zip(heights, names, strict=True):
            values = scores(results, name, setting)
            shares = values / np.abs(values).sum(axis=1, keepdims=True)
            np.testing.assert_allclose(row, shares.mean(axis=0))


# boxes


def test_boxes_are_quartiles_of_the_scores(tmp_path):
    study = study_of("ufi_figure1")
    results = made(study, tmp_path, {"task": "regression"})
    ax = boxes.score_boxes(study, results, **of_figure(study, "ufi_figure_3"), line=1.0).axes[0]
    low, high = np.quantile(scores(results, "UFI"), [0.25, 0.75], axis=0)
    ends = [patch.get_path().vertices[:, 1] for patch in ax.patches]
    np.testing.assert_allclose([end.min() for end in ends], low)
    np.testing.assert_allclose([end.max() for end in ends], high)
    assert list(ax.lines[0].get_ydata()) == [1, 1]


def test_pooled_runs_take_all_settings_of_a_place_together(tmp_path):
    study = study_of("cpi_figure8")
    options = {"metric": "optimum_gap", "axis": "n_samples", "methods": ["LM", "RF-codes"]}
    results = made(study, tmp_path)
    line = boxes.pooled_runs(study, results, shape="deviations", **options).axes[0].containers[0]
    values = results.results
    values = values[(values["metric"] == "optimum_gap") & (values["learner"] == "LM")]
    sizes = values["setting_id"].map({s.identifier: s.axes["n_samples"] for s in study.settings})
    expected = values.groupby(sizes)["value"].mean()
    np.testing.assert_allclose(line.lines[0].get_ydata().astype(float), expected)
    violins = boxes.pooled_runs(study, results, line=0, **options).axes[0]
    assert len(violins.collections) == len(violins.patches) == 10
    ticks = [text.get_text() for text in violins.get_xticklabels()]
    assert ticks == ["100", "250", "500", "750", "1000"]
    nothing = boxes.pooled_runs(study, results, where={"beta": 0.7}, **options)
    assert [text.get_text() for text in nothing.texts] == [panels.NOT_RUN]


# ranking and replicate


def test_the_ranking_has_the_best_method_on_top_and_names_the_settings(study, tmp_path):
    results = made(study, tmp_path)
    ranked = rank_methods(study, results.results)
    ranked = ranked[ranked["metric"] == "r2_test"].set_index("method")["rank"]
    figure = ranking.ranking(study, results, metrics=["r2_test"], highlight=["losawRF"])
    (ax,) = figure.axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == list(ranked.index)[::-1]
    dots = [container.lines[0] for container in ax.containers]
    assert [dot.get_xdata()[0] for dot in dots] == [ranked[name] for name in names]
    assert [dot.get_color() for dot in dots] == [
        FIRST if name == "losawRF" else NOISE for name in names
    ]
    said = figure.get_supxlabel().replace("\n", " ")
    assert "N: 100, 1000" in said and said.endswith("no verdict on others.")


def test_a_ranking_of_one_method_is_a_note(study, tmp_path):
    results = made(study, tmp_path)
    frame = results.results
    results.__dict__["results"] = frame[frame["learner"] == "RF"]
    figure = ranking.ranking(study, results, metrics=["r2_test"])
    assert [text.get_text() for text in figure.texts] == ["no methods to compare were run"]


F10 = {"n_features": 50, "function": "f10", "independent_share": 0}


def test_a_replicate_has_a_panel_for_each_learner_and_a_line_at_the_highest_noise(tmp_path):
    study = study_of("losaw_network")
    results = made(study, tmp_path, F10, [f"X{p}" for p in range(50)], (1, 3, 49))
    options = {"learners": ["CNN", "losawGD"], "importance": "saliency"}
    figure = replicate.scores_by_feature(study, results, **options)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["CNN", "losawGD"]
    noise = np.setdiff1d(np.arange(50), [1, 3, 49])
    for ax, learner in zip(figure.axes, options["learners"], strict=True):
        first = results.scores_of(learner, "saliency").iloc[0]["scores"]
        assert first[noise].max() in [line.get_ydata()[0] for line in ax.lines]
    nothing = replicate.scores_by_feature(study, results, where={"function": "f8"}, **options)
    assert [text.get_text() for text in nothing.texts] == [replicate.NOT_RUN]


def test_draws_and_effective_sample_sizes_are_those_of_the_training(tmp_path):
    study = study_of("losaw_network")
    results = made(study, tmp_path, F10, [f"X{p}" for p in range(50)], (1, 3, 49))
    options = {"learner": "losawGD", "importance": "saliency"}
    figure = replicate.effective_sample_sizes(study, results, **options)
    points = np.vstack([dots.get_offsets() for dots in figure.axes[0].collections])
    assert points[:, 0].min() >= 1
    assert points[:, 0].sum() == study.learner("losawGD").parameters["n_steps"]
    assert points[:, 1].min() >= 0.2 - 1e-9
    assert points[:, 1].max() <= 1 + 1e-9


# schemes


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def test_the_tradeoff_curves_are_the_means_along_the_axis(tmp_path):
    study = study_of("losaw_figure_2")
    results, options = made(study, tmp_path), of_figure(study, "figure_2")
    results.summary["learner"] = "losawRF"
    results.__dict__["summary"] = results.summary.drop_duplicates(["setting_id", "metric"])
    figure = schemes.tradeoff(study, results, **options)
    for ax, metric in zip(figure.axes[-2:], options["metrics"], strict=True):
        expected = results.summary[results.summary["metric"] == metric].sort_values("eta")
        np.testing.assert_allclose(ax.lines[0].get_xydata(), expected[["eta", "mean"]])


@pytest.mark.parametrize("n_features", [7, 1000])
def test_the_parameters_of_the_layers_add_up_to_the_networks(n_features):
    architecture = Architecture(n_features)
    layers = schemes.layers_of(architecture)
    assert sum(layer.parameters for layer in layers) == architecture.n_parameters


def test_the_printed_number_of_parameters_stands_over_the_layers():
    ax = schemes.network_layers(None, None).axes[0]
    assert ax.get_title(loc="right") == "4,080,001 parameters for 1,000 features"
    assert "994 × 64" in texts_of(ax)


def test_levels_hold_equal_numbers_of_rows_and_their_effects_rise_from_minus_beta_to_beta():
    left, right = schemes.quantile_categories(None, None).axes
    counts = [sum(bar.get_height() for bar in container) for container in left.containers]
    np.testing.assert_allclose(np.array(counts) / sum(counts), 0.25, atol=0.001)
    effects = [bar.get_height() for container in right.containers for bar in container]
    np.testing.assert_allclose(effects, np.linspace(-0.5, 0.5, 4))
    assert sorted(texts_of(left)) == ["A", "B", "C", "D"]


def test_the_counted_signs_are_the_absolute_rate():
    ax = schemes.traversal_splits(None, None).axes[0]
    counted, rate = ax.get_title(loc="left").partition(",")[0].split(" = ")[1:]
    signs, number = counted.strip("(").split(") / ")
    total = sum(int(sign.replace("−", "-")) for sign in signs.split())
    assert total / int(number) == pytest.approx(float(rate.replace("−", "-")), abs=0.005)
    assert sum("F ≤" in text for text in texts_of(ax)) == int(number)


# refusals

POOLED = {"metric": "optimum_gap", "axis": "n_samples", "methods": ["LM"]}


@pytest.mark.parametrize(
    ("name", "draw", "options", "message"),
    [
        ("cpi_figure8", boxes.pooled_runs, {**POOLED, "methods": ["LMs"]}, "did you mean 'LM'"),
        ("cpi_figure8", boxes.pooled_runs, {**POOLED, "shape": "violin"}, "did you mean 'violins'"),
        (
            "cpi_figure2",
            lines.metric_panels,
            {**REJECTIONS, "methods": ["sequential"]},
            "methods: unknown method",
        ),
        (
            "cpi_figure2",
            lines.metric_panels,
            {**REJECTIONS, "panel_metrics": {"X1": ["rejected"]}},
            "panel_metrics: unknown metric",
        ),
        (
            "cpi_figure2",
            lines.metric_panels,
            {**REJECTIONS, "spread": "range"},
            "unknown spread 'range'",
        ),
        (
            "cpi_figure2",
            lines.metric_panels,
            {**REJECTIONS, "printed": "figure_3"},
            "unknown table 'figure_3'",
        ),
        (
            "cpi_figure2",
            lines.metric_panels,
            {**REJECTIONS, "where": {"rho": 1}},
            "where: unknown axis 'rho'",
        ),
        (
            "ufi_figure2",
            boxes.score_boxes,
            {"learner": "RF", "importance": "SI", "panels": "task"},
            "several settings have the values",
        ),
        (
            "ufi_figure2",
            lines.metric_lines,
            {"metric": "risk", "axis": "rho", "panels": "task", "scale": "logarithmic"},
            "scale: unknown scale 'logarithmic'",
        ),
        (
            "losaw_network",
            replicate.scores_by_feature,
            {"learners": ["losawDG"], "importance": "saliency"},
            "did you mean 'losawGD'",
        ),
        (
            "losaw_network",
            replicate.scores_by_feature,
            {"learners": ["CNN"], "importance": "saliency", "where": {"functions": "f8"}},
            "did you mean 'function'",
        ),
        (
            "residual_figure7",
            bars.grouped_importances,
            {"learner": "RF", "importances": ["impurity"], "panels": "data_set"},
            "several settings have the same value of 'data_set'",
        ),
        (
            "residual_figure7",
            bars.trend_bars,
            {"learner": "RF", "importances": ["impurity"]},
            r"\d+ settings are left",
        ),
        (
            "residual_figure7",
            bars.trend_bars,
            {"learner": "RF", "importances": ["LM"], "where": {"power": "none"}},
            "no setting that was run",
        ),
        (
            "all_methods",
            ranking.ranking,
            {"metrics": ["auc"], "highlight": ["losaw-RF"]},
            "did you mean 'losawRF'",
        ),
    ],
)
def test_what_a_drawing_cannot_show_is_refused_by_name(tmp_path, name, draw, options, message):
    study = study_of(name)
    # Names are refused before any number is read.
    is_read = name in ("ufi_figure2", "residual_figure7")
    results = made(study, tmp_path) if is_read else StudyResults(tmp_path)
    with pytest.raises(OptionError, match=message):
        draw(study, results, **options)
