"""Files as people have them: separators, lines of names, and what is refused."""

import gzip
import zipfile

import pandas as pd
import pytest

from losaw.explaining.preparing import prepare
from losaw.explaining.table_file import read_file
from losaw.support.errors import LosawError

ROWS = [("size", "town", "price"), ("1.5", "Linz", "10"), ("2", "?", "11"), ("", "Graz", "12")]


@pytest.fixture
def read(tmp_path):
    def of_text(text, target="price", **options):
        path = tmp_path / "data.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_file(path, target, **options)

    return of_text


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", ", "])
def test_the_separator_is_found(read, separator):
    frame = read("\n".join(separator.join(row) for row in ROWS) + "\n")
    assert list(frame.columns) == ["size", "town", "price"]
    assert frame["price"].tolist() == [10, 11, 12]
    assert frame["size"].isna().tolist() == [False, False, True]
    assert frame["town"].isna().tolist() == [False, True, False]


def test_commas_in_text_do_not_hide_the_separator(read):
    assert read('a;b\n"x, y, z";1\n"u, v";2\n', "b")["a"].tolist() == ["x, y, z", "u, v"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_quoted_text_may_have_several_lines(read, separator):
    frame = pd.DataFrame({"a": ["one, two\nlines", 'with "quotes";'] * 30, "b": range(60)})
    frame["c"] = ["one\nmore", *frame["a"][1:]]
    found = read(frame.rename(columns={"c": "c\nd"}).to_csv(sep=separator, index=False), "b")
    assert list(found.columns) == ["a", "b", "c\nd"] and found["a"].equals(frame["a"])
    everywhere = pd.DataFrame(
        {"a": ["x\ny\nz"] * 60, "b": range(60)}
    )  # also in the last line at hand
    assert read(everywhere.to_csv(sep=separator, index=False), "b").equals(
        everywhere.astype({"b": float})
    )


QUOTES = {
    "two": {10: '"x', 170: '"x'},
    "neighbours": {10: '"x', 11: '"x'},
    "ditto marks": {10: '"', 13: '"'},
    "one": {10: '"x'},
    "the last line": {299: '"x'},
    "before a good one": {5: '"x', 9: '"a, b; c\td"'},
    "before inches": {5: '"x', 9: '5"'},
}


@pytest.mark.parametrize(
    ("at", "separator", "place"),
    [*((at, ",", place) for at in QUOTES for place in range(3)),
     ("two", ";", 1), ("two", "\t", 1), ("before a good one", "|", 1)],
)  # fmt: skip
def test_no_row_is_lost_by_a_quote_that_is_text(read, at, separator, place):
    lines = []
    for row in range(300):
        cells = [f"{row}.5", f"{row % 7}.25"]
        cells.insert(place, QUOTES[at].get(row, "abc"[row % 3]))
        lines.append(separator.join(cells))
    names = [*"ay"]
    names.insert(place, "t")
    for end in ("\n", "\r\n"):
        with pytest.raises(LosawError, match=rf"line {min(QUOTES[at]) + 2} has a quote.*twice"):
            read(end.join([separator.join(names), *lines, ""]), "y")


@pytest.mark.parametrize(
    "cells",
    [
        "b,c,{0}",
        '"b, {0}\n{0} c",2,3',
        '2,"\n\n{0}, 4",3',
        '1,2,"\n"',
        '"a, {0}, c\nd, e, f\ng, h, i, k",2,3',  # no row has so many cells as its last line
    ],
)
def test_an_open_quote_is_told_from_a_cell_of_several_lines(read, cells):
    lines = [cells.format(row) for row in range(60)]
    assert read("\n".join(["t,u,y", *lines, "a note"]), "y").shape == (61, 3)
    for odd in ('",",7', '"x,1,2', '1,2,"'):
        with pytest.raises(LosawError, match="has a quote"):
            read("\n".join(["t,u,y", *lines, odd, *lines]), "y")


@pytest.mark.parametrize(
    "rows",
    [
        ['"a, b",1,x,5', '"a, b",2,",6', 'c,3,",7'],  # beside a good quote, in neighbouring rows
        ['",1,",5', "c,2,x,6", '",3,",7'],  # twice in a row
        [",".join(['",1,"', "5"])] * 9,  # in every row: only the names have four cells
        ['a,1,"p', 'q",5', 'b,2,",6', 'c,3,",7'],  # below a good cell of two lines
        ['a,1,",5', "b,2,x", "c,3,x", "d,4,x", 'e,5,",6'],  # about rows without a last cell
        ['a,1,"', "", "", "b,2,x,6", 'c,3,",7'],  # in such a row, and about lines without cells
        ['a,1,"', "b,2,x", 'c,3,",7', "d,4,x"],  # among rows without a last cell
        ['","b, c",1,5', "c,1,x,6"],  # before a good quote, which it would end
    ],
)
def test_a_ditto_mark_is_no_quote(read, rows):
    lines = [f"{row},z" for row in range(9)]
    for end in ([], [f"x,{line},1" for line in lines] * (len(rows) < 9)):
        with pytest.raises(LosawError, match="has a quote"):
            read("\n".join(["t,u,v,y", *rows, *end, ""]), "y")


def test_blanks_separate_and_lines_without_names_are_numbered(read):
    frame = read(" 0.1  18.0   2\n 0.2  0.0    3\n", "X3", has_header=False)
    assert list(frame.columns) == ["X1", "X2", "X3"] and frame["X3"].tolist() == [2, 3]


def test_compressed_text_and_parquet(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]})
    with gzip.open(tmp_path / "data.csv.gz", "wt") as file:
        file.write(frame.to_csv(index=False))
    frame.to_parquet(tmp_path / "data.parquet")
    for name in ("data.csv.gz", "data.parquet"):
        assert read_file(tmp_path / name, "a").equals(frame)


