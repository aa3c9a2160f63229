"""Numbers, dates and times as people write them are read, or refused with both readings."""

import numpy as np
import pandas as pd
import pytest

from losaw.explaining.preparing import prepare

N = 240
RNG = np.random.default_rng(0)
VALUES = RNG.lognormal(8, 2, N).round(2)
ROW = np.arange(N)
DAYS = pd.Series(pd.Timestamp("2020-01-03") + pd.to_timedelta(ROW * 7 % 900, "D"))
CLOCK = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(ROW * 67 % 1440, "min"))


def column_of(values, **options):
    frame = pd.DataFrame({"x": values, "z": VALUES, "y": RNG.standard_normal(N)})
    return prepare(frame, "y", **options).columns[0]


def swapped(value):
    return f"{value:,.2f}".translate(str.maketrans(".,", ",."))


AMOUNTS = {
    "currency": lambda v: f"${v:,.2f}",
    "currency after": lambda v: f"{swapped(v)} €",
    "dollars of a country": lambda v: f"US$ {v:,.2f}",
    "letters": lambda v: f"CHF {v:,.2f}",
    "percent": lambda v: f"{v} %",
    "thin blanks": lambda v: f"{v:,.2f}".replace(",", "\u202f"),
    "apostrophes": lambda v: f"{v:,.2f}".replace(",", "\u2019"),
    "points of thousands": swapped,
    "commas of decimals": lambda v: f"{v:.2f}".replace(".", ","),
    "unit": lambda v: f"{v} km/h",
    "square": lambda v: f"{v}m2",
    "powers": lambda v: f"{v:.9e} kg",
}


@pytest.mark.parametrize("how", AMOUNTS)
@pytest.mark.parametrize("sign", ["", "\u2212", "-", "()"])
def test_an_amount_is_its_number_with_a_note_and_text_where_the_kind_says_so(how, sign):
    of_value = AMOUNTS[how]
    ends = {"()": ("(", ")")}.get(sign, (sign, ""))
    texts = [of_value(v) if i % 3 else of_value(v).join(ends) for i, v in enumerate(VALUES)]
    signs = np.where((ROW % 3 == 0) & (sign != ""), -1, 1)
    column = column_of(texts)
    np.testing.assert_allclose(column.values, signs * VALUES)
    assert column.kind == "continuous" and "read as numbers (" in column.treatment
    assert column_of(texts, kinds={"x": "nominal"}).kind == "nominal"
    target = pd.DataFrame({"x": texts, "z": VALUES})
    np.testing.assert_allclose(prepare(target, "x").y, signs * VALUES)


@pytest.mark.parametrize("text", ["US$ -{:.2f}", "CHF -{:,.2f}", "-CHF {:.2f}", "€-{:.2f}"])
def test_a_sign_may_stand_before_or_after_the_currency(text):
    np.testing.assert_allclose(column_of([text.format(v) for v in VALUES]).values, -VALUES)


@pytest.mark.parametrize(
    "texts", [["1,234", "5,678"], ["1.234 kg", "2.345 kg"], ["3/4/2020", "5/6/2020"]]
)
def test_what_can_be_read_in_two_ways_is_refused_and_both_are_shown(texts):
    with pytest.raises(ValueError, match=r"x: .* may be .* or .*--kinds x:nominal"):
        column_of(np.resize(texts, N))


def test_the_remedy_for_two_readings_stands_in_quotes_where_a_shell_needs_them():
    for texts in (["1,234", "5,678"], ["3/4/2020", "5/6/2020"], ["13.12.44", "14.12.78"]):
        frame = pd.DataFrame({"x (EUR)": np.resize(texts, N), "z": VALUES, "y": VALUES})
        with pytest.raises(ValueError, match=r"--kinds 'x \(EUR\):nominal'"):
            prepare(frame, "y")


TWO_READINGS = {
    "percent": ["25.349%", "12.345%"],
    "unit": ["1.250 kg", "2.500 kg"],
    "currency": ["$1,234", "$5,678"],
    "bare": ["1,234", "5,678"],
    "brackets": ["1,234", "(5,678)"],
    "date": ["01/02/2026", "03/04/2026"],
    "short years": ["13.12.44", "14.12.78"],
    "months or days": [f"Jan {day:02}" for day in range(1, 30)],
}


@pytest.mark.parametrize("kind", TWO_READINGS)
def test_the_remedies_for_two_readings_of_a_target_are_those_that_a_target_has(kind):
    frame = pd.DataFrame(
        {"y": np.resize(TWO_READINGS[kind], 10 * N), "z": np.resize(VALUES, 10 * N)}
    )
    with pytest.raises(ValueError, match=r"say task classification") as refused:
        prepare(frame, "y")
    assert "--kinds" not in str(refused.value) and "--drop" not in str(refused.value)
    assert len(prepare(frame, "y", task="classification").labels) == len(set(frame["y"]))


@pytest.mark.parametrize("kind", ["percent", "unit", "currency", "bare", "brackets"])
def test_pandas_is_named_only_for_numbers_that_it_reads(kind):
    with pytest.raises(ValueError, match=r"write numbers like 1234\.5") as refused:
        column_of(np.resize(TWO_READINGS[kind], N))
    assert ("read_csv" in str(refused.value)) == (kind == "bare")
    assert ("without currency, unit or brackets" in str(refused.value)) == (kind != "bare")


