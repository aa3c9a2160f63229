"""A budget cuts in a fixed order and reports each cut."""

import time
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from losaw.explaining import api
from losaw.explaining import clock as clock_module
from losaw.explaining.api import chosen_methods, read_budget
from losaw.explaining.clock import Clock
from losaw.explaining.design import METHODS, Pilot, cut, full_design, small_part
from losaw.explaining.models import fit_each
from losaw.explaining.preparing import prepare
from losaw.kernels.compiled import COMPILING
from losaw.support.errors import LosawError

FREE = dict.fromkeys(("rows", "folds", "permutations", "draws"))
DATA = prepare(pd.DataFrame({"x": np.arange(2e4) ** 2, "y": np.arange(2e4)}), "y")
FULL = full_design(DATA, tuple(METHODS), FREE)
SECONDS = {"fits": 0.3, "mdi": 0.05, "ufi": 0.05, "losaw": 1.0, "pfi": 0.1, "cpi": 0.5, "loco": 2.0}
SECONDS["draws"] = 0.5
NAMES = tuple("abcdefgh")


def cost(design, seconds=SECONDS, power=1.1, constant=0.0):
    """Seconds of each part: on any rows the same, and a power of the rows that it works on."""
    parts = {}
    for part, of_pilot in seconds.items():
        rows = min(design.rows, {"losaw": 5_000, "draws": 2_000}.get(part, design.rows)) / 500
        if part in ("fits", "mdi", "ufi", "losaw", "loco"):
            rows *= (1 - 1 / design.folds) / (1 - 1 / 3)
        parts[part] = of_pilot * (constant + (1 - constant) * rows**power)
    return parts


def pilot_of(seconds=SECONDS, **law):
    design = small_part(DATA, FULL, np.random.default_rng(0))[1]
    trials = ((n, cost(replace(design, rows=n), seconds, **law)) for n in (250, 500))
    return Pilot(design, NAMES, tuple(trials))


PILOT = pilot_of()


def seconds(design, n_features=10):
    return PILOT.of(design, n_features)


def test_nothing_is_cut_where_there_is_time():
    assert cut(FULL, FREE, PILOT, 10, 1e6) == (FULL, [])
    assert (FULL.rows, FULL.folds, FULL.permutations, FULL.draws) == (20_000, 10, 5, 3)
    assert FULL.losaw_rows == 5_000


def test_less_time_never_computes_more_and_never_fewer_folds():
    designs = [cut(FULL, FREE, PILOT, 10, 2.0**power)[0] for power in range(16, 2, -1)]
    assert [seconds(d) for d in designs] == sorted((seconds(d) for d in designs), reverse=True)
    assert designs[0] == FULL and "loco" not in designs[-1].methods
    assert {design.folds for design in designs} == {10}


def test_draws_go_first_then_rows_then_loco():
    draws = replace(FULL, permutations=2, draws=1)
    assert cut(FULL, FREE, PILOT, 10, seconds(draws) * 1.01 / 0.95)[0] == draws
    rows, said = cut(FULL, FREE, PILOT, 10, seconds(draws) * 0.5 / 0.95)
    assert 5_000 <= rows.rows < 20_000 and rows.methods == FULL.methods
    assert said[0].startswith("rows: ") and "(everything would take about" in said[0]
    less = seconds(replace(draws, rows=5_000)) * 0.9 / 0.95
    without, said = cut(FULL, FREE, PILOT, 10, less)
    assert set(FULL.methods) - set(without.methods) == {"loco"}
    text = "LOCO is left out where draws of CPI do not fail their test"  # else it decides
    assert any(words.startswith(text) for words in said)
    # The time is there again, for draws and rows.
    assert (without.rows, without.permutations, without.draws) == (20_000, 5, 3)


def test_what_cannot_be_kept_is_said():
    design, said = cut(FULL, FREE, PILOT, 3_000, 30.0)
    assert "cpi" not in design.methods and "losaw" not in design.methods
    assert {"LOCO is left out", "CPI is left out", "losawRF is left out"} <= set(said)
    assert not any("draws of CPI" in words for words in said)  # of which there are none
    of_cpi = cut(replace(FULL, methods=("cpi",)), FREE, PILOT, 3_000, 30.0)[1]
    assert not any("of PFI" in words for words in of_cpi)
    untried = pilot_of({"fits": 0.3, "mdi": 0.1, "ufi": 0.1, "pfi": 0.1})
    design, said = cut(FULL, FREE, untried, 10, 300.0)
    assert design.methods == ("mdi", "ufi", "pfi")
    assert "longer than could be tried" in said[0]
    slow = pilot_of({**SECONDS, "fits": 60.0})
    assert "the budget cannot be kept" in cut(FULL, FREE, slow, 10, 20.0)[1][-1]