def test_a_folder_of_parts_is_a_table_and_an_index_with_a_name_a_column(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.5, 3.5], "y": [1, 3, 2]}).set_index("y")
    (tmp_path / "data").mkdir()
    for part in range(3):
        frame.iloc[[part]].to_parquet(tmp_path / "data" / f"part-{part}.parquet")
    found = read_file(tmp_path / "data", "y")
    assert found["y"].tolist() == [1, 3, 2] and found["a"].tolist() == [1.5, 2.5, 3.5]


@pytest.mark.parametrize("last", ["Source: survey,,", "Total: 60 rows", "n/s,12,", ",mean,\n,sum,"])
def test_rows_without_a_target_decide_nothing_and_odd_cells_are_noted(read, last):
    lines = "\n".join(f"{row}.5,{row % 7},{row}" for row in range(60))
    data = prepare(read(f"size,rooms,price\n{lines}\n{last}\n"), "price")
    assert data.kinds == {"size": "continuous", "rooms": "discrete"}
    assert any("does not count, in a row without a value of price" in note for note in data.notes)
    frame = pd.DataFrame({"size": [*range(60), "note"], "price": [*range(60), None]})
    assert prepare(frame, "price", kinds={"size": "continuous"}).X["size"].max() == 59


def refused(path):
    with pytest.raises(LosawError) as caught:
        read_file(path, "price")
    return str(caught.value)


def test_a_folder_and_a_file_of_nearly_the_name_are_not_taken_for_the_file(tmp_path):
    (tmp_path / "data.csv").mkdir()
    (tmp_path / "date.csv").touch()
    assert refused(tmp_path / "data.csv").endswith("no such file; did you mean 'date.csv'?")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("2019,2020,price\n1,2,3\n", ["2019", "2020", "price"]),  # the target is among them
        ("size,price,size.1\n1,2,3\n4,5,6\n", ["size", "price", "size.1"]),
        ("#chrom\tprice\n1\t2\n3\t4\n", ["#chrom", "price"]),
    ],
)
def test_names_like_numbers_other_names_and_comments_are_taken_as_they_are(read, text, names):
    assert list(read(text)) == names


