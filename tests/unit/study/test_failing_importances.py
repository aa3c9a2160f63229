"""An importance that fails is named, and above the allowed share there is no summary."""

import pandas as pd
import pytest

from losaw.study.errors import StudyError
from losaw.study.results.outputs import write_outputs
from reference.in_process import execute

FLAKY = """

from losaw.scoring.importance_result import ImportanceResult


@register("importance", "flaky")
class Flaky:
    def explain(self, model, data, rng):
        if data.test.y[0] < 0:
            raise RuntimeError("a bad day")
        return ImportanceResult(model.slopes_, tuple(data.feature_names))
"""


def test_an_importance_that_fails_too_often_is_named_and_leaves_no_summary(project):
    project.extend_plugin(FLAKY)
    project.edit("[30, 60]", "[30]")
    project.edit("[reported]", "[mdi, flaky]")
    text = project.study_file.read_text()
    project.study_file.write_text(text[: text.index("published:")])
    execute(project.session())
    (plan,) = project.session(max_failed_share=0.01).plans
    with pytest.raises(StudyError) as refusal:
        write_outputs(plan)
    assert not (plan.folder / "summary.csv").exists()
    write_outputs(project.session(max_failed_share=0.95).plans[0])
    summary = pd.read_csv(plan.folder / "summary.csv")
    flaky = summary[(summary.importance == "flaky") & (summary.metric == "pr_auc")]
    assert (flaky["n_failed"] > 0).any() and (flaky["n_seeds"] > 0).all()
    of_plain = flaky[flaky.learner == "plain"][["n_failed", "n_seeds"]].sum()
    said = str(refusal.value)
    assert f"plain flaky failed in {of_plain['n_failed']} of {of_plain.sum()} fits" in said
    assert "so there is no summary" in said and "RuntimeError: a bad day (plugin.py:" in said


WRONG = """

from losaw.scoring.importance_result import ImportanceResult


@register("importance", "nothing")
class Nothing:
    def explain(self, model, data, rng):
        return ImportanceResult(model.slopes_ * np.nan, tuple(data.feature_names))


@register("importance", "backwards")
class Backwards:
    def explain(self, model, data, rng):
        return ImportanceResult(model.slopes_, tuple(reversed(data.feature_names)))
"""


def test_scores_that_are_missing_or_of_other_features_are_failures(project):
    project.extend_plugin(WRONG)
    project.edit("[30, 60]", "[30]")
    project.edit("[reported]", "[mdi, nothing, backwards]")
    text = project.study_file.read_text()
    project.study_file.write_text(text[: text.index("published:")])
    execute(project.session())
    with pytest.raises(StudyError) as refusal:
        write_outputs(project.session().plans[0])
    said = str(refusal.value)
    for name, words in (
        ("nothing", "scores are missing or infinite"),
        ("backwards", "the features are named"),
    ):
        assert f"plain {name} failed in 10 of 10 fits (100.0%)" in said and words in said
