"""A file of rows as a data frame: CSV or Parquet, with a first line of names or without."""

import csv
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from losaw.support.errors import LosawError
from losaw.support.extras import extra
from losaw.support.words import did_you_mean
from losaw.tables.columns import LARGEST_WHOLE

if TYPE_CHECKING:
    import pandas as pd

# Words for a missing value, in addition to those of pandas (empty, NA, NaN, null, None, …).
MISSING = ("?",)
_SEPARATORS = (",", ";", "\t", "|")
# The attribute of a frame with notes on how its file was read.
READING = "losaw: how the file was read"
TEXT = (".csv", ".tsv", ".txt", ".data")
_LINES = 20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # how such files begin
# A field in quotes, also one that goes on below the lines at hand; within it two quotes are one.
_QUOTED = re.compile(r'((?<![^\n\t,;|])|(?<=[,;|] ))"(?:[^"]|"")*("|\Z)')


def read_file(path: str | Path, target: str, has_header: bool = True) -> "pd.DataFrame":
    """The rows of a file.

    Parameters
    ----------
    path : path
        Text (``.csv``, ``.tsv``, ``.txt``, ``.data``, also with ``.gz`` and the like behind it;
        separated by commas, semicolons, tabs, bars or blanks) or ``.parquet``.
    target : str
        Name of the column to explain: a first line that holds it is a line of names.
    has_header : bool, default True
        Whether the first line holds names. Without names the columns are X1, X2, ….

    Raises
    ------
    LosawError
        If there is no such file, it is empty or no table, its first line looks like data, or its
        lines have more fields than there are names.
    """
    path = Path(path)
    if not path.is_file():
        siblings = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise LosawError(f"{path}: there is no such file{did_you_mean(path.name, siblings)}")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] in ([".parquet"], [".pq"]):
        return _read_parquet(path)
    if not set(TEXT) & set(suffixes[-2:]):
        raise LosawError(
            f"{path}: files end in .parquet, {', '.join(TEXT)} (or .csv.gz and the like); read "
            "other formats with pandas and call losaw.explain(frame, target)"
        )
    return _read_text(path, target, has_header)


def _read_parquet(path: Path) -> "pd.DataFrame":
    import pandas as pd

    with extra("study"):
        import pyarrow
        import pyarrow.parquet
    try:
        frame = pd.read_parquet(path)
        described = pyarrow.parquet.read_schema(path).pandas_metadata or {}
        for column in described.get("columns", ()):  # levels that are numbers come back as numbers
            if column["pandas_type"] == "categorical" and not column["metadata"]["ordered"]:
                name = column["name"]
                frame[name] = frame[name].astype("category")
        return frame
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise LosawError(f"{path}: is no Parquet file that can be read ({error})") from None


def _read_text(path: Path, target: str, has_header: bool) -> "pd.DataFrame":
    import pandas as pd

    options: dict[str, Any] = {"na_values": list(MISSING), "skipinitialspace": True}
    try:
        with path.open("rb") as file:
            if file.read(2) in _UTF16:
                raise UnicodeError
        head = pd.read_csv(
            path, sep="\0", header=None, nrows=_LINES, dtype=str, quoting=csv.QUOTE_NONE,
            engine="c", skip_blank_lines=True,
        )  # fmt: skip
        separator = _separator([str(line) for line in head[0]])
        if has_header:
            _refuse_repeated(path, separator)
        options |= {"sep": separator, "header": 0 if has_header else None}
        frame = _named_columns(path, options)
        if long := _long_numbers(frame):
            texts = _named_columns(path, options | {"dtype": dict.fromkeys(long, str)})[long]
            for name in long:
                if texts[name].dropna().str.fullmatch(r"\s*[-+]?\d+\s*").all():
                    whole = [None if pd.isna(text) else int(text) for text in texts[name]]
                    frame[name] = pd.Series(whole, dtype=object)
        if not has_header:
            frame.columns = [f"X{place}" for place in range(1, frame.shape[1] + 1)]
        _keep_none(frame, path, target, options)
    except pd.errors.EmptyDataError:
        raise LosawError(f"{path}: the file is empty") from None
    except LosawError:
        raise
    except UnicodeError:
        raise LosawError(
            f"{path}: is not written in UTF-8; write it so (in Excel: save as CSV UTF-8)"
        ) from None
    except Exception as error:  # every compression raises its own
        reason = " ".join(str(error).split())
        raise LosawError(f"{path}: cannot be read as a table ({reason})") from None
    if has_header and target not in frame.columns and (number := _first_number(frame)) is not None:
        raise LosawError(
            f"{path}: the first line looks like data, not like names ({number!r}). If it is data, "
            "say --no-header: the columns are then called X1, X2, …, and the target is one of them "
            f"(--target X{frame.shape[1]} for the last)"
        )
    if len(frame) == 0:
        raise LosawError(f"{path}: there are no rows below the line of names")
    if frame.shape[1] < 2:
        raise LosawError(
            f"{path}: has one column only; a table has a target and at least one feature, "
            "separated by commas, semicolons, tabs, bars or blanks"
        )
    return frame