OF_NAMES = "the first line has 2 fields and line {} has {}, .* give every column a name"
REFUSED = {
    "no names": ("39, State-gov, 77516\n50, Private, 83311\n", "--no-header: .*--target X3"),
    "UTF-16": ("größe,price\n1,2\n".encode("utf-16"), "is not text in UTF-8; write it so"),
    "Latin letters": ("größe,price\n1,2\n".encode("latin-1"), "is not text in UTF-8; write it so"),
    "NUL": ("size,price\n1,2\n1,\0\n", "contains a NUL character"),
    "a separator at the end": ("size,price\n1,0.2,\n2,0.3,\n", OF_NAMES.format(2, 3)),
    "names of rows": ("size,price\nLinz,0.2,0.3\nGraz,0.5,0.6\n", OF_NAMES.format(2, 3)),
    "a longer line": ("size,price\n1,2\n1,2,3,4\n", OF_NAMES.format(3, 4)),
    "a very long line": ("a,b\n1,2\n" + ",".join("1" * 100_000), OF_NAMES.format(3, 100000)),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_clear_in_a_file_is_refused_with_the_remedy(read, kind):
    content, words = REFUSED[kind]
    with pytest.raises(LosawError, match=rf"data\.csv: .*{words}"):
        read(content)


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
        (["New York\t5"] * 2, 2),  # and blanks in text, dates and ranges
        (["12 a\t5"] * 2, 2),
        (["2020-01-01 10:00;5"] * 2, 2),
        (["1,5 2;3"] * 2, 2),
        (["7,7,7", "4,5,6"], 3),  # three columns, not one name three times
    ],
)
def test_a_tab_or_a_semicolon_that_fits_every_line_separates_before_a_comma(read, lines, columns):
    text = {f"X{j}": "nominal" for j in range(1, 4)}
    found = read("\n".join(lines) + "\n", "X1", has_header=False, kinds=text)
    assert found.shape == (2, columns)


BY_BLANKS = {
    "a tab before a name in quotes": '18.0   8   307.0\t"chevrolet malibu"\n24.0 4 113.0\t"audi"\n',
    "a question mark": "18.0   8   ?\t1\n24.0   4   113.0\t2\n",
    "a tab before the last number": "18.0 8 307.0\t1\n24.0 4 113.0\t2\n",
    "quotes with a comma": '18.0 8 307.0 "a, b"\n24.0 4 113.0 "c, d"\n',
}


@pytest.mark.parametrize("kind", BY_BLANKS)
def test_blanks_separate_where_they_make_more_fields_of_numbers(read, kind):
    found = read(BY_BLANKS[kind], "X1", has_header=False)
    assert found.shape == (2, 4) and found["X2"].tolist() == [8, 4]
    named = read('mpg cylinders "power of it"\tname\n' + BY_BLANKS[kind], "mpg")
    assert list(named)[2:] == ["power of it", "name"]


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
def test_lines_above_the_table_are_to_be_removed(read, above, table):
    with pytest.raises(LosawError, match=r"data\.csv: the first line.*remove"):
        read(ABOVE[above] + table)
    assert len(read(table)) == 2


CODES = {
    "leading zeros": (["01", "1", "02", "2"], True, 4),
    "signed zeros": (["-01", "-1", "+02", "2"], True, 4),
    "long numbers": ([str(2**60), str(2**60 + 1), "12", "13"], True, 4),
    "a zero before a point": (["0.5", "0", "1.5", "2"], False, 4),
    "versions": (["1.1", "1.10", "2", "3"], True, 4),
    "a zero after the point": (["1", "1.0", "2", "3"], False, 3),
    "exponents": (["1e3", "1000", "2", "3"], False, 3),
    "signs": (["+5", "5", "2", "3"], False, 3),
}


def of_codes(name):
    cells = CODES[name][0] * 20
    return "code,y\n" + "\n".join(f"{c},{i}.5" for i, c in enumerate(cells)) + "\n"


