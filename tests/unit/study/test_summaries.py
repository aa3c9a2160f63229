"""Summaries, manifests, and columns of the comparison with a paper."""

import io
import json
import math
import shutil
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from losaw.study.block import block_file
from losaw.study.block.compute import compute
from losaw.study.claims.claim_file import Claim
from losaw.study.claims.weighing import planned_of, weigh_claim
from losaw.study.errors import StudyError
from losaw.study.report.results import StudyResults
from losaw.study.report.tables import write_tables
from losaw.study.results.collect import collect
from losaw.study.results.compare import note_errors
from losaw.study.results.outputs import write_outputs
from losaw.study.results.summary import (
    complete_summary,
    effects,
    effects_by_run,
    paired_differences,
    short_summary,
    statistic,
    summarise,
)
from reference.in_process import execute, run

SOMETIMES = """
@register("metric", "sometimes")
class Sometimes:
    range, higher_is_better, needs, optional = (0.0, 1.0), True, "{needs}", {optional}

    def __call__(self, measured, truth):
        values = measured.scores if self.needs == "importance" else measured.test[1]
        return float("{value}") if values[0] > 0 else 0.5
"""


def test_the_manifest_of_a_run_without_failures_counts_none(computed):
    (plan,) = computed.session().plans
    write_outputs(plan)
    found = json.loads((plan.folder / "manifest.json").read_text())
    assert found["failed_rows"] == 0 and found["failures"] == {}
    assert (found["fits"], found["blocks"]) == (4 * 2 * 5, len(plan.blocks))
    assert (found["scale"], found["seeds"]) == ("smoke", [5])


def test_the_evidence_does_not_depend_on_the_cut_into_blocks(computed):
    cut = (run(computed.session()) / "blocks.csv").read_text()
    computed.edit("blocks: {seeds: 2}", "blocks: {inside: [n_samples], seeds: 3}")
    assert (run(computed.session()) / "blocks.csv").read_text() == cut


PLAIN = "  plain: {learner: marginal-slopes}"
JITTERED = "  jittered: {learner: marginal-slopes, jitter: 0.3}"


@pytest.mark.parametrize(
    "edit",
    [
        (f"{PLAIN}\n{JITTERED}", f"{JITTERED}\n{PLAIN}"),
        ("[r2_test, auc, pr_auc]", "[pr_auc, r2_test, auc]"),
        ("[0.5, 1.0]", "[1.0, 0.5]"),
    ],
    ids=["learners", "metrics", "settings"],
)
def test_the_evidence_does_not_depend_on_the_order_before_an_edit(project, edit):
    project.edit("[r2_test, pr_auc]", "[r2_test, auc, pr_auc]")
    run(project.session())
    project.edit(*edit)
    (plan,) = project.session().plans
    write_outputs(plan)  # no block is computed again
    edited = (plan.folder / "blocks.csv").read_bytes()
    shutil.rmtree(project.results)
    assert (run(project.session()) / "blocks.csv").read_bytes() == edited


@pytest.mark.parametrize("needs", ["importance", "prediction"])
@pytest.mark.parametrize(
    ("value", "optional", "fails"),
    [("nan", True, False), ("nan", False, True), ("inf", True, True), ("-inf", False, True)],
)
def test_a_value_that_is_not_finite_failed_but_for_an_optional_nan(
    computed, needs, value, optional, fails
):
    computed.edit("[r2_test, pr_auc]", "[r2_test, pr_auc, sometimes]")
    computed.narrow()
    computed.extend_plugin(SOMETIMES.format(needs=needs, value=value, optional=optional))
    if fails:
        with pytest.raises(StudyError, match=f"gave {value}, which no mean"):
            run(computed.session())
    folder = run(computed.session(max_failed_share=1.0))
    summary = pd.read_csv(folder / "summary.csv").groupby("metric")[["n_seeds", "n_failed"]].sum()
    n_lost = summary.loc["r2_test", "n_seeds"] - summary.loc["sometimes", "n_seeds"]
    assert n_lost > 0 and summary.loc["sometimes", "n_failed"] == n_lost * fails
    assert json.loads((folder / "manifest.json").read_text())["failed_rows"] == n_lost * fails


