"""Files of real data: looked for in a folder, else downloaded; their checksums are verified."""

import hashlib
import os
import tempfile
from pathlib import Path

from losaw.study.datasets.sources import GITHUB, SOURCES, Source
from losaw.support.errors import LosawError
from losaw.support.extras import extra
from losaw.support.whole_files import write_atomically
from losaw.support.words import unknown

FOLDER_VARIABLE = "LOSAW_DATA"
DEFAULT_FOLDER = Path("data")
_TIMEOUT_SECONDS = 60


class DatasetError(LosawError):
    """An error: a data set is unknown, missing or not the expected data; names the remedy.

    Examples
    --------
    >>> from losaw.study.datasets import DatasetError, load
    >>> try:
    ...     load("diamond")
    ... except DatasetError as error:
    ...     print(str(error).partition(" (")[0])
    unknown data set 'diamond'; did you mean 'diamonds'?
    """


def data_folder() -> Path:
    """Return the folder of data sets: $LOSAW_DATA, else ``./data``."""
    value = os.environ.get(FOLDER_VARIABLE) or DEFAULT_FOLDER
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise DatasetError(
            f"{FOLDER_VARIABLE}={value!r}: there is no such home folder; write the path in full"
        ) from None


def data_files(name: str) -> list[Path]:
    """Return the files of a data set, ``<folder>/<name>/<file>``; missing files are downloaded."""
    source = _source(name)
    return [_obtain(source, data_folder() / name / file) for file in source.files]


def is_there(name: str) -> bool:
    """Return whether all files of a data set are in the folder, without reading them."""
    return all((data_folder() / name / file).is_file() for file in _source(name).files)


def _source(name: str) -> Source:
    if name not in SOURCES:
        raise DatasetError(unknown("data set", name, SOURCES))
    return SOURCES[name]


def _obtain(source: Source, path: Path) -> Path:
    expected = source.files[path.name]
    if not path.is_file():
        content = _download(source, path, expected)
        advice = f"name another folder with {FOLDER_VARIABLE}"
        write_atomically(path, lambda place: place.write_bytes(content), DatasetError, advice)
    elif (digest := sha256(path.read_bytes())) != expected:
        raise DatasetError(
            f"data set {path.parent.name!r}: {path} is not the expected file (SHA-256 {digest}, "
            f"expected {expected}). Remove it to download it anew"
            f"{'' if source.original else ' (it has no URL: ' + source.how_made + ')'}"
        )
    return path


def sha256(content: bytes) -> str:
    """Return the hexadecimal SHA-256 digest."""
    return hashlib.sha256(content).hexdigest()


def _download(source: Source, path: Path, expected: str) -> bytes:
    name, convert = path.parent.name, source.convert
    change = "" if convert is None else f" after this change: {convert.__doc__}".rstrip(".")

    def refusal(why: str) -> DatasetError:
        # The reason comes last: it can be long.
        return DatasetError(
            f"data set {name!r}: {path}: no such file. Put it there by hand (SHA-256 "
            f"{expected}{change}), or name the folder that holds {name}/{path.name} with "
            f"{FOLDER_VARIABLE}. It was not downloaded: {why}"
        )

    if source.original is None:
        raise refusal(source.how_made)
    url = f"{GITHUB}/{source.original.format(path.name)}"
    with extra("study"):
        import pooch

    try:
        with tempfile.TemporaryDirectory(prefix="losaw-data-") as folder:
            downloader = pooch.HTTPDownloader(timeout=_TIMEOUT_SECONDS)
            # The checksum is compared after the conversion, with a message that names the remedy.
            file = pooch.retrieve(url, None, path.name, folder, downloader=downloader)
            content = Path(file).read_bytes()
    except OSError as error:
        raise refusal(f"{url}: {str(error) or type(error).__name__}") from None
    if convert is not None:
        content = convert(content)
    if sha256(content) != expected:
        raise refusal(f"{url} gives another file (SHA-256 {sha256(content)})")
    return content
