"""A file of rows as a data frame: CSV or Parquet, with a header or without."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from losaw.explaining.written import CODE, as_number, of_two_numbers
from losaw.support.errors import LosawError
from losaw.support.words import as_option, did_you_mean
from losaw.tables.columns import LARGEST_WHOLE, MOST_TEXT_LEVELS
from losaw.tables.groups import named_column

if TYPE_CHECKING:
    import pandas as pd

# Words for a missing value, in addition to those of pandas, which finds them before cells are
# stripped of blanks, and in names of columns.
MISSING = ("?",)
_OF_PANDAS = "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None"
_NO_VALUE = ("", *MISSING, *_OF_PANDAS.split("|"), "n/a", "nan", "null")
_SEPARATORS = (",", ";", "\t", "|")
_BLANKS = r"\s+"
# The attribute of a frame with notes on how its file was read.
READING = "losaw: how the file was read"
TEXT = (".csv", ".tsv", ".txt", ".data")
_LINES = 20
# A field in quotes, also one that goes on below the lines at hand; within it two quotes are one.
_QUOTED = re.compile(r'(?<![^\s,;|])"(?:[^"]|"")*("|\Z)')
_GROUPED = re.compile(r"[-+]?\d{1,3}( \d{3})+([.,]\d+)?")  # 1 234 567
# How lines above a table begin: comments, and Excel's "sep=;".
_COMMENT = re.compile(r"#|%|//|\"?sep=", re.IGNORECASE)


def read_file(
    path: str | Path,
    target: Any,
    has_header: bool = True,
    *,
    kinds: Mapping[Any, str] | None = None,
    task: str | None = None,
    cluster: Any = None,
    drop: Any = (),
) -> "pd.DataFrame":
    """The rows of a file.

    Cells that differ as text and are one number (01 and 1, 1.10 and 1.1) are kept apart where they
    may be codes: columns with a leading zero, a few numbers like 1.1 and 1.10, those of kind
    nominal, the cluster, and classes are text. Cells without a value of the target do not count.

    Parameters
    ----------
    path : path
        ``.parquet``, or a folder of such, or text, also compressed (``.csv.gz`` and the like);
        separated by commas, semicolons, tabs, bars or blanks.
    target : str or int
        Name, or place, of the column to explain: a first line that holds its name is a header.
    has_header : bool, default True
        Whether the first line holds names. Without names the columns are X1, X2, ….
    kinds, task, cluster, drop
        As of :func:`losaw.explain`.
    """
    import pandas as pd

    path = Path(path)
    if not path.resolve().name:
        raise LosawError(f"{path}: is a folder; name a file")
    try:
        is_folder = path.is_dir() and any(path.rglob("*.parquet"))
        if not path.is_file() and not is_folder:
            siblings = [p.name for p in path.parent.glob("*") if p.is_file()]
            raise LosawError(f"{path}: there is no such file{did_you_mean(path.name, siblings)}")
    except OSError as error:
        raise LosawError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        if is_folder or path.suffix.lower() in (".parquet", ".pq"):
            frame = pd.read_parquet(path)
            named = [name for name in frame.index.names if name is not None]
            return frame.reset_index(named) if named else frame
        cells = _cells(path)
    except Exception as error:  # every engine and every compression raises its own
        raise LosawError(f"{path}: {_reason(error)}") from None
    if cells.shape[1] < 2:
        raise LosawError(
            f"{path}: has one column only; a table has a target and at least one feature, "
            "separated by commas, semicolons, tabs, bars or blanks"
        )
    names = [f"X{place}" for place in range(1, cells.shape[1] + 1)]
    if has_header:
        names = [str(name).strip() for name in cells.iloc[0].fillna("")]
        cells = cells.iloc[1:].reset_index(drop=True)
    if has_header and str(target) not in names:
        _refuse_other_lines(path, names)
    names = [name or f"Unnamed: {place}" for place, name in enumerate(names)]

    def name_of(column: Any) -> str:
        place = named_column(column, names)
        return str(column) if place is None else names[place]

    target = name_of(target)
    written = kinds.items() if isinstance(kinds, Mapping) else ()
    asked = {name_of(column): kind for column, kind in written}
    asked |= {target: "continuous"} if task == "regression" else {}
    text = {name for name, kind in asked.items() if kind == "nominal"}
    text |= {target} if task == "classification" else set()
    text |= set() if cluster is None else {name_of(cluster)}
    notes: list[str] = []
    for j in cells:
        stripped = cells[j].fillna("").map(str.strip)
        cells[j] = stripped.mask(stripped.isin(_NO_VALUE))
    counts = cells[names.index(target) if target in names else 0].notna()
    with_commas = any(_has_commas(cells[j]) for j in cells)
    dropped = {named_column(name, names) for name in as_list(drop)}
    columns = [
        cells[j]
        if j in dropped
        else _values(
            name, cells[j], name in text, asked.get(name), counts, target, with_commas, notes
        )
        for j, name in enumerate(names)
    ]
    frame = pd.DataFrame(dict(enumerate(columns))).set_axis(names, axis=1)
    frame.attrs[READING] = notes
    return frame


def as_list(names: Any) -> list[Any]:
    """Return names of columns, or one, as a list."""
    return [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)


def _cells(path: Path) -> "pd.DataFrame":
    """The cells of a file as text, the first line included; missing ones as NaN."""
    import pandas as pd

    read: Any = partial(pd.read_csv, path, header=None, dtype=str, encoding="utf-8-sig")
    of_lines = {"quoting": csv.QUOTE_NONE, "keep_default_na": False, "skip_blank_lines": False}
    try:
        lines = read(sep="\0", **of_lines).squeeze(axis=1).tolist()
    except pd.errors.EmptyDataError:
        words = "the file, or its first line, is empty: remove blank lines above the table"
        raise LosawError(words) from None
    except (pd.errors.ParserError, AttributeError):
        raise LosawError("a cell contains a NUL character, which no text has: remove it") from None
    sep = _separator([line for line in lines if line.strip()][:_LINES])
    _check_quotes(lines, sep)
    return read(sep=sep, na_filter=False, skipinitialspace=True, low_memory=False)


def _check_quotes(lines: list[str], sep: str) -> None:
    """Refuse a quote that may be text, as a ditto mark: the cell would go on to the next quote.

    A cell with separators is believed if its row has as many cells as others, and one of several
    lines if most of them have not, were its quotes text.
    """
    if not any('"' in line for line in lines):
        return
    if sep == _BLANKS:
        lines, sep = [" ".join(line.split()) for line in lines], " "
    cells: Any = partial(csv.reader, delimiter=sep, skipinitialspace=True)
    lines = [f"{line}\n" for line in lines]  # kept within a cell
    reader, start, widths = cells(lines, strict=True), 0, list[int]()
    in_quotes = list[tuple[int, str, list[str], bool]]()
    while start < len(lines):
        try:
            row, is_clear = next(reader), True
        except csv.Error as error:  # the cell ends before other text, or does not end
            is_line = reader.line_num == start + 1 and "end of data" not in str(error)
            row, is_clear = next(cells([lines[start]])) if is_line else ["\n"], False
        widths += [len(row)] * bool(row)
        if '"' in (text := "".join(lines[start : reader.line_num])):
            in_quotes.append((start + 1, text, row, is_clear))
        start = reader.line_num
    # Most rows may have such a quote: then the names have none. Or a title stands above them.
    width = max(Counter(widths).most_common(1)[0][0], widths[0])
    known = set(widths) - {1}  # also of rows that leave out cells at their end
    goes_on = any("\n" in cell for _, _, row, _ in in_quotes for cell in row)
    for number, text, row, is_clear in in_quotes:
        places = [place for place, cell in enumerate(row) if "\n" in cell]
        # Of a first line with too few cells, as a title, pandas says so.
        is_longer = places or (number > 1 and any(sep in cell for cell in row))
        is_odd = is_longer and (len(row) != width or not is_clear)
        is_half = goes_on and text.count('"') % 2  # what writes such cells closes quotes
        if is_odd or is_half or any(_are_rows(row, place, known, sep) for place in places):
            shown = text[text.index('"') :][:60]
            raise LosawError(
                f"line {number} has a quote that begins a cell, but what it ends is not clear "
                f"({shown!r}): write a quote that is text twice, in a cell in quotes, or read the "
                "file with pandas.read_csv(…), with quoting=csv.QUOTE_NONE if quotes are text, and "
                "call losaw.explain(frame, target)"
            )


def _are_rows(row: list[str], place: int, known: set[int], sep: str) -> bool:
    """Whether the lines of a cell may be rows, were its quotes text: most, or first and last."""
    first, *between, last = row[place].split("\n")
    lines = [line for line in between if line.strip(" ")]
    lines = [sep * place + first, *lines, last + sep * (len(row) - place - 1)]
    counts = [line.count(sep) + 1 for line in lines]
    are_most = 2 * sum(count in known for count in counts) > len(counts)
    return max(counts) <= max(known) and (are_most or counts[0] == counts[-1] == len(row))


def _reason(error: Exception) -> str:
    """Return why a file cannot be read, and the remedy where there is one."""
    if isinstance(error, UnicodeError):
        return (
            "is not text in UTF-8; write it so (in Excel: save as CSV UTF-8), or read it with "
            "pandas and call losaw.explain(frame, target)"
        )
    if isinstance(error, LosawError):
        return str(error)
    words = " ".join(str(error).split())
    of = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", words)
    if of is None:
        return f"cannot be read as a table ({words})"
    return (
        f"the first line has {of[1]} fields and line {of[2]} has {of[3]}, so that it is "
        "not clear which field belongs to which name; give every column a name in the first line, "
        "put text with separators in quotes, and remove lines above the table"
    )


def _refuse_other_lines(path: Path, names: list[str]) -> None:
    """Refuse a first line without the target that is a comment, or data."""
    if _COMMENT.match(names[0]):
        raise LosawError(
            f"{path}: the first line ({names[0][:60]!r}) is not of the table; remove such lines"
        )
    number = next((name for name in names if as_number(name) is not None), None)
    if number is not None:
        raise LosawError(
            f"{path}: the first line looks like data, not like names ({number!r}). If it is data, "
            "say --no-header: the columns are then called X1, X2, …, and the target is one of them "
            f"(--target X{len(names)} for the last)"
        )


def _has_commas(cells: "pd.Series") -> bool:
    """Whether the numbers of a column have decimal commas: all are numbers, or half have one.

    Beside a number there may be its unit, a word for a missing value, or points of thousands.
    """
    known = cells.dropna()
    if known.empty:
        return False
    are_numbers = known.str.fullmatch(r"[-+]?\d+(,\d+)?").all()
    have_one = known.str.fullmatch(
        r"[^\d\[\]]*(\d{1,3}(\.\d{3})+,\d+|\d+,(\d\d?|\d{4,}))[^\d\[\]]*"  # no [10,20)
    )
    return bool((are_numbers and have_one.any()) or have_one.mean() >= 0.5)


def _check_points(name: str, texts: list[str], with_commas: bool, is_target: bool) -> None:
    """Refuse points that may be of thousands: 1.250 beside 980, or beside decimal commas."""
    points = [text for text in texts if "." in text]
    short = [bool(re.fullmatch(r"[-+]?\d{1,3}", text)) for text in texts if "." not in text]
    are_groups = all(re.fullmatch(r"[-+]?[1-9]\d{0,2}\.\d{3}", text) for text in points)
    if points and are_groups and (with_commas or (short and all(short))):
        first, second = float(points[0]), float(points[0].replace(".", ""))
        raise of_two_numbers(name, points[0], first, second, is_target=is_target)


def _values(
    name: str,
    cells: "pd.Series",
    is_text: bool,
    asked: str | None,
    counts: "pd.Series",
    target: str,
    with_commas: bool,
    notes: list[str],
) -> "pd.Series":
    """The values of a column of text: numbers where every cell that counts is one, and no code."""
    numbers = {text: as_number(text) for text in cells.dropna().unique()}
    decisive = cells[counts].dropna().unique().tolist()
    code = next((text for text in decisive if re.fullmatch(CODE, text)), None)
    are_numbers = all(numbers[text] is not None for text in decisive)
    last = {numbers[text]: text for text in decisive}
    pairs = [(text, last[numbers[text]]) for text in decisive if last[numbers[text]] != text]
    # As versions and paragraphs: 1.1 and 1.10. More of them are quantities, typed by hand.
    few = pairs if name != target and len(decisive) <= MOST_TEXT_LEVELS else []
    pair = next((p for p in few if all(re.fullmatch(r"\d+\.\d+", text) for text in p)), None)
    is_quantity = asked in ("continuous", "discrete")
    are_exact = all(abs(number) <= LARGEST_WHOLE for number in numbers.values() if number)
    if are_numbers and not (is_text or is_quantity) and (code or pair):
        why, remedy = f"leading zeros or numbers of many digits ({code})", ""
        if not code and pair:
            why = f"two spellings of one number ({pair[0]} and {pair[1]})"
        if are_exact:
            of_feature = f"{as_option('--kinds', name, 'continuous')} (in Python kinds=)"
            of_target = "--task regression (in Python task=)"
            say = of_target if name == target else of_feature
            remedy = f" If they are quantities, say {say}."
        notes.append(
            f"{name} has {why}: its cells are taken as codes, so that none become equal.{remedy}"
        )
    is_response = name == target and is_quantity and are_exact
    if is_text or pair or (code and not is_response) or not are_numbers:
        return cells
    _check_points(name, decisive, with_commas, name == target)
    if pairs and not is_quantity:
        notes.append(
            f"{name} has cells that differ as text and are one number ({pairs[0][0]} and "
            f"{pairs[0][1]}). If they are codes, say {as_option('--kinds', name, 'nominal')} (of "
            "the target: --task classification)."
        )
    if odd := next((text for text, number in numbers.items() if number is None), None):
        notes.append(f"{name}: {odd!r} does not count, in a row without a value of {target}.")
    return cells.map(numbers).astype(float)


def _separator(lines: list[str]) -> str:
    """The separator that every line has, and the same number of times: a title may stand above.

    Of several a tab or a semicolon: commas may then stand in numbers. Blanks, if they make more
    fields than that, and numbers below the first line. Quoted text does not count.
    """
    text = _QUOTED.sub(lambda cell: '""' if cell[1] else '"', "\n".join(lines)).split("\n")
    # What goes on below the lines at hand has fewer separators.
    lines = [line for line in text if line.count('"') % 2 == 0] or lines
    lines = lines[len(lines) // 2 :]
    counts = {s: sorted(line.count(s) for line in lines) for s in _SEPARATORS}
    alike = [s for s, count in counts.items() if count[0] == count[-1] > 0]
    first = [s for s in ("\t", ";") if s in alike]
    separator = max(first or alike or _SEPARATORS, key=lambda s: counts[s][0])
    cells = [cell.strip() for line in lines for cell in line.split(separator)]
    if counts[separator][0] and all(" " not in c or _GROUPED.fullmatch(c) for c in cells):
        return separator  # blanks of thousands
    fields = [line.split() for line in lines]
    if len(set(map(len, fields))) > 1 or len(fields[0]) <= counts[separator][0] + 1:
        return separator
    known = ('""', "NA", *MISSING)
    are_numbers = all(f in known or as_number(f) is not None for line in fields for f in line)
    return _BLANKS if are_numbers or counts[separator][0] == 0 else separator
