"""Files as people have them: separators, lines of names, and what is refused."""

import gzip
import zipfile

import pandas as pd
import pytest

from losaw.explaining.table_file import read_file
from losaw.support.errors import LosawError

ROWS = [("size", "town", "price"), ("1.5", "Linz", "10"), ("2", "?", "11"), ("", "Graz", "12")]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", ", "])
def test_the_separator_is_found(tmp_path, separator):
    path = tmp_path / "data.csv"
    path.write_text("\n".join(separator.join(row) for row in ROWS) + "\n")
    frame = read_file(path, "price")
    assert list(frame.columns) == ["size", "town", "price"]
    assert frame["price"].tolist() == [10, 11, 12]
    assert frame["size"].isna().tolist() == [False, False, True]
    assert frame["town"].isna().tolist() == [False, True, False]


def test_commas_in_text_do_not_hide_the_separator(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text('a;b\n"x, y, z";1\n"u, v";2\n')
    assert read_file(path, "b")["a"].tolist() == ["x, y, z", "u, v"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_quoted_text_may_have_several_lines(tmp_path, separator):
    frame = pd.DataFrame({"a": ["one, two\nlines", 'with "quotes";'] * 30, "b": range(60)})
    frame["c"] = ["one\nmore", *frame["a"][1:]]
    frame.rename(columns={"c": "c\nd"}).to_csv(tmp_path / "data.csv", sep=separator, index=False)
    read = read_file(tmp_path / "data.csv", "b")
    assert list(read.columns) == ["a", "b", "c\nd"] and read["a"].tolist() == frame["a"].tolist()


def test_a_lone_quote_within_text_hides_no_separator(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text('a;b;c\nbolt 3 ";1,5;10\nnail;2,5;20\n')
    assert read_file(path, "c")["a"].tolist() == ['bolt 3 "', "nail"]


def test_levels_of_parquet_that_are_numbers_stay_levels(tmp_path):
    frame = pd.DataFrame({"a": [10, 20, 10], "b": [1.5, None, 2.5], "c": ["u", "v", "u"]})
    frame = frame.astype("category").assign(d=pd.Categorical([3, 1, 2], ordered=True), y=1.0)
    frame.to_parquet(tmp_path / "data.parquet")
    read = read_file(tmp_path / "data.parquet", "y")
    assert [str(read[name].dtype) for name in "abcd"] == ["category"] * 3 + ["int64"]


def test_blanks_separate_and_lines_without_names_are_numbered(tmp_path):
    path = tmp_path / "housing.data.txt"
    path.write_text(" 0.1  18.0   2\n 0.2  0.0    3\n")
    frame = read_file(path, "X3", has_header=False)
    assert list(frame.columns) == ["X1", "X2", "X3"] and frame["X3"].tolist() == [2, 3]


def test_compressed_text_and_parquet(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]})
    with gzip.open(tmp_path / "data.csv.gz", "wt") as file:
        file.write(frame.to_csv(index=False))
    frame.to_parquet(tmp_path / "data.parquet")
    for name in ("data.csv.gz", "data.parquet"):
        assert read_file(tmp_path / name, "a").equals(frame)


def refused(path, target="price", **options):
    with pytest.raises(LosawError) as caught:
        read_file(path, target, **options)
    return str(caught.value)


def test_a_file_without_names_is_recognised(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("39, State-gov, 77516\n50, Private, 83311\n")
    assert "--no-header" in refused(path, "income")
    assert "X3" in refused(path, "income")


def test_names_that_are_numbers_are_names_if_the_target_is_among_them(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("2019,2020,price\n1,2,3\n")
    assert list(read_file(path, "price").columns) == ["2019", "2020", "price"]


def test_what_is_no_table_is_refused_by_name(tmp_path):
    (tmp_path / "data.csv").write_text("")
    (tmp_path / "one.csv").write_text("price\n1\n2\n")
    (tmp_path / "head.csv").write_text("a,price\n")
    (tmp_path / "bad.parquet").write_text("no parquet")
    (tmp_path / "table.xlsx").write_text("x")
    (tmp_path / "bytes.csv").write_bytes(b"a,price\n\xff\xfe\x00,1\n")
    assert "did you mean 'data.csv'" in refused(tmp_path / "dta.csv")
    assert "empty" in refused(tmp_path / "data.csv")
    assert "one column" in refused(tmp_path / "one.csv")
    assert "no rows" in refused(tmp_path / "head.csv")
    assert "Parquet" in refused(tmp_path / "bad.parquet")
    assert "pandas" in refused(tmp_path / "table.xlsx")
    assert "cannot be read" in refused(tmp_path / "bytes.csv")
    (tmp_path / "latin.csv").write_bytes("a,price\né,2\n".encode("latin-1"))
    assert "UTF-8" in refused(tmp_path / "latin.csv")
    (tmp_path / "wide.csv").write_text("a,price\n1,2\n", encoding="utf-16")
    assert "UTF-8" in refused(tmp_path / "wide.csv")


def test_numbers_too_long_for_floats_stay_whole_where_cells_are_missing(tmp_path):
    path = tmp_path / "data.csv"
    lines = [f"{2**60 + row},{row}e20,{2**60 + row}.0,{row}" for row in range(3)]
    path.write_text("\n".join(["long,large,decimal,price", *lines, ",,,4", ""]))
    frame = read_file(path, "price")
    assert frame["long"].tolist()[:3] == [2**60, 2**60 + 1, 2**60 + 2]
    assert frame.isna().sum().tolist() == [1, 1, 1, 0]
    assert frame.dtypes.astype(str).tolist() == ["object", "float64", "float64", "int64"]


def test_columns_of_one_name_are_refused_and_not_renamed(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("size,price, size\n1,2,3\n4,5,6\n")
    assert "columns 1 and 3 are both named 'size'" in refused(path)
    path.write_text("size,price,size.1\n1,2,3\n4,5,6\n")
    assert list(read_file(path, "price").columns) == ["size", "price", "size.1"]
    path.write_text("7,7,7\n4,5,6\n")
    assert read_file(path, "X3", has_header=False).shape == (2, 3)


@pytest.mark.parametrize("end", ["gz", "bz2", "xz", "zip"])
def test_a_file_that_is_not_compressed_as_its_name_says_is_named(tmp_path, end):
    path = tmp_path / f"data.csv.{end}"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(LosawError, match=rf"data\.csv\.{end}: cannot be read as a table"):
        read_file(path, "a")


def test_an_archive_of_two_files_and_a_line_of_very_many_fields_are_named(tmp_path):
    path = tmp_path / "data.csv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "a,b\n1,2\n")
        archive.writestr("b.csv", "a,b\n1,2\n")
    with pytest.raises(LosawError, match=r"cannot be read as a table .*files found in ZIP"):
        read_file(path, "a")
    path = tmp_path / "wide.csv"
    path.write_text("a,b\n1,2\n" + ",".join("1" * 100_000) + "\n")
    with pytest.raises(LosawError, match=r"wide\.csv: cannot be read as a table .*saw 100000"):
        read_file(path, "a")


@pytest.mark.parametrize("end", ["", " ", "  "])
def test_a_separator_at_the_end_of_every_line_but_that_of_names_moves_no_column(tmp_path, end):
    path = tmp_path / "data.csv"
    path.write_text(f"price,size,town\n0,2.5,Linz,{end}\n1,4.5,Graz,{end}\n")
    frame = read_file(path, "price")
    assert list(frame.columns) == ["price", "size", "town"]
    assert frame["price"].tolist() == [0, 1] and frame["town"].tolist() == ["Linz", "Graz"]
    assert frame.index.tolist() == [0, 1]


@pytest.mark.parametrize(
    "names_of_rows", [("1", "2", "3"), ("0", "1", "2"), ("Mazda", "Fiat", "Volvo")]
)
def test_names_of_rows_without_a_name_of_their_own_are_no_column(tmp_path, names_of_rows):
    path = tmp_path / "data.csv"
    lines = [f"{name},{size},NA" for name, size in zip(names_of_rows, (1.5, 2.5, 3.5), strict=True)]
    path.write_text("size,price\n" + "\n".join(lines) + "\n")
    frame = read_file(path, "price")
    assert frame["size"].tolist() == [1.5, 2.5, 3.5] and frame["price"].isna().all()


@pytest.mark.parametrize(
    "lines",
    [
        ["0.1,0.2,0.3", "0.4,0.5,0.6"],  # numbers that count no rows
        ["2,0.2,0.3", "1,0.5,0.6"],
        ["Linz,0.2,0.3", "Linz,0.5,0.6"],  # text that names no single row
        ["1,2,0.3,0.4", "2,3,0.5,0.6"],
        ["0.1,0.2,", "0.3,0.4,0.5"],  # empty in one line only
        ["0.1,0.2,"] * 30 + ["0.3,0.4,0.5"],
    ],
)
def test_more_fields_than_names_are_refused(tmp_path, lines):
    path = tmp_path / "data.csv"
    path.write_text("size,price\n" + "\n".join(lines) + "\n")
    n_fields = lines[0].count(",") + 1
    said = refused(path)
    assert f"data.csv: the first line has 2 names, and the lines below have {n_fields}" in said
    assert "give every column a name" in said


@pytest.mark.parametrize(
    ("lines", "columns"),
    [
        (["1,5;2,25;3,0", "2,5;0,25;4,0"], 3),  # commas of decimals, and more of them
        (["1,5\t2,25", "2,5\t0,25"], 2),
        (["Smith, J;3,5;x, y", "Doe, A;4,5;y, z"], 3),
        (['1,"a; b",2.5', '2,"c; d",3.5'], 3),  # semicolons in quotes separate nothing
    ],
)
def test_a_tab_or_a_semicolon_that_fits_every_line_separates_before_a_comma(
    tmp_path, lines, columns
):
    path = tmp_path / "data.csv"
    path.write_text("\n".join(lines) + "\n")
    assert read_file(path, "X1", has_header=False).shape == (2, columns)
