"""What sources say is kept between processes, and never stands for another text.

Of study.source_digests.digest_cache.
"""

from functools import cache

import pytest

from losaw.registry import entries
from losaw.study.source_digests import digest_cache as kept
from losaw.study.source_digests import files, reading
from losaw.study.source_digests import source_digest as digests
from losaw.study.source_digests.source_digest import source_digest

MODULE = "losaw.forest.growing.partition"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder of readings, and no memory of what was read."""
    monkeypatch.setattr(kept, "digest_folder", lambda: tmp_path)
    forget()
    yield tmp_path
    forget()


def forget():
    for cached in (kept._read, kept._code, reading.parse):
        cached.cache_clear()
    files.forget_texts()


@pytest.fixture
def parsed(monkeypatch):
    """The modules that are read anew."""
    modules = []

    def parse(module, text):
        modules.append(module)
        return reading.parse(module, text)

    monkeypatch.setattr(kept, "parse", parse)
    return modules


def test_the_next_process_reads_what_the_last_one_has_kept(folder, parsed):
    first = kept.reading_of(MODULE)
    forget()
    assert kept.reading_of(MODULE) == first
    assert parsed == [MODULE]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-20],
        lambda text: text.replace("0", "1"),
        lambda text: text.partition("\n")[2],
        lambda text: "",
    ],
    ids=["truncated", "altered", "without its digest", "empty"],
)
def test_a_damaged_file_is_read_anew(folder, parsed, damage):
    first = kept.reading_of(MODULE)
    path = folder / f"{MODULE}.json"
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    forget()
    assert kept.reading_of(MODULE) == first
    assert parsed == [MODULE, MODULE]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("text_of", lambda module: "x = 2\n"),
        ("_code", cache(lambda: "another way of reading")),
    ],
)
def test_another_text_or_another_reader_is_not_taken_for_the_kept_one(
    folder, parsed, monkeypatch, name, other
):
    kept.reading_of(MODULE)
    monkeypatch.setattr(kept, name, other)
    kept._read.cache_clear()
    kept.reading_of(MODULE)
    assert len(parsed) == 2


def test_a_module_more_in_the_package_makes_every_reading_another(folder, parsed, monkeypatch):
    kept.reading_of(MODULE)
    kept._read.cache_clear()
    monkeypatch.setattr(files, "own_files", cache(lambda: ("new.py",)))
    kept.reading_of(MODULE)
    assert len(parsed) == 2


def test_after_reading_all_no_digest_reads_anew(folder, parsed):
    kept.read_all()
    forget()
    parsed.clear()
    digests._digests.clear()
    digested = [source_digest(entry.target) for entry in entries("learner")]
    assert any(digested)
    assert [module for module in parsed if module.startswith("losaw.")] == []


def test_a_place_that_is_no_folder_costs_time_only(folder, parsed, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setattr(kept, "digest_folder", lambda: folder / "file" / "readings")
    assert kept.reading_of(MODULE).definitions
    assert parsed == [MODULE]


def test_a_digest_is_the_same_from_kept_readings(folder):
    target = "losaw.forest:LosawRandomForestRegressor"
    digests._digests.clear()
    first = source_digest(target)
    forget()
    digests._digests.clear()
    assert source_digest(target) == first
