"""A paper of one's own: functions, estimators and settings that no file here mentions."""

import contextlib
import json
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from losaw.study import cost, registry
from losaw.study.block.replicate import ingredients_in, run_replicate
from losaw.study.block.spent import cost_path
from losaw.study.cost import describe_cost, measured
from losaw.study.errors import StudyError
from losaw.study.generators.simulated import simulated
from losaw.study.registry.versions import version_of
from losaw.study.request.checks import validate
from losaw.study.request.published import read_published
from losaw.study.results.agreement import Kind, Printed, Runs, verdict, weigh
from losaw.study.session import Session

EXAMPLE = Path(__file__).parents[3] / "examples" / "paper"

FUNCTION = """
import numpy as np
from losaw.study.generators.simulated import simulated
from losaw.study.registry import register

@register("generator", "mine")
def mine(rng, *, n=60, extra=False, effect=1.0):
    X = rng.standard_normal((n, 3 if extra else 2))
    return simulated(X, effect * X[:, 0] + rng.standard_normal(n), signal=["X1"], n_train=40)
"""

STUDY = """
study: mine
title: one's own
generator: mine
settings: [{n: 60, extra: [false, true]}, {n: [80], extra: true}]
learners: {ridge: {learner: sklearn.linear_model.Ridge, alpha: 2.0}}
importances: {PFI: {importance: pfi-difference}}
metrics: {score: {metric: feature_score, feature: each}, pr_auc: {}}
seeds: {smoke: 2, desk: 2, paper: 2}
margins: {score: 0.1}
tables: {all: {caption: all, metrics: [score], rows: [metric], columns: [n, extra, method]}}
"""


@pytest.fixture
def mine(project):
    (project.folder / "plugin.py").write_text(textwrap.dedent(FUNCTION))
    project.study_file.with_name("mine.yaml").write_text(STUDY)

    def study(*edits):
        text = STUDY
        for old, new in edits:
            assert text.count(old) == 1
            text = text.replace(old, new)
        project.study_file.with_name("mine.yaml").write_text(text)
        return project.session(studies="mine").study("mine")

    return study


def test_settings_are_what_a_paper_ran(mine):
    axes = [dict(setting.axes) for setting in mine().settings]
    assert axes == [
        {"n": 60, "extra": False},
        {"n": 60, "extra": True},
        {"n": 80, "extra": True},
    ]


def test_a_metric_of_each_feature_stands_where_it_was_written(mine):
    study = mine()
    assert list(study.metrics) == ["score_X1", "score_X2", "score_X3", "pr_auc"]
    assert study.file.margins == dict.fromkeys(("score_X1", "score_X2", "score_X3"), 0.1)
    assert study.file.tables["all"].metrics == ["score_X1", "score_X2", "score_X3"]
    written = {label: metric.parameters for label, metric in study.metrics.items()}
    assert written["score_X1"] == {"feature": "X1"}
    assert written["score_X3"] == {"feature": "X3", "optional": True}  # two columns have none
    of_lists = "{metric: rejection_rate, features: each, optional: true}"
    study = mine(("{metric: feature_score, feature: each}", of_lists))
    assert study.metrics["score_X2"].parameters == {"features": ["X2"], "optional": True}


