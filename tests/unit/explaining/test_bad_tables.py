"""Every kind of bad column, target and table is treated or refused, with a message.

Of explaining.preparing, explaining.treated_columns.
"""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import losaw
from losaw.explaining.preparing import prepare, sample_rows
from losaw.support.errors import LosawError

N = 120
RNG = np.random.default_rng(0)


def table(**columns):
    return pd.DataFrame({"size": RNG.standard_normal(N), **columns, "y": RNG.standard_normal(N)})


def column_of(frame, name="x", **options):
    data = prepare(frame, "y", **options)
    return next(column for column in data.columns if column.name == name), data


def refused(frame, target="y", **options):
    with pytest.raises(LosawError) as caught:
        prepare(frame, target, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.full(N, 3.0), "is constant"),
        (np.full(N, np.nan), "contains no value"),
        (np.arange(N) + 1000, "numbers the rows"),
        (RNG.permutation(N), "numbers the rows"),
        ([f"person {i}" for i in range(N)], "free text or an identifier"),
        ([2**60 + i % 7 for i in range(N)], "beyond 2^53"),
        ([f"{i % 28 + 1}/{i % 12 + 1}/2020" for i in range(N)], "order of day and month"),
    ],
)
def test_what_cannot_be_explained_by_is_left_out_with_the_reason(values, reason):
    column, data = column_of(table(x=values))
    assert column.values is None and reason in column.treatment
    assert list(data.X) == ["size"]


@pytest.mark.parametrize(
    "codes", [["10-10-10", "20-20-20", "15-5-10"], ["1.2.10", "2.0.11", "10.4.01"]]
)
def test_codes_that_no_order_makes_dates_are_levels(codes):
    column, _ = column_of(table(x=np.resize(codes, N)))
    assert column.kind == "nominal" and column.treatment == ""


@pytest.mark.parametrize("dates", [["31.12.99", "1.2.00"], ["12/31/99", "1/2/00"], ["99-12-31"]])
def test_dates_in_any_order_are_left_out(dates):
    column, _ = column_of(table(x=np.resize([*dates, "11-11-11"], N)))
    assert column.values is None and "order of day and month" in column.treatment


def test_one_row_is_one_row():
    frame = table()
    frame.loc[0, "y"] = np.nan
    assert prepare(frame, "y").notes == ("1 row without a value of y is left out.",)
    frame = table(w=np.arange(N) > 0)
    data = prepare(frame, "y", weights="w")
    assert data.notes[0] == "1 row with a weight of 0 is left out."


def written(style):
    numbers = RNG.standard_normal(N).round(3)
    return {
        "footer": [*map(str, numbers[1:]), "Total"],
        "comma": [str(number).replace(".", ",") for number in numbers],
        "per cent": [f"{number}%" for number in numbers],
        "euro": [f"€{abs(number)}" for number in numbers],
        "thousands": [f"{abs(number) * 1e6:,.0f}" for number in numbers],
    }[style]


@pytest.mark.parametrize("style", ["footer", "comma", "per cent", "euro", "thousands"])
def test_text_that_looks_like_numbers_is_named_with_its_remedy(style):
    values = written(style)
    column, _ = column_of(table(x=values))
    assert column.treatment.startswith("looks like numbers, but ")
    first = "Total" if style == "footer" else values[0]
    count = 1 if style == "footer" else N
    assert f"{count} of {N} values cannot be read as such (first: " in column.treatment
    assert "write it like 1234.5 or leave it empty" in column.treatment
    said = refused(table().assign(y=values))
    assert f"target 'y' looks like numbers, but {count} of {N}" in said and first in said
    with pytest.raises(LosawError, match="regression needs numbers, written like"):
        prepare(table().assign(y=values), "y", task="regression")
    with pytest.raises(LosawError, match="if they are numbers"):
        prepare(table().assign(y=values), "y", task="classification")


def test_a_last_line_of_totals_without_a_response_is_named():
    frame = table(x=written("footer"))
    frame.loc[N - 1, "y"] = np.nan
    column, _ = column_of(frame)
    assert f"1 of {N} values cannot be read as such (first: Total)" in column.treatment