def test_the_manifest_lists_every_version_of_a_library(computed, monkeypatch):
    (plan,) = computed.session().plans
    first = next(iter(plan.blocks.values()))
    monkeypatch.setattr(block_file, "library_versions", lambda: {"numpy": "0.1"})
    compute(first.recipe, first.path)
    write_outputs(plan)
    libraries = json.loads((plan.folder / "manifest.json").read_text())["libraries"]
    assert libraries["numpy"] == f"0.1, {np.__version__}"


@pytest.mark.parametrize("seeds", [1, 3])
def test_a_summary_is_of_the_seeds_that_are_asked_for(computed, seeds):
    whole = run(computed.session()) / "summary.csv"
    before = whole.read_bytes()
    few = pd.read_csv(run(computed.session(seeds=seeds)) / "summary.csv")
    assert set(few["n_seeds"] + few["n_failed"]) == {seeds}
    assert whole.read_bytes() == before and seeds not in set(pd.read_csv(whole)["n_seeds"])


def test_a_failed_fit_lacks_each_of_its_values(computed):
    keys = ["setting_id", "learner", "importance", "metric"]
    whole = pd.read_csv(run(computed.session()) / "summary.csv")
    computed.edit("marginal-slopes}", "marginal-slopes, fail_share: 1.0}")
    folder = run(computed.session(max_failed_share=1.0))
    found = pd.read_csv(folder / "summary.csv")
    pd.testing.assert_frame_equal(found[keys], whole[keys])
    lost = found["learner"] == "plain"
    assert (found["n_failed"] == 5 * lost).all() and (found["n_seeds"] == 5 * ~lost).all()
    assert json.loads((folder / "manifest.json").read_text())["failed_rows"] == 4 * 2 * 5
    verdicts = pd.read_csv(folder / "comparison.csv").groupby("method")["verdict"].unique()
    assert list(verdicts["plain"]) == ["no value"] != list(verdicts["jittered"])


def test_learners_have_paired_differences_and_so_have_importances_of_a_learner():
    study = SimpleNamespace(
        learners=("a", "b"),
        importances=("i", "j"),
        axes=[],
        summaries={"m": "mean"},
        method_name=lambda *pair: " ".join(pair),
    )
    values = {
        ("a", "i"): (1.0, 2.0, 3.0),
        ("a", "j"): (3.0, 5.0, np.inf),  # which a summary does not count either
        ("b", "i"): (7.0, 9.0, np.inf),
        ("a", ""): (0.0, 0.0),
    }
    rows = [
        ("s", *method, seed, "m", value, "ok")
        for method, of_method in values.items()
        for seed, value in enumerate(of_method)
    ]
    columns = ["setting_id", "learner", "importance", "seed", "metric", "value", "status"]
    collection = SimpleNamespace(
        results=pd.DataFrame(rows, columns=columns), settings=pd.DataFrame({"setting_id": ["s"]})
    )
    found = paired_differences(study, collection).set_index(["method", "minus"])
    assert found["difference"].to_dict() == {("b i", "a i"): 6.5, ("a j", "a i"): 2.5}
    assert found.loc[("b i", "a i"), "mc_se"] == pytest.approx(0.5)


def test_a_short_summary_is_completed_again(computed):
    (plan,) = computed.session().plans
    write_outputs(plan)
    summary = pd.read_csv(plan.folder / "summary.csv").fillna({"importance": ""})
    text = io.StringIO(short_summary(summary).to_csv(index=False, float_format="%.7g"))
    short = pd.read_csv(text).fillna({"importance": ""})
    assert not {"study", "method", "mc_se", "n_failed"} & set(short.columns)
    pd.testing.assert_frame_equal(complete_summary(plan.study, short), summary, rtol=1e-6)