@pytest.mark.parametrize("own", ["", ", optional: true"])
@pytest.mark.parametrize(
    "metric",
    [
        "feature_rank, feature: each",
        "top_share, features: each",
        "top_share, k: 1, features: each",
        "rejection_rate, features: each",
    ],
)
def test_a_metric_of_each_feature_is_empty_where_the_data_lack_it(mine, metric, own):
    of_each = f"{{metric: {metric}{own}}}"
    study = mine(
        ("{metric: feature_score, feature: each}", of_each),
        ("pfi-difference", "linear-coefficient"),
    )
    validate(study)
    for setting in study.settings:
        asked = ingredients_in(study, setting, "ridge")
        replicate = run_replicate(asked, 0, asked.parts, asked.data)
        found = {row.metric: row for row in replicate if row.metric.startswith("score_")}
        assert {row.status for row in found.values()} == {"ok"}
        empty = {label for label, row in found.items() if np.isnan(row.value)}
        assert empty == (set() if setting.axes["extra"] else {"score_X3"})


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("linear_model.Ridge", "linear_model.Rigde", "did you mean 'Ridge'?"),
        ("sklearn.linear_model.Ridge", "sklearn.linear.Ridge", "'sklearn.linear' cannot be"),
        ("linear_model.Ridge", "metrics.r2_score", "unknown estimator 'r2_score'"),
        ("alpha", "alhpa", "did you mean 'alpha'?"),
        ("{n: [80], extra: true}", "{n: [80]}", "has the axes n; all entries have n, extra"),
        ("n: [80]", "n: [60]", "has a setting twice: 60_True"),
        ("n: [80]", "n: ['60']", "60 and '60' are read as one value"),
        ("extra: true}]", "extra: {a: 1}}]", "settings.1.extra"),
        ("generator: mine", "generator: {name: mine, efect: 2}", "did you mean 'effect'?"),
        ("n: [80]", "n: [3]", "features of setting 3_True"),
        ("pr_auc: {}", "score_X1: {metric: pr_auc}", "metrics.score_X1: is a metric that 'score'"),
        (
            "pr_auc: {}",
            "score_X: {metric: feature_score, feature: each}, score_X_X2: {metric: pr_auc}",
            "metrics.score_X_X2: is a metric that 'score_X'",
        ),
    ],
)
def test_a_slip_is_named(mine, old, new, words):
    with pytest.raises(StudyError) as caught:
        validate(mine((old, new)))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "margins", ["{score_X1: 0.01, score: 0.9}", "{score: 0.9, score_X1: 0.01}"]
)
def test_a_margin_of_one_feature_stands_before_that_of_each(mine, margins):
    found = mine(("{score: 0.1}", margins)).file.margins
    assert found == {"score_X1": 0.01, "score_X2": 0.9, "score_X3": 0.9}


def test_a_learner_of_a_library_has_its_version():
    xgboost = pytest.importorskip("xgboost")
    entry = registry.get("learner", "xgboost.XGBRegressor")
    assert version_of(entry) == xgboost.__version__
    assert {"objective", "max_depth", "learning_rate"} <= set(entry.accepted_parameters())
    assert version_of(registry.get("learner", "sklearn.svm.SVR")) == 1  # as of those of ours


def test_a_function_gives_names_kinds_and_rows():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"dose": rng.normal(size=90), "town": pd.Categorical(["a", "b", "c"] * 30)})
    data = simulated(X, ["yes", "no", "no"] * 30, signal=["town"])
    assert data.feature_names == ("dose", "town")
    assert data.feature_kinds == ("continuous", "nominal")
    assert data.truth.signal == (1,) and data.task == "classification"
    assert (len(data.train.y), len(data.test.y)) == (45, 45)
    assert (np.vstack([data.train.X, data.test.X])[:, 0] == X["dose"]).all()


@pytest.mark.usefixtures("plugins_forgotten")
def test_the_example_has_a_cell_for_every_printed_value(monkeypatch):
    monkeypatch.chdir(EXAMPLE)
    session = Session(Path("config/config.yaml"), {"scale": "smoke"})
    study = session.study("xplainfi")
    validate(study)
    printed = pd.read_csv("config/published/xplainfi.csv")
    cells = [
        tuple(cell[key] for key in ("table", "metric", "method")) for *_, cell in study.cells()
    ]
    named = zip(printed["table"], printed["metric"], printed["method"], strict=True)
    assert {*named} <= {*cells}