@pytest.mark.parametrize(
    "text", ["ward {}", "ROW {}", "ABC{}.0", "{}a {}b", "0{} kg", "{0}.{0}.1", "{}-{}a"]
)
def test_codes_stay_text(text):
    assert column_of([text.format(i % 9, i % 7) for i in ROW]).kind == "nominal"


@pytest.mark.parametrize(
    "texts",
    [
        ["2:1", "3:0", "1:1"],
        ["1:2", "1:5", "1:8", "1:10"],
        ["4711-05", "4712-11", "9013-12"],
        ["05/4711", "11/4712", "12/3013"],
        [f"{year}/{(year + 1) % 100:02}" for year in range(1999, 2014)],
        [f"{year}-{(year + 1) % 100:02}" for year in range(2003, 2012)],
    ],
)
def test_ratios_codes_and_seasons_are_no_dates(texts):
    assert column_of(np.resize(texts, N)).kind == "nominal"


MOMENTS = {
    **{form: DAYS.dt.strftime(form) for form in (
        "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%y", "%d-%b-%Y", "%B %d, %Y", "%Y-%m", "%m/%Y", "%b-%y")},
    "quarter": [f"{day.year}Q{day.quarter}" for day in DAYS],
    "quarter first": [f"Q{day.quarter} {day.year}" for day in DAYS],

    **{f"Period {unit}": DAYS.dt.to_period(unit) for unit in "DWMQY"},
    **{form: CLOCK.dt.strftime(form) for form in ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M%p")},
    "time": CLOCK.dt.time,
    "with a time": (DAYS + (CLOCK - CLOCK.dt.normalize())).dt.strftime("%d/%m/%Y %I:%M %p"),
}  # fmt: skip


@pytest.mark.parametrize("how", MOMENTS)
def test_dates_and_times_are_read_and_a_bad_cell_is_missing(how):
    column, is_clock = column_of(MOMENTS[how]), ":" in str(MOMENTS[how][0])[:3]
    true, unit = (CLOCK, "h") if is_clock else (DAYS, "D")
    off = column.values - (true - pd.Timestamp("2020-01-01")) / pd.Timedelta(1, unit)
    most = 0.01 if "%d/" in how or is_clock else {"with a time": 1, "Period Y": 366}.get(how, 92)
    assert column.kind == "continuous" and np.ptp(off) <= most
    assert ("hours" if is_clock else "days since") in column.treatment
    if how not in ("Period W", "Period Y"):  # their texts are other texts
        bad = column_of(np.where(ROW == 5, "unknown", [str(moment) for moment in MOMENTS[how]]))
        assert bad.kind == "continuous" and "no date: 'unknown'; 1 missing" in bad.treatment
        assert np.flatnonzero(bad.values.isna()).tolist() == [5]


@pytest.mark.parametrize("form", ["%d.%m.%y", "%m/%d/%y", "%d-%b-%y", "%b-%y", "%d.%m.%y %H:%M"])
def test_years_of_two_digits_are_read_only_where_one_century_is_likely(form):
    for start, end in (("1930", "2004"), ("1930", "1967"), ("1965", "1975"), ("1969", "2026")):
        texts = pd.date_range(f"{start}-01-13", f"{end}-12-13", N).strftime(form)
        with pytest.raises(ValueError, match=r"may be of 19.. or 20..: write years"):
            column_of(texts)
        assert column_of(texts, kinds={"x": "nominal"}).kind == "nominal"
    column = column_of(pd.date_range("1978-01-13", "2026-12-13", N).strftime(form))
    assert "days since 1978-01-" in column.treatment


@pytest.mark.parametrize("form", ["%b %d", "%B %d", "%b-%d", "%b. %d"])
def test_a_month_with_a_number_is_refused_where_the_number_may_be_a_day(form):
    days = pd.Series(pd.date_range("2024-01-01", periods=N).strftime(form))
    for texts in (days, days.mask(ROW == 5, "unknown")):
        with pytest.raises(ValueError, match=r"x: 'Apr.*01' may be a month of 2001 or day 1 of"):
            column_of(texts)
    months = pd.date_range("1998-01-01", periods=N, freq="MS").strftime(form.replace("d", "y"))
    assert "days since 1998-01-01" in column_of(months).treatment
    few = pd.date_range("2001-01-01", periods=12 * 12, freq="MS").strftime(form.replace("d", "y"))
    assert "days since 2001-01-01" in column_of(np.resize(few, N)).treatment


@pytest.mark.parametrize(
    ("form", "bad", "words"),
    [
        ("%d/%m/%Y", "2025-03-04", "no date, or of another form"),
        ("%Y-%m-%d", "13/03/2025", "no date, or of another form"),
        ("%d/%m/%Y", "week 2", "no date"),
    ],
)
def test_a_date_of_another_form_than_most_is_not_said_to_be_none(form, bad, words):
    texts = DAYS.dt.strftime(form).mask(ROW == 5, bad)
    assert column_of(texts).treatment.endswith(f"; {words}: {bad!r}; 1 missing")