def comparison_of(project):
    session = project.session()
    execute(session)
    write_outputs(session.plans[0])
    return session, pd.read_csv(session.plans[0].folder / "comparison.csv")


def test_a_printed_standard_deviation_stands_beside_that_of_our_runs(computed):
    header, first, second = computed.published.read_text().splitlines()
    lines = [f"{header},published_sd", f"{first},0.25", f"{second},"]
    computed.published.write_text("\n".join(lines) + "\n")
    session, comparison = comparison_of(computed)
    assert list(comparison.columns[-2:]) == ["published_sd", "reproduced_sd"]
    keys = ["n_samples", "noise_variance", "metric", "method"]
    cells = comparison.set_index(keys)
    assert cells.loc[(30, 0.5, "r2_test", "plain"), "published_sd"] == 0.25
    assert cells["published_sd"].notna().sum() == 1
    results = pd.read_parquet(session.plans[0].folder / "results.parquet")
    axes = pd.read_csv(session.plans[0].folder / "settings.csv")
    results = results.merge(axes, on="setting_id")
    sd = results.groupby(["n_samples", "noise_variance", "metric", "learner"])["value"].std(ddof=1)
    for key, ours in cells["reproduced_sd"].items():
        assert ours == pytest.approx(sd.loc[key], rel=1e-9)


def test_without_a_printed_standard_deviation_there_is_no_column_for_it(computed):
    header, *rows = computed.published.read_text().splitlines()
    lines = [f"{header},published_sd", *(f"{row}," for row in rows)]
    computed.published.write_text("\n".join(lines) + "\n")
    _, comparison = comparison_of(computed)
    assert list(comparison.columns[-4:]) == ["verdict", "runs_to_decide", "explained", "noted"]


@pytest.mark.parametrize(
    ("part", "is_noted"), [(0.1, True), (0.19, True), (0.5, False), (1, False)]
)
def test_standard_errors_in_the_column_of_deviations_are_noted(part, is_noted):
    rows = [
        {"metric": "m", "published_sd": part * sd, "reproduced_sd": sd, "n_seeds": 20,
         "published_runs": 100.0, "noted": noted}
        for sd, noted in [(0.3, "known"), (0.2, ""), (0.25, ""), (math.nan, "")]
    ]  # fmt: skip
    note_errors(rows)
    assert ["its column is published_se" in row["noted"] for row in rows] == [is_noted] * 3 + [
        False
    ]
    assert rows[0]["noted"].startswith("known")
    few = [{**row, "n_seeds": 2, "noted": ""} for row in rows]
    note_errors(few)
    assert not any(row["noted"] for row in few)


@pytest.fixture
def named_by_importance(project):
    """One learner, two importances, methods named after the importance alone."""
    text = project.study_file.read_text()
    text = text.replace("  jittered: {learner: marginal-slopes, jitter: 0.3}\n", "")
    both = "importances:\n  first: {importance: reported}\n  second: {importance: reported}\n"
    text = text.replace("importances: [reported]\n", both + 'method: "{importance}"\n')
    project.study_file.write_text(text)
    project.published.write_text(
        project.published.read_text().splitlines()[0]
        + "\nTable 1,30,0.5,r2_test,plain,0.5,3,100,\nTable 1,30,0.5,pr_auc,first,0.5,3,100,\n"
    )
    return project


def test_a_metric_of_the_model_is_named_after_the_learner_where_no_importance_is(
    named_by_importance,
):
    _, comparison = comparison_of(named_by_importance)
    names = comparison.groupby("metric")["method"].unique()
    assert list(names["r2_test"]) == ["plain"]
    assert list(names["pr_auc"]) == ["first", "second"]
    printed = comparison[comparison["published"].notna()]
    assert sorted(printed["method"]) == ["first", "plain"]
    assert printed["z"].notna().all()


def test_a_metric_with_parameters_is_named_by_its_label(project):
    metrics = "{r2_test: {metric: r2_test}, first: {metric: feature_score, feature: X1}}"
    project.edit("[r2_test, pr_auc]", metrics)
    project.edit(", pr_auc: 0.1}", "}")
    project.published.write_text("\n".join(project.published.read_text().splitlines()[:2]) + "\n")
    _, comparison = comparison_of(project)
    assert set(comparison["metric"]) == {"r2_test", "first"}


