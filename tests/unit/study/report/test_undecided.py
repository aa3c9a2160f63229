"""What is undecided is listed with what it costs, and what is measured together shares its runs."""

import pandas as pd
import pytest

from losaw.study.claims.claim_file import Claim
from losaw.study.claims.weighing import TIMES, runs_lacking, weigh_claim
from losaw.study.report.undecided import costs_by_study, open_points, together, undecided_table

CELLS = [  # n_samples, metric, method, runs, runs_to_decide, outcome
    (100, "r2_test", "RF", 40, "76", "undecided"),
    (100, "pr_auc", "RF", 40, "112", "undecided"),  # the same runs, and twice as many
    (1000, "pr_auc", "losawRF", 40, "3640", "undecided"),
    (100, "pr_auc", "losawRF", 40, "39", "undecided"),  # about as many as were run
    (1000, "pr_auc", "RF", 40, "never", "cannot be decided by runs"),
    (1000, "r2_test", "RF", 1, "", "no error at hand"),
]
COSTS = "seconds_per_seed: [{n_samples: 100, seconds: 10}, {learner: losawRF, seconds: 36}]\n"


@pytest.fixture
def points(study):
    names = ["n_samples", "metric", "method", "n_seeds", "runs_to_decide", "outcome"]
    cells = pd.DataFrame(CELLS, columns=names).assign(function="f3", study="made")
    ids = {one.axes["n_samples"]: one.identifier for one in study.settings}
    cells["setting_id"] = cells["n_samples"].map(ids)
    path = study.source.path
    path.write_text(path.read_text() + COSTS)
    return open_points({"made": type(study)(path)}, cells, [])


def test_points_of_one_setting_and_learner_share_runs_and_the_cheapest_come_first(points):
    table = undecided_table(points)
    hours = [10 / 3600, 360 / 3600, 720 / 3600, 3600 * 36 / 3600]
    assert table["core_hours"].head(4).tolist() == pytest.approx(hours, abs=1e-4)
    sums = [10 / 3600, 370 / 3600, 730 / 3600, 730 / 3600 + 36]
    assert table["core_hours_together"].head(4).tolist() == pytest.approx(sums, abs=1e-4)
    words = ["39", "76", "112", "3640", "never"]
    assert table["runs_to_decide"].tolist() == [*words, "no error at hand"]
    assert table["core_hours_together"].isna().sum() == 2
    *_, runs = together(points)
    assert {(fit.learner, fit.seconds): n for fit, n in runs.items()} == {
        ("losawRF", 10): 1, ("RF", 10): 72, ("losawRF", 36): 3600
    }  # fmt: skip
    _, last = costs_by_study(table).to_dict("records")
    assert [*last.values()][1:6] == ["1", "2", "", "1", "2"]


NEAR = {"relation": "near", "than": 0.5, "margin": 0.06}


@pytest.mark.parametrize(
    ("changes", "decisions"),
    [
        ({"relation": "above", "than": 0.48}, ()),
        ({"relation": "above", "than": 0.45}, ("m",)),
        (NEAR, ()),
        ({"relation": "at most", "than": {"method": "B"}}, ()),
        ({"relation": "at least", "than": {"where": {"n": 200}}, "where": {"n": 100}}, ()),
    ],
)
def test_so_many_times_the_runs_decide_a_claim_and_the_next_fewer_do_not(changes, decisions):
    mean = {("A", 100): 0.52, ("A", 200): 0.5, ("B", 100): 0.45, ("B", 200): 0.47}
    rows = [
        {"study": "s", "setting_id": str(n), "n": n, "learner": f"of {method}", "importance": "",
         "method": method, "metric": "m", "n_seeds": 20, "mean": value, "sd": 0.2}
        for (method, n), value in mean.items()
    ]  # fmt: skip

    def with_runs(times):
        summary = pd.DataFrame(rows)
        n_seeds = summary["n_seeds"] * times
        return summary.assign(n_seeds=n_seeds, mc_se=summary["sd"] / n_seeds**0.5)

    claim = Claim(says="A", place="here", study="s", metric="m", method="A", **changes)
    weighed = weigh_claim(claim, with_runs(1), decisions, {})
    times, lacks = runs_lacking(weighed, with_runs(1))
    before = max((one for one in TIMES if one < times), default=1)
    verdicts = [weigh_claim(claim, with_runs(k), decisions, {}).verdict for k in (before, times)]
    assert verdicts[0] == weighed.verdict == "undecided" != verdicts[1]
    has_two = changes["than"] == {"method": "B"}
    assert {learner for _, learner in lacks} == {"of A", *["of B"] * has_two}
    assert len(lacks) == 2 + 2 * has_two
    assert set(lacks.values()) == {round(20 * (times - 1))}


def test_a_claim_whose_sides_are_equal_is_decided_by_no_number_of_runs():
    row = {"study": "s", "setting_id": "1", "n": 1, "learner": "A", "importance": "", "method": "A",
           "metric": "m", "n_seeds": 20, "mean": 0.5, "sd": 0.2, "mc_se": 0.04}  # fmt: skip
    claim = Claim(says="A", place="here", study="s", metric="m", method="A", relation="above",
                  than=0.5)  # fmt: skip
    assert runs_lacking(weigh_claim(claim, pd.DataFrame([row]), (), {}), pd.DataFrame([row])) == (
        0,
        {},
    )
