"""Every kind of column, target and table is treated or refused, by one rule of kinds."""

import datetime
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from losaw.explaining.design import sample
from losaw.explaining.preparing import prepare
from losaw.explaining.table_file import READING, read_file
from losaw.forest import LosawRandomForestRegressor
from losaw.tables import read_table
from losaw.tables.columns import few_levels

N = 120
ROW = np.arange(N)
RNG = np.random.default_rng(0)
Y = RNG.standard_normal(N)


def table(**columns):
    return pd.DataFrame({"size": RNG.standard_normal(N), **columns, "y": Y})


def column_of(frame, name="x", **options):
    data = prepare(frame, "y", **options)
    return next(column for column in data.columns if column.name == name), data


KINDS = {
    "coin": (ROW % 2, "discrete"),
    "bool": (ROW % 2 == 0, "nominal"),
    "boolean": (pd.array(ROW % 2 == 0, dtype="boolean"), "nominal"),
    "ten whole": (ROW % 10, "discrete"),
    "eleven whole": (ROW % 11, "continuous"),
    "halves": ((ROW % 5) / 2, "discrete"),
    "mostly zero": (np.where(ROW % 11 == 0, RNG.lognormal(size=N), 0.0), "continuous"),
    "Int64": (pd.array(ROW % 7, dtype="Int64"), "discrete"),
    "Float64": (pd.array(RNG.standard_normal(N), dtype="Float64"), "continuous"),
    "decimals": ([Decimal(int(i % 4)) / 4 for i in ROW], "discrete"),
    "objects": (np.array([int(i) % 5 for i in ROW], dtype=object), "discrete"),
    "ordered": (pd.Categorical(np.array(list("SML"))[ROW % 3], list("SML"), ordered=True),
                "discrete"),
    "number levels": (pd.Categorical(ROW % 3), "nominal"),
    "unused levels": (pd.Categorical(np.array(["b", "a"])[ROW % 2], list("abcd")), "nominal"),
    "text": (np.array(["x", "y", "z"])[ROW % 3], "nominal"),
}  # fmt: skip


@pytest.fixture(scope="module")
def prepared():
    return prepare(pd.DataFrame({n: v for n, (v, _) in KINDS.items()}).assign(y=Y), "y")


@pytest.mark.parametrize("name", KINDS)
def test_explain_importances_and_forests_give_a_column_the_same_kind(name, prepared):
    values, kind = KINDS[name]
    assert prepared.kinds[name] == kind
    assert read_table(pd.DataFrame({name: values})).kinds == (kind,)
    if name not in ("ordered", "number levels"):  # lists have no levels
        polars = pl.DataFrame({name: pd.Series(values).tolist(), "y": Y}, strict=False)
        assert prepare(polars, "y").kinds == {name: kind}
    X = prepared.X[[name]].assign(other=Y)
    forest = LosawRandomForestRegressor(1, random_state=0).fit(X, Y)
    seen = "nominal" if forest.is_nominal_[0] else "discrete" if forest.is_discrete_[0] else ""
    assert seen == {"continuous": ""}.get(kind, kind)


def test_missing_values_are_one_more_value_and_ten_values_are_the_most():
    for n_values, kind in ((9, "discrete"), (10, "continuous")):
        values = np.where(ROW % 4 == 0, np.nan, ROW % n_values)
        assert prepare(table(x=values), "y").kinds["x"] == kind
        assert read_table(values[:, None]).kinds == (kind,)
    assert few_levels(np.tile(np.arange(10.0), 10)) is not None
    assert few_levels(np.tile(np.arange(11.0), 10)) is None


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.full(N, 3.0), "constant"),
        (np.full(N, np.nan), "no value"),
        (ROW + 1000, "numbers the rows"),
        (-ROW.astype(float), "numbers the rows"),
        ([f"person {i}" for i in ROW], "free text or an identifier"),
        ([2**60 + i % 7 for i in range(N)], "beyond 2^53"),
        (np.resize(["x", " x", "x "], N), "constant"),
        (np.resize(["", " "], N), "constant"),
        (pd.Categorical(np.resize(["x", "x\t"], N)), "constant"),
    ],
)
def test_what_cannot_be_explained_by_is_left_out_with_the_reason(values, reason):
    column, data = column_of(table(x=values))
    assert column.values is None and reason in column.treatment
    assert list(data.X) == ["size"]


