"""Mean rank and mean value over shared settings, with the errors that follow from the seeds."""

import numpy as np
import pandas as pd
import pytest

from losaw.report.best_methods import compared, rank_methods
from losaw.report.drawings import ranking
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import FIRST, NOISE

# setting, seed, RF, losawRF
VALUES = [
    ("a", 0, 0.1, 0.2),
    ("a", 1, 0.3, 0.3),
    ("b", 0, 0.5, 0.4),
    ("b", 1, 0.6, 0.9),
    ("b", 2, 0.7, 0.8),
]


def results(values=VALUES, metric="r2_test", importance=""):
    rows = []
    for setting, seed, *pair in values:
        for learner, value in zip(("RF", "losawRF"), pair, strict=True):
            rows.append((setting, learner, importance, seed, metric, value, "ok"))
    columns = ["setting_id", "learner", "importance", "seed", "metric", "value", "status"]
    return pd.DataFrame(rows, columns=columns)


def of(table, method):
    return table.set_index("method").loc[method]


def test_settings_count_the_same_whatever_their_number_of_seeds(study):
    found = rank_methods(study, results())
    assert of(found, "RF")["mean"] == pytest.approx((0.2 + 0.6) / 2)
    assert of(found, "losawRF")["mean"] == pytest.approx((0.25 + 0.7) / 2)


def test_the_error_of_the_mean_is_that_of_independent_settings(study):
    expected = np.sqrt(np.var([0.1, 0.3], ddof=1) / 2 + np.var([0.5, 0.6, 0.7], ddof=1) / 3) / 2
    assert of(rank_methods(study, results()), "RF")["mean_se"] == pytest.approx(expected)


def test_ranks_are_taken_on_every_data_set_and_ties_are_shared(study):
    found = rank_methods(study, results())
    assert of(found, "losawRF")["rank"] == pytest.approx(((1 + 1.5) / 2 + (2 + 1 + 1) / 3) / 2)
    assert list(found["method"]) == ["losawRF", "RF"]


def test_a_seed_that_one_method_lacks_counts_for_none(study):
    frame = results()
    frame.loc[(frame["setting_id"] == "b") & (frame["seed"] == 2), "status"] = ["failed", "ok"]
    found = rank_methods(study, frame)
    assert of(found, "losawRF")["mean"] == pytest.approx((0.25 + 0.65) / 2)
    assert of(found, "losawRF")["seeds"] == 4


def test_a_setting_with_one_shared_seed_has_no_error_and_is_left_out(study):
    found = rank_methods(study, results(VALUES[1:]))
    assert of(found, "RF")["settings"] == 1
    assert of(found, "RF")["mean"] == pytest.approx(0.6)


def test_less_is_better_where_the_metric_says_so(study, monkeypatch):
    monkeypatch.setattr(study.metrics["r2_test"].entry.load(), "higher_is_better", False)
    assert list(rank_methods(study, results())["method"]) == ["RF", "losawRF"]


def test_a_single_method_is_not_ranked(study):
    frame = results()
    assert rank_methods(study, frame[frame["learner"] == "RF"]).empty


def stored(folder, frame, study):
    """The made results under settings that the study has."""
    known = [setting.identifier for setting in study.settings]
    names = dict(zip(frame["setting_id"].unique(), known, strict=False))
    frame = frame.assign(setting_id=frame["setting_id"].map(names))
    frame.to_parquet(folder / "results.parquet")
    return StudyResults(folder)


def test_the_drawing_shows_the_mean_ranks_best_on_top_and_colours_the_chosen_learner(
    study, tmp_path
):
    (ax,) = ranking.draw(
        study, stored(tmp_path, results(), study), metrics=["r2_test"], highlight=["losawRF"]
    ).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["RF", "losawRF"]
    expected = rank_methods(study, results()).set_index("method")["rank"]
    dots = [container.lines[0] for container in ax.containers]
    assert [dot.get_xdata()[0] for dot in dots] == [expected["RF"], expected["losawRF"]]
    assert [dot.get_color() for dot in dots] == [NOISE, FIRST]


def test_the_drawing_names_the_settings_that_were_run_and_no_others(study, tmp_path):
    both = results()
    one = both[both["setting_id"] == both["setting_id"].iloc[0]]
    said = []
    for frame in (one, both):
        figure = ranking.draw(study, stored(tmp_path, frame, study), metrics=["r2_test"])
        said.append(figure.get_supxlabel().replace("\n", " "))
        for setting in study.settings[: frame["setting_id"].nunique()]:
            for axis, value in setting.axes.items():
                assert f"{study.show(axis)}: " in said[-1] and study.show(value) in said[-1]
    assert said[0] != said[1]
    assert all(text.endswith("no verdict on others.") for text in said)


def test_the_drawing_says_when_there_is_nothing_to_rank(study, tmp_path):
    alone = results()[lambda frame: frame["learner"] == "RF"]
    figure = ranking.draw(study, stored(tmp_path, alone, study), metrics=["r2_test"])
    assert [text.get_text() for text in figure.texts] == ["no methods to compare were run"]


def test_the_drawing_names_the_nearest_learner(study, tmp_path):
    with pytest.raises(OptionError, match="did you mean 'losawRF'"):
        ranking.draw(
            study, stored(tmp_path, results(), study), metrics=["r2_test"], highlight=["losaw-RF"]
        )


def test_settings_and_methods_stay_in_the_order_in_which_they_were_run(study):
    found = compared(study, "r2_test", results(VALUES[2:] + VALUES[:2]))
    assert found.index.unique("setting_id").tolist() == ["b", "a"]
    assert found.columns.tolist() == ["RF", "losawRF"]
