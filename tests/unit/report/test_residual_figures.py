"""The drawings of the residual-importance paper show the collected scores.

Of report.drawings.feature_scores, report.drawings.trend_lines, report.drawings.trend_bars,
report.drawings.grouped_importances, report.drawings.pair_plot.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from losaw.report import figures
from losaw.report.drawings import feature_scores, grouped_importances, trend_bars, trend_lines
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.study.design.grid import Study
from losaw.study.design.validation import validate

STUDIES = Path(__file__).parents[3] / "config" / "studies"
NAMES = [f"residual_figure{number}" for number in range(2, 9)]
FEATURES = ["X1", "X2", "X3", "X4"]
RUNS = 5


def study_of(name):
    return Study(STUDIES / f"{name}.yaml")


def made_results(study, folder, where=lambda axes: True, signal=(0, 1)):
    """Normal scores of every setting that ``where`` chooses, without any fit."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "setting_id": setting.identifier,
            "learner": "RF",
            "importance": importance,
            "seed": seed,
            "features": FEATURES,
            "scores": rng.standard_normal(4),
            "signal": list(signal),
        }
        for setting in study.settings
        if where(setting.axes)
        for importance in study.importances
        for seed in range(RUNS)
    ]
    pd.DataFrame(rows).to_parquet(folder / "scores.parquet")
    return StudyResults(folder)


def scores(results, importance, setting=None):
    chosen = results.scores[results.scores["importance"] == importance]
    if setting is not None:
        chosen = chosen[chosen["setting_id"] == setting.identifier]
    return np.stack(chosen["scores"].to_list())


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_studies_and_their_figures_are_valid(name):
    validate(study_of(name))
    figures.check_figures(study_of(name))


def test_trend_lines_are_the_means_with_their_intervals(tmp_path):
    study = study_of("residual_figure2")
    shares = (0.01, 0.5)
    results = made_results(
        study, tmp_path, lambda axes: axes["target"] == "kept" and axes["noise_share"] in shares
    )
    figure = trend_lines.draw(
        study, results, learner="RF", importances=["LM", "ATR"], axis="noise_share"
    )
    settings = feature_scores.chosen_settings(study, results, None)
    for ax, importance in zip(figure.axes, ["LM", "ATR"], strict=True):
        values = [scores(results, importance, setting) for setting in settings]
        means = {tuple(np.round(line.get_ydata(), 12)) for line in ax.lines}
        for column in range(4):
            assert tuple(np.round([v[:, column].mean() for v in values], 12)) in means
        ends = np.concatenate([band.get_paths()[0].vertices[:, 1] for band in ax.collections])
        half = 1.96 * values[0].std(axis=0, ddof=1) / np.sqrt(RUNS)
        for end in values[0].mean(axis=0) + half:
            assert np.abs(ends - end).min() < 1e-12


def test_signal_features_are_coloured_and_noise_features_grey():
    colours = feature_scores.feature_colours(FEATURES, {0, 2})
    assert colours["X2"] == colours["X4"] == feature_scores.NOISE
    assert len({colours["X1"], colours["X3"], feature_scores.NOISE}) == 3
    assert feature_scores.NOISE not in feature_scores.feature_colours(FEATURES, set()).values()


def test_trend_bars_are_means_and_falling_ones_have_another_colour(tmp_path):
    study = study_of("residual_figure4")
    results = made_results(study, tmp_path, signal=())
    figure = trend_bars.draw(study, results, learner="RF", importances=["LM"])
    means = scores(results, "LM").mean(axis=0)
    bars = figure.axes[0].patches
    np.testing.assert_allclose([bar.get_width() for bar in bars], means)
    falling = {bar.get_facecolor() for bar in bars if bar.get_width() < 0}
    rising = {bar.get_facecolor() for bar in bars if bar.get_width() > 0}
    assert len(falling) == len(rising) == 1 and falling != rising


def test_grouped_importances_are_shares_of_every_run(tmp_path):
    study = study_of("residual_figure7")
    results = made_results(study, tmp_path, lambda axes: axes["power"] == "signed")
    names = ["impurity", "permutation"]
    figure = grouped_importances.draw(
        study, results, learner="RF", importances=names, panels="data_set"
    )
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["SYN3", "SYN2"]
    for ax, setting in zip(
        figure.axes, feature_scores.chosen_settings(study, results, None), strict=True
    ):
        heights = np.array([bar.get_height() for bar in ax.patches]).reshape(2, 4)
        for row, name in zip(heights, names, strict=True):
            values = scores(results, name, setting)
            shares = values / np.abs(values).sum(axis=1, keepdims=True)
            np.testing.assert_allclose(row, shares.mean(axis=0))


def test_options_that_mix_settings_are_refused(tmp_path):
    study = study_of("residual_figure7")
    results = made_results(study, tmp_path)
    with pytest.raises(OptionError, match="several settings have the same value of 'data_set'"):
        grouped_importances.draw(
            study, results, learner="RF", importances=["impurity"], panels="data_set"
        )
    with pytest.raises(OptionError, match=r"\d+ settings are left"):
        trend_bars.draw(study, results, learner="RF", importances=["impurity"])
    with pytest.raises(OptionError, match="where: unknown axis"):
        feature_scores.chosen_settings(study, results, {"powers": "signed"})
    with pytest.raises(OptionError, match="no setting that was run"):
        feature_scores.chosen_settings(study, results, {"power": "none"})
    with pytest.raises(OptionError, match="no 'LM' scores"):
        feature_scores.scores_of(results, study.settings[0], "RF", "LM")