def _keep_none(frame: "pd.DataFrame", path: Path, target: str, options: dict[str, Any]) -> None:
    """Take the word None in a target of text for a class, with a note.

    pandas takes it for a missing value, and rows without a target are left out.
    """
    if target not in frame.columns or not frame[target].hasnans:
        return
    if not all(isinstance(value, str) for value in frame[target].dropna()):
        return
    texts = options | {"dtype": str, "keep_default_na": False, "na_values": []}
    place = list(frame.columns).index(target)
    is_none = _named_columns(path, texts).iloc[:, place].str.strip() == "None"
    if is_none.any():
        frame.loc[is_none, target] = "None"
        frame.attrs[READING] = [
            *frame.attrs.get(READING, ()),
            f"The word None is one of the classes of {target} ({int(is_none.sum())} rows). If it "
            "means that the value is not known, leave these cells empty.",
        ]


def _long_numbers(frame: "pd.DataFrame") -> list[Any]:
    """Columns of whole numbers too long for the floats that missing cells make of them."""
    floats = frame.select_dtypes("float")
    beyond = (floats.abs() > LARGEST_WHOLE).any() & floats.isna().any()
    return list(floats.columns[beyond & ((floats % 1 == 0) | floats.isna()).all()])


def _refuse_repeated(path: Path, separator: str) -> None:
    """Raise if two columns have one name: pandas would rename the second in silence."""
    import pandas as pd

    head = pd.read_csv(
        path, sep=separator, header=None, nrows=1, dtype=str, na_filter=False, skipinitialspace=True
    )
    names = [str(name).strip() for name in head.iloc[0]]
    for place, name in enumerate(names):
        if name and name in names[:place]:
            raise LosawError(
                f"{path}: the columns {names.index(name) + 1} and {place + 1} are both named "
                f"{name!r}; give every column a name of its own"
            )


def _named_columns(path: Path, options: dict[str, Any]) -> "pd.DataFrame":
    """The columns that have names; lines may have one field more.

    A last field is left out where it is empty in every line, a first one where it names or counts
    the rows, as R and pandas write them.

    Raises
    ------
    LosawError
        If lines have any other field without a name.
    """
    import pandas as pd

    only_empty = options | {"keep_default_na": False, "na_values": [""], "dtype": str}
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:  # pandas warns of fields that it leaves out, unless they are missing
            pd.read_csv(path, index_col=False, nrows=_LINES, **only_empty)
            return pd.read_csv(path, index_col=False, **options)
        except pd.errors.ParserWarning:
            pass
    frame = pd.read_csv(path, **options)  # the fields that are too many are the index
    index, counted = frame.index, pd.RangeIndex(len(frame))
    is_text = pd.api.types.infer_dtype(index, skipna=False) == "string"
    if (is_text and index.is_unique) or index.equals(counted) or index.equals(counted + 1):
        frame = frame.reset_index(drop=True)
        frame.attrs[READING] = [
            "Every line has one field more than the first line has names. The first field ("
            f"{index[0]} in the first line of data) is taken for the name of the row and left out."
        ]
        return frame
    raise LosawError(
        f"{path}: the first line has {frame.shape[1]} names, and the lines below have "
        f"{frame.shape[1] + index.nlevels} fields, so that it is not clear which field belongs to "
        "which name; give every column a name in the first line"
    )


def _separator(lines: list[str]) -> str:
    """The separator that every line has, and the same number of times as the first.

    Of several a tab or a semicolon: commas may then stand in numbers. Quoted text does not count,
    and may go on in the next line.
    """
    lines = _QUOTED.sub('""', "\n".join(lines)).split("\n")
    lines = [re.sub('"[^"]*"', '""', line) for line in lines]
    counts = {s: [line.count(s) for line in lines] for s in _SEPARATORS}
    everywhere = [s for s, by_line in counts.items() if all(by_line)]
    alike = [s for s in everywhere if len(set(counts[s])) == 1]
    for separator in ("\t", ";"):
        if separator in alike:
            return separator
    if everywhere:
        return max(alike or everywhere, key=lambda s: counts[s][0])
    return r"\s+" if len({len(line.split()) for line in lines}) == 1 else ","


def _first_number(frame: "pd.DataFrame") -> str | None:
    """The first column name that is a number."""
    for name in frame.columns:
        try:
            float(str(name))
        except ValueError:
            continue
        return str(name)
    return None
