"""Columns of the comparison: standard deviations where a paper prints them, methods' names."""

import pandas as pd
import pytest

from losaw.study.results.outputs import write_outputs
from reference.in_process import execute


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


@pytest.mark.parametrize("added", ["", ",published_sd"])
def test_without_a_printed_standard_deviation_there_is_no_column_for_it(computed, added):
    header, *rows = computed.published.read_text().splitlines()
    empty = "," if added else ""
    computed.published.write_text(
        "\n".join([header + added, *(row + empty for row in rows)]) + "\n"
    )
    _, comparison = comparison_of(computed)
    assert list(comparison.columns[-3:]) == ["verdict", "explained", "noted"]


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
