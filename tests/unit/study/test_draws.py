"""The share of variance between draws of X: estimated from runs that share draws, and used."""

import math

import numpy as np
import pandas as pd
import pytest

from losaw.generators.losaw import LosawGenerator
from losaw.study.errors import StudyError
from losaw.study.results.agreement import Kind
from losaw.study.results.compare import compare
from losaw.study.results.draws import share_between
from losaw.study.results.lookup import lookup_of_shares
from losaw.study.results.outputs import measuring_first, write_outputs
from losaw.study.running.runner import execute

COLUMNS = ["n_samples", "metric", "method", "between_draws", "degrees_between", "degrees_within"]


def nested_runs(rng, between, within, n_draws=12, n_settings=4, n_runs=60):
    """Runs on draws chosen at random, in settings with different means."""
    frames = []
    for setting in range(n_settings):
        effects = between * rng.standard_normal(n_draws)
        draws = rng.integers(n_draws, size=n_runs)
        values = setting + effects[draws] + within * rng.standard_normal(n_runs)
        frames.append(pd.DataFrame({"setting_id": setting, "draw": draws, "value": values}))
    return pd.concat(frames)


@pytest.mark.parametrize(("between", "within"), [(0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (1.0, 0.1)])
def test_the_share_is_estimated_without_much_bias(between, within):
    rng = np.random.default_rng(0)
    found = [share_between(nested_runs(rng, between, within))[0] for _ in range(80)]
    truth = between**2 / (between**2 + within**2)
    # A share of .5 from 44 degrees of freedom deviates by .08, the mean of 80 by .009.
    # Where nothing lies between draws, cutting at 0 leaves half of the estimates above it.
    assert np.mean(found) == pytest.approx(truth, abs=0.03)


def test_degrees_of_freedom_are_those_of_all_settings():
    runs = pd.DataFrame(
        {"setting_id": [0] * 5 + [1] * 4, "draw": [0, 0, 1, 1, 2, 0, 0, 1, 1], "value": range(9)}
    )
    assert share_between(runs)[1:] == (2 + 1, 2 + 2)


@pytest.mark.parametrize("draws", [[0, 0, 0], [0, 1, 2]])
def test_without_two_draws_or_two_runs_of_one_nothing_is_known(draws):
    runs = pd.DataFrame({"setting_id": 0, "draw": draws, "value": [1.0, 2.0, 4.0]})
    assert math.isnan(share_between(runs)[0])


def test_a_share_is_looked_up_by_the_axes_that_it_was_measured_for():
    measured = pd.DataFrame(
        [[500, "r2_test", "RF", 0.2, 7, 40], [5000, "r2_test", "RF", 0.1, 7, 40]], columns=COLUMNS
    )
    known = lookup_of_shares(measured[COLUMNS[:4]])
    both = {"metric": "r2_test", "method": "RF"}
    assert known.find({"n_samples": 500, "function": "f1"} | both)["between_draws"] == 0.2
    assert known.find({"n_samples": 5000.0} | both)["between_draws"] == 0.1


@pytest.mark.parametrize(
    ("axes", "metric"),
    [({"n_samples": 750}, "r2_test"), ({}, "r2_test"), ({"n_samples": 500}, "x")],
)
def test_what_was_not_measured_counts_as_all_between(axes, metric):
    measured = pd.DataFrame([[500, "r2_test", "RF", 0.2, 7, 40]], columns=COLUMNS)
    cell = {**axes, "metric": metric, "method": "RF"}
    assert lookup_of_shares(measured[COLUMNS[:4]]).find(cell) is None
    assert lookup_of_shares(None).find(cell) is None and Kind().between_draws == 1.0


@pytest.fixture
def drawn(project):
    """A study whose runs note a draw (here, the kind of data is of no matter)."""
    text = project.study_file.read_text()
    text = text.replace(
        "generator: {name: normal-linear, correlation: heterogeneous}",
        "generator: {name: losaw, data_type: continuous, n_features: 6, function: f1, n_draws: 2,"
        " n_test: 50, n_independent: 50}",
    )
    text = text.replace("noise_variance: [0.5, 1.0]", "phi: [0.5, 1.0]")
    text = text.replace("[noise_variance, metric]", "[phi, metric]")
    text = text.replace(
        "metrics: [r2_test, pr_auc]",
        "metrics: {r2_test: {}, pr_auc: {}, draw: {metric: truth_detail, key: draw}}\n"
        "draws: {metric: draw, by: [n_samples]}",
    )
    text = text.replace("seeds: {smoke: 5,", "seeds: {smoke: 12,")
    project.study_file.write_text(text)
    published = project.folder / "config" / "published" / "tiny.csv"
    published.write_text(published.read_text().replace("noise_variance", "phi"))
    return project


def test_a_study_whose_runs_share_draws_leaves_a_table_of_shares(drawn):
    session = drawn.session()
    execute(session.plans[0].blocks, 1)
    write_outputs(session.plans[0])
    table = pd.read_csv(session.results / "tiny" / "draws.csv")
    assert list(table.columns) == COLUMNS
    assert set(table["method"]) == {"plain", "jittered", "jittered - plain"}
    assert set(table["metric"]) == {"r2_test", "pr_auc"} and len(table) == 2 * 2 * 3
    # Two settings, two draws each: one degree of freedom between in either.
    assert set(table["degrees_between"]) == {2} and set(table["degrees_within"]) == {20}


def test_an_unknown_axis_or_metric_of_the_draws_is_an_error(drawn):
    drawn.replace(drawn.study_file, "by: [n_samples]", "by: [n_sample]")
    with pytest.raises(StudyError, match="did you mean 'n_samples'"):
        drawn.session()


def test_a_measured_share_narrows_the_error_of_print(project):
    study = project.session().studies[0]
    summary = pd.DataFrame(
        {
            "setting_id": [study.settings[0].identifier],
            "metric": "r2_test",
            "method": "plain",
            "n_seeds": 40,
            "mean": 0.5,
            "sd": 0.1,
            "mc_se": 0.1 / math.sqrt(40),
        }
    )
    columns = ["table", "n_samples", "noise_variance", "metric", "method", "published"]
    published = pd.DataFrame(
        [["Table 1", 30, 0.5, "r2_test", "plain", 0.6]], columns=columns
    ).assign(decimals=3, published_runs=250, published_draws=1, note=None)
    measured = pd.DataFrame([[30, "r2_test", "plain", 0.04, 7, 40]], columns=COLUMNS)
    wide, narrow = (
        compare(study, summary, published, known).dropna(subset=["z"]).iloc[0]
        for known in (None, measured[COLUMNS[:4]])
    )
    assert wide["verdict"] == "undecidable" and narrow["verdict"] == "differs"
    error = math.sqrt(0.01 / 40 + 0.01 * (0.04 + 0.96 / 250) + 1e-6 / 12)
    assert narrow["high"] - narrow["low"] == pytest.approx(2 * 1.685 * error, rel=0.01)


def test_studies_that_measure_are_summarised_first(drawn):
    plan = drawn.session().plans[0]
    text = drawn.study_file.read_text().replace("draws: {metric: draw, by: [n_samples]}", "")
    other = drawn.study_file.with_name("other.yaml")
    other.write_text(text.replace("study: tiny", "study: other"))
    drawn.replace(drawn.configuration, "studies: [tiny]", "studies: [other, tiny]")
    plans = drawn.session().plans
    assert [one.study.name for one in plans] == ["other", "tiny"]
    assert [one.study.name for one in measuring_first(plans)] == ["tiny", "other"]
    assert plan.study.file.draws is not None


def test_fixed_draws_of_x_are_the_same_in_every_run_and_for_every_function():
    def samples(function, seed):
        generator = LosawGenerator(
            data_type="discrete", n_samples=20, n_features=7, phi=0.1, function=function, n_draws=3
        )
        data = generator.sample(np.random.default_rng(seed))
        return data.truth.details["draw"], data.train

    found = {}
    for function in ("f3", "f5"):
        for seed in range(12):
            draw, train = samples(function, seed)
            assert np.array_equal(found.setdefault(draw, train.X), train.X)
    assert sorted(found) == [0, 1, 2]
    first, second = found[0.0], found[1.0]
    assert not np.array_equal(first, second)
    assert not np.array_equal(samples("f3", 0)[1].y, samples("f3", 1)[1].y)


def test_a_measuring_study_that_is_not_there_is_an_error(drawn):
    text = drawn.study_file.read_text()
    drawn.study_file.write_text(text + "between_draws: tyni\n")
    with pytest.raises(StudyError, match="did you mean 'tiny'"):
        drawn.session()