@pytest.mark.parametrize(
    ("part", "without", "rounds"),
    [
        (1.06, "", 30),
        (0.7, "", 19),
        (0.4, "loco", 30),
        (0.35, "loco", 28),
        (0.2, "loco", 15),
        (0.15, "loco,losaw", 20),
        (0.1, "loco,losaw,cpi", 30),
    ],
)
def test_an_audit_has_fewer_rounds_before_a_method_is_left_out(part, without, rounds):
    full = replace(FULL, rounds=30, rows=400, n_rows=400)
    pilot = PILOT._replace(trials=((400, SECONDS),))
    budget = part * pilot.of(replace(full, permutations=2, draws=1), 5)
    design, said = cut(full, FREE, pilot, 5, budget)
    assert set(full.methods) - set(design.methods) == set(filter(None, without.split(",")))
    assert design.rounds == rounds
    is_said = any(f"rounds: {rounds} in place of 30" in words for words in said)
    assert is_said == (rounds < 30)
    fixed = cut(full, FREE | {"rounds": 30}, pilot, 5, budget)[0]
    assert fixed.rounds == 30 and len(fixed.methods) <= len(design.methods)


def test_what_the_user_fixes_is_not_cut():
    fixed = FREE | {"rows": 5000, "folds": 8}
    full = full_design(DATA, tuple(METHODS), fixed)
    design, _ = cut(full, fixed, PILOT, 10, 10.0)
    assert (design.rows, design.folds, design.draws) == (5000, 8, 1)
    assert design.options().startswith("--methods ") and "--rows 5000 --folds 8" in design.options()


@pytest.mark.parametrize(
    ("methods", "said", "unsaid"),
    [(("loco",), "--folds", "--permutations --draws"), (("pfi",), "--permutations", "--draws")],
)
def test_the_options_of_a_design_are_those_that_its_methods_use(methods, said, unsaid):
    options = full_design(DATA, methods, FREE).options()
    assert said in options and not any(word in options for word in unsaid.split())


def test_more_folds_than_rows_are_refused_and_few_rows_have_fewer():
    rows = np.arange(400)
    frame = pd.DataFrame({"x": rows**2, "who": rows % 40, "y": rows})
    of_40 = prepare(frame, "y", cluster="who")
    assert full_design(of_40, ("pfi",), FREE).folds == 10
    with pytest.raises(LosawError, match="40 clusters cannot be put into 41 folds"):
        full_design(of_40, ("pfi",), FREE | {"folds": 41})
    few = pd.DataFrame(np.random.default_rng(0).standard_normal((12, 3)), columns=list("xzy"))
    words = "^12 different rows, whose copies stay in one fold, cannot be put into 20 folds"
    with pytest.raises(LosawError, match=words):
        full_design(prepare(few.iloc[rows % 12], "y"), ("pfi",), FREE | {"folds": 20})
    of_2 = replace(prepare(few.iloc[rows % 12], "y"), clusters=rows % 2)
    with pytest.raises(LosawError, match=r"^there are 2 different rows, .* fold; 3 at least are"):
        full_design(of_2, ("pfi",), FREE)
    of_6 = prepare(frame.assign(who=rows % 6), "y", cluster="who")
    assert full_design(of_6, ("pfi",), FREE).folds == 6