@pytest.mark.parametrize(
    ("not_run", "words"),
    [
        ("{method: other, table: Table 9, n_samples: 90}", ""),
        ("{n_samples: 90}", "line 5: unknown method 'other' .*; 'not_run' names what"),
        ("{method: othr}", "not_run.method: unknown method 'othr'; did you mean 'other'"),
        ("{methods: other}", "not_run.methods: unknown column .*; did you mean 'method'"),
        ("{n_samples: 30.0}", "not_run.n_samples: 30.0 is run by the study"),
        ("{table: table_1}", "not_run.table: 'table_1' is run by the study"),
        ("{table: Table 1}", "not_run.table: 'Table 1' is run by the study"),
    ],
)
def test_a_study_says_which_printed_lines_it_does_not_run(project, not_run, words):
    with project.published.open("a") as file:
        file.write("Table 9,90,0.5,auc,other,0.5,3,100,\ntable_1,30,0.5,r2_test,other,0.5,3,100,\n")
    project.edit("published: tiny.csv", f"published: tiny.csv\nnot_run: {not_run}")
    with pytest.raises(StudyError, match=words) if words else contextlib.nullcontext():
        found = read_published(project.session().study("tiny"), project.published.parent)
        assert list(found["published"]) == [0.5, 0.9]


@pytest.mark.parametrize(
    ("old", "new", "seconds"),
    [
        ("title: A", "title: Some", {"": 9.0, "plain": 3.0, "jittered": 1.0}),
        ("jitter: 0.3", "jitter: 0.4", {"": 9.0, "plain": 3.0}),
        ("correlation: heterogeneous", "correlation: identity", {}),
    ],
)
def test_a_plan_takes_the_seconds_of_earlier_runs_of_the_same_work(computed, old, new, seconds):
    for block in computed.session().plan("tiny").blocks.values():
        n = len(block.seeds)
        cost = {"": 9, "plain/": 2 * n, "plain/reported": n, "jittered/reported": n}
        cost_path(block.path).write_text(json.dumps({"seconds": cost}))
    computed.edit(old, new)
    session = computed.session(scale="desk")  # the blocks are of smoke
    assert all(measured(block) == seconds for block in session.plan("tiny").blocks.values())
    words = describe_cost(session.plans)
    assert ("measured by earlier runs in the same folder: tiny" in words) == bool(seconds)
    assert ("not measured, taken as 1 s a fit" in words) == (len(seconds) < 3)


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        (
            "published_se",
            (0.05, 0.05),
            ["margins.r2_test: 0.03 is less than 1.645 standard errors"],
        ),
        ("published_se", (0.01, 0.07), ["margins.pr_auc: 0.1 is less"]),
        ("published_sd", (0.2, 0.5), ["margins.r2_test: 0.03 is less"]),  # of 100 runs
        ("published_sd", (0.1, 0.5), []),
        ("note", ("a", "b"), []),  # nothing is known of an error
    ],
)
def test_a_margin_that_no_run_can_meet_is_said_before_a_run(project, column, values, said):
    printed = pd.read_csv(project.published)
    printed.assign(**{column: values}).to_csv(project.published, index=False)
    lines = describe_cost(project.session().plans).splitlines()
    found = [line for line in lines if "margins." in line]
    assert len(found) == len(said)
    assert all(words in line for words, line in zip(said, found, strict=True))


@pytest.mark.parametrize(
    ("share", "runs", "is_said"),
    [(0.0, 20, True), (1.0, 20, True), (0.0, 10_000, False), (0.3, 100, True)],
)
def test_a_margin_for_shares_is_compared_with_the_reach_of_the_verdict(
    monkeypatch, share, runs, is_said
):
    """Of 0 of 20 decisions as well, whose share times the rest is 0."""
    cell = {"metric": "m", "published": share, "decimals": 3, "published_runs": runs}
    monkeypatch.setattr(cost, "read_published", lambda *_: pd.DataFrame([cell]))
    source = SimpleNamespace(error=lambda _, words: words)
    file = SimpleNamespace(margins={"m": 0.05})
    study = SimpleNamespace(file=file, decisions={"m"}, source=source)
    said = list(cost.narrow_margins(SimpleNamespace(study=study, published=None)))
    printed = Printed(share, 3, runs)
    never = verdict(weigh(Runs(share, 0.0, 10**6), printed, Kind(is_decision=True)), 0.05)
    assert bool(said) == is_said == (never != "agrees")
