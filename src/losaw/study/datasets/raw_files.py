"""The raw data sets as data frames."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from losaw.study.datasets.files import data_files

if TYPE_CHECKING:
    import pandas as pd

ADULT_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
BOSTON_COLUMNS = (
    "CRIM",
    "ZN",
    "INDUS",
    "CHAS",
    "NOX",
    "RM",
    "AGE",
    "DIS",
    "RAD",
    "TAX",
    "PTRATIO",
    "B",
    "LSTAT",
    "MEDV",
)


# Options of pandas.read_csv.
_OPTIONS: dict[str, dict[str, Any]] = {
    "adult": {
        "header": None,
        "names": ADULT_COLUMNS,
        "skipinitialspace": True,
        "na_values": "?",
        "keep_default_na": False,
    },
    "boston_housing": {"header": None, "names": BOSTON_COLUMNS, "sep": r"\s+"},
    "rna_editing": {"keep_default_na": False},
}


def load(name: str) -> "pd.DataFrame":
    """Return a raw data set, every row and column as in the file.

    What is missing in the folder (:func:`data_folder`) is downloaded into it from the original
    source.

    Parameters
    ----------
    name : str
        ``adult``, ``boston_housing``, ``california_housing``, ``chip_enhancer``, ``diamonds``,
        ``fish`` or ``rna_editing``.

    Returns
    -------
    DataFrame
        ``adult`` has NaN where the file has "?". ``chip_enhancer`` has the columns "0" … "79"
        (assays), ``label`` (1: enhancer) and ``part`` ("train" or "test").

    Raises
    ------
    DatasetError
        If a file is missing and cannot be downloaded, or is not the expected file; the message
        names the remedy.

    Examples
    --------
    >>> from losaw.study.datasets import load
    >>> load("diamonds").shape  # doctest: +SKIP
    (53940, 10)
    """
    return read_files(name, data_files(name))


def read_files(name: str, files: Sequence[Path]) -> "pd.DataFrame":
    import pandas as pd

    if name != "chip_enhancer":
        return pd.read_csv(files[0], **_OPTIONS.get(name, {}))
    parts = []
    for part, X, y in (("train", files[0], files[1]), ("test", files[2], files[3])):
        frame = pd.read_csv(X, index_col=0)
        labels = pd.read_csv(y, index_col=0)
        parts.append(frame.assign(label=labels.iloc[:, 0].astype(int).to_numpy(), part=part))
    return pd.concat(parts, ignore_index=True)
