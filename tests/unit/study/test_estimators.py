"""Estimators in place of learners: a simulation study without feature importance."""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from losaw.study.block.block_file import digest_of
from losaw.study.claims.claim_file import Claim
from losaw.study.claims.weighing import planned_of, weigh_claim
from losaw.study.contracts import check_file
from losaw.study.errors import StudyError
from losaw.study.estimates import Estimate, by_estimand, data_and_truths
from losaw.study.registry import get
from losaw.study.report.page.design import design
from losaw.study.report.results import StudyResults
from losaw.study.report.tables import arrange, to_markdown
from losaw.study.results.summary import statistic
from losaw.study.session import Session
from losaw.study.trial import try_out
from losaw.study.verify import Line, compute_line
from reference.in_process import run

pytestmark = pytest.mark.usefixtures("plugins_forgotten")
EXAMPLE = Path(__file__).parents[3] / "examples" / "estimator"
PRINTED = "table,law,n,metric,method,published,decimals,published_runs\n"
# Of an exponential law the coverage at n = 10 is .9004, by ten million draws.
COVERAGE = {"normal": 0.95, "exponential": 0.9004}

TWO = """
@register("generator", "moments")
def moments(rng, *, n=20):
    return rng.standard_normal(n), {"mean": 0.0, "variance": 1.0}

@register("estimator", "both")
def both(y, rng, *, spoil=False, named="variance"):
    found = {"mean": Estimate(y.mean()), named: Estimate(y.var(ddof=1), 0.1)}
    y *= 100.0 if spoil else 1.0
    return found
"""
OF_BOTH = {
    "generator: two-laws": "generator: moments",
    "settings: {law: [normal, exponential], n: [10, 50, 200]}": "settings: {n: [20]}",
    "  t95: {estimator: t-interval}": "  spoils: {estimator: both, spoil: true}\n  both: {}",
    "[bias, empirical_se, model_se, rmse, coverage, rejection]": "{bias: {estimand: each}}",
    "inside: [law, n]": "inside: [n]",
    "columns: [law, n]": "columns: [n, method]",
}


@pytest.fixture
def session_of(tmp_path, monkeypatch):
    """A session of a copy of the example, with other words in its study file."""
    shutil.copytree(EXAMPLE, tmp_path / "example", ignore=shutil.ignore_patterns("results"))
    monkeypatch.chdir(tmp_path / "example")
    with Path("intervals.py").open("a") as plugin:
        plugin.write(TWO)

    def session(edits=(), **asked):
        file = Path("config/studies/mean_interval.yaml")
        for old, new in dict(edits).items():
            assert file.read_text().count(old) == 1, old
            file.write_text(file.read_text().replace(old, new))
        return Session(Path("config/config.yaml"), {"scale": "smoke", **asked})

    return session


def test_the_example_has_its_coverage_and_is_compared_claimed_and_verified(session_of):
    Path("config/published").mkdir()
    lines = [f"Performance,{law},10,coverage,t95,{p},4,10000" for law, p in COVERAGE.items()]
    Path("config/published/mine.csv").write_text(PRINTED + "\n".join(lines))
    edits = {"tables:": "published: mine.csv\nmargins: {coverage: 0.06}\ntables:"}
    session = session_of(edits, seeds=400, n=10)
    (plan,) = session.plans
    results = StudyResults(run(session), plan.study)
    cells = results.summary.set_index(["law", "metric"])
    for law, truth in COVERAGE.items():
        found = cells.loc[(law, "coverage"), "mean"]
        assert found == pytest.approx(truth, abs=4 * np.sqrt(truth * (1 - truth) / 400))
    settings = pd.DataFrame([{"setting_id": s.identifier, **s.axes} for s in plan.settings])
    values = results.results.merge(settings, on="setting_id")
    errors = values[values["metric"] == "bias"].groupby("law")["value"]
    assert cells.xs("rmse", level="metric")["mean"].to_dict() == pytest.approx(
        errors.apply(lambda e: np.sqrt((e**2).mean())).to_dict()
    )
    assert cells.xs("empirical_se", level="metric")["mean"].to_dict() == pytest.approx(
        errors.std().to_dict()  # of the estimates, whose true value is constant
    )
    text = to_markdown(arrange(plan.study, "performance", results.comparison))
    (error,) = re.findall(r"\n\| bias \| .*?\((.*?)\)", text)
    assert len(error) == 2 - np.floor(np.log10(float(error)))  # two digits, as none is printed
    box = dict(design(plan.study, results.summary).itertuples(index=False))
    assert box["Aim"] == plan.study.file.title and box["Runs"] == "400 runs a setting"
    assert box["Data"].startswith("two-laws: Numbers of a") and "n 10, 50, 200" in box["Data"]
    assert (
        box["Estimand"] == "mean, 1 in the first setting" and "coverage: The" in box["Performance"]
    )
    printed = results.comparison[results.comparison["published"].notna()]
    assert {*printed["verdict"]} == {"agrees"}
    study = plan.study
    claim = {"says": "", "place": "", "study": study.name, "metric": "coverage", "method": "t95"}
    weighed = [
        weigh_claim(
            Claim(**claim, where={"law": "exponential", "n": 10}, relation=relation, than=0.95),
            *(results.summary, study.decisions, planned_of(study)),
        ).verdict
        for relation in ("below", "above")
    ]
    assert weighed == ["supported", "contradicted"]
    line = pd.read_csv(results.folder / "blocks.csv").to_dict("records")[0]
    rows = compute_line(study, Line(results.folder, **line))
    assert digest_of(rows, {}) == line["rows_sha256"]


