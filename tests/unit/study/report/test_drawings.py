"""Each drawing shows the collected numbers, and refuses options that would mix them."""

from itertools import pairwise, product

import matplotlib.colors
import numpy as np
import pandas as pd
import pytest

from losaw.network.architecture import Architecture
from losaw.study.errors import OptionError
from losaw.study.report.best_methods import rank_methods
from losaw.study.report.drawings import bars, boxes, lines, panels, ranking, replicate, schemes
from losaw.study.report.style import FAINT, FIRST, NOISE, SECOND, SIGNAL

from .conftest import RUNS, STUDY, made, read_study

NONE_RUN = "none of these settings was run"


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
    "metrics": {"X3": ["rejected_X3"], "X1": ["rejected_X1"]},
    "axis": "n_samples",
    "methods": ["sequential codes", "gaussian dummies"],
}


def test_metric_lines_are_means_with_one_error_inside_their_panel(made_of):
    study, results = made_of("treeinner_eta", ONE_PANEL)
    options = of_figure(study, "treeinner_figure_6")
    figure = lines.metric_lines(study, results, **options)
    ax = figure.axes[0]
    assert ax.get_title().strip() == "AUC, Simulated, regression"
    summary = results.summary
    rows = summary[(summary["metric"] == "auc") & (summary["method"] == options["methods"][0])]
    first = ax.containers[0]
    np.testing.assert_allclose(first.lines[0].get_xydata().astype(float), rows[["eta", "mean"]])
    low, high = np.array(first.lines[2][0].get_segments())[:, :, 1].T
    np.testing.assert_allclose(high - low, 0.2)
    figure.canvas.draw()
    drawn = [c.lines[0] for c in ax.containers]
    points = np.array([line.get_transform().transform(line.get_xydata()) for line in drawn])
    low, high = ax.get_window_extent().get_points()
    assert (points > low).all() and (points < high).all()


def test_metrics_of_a_panel_differ_in_style_and_published_numbers_are_open_circles(made_of):
    study, results = made_of("cpi_figure2")
    lost = "n_samples == 7000 or method == 'gaussian dummies' and metric != 'rejected_X2'"
    results.summary.loc[results.summary.query(lost).index, "n_seeds"] = 0
    study.file.labels["gaussian dummies"] = "D" * 40
    metrics = {"both": ["rejected_X3", "rejected_X1"], "X2": ["rejected_X2"]}
    options = {**REJECTIONS, "metrics": metrics, "scale": "log", "published": True}
    figure = lines.metric_lines(study, results, **options)
    ax = figure.axes[0]
    summary = results.summary[results.summary["n_seeds"] > 0]
    chosen = (summary["metric"] == "rejected_X3") & (summary["method"] == "sequential codes")
    assert [c.lines[0].get_linestyle() for c in ax.containers] == ["-", "--"]
    assert ax.containers[0].lines[0].get_ydata().tolist() == summary[chosen]["mean"].tolist()
    printed = [line for line in ax.lines if line.get_markerfacecolor() == "none"]
    assert printed[0].get_ydata().tolist() == [0.364, 0.49, 0.62, 0.904, 0.992, 0.998]
    assert ax.get_xticks().tolist() == [500, 750, 1000, 2000, 3000, 5000]
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {60}
    (legend,) = figure.legends
    assert len(legend.texts) == 2 and legend.get_window_extent().width < figure.bbox.width
    ninth = {**REJECTIONS, "methods": [*"abcdefgh", "sequential codes"]}  # of eight colours
    ax = lines.metric_lines(study, results, **ninth).axes[0]
    assert [c.lines[0].get_linestyle() for c in ax.containers] == ["--"]
    results.summary["n_seeds"] = 0
    assert lines.metric_lines(study, results, **REJECTIONS).texts[0].get_text() == NONE_RUN
    first = panels.panels_in_rows(4, 4, 2.0, "mean")[1][0]
    panels.describe_panel(first, ["X1 (irrelevant)"], [20, 50])
    assert first.get_title().endswith("\n")  # not beside "20 to 50 runs", which it would meet


@pytest.mark.parametrize("summary", ["median", "sd", 0.9])
def test_the_height_of_other_summaries_than_means_is_not_called_mean(made_of, summary):
    study, results = made_of("cpi_figure2")
    assert lines.metric_lines(study, results, **REJECTIONS).axes[0].get_ylabel() == "mean"
    study.summaries["rejected_X3"] = summary
    assert lines.metric_lines(study, results, **REJECTIONS).axes[0].get_ylabel() == "value"