@pytest.mark.parametrize(
    "values", [["a1", "b2", "c3"], ["192.168.0.1", "10.0.0.1"], ["1-2", "3-4"], ["1.2.10", "3.4"]]
)
def test_other_text_is_not_said_to_look_like_numbers(values):
    column, _ = column_of(table(x=np.resize(values, N)))
    assert column.kind == "nominal" and column.treatment == ""


def test_classes_that_are_numbers_as_text_are_noted_and_decimals_are_numbers():
    data = prepare(table().assign(y=np.resize(["1", "2", "3"], N)), "y")
    assert data.task == "classification" and "explained as classes" in data.notes[0]
    decimals = [Decimal(int(number)) / 4 for number in np.arange(N) % 13]
    data = prepare(table().assign(y=decimals), "y")
    assert data.task == "regression" and data.y.tolist() == [float(d) for d in decimals]


def test_large_floats_are_quantities_and_large_whole_numbers_identifiers():
    density = 10 ** (19 + 0.5 * RNG.standard_normal(N))
    column, _ = column_of(table(x=density))
    assert column.kind == "continuous" and column.treatment == ""
    column, _ = column_of(table(x=np.minimum(density, 1e19).astype(np.uint64)))
    assert column.values is None and "beyond 2^53, an identifier" in column.treatment


def test_a_key_is_known_by_its_name_or_kept_by_its_kind():
    keys = RNG.choice(10**6, N, replace=False)
    column, _ = column_of(table(customer_id=keys), "customer_id")
    assert column.values is None and "identifier" in column.treatment
    column, _ = column_of(table(price=keys), "price")
    assert column.kind == "continuous"
    kinds = {"customer_id": "continuous"}
    column, _ = column_of(table(customer_id=keys), "customer_id", kinds=kinds)
    assert column.kind == "continuous" and column.treatment == ""


@pytest.mark.parametrize("as_text", [True, False])
def test_dates_become_days(as_text):
    days = pd.Series(pd.Timestamp("2020-03-01") + pd.to_timedelta(np.arange(N) % 40, "D"))
    values = days.dt.strftime("%Y-%m-%d") if as_text else days
    column, _ = column_of(table(x=values))
    assert column.kind == "continuous" and "days since 2020-03-01" in column.treatment
    assert column.values.tolist() == (np.arange(N) % 40).tolist()


def test_a_factor_of_a_thousand_levels_keeps_the_frequent_ones():
    values = ["big"] * 800 + ["small"] * 700 + [f"level {i % 998}" for i in range(1996)]
    frame = pd.DataFrame({"x": values, "y": RNG.standard_normal(len(values))})
    column, _ = column_of(frame)
    levels = column.values.cat.categories
    assert len(levels) == 20 and {"big", "small", "(other)"} <= set(levels)
    assert "981 of 1000 levels" in column.treatment


def test_missing_levels_are_a_level_and_missing_numbers_stay_missing():
    text = np.where(np.arange(N) % 3 == 0, None, "a")
    column, data = column_of(table(x=text, z=np.where(np.arange(N) % 2, np.nan, np.arange(N) / 2)))
    assert set(column.values.cat.categories) == {"a", "(missing)"} and "40 missing" in (
        column.treatment
    )
    assert data.X["z"].isna().sum() == 60


def test_rows_that_are_all_incomplete_are_all_used():
    holes = np.where(np.arange(N) % 2, np.nan, RNG.standard_normal(N))
    others = np.where(np.arange(N) % 2, RNG.standard_normal(N), np.nan)
    data = prepare(table(a=holes, b=others), "y")
    assert len(data) == N and "Every row has a missing value" in data.notes[0]


def test_rows_without_a_target_are_left_out_and_counted():
    frame = table()
    frame.loc[:19, "y"] = np.nan
    data = prepare(frame, "y")
    assert len(data) == 100 and "20 rows without a value of y" in data.notes[0]