@pytest.mark.parametrize("name", CODES)
def test_cells_that_differ_as_text_become_one_number_only_with_a_note(read, name):
    cells, is_text, n_values = CODES[name]
    table = read(of_codes(name), "y")
    assert pd.api.types.is_numeric_dtype(table["code"]) != is_text
    assert table["code"].nunique() == n_values
    notes = prepare(table, "y").notes
    assert any("code has" in note for note in notes) == (is_text or n_values < len(cells))


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("how", ["cluster", "kind", "classes"])
def test_names_of_clusters_levels_and_classes_stay_apart(read, name, how):
    cells = CODES[name][0]
    target, options = {
        "cluster": ("y", {"cluster": "code"}),
        "kind": ("y", {"kinds": {"code": "nominal"}}),
        "classes": ("code", {"task": "classification"}),
    }[how]
    table = read(of_codes(name), target, **options)
    assert sorted(table["code"].unique()) == sorted(cells)
    if how == "cluster":
        found = prepare(table.assign(z=[i % 7 for i in range(80)]), "y", cluster="code")
        assert len(set(found.clusters)) == 4
    if how == "classes":
        assert set(prepare(table, "code").labels) == set(cells)


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("options", [{"kinds": {"code": kind}} for kind in
                                     ("continuous", "discrete")] + [{"drop": "code"}])  # fmt: skip
def test_where_a_kind_makes_numbers_of_codes_or_they_are_dropped_no_note_says_else(
    read, name, options
):
    table = read(of_codes(name), "y", **options)
    data = prepare(table.assign(z=[i % 7 for i in range(80)]), "y", **options)
    assert not any("code has" in note for note in data.notes)
    if "kinds" in options and name != "long numbers":
        numbers = set(map(float, CODES[name][0]))
        assert set(data.X["code"]) == numbers


POINTS = {  # of thousands, or of decimals: whether they may be both
    "beside short ones": (["1.250", "980", "-12.500"], "a", True),
    "thousands and more": (["1.250", "12.500", "125.000"], "a", False),
    "beside decimal commas": (["1.250", "12.500", "125.000"], "2,5", True),
    "beside decimal commas with a unit": (["1.250", "12.500", "125.000"], "2,5 kg", True),
    "beside thousands and decimals": (["1.250", "12.500", "125.000"], "1.210,50", True),
    "beside commas of thousands": (["1.250", "12.500", "125.000"], "2,500", False),
    "beside intervals": (["1.250", "12.500", "125.000"], "[10,20)", False),
    "beside a list of numbers": (["1.250", "12.500", "125.000"], "2,5,6", False),
    "below one": (["0.125", "2", "12.375"], "a", False),
    "other decimals": (["1.250", "2", "12.5"], "2,5", False),
    "long whole ones": (["1.250", "1500", "2"], "a", False),
}


@pytest.mark.parametrize("kind", POINTS)
@pytest.mark.parametrize("name", ["x", "y"])
def test_points_that_may_be_of_thousands_are_refused(read, kind, name):
    cells, beside, are_both = POINTS[kind]
    target = {"x": "y", "y": "x"}[name]
    text = f"x;b;y\n{chr(10).join(f'{cell};{beside};{cell}' for cell in cells)}\n"
    if not are_both:
        assert read(text, target)[name].tolist() == [float(cell) for cell in cells]
        return
    for of in ("x", "y"):
        words = r"x: '1.250' may be 1.25 or 1250: write numbers .*pandas.read_csv"
        with pytest.raises(LosawError, match=words) as refused:
            read(text, of)
        remedy = {"x": "--task classification", "y": "--kinds x:nominal"}[of]
        assert f"({remedy})" in str(refused.value) and str(refused.value).count("--") == 1
        assert read(text, "x", task="classification", drop=["y"])["x"].tolist() == cells
    other = read(text, "b", kinds={"x": "nominal"}, drop=["y"])
    assert other["x"].tolist() == cells