def test_a_line_may_run_along_a_number_that_every_run_notes(made_of):
    study, results = made_of("losaw_discrete_laws", {"function": "f3"})
    summary = results.summary
    of_mass = summary["metric"] == "off_support"
    shared = summary.loc[of_mass, "setting_id"].rank(method="dense") / 10
    summary.loc[of_mass, "mean"] = shared
    summary.loc[summary["metric"] == "pr_auc", "n_seeds"] = 1
    results.__dict__["comparison"] = pd.DataFrame(
        [
            {**setting.axes, "metric": "r2_ind", "method": method, "published": published}
            for setting in panels.selected(study, {"function": "f3"})
            for method, published in (("RF", 0.466), ("losawRF", 0.629))
        ]
    )
    options = of_figure(study, "losaw_discrete_laws")
    ax = lines.metric_lines(study, results, **options).axes[0]
    assert ax.get_title(loc="right") == f"{RUNS} runs"
    places = ax.containers[0].lines[0].get_xdata().astype(float)
    assert (np.diff(places) > 0).all() and set(places) <= set(shared)
    printed = [line for line in ax.lines if line.get_markerfacecolor() == "none"]
    assert [set(line.get_ydata()) for line in printed] == [{0.466}, {0.629}]
    assert set(printed[0].get_xdata()) == set(places)


def test_largest_scores_are_drawn_as_their_mean_logarithm(made_of):
    study, results = made_of("treeinner_figure1", {**ONE_PANEL, "max_depth": 4})
    ax = lines.score_lines(study, results, **of_figure(study, "treeinner_figure_1")).axes[0]
    largest = np.maximum(scores(results, "deviation").max(axis=1), np.finfo(float).tiny)
    assert ax.lines[0].get_ydata()[0] == pytest.approx(np.log10(largest).mean())


def test_ranks_are_those_of_the_scores(made_of):
    study, results = made_of("ufi_figure2", {"rho": 0.5})
    figure = lines.score_lines(study, results, **of_figure(study, "ufi_figure_2"))
    for ax, setting in zip(figure.axes, panels.selected(study, {"rho": 0.5}), strict=True):
        values = scores(results, "SI", setting)
        expected = (-values).argsort(axis=1).argsort(axis=1).mean(axis=0) + 1
        np.testing.assert_allclose([line.get_ydata()[0] for line in ax.lines], expected)


def test_score_lines_are_the_means_with_their_intervals(made_of):
    where = {"target": "kept", "noise_share": [0.01, 0.5]}
    features = [f"X{number}" for number in range(10)]
    study, results = made_of("residual_figure2", where, features=features)
    names = ["LM", "ATR"]
    figure = lines.score_lines(study, results, learner="RF", importances=names, axis="noise_share")
    settings = panels.selected(study, where)
    for ax, importance in zip([a for a in figure.axes if a.get_visible()], names, strict=True):
        values = [scores(results, importance, setting) for setting in settings]
        means = {tuple(np.round(line.get_ydata(), 12)) for line in ax.lines}
        for column in range(10):
            assert tuple(np.round([v[:, column].mean() for v in values], 12)) in means
        ends = np.concatenate([band.get_paths()[0].vertices[:, 1] for band in ax.collections])
        half = 1.96 * values[0].std(axis=0, ddof=1) / np.sqrt(RUNS)
        for end in values[0].mean(axis=0) + half:
            assert np.abs(ends - end).min() < 1e-12
        # Of so many features those of noise are grey.
        assert [line.get_color() == NOISE for line in ax.lines] == [False] * 2 + [True] * 8
    assert len(set(lines._looks(features, set()).values())) == 10
    results.scores.at[0, "features"] = features[::-1]
    with pytest.raises(OptionError, match="where: the settings have different features"):
        lines.score_lines(study, results, learner="RF", importances=names, axis="noise_share")


# bars


def test_bars_are_mean_scores_with_intervals_and_colours_tell_signal_from_noise(made_of):
    study, results = made_of("losaw_figure_1")
    figure = bars.score_bars(study, results, **of_figure(study, "figure_1"))
    for ax, setting in zip(figure.axes, study.settings, strict=True):
        values = scores(results, "mdi", setting)
        np.testing.assert_allclose([b.get_height() for b in ax.patches], values.mean(axis=0))
        assert [colour_of(bar) for bar in ax.patches] == [SIGNAL, SIGNAL, NOISE]
        half = [(high - low) / 2 for (_, low), (_, high) in ax.collections[0].get_segments()]
        np.testing.assert_allclose(half, 1.96 * values.std(axis=0, ddof=1) / np.sqrt(RUNS))
        assert next(text.get_text() for text in ax.get_xticklabels()) == "$X_{1}$"