@pytest.mark.parametrize(
    ("y", "copy"),
    [
        (RNG.standard_normal(N), lambda y: 3.0 - 2.0 * y),
        (np.array(["no", "yes"])[RNG.integers(0, 2, N)], lambda y: np.where(y == "yes", 1, 0)),
        (np.array(["a", "b", "c"])[np.arange(N) % 3], lambda y: [f"class {v}" for v in y]),
    ],
)
def test_a_copy_of_the_target_is_left_out(y, copy):
    frame = pd.DataFrame({"size": RNG.standard_normal(N), "x": copy(y), "y": y})
    column, _ = column_of(frame)
    assert column.values is None and "copy of the target" in column.treatment


def test_an_absent_target_names_the_nearest():
    assert "did you mean 'price'" in refused(table(price=np.arange(N) / 3), "prise")


def test_blanks_at_the_end_of_a_class_make_no_other_class():
    classes = np.resize(["yes", "no", "yes ", " no"], N)
    found = prepare(table().assign(y=classes), "y")
    assert np.unique(found.y).tolist() == ["no", "yes"]


def test_a_target_that_cannot_be_explained_is_refused():
    frame = table()
    assert "one value only" in refused(frame.assign(y=1.0))
    assert "one value only" in refused(frame.assign(y="yes"))
    assert "classes" in refused(frame.assign(y=[f"name {i}" for i in range(N)]))
    rare = np.where(np.arange(N) < 3, "rare", np.where(np.arange(N) % 2, "a", "b"))
    assert "'rare' of 'y' has 3 rows" in refused(frame.assign(y=rare))
    assert "infinite" in refused(frame.assign(y=np.where(np.arange(N) == 5, np.inf, frame.y)))
    assert "numbers" in refused(frame.assign(y=np.where(frame.y > 0, "a", "b")), task="regression")
    assert "at least 50" in refused(frame.head(49))


def test_a_table_that_cannot_be_explained_is_refused():
    frame = table()
    assert "no feature is left" in refused(frame[["y"]].assign(x=1.0))
    assert "infinite value (first: row 5)" in refused(
        frame.assign(x=np.where(np.arange(N) == 5, np.inf, 1.0))
    )
    twice = pd.concat([frame, frame[["size"]]], axis=1)
    assert "more than one column is named 'size'" in refused(twice)
    assert "pandas or polars" in refused(frame.to_numpy())
    assert "did you mean 'nominal'" in refused(frame, kinds={"size": "nominall"})
    assert "did you mean 'size'" in refused(frame, kinds={"sice": "nominal"})
    assert "target" in refused(frame, kinds={"y": "nominal"})
    assert "did you mean 'regression'" in refused(frame, task="regresion")


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.arange(N) % 7, "regression"),
        (np.arange(N) % 2, "classification"),
        (np.arange(N) % 2 == 0, "classification"),
        (np.array(list("abc"))[np.arange(N) % 3], "classification"),
    ],
)
def test_the_task_is_inferred(y, task):
    assert prepare(table().assign(y=y), "y").task == task


def test_kinds_are_inferred_and_can_be_overridden():
    frame = table(few=np.arange(N) % 4, ordered=pd.Categorical(
        np.array(["low", "mid", "high"])[np.arange(N) % 3], ["low", "mid", "high"], ordered=True
    ), flag=np.arange(N) % 2 == 0)  # fmt: skip
    kinds = prepare(frame, "y").kinds
    assert kinds == {
        "size": "continuous", "few": "discrete", "ordered": "discrete", "flag": "nominal",
    }  # fmt: skip
    assert prepare(frame, "y", kinds={"few": "nominal"}).X["few"].dtype == "category"