@pytest.mark.parametrize(("singles", "remedy"), [(6, ", or --folds 6$"), (10, r" for all\)$")])
def test_drawn_rows_of_too_few_clusters_are_refused_with_what_to_do(singles, remedy):
    """Of 12 clusters, some have one row each, of which none is drawn."""
    who = np.r_[np.arange(singles), singles + np.arange(3000 - singles) % (12 - singles)]
    frame = pd.DataFrame({"x": np.random.default_rng(0).random(3000), "who": who})
    frame["y"] = np.random.default_rng(1).random(3000)
    options = api.SharedOptions("forest", "pfi", FREE | {"rows": 200}, None, 0.1, None, False, 0)
    words = f"200 rows in use are of {12 - singles} clusters, too few for 10 folds: .*--rows 3000"
    with pytest.raises(LosawError, match=words + ".*" + remedy.replace("6", str(12 - singles))):
        api.begin(frame, "y", options, None, None, "who", ())
    options.fixed |= {"rows": 3000}
    assert len(np.unique(api.begin(frame, "y", options, None, None, "who", ())[1].clusters)) == 12


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("90s", 90),
        ("2 m", 120),
        ("1.5h", 5400),
        ("45", 45),
        ("5 min", 300),
        ("1m30s", 90),
        ("1h 2 min 3.5 s", 3723.5),
        ("1.5 min", 90),
        (30, 30.0),
        (None, None),
        ("none", None),
    ],
)
def test_budgets_are_read(text, found):
    assert read_budget(text) == found


@pytest.mark.parametrize(
    "text", ["soon", "", "-2m", True, "5", "30d", "500ms", "1m 20", float("nan"), []]
)
def test_what_is_not_a_budget_is_refused(text):
    with pytest.raises(LosawError, match="budget must be"):
        read_budget(text)


def test_methods_are_chosen_by_name():
    assert chosen_methods(None) == tuple(METHODS)
    assert chosen_methods("LOCO, cpi,losawRF,") == ("losaw", "cpi", "loco")
    with pytest.raises(ValueError, match="did you mean 'pfi'"):
        chosen_methods("pfii")
    for none in ([], "", " , "):
        with pytest.raises(LosawError, match="names none"):
            chosen_methods(none)


def test_waiting_while_loops_are_compiled_does_not_count():
    """On a busy machine compiling takes longer by the clock than of the processor."""
    other = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=time.sleep)})
    clock = Clock(False)
    with clock.part("fits"):
        COMPILING.on_start(other)
        time.sleep(0.3)
        COMPILING.on_end(other)
    assert clock.seconds["fits"] < 0.2


def test_what_a_first_call_loads_is_not_scaled_with_the_table(monkeypatch):
    loading = iter([2.0])
    monkeypatch.setattr(api, "fit_each", lambda *a: time.sleep(next(loading, 0)) or fit_each(*a))
    options = api.SharedOptions("forest", "mdi", FREE, 60, 0.1, None, False, 0)
    design = replace(FULL, methods=("mdi",))
    tried = api.try_out(DATA, design, options, np.random.default_rng(0))
    assert [rows for rows, _ in tried.trials] == [250, 500]
    assert all(seconds["fits"] < 2.0 for _, seconds in tried.trials)


@cache
def table(n_features):
    random = np.random.default_rng(0).random((20_000, n_features + 1))
    return prepare(pd.DataFrame(random), "0")


@pytest.mark.parametrize("budget", [40, 50])
@pytest.mark.parametrize("power", [1.0, 1.1, 1.2])
@pytest.mark.parametrize("constant", [0.0, 0.5])
@pytest.mark.parametrize("n_features", [8, 30])
def test_a_budget_is_used_and_kept(monkeypatch, budget, power, constant, n_features):
    """On a machine whose seconds are a constant and a power of the rows; trials are counted."""
    now, law = [0.0], {"power": power, "constant": constant}
    seconds = {part: of_pilot / 4 for part, of_pilot in SECONDS.items()}

    def run(data, design, seed, options, features, limit=np.inf):
        parts = cost(replace(design, rows=len(data.y)), seconds, **law)
        now[0] += sum(parts.values())
        return SimpleNamespace(clock=SimpleNamespace(seconds=parts))

    monkeypatch.setattr(clock_module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(api, "compute", run)
    monkeypatch.setattr(api, "prepare", lambda *a, **k: table(n_features))
    options = api.SharedOptions("forest", None, FREE, budget, 0.1, None, False, 0)
    design = api.begin(None, "0", options, None, None, None, ())[2]
    assert 500 < design.rows < 20_000
    exact = cost(design, seconds, **law)
    used = now[0] + PILOT._replace(trials=((design.rows, exact),)).of(design, n_features)
    assert 0.9 * budget <= used <= 1.1 * budget
