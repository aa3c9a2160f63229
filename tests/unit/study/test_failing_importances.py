"""An importance that fails is named, and above the allowed share there is no summary."""

import pandas as pd
import pytest

from losaw.study.errors import StudyError
from losaw.study.results.outputs import write_outputs
from reference.in_process import execute

IMPORTANCES = """

from losaw.scoring.importance_result import ImportanceResult


def _result(data, scores):
    return ImportanceResult(np.asarray(scores, float), tuple(data.feature_names))


@register("importance", "nothing")
class Nothing:
    def explain(self, model, data, rng):
        return _result(data, np.full(len(data.feature_names), np.nan))


@register("importance", "backwards")
class Backwards:
    def explain(self, model, data, rng):
        names = tuple(reversed(data.feature_names))
        return ImportanceResult(np.arange(len(names)), names)


@register("importance", "exploding")
class Exploding:
    def explain(self, model, data, rng):
        raise RuntimeError("my method exploded")


@register("importance", "flaky")
class Flaky:
    def explain(self, model, data, rng):
        if data.test.y[0] < 0:
            raise RuntimeError("a bad day")
        return _result(data, model.slopes_)
"""


@pytest.fixture
def asking(project):
    """The tiny project with importances that go wrong; ``ask(names)`` puts them into the study."""
    project.extend_plugin(IMPORTANCES)
    project.edit("[30, 60]", "[30]")
    text = project.study_file.read_text()
    text = text[: text.index("published:")]

    def ask(*names):
        new = text.replace("importances: [reported]", f"importances: [{', '.join(names)}]")
        project.study_file.write_text(new)
        session = project.session()
        execute(session)
        return session.plans[0]

    return ask


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "scores are missing or infinite"),
        ("backwards", "the features are named"),
        ("exploding", r"RuntimeError: my method exploded (plugin.py:"),
    ],
)
def test_an_importance_that_fails_in_all_fits_is_named_and_there_is_no_summary(asking, name, words):
    plan = asking("mdi", name)
    with pytest.raises(StudyError) as refusal:
        write_outputs(plan)
    assert "so there is no summary" in str(refusal.value) and words in str(refusal.value)
    assert f"plain {name} failed in 10 of 10 fits (100.0%)" in str(refusal.value)
    assert not (plan.folder / "summary.csv").exists()


def test_an_importance_below_the_allowed_share_of_failures_is_in_the_summary(asking, project):
    asking("mdi", "flaky")
    write_outputs(project.session(max_failed_share=0.95).plans[0])
    summary = pd.read_csv(project.session().plans[0].folder / "summary.csv")
    flaky = summary[(summary.importance == "flaky") & (summary.metric == "pr_auc")]
    assert (flaky["n_failed"] > 0).any() and (flaky["n_seeds"] > 0).all()
    of_plain = flaky[flaky.learner == "plain"][["n_failed", "n_seeds"]].sum()
    words = f"plain flaky failed in {of_plain['n_failed']} of {of_plain.sum()} fits"
    with pytest.raises(StudyError, match=words):
        write_outputs(project.session(max_failed_share=0.01).plans[0])
