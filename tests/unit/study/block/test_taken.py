"""Rows that are taken over: a metric that is new or changed is measured on stored scores."""

import pytest

from losaw.study.block import replicate
from losaw.study.block.block_file import read_block
from reference.in_process import execute

OWN = """
from losaw.scoring.result import ImportanceResult
from losaw.study.metrics.metric import Metric
from losaw.study.registry import add


def _noise(result, truth):
    try:
        return truth.noise_variance
    except Exception:
        return 0.0


top = Metric(lambda result, truth: truth.is_signal[result.ranking_scores().argmax()])
kind = Metric(lambda result, truth: result.std_error_kind is None)
noise = Metric(_noise)
end = Metric(lambda result, truth: __import__("os").abort())
for _name in ("top", "kind", "noise", "end"):
    add("metric", f"own-{_name}", f"{__name__}:{_name}")


@register("importance", "backwards")
class Backwards:
    def explain(self, model, data, rng):
        scores, names = -model.feature_importances_, data.feature_names
        return ImportanceResult(scores, names, higher_is_more=False)
"""
BORUTA, TESTED = "{boruta: {n_estimators: 20, max_runs: 5}}", "[linear-coefficient]"
TOP, RANK = "{a: {metric: top_share, k: %d}}", "{a: {metric: feature_rank, feature: %s}}"
DETAIL = "{a: {metric: importance_detail, key: k}}"
# Importances, metrics before and after; how many fits and importances are computed, and why.
CASES = [
    ("[reported]", "[pr_auc]", "[pr_auc, auc, size_auc]", 0, 0, ""),
    ("[reported]", TOP % 1, TOP % 2, 0, 0, ""),
    ("[reported]", "{a: {metric: risk}}", "{b: {metric: risk}}", 0, 0, ""),
    ("[reported]", RANK % "Z", RANK % "X2", 0, 0, ""),  # of a metric that has failed
    ("[reported]", "[pr_auc]", "[own-top]", 0, 0, ""),
    (TESTED, "[pr_auc]", "[rejection_rate]", 0, 0, ""),
    (TESTED, "[pr_auc]", "[false_share]", 0, 0, ""),  # the signal that is stored says enough
    (BORUTA, "[pr_auc]", "[rejection_rate]", 8, 8, "rejection_rate needs details"),
    ("[reported]", "[pr_auc]", "[pr_auc, risk]", 8, 0, "no risk is stored"),
    ("[reported]", "[pr_auc]", "[own-kind]", 8, 8, "own-kind needs std_error_kind"),
    ("[reported]", "[pr_auc]", "[own-noise]", 8, 8, "own-noise needs noise_variance"),
    ("[reported]", "[pr_auc]", DETAIL, 8, 8, "plain reported: a needs details['k'], which is not"),
    ("[backwards]", "[pr_auc]", "[auc]", 8, 8, "auc needs the direction of a plugin's importance"),
]


@pytest.mark.parametrize(("importances", "before", "after", "fits", "explained", "said"), CASES)
def test_another_metric_is_measured_on_stored_scores_where_they_suffice(
    project, monkeypatch, capfd, importances, before, after, fits, explained, said
):
    project.extend_plugin(OWN)
    project.narrow()
    project.edit("smoke: 5", "smoke: 2")
    project.edit("importances: [reported]", f"importances: {importances}")
    project.edit("metrics: [r2_test, pr_auc]", f"metrics: {before}")
    execute(project.session())
    project.edit(f"metrics: {before}", f"metrics: {after}")
    calls = {"fit": 0, "checked": 0}
    for name in calls:
        real = getattr(replicate, name)

        def counted(*arguments, name=name, real=real):
            calls[name] += 1
            return real(*arguments)

        monkeypatch.setattr(replicate, name, counted)
    capfd.readouterr()
    taken = [path.read_bytes() for path in execute(project.session())]
    log = capfd.readouterr().out
    assert calls == {"fit": fits, "checked": explained}
    assert said in log and ("computed again" in log) == bool(said), log
    assert taken == [path.read_bytes() for path in execute(project.session(), reuse=False)]


def test_a_metric_that_ends_its_process_ends_those_of_learners_in_the_second_attempt(project):
    project.extend_plugin(OWN)
    project.narrow()
    execute(project.session())
    project.edit("metrics: [r2_test, pr_auc]", "metrics: [own-end]")
    (first, *_) = execute(project.session(), apart=True)
    assert {row["status"] for row in read_block(first).table.to_pylist()} == {"failed"}