# MIsim of rsimsum: mean and deviation of 1,000 estimates of .5, how many intervals cover it and
# how many tests reject; then the printed mean squared error and the errors of four measures.
MISIM = {
    "CC": (0.5168, 0.1511, 943, 946, 0.0231, (0.0048, 0.0034, 0.0073, 0.0071)),
    "MI_LOGT": (0.5009, 0.1320, 949, 969, 0.0174, (0.0042, 0.0030, 0.0070, 0.0055)),
    "MI_T": (0.4988, 0.1344, 943, 963, 0.0181, (0.0043, 0.0030, 0.0073, 0.0060)),
}


@pytest.mark.parametrize("method", MISIM)
def test_a_published_simulation_has_the_errors_that_it_prints(method):
    mean, deviation, n_covered, n_rejected, square, printed = MISIM[method]
    z = np.random.default_rng(1).standard_normal(1000)
    values = mean + deviation * (z - z.mean()) / z.std(ddof=1)
    runs = [
        {"": Estimate(v, 0.1, 0.4 if i < n_covered else 0.6, 0.7, 0.01 if i < n_rejected else 0.9)}
        for i, v in enumerate(values)
    ]

    def measured(name):
        metric = get("metric", name).load()
        of_runs = np.array([metric(run, {"": 0.5}) for run in runs])
        if metric.summary == "mean":
            return of_runs.mean(), of_runs.std(ddof=1) / np.sqrt(1000)
        return statistic(of_runs, metric.summary)

    names = ("bias", "empirical_se", "coverage", "rejection")
    found = np.array([measured(name) for name in names])
    shares = n_covered / 1000, n_rejected / 1000
    assert found[:, 0] == pytest.approx([mean - 0.5, deviation, *shares], abs=1e-9)
    assert found[:, 1] == pytest.approx(printed, abs=6e-5)  # four decimals are printed
    assert measured("rmse")[0] ** 2 == pytest.approx(square, abs=6e-5)
    assert measured("model_se") == pytest.approx((0.1, 0.0))


