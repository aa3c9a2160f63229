"""A file of rows as a data frame: CSV or Parquet, with a header or without."""

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.support.errors import LosawError
from losaw.support.words import did_you_mean
from losaw.tables.columns import LARGEST_WHOLE

if TYPE_CHECKING:
    import pandas as pd

# Words for a missing value, in addition to those of pandas (empty, NA, NaN, null, None, …).
MISSING = ("?",)
_SEPARATORS = (",", ";", "\t", "|")
_BLANKS = r"\s+"
# The attribute of a frame with notes on how its file was read.
READING = "losaw: how the file was read"
TEXT = (".csv", ".tsv", ".txt", ".data")
_LINES = 20
# A field in quotes, also one that goes on below the lines at hand; within it two quotes are one.
_QUOTED = re.compile(r'(?<![^\s,;|])"(?:[^"]|"")*("|\Z)')
# How lines above a table begin: comments, and Excel's "sep=;".
_COMMENT = re.compile(r"#|%|//|\"?sep=", re.IGNORECASE)
_LEADING_ZERO = re.compile(r"[-+]?0\d.*")
_WHOLE = re.compile(r"[-+]?\d+")


def read_file(
    path: str | Path,
    target: str,
    has_header: bool = True,
    *,
    kinds: Mapping[str, str] | None = None,
    task: str | None = None,
    cluster: Any = None,
) -> "pd.DataFrame":
    """The rows of a file.

    Cells that differ as text and are one number (01 and 1, 1.10 and 1.1) are kept apart where they
    may be codes: columns with a leading zero, of kind nominal, the cluster, and classes are text.

    Parameters
    ----------
    path : path
        Text (``.csv``, ``.tsv``, ``.txt``, ``.data``, also with ``.gz`` and the like behind it;
        separated by commas, semicolons, tabs, bars or blanks) or ``.parquet``.
    target : str
        Name of the column to explain: a first line that holds it is a header.
    has_header : bool, default True
        Whether the first line holds names. Without names the columns are X1, X2, ….
    kinds, task, cluster
        As of :func:`losaw.explain`.
    """
    import pandas as pd

    path = Path(path)
    if not path.is_file():
        siblings = [p.name for p in path.parent.glob("*") if p.is_file()]
        raise LosawError(f"{path}: there is no such file{did_you_mean(path.name, siblings)}")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] in ([".parquet"], [".pq"]):
        try:
            return pd.read_parquet(path)
        except Exception as error:  # every engine raises its own
            raise LosawError(f"{path}: cannot be read as Parquet ({error})") from None
    if not set(TEXT) & set(suffixes[-2:]):
        raise LosawError(
            f"{path}: files end in .parquet, {', '.join(TEXT)} (or .csv.gz and the like); read "
            "other formats with pandas and call losaw.explain(frame, target)"
        )
    cells = _cells(path, target)
    if has_header:
        names = [str(name).strip() for name in cells.iloc[0].fillna("")]
        cells = cells.iloc[1:].reset_index(drop=True)
    else:
        names = [f"X{place}" for place in range(1, cells.shape[1] + 1)]
    _check_names(path, names, target, has_header)
    if len(cells) == 0:
        raise LosawError(f"{path}: there are no rows below the header")
    names = [name or f"Unnamed: {place}" for place, name in enumerate(names)]
    asked = kinds if isinstance(kinds, Mapping) else {}
    text = {str(name) for name, kind in asked.items() if kind == "nominal"}
    text |= {target} if task == "classification" else set()
    text |= set() if cluster is None else {str(cluster)}
    notes: list[str] = []
    columns = {
        name: _values(name, cells.iloc[:, j], name in text, notes) for j, name in enumerate(names)
    }
    frame = pd.DataFrame(columns)
    frame.attrs[READING] = notes
    return frame


