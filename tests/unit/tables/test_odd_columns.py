"""Columns of odd types are shown to a model as their numbers, and labels name columns."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression

from losaw import LosawRandomForestRegressor
from losaw.importance import loco, pfi
from losaw.support.arguments import unmasked
from losaw.tables import read_table

N = 80
ROW = np.arange(N)
QUARTERS = (ROW * 7 % 23) / 4 - 2
WHOLE = (ROW * 7 % 23).astype(float)
HOLES = np.where(ROW % 9 == 4, np.nan, WHOLE)


def decimals(values):
    return [None if v != v else Decimal(v) for v in values]


def arrow(values, dtype):
    return pd.array(pa.array(values, dtype), dtype=pd.ArrowDtype(dtype))


DTYPES = {
    "float16": QUARTERS.astype("float16"),
    "float32": QUARTERS.astype("float32"),
    "longdouble": QUARTERS.astype("longdouble"),
    "int8": WHOLE.astype("int8"),
    "uint64": WHOLE.astype("uint64"),
    "bool": ROW % 3 == 0,
    "Int8": pd.array(HOLES, dtype="Int8"),
    "UInt16": pd.array(HOLES, dtype="UInt16"),
    "Float32": pd.array(np.where(ROW % 9 == 4, np.nan, QUARTERS), dtype="Float32"),
    "boolean": pd.array(np.where(ROW % 9 == 4, None, ROW % 3 == 0), dtype="boolean"),
    "sparse floats": pd.arrays.SparseArray(QUARTERS, fill_value=0.0),
    "sparse whole": pd.arrays.SparseArray(WHOLE.astype(int), fill_value=0),
    "sparse with holes": pd.arrays.SparseArray(HOLES),
    "decimals of Python": np.array(decimals(QUARTERS), dtype=object),
    "numbers as objects": np.array([int(v) for v in WHOLE], dtype=object),
    "decimal128(8, 2)[pyarrow]": arrow(decimals(QUARTERS), pa.decimal128(8, 2)),
    "decimal128 with holes": arrow(decimals(HOLES / 4), pa.decimal128(8, 2)),
    "decimal256(20, 3)[pyarrow]": arrow(decimals(QUARTERS), pa.decimal256(20, 3)),
    "float[pyarrow]": arrow(QUARTERS.tolist(), pa.float32()),
    "double[pyarrow]": arrow(QUARTERS.tolist(), pa.float64()),
    "int16[pyarrow]": arrow([None if v != v else int(v) for v in HOLES], pa.int16()),
    "bool[pyarrow]": arrow([None if i % 9 == 4 else i % 3 == 0 for i in ROW], pa.bool_()),
}


def as_floats(values):
    return np.array([np.nan if pd.isna(v) else float(v) for v in list(values)])


@pytest.mark.parametrize("name", DTYPES)
def test_the_model_is_shown_the_numbers_of_astype_float(name):
    given = pd.DataFrame({"x": DTYPES[name], "z": ROW * 0.5})
    shown = read_table(given).rows()["x"]
    np.testing.assert_array_equal(as_floats(shown), as_floats(DTYPES[name]))
    drawn = read_table(given).rebuild(read_table(given).codes[::-1])["x"]
    np.testing.assert_array_equal(as_floats(drawn), as_floats(DTYPES[name])[::-1])


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        (pl.Series([Decimal("0.64"), Decimal("1.25")] * 9), pl.Decimal(8, 2)),
        (pl.Series([1, None] * 9), pl.UInt8),
        (pl.Series([1.5, None] * 9), pl.Float32),
    ],
)
def test_numbers_of_polars_are_numbers(column, dtype):
    frame = pl.DataFrame({"x": column.cast(dtype), "z": list(range(18))})
    shown = read_table(frame).rows()
    np.testing.assert_array_equal(as_floats(shown["x"]), as_floats(column.to_list()))


@pytest.mark.parametrize("given", [np.asarray, pd.DataFrame])
@pytest.mark.parametrize(
    ("rows", "kinds", "words"),
    [
        ([[0.5], [1.0]], ["nominal"], "'X1' is nominal, but it contains fractions"),
        ([[np.nan], [-1.5]], ["nominal"], "'X1' is nominal, but it contains fractions"),
        (np.float32([[1.0, 0.0], [2.0, 0.1]]), {"X2": "nominal"}, "'X2' is nominal, but it"),
        ([[2**60], [1]], None, "'X1' contains whole numbers beyond 2\\^53"),
        ([[-(2**60)], [1]], ["nominal"], "'X1' contains whole numbers beyond"),
        ([[0, -(2**63)], [1, 1]], None, "'X2' contains whole numbers beyond"),
        (np.uint64([[1], [2**64 - 1]]), ["continuous"], "'X1' contains whole numbers beyond"),
    ],
)
def test_an_array_is_refused_where_its_frame_is(given, rows, kinds, words):
    array = np.array(rows)
    table = pd.DataFrame(array, columns=[f"X{j + 1}" for j in range(array.shape[1])])
    with pytest.raises(ValueError, match=words):
        read_table(table if given is pd.DataFrame else array, kinds=kinds)


def test_masked_text_is_missing():
    words = np.ma.array(["a", "b", "c"], mask=[False, True, False])
    assert unmasked(words).tolist() == ["a", None, "c"]


LABELLED = pd.DataFrame(np.random.default_rng(0).standard_normal((60, 4)), columns=[1, 2, 3, 4])
RESPONSE = LABELLED[1] + 2 * LABELLED[2]
FITTED = LinearRegression().fit(LABELLED.to_numpy(), RESPONSE)


def test_whole_numbers_are_places_where_labels_are_no_numbers():
    named = LABELLED.set_axis(list("abcd"), axis=1)
    found = pfi(FITTED, named, RESPONSE, groups={"g": [1, 2]}, random_state=0)
    assert found.feature_names == ("a", "g", "d")
    array = pfi(FITTED, LABELLED.to_numpy(), RESPONSE, groups={"g": [1, 2]}, random_state=0)
    assert array.feature_names == ("X1", "g", "X4")
    assert read_table(named, kinds={1: "discrete"}).kinds[1] == "discrete"


@pytest.mark.parametrize("parameter", ["nominal_features", "discrete_features"])
@pytest.mark.parametrize("labels", [[1, 2, 3, 4], [3, 2, 1, 0], [7, 1, 9, 0]])
def test_places_next_to_labels_that_are_other_numbers_are_refused(parameter, labels):
    rows = pd.DataFrame(np.arange(240).reshape(60, 4) % 7, columns=labels)
    for choice in ([1], np.array([0, 2])):
        forest = LosawRandomForestRegressor(1, **{parameter: choice})
        with pytest.raises(ValueError, match=f"^{parameter}=.* other numbers for labels"):
            forest.fit(rows, RESPONSE)
    mask = [False, True, False, True]
    places = [j for j in range(4) if mask[j]]
    by_mask = LosawRandomForestRegressor(1, **{parameter: mask}, random_state=0).fit(rows, RESPONSE)
    array = LosawRandomForestRegressor(1, **{parameter: places}, random_state=0)
    array = array.fit(rows.to_numpy(), RESPONSE)
    np.testing.assert_array_equal(by_mask.is_discrete_, array.is_discrete_)
    np.testing.assert_array_equal(by_mask.is_nominal_, array.is_nominal_)


@pytest.mark.parametrize("choice", [[2], [False, False, True, False]])
def test_loco_of_a_forest_whose_features_are_named_by_places_keeps_them(choice):
    frame = LABELLED.set_axis(range(4), axis=1)
    frame[2] = ROW[:60] % 3
    forest = LosawRandomForestRegressor(2, nominal_features=choice, random_state=0)
    found = loco(forest.fit(frame[:40], RESPONSE[:40]), frame[40:], RESPONSE[40:],
                 train=(frame[:40], RESPONSE[:40]))  # fmt: skip
    assert found.feature_names == ("0", "1", "2", "3")


PAIRS = [("a", 1), ("a", 2), ("b", 1)]
COLUMNS = {
    "pairs": pd.MultiIndex.from_tuples(PAIRS),
    "pairs with names": pd.MultiIndex.from_tuples(PAIRS, names=["letter", "number"]),
    "triples": pd.MultiIndex.from_tuples([(*pair, "x") for pair in PAIRS], names=list("lnx")),
    "pairs that are no levels": pd.Index(PAIRS, tupleize_cols=False),
    "words with a name": pd.Index(list("abc"), name="letter"),
    "numbers": pd.Index([3, 1, 2]),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("is_mixed", [False, True])
def test_the_columns_are_those_that_were_read(name, is_mixed):
    frame = pd.DataFrame(np.arange(36).reshape(12, 3) / 3, columns=COLUMNS[name])
    if is_mixed:
        frame.isetitem(1, np.arange(12) % 7)
    table = read_table(frame)
    fewer = table.without(np.array([1]))
    for found, columns in ((table, frame.columns), (fewer, frame.columns[[0, 2]])):
        assert type(found.rows().columns) is type(columns)
        pd.testing.assert_index_equal(found.rows().columns, columns)


@pytest.mark.parametrize("is_mixed", [False, True])
def test_a_model_takes_columns_by_their_first_level(is_mixed):
    frame = LABELLED[[1, 2, 3]].set_axis(COLUMNS["pairs"], axis=1)
    if is_mixed:
        frame.isetitem(2, ROW[:60])
    model = type("Summing", (), {"predict": lambda self, rows: rows["a"].sum(axis=1).to_numpy()})()
    found = pfi(model, frame, frame["a"].sum(axis=1), random_state=0).scores
    assert (found[:2] > 0).all() and found[2] == 0