@pytest.mark.parametrize(
    ("written", "kind"),
    [("{}", "continuous"), ("-{}", "discrete"), ("{:,} kg", None), ("${:,}", None)],
)
def test_digits_of_long_numbers_are_not_lost_whatever_the_kind_that_is_asked(written, kind):
    long = [written.format(2**60 + i % 7) for i in range(N)]
    kinds = {"x": kind} if kind else {}
    column, _ = column_of(table(x=long), kinds=kinds)
    assert column.values is None and "beyond 2^53" in column.treatment
    few_digits = [f"{1 + i % 7}e30 kg" for i in range(N)]
    column, _ = column_of(table(x=few_digits), kinds=kinds)
    assert column.values.nunique() == 7


@pytest.mark.parametrize(("start", "has_remedy"), [(2**53 - 400, True), (2**53 - 3, False)])
def test_the_remedy_for_long_codes_is_one_that_keeps_them_apart(tmp_path, start, has_remedy):
    table(x=[str(start + i % 60) for i in range(N)]).to_csv(tmp_path / "t.csv", index=False)
    *_, note = read_file(tmp_path / "t.csv", "y").attrs[READING]
    assert "none become equal" in note and ("continuous" in note) == has_remedy


@pytest.mark.parametrize(
    ("name", "is_key"),
    [("ID", True), ("userId", True), ("user_id", True), ("row.id", True), ("paid", False),
     ("GRID", False), ("humid", False)],
)  # fmt: skip
def test_keys_are_known_by_their_names_and_kept_by_their_kind(name, is_key):
    numbers = RNG.choice(10**6, N, replace=False)
    numbers[:5] = numbers[5:10]  # a few were here before
    frame = table(**{name: numbers})
    assert (column_of(frame, name)[0].values is None) == is_key
    assert column_of(frame, name, kinds={name: "continuous"})[0].kind == "continuous"


@pytest.mark.parametrize("whole", [ROW, ROW + 1950, -ROW, ROW.astype(float)])
def test_whole_numbers_in_another_order_than_the_rows_are_left_out_by_name_alone(whole):
    ranks = RNG.permutation(whole)
    assert column_of(table(x=ranks))[0].values is not None
    assert "an identifier" in column_of(table(id=ranks), "id")[0].treatment
    up_and_down = np.abs(whole - whole[N // 3])
    assert column_of(table(x=up_and_down))[0].values is not None


@pytest.mark.parametrize(
    "make",
    [
        lambda days: days,
        lambda days: days.dt.strftime("%Y-%m-%d"),
        lambda days: days.dt.date,
        lambda days: days.dt.tz_localize("UTC"),
        lambda days: days.dt.tz_localize("Europe/Berlin"),  # one of the nights has 23 hours
        lambda days: days.dt.tz_localize("America/New_York").map(str),
    ],
)
def test_dates_become_days(make):
    days = pd.Series(pd.Timestamp("2020-03-01") + pd.to_timedelta(ROW % 40, "D"))
    assert column_of(table(x=make(days)), kinds={"x": "discrete"})[0].kind == "discrete"
    column, _ = column_of(table(x=make(days)))
    assert column.kind == "continuous" and "days since 2020-03-01" in column.treatment
    assert column.values.tolist() == (ROW % 40).tolist()
    old = [datetime.date(1500, 1, 1 + 10 * (i % 2)) for i in range(N)]
    assert sorted(set(column_of(table(x=old))[0].values)) == [0.0, 10.0]


@pytest.mark.parametrize("bad", ["holidays", "2 days", "dates, as days since 1900-01-01"])
def test_times_of_day_are_hours_whatever_the_bad_cells_say(bad):
    clock = [f"{8 + i % 10}:30" for i in ROW]
    clock[:5] = [bad] * 5
    column, _ = column_of(table(x=clock))
    assert "hours" in column.treatment and column.values.dropna().min() == 8.5


@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_dates_are_since_the_day_that_is_named_whatever_the_hour_of_the_first(zone):
    days = pd.Series(pd.Timestamp("2026-03-01 06:00") + pd.to_timedelta(ROW % 21, "D"))
    days[ROW % 21 == 0] += pd.Timedelta(hours=14)
    for made in (days.dt.tz_localize(zone), days.dt.tz_localize(zone).map(str)):
        column, _ = column_of(table(x=made))
        assert column.treatment == "dates, as days since 2026-03-01"
        assert column.values.max() == 20.25 and column.values.min() == 20 / 24


def test_dates_of_several_zones_are_those_of_utc():
    offsets = [("+09:00", "-05:00")[i % 2] for i in ROW]
    texts = [f"2026-03-{1 + i % 21:02} 00:00{offsets[i]}" for i in ROW]
    column, _ = column_of(table(x=texts))
    assert column.treatment == "dates, as days since 2026-02-28 (UTC)"
    assert column.values[0] == 15 / 24 and column.values[1] == 2 + 5 / 24


@pytest.mark.parametrize("values", [[i % 50 for i in ROW], [None, *(i % 50 for i in ROW[1:])]])
@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt8])
def test_whole_numbers_of_polars_are_numbers(values, dtype):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype), "y": Y})
    assert prepare(frame, "y").kinds == {"x": "continuous"}