def _cells(path: Path, target: str) -> "pd.DataFrame":
    """The cells of a file as text, the first line included; missing ones as NaN."""
    import pandas as pd

    try:
        head = pd.read_csv(
            path, sep="\0", header=None, nrows=_LINES, dtype=str, quoting=csv.QUOTE_NONE,
            engine="c", skip_blank_lines=True,
        )  # fmt: skip
        lines = [str(line).removeprefix("\ufeff") for line in head[0]]
        if _COMMENT.match(lines[0]) and target not in lines[0]:
            raise LosawError(
                f"{path}: the first line ({lines[0][:60]!r}) is not of the table; remove such lines"
            )
        cells = pd.read_csv(
            path, sep=_separator(lines), header=None, dtype=str, na_values=list(MISSING),
            skipinitialspace=True, low_memory=False, encoding="utf-8-sig",
        )  # fmt: skip
    except LosawError:
        raise
    except pd.errors.EmptyDataError:
        raise LosawError(f"{path}: the file is empty") from None
    except UnicodeError:
        raise LosawError(
            f"{path}: is not written in UTF-8; write it so (in Excel: save as CSV UTF-8)"
        ) from None
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if found is None:
            raise LosawError(f"{path}: cannot be read as a table ({error})") from None
        raise LosawError(
            f"{path}: the first line has {found[1]} fields and line {found[2]} has {found[3]}, so "
            "that it is not clear which field belongs to which name; give every column a name in "
            "the first line, put text with separators in quotes, and remove lines above the table"
        ) from None
    except Exception as error:  # every compression raises its own
        reason = " ".join(str(error).split())
        raise LosawError(f"{path}: cannot be read as a table ({reason})") from None
    if cells.shape[1] < 2:
        raise LosawError(
            f"{path}: has one column only; a table has a target and at least one feature, "
            "separated by commas, semicolons, tabs, bars or blanks"
        )
    return cells


def _check_names(path: Path, names: list[str], target: str, has_header: bool) -> None:
    for place, name in enumerate(names):
        if name and name in names[:place]:
            raise LosawError(
                f"{path}: the columns {names.index(name) + 1} and {place + 1} are both named "
                f"{name!r}; give every column a name of its own"
            )
    number = next((name for name in names if _as_number(name) is not None), None)
    if has_header and target not in names and number is not None:
        raise LosawError(
            f"{path}: the first line looks like data, not like names ({number!r}). If it is data, "
            "say --no-header: the columns are then called X1, X2, …, and the target is one of them "
            f"(--target X{len(names)} for the last)"
        )


def _values(name: str, cells: "pd.Series", is_text: bool, notes: list[str]) -> Any:
    """The values of a column of text: numbers where every cell is one, and no two become one."""
    import pandas as pd

    places, texts = pd.factorize(cells.str.strip() if cells.notna().any() else cells)
    take = pd.api.extensions.take
    numbers = [_as_number(text) for text in texts]
    zero = next((text for text in texts if _LEADING_ZERO.fullmatch(text)), None)
    long = next((t for t in texts if _WHOLE.fullmatch(t) and abs(int(t)) > LARGEST_WHOLE), None)
    are_numbers = None not in numbers
    if is_text or zero or long or not are_numbers:
        if are_numbers and not is_text:
            why = f"leading zeros ({zero})" if zero else f"numbers of many digits ({long})"
            notes.append(
                f"{name} has {why}: its cells are taken as codes, so that none become equal. If "
                f"they are quantities, say --kinds {name}:continuous (in Python kinds=)."
            )
        return pd.Series(take(np.asarray(texts, dtype=object), places, allow_fill=True))
    same = pd.Series(texts).groupby(numbers).agg(list) if len(texts) else pd.Series()
    if len(same) < len(texts):
        pair = next(group for group in same if len(group) > 1)
        notes.append(
            f"{name} has cells that differ as text and are one number ({pair[0]} and {pair[1]}). "
            f"If they are codes, say --kinds {name}:nominal (of the target: --task "
            "classification)."
        )
    values = np.array(numbers, dtype=float)
    if len(texts) and -1 not in places and all(map(_WHOLE.fullmatch, texts)):
        return values.astype(np.int64)[places]
    return take(values, places, allow_fill=True)


def _as_number(text: str) -> float | None:
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


def _separator(lines: list[str]) -> str:
    """The separator that every line has, and the same number of times: a title may stand above.

    Of several a tab or a semicolon: commas may then stand in numbers. Blanks, if they make more
    fields than that, and numbers below the first line. Quoted text does not count.
    """
    lines = _QUOTED.sub('""', "\n".join(lines)).split("\n")
    lines = lines[len(lines) // 2 :]
    counts = {s: [line.count(s) for line in lines] for s in _SEPARATORS}
    everywhere = [s for s, by_line in counts.items() if all(by_line)]
    alike = [s for s in everywhere if len(set(counts[s])) == 1]
    by_blanks = [line.split() for line in lines]
    are_blanks = len(set(map(len, by_blanks))) == 1
    found: str | None = next((s for s in ("\t", ";") if s in alike), None)
    if found is None and everywhere:
        found = max(alike or everywhere, key=lambda s: counts[s][0])
    if found is None:
        return _BLANKS if are_blanks else ","
    are_numbers = all(
        field in ('""', "NA", *MISSING) or _as_number(field) is not None
        for line in by_blanks
        for field in line
    )
    more = len(by_blanks[0]) > counts[found][0] + 1
    return _BLANKS if are_blanks and more and are_numbers else found
