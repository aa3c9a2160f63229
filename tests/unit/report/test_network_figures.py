"""The figures of the losawGD study show what is stored of one replicate.

Of report.drawings.effective_sample_sizes, report.drawings.scores_by_feature,
report.drawings.one_replicate.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from losaw.report.drawings import effective_sample_sizes, scores_by_feature
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.study.design.grid import Study

STUDY = Path(__file__).parents[3] / "config" / "studies" / "losaw_network.yaml"
SCORES = np.linspace(0, 1, 50)


@pytest.fixture(scope="module")
def study():
    return Study(STUDY)


@pytest.fixture
def results(study, tmp_path):
    """Made scores of f10 at P = 50."""
    setting = next(s for s in study.settings if list(s.axes.values()) == [50, "f10", 0])
    rows = [
        {
            "setting_id": setting.identifier,
            "learner": learner,
            "importance": "saliency",
            "seed": 0,
            "scores": list(SCORES),
            "features": [f"X{p + 1}" for p in range(50)],
            "signal": [1, 3, 49],
        }
        for learner in study.learners
    ]
    pd.DataFrame(rows).to_parquet(tmp_path / "scores.parquet")
    return StudyResults(tmp_path)


def texts(figure):
    return [text.get_text() for text in figure.texts]


def test_there_is_a_panel_for_each_learner_and_a_line_at_the_highest_noise_feature(study, results):
    figure = scores_by_feature.draw(
        study, results, learners=["CNN", "losawGD"], importance="saliency"
    )
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["CNN", "losawGD"]
    for ax in figure.axes:
        assert SCORES[48] in [line.get_ydata()[0] for line in ax.lines]


def test_draws_and_effective_sample_sizes_are_those_of_the_training(study, results):
    figure = effective_sample_sizes.draw(study, results, learner="losawGD", importance="saliency")
    points = np.vstack([dots.get_offsets() for dots in figure.axes[0].collections])
    assert points[:, 0].min() >= 1
    assert points[:, 0].sum() == study.learner("losawGD").parameters["n_steps"]
    assert points[:, 1].min() >= 0.2 - 1e-9
    assert points[:, 1].max() <= 1 + 1e-9


@pytest.mark.parametrize("options", [{"seed": 7}, {"where": {"function": "f8"}}])
def test_a_replicate_that_was_not_run_leaves_a_note(study, results, options):
    figure = scores_by_feature.draw(
        study, results, learners=["CNN"], importance="saliency", **options
    )
    assert texts(figure) == ["this replicate was not run"]
    figure = effective_sample_sizes.draw(
        study, results, learner="losawGD", importance="saliency", **options
    )
    assert texts(figure) == ["this replicate was not run"]


def test_unknown_names_are_refused(study, results):
    with pytest.raises(OptionError, match="did you mean 'losawGD'"):
        scores_by_feature.draw(study, results, learners=["losawDG"], importance="saliency")
    with pytest.raises(OptionError, match="did you mean 'function'"):
        scores_by_feature.draw(
            study, results, learners=["CNN"], importance="saliency", where={"functions": "f8"}
        )