@pytest.mark.parametrize("name", ["a\x1b[31m", "a\0", "\x85"])
def test_names_that_a_terminal_would_obey_are_refused(name):
    with pytest.raises(ValueError, match="control characters: give it another name"):
        prepare(table(**{name: ROW % 7}), "y")
    assert list(prepare(table(**{name: ROW % 7}), "y", drop=[name]).X) == ["size"]
    assert list(prepare(table(**{"a\nb": ROW % 7}), "y").X) == ["size", "a\nb"]


NORMAL = pd.DataFrame(np.random.default_rng(1).standard_normal((400, 5)), columns=list("abcdy"))
FEW, ZEROS = (NORMAL > 0.5) * 1, NORMAL.clip(0.5)
COPIED = {  # with the number of copies that are proven, of 55
    "numbers": (NORMAL, 55),
    "rounded": (NORMAL.round(1), 55),
    "mixed, with holes": (NORMAL.assign(t=list("xyzu") * 100, b=NORMAL["b"].clip(0.0)), 55),
    "classes": (NORMAL.assign(y=NORMAL["y"] > 0), 55),
    "few levels of a number": (FEW.assign(y=NORMAL["y"]), 55),
    "zeros": (ZEROS, 45),
    "zeros and classes": (ZEROS.assign(y=NORMAL["y"] > 0), 43),
    "few levels": (FEW, 0),
    "a column twice": (FEW.assign(twice=FEW["y"]), 0),
    "two columns of few numbers": ((5 * NORMAL[["a", "y"]]).round(), 0),
}


@pytest.mark.parametrize("name", COPIED)
def test_copies_of_rows_stay_in_one_fold_and_rows_that_are_equal_by_chance_do_not(name):
    frame, n_copies = COPIED[name]
    assert prepare(frame, "y").clusters is None
    copied = pd.concat([frame, frame.iloc[:50], frame.iloc[:5]], ignore_index=True)
    data = prepare(copied, "y")
    assert any(f"{n_copies} of 455 rows are copies" in n for n in data.notes) == (n_copies > 0)
    if n_copies:
        assert len(np.unique(data.clusters)) == 455 - n_copies and not data.is_clustered
    if n_copies == 55:
        named = prepare(
            copied.assign(who=[*range(200)] * 2 + [*range(200, 255)]), "y", cluster="who"
        )
        for numbers in (data.clusters, named.clusters):
            assert (numbers[400:450] == numbers[:50]).all()
        assert (named.clusters[:200] == named.clusters[200:400]).all() and named.is_clustered


@pytest.mark.parametrize("n_distinct", [12, 15, 30])
@pytest.mark.parametrize("y", [NORMAL["y"], NORMAL["y"] > 0])
def test_rows_that_are_copied_many_times_stay_in_one_fold(n_distinct, y):
    copied = NORMAL.assign(y=y)[:n_distinct].sample(240, replace=True, random_state=0)
    data = prepare(copied, "y")
    assert len(np.unique(data.clusters)) == len(copied.drop_duplicates())
    assert any("are copies of others" in note for note in data.notes)