def test_each_estimand_has_a_metric_and_no_estimator_spoils_the_data_of_another(session_of):
    session = session_of(OF_BOTH)
    folder = run(session)
    summary = pd.read_csv(folder / "summary.csv").set_index(["metric", "learner"])["mean"]
    assert list(session.plans[0].study.metrics) == ["bias_mean", "bias_variance"]
    assert summary["bias_mean", "both"] == summary["bias_mean", "spoils"]


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([{"estimators:": "importances: [mdi]\nestimators:"}], "this one has both"),
        ([{"estimators:\n  t95: {estimator: t-interval}\n": ""}], "this one has neither"),
        ([{"t-interval}": "t-intervall}"}], "estimators.t95: .* did you mean 't-interval'"),
        ([{"t-interval}": "t-interval, levle: 0.9}"}], "t95.levle: .*did you mean 'level'"),
        ([{"[bias,": "[pr_auc,"}], "metrics.pr_auc: measures importances, and .* has estimators"),
        ([{"two-laws": "{name: normal-linear, correlation: heterogeneous}", "columns: [law, n]":
           "columns: [n_samples]", "law: [normal, exponential], n: [": "n_samples: [",
           "[law, n], s": "[n_samples], s"}], "generator: .*returned Dataset; for estimators"),
        ([OF_BOTH, {"{estimand: each}": "{}"}], "metrics.bias: .*name the estimand"),
        ([OF_BOTH, {"{bias: {": "{rmse: {estimand: varianz}, bias: {"}], "'varianz'"),
        ([OF_BOTH, {"{bias: {": "{m: {metric: model_se, estimand: mean}, bias: {"}],
         "metrics.m: .*does not state what"),
        ([OF_BOTH, {"  both: {}": "  both: {named: sd}"}], "estimators.both: .*estimand 'sd'"),
    ],
)  # fmt: skip
def test_a_slip_is_named_before_the_first_job(session_of, edits, words):
    if edits[0] is OF_BOTH:
        session_of(OF_BOTH)
    with pytest.raises(StudyError, match=words):
        try_out(session_of(edits[-1]).plans[0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Estimate(np.nan), "finite"),
        (lambda: Estimate(1.0, std_error=-0.1), "0 or more"),
        (lambda: Estimate(1.0, low=2.0, high=1.0), "at most high"),
        (lambda: Estimate(1.0, low=2.0), "at most high"),
        (lambda: Estimate(1.0, p_value=1.1), "between 0 and 1"),
        (lambda: by_estimand(1.0, {"a": 0.0}), "returned float; return an Estimate"),
        (lambda: by_estimand(Estimate(1.0), {"a": 0.0, "b": 0.0}), "several estimands .a, b."),
        (lambda: data_and_truths(np.zeros(3)), "returned ndarray"),
        (lambda: data_and_truths((1, {"a": np.inf})), "finite"),
        (lambda: data_and_truths((1, {})), "one or more"),
    ],
)
def test_what_is_no_estimate_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


BOTH = {"a": 0.0, "b": 5.0}


@pytest.mark.parametrize(
    ("estimates", "truths", "options", "expected"),
    [
        ({"a": Estimate(0.5)}, BOTH, {}, "name the estimand, or each, of a, b"),
        ({"b": Estimate(5.5)}, BOTH, {}, "name the estimand, or each, of a, b"),
        ({}, BOTH, {}, "name the estimand, or each, of a, b"),
        ({"b": Estimate(5.5)}, BOTH, {"estimand": "b"}, 0.5),
        ({"b": Estimate(5.5)}, BOTH, {"estimand": "a"}, "gives no estimate of 'a'; optional: true"),
        ({"b": Estimate(5.5)}, BOTH, {"estimand": "a", "optional": True}, np.nan),
        ({"b": Estimate(5.5)}, BOTH, {"estimand": "c"}, "unknown estimand 'c'"),
        ({}, {"a": 0.0}, {}, "gives no estimate of 'a'; optional: true"),
        ({}, {"a": 0.0}, {"optional": True}, np.nan),
        ({0: Estimate(0.5), 1: Estimate(5.5)}, {"0": 0.0, "1": 5.0}, {"estimand": "1"}, 0.5),
    ],
)
def test_the_truth_and_not_the_estimator_says_which_estimand_is_measured(
    estimates, truths, options, expected
):
    metric = get("metric", "bias").create(**options)
    found = by_estimand(estimates, truths)
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=expected):
            metric(found, truths)
    else:
        assert metric(found, truths) == pytest.approx(expected, nan_ok=True)


PLUGIN = (EXAMPLE / "intervals.py").read_text()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("", "", None),
        ("    test = ", "    data -= 0.1\n    test = ", None),  # of its own copy
        ("(data), error", "(data) + rng.normal(), error", None),  # a bootstrap draws
        ("(data), error", "(data) + np.random.rand(), error", "global generator"),
        ("(data), error", "(data) + ANY.normal(), error", "two equal calls estimate diff"),
        ("return Estimate(", "return tuple(", "raised TypeError"),
        ("return y, {", "return {}, {", "two streams give the same data"),
        ("1 + rng.standard_normal(n)", "ANY.normal(size=n)", "two draws from the same stream"),
        ('return y, {"mean": 1.0}', "return y, 1.0", "the generator returned tuple"),
        ('@register("generator", "two-laws")', "", "no generator of data and true values"),
    ],
)
def test_a_check_finds_what_is_wrong_with_an_estimator_or_its_generator(tmp_path, old, new, words):
    text = PLUGIN.replace(old, new) if old else PLUGIN
    assert not old or PLUGIN.count(old) == 1
    text = text.replace("\n\n@reg", "\n\nANY = np.random.default_rng(0)\n\n\n@reg", 1)
    (tmp_path / "mine.py").write_text(text)
    found = [outcome.message for outcome in check_file(tmp_path / "mine.py") if outcome.message]
    assert (not found) if words is None else any(words in message for message in found), found
