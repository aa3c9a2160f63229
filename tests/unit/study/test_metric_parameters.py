"""Metrics with parameters: labels in the study file, checked before anything runs."""

from losaw.study.results.outputs import write_outputs
from reference.in_process import execute

WITH_PARAMETERS = """metrics:
  r2_test: {metric: r2_test}
  first: {metric: feature_score, feature: X1}
"""


def with_metrics(project, text):
    project.replace(project.study_file, "metrics: [r2_test, pr_auc]\n", text)
    project.replace(project.study_file, ", pr_auc: 0.1}", "}")
    published = project.study_file.parents[1] / "published" / "tiny.csv"
    published.write_text(published.read_text().splitlines()[0] + "\n")


def test_a_metric_s_label_stands_in_the_comparison(project):
    with_metrics(project, WITH_PARAMETERS)
    session = project.session(seeds=2)
    execute(session)
    write_outputs(session.plans[0])
    text = (session.plans[0].folder / "comparison.csv").read_text()
    assert ",first," in text and ",r2_test," in text
