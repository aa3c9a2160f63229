"""One reader, one rule of kinds: forests, importances, explain and audit agree on odd columns.

Of tables.reading, tables.columns, forest.forest_columns.
"""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import losaw
from losaw.explaining.preparing import prepare
from losaw.forest import LosawRandomForestRegressor
from losaw.importance import pfi
from losaw.support.errors import LosawError
from losaw.tables import read_table
from losaw.tables.columns import few_levels

N = 200
RNG = np.random.default_rng(1)
ROW = np.arange(N)
HOLES = ROW % 4 == 0
SIZES = pd.CategoricalDtype(["S", "M", "L"], ordered=True)


def odd():
    """Columns and their kinds."""
    return {
        "noise": (RNG.standard_normal(N), "continuous"),
        "coin": (ROW % 2, "discrete"),
        "bool": (ROW % 2 == 0, "nominal"),
        "boolean": (pd.array(ROW % 2 == 0, dtype="boolean"), "nominal"),
        "ten whole": (ROW % 10, "discrete"),
        "eleven whole": (ROW % 11, "continuous"),
        "months": (ROW % 12 + 1, "continuous"),
        "seventeen whole": (ROW % 17, "continuous"),
        "halves": ((ROW % 5) / 2, "discrete"),
        "rounded": (np.round(RNG.standard_normal(N), 1), "continuous"),
        "negative codes": (ROW % 3 - 5.0, "discrete"),
        "tiny floats": ((ROW % 4) * 1e-9, "discrete"),
        "large whole": ((ROW % 6) * 10**12, "discrete"),
        "mostly zero": (np.where(ROW % 11 == 0, RNG.lognormal(size=N), 0.0), "continuous"),
        "Int64": (pd.array(ROW % 7, dtype="Int64"), "discrete"),
        "Float64": (pd.array(RNG.standard_normal(N), dtype="Float64"), "continuous"),
        "int8": ((ROW % 9).astype("int8"), "discrete"),
        "decimals": ([decimal.Decimal(int(i % 4)) / 4 for i in ROW], "discrete"),
        "objects": (np.array([int(i) % 5 for i in ROW], dtype=object), "discrete"),
        "ordered": (pd.Categorical.from_codes(ROW % 3, dtype=SIZES), "discrete"),
        "nominal": (pd.Categorical(np.array(["b", "a", "c"])[ROW % 3]), "nominal"),
        "number levels": (pd.Categorical(ROW % 3), "nominal"),
        "unused levels": (pd.Categorical(np.array(["b", "a"])[ROW % 2], list("abcd")), "nominal"),
        "text": (np.array(["x", "y", "z"])[ROW % 3], "nominal"),
    }


COLUMNS = odd()
ROWS = pd.DataFrame({name: values for name, (values, _) in COLUMNS.items()})
EXPECTED = {name: kind for name, (_, kind) in COLUMNS.items()}
Y = RNG.standard_normal(N)


def kind_in_a_forest(forest, place):
    if forest.is_nominal_[place]:
        return "nominal"
    return "discrete" if forest.is_discrete_[place] else "continuous"


@pytest.fixture(scope="module")
def prepared():
    return prepare(ROWS.assign(y=Y), "y")


@pytest.mark.parametrize("name", list(EXPECTED))
def test_every_reader_gives_an_odd_column_the_same_kind(name, prepared):
    kind = EXPECTED[name]
    assert prepared.kinds[name] == kind
    assert read_table(ROWS[[name]]).kinds == (kind,)
    polars = pl.DataFrame({name: ROWS[name].tolist()}, strict=False)
    if name not in ("ordered", "number levels"):  # lists have no levels
        assert read_table(polars).kinds == (kind,)
        assert prepare(polars.with_columns(y=pl.Series(Y)), "y").kinds == {name: kind}
    # A forest takes levels as categories, and truth values as the numbers 0 and 1.
    given = ROWS[[name]].astype("category") if name == "text" else ROWS[[name]]
    forest = LosawRandomForestRegressor(2, random_state=0).fit(given.assign(other=Y), Y)
    expected = "discrete" if name in ("bool", "boolean") else kind
    assert kind_in_a_forest(forest, 0) == expected
    # What explain and audit fit their forest to.
    own = LosawRandomForestRegressor(2, random_state=0).fit(prepared.X[[name]].assign(o=Y), Y)
    assert kind_in_a_forest(own, 0) == kind


