"""Means over the methods of a setting are weighed with the error of paired runs.

Of study.results.means.
"""

import numpy as np
import pandas as pd
import pytest

from losaw.study.errors import StudyError
from losaw.study.results.means import NUMBERS, means_over_methods

N_SEEDS, COMMON, OWN = 400, 0.1, 0.05


@pytest.fixture
def study(project):
    project.replace(project.study_file, "margins:", "mean_margins: {pr_auc: 0.05}\nmargins:")
    return project.session().studies[0]


def collected(study):
    """Two methods around .5 and .7 whose runs share most of their deviation."""
    rng = np.random.default_rng(0)
    rows = []
    for setting in study.settings:
        common = COMMON * rng.standard_normal(N_SEEDS)
        for learner, level in (("plain", 0.5), ("jittered", 0.7)):
            values = level + common + OWN * rng.standard_normal(N_SEEDS)
            rows += [
                (setting.identifier, learner, "mdi", "pr_auc", seed, value, "ok")
                for seed, value in enumerate(values)
            ]
    columns = ["setting_id", "learner", "importance", "metric", "seed", "value", "status"]
    return pd.DataFrame(rows, columns=columns)


def published(study, shift, runs=20):
    rows = [
        ("Table 1", *setting.axes.values(), "pr_auc", method, value + shift, 3, runs)
        for setting in study.settings
        for method, value in (("plain", 0.5), ("jittered", 0.7))
    ]
    axes = list(study.settings[0].axes)
    columns = ["table", *axes, "metric", "method", "published", "decimals", "published_runs"]
    return pd.DataFrame(rows, columns=columns)


def test_a_mean_has_the_error_of_the_means_of_single_runs(study):
    means = means_over_methods(study, collected(study), published(study, 0.0))
    assert list(means.columns) == ["table", *study.axes, "metric", *NUMBERS]
    assert len(means) == len(study.settings) and set(means["methods"]) == {2}
    # The shared part does not average out: .1^2 + .05^2 / 2 and not (.1^2 + .05^2) / 2.
    error = np.sqrt((COMMON**2 + OWN**2 / 2) / N_SEEDS)
    assert means["mc_se"].to_numpy() == pytest.approx(error, rel=0.15)
    assert means["reproduced"].to_numpy() == pytest.approx(0.6, abs=4 * error)


def test_the_verdict_changes_when_the_published_values_are_shifted_by_the_margin(study):
    runs = collected(study)
    near = means_over_methods(study, runs, published(study, 0.0, runs=400))
    assert set(near["verdict"]) == {"agrees"}
    far = means_over_methods(study, runs, published(study, 0.06, runs=400))
    assert set(far["verdict"]) == {"differs"}
    few = means_over_methods(study, runs, published(study, 0.0, runs=2))
    assert set(few["verdict"]) == {"undecidable"}


def test_a_margin_of_an_unknown_metric_is_named(project):
    project.replace(project.study_file, "margins:", "mean_margins: {pr_acu: 0.05}\nmargins:")
    with pytest.raises(StudyError, match=r"mean_margins.*pr_acu.*did you mean 'pr_auc'"):
        project.session()


def test_a_single_published_method_has_no_mean(study):
    one = published(study, 0.0)
    means = means_over_methods(study, collected(study), one[one["method"] == "plain"])
    assert means.empty
