"""Files as people have them: separators, lines of names, and what is refused."""

import gzip
import zipfile

import pandas as pd
import pytest

from losaw.explaining.preparing import prepare
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


def test_a_folder_and_a_file_of_nearly_the_name_are_not_taken_for_the_file(tmp_path):
    (tmp_path / "data.csv").mkdir()
    (tmp_path / "date.csv").touch()
    assert refused(tmp_path / "data.csv").endswith("no such file; did you mean 'date.csv'?")


def test_names_that_are_numbers_are_names_if_the_target_is_among_them(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("2019,2020,price\n1,2,3\n")
    assert list(read_file(path, "price").columns) == ["2019", "2020", "price"]


OF_NAMES = "the first line has 2 fields and line {} has {}, .* give every column a name"
REFUSED = {
    "no names": ("39, State-gov, 77516\n50, Private, 83311\n", "--no-header: .*--target X3"),
    "equal names": ("size,price, size\n1,2,3\n", "columns 1 and 3 are both named 'size'"),
    "UTF-16": ("größe,price\n1,2\n".encode("utf-16"), "is not written in UTF-8; write it so"),
    "Latin letters": ("größe,price\n1,2\n".encode("latin-1"), "is not written in UTF-8; write"),
    "a separator at the end": ("size,price\n1,0.2,\n2,0.3,\n", OF_NAMES.format(2, 3)),
    "names of rows": ("size,price\nLinz,0.2,0.3\nGraz,0.5,0.6\n", OF_NAMES.format(2, 3)),
    "a longer line": ("size,price\n1,2\n1,2,3,4\n", OF_NAMES.format(3, 4)),
    "a very long line": ("a,b\n1,2\n" + ",".join("1" * 100_000), OF_NAMES.format(3, 100000)),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_clear_in_a_file_is_refused_with_the_remedy(tmp_path, kind):
    content, words = REFUSED[kind]
    path = tmp_path / "data.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(LosawError, match=rf"data\.csv: .*{words}"):
        read_file(path, "price")


def test_columns_of_one_name_are_not_renamed(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("size,price,size.1\n1,2,3\n4,5,6\n")
    assert list(read_file(path, "price").columns) == ["size", "price", "size.1"]
    path.write_text("7,7,7\n4,5,6\n")
    assert read_file(path, "X3", has_header=False).shape == (2, 3)


@pytest.mark.parametrize("end", ["gz", "bz2", "xz", "zip"])
def test_a_file_that_is_not_compressed_as_its_name_says_is_named(tmp_path, end):
    path = tmp_path / f"data.csv.{end}"
    path.write_text("a,b\n1,2\n")
    assert f"data.csv.{end}: cannot be read as a table" in refused(path)
    if end == "zip":  # and an archive of two files
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.csv", "a,b\n1,2\n")
            archive.writestr("b.csv", "a,b\n1,2\n")
        assert "files found in ZIP" in refused(path)


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


BY_BLANKS = {
    "a tab before a name in quotes": '18.0   8   307.0\t"chevrolet malibu"\n24.0 4 113.0\t"audi"\n',
    "a question mark": "18.0   8   ?\t1\n24.0   4   113.0\t2\n",
    "a tab before the last number": "18.0 8 307.0\t1\n24.0 4 113.0\t2\n",
    "quotes with a comma": '18.0 8 307.0 "a, b"\n24.0 4 113.0 "c, d"\n',
}


@pytest.mark.parametrize("kind", BY_BLANKS)
def test_blanks_separate_where_they_make_more_fields_of_numbers(tmp_path, kind):
    path = tmp_path / "data.txt"
    path.write_text(BY_BLANKS[kind])
    read = read_file(path, "X1", has_header=False)
    assert read.shape == (2, 4) and read["X2"].tolist() == [8, 4]
    path.write_text('mpg cylinders "power of it"\tname\n' + BY_BLANKS[kind])
    assert list(read_file(path, "mpg"))[2:] == ["power of it", "name"]


@pytest.mark.parametrize("line", ["New York\t5", "12 a\t5", "2020-01-01 10:00;5", "1,5 2;3"])
def test_blanks_in_text_dates_and_ranges_separate_nothing(tmp_path, line):
    path = tmp_path / "data.txt"
    path.write_text(f"{line}\n{line}\n")
    assert read_file(path, "X1", has_header=False).shape == (2, 2)


ABOVE = {
    "a comment": "# from the clinic\n",
    "comments with the separator": "# a, b, c\n# d; e; f; g\n",
    "other marks": "% made by hand\n// twice\n",
    "a title": "Patients of May\n",
    "a title in quotes": '"Patients of May, all"\n\n',
    "Excel's separator": "sep=;\n",
    "Excel's separator in quotes": '"sep=;"\n',
}


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("table", ["a;price\n1;2\n3;4\n", "a;b;price\n1;2;3\n4;5;6\n"])
def test_lines_above_the_table_are_to_be_removed(tmp_path, above, table):
    path = tmp_path / "data.csv"
    path.write_text(ABOVE[above] + table)
    said = refused(path)
    assert "data.csv: the first line" in said and "remove" in said
    path.write_text(table)
    assert len(read_file(path, "price")) == 2


def test_a_name_may_begin_as_a_comment_does(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("#chrom\tprice\n1\t2\n3\t4\n")
    assert list(read_file(path, "price")) == ["#chrom", "price"]


CODES = {
    "leading zeros": (["01", "1", "02", "2"], True, 4),
    "signed zeros": (["-01", "-1", "+02", "2"], True, 4),
    "long numbers": ([str(2**60), str(2**60 + 1), "12", "13"], True, 4),
    "a zero before a point": (["0.5", "0", "1.5", "2"], False, 4),
    "trailing zeros": (["1.1", "1.10", "2", "3"], False, 3),
    "exponents": (["1e3", "1000", "2", "3"], False, 3),
    "signs": (["+5", "5", "2", "3"], False, 3),
}


def of_codes(tmp_path, name):
    path = tmp_path / "codes.csv"
    cells = CODES[name][0] * 20
    path.write_text("code,y\n" + "\n".join(f"{c},{i}.5" for i, c in enumerate(cells)) + "\n")
    return path


@pytest.mark.parametrize("name", CODES)
def test_cells_that_differ_as_text_become_one_number_only_with_a_note(tmp_path, name):
    cells, is_text, n_values = CODES[name]
    path = of_codes(tmp_path, name)
    read = read_file(path, "y")
    assert (
        pd.api.types.is_numeric_dtype(read["code"]) != is_text
        and read["code"].nunique() == n_values
    )
    notes = prepare(read, "y").notes
    assert any("code has" in note for note in notes) == (is_text or n_values < len(cells))


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("how", ["cluster", "kind", "classes"])
def test_names_of_clusters_levels_and_classes_stay_apart(tmp_path, name, how):
    cells = CODES[name][0]
    path = of_codes(tmp_path, name)
    target, options = {
        "cluster": ("y", {"cluster": "code"}),
        "kind": ("y", {"kinds": {"code": "nominal"}}),
        "classes": ("code", {"task": "classification"}),
    }[how]
    read = read_file(path, target, **options)
    assert sorted(read["code"].unique()) == sorted(cells)
    if how == "cluster":
        found = prepare(read.assign(z=[i % 7 for i in range(80)]), "y", cluster="code")
        assert len(set(found.clusters)) == 4
    if how == "classes":
        assert set(prepare(read, "code").labels) == set(cells)


def test_codes_are_numbers_where_the_kind_says_so(tmp_path):
    read = read_file(of_codes(tmp_path, "leading zeros"), "y")
    data = prepare(read, "y", kinds={"code": "continuous"})
    assert sorted(set(data.X["code"])) == [1.0, 2.0]