@pytest.mark.parametrize("summary", ["sd", "median", "root-mean", 0.9])
def test_the_error_of_a_summary_is_its_deviation_between_simulations(summary):
    draws = np.random.default_rng(3).exponential(size=(4000, 200))
    taken = np.array([statistic(runs, summary) for runs in draws])
    error = taken[:, 0].std()
    law = {"sd": 1.0, "median": np.log(2), "root-mean": 1.0, 0.9: np.log(10)}
    assert taken[:, 0].mean() == pytest.approx(law[summary], abs=0.03)
    # The deviation's formula is that of normal runs: of exponential ones it is half as large.
    assert np.sqrt((taken[:, 1] ** 2).mean()) == pytest.approx(
        error * (0.53 if summary == "sd" else 1), rel=0.08
    )


def test_a_summary_other_than_the_mean_has_no_paired_difference(computed):
    computed.edit("metrics: [r2_test, pr_auc]", "metrics: {r2_test: {summary: median}, pr_auc: {}}")
    session = computed.session()
    study = session.study("tiny")
    collection = collect(session.plan("tiny"))
    summary = summarise(study, collection)
    values = collection.results[collection.results["metric"] == "r2_test"]
    medians = values.groupby(["setting_id", "learner"], observed=True)["value"].median().to_dict()
    ours = summary[summary["metric"] == "r2_test"].set_index(["setting_id", "learner"])["mean"]
    assert ours.to_dict() == pytest.approx(medians)
    assert {*paired_differences(study, collection)["metric"]} == {"pr_auc"}


@pytest.mark.parametrize("summary", ["mean", "sd", "median", "root-mean", 0.9])
def test_effects_of_runs_give_the_error_of_a_summary_and_of_a_difference(summary):
    def taken(runs):
        return runs.mean() if summary == "mean" else statistic(runs, summary)[0]

    rng, differences, errors = np.random.default_rng(5), [], []
    for _ in range(1000):
        common, *own = rng.exponential(size=(3, 2000))
        first, second = common + 0.5 * own[0], common + 0.5 * own[1]
        differences.append(taken(first) - taken(second))
        effect = effects(first, summary) - effects(second, summary)
        errors.append(effect.var(ddof=1) / 2000)
    assert np.sqrt(np.mean(errors)) == pytest.approx(np.std(differences), rel=0.1)


@pytest.mark.parametrize("summary", ["median", 0.9])
def test_a_quantile_of_one_run_has_no_error(summary):
    value, error = statistic(np.array([3.7]), summary)
    assert value == 3.7 and np.isnan(error)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("summary", "runs"), [("root-mean", [-3.0, 1.0]), ("sd", [1.0])])
def test_a_summary_that_runs_do_not_have_is_missing(summary, runs):
    assert np.isnan(statistic(np.array(runs), summary)).all()


def test_what_holds_of_means_alone_is_refused_of_another_summary(project):
    project.edit("[r2_test, pr_auc]", "{r2_test: {summary: median}, pr_auc: {}}")
    project.session()
    claim = {"says": "s", "place": "p", "study": "tiny", "metric": "pr_auc", "method": "plain"}
    claim |= {"relation": "above", "than": {"metric": "r2_test"}, "statistic": "deviation"}
    file = project.configuration.with_name("claims") / "tiny.yaml"
    file.parent.mkdir()
    file.write_text(
        json.dumps({"paper": "P", "title": "T", "studies": ["tiny"], "claims": [claim]})
    )
    with pytest.raises(StudyError, match=r"'statistic: deviation' of 'r2_test'.*leave 'statistic'"):
        project.session()
    file.unlink()
    project.replace(project.published, "note\n", "published_sd\n")
    project.replace(project.published, "made up", "0.2")
    project.session()  # of pr_auc, whose summary is the mean
    project.replace(project.published, "plain,0.5,3,100,", "plain,0.5,3,100,0.2")
    with pytest.raises(StudyError, match=r"line 2: published_sd of 'r2_test': .*give published_se"):
        project.session()