@pytest.mark.parametrize(
    ("name", "is_key"),
    [
        ("ID", True),
        ("userId", True),
        ("user_id", True),
        ("Id", True),
        ("row.id", True),
        ("paid", False),
        ("GRID", False),
        ("humid", False),
    ],
)
def test_keys_are_known_by_their_names(name, is_key):
    column, _ = column_of(table(**{name: RNG.choice(10**6, N, replace=False)}), name)
    assert (column.values is None) == is_key


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "object", "boolean", "string", "category"])
def test_dtypes_of_pandas_are_read(dtype):
    values = pd.Series([0, 1, None, 1] * (N // 4), dtype=object)
    if dtype in ("string", "category"):
        values = values.map({0: "a", 1: "b"})
    if dtype == "boolean":
        values = values.map({0: False, 1: True})
    column, _ = column_of(table(x=values.astype(dtype)))
    assert column.n_missing == N // 4 and column.kind in ("discrete", "nominal")
    frame = table(x=np.arange(N) / 3).assign(y=values.astype(dtype))
    assert set(np.unique(prepare(frame, "y").y).tolist()) <= {0, 1, "a", "b", "False", "True"}


@pytest.mark.parametrize("values", [[0, 1], [0.5, 1.5], [2**60, 1]])
def test_two_numbers_of_arrow_are_classes(values):
    frame = table(x=np.arange(N) / 3).assign(y=np.resize(np.array(values), N))
    given = frame.convert_dtypes(dtype_backend="pyarrow")
    assert str(given["y"].dtype).endswith("[pyarrow]")
    found, known = prepare(given, "y"), prepare(frame, "y")
    assert found.task == "classification" and found.y.tolist() == known.y.tolist()


def test_polars_frames_are_read():
    polars = pytest.importorskip("polars")
    frame = table(x=np.array(["a", "b"])[np.arange(N) % 2])
    given = polars.DataFrame({name: frame[name].to_list() for name in frame})
    assert prepare(given, "y").X.equals(prepare(frame, "y").X)


def test_polars_columns_of_intervals_are_refused_by_name():
    polars = pytest.importorskip("polars")
    frame = table(x=pd.interval_range(0, N)[:N])
    with pytest.raises(ValueError, match="x"):
        prepare(polars.from_pandas(frame), "y")


def test_a_sample_of_rows_keeps_ten_of_every_class():
    y = np.where(np.arange(2000) < 12, "rare", "common")
    data = prepare(pd.DataFrame({"x": RNG.standard_normal(2000), "y": y}), "y")
    rows = sample_rows(data, 100, np.random.default_rng(0))
    assert (y[rows] == "rare").sum() == 10 and len(rows) == 100
    rows = sample_rows(data, 100, np.random.default_rng(0), of_each_class=3)
    assert (y[rows] == "rare").sum() == 3 and len(rows) == 100


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ([[row] for row in range(N)], "neither a number nor a class"),
        (1e200 * RNG.standard_normal(N), "variance of inf.*another unit"),
        (1e-200 * RNG.standard_normal(N), "variance of 0.*another unit"),
    ],
)
def test_a_target_without_usable_squares_or_classes_is_refused_by_name(target, words):
    with pytest.raises(LosawError, match=f"target 'y'.*{words}"):
        prepare(table().assign(y=target), "y")


def test_classes_are_fractions_or_categories_of_which_one_is_in_no_row():
    sign = RNG.standard_normal(N) > 0
    fractions = prepare(table().assign(y=np.where(sign, 0.5, 1.5)), "y")
    assert fractions.task == "classification" and set(fractions.y) == {"0.5", "1.5"}
    levels = pd.Categorical(np.where(sign, "b", "a"), ["b", "never", "a"])
    assert set(prepare(table().assign(y=levels), "y").y) == {"a", "b"}


@pytest.mark.parametrize(
    ("target", "folds", "words"),
    [
        (
            RNG.standard_normal(N),
            N + 1,
            f"{N} rows in use cannot be put into {N + 1} folds: folds must be from 3",
        ),
        (np.arange(N) < 12, 13, "12 rows of the rarest class cannot be put into 13 folds"),
    ],
)
def test_more_folds_than_rows_are_refused(target, folds, words):
    with pytest.raises(LosawError, match=words):
        losaw.explain(table().assign(y=target), "y", methods="pfi", folds=folds)


@pytest.mark.parametrize("option", [{"fdr": ()}, {"kinds": "nominal"}, {"drop": 3}, {"budget": []}])
def test_an_option_of_another_type_is_refused_by_name(option):
    with pytest.raises(TypeError, match=f"{next(iter(option))} must be"):
        losaw.explain(table(), "y", **option)