@pytest.mark.parametrize("n_doses", [11, 15])
def test_a_dose_at_which_all_responses_are_equal_is_no_copy(n_doses):
    dose = RNG.permutation(np.repeat(np.arange(n_doses) / 4, 20))
    frame = pd.DataFrame({"dose": dose, "y": dose + RNG.normal(0, 0.3, len(dose)) > 1.5})
    assert prepare(frame, "y").clusters is None


@pytest.mark.parametrize("share", [0.06, 0.2, 0.5])
def test_rows_of_zeros_are_no_copies(share):
    frame = np.exp(NORMAL[["a", "b", "y"]])
    frame.loc[: int(share * 400)] = 0.0  # no visit, no purchase, no revenue
    data = prepare(frame, "y")
    assert data.clusters is None and not any("copies of" in note for note in data.notes)


NEAR = NORMAL[["a"]].to_numpy() + 0.05 * NORMAL[["b", "c", "d"]].set_axis(list("pqr"), axis=1)
SURVEY = (3 + NORMAL[["a"]].to_numpy() + 0.6 * NORMAL[["b", "c", "y"]]).round().clip(1, 5)


@pytest.mark.parametrize(
    "frame",
    [
        NEAR.round(1).assign(y=NORMAL["a"].round(1)),
        NEAR[["p", "q"]].round(1).assign(y=NORMAL["a"] > 0),
        FEW.assign(a=NORMAL["a"].clip(0.8).round(1)),
        SURVEY,
    ],
)  # fmt: skip
def test_rounded_columns_that_go_together_make_rows_equal_that_are_no_copies(frame):
    assert frame.duplicated().any()
    data = prepare(frame, "y")
    assert data.clusters is None and not any("are copies of" in note for note in data.notes)


def test_more_rows_that_are_equal_than_by_chance_are_counted():
    frame = pd.DataFrame(np.random.default_rng(2).integers(0, 3, (300, 7)), columns=list("abcdefy"))
    assert prepare(frame, "y").notes[1:] == ()
    (note,) = prepare(pd.concat([frame, frame[:40]], ignore_index=True), "y").notes[1:]
    assert "of 340 rows are equal to others" in note and "remove them" in note


NUMBERS = RNG.choice(10**6, N, replace=False)
LINES = {"equal": NUMBERS, "2 id + 1": 2 * NUMBERS + 1, "reversed": -NUMBERS, "/8": NUMBERS / 8,
         "text": [*map(str, NUMBERS)], "holes": np.where(ROW % 9, NUMBERS, np.nan)}  # fmt: skip
KEYS = {"id": NUMBERS, "case": [f"P-{n:07}/b" for n in NUMBERS], "who": NUMBERS}


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("key", KEYS)
def test_what_is_a_line_of_a_column_that_is_left_out_goes_with_it(key, line):
    frame = table(x=LINES[line], **{key: KEYS[key]})
    options = {"cluster": "who"} if key == "who" else {}
    assert list(prepare(frame, "y", **options).X) == ["size"]
    kept = prepare(frame, "y", kinds={"x": "continuous"}, **options)
    assert list(kept.X) == ["size", "x"]


@pytest.mark.parametrize(
    "x", [np.sort(RNG.choice(10**6, N)), RNG.permutation(2 * ROW), np.exp(ROW / 9.0),
          pd.Timestamp("2020-01-01") + pd.to_timedelta(ROW, "D")],
)  # fmt: skip
def test_a_feature_that_orders_the_rows_stays_beside_their_numbers(x):
    assert list(prepare(table(x=x, n=ROW), "y").X) == ["size", "x"]


@pytest.mark.parametrize(
    "text", ["Film {0} ({1})", "{1} {0}", "{0}, born in {1}", "{0} {1}{0}", "ward {0}: {1}/b"]
)
def test_a_number_within_free_text_is_no_line_of_the_text(text):
    words = [f"{'abcdefgh'[i % 8]}{'uvwxyz'[i % 5]}" for i in ROW]
    year = 1900 + 7 * ROW % 90
    texts = [text.format(words[i], year[i]) for i in ROW]
    data = prepare(table(x=year, t=texts), "y")
    assert list(data.X) == ["size", "x"] and not any(c.values is not None for c in data.columns[2:])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (pd.Categorical(np.resize([None, *"SML"], N), list("SML"), ordered=True), "by their rank"),
        (pd.to_timedelta(ROW % 40, "D").where(ROW % 4 > 0), "in days"),
    ],
)
def test_missing_ranks_and_durations_are_said(values, words):
    column, _ = column_of(table(x=values))
    assert re.search(f"{words}; 30 missing: the forest", column.treatment)


