"""Rows that are taken over: a metric that is new or changed is measured on stored scores."""

import pytest

from losaw.study.block import replicate
from reference.in_process import execute

OWN = """
from losaw.scoring.result import ImportanceResult


class _Own:
    range, higher_is_better, needs = (-9.0, 9.0), True, "importance"

    def __call__(self, result, truth):
        return float(self.value(result, truth))


@register("metric", "own-top")
class Top(_Own):
    def value(self, result, truth):
        return truth.is_signal[result.ranking_scores().argmax()] + len(result.feature_names)


@register("metric", "own-kind")
class Kind(_Own):
    def value(self, result, truth):
        return result.std_error_kind is None


@register("metric", "own-noise")
class Noise(_Own):
    def value(self, result, truth):
        try:
            return truth.noise_variance
        except Exception:
            return 0.0


@register("importance", "backwards")
class Backwards:
    def explain(self, model, data, rng):
        scores, names = -model.feature_importances_, data.feature_names
        return ImportanceResult(scores, names, higher_is_more=False)
"""
BORUTA = "{boruta: {n_estimators: 20, max_runs: 5}}"
CASES = {
    "new": ("[reported]", "[pr_auc]", "[pr_auc, auc]", 0, 0, ""),
    "of sizes": ("[reported]", "[pr_auc]", "[size_auc]", 0, 0, ""),
    "a parameter": (
        *("[reported]", "{a: {metric: top_share, k: 1}}", "{a: {metric: top_share, k: 2}}"),
        *(0, 0, ""),
    ),
    "a label": ("[reported]", "{a: {metric: risk}}", "{b: {metric: risk}}", 0, 0, ""),
    "repaired": (
        *("[reported]", "{a: {metric: feature_rank, feature: Z}}"),
        *("{a: {metric: feature_rank, feature: X2}}", 0, 0, ""),
    ),
    "of predictions": ("[reported]", "[pr_auc]", "[pr_auc, risk]", 8, 0, "no risk is stored"),
    "own": ("[reported]", "[pr_auc]", "[pr_auc, own-top]", 0, 0, ""),
    "own of errors": (
        "[reported]",
        "[pr_auc]",
        "[own-kind]",
        8,
        8,
        "own-kind needs std_error_kind",
    ),
    "own of the truth": ("[reported]", "[pr_auc]", "[own-noise]", 8, 8, "needs noise_variance"),
    "of details": (
        *("[reported]", "[pr_auc]", "{a: {metric: importance_detail, key: k}}", 8, 8),
        "plain reported: a needs details['k'], which is not stored",
    ),
    "decisions by p-values": ("[linear-coefficient]", "[pr_auc]", "[rejection_rate]", 0, 0, ""),
    "own decisions": (BORUTA, "[pr_auc]", "[rejection_rate]", 8, 8, "needs details"),
    "of an own importance": ("[backwards]", "[pr_auc]", "[auc]", 8, 8, "plugin's importance"),
}


@pytest.mark.parametrize("case", CASES)
def test_another_metric_is_measured_on_stored_scores_where_they_suffice(
    project, monkeypatch, capfd, case
):
    importances, before, after, n_fits, n_importances, said = CASES[case]
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
    assert calls == {"fit": n_fits, "checked": n_importances}
    assert said in log and ("computed again" in log) == bool(said), log
    assert taken == [path.read_bytes() for path in execute(project.session(), reuse=False)]
