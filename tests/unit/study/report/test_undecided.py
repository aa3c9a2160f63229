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


def test_points_of_one_setting_and_learner_share_runs_and_the_cheapest_come_first(study):
    names = ["n_samples", "metric", "method", "n_seeds", "runs_to_decide", "outcome"]
    cells = pd.DataFrame(CELLS, columns=names).assign(study="made")
    ids = {one.axes["n_samples"]: one.identifier for one in study.settings}
    path = study.source.path
    path.write_text(path.read_text() + COSTS)
    cells["setting_id"] = cells["n_samples"].map(ids)
    points = open_points({"made": type(study)(path)}, cells, [])
    table = undecided_table(points)
    numbers = table[["runs_to_decide", "core_hours", "core_hours_together"]].head(4)
    expected = {"39": (10, 10), "76": (360, 370), "112": (720, 730), "3640": (129600, 130330)}
    for needed, *hours in numbers.itertuples(index=False):
        assert hours == pytest.approx([seconds / 3600 for seconds in expected[needed]], abs=1e-4)
    assert list(table["runs_to_decide"]) == [*expected, "never", "no error at hand"]
    *_, runs = together(points)
    lacking = {("losawRF", 10): 1, ("RF", 10): 72, ("losawRF", 36): 3600}
    assert {(fit.learner, fit.seconds): n for fit, n in runs.items()} == lacking
    costs = costs_by_study(table)
    assert costs.columns.name is None
    _, last = costs.to_dict("records")
    assert [*last.values()][1:6] == ["1", "2", "", "1", "2"]


@pytest.mark.parametrize(
    ("changes", "decisions"),
    [
        ({"relation": "above", "than": 0.48}, ()),
        ({"relation": "above", "than": 0.45}, ("m",)),
        ({"relation": "near", "than": 0.5, "margin": 0.06}, ()),
        ({"relation": "above", "than": 0.52, "where": {"n": 100}}, ()),  # exactly so: never
        ({"relation": "at most", "than": {"method": "B"}}, ()),
        ({"relation": "at least", "than": {"where": {"n": 200}}, "where": {"n": 100}}, ()),
    ],
)
def test_so_many_times_the_runs_decide_a_claim_and_fewer_do_not(changes, decisions):
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
    weighed, *others = (weigh_claim(claim, with_runs(k), decisions, {}) for k in (1, *TIMES))
    times, lacks = runs_lacking(weighed, with_runs(1))
    decided = [k for k, one in zip(TIMES, others, strict=True) if one.verdict != "undecided"]
    assert weighed.verdict == "undecided" and times == min(decided, default=0)
    named = ["of A", *["of B"] * (changes["than"] == {"method": "B"})]
    further = {(n, one): round(20 * (times - 1)) for n in ("100", "200") for one in named}
    assert lacks == (further if times else {})