def rows_of(*lines):
    return "a,b,y\n" + "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("drop", [(), ["b"]])
def test_a_column_without_a_value_has_none(read, drop):
    for text in (rows_of(*["1.5,,2"] * 60), "a,b,y,,\n" + "1.5,,2,,\n" * 60):
        frame = read(text, "y", drop=drop)
        assert frame["b"].isna().all() and (frame["a"] == 1.5).all() and (frame["y"] == 2).all()


@pytest.mark.parametrize("word", ["NA ", "? ", '" "', "\xa0", " null", '"NaN "', "n/a"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_missing_value_with_blanks_around_it_is_one(read, word, place):
    cells = [[f"{number}.5"] * 3 for number in range(60)]
    cells[7][place] = word
    frame = read(rows_of(*map(",".join, cells)), "y")
    is_missing = frame.isna().to_numpy()
    assert is_missing[7, place] and is_missing.sum() == 1 and frame.dtypes.eq("float64").all()


def test_names_of_columns_are_no_missing_values(read):
    names = ["NA", "null", "?", "nan", "y"]
    assert list(read(",".join(names) + "\n" + "1,2,3,4,5\n" * 9, "NA")) == names


def test_codes_as_a_target_are_numbers_where_that_is_said(read):
    text = rows_of(*(f"{i},{i % 7},{i % 20:02d}" for i in range(300)))
    frame = read(text, "y")
    (note,) = (note for note in prepare(frame, "y").notes if "leading zeros" in note)
    assert "say --task regression" in note and "--kinds" not in note
    data = prepare(read(text, "y", task="regression"), "y", task="regression")
    assert data.task == "regression" and set(data.y) == set(range(20))
    long = rows_of(*(f"{i},{i % 7},{2**60 + i}" for i in range(300)))
    with pytest.raises(LosawError, match=r"regression needs numbers|2\^53"):
        prepare(read(long, "y", task="regression"), "y", task="regression")


@pytest.mark.parametrize(
    ("by_place", "by_name"),
    [
        ({"target": 2}, {"target": "y"}),
        ({"target": 2, "kinds": {0: "nominal"}}, {"target": "y", "kinds": {"a": "nominal"}}),
        ({"target": 2, "kinds": {0: "continuous"}}, {"target": "y", "kinds": {"a": "continuous"}}),
        ({"target": 2, "cluster": 0}, {"target": "y", "cluster": "a"}),
    ],
)
def test_a_column_by_its_place_is_read_as_by_its_name(read, by_place, by_name):
    text = rows_of(*("01,2,3", "1,2,4", "1.0,bad,", ",5,6") * 9)
    one, other = read(text, **by_place), read(text, **by_name)
    assert one.equals(other) and one.attrs == other.attrs


def test_blanks_in_numbers_do_not_hide_tabs(read):
    lines = [f"{i} 911\t2.5\t2 {i}10" for i in range(1, 9)]
    assert read("\n".join(lines), "X1", has_header=False).shape == (8, 3)
    assert read("\n".join(["x\tb\ty", *lines]), "y").shape == (8, 3)


@pytest.mark.parametrize("text", ["", "\n\na,b,y\n1,2,3\n"])
def test_an_empty_first_line_is_named(read, text):
    with pytest.raises(LosawError, match="first line, is empty: remove blank lines"):
        read(text, "y")


@pytest.mark.parametrize(
    ("path", "words"), [("/", "is a folder"), ("x" * 300, r"there is no such file|cannot be read")]
)
def test_what_is_no_path_is_named(path, words, monkeypatch):
    monkeypatch.setattr("pathlib.Path.rglob", lambda *_: 1 / 0)
    with pytest.raises(LosawError, match=words):
        read_file(path, "y")


def test_a_first_row_is_not_taken_for_names_because_the_target_is_a_place(read):
    text = "".join(f"{i}.5,{2 * i}.25,{3 * i}.125\n" for i in range(1, 8))
    with pytest.raises(LosawError, match="looks like data"):
        read(text, 2)
