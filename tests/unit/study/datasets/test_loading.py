"""Real data: found, downloaded, verified, or refused with what to do."""

import dataclasses
import functools
import http.server
import sys
import threading
from pathlib import Path

import pytest

from losaw.study import datasets
from losaw.study.datasets import DatasetError, files, sources

RENAMED = b"Species,Weight,LengthVer,LengthDiag,LengthCross,Height,Width\n"
HEADER = b"Species,Weight,Length1,Length2,Length3,Height,Width\n"
FISH = b"Pike,200,30,32,35,6,3\n"
ORIGINAL, CONVERTED = b"\xef\xbb\xbf" + RENAMED + FISH, HEADER + FISH


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A web server on this machine: the folder that it serves, and its address."""
    folder = tmp_path_factory.mktemp("served")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty folder of data sets."""
    monkeypatch.setenv("LOSAW_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def tiny_fish(monkeypatch, server, folder):
    """The data set fish with one fish, whose original lies on this machine."""
    original = server[0] / "original.csv"
    original.write_bytes(ORIGINAL)
    source = dataclasses.replace(
        sources.SOURCES["fish"],
        files={"Fish.csv": files.sha256(CONVERTED)},
        original="original.csv",
    )
    monkeypatch.setitem(sources.SOURCES, "fish", source)
    monkeypatch.setattr(files, "GITHUB", server[1])
    return original


def test_a_missing_file_is_downloaded_converted_and_kept(tiny_fish, folder):
    frame = datasets.load("fish")
    assert (folder / "fish" / "Fish.csv").read_bytes() == CONVERTED
    assert list(frame.columns) == CONVERTED.decode().splitlines()[0].split(",")
    assert [path.name for path in (folder / "fish").iterdir()] == ["Fish.csv"]


def test_a_file_that_is_there_is_not_downloaded_again(tiny_fish, folder):
    datasets.load("fish")
    tiny_fish.unlink()
    assert len(datasets.load("fish")) == 1


def test_a_download_with_another_checksum_is_refused_and_leaves_nothing(tiny_fish, folder):
    tiny_fish.write_bytes(ORIGINAL + b"Pike,1,1,1,1,1,1\n")
    with pytest.raises(DatasetError, match=r"by hand.*original\.csv gives another file"):
        datasets.load("fish")
    assert not (folder / "fish").exists()


def test_a_local_file_with_another_checksum_is_refused(tiny_fish, folder):
    path = folder / "fish" / "Fish.csv"
    path.parent.mkdir()
    path.write_bytes(CONVERTED + b"Pike,1,1,1,1,1,1\n")
    with pytest.raises(DatasetError, match=r"Fish.csv is not the expected file.*Remove it"):
        datasets.load("fish")


@pytest.mark.parametrize("is_served", [True, False])
def test_a_failed_download_says_where_to_put_the_file_by_hand(tiny_fish, monkeypatch, is_served):
    tiny_fish.unlink()
    if not is_served:
        monkeypatch.setattr(files, "GITHUB", "http://127.0.0.1:9")
    words = r"Fish\.csv: no such.*by hand.*after this change: Drop the byte-order mark.*DATA"
    words += r".*not downloaded: http://127\.0\.0\.1:"
    with pytest.raises(DatasetError, match=words):
        datasets.load("fish")


def test_a_download_without_pooch_names_the_extra(tiny_fish, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"'pooch' is not installed.*'\.\[study\]'"):
        datasets.load("fish")


def test_a_file_without_a_url_says_how_it_was_made(folder):
    with pytest.raises(DatasetError, match=r"arabidopsis\.csv: .*by hand.*arabidopsis\.rda"):
        datasets.load("rna_editing")


def test_a_folder_that_cannot_be_written_is_named(tiny_fish, folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("LOSAW_DATA", str(folder / "file"))
    with pytest.raises(DatasetError, match=r"cannot be written.*LOSAW_DATA"):
        datasets.load("fish")


def test_the_folder_is_the_variable_s_or_data(monkeypatch):
    monkeypatch.setenv("LOSAW_DATA", "elsewhere")
    assert datasets.data_folder() == Path("elsewhere")
    monkeypatch.setenv("HOME", "/somebody")
    monkeypatch.setenv("LOSAW_DATA", "~/x")
    assert datasets.data_folder() == Path("/somebody/x")
    monkeypatch.delenv("LOSAW_DATA")
    assert datasets.data_folder() == Path("data")


@pytest.mark.parametrize("value", ["~nobody-of-this-name/x", "~nobody-of-this-name"])
def test_a_home_folder_that_is_not_there_is_named(monkeypatch, value):
    monkeypatch.setenv("LOSAW_DATA", value)
    for ask in (datasets.data_folder, lambda: datasets.is_there("fish")):
        with pytest.raises(DatasetError, match=f"LOSAW_DATA='{value}': there is no such home"):
            ask()