def test_durations_are_days_and_other_text_that_looks_like_dates_is_text():
    days = pd.to_timedelta(ROW % 40, "D")
    assert column_of(table(x=days), kinds={"x": "discrete"})[0].kind == "discrete"
    column, _ = column_of(table(x=days))
    assert column.kind == "continuous" and column.values.max() == 39
    for text in (["2020-13-45", "2020-01-02"], ["1.2.10", "3.1.12"], ["1-2", "3-4"]):
        assert column_of(table(x=np.resize(text, N)))[0].kind == "nominal"


def test_numbers_with_a_word_among_them_are_text_and_said_so():
    column, _ = column_of(table(x=[*(f"{i % 9}.5" for i in ROW[1:]), "Total"]))
    assert column.treatment.startswith("contains numbers and text ('Total'): taken as text")
    assert column_of(table(x=np.resize(["a1", "b2"], N)))[0].treatment == ""
    column, _ = column_of(table(x=[f"{v:.4f}" for v in Y]))
    assert column.treatment.startswith("contains numbers that are written as text: make numbers")
    assert column_of(table(x=[f"0{i % 9}" for i in ROW]))[0].treatment == ""  # codes
    column, _ = column_of(table(x=[f"{v:.4f}" for v in Y]), kinds={"x": "continuous"})
    assert column.kind == "continuous"


@pytest.mark.parametrize("text", ["${:,.2f}", "{:.1f} %", "{:.2f} kg", "CHF {:.2f}", "({:.3f})"])
@pytest.mark.parametrize("word", ["POA", "-"])
def test_amounts_with_a_word_among_them_are_text_and_said_so(text, word):
    cells = [word if i % 20 == 0 else text.format(abs(v) + 1) for i, v in enumerate(Y)]
    column, _ = column_of(table(x=cells))
    assert column.treatment.startswith(f"contains numbers and text ({word!r}): taken as text")
    with pytest.raises(ValueError, match=r"the target 'x' contains numbers and text \('"):
        prepare(table(x=cells), "x")


@pytest.mark.parametrize(
    "text", ["1.{}.3", "10.0.{}.7", "{} kg {}", "room {}", "ROW {}", "{}, {}", "", " "]
)
def test_other_text_is_not_said_to_be_numbers(text):
    cells = [text.format(1 + i % 9, i % 2) for i in ROW]
    cells[::20] = ["loud"] * 6
    assert column_of(table(x=cells))[0].treatment == ""
    mixed = [f"{1 + i % 9} {('kg', 'lb')[i % 2]}" for i in ROW]
    assert column_of(table(x=mixed))[0].treatment == ""


def test_blank_cells_of_a_target_are_no_numbers():
    y = np.resize(["a", "b", *[""] * 28], 400)
    assert prepare(pd.DataFrame({"x": RNG.standard_normal(400), "y": y}), "y").labels[0] == ""


def test_a_factor_keeps_sixty_levels_and_says_which_are_one():
    few, _ = column_of(pd.DataFrame({"x": [f"t{i % 60}" for i in range(1200)], "y": range(1200)}))
    assert len(few.values.cat.categories) == 60 and few.merged == ""
    values = ["big"] * 800 + ["small"] * 700 + [f"level {i % 998}" for i in range(1996)]
    many, _ = column_of(pd.DataFrame({"x": values, "y": RNG.standard_normal(len(values))}))
    levels = many.values.cat.categories
    assert len(levels) == 60 and {"big", "small", "(other)"} <= set(levels)
    assert many.merged.startswith("941 of 1000 levels, the rarest, are one level (other)")


