"""What only a fit or a drawing finds is found by a trial, before the first job."""

import re
from types import SimpleNamespace

import pytest

from losaw.study import trial
from losaw.study.errors import StudyError
from losaw.study.rules import Run
from reference.fresh_python import fresh_python

METRICS = "metrics: [r2_test, pr_auc]"
LEARNER = "{learner: marginal-slopes, jitter: 0.3}"
LINES = "metric-lines, options: {metrics: [r2_test], axis: "
HUNDREDFOLD = """

@register("metric", "hundredfold")
class Hundredfold:
    range, higher_is_better, needs = (0.0, 1.0), True, "importance"

    def __call__(self, result, truth):
        return 100.0 * (1 + np.argmax(result.ranking_scores()))
"""


@pytest.fixture
def start(project, monkeypatch):
    """Start the first job of the tiny project: what a run of Snakemake calls before it."""
    monkeypatch.setattr("losaw.study.rules.use_one_thread", lambda: None)  # it sets variables
    monkeypatch.setattr(Run, "compile", lambda self: None)

    def start():
        run = Run(project.configuration, {}, is_main=True)
        job = SimpleNamespace(
            rule=SimpleNamespace(name="block"),
            wildcards=SimpleNamespace(study="tiny"),
            output=[run.blocks[0]],
        )
        reason = SimpleNamespace(forced=False, missing_output=False)
        run.start(SimpleNamespace(needrun_jobs=lambda: [job], reason=lambda job: reason))

    return start


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (METRICS, "metrics: {r2_test: {}, pr_auc: {}, a: {metric: feature_score, feature: X88}}",
         r"metrics\.a\.feature: .*unknown feature 'X88' \(known: X1, "),
        (METRICS, "metrics: {r2_test: {}, pr_auc: {}, a: {metric: rejection_rate}}",
         r"metrics\.a: .*the importance has no p-values"),
        (METRICS, "metrics: {r2_test: {}, pr_auc: {}, a: {metric: hundredfold}}",
         r"metrics\.a: the metric 'a' gave \d+, outside of its own range, 0 to 1; correct"),
        (LEARNER, "{learner: random-forest, n_estimators: many}",
         r"learners\.jittered\.n_estimators: .*an int in the range \[1, inf\).* Got 'many'"),
        (LEARNER, "{learner: losaw-forest, n_estimators: 2, eta: 25}",
         r"learners\.jittered\.eta: .*a number in \(0, 1\], got 25"),
        (LEARNER, "{learner: marginal-slopes, jitter: [x, 1]}",
         r"learners\.jittered: .*\(plugin\.py:32\)"),
        ("tables:", f"figures: {{a: {{drawing: {LINES}n_samples}}}}}}\ntables:",
         r"figures\.a\.options: where: several settings .* same value of 'n_samples'"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_message_with_its_place_before_the_first_job(
    project, start, old, new, words
):
    project.extend_plugin(HUNDREDFOLD)
    project.edit(old, new)
    with pytest.raises(SystemExit, match=rf"(?s)losaw: \S+tiny\.yaml: line \d+: {words}"):
        start()


@pytest.mark.parametrize("error", ["SystemExit('bye')", "SystemExit", "RuntimeError('boom')"])
@pytest.mark.parametrize(
    ("method", "place"), [("fit", "learners.jittered"), ("predict", "metrics.r2_test")]
)
def test_a_method_that_ends_its_process_by_an_exception_fails_like_any_other(
    project, start, error, method, place
):
    name = error.partition("(")[0]
    body = f"def {method}(self, *arguments):\n    raise {error}\n"
    project.extend_plugin(f"\n\n{body}\n\nMarginalSlopes.{method} = {method}\n")
    project.edit(
        "plain: {learner: marginal-slopes}", "plain: {learner: sklearn.linear_model.Ridge}"
    )
    project.edit("[reported]", "[pfi-difference]")
    with pytest.raises(SystemExit, match=rf"losaw: \S+tiny.*{place}.*{name}.*\(plugin\.py:\d+\)"):
        start()


@pytest.mark.parametrize(
    ("body", "is_noted"),
    [
        ("os._exit(3)", True),
        ("time.sleep(600)", True),
        ("multiprocessing.get_context('fork').Pool(1).map(abs, [1])", False),
        (
            "os.write(1, b'words'); MarginalSlopes.n_fits += 1; 1 / (MarginalSlopes.n_fits > 1)",
            False,
        ),
    ],
    ids=["ends its process", "hangs", "has processes of its own", "fails by chance"],
)
def test_what_a_fit_does_is_left_to_its_job_where_it_is_no_mistake_for_certain(
    project, start, monkeypatch, capfd, body, is_noted
):
    monkeypatch.setattr(trial, "PATIENCE", 1.0 if "sleep" in body else 5.0)
    text = "\n\nimport multiprocessing, os\nMarginalSlopes.n_fits = 0\n\n\n"
    text += f"def fit(self, X, y):\n    {body}\n"
    project.extend_plugin(text + "    return _fit(self, X, y)\n\n\n")
    project.extend_plugin("_fit = MarginalSlopes.fit\nMarginalSlopes.fit = fit\n")
    start()
    said = capfd.readouterr()
    assert "words" not in said.out
    assert ("losaw: study 'tiny': its trial ended early" in said.err) == is_noted


def test_the_kinds_of_parameters_are_known_where_a_class_says_them(project):
    """XGBRegressor hands most of its parameters on by ``**``, and says nothing of them."""
    project.edit(LEARNER, "{learner: xgboost.XGBRegressor, n_estimators: 3, max_depth: two}")
    project.session()
    for old, new, words in (
        (
            "xgboost.XGBRegressor, n_estimators: 3, max_depth: two",
            "network, n_steps: many",
            "n_ste",
        ),
        (
            "n_steps: many",
            "kernel_sizes: [5, wide]",
            r"kernel_sizes: .*integer.*, got \[5, 'wide'\]",
        ),
        ("[5, wide]", "5", "kernel_sizes: .*array, got 5"),
        ("kernel_sizes: 5", "learning_rate: fast", "learning_rate: .*number.*, got 'fast'"),
    ):
        project.edit(old, new)
        with pytest.raises(StudyError, match=f"tiny.yaml: line 10: learners.jittered.{words}"):
            project.session()


NEEDS = """
from pathlib import Path
from losaw.study.session import Session
from losaw.study.trial import needs_kernels
for text in {texts!r}:
    Path({study!r}).write_text(text)
    print(needs_kernels(Session(Path({configuration!r})).plans))
"""


def test_a_study_of_linear_models_waits_for_no_kernel(project, tmp_path):
    project.narrow()
    linear, forest = "sklearn.linear_model.Ridge", "plain-forest, n_estimators: 2"
    texts, needs = [], []
    for learner, importance, is_needed in (
        ("marginal-slopes, jitter: 0.3", "reported", False),
        (linear, "pfi-difference", False),
        (linear, "cpi-gaussian", True),
        (forest, "pfi-difference", True),
    ):
        text = re.sub("{learner: .*}", f"{{learner: {learner}}}", project.study_file.read_text())
        texts.append(text.replace("[reported]", f"[{importance}]"))
        needs.append(f"{is_needed}")
    files = {"study": str(project.study_file), "configuration": str(project.configuration)}
    folder = str(tmp_path / "nothing compiled")
    done = fresh_python(NEEDS.format(texts=texts, **files), NUMBA_CACHE_DIR=folder)
    assert done.stdout.split() == needs