def colour_of(bar):
    return matplotlib.colors.to_hex(bar.get_facecolor()).upper()


def test_bars_can_be_sorted_and_leave_out_importances_that_were_not_run(made_of):
    study, results = made_of("ufi_figure7")
    kept = results.scores.query("importance in ['SI', 'UFI'] and learner == 'RF'")
    results.__dict__["scores"] = kept
    figure = bars.score_bars(study, results, importances=["SI", "UFI", "ranger"], sort=True)
    assert len(figure.axes) == 2
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    np.testing.assert_allclose(heights, sorted(scores(results, "SI").mean(axis=0), reverse=True))


def test_names_of_many_features_have_the_whole_width(made_of):
    study, results = made_of("ufi_figure5", features=[f"X{index}" for index in range(44)])
    figure = bars.score_bars(study, results, importances=["SI", "UFI"], learner="RF")
    figure.canvas.draw()
    labels = [label.get_window_extent() for label in figure.axes[-1].get_xticklabels()]
    assert len(labels) == 44
    assert all(a.x1 <= b.x0 for a, b in pairwise(labels))


def test_falling_trends_have_another_colour(made_of):
    study, results = made_of("residual_figure4", features=("a", "b", "c", "d", "e", "f"))
    results.scores["signal"] = [(seed,) for seed in results.scores["seed"]]  # drawn anew
    four = bars.score_bars(study, results, learner="RF", importances=["LM", "r", "ATR", "RTR"]).axes
    assert [ax.xaxis.get_tick_params()["labelbottom"] for ax in four[:4]] == [False] + [True] * 3
    drawn = four[0].patches
    np.testing.assert_allclose([b.get_height() for b in drawn], scores(results, "LM").mean(axis=0))
    for bar in drawn:
        assert colour_of(bar) == (SECOND if bar.get_height() < 0 else FIRST)


def test_bars_tell_rejected_features_from_others_and_from_untested_ones(made_of):
    study, results = made_of("cpi_figure5")
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
    figure = bars.score_bars(study, results, learner="RF", **options)
    tested, untested = (ax for ax in figure.axes if ax.get_visible())
    assert [bar.get_height() for bar in tested.patches] == [3.0, 2.0, 0.5]
    assert [colour_of(bar) for bar in tested.patches] == [FIRST, FIRST, FAINT]
    assert [text.get_text() for text in tested.texts] == ["100%", "50%", "0%"]
    assert {colour_of(bar) for bar in untested.patches} == {NOISE}
    assert not untested.texts
    nothing = bars.score_bars(study, results, learner="NN", **options)
    assert [text.get_text() for text in nothing.texts] == [NONE_RUN]


def test_shares_are_those_of_every_run(made_of):
    where = {"power": "signed"}
    study, results = made_of("residual_figure7", where)
    names = ["impurity", "permutation"]
    figure = bars.score_bars(
        study, results, learner="RF", importances=names, panels="data_set", shares=True
    )
    assert [ax.get_title() for ax in figure.axes] == [
        f"{name}, {data_set}" for data_set in ("SYN3", "SYN2") for name in names
    ]
    for ax, (setting, name) in zip(
        figure.axes, product(panels.selected(study, where), names), strict=False
    ):
        values = scores(results, name, setting)
        shares = values / np.abs(values).sum(axis=1, keepdims=True)
        np.testing.assert_allclose([b.get_height() for b in ax.patches], shares.mean(axis=0))


# boxes


def test_boxes_are_quartiles_of_the_scores(made_of):
    study, results = made_of("ufi_figure1", {"task": "regression"})
    ax = boxes.score_boxes(study, results, **of_figure(study, "ufi_figure_3"), line=1.0).axes[0]
    low, high = np.quantile(scores(results, "UFI"), [0.25, 0.75], axis=0)
    ends = [patch.get_path().vertices[:, 1] for patch in ax.patches]
    np.testing.assert_allclose([end.min() for end in ends], low)
    np.testing.assert_allclose([end.max() for end in ends], high)
    assert list(ax.lines[0].get_ydata()) == [1, 1]