def test_missing_levels_are_a_level_and_missing_numbers_stay_missing():
    text = np.where(ROW % 3 == 0, None, "a")
    column, data = column_of(table(x=text, z=np.where(ROW % 2, np.nan, ROW / 2)))
    assert set(column.values.cat.categories) == {"a", "(missing)"} and column.n_missing == 40
    assert data.X["z"].isna().sum() == 60


@pytest.mark.parametrize("taken", ["(other)", "(missing)"])
def test_a_level_that_we_make_has_a_name_that_the_table_has_not(taken):
    values = [taken] * 330 + ["b"] * 300 + [f"level {i}" for i in range(90)] + [None] * 5
    column, _ = column_of(pd.DataFrame({"x": values, "y": RNG.standard_normal(len(values))}))
    sizes = column.values.value_counts()
    made = {"(other)", "(missing)", f"({taken})"} & {*sizes.index}
    assert len(made) == 3 and sizes[taken] == 330 and "5 missing" in column.treatment
    assert column.values.cat.categories[-2:].tolist() == [
        "((other))" if taken == "(other)" else "(other)",
        "((missing))" if taken == "(missing)" else "(missing)",
    ]
    assert taken == "(missing)" or "are one level ((other)) with" in column.merged


@pytest.mark.parametrize(
    ("name", "values", "is_hinted"),
    [
        ("patient", [f"p{i % 60}" for i in ROW], True),
        ("patient", [f"p{i % 100}" for i in ROW], True),
        ("patient_id", ROW % 60, True),
        ("state", [f"s{i % 40}" for i in ROW], True),  # a panel: as many rows of each
        ("town", [f"t{min(i % 60, 40)}" for i in ROW], False),
        ("arm", [f"a{i % 8}" for i in ROW], False),
        ("age", ROW % 60, False),
        ("share", [f"{i % 60} %" for i in ROW], False),
        ("cost", [f"${i % 60 + 1},100.50" for i in ROW], False),
        ("weight", [f"{i % 60} kg" for i in ROW], False),
        ("name", [f"person {i}" for i in ROW], False),
        ("name", ["unknown" if i % 8 == 0 else f"person {i}" for i in ROW], False),
        ("name", ["n/a" if i % 2 == 0 else f"person {i}" for i in ROW], False),
        ("name", [["n/a", "none", f"person {i}"][min(i % 4, 2)] for i in ROW], False),
        ("name", [["n/a", "none", f"person {i}"][min(i % 4 // 2 * 2, 2)] for i in ROW], False),
        ("name", ["unknown" if i % 8 == 0 else f"person {i % 60}" for i in ROW], True),
        ("patient_id", np.where(ROW % 8 == 0, -99, ROW**2), False),
    ],
)
def test_names_that_repeat_may_mark_the_rows_of_one_person(name, values, is_hinted):
    assert column_of(table(**{name: values}), name)[0].marks_rows == is_hinted


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (ROW % 7, "regression"),
        (ROW % 2, "classification"),
        (ROW % 2 == 0, "classification"),
        (np.array(list("abc"))[ROW % 3], "classification"),
        ([Decimal(int(i % 13)) / 4 for i in ROW], "regression"),
        (np.where(ROW % 2, 0.5, 1.5), "classification"),
    ],
)
def test_the_task_is_inferred_and_classes_are_codes(y, task):
    data = prepare(table().assign(y=y), "y")
    assert data.task == task
    if data.labels:
        assert sorted(set(data.y.tolist())) == list(range(len(data.labels)))


def test_classes_are_named_as_they_are_written():
    assert prepare(table().assign(y=ROW % 2 + 1.0), "y").labels == ("1", "2")
    blanks = np.resize(["yes", "no", "yes ", " no"], N)
    assert prepare(table().assign(y=blanks), "y").labels == ("no", "yes")
    unused = pd.Categorical(np.where(ROW % 2, "b", "a"), ["b", "never", "a"])
    assert prepare(table().assign(y=unused), "y").labels == ("a", "b")


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "object", "boolean", "string", "category"])
def test_dtypes_of_pandas_are_read(dtype):
    values = pd.Series([0, 1, None, 1] * (N // 4), dtype=object)
    if dtype in ("string", "category"):
        values = values.map({0: "a", 1: "b"})
    if dtype == "boolean":
        values = values.map({0: False, 1: True})
    column, _ = column_of(table(x=values.astype(dtype)))
    assert column.n_missing == N // 4 and column.kind in ("discrete", "nominal")
    data = prepare(table(x=ROW / 3).assign(y=values.astype(dtype)), "y")
    assert len(data.y) == 90 and len(data.labels) == 2


@pytest.mark.parametrize("values", [[0, 1], [0.5, 1.5], [2**60, 1]])
def test_two_numbers_of_arrow_are_classes(values):
    frame = table(x=ROW / 3).assign(y=np.resize(np.array(values), N))
    given = prepare(frame.convert_dtypes(dtype_backend="pyarrow"), "y")
    assert given.task == "classification" and given.labels == prepare(frame, "y").labels
    assert given.labels == tuple(map(str, sorted(values)))


def test_polars_frames_are_read_lazily_too():
    frame = table(x=np.array(["a", "b"])[ROW % 2])
    given = pl.DataFrame({name: frame[name].to_list() for name in frame})
    for polars in (given, given.lazy()):
        assert prepare(polars, "y").X.equals(prepare(frame, "y").X)


def test_columns_are_named_by_their_labels():
    frame = pd.DataFrame(RNG.standard_normal((N, 4)), columns=[1, 2, 3, 4])
    data = prepare(frame, 4, drop=[1], kinds={2: "discrete"})
    assert data.target == "4" and data.kinds == {"2": "discrete", "3": "continuous"}


def test_a_rare_class_is_kept_as_far_as_it_goes():
    y = np.where(np.arange(20_000) < 44, "rare", "usual")
    data = prepare(pd.DataFrame({"x": RNG.standard_normal(20_000), "y": y}), "y")
    rows = sample(data, 1000, np.random.default_rng(0))
    assert (data.y[rows] == 0).sum() == 44 and len(rows) == 1000
    even = prepare(table().assign(y=ROW % 2), "y")
    assert abs(even.y[sample(even, 60, np.random.default_rng(0))].mean() - 0.5) < 0.2


REFUSED = [
    (lambda f: f, {"target": "yy"}, "target: unknown column 'yy'; did you mean 'y'"),
    (lambda f: f, {"drop": "sice"}, "drop: unknown column 'sice'; did you mean 'size'"),
    (lambda f: f, {"drop": ["y"]}, "drop: 'y' is the target"),
    (lambda f: f, {"drop": 2.5}, "drop: unknown column 2.5"),
    (lambda f: f, {"cluster": "who"}, "cluster: unknown column 'who'"),
    (
        lambda f: f.assign(who=[None, *ROW[1:]]),
        {"cluster": "who"},
        "'who' has no value in 1 of 120 rows",
    ),
    (lambda f: f, {"kinds": {"size": "nominall"}}, "did you mean 'nominal'"),
    (lambda f: f, {"kinds": {"y": "nominal"}}, "'y' is the target: use task"),
    (lambda f: f, {"task": "regresion"}, "did you mean 'regression'"),
    (lambda f: f.assign(y=1.0), {}, "one value only"),
    (lambda f: f.assign(y=[f"name {i}" for i in ROW]), {}, "120 classes, at most 50"),
    (lambda f: f.assign(y=np.where(ROW < 3, "rare", "a")), {}, "'rare' of 'y' has 3 rows"),
    (lambda f: f.assign(y=np.where(ROW == 5, np.inf, Y)), {}, "infinite"),
    (lambda f: f.assign(y=np.where(Y > 0, "a", "b")), {"task": "regression"}, "needs numbers"),
    (lambda f: f.assign(y=[*map(str, Y[1:]), "Total"]), {}, "contains numbers and text"),
    (lambda f: f.assign(y=[*map(str, Y)]), {}, "make numbers of the text .* if they are numbers"),
    (lambda f: f.assign(y=[*map(str, Y)]), {"task": "regression"}, "make numbers of the text"),
    (lambda f: f.assign(y=np.where(Y > 0, "5", "6")), {"task": "regression"}, "of the text"),
    (lambda f: f.assign(y=[[i] for i in ROW]), {}, "neither numbers nor levels"),
    (lambda f: f.assign(y=[f"2020-01-{1 + i % 28:02}" for i in ROW]), {}, "give it in days"),
    (lambda f: f.assign(y=2**60 + ROW % 3), {"task": "classification"}, r"beyond 2\^53"),
    (lambda f: f.assign(y=Y * 1j), {}, "complex"),
    (lambda f: f.assign(y=pd.to_timedelta(Y, "D")), {}, "dates or durations"),
    (lambda f: f.assign(y=pd.Timestamp("2020-01-01") + pd.to_timedelta(Y, "D")), {}, "dates or"),
    (lambda f: f.assign(y=1e200 * Y), {}, "another unit"),
    (lambda f: f.assign(y=1.7e308 * np.sin(ROW)), {}, "beyond 1e150.*another unit"),
    (lambda f: f.head(49), {}, "at least 50"),
    (lambda f: f[["y"]].assign(x=1.0), {}, "no feature is left"),
    (lambda f: f[["y"]], {}, r"by \(the table has no other column that is not dropped: add one\)"),
    (lambda f: f[["y", "size"]], {"drop": "size"}, "has no other column that is not dropped"),
    (lambda f: f.assign(x=np.where(ROW == 5, np.inf, 1.0)), {}, r"infinite values .*first: row 5"),
    (
        lambda f: f.assign(x=1e-80 * np.sin(ROW)),
        {},
        "'x' has no value beyond .*another unit",
    ),
    (lambda f: f.assign(x=Y * 1j), {}, "complex"),
    (lambda f: f.assign(x=[[i] for i in ROW]), {}, "neither numbers nor levels"),
    (lambda f: f.assign(x=list("ab") * 60), {"kinds": {"x": "discrete"}}, "contains levels"),
    (lambda f: pd.concat([f, f[["size"]]], axis=1), {}, "more than one column named 'size'"),
    (lambda f: f.to_numpy(), {}, "pandas or polars"),
]


SPELLINGS = {
    "percent": ["0", "10%", "20%"],
    "unit": ["1 kg", "2", "3 kg"],
    "currency": ["$5", "0", "$7.50"],
    "decimals": ["0,5", "1.5", "2,5"],
}


@pytest.mark.parametrize("kind", SPELLINGS)
def test_numbers_in_two_spellings_are_text_with_advice_that_helps_and_no_target(kind):
    values = np.resize(SPELLINGS[kind], N)
    column, _ = column_of(table(x=values))
    assert column.kind == "nominal" and "in two spellings ('" in column.treatment
    assert "say its kind" not in column.treatment and "write all of them" in column.treatment
    with pytest.raises(ValueError, match=r"in two spellings .*--task classification"):
        prepare(table(x=values), "x")
    levels = tuple(sorted(set(values)))
    assert prepare(table(x=values), "x", task="classification").labels == levels
    assert prepare(table(x=pd.Categorical(values)), "x").labels == levels  # they are said to be
    with pytest.raises(ValueError, match="a regression needs numbers") as refused:
        prepare(table(x=values), "x", task="regression")
    assert "contains '0':" not in str(refused.value)


@pytest.mark.parametrize(
    ("values", "said"),
    [(["1", "2", "3"], "or say its kind"), (["01", "02", "03"], ""),
     (pd.Categorical(["1", "2", "3"] * 40), "or say its kind"),
     (pd.Categorical(["10%", "20%", "30%"] * 40), "with a sign or unit ('10%'): make numbers")],
)  # fmt: skip
def test_numbers_as_text_in_one_spelling_stay_classes(values, said):
    values = np.resize(values, N) if isinstance(values, list) else values
    assert len(prepare(table(x=values), "x").labels) == 3
    treatment = column_of(table(x=values))[0].treatment
    assert said in treatment and bool(said) == bool(treatment)


@pytest.mark.parametrize(("change", "options", "words"), REFUSED)
def test_what_cannot_be_explained_is_refused_by_name(change, options, words):
    target = options.get("target", "y")
    rest = {name: value for name, value in options.items() if name != "target"}
    with pytest.raises(ValueError, match=words):
        prepare(change(table()), target, **rest)


def test_rows_without_a_target_are_left_out_and_counted():
    frame = table()
    frame.loc[:19, "y"] = np.nan
    data = prepare(frame, "y")
    assert len(data.y) == 100 and data.notes == ("20 rows are left out, without a value of y.",)
