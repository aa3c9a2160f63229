"""Which method: what is said follows from the numbers, and is not said of noise."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from losaw.study.report.advice import advice, decisions_by_design, ranks_by_design, values_by_design
from losaw.study.report.best_methods import ranking_by
from losaw.study.report.drawings.ranking import rank_sets
from losaw.study.report.style import FIRST
from losaw.study.report.typeset import markdown

from .conftest import STUDY, read_study

SEEDS = 30
OF_DESIGNS = (
    "metrics: {pr_auc: {}, found: {metric: rejection_rate, optional: true}, "
    "wrong: {metric: false_share, optional: true}}\n"
    "ranking: {metric: pr_auc, by: n_samples, decisions: [found, wrong]}"
)
COSTS = {f"{learner}/{part}": 1.0 for learner in ("RF", "losawRF") for part in ("", "mdi", "ufi")}


@pytest.fixture
def designs(tmp_path):
    text = STUDY.partition("margins:")[0].replace("compare: [losawRF, RF]\n", "")
    text = text.replace("metrics: [r2_test, pr_auc]", OF_DESIGNS)
    return read_study(tmp_path, text.replace("importances: [mdi]", "importances: [mdi, ufi]"))


def results(study, added, decided=("RF mdi", "RF ufi")):
    """pr_auc of noise, to which ``added(method, n_samples)`` is added, and decisions."""
    rng, rows = np.random.default_rng(5), []
    for setting in study.settings:
        for method in study.methods:
            learner, importance = method.split()
            n = setting.axes["n_samples"]
            for seed in range(SEEDS):
                value = rng.random() + added(method, n)
                found = (0.4, 0.0) if method == "RF mdi" else (0.9, 0.2)
                values = {"pr_auc": value, **dict(zip(("found", "wrong"), found, strict=True))}
                for metric, one in values.items():
                    if metric == "pr_auc" or method in decided:
                        rows.append((setting.identifier, learner, importance, seed, metric, one))
    columns = ["setting_id", "learner", "importance", "seed", "metric", "value"]
    return pd.DataFrame(rows, columns=columns).assign(status="ok")


def test_of_pure_noise_no_method_is_said_to_be_best(designs):
    ranking = ranking_by(designs, results(designs, lambda *_: 0.0, ()), {})
    (sentence,) = advice(designs, ranking)
    assert sentence.startswith("**Who is best** is not known: 60 data sets tell no method apart")
    assert "**" not in ranks_by_design(designs, ranking).to_csv()
    assert decisions_by_design(designs, ranking).empty


def test_who_wins_in_one_design_only_is_said_of_that_design(designs):
    def added(method, n):
        return 2.0 * (method == ("RF ufi" if n == 100 else "losawRF mdi"))

    who, false, costs = advice(designs, ranking_by(designs, results(designs, added), COSTS))
    assert "In 2 of 2 designs methods can be told apart" in who
    winner = "RF ufi" if "Over all designs RF ufi" in who else "losawRF mdi"
    other, where = ("losawRF mdi", 1000) if winner == "RF ufi" else ("RF ufi", 100)
    assert f"it is not among the best in {where} (there {other})" in who
    assert "Of 2 methods that decide, RF mdi has the smallest share of false ones" in false
    assert "and finds 40 % of the causes; RF ufi finds the most, 90 %, with 20 % false" in false
    assert "2 s a data set" in costs


def test_of_one_method_that_decides_none_is_said_to_be_the_smallest(designs):
    ranking = ranking_by(designs, results(designs, lambda *_: 0.0), COSTS)
    ranking.loc[ranking["method"] != "RF ufi", ["found", "false"]] = np.nan
    (false,) = (one for one in advice(designs, ranking) if "findings are false" in one)
    assert "RF ufi alone decides: the share of false ones among what it finds is 20 %" in false
    assert "smallest" not in false and "finds the most" not in false


@pytest.mark.parametrize("sizes", [["100", "1000"], ["1000"]])
def test_a_method_that_always_wins_is_bold_in_every_column_that_was_run_and_alone(designs, sizes):
    found = results(designs, lambda method, _: 2.0 * (method == "RF mdi"))
    found = found[found["setting_id"].str.split("_").str[0].isin(sizes)]
    ranking = ranking_by(designs, found, COSTS)
    assert "best mean rank, and all others are told apart from it" in advice(designs, ranking)[0]
    table = ranks_by_design(designs, ranking).set_index("method")
    assert table.columns.tolist() == ["all", *sizes, "CPU s"]
    bold = table.map(lambda cell: cell.startswith("**1.0 (1–1)"))
    assert bold.loc["RF mdi"].tolist() == [True] * (1 + len(sizes)) + [False]
    assert bold.to_numpy().sum() == 1 + len(sizes)


def test_the_picture_has_a_bar_of_places_for_each_method_and_blue_ones_where_one_is_best(designs):
    found = results(designs, lambda method, n: 2.0 * (method == "RF mdi" and n == 100))
    (ax,) = rank_sets(designs, SimpleNamespace(results=found)).axes
    bars = [one for one in ax.collections if isinstance(one, LineCollection)]
    lengths = [np.ptp(bar, axis=0)[0] for bar in bars[1].get_segments()]
    assert [len(one.get_segments()) for one in bars] == [4] * 3
    assert lengths == pytest.approx([0, 0.5, 0.5, 0.5])
    blue = [sum(to_hex(c) == FIRST.lower() for c in one.get_colors()) for one in bars]
    assert blue[1:] == [1, 0]


def test_the_few_that_are_worse_are_named_in_place_of_the_many_that_may_be_best(designs):
    found = results(designs, lambda method, _: -2.0 * (method == "losawRF ufi"))
    who = advice(designs, ranking_by(designs, found, {}))[0]
    assert "; told apart from it, and worse: losawRF ufi. In 2 of 2 designs" in who
    assert who.endswith("it is among the best in all.")


@pytest.mark.parametrize(
    ("wins", "said"),
    [
        # of the method that was not run among 1000 rows
        ((100, 1000), "In 2 of 2 designs methods can be told apart; it has no value in 1000, and i"
         "s among the best in all others."),
        ((1000,), "In 1 of 2 designs methods can be told apart; it has no value in 1000."),
    ],
)  # fmt: skip
def test_a_method_does_not_lose_where_it_was_not_run(designs, wins, said):
    def added(method, n):
        return 2.0 * (n in wins and method == ("RF ufi" if n == 100 else "losawRF mdi"))

    found = results(designs, added)
    is_ufi = (found["learner"] == "RF") & (found["importance"] == "ufi")
    found = found[~(is_ufi & found["setting_id"].str.startswith("1000"))]
    ranking = ranking_by(designs, found, COSTS)
    if wins == (1000,):  # let it lead by chance
        ranking.loc[(ranking["of"] == "") & (ranking["method"] == "RF ufi"), "rank"] = 1.0
        ranking = ranking.sort_values("rank", kind="stable")
        ranking = ranking.sort_values("of", kind="stable")
        ranking.loc[ranking["of"] == "", "best_place"] = 1
    who, *_, costs = advice(designs, ranking)
    assert "Over the designs that all methods share" in who and "the designs that all" in costs
    assert who.endswith(said) and "there" not in who


def test_methods_that_share_no_setting_have_a_row_each(designs):
    found = results(designs, lambda method, _: 2.0 * (method in ("RF mdi", "losawRF mdi")))
    found = found[(found["learner"] == "RF") == found["setting_id"].str.startswith("1000")]
    ranking = ranking_by(designs, found, COSTS)
    assert advice(designs, ranking) == []
    table = ranks_by_design(designs, ranking).set_index("method")
    assert [*table] == ["100", "1000", "CPU s"] and len(table) == 4
    assert table["100"].to_dict() == {
        "losawRF mdi": "**1.0 (1–1)**", "losawRF ufi": "2.0 (2–2)", "RF mdi": "", "RF ufi": ""
    }  # fmt: skip
    assert len(values_by_design(designs, ranking)) == 4
    assert len(decisions_by_design(designs, ranking)) == 2


@pytest.mark.parametrize("label", ["a*b*", "a|b", "a`b`"])
def test_a_label_of_a_ranking_is_no_markup(designs, label):
    designs.file.labels.update({"RF mdi": label, "100": f"{label} "})
    found = results(designs, lambda method, n: 2.0 * (method == "RF mdi" and n == 100))
    ranking = ranking_by(designs, found, COSTS)
    shown = markdown(label)
    assert f"Over all designs {shown} has" in advice(designs, ranking)[0]
    table = ranks_by_design(designs, ranking)
    assert shown in list(table["method"]) and f"{shown} " in table


def test_small_values_are_shown(designs):
    ranking = ranking_by(designs, results(designs, lambda *_: 0.0), {})
    usual = values_by_design(designs, ranking)
    assert usual.iloc[0, 1].count("") == 4  # a point and two digits
    ranking["mean"] *= 1e-5
    small = values_by_design(designs, ranking)
    assert (small.iloc[:, 1:].map(lambda text: float(text.replace("–", "0"))) > 0).to_numpy().all()