def test_pooled_runs_take_all_settings_of_a_place_together(made_of):
    study, results = made_of("cpi_figure8")
    options = {"metric": "optimum_gap", "axis": "n_samples", "methods": ["LM", "RF-codes"]}
    ax = boxes.pooled_runs(study, results, line=0, **options).axes[0]
    values = results.results
    values = values[(values["metric"] == "optimum_gap") & (values["learner"] == "LM")]
    sizes = values["setting_id"].map({s.identifier: s.axes["n_samples"] for s in study.settings})
    expected = values.groupby(sizes)["value"].quantile([0.25, 0.75]).unstack().to_numpy()
    ends = [patch.get_path().vertices[:, 1] for patch in ax.patches[:5]]
    np.testing.assert_allclose([[end.min(), end.max()] for end in ends], expected)
    assert len(ax.patches) == 10
    ticks = [text.get_text() for text in ax.get_xticklabels()]
    assert ticks == ["100", "250", "500", "750", "1000"]
    results.__dict__["results"] = results.results.iloc[:0]
    nothing = boxes.pooled_runs(study, results, where={"beta": 0.9}, **options)
    assert [text.get_text() for text in nothing.texts] == [NONE_RUN]


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
    # With so few data sets each can have both places.
    assert [text.get_text() for text in ax.texts] == ["1st to 2nd", "1st to 2nd"]
    frame = results.results
    frame.loc[frame["metric"] == "pr_auc", "importance"] = "mdi"
    several = read_study(tmp_path, STUDY.replace("[mdi]", "[mdi, ufi]"))
    figure = ranking.ranking(several, results, metrics=["r2_test", "pr_auc"])
    assert len(figure.axes[1].containers) == 2
    results.__dict__["results"] = frame[frame["learner"] == "RF"]
    figure = ranking.ranking(study, results, metrics=["r2_test"])
    assert [text.get_text() for text in figure.texts] == ["no methods to compare were run"]


F10 = {"n_features": 50, "function": "f10", "independent_share": 0}


def test_a_replicate_has_a_panel_for_each_learner_and_a_line_at_the_highest_noise(made_of):
    study, results = made_of("losaw_network", F10, [f"X{p}" for p in range(50)], (1, 3, 49))
    options = {"learners": ["CNN", "losawGD"], "importance": "saliency"}
    figure = replicate.scores_by_feature(study, results, **options)
    assert [ax.get_title() for ax in figure.axes] == ["CNN", "losawGD"]
    noise = np.setdiff1d(np.arange(50), [1, 3, 49])
    for ax, learner in zip(figure.axes, options["learners"], strict=True):
        first = results.scores_of(learner, "saliency").iloc[0]["scores"]
        assert first[noise].max() in [line.get_ydata()[0] for line in ax.lines]
        assert ax.get_ylim()[0] <= first.min() < 0
    nothing = replicate.scores_by_feature(study, results, where={"function": "f8"}, **options)
    assert [text.get_text() for text in nothing.texts] == [replicate.NOT_RUN]


# schemes


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def test_the_tradeoff_curves_are_the_means_along_the_axis(made_of):
    study, results = made_of("losaw_figure_2")
    options = of_figure(study, "figure_2")
    results.summary["learner"] = "losawRF"
    results.__dict__["summary"] = results.summary.drop_duplicates(["setting_id", "metric"])
    figure = schemes.tradeoff(study, results, **options)
    for ax, metric in zip(figure.axes[-2:], options["metrics"], strict=True):
        expected = results.summary[results.summary["metric"] == metric].sort_values("eta")
        np.testing.assert_allclose(ax.lines[0].get_xydata(), expected[["eta", "mean"]])
    assert schemes.tradeoff(study, results, **options | {"learner": "not run"}).texts


@pytest.mark.parametrize("n_features", [7, 1000])
def test_the_parameters_of_the_layers_add_up_to_the_networks(n_features):
    architecture = Architecture(n_features)
    layers = schemes.layers_of(architecture)
    assert sum(n_parameters for *_, n_parameters in layers) == architecture.n_parameters


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
    counted, rate = ax.get_title().partition(",")[0].split(" = ")[1:]
    signs, number = counted.strip("(").split(") / ")
    total = sum(int(sign.replace("−", "-")) for sign in signs.split())
    assert total / int(number) == pytest.approx(float(rate.replace("−", "-")), abs=0.005)
    assert sum("F <=" in text for text in texts_of(ax)) == int(number)


# one, two and three of everything that a drawing takes

