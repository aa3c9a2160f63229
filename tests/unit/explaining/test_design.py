"""A budget cuts in a fixed order and reports each cut."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from losaw.explaining.design import (
    Costs,
    cut,
    errors_needed,
    folds_needed,
    full_design,
    read_budget,
)
from losaw.explaining.methods import DEFAULT, METHODS, chosen_methods
from losaw.scoring.one_sided_tests import adjust
from losaw.support.errors import LosawError

COSTS = Costs(
    rows=1000, fit=1e-3, losaw_fit=3e-2, scoring=1e-4, prediction=1e-5, draws=0.5,
    n_features=10, n_groups=2,
)  # fmt: skip
FREE = {"rows": None, "losaw_rows": None, "folds": None, "permutations": None, "draws": None}
FULL = full_design(20_000, DEFAULT, FREE)


def seconds(design):
    return sum(COSTS.seconds(design).values())


def test_nothing_is_cut_where_there_is_time():
    assert cut(FULL, FREE, COSTS, 1e6) == (FULL, [])
    assert (FULL.rows, FULL.folds, FULL.permutations, FULL.draws) == (20_000, 10, 5, 3)


def test_less_time_never_computes_more():
    designs = [cut(FULL, FREE, COSTS, 2.0**power)[0] for power in range(16, 2, -1)]
    assert [seconds(d) for d in designs] == sorted((seconds(d) for d in designs), reverse=True)
    assert designs[0] == FULL and "loco" not in designs[-1].methods


def test_draws_go_first_then_rows_of_losaw_then_rows_and_folds_last():
    draws = replace(FULL, permutations=2, draws=1)
    assert cut(FULL, FREE, COSTS, seconds(draws) * 1.01 / 0.7)[0] == draws
    losaw, said = cut(FULL, FREE, COSTS, seconds(draws) * 0.9 / 0.7)
    assert losaw.rows == 20_000 and losaw.losaw_rows < 20_000 and losaw.folds == 10
    assert said[0].startswith("rows of losawRF: ") and "(everything would take about" in said[0]
    assert len(said) == 3
    rows, _ = cut(FULL, FREE, COSTS, seconds(draws) * 0.5 / 0.7)
    assert rows.losaw_rows <= rows.rows < 20_000 and rows.folds == 10
    assert COSTS.seconds(rows)["losaw"] <= 0.4 * seconds(draws) * 0.5
    tight = [cut(FULL, FREE, COSTS, 2.0**power / 4)[0] for power in range(14, 0, -1)]
    folds = next(design for design in tight if design.folds < 10)
    assert (folds.folds, folds.rows) == (5, 5000)


@pytest.mark.parametrize(("n_features", "folds"), [(2, 5), (10, 5), (50, 7), (200, 10), (5000, 10)])
def test_folds_are_not_cut_below_what_the_test_needs(n_features, folds):
    assert folds_needed(n_features, 0.1) == folds
    needed = errors_needed(folds, n_features, 0.1)
    p_value = stats.t.sf(needed, folds - 1)
    # The first step of Benjamini and Hochberg: a single p-value of so many is just selected.
    p_values = np.array([p_value, *[0.9] * (n_features - 1)])
    assert adjust(p_values, "benjamini-hochberg")[0] == pytest.approx(0.1)
    for time in (0.1, 5.0, 20.0, 80.0):
        assert cut(FULL, FREE, COSTS, time, fewest_folds=folds)[0].folds >= folds


def test_a_budget_of_several_runs_is_shared():
    ten, said = cut(FULL, FREE, COSTS, 600.0, times=10)
    assert ten == cut(FULL, FREE, COSTS, 60.0)[0]
    hours = 10 * seconds(FULL) / 3600
    assert f"everything would take about {hours:.1f} h" in said[0]


def test_what_fits_into_the_budget_is_planned_with_room_to_spare():
    for time in (30.0, 120.0, 600.0):
        assert seconds(cut(FULL, FREE, COSTS, time)[0]) <= 0.7 * time


def test_what_the_user_fixes_is_not_cut():
    asked = FREE | {"rows": 5000, "folds": 8}
    full = full_design(20_000, DEFAULT, asked)
    design, _ = cut(full, asked, COSTS, 0.1)
    assert (design.rows, design.folds, design.draws) == (5000, 8, 1)


def test_options_ask_for_the_same_design():
    text = FULL.options()
    assert (
        "--rows 20000 --losaw-rows 20000 --folds 10 --permutations 5 --draws 3 --budget none"
        in text
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("90s", 90),
        ("2m", 120),
        ("1.5h", 5400),
        ("2 min", 120),
        ("45", 45),
        (30, 30.0),
        ("1m30s", 90),
        ("1 h 30 min", 5400),
    ],
)
def test_budgets_are_read(text, found):
    assert read_budget(text) == found


def test_no_budget():
    assert read_budget(None) is None and read_budget("none") is None


@pytest.mark.parametrize("text", ["soon", "", "-2m", True, "5", "30d", "500ms", "1m 20"])
def test_what_is_no_budget_is_refused(text):
    with pytest.raises(LosawError, match="budget must be"):
        read_budget(text)


def test_methods_are_chosen_by_name():
    assert chosen_methods(None) == DEFAULT
    assert chosen_methods("LOCO, cpi,losawRF") == ("losaw", "cpi", "loco")
    assert chosen_methods(["mdi-oob"]) == ("mdi_oob",)
    with pytest.raises(LosawError, match="did you mean 'pfi'"):
        chosen_methods("pfii")
    with pytest.raises(LosawError, match="names none"):
        chosen_methods([])
    assert set(DEFAULT) <= set(METHODS)