def test_decisions_that_are_summarised_otherwise_are_no_rate(project):
    metrics = "{r2_test: {}, pr_auc: {metric: top_share, summary: sd}, top_share: {}}"
    project.edit("[r2_test, pr_auc]", metrics)
    assert project.session().study("tiny").decisions == {"top_share"}


def test_two_metrics_of_a_run_are_compared_run_by_run(computed):
    computed.edit("[r2_test, pr_auc]", "{r2_test: {}, same: {metric: risk}, pr_auc: {}}")
    (plan,) = computed.session().plans
    folder, study = run(computed.session()), plan.study
    results = StudyResults(folder, study)
    claim = {"says": "", "place": "", "study": "tiny", "metric": "r2_test", "method": "plain"}
    claim = Claim(**claim, relation="below", than={"metric": "same"})
    arguments = claim, results.summary, study.decisions, planned_of(study)
    runs = effects_by_run(study, results.results)
    added, paired = (weigh_claim(*arguments, one).comparisons for one in (None, runs))
    values = results.results[results.results["learner"] == "plain"]
    wide = values.pivot(index=["setting_id", "seed"], columns="metric", values="value")
    by_setting = (wide["r2_test"] - wide["same"]).groupby("setting_id", sort=False)
    assert paired["std_error"].tolist() == pytest.approx((by_setting.std() / np.sqrt(5)).tolist())
    assert (added["std_error"] >= paired["std_error"]).all()


@pytest.mark.parametrize("values", [["01", "2"], ["1", "2.50"], ["NA", "true"], [True, "1e3"]])
def test_stored_tables_have_the_values_of_axes_that_the_study_has(project, values):
    first, last = values
    project.narrow()
    project.edit("  noise_variance: [0.5, 1.0]", f"  kind: {json.dumps(values)}")
    by_value = json.dumps({str(first): 0.1, str(last): 0.2})
    project.edit("jitter: 0.3", f"jitter: {{axis: kind, values: {by_value}}}")
    table = "{caption: c, rows: [metric, method], columns: [kind, n_samples]}"
    labels = f'{{"{first}": one, "{last}": other}}'
    more = f"learner_axes: [kind]\ntables: {{all: {table}}}\nlabels: {labels}\n"
    project.study_file.write_text(project.study_file.read_text() + more)
    (plan,) = project.session().plans
    results = StudyResults(run(project.session()), plan.study)
    for found in (results.summary, results.comparison, results.differences):
        assert set(found["kind"]) == set(values)
    write_tables(plan.study, results.comparison, plan.folder / "tables")
    text = (plan.folder / "tables" / "all.md").read_text()
    assert ("| one<br>" in text or "kind = one<br>" in text) and "| other<br>" in text


def test_an_axis_may_have_the_name_of_a_column_that_is_made_on_the_way(project):
    project.narrow()
    project.edit("  noise_variance: [0.5, 1.0]", "  pair: [0.0, 0.001]\n  text: [0.3]")
    project.edit("jitter: 0.3", "jitter: {axis: text}, pause: {axis: pair}")
    table = "{caption: c, rows: [metric, method], columns: [pair, text, n_samples]}"
    more = f"learner_axes: [pair, text]\ntables: {{all: {table}}}\n"
    project.study_file.write_text(project.study_file.read_text() + more)
    (plan,) = project.session().plans
    execute(project.session())
    write_outputs(plan)
    differences = pd.read_csv(plan.folder / "differences.csv")
    assert {*differences["pair"]} == {0.0, 0.001} and {*differences["text"]} == {0.3}
    write_tables(plan.study, pd.read_csv(plan.folder / "comparison.csv"), plan.folder / "tables")
    assert "| pair = 0.0<br>text = 0.3<br>" in (plan.folder / "tables" / "all.md").read_text()