THREE = """
study: made
title: made
generator: {name: normal-linear, correlation: heterogeneous}
settings: {n_samples: [100, 1000, 5000], function: [f3, f4, f5]}
learners:
  RF: {learner: random-forest}
  losawRF: {learner: losaw-forest}
  third: {learner: random-forest}
importances: [mdi, ufi, split-improvement]
metrics: [r2_test, r2_ind, pr_auc]
seeds: {smoke: 2, desk: 4, paper: 8}
labels: {mdi: MDI}
"""
ALONG = {"axis": "n_samples", "panels": "function"}
# drawing, options, those of which it takes several with what it can take
SEVERAL = [
    *(
        (lines.score_lines, {"learner": "RF", "shown": shown, **ALONG}, {"importances": 3})
        for shown in lines.SHOWN
    ),
    (lines.metric_lines, ALONG, {"metrics": 2, "methods": 3}),
    (bars.score_bars, {"learner": "RF", "panels": "function"}, {"importances": 3}),
    (boxes.score_boxes, {"learner": "RF", "importance": "ufi", "panels": "function"}, {}),
    (boxes.pooled_runs, {"metric": "r2_test", **ALONG}, {"methods": 3}),
    (ranking.ranking, {}, {"metrics": 2}),
    (replicate.scores_by_feature, {"importance": "mdi"}, {"learners": 3}),
]


@pytest.mark.parametrize(
    ("draw", "options", "several", "n"),
    [(*row, n) for i, row in enumerate(SEVERAL) for n in ((1, 3) if i not in (1, 2) else (3,))],
)
def test_panels_of_one_unit_share_an_axis_all_is_inside_and_labels_name_it(
    tmp_path, draw, options, several, n
):
    study = read_study(tmp_path, THREE)
    one_size = draw in (bars.score_bars, boxes.score_boxes)
    results = made(study, tmp_path, {"n_samples": 100} if one_size else None)
    there = results.scores["setting_id"].isin(
        [s.identifier for s in panels.selected(study, {"function": ["f3", "f4", "f5"][:n]})]
    )
    results.__dict__["scores"] = results.scores[there]
    names = {"methods": list(study.learners), "learners": list(study.learners)}
    names |= {"importances": list(study.importances), "metrics": list(study.metrics)}
    chosen = {key: names[key][: min(n, most)] for key, most in several.items()}
    figure = draw(study, results, **options, **chosen)
    figure.canvas.draw()
    axes = [ax for ax in figure.axes if ax.get_visible()]
    upper = [ax.get_tightbbox() for ax in axes]
    for box, other in ((a, b) for i, a in enumerate(upper) for b in upper[:i]):
        assert not box.overlaps(other)
    left = min(ax.bbox.x0 for ax in axes)
    labels = {ax.get_ylabel() for ax in axes if ax.bbox.x0 == left}
    if draw is lines.score_lines:
        words = lines.SHOWN[options["shown"]][1]
        assert labels == {words + ("MDI" if n == 1 else "importance")}
    assert len(labels) == 1 and (labels != {""} or draw is ranking.ranking)
    if options.get("shown") == "ranks" or draw is replicate.scores_by_feature:
        assert len({ax.get_ylim() for ax in axes}) == 1
    if draw is replicate.scores_by_feature:
        shown = results.scores_of(None, "mdi").query("seed == 0")
        first = shown[shown["setting_id"] == study.settings[0].identifier]
        values = np.stack(first[first["learner"].isin(chosen["learners"])]["scores"].to_list())
        low, high = axes[0].get_ylim()
        assert low <= values.min() and values.max() < high


# refusals

RISK, SCORES = {"metrics": ["risk"], "axis": "rho"}, {"learner": "RF", "panels": "task"}
REFUSED = [
    ("ufi_figure2", boxes.pooled_runs, {"metric": "risk", "methods": ["RF"], "axis": "task"},
     "axis: the values of 'task' are not numbers"),
    ("ufi_figure2", lines.metric_lines, RISK | {"panels": "task", "scale": "log"},
     "scale: 'log' has no place for 0; take 'symlog'"),
    ("cpi_figure5", bars.score_bars, {"importances": ["PFI"]}, "learner: 'PFI' is of RF, NN"),
    ("ufi_figure2", lines.metric_lines, RISK, "several settings of a panel have the same value of"),
    ("ufi_figure2", boxes.score_boxes, SCORES | {"importance": "SI"},
     "11 settings are left, a panel shows one"),
    ("residual_figure7", bars.score_bars, {"importances": ["impurity"]}, r"\d+ settings are left"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "draw", "options", "message"), REFUSED)
def test_what_a_drawing_cannot_show_is_refused_by_name(made_of, name, draw, options, message):
    study, results = made_of(name)
    with pytest.raises(OptionError, match=message):
        draw(study, results, **options)