def test_importances_show_the_kinds_that_the_reader_gives():
    names = ["coin", "eleven whole", "halves"]
    forest = LosawRandomForestRegressor(2, random_state=0).fit(ROWS[names], Y)
    kinds = pfi(forest, ROWS[names], Y, random_state=0).kinds
    assert kinds == ("discrete", "continuous", "discrete")


@pytest.mark.parametrize("n_values", [9, 10])
def test_missing_values_are_one_more_value(n_values):
    values = np.where(HOLES, np.nan, ROW % n_values)
    kind = "discrete" if n_values == 9 else "continuous"
    data = prepare(pd.DataFrame({"x": values, "y": Y}), "y")
    assert data.kinds == {"x": kind} and read_table(values[:, None]).kinds == (kind,)
    filled = data.X.fillna(-1.0).assign(o=Y)
    forest = LosawRandomForestRegressor(2, random_state=0).fit(filled, Y)
    assert kind_in_a_forest(forest, 0) == kind


def column(values, **options):
    data = prepare(pd.DataFrame({"x": values, "o": Y, "y": Y[::-1]}), "y", **options)
    return data.columns[0], data


@pytest.mark.parametrize("bad", ["2020-13-45", "1234-56-78"])
def test_text_that_looks_like_dates_and_is_none_stays_text(bad):
    values = np.where(ROW % 5 == 0, bad, "2020-01-02")
    found, _ = column(values)
    assert found.kind == "nominal" and set(found.values.cat.categories) == {bad, "2020-01-02"}
    assert found.n_missing == 0 and bad in found.treatment and "taken as text" in found.treatment
    found, _ = column(np.where(ROW % 5 == 0, "2020-11-30", "2020-01-02"))
    assert found.kind == "continuous" and sorted(set(found.values)) == [0.0, 333.0]


@pytest.mark.parametrize("date", [datetime.date(1500, 1, 1), datetime.datetime(1500, 1, 1)])
def test_dates_of_any_century_are_days_and_none_is_lost(date):
    found, _ = column([date if i % 2 else type(date)(1500, 1, 11) for i in ROW])
    assert found.n_missing == 0 and sorted(set(found.values)) == [0.0, 10.0]
    assert "days since 1500-01-01" in found.treatment


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_complex_columns_are_refused(make):
    values = (ROW * (1 + 2j)).astype(complex)
    frame = make({"x": values if make is pd.DataFrame else values.tolist(), "y": Y})
    with pytest.raises(LosawError, match="'x' contains complex numbers"):
        prepare(frame, "y")


@pytest.mark.parametrize("level", ["(missing)", "(other)"])
def test_levels_may_be_called_as_the_ones_that_explain_adds(level):
    text = np.array([level if i % 3 else None for i in ROW], dtype=object)
    text[: N // 2] = [f"rare {i % 40}" for i in range(N // 2)]
    found, _ = column(text)
    levels = set(found.values.cat.categories)
    assert level in levels and f"{level[:-1]} 2)" in levels
    assert found.values.isna().sum() == 0


def test_a_level_of_few_rows_does_not_stop_a_small_table():
    frame = pd.DataFrame({"k": np.arange(50) % 17, "o": Y[:50], "y": Y[-50:]})
    options = {"folds": 3, "budget": None, "methods": "mdi,losaw,pfi"}
    for kinds in (None, {"k": "nominal"}):
        found = losaw.explain(frame, "y", kinds=kinds, **options)
        assert {c.name: c.kind for c in found.columns}["k"] == (
            "nominal" if kinds else "continuous"
        )


def test_a_column_that_is_left_out_makes_no_row_incomplete():
    _, data = column(np.full(N, np.nan))
    assert data.notes == () and list(data.X) == ["o"]


def test_as_many_levels_as_are_allowed_count_as_levels():
    assert few_levels(np.tile(np.arange(10.0), 10)) is not None
    assert few_levels(np.tile(np.arange(11.0), 10)) is None
