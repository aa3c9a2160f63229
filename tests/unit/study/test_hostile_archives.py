"""Archives by strangers: bombs, malformed ones, code outside them.

Of study.inspecting.unpack.
"""

import gzip
import hashlib
import io
import json
import tarfile

import pytest

from losaw.cli import main
from losaw.study.design.source_file import SourceFile
from losaw.study.errors import StudyError
from losaw.study.inspecting import unpack as unpacking
from losaw.study.inspecting.unpack import packed_request, unpack

ASKED = {"studies": ["tiny"], "plugins": [], "scale": "smoke", "selection": {}, "seeds": None}


def archive_of(path, contents, with_sums=True):
    """An archive of these files, with right checksums unless one is given."""
    contents = dict(contents)
    if with_sums and "SHA256SUMS" not in contents:
        lines = [f"{hashlib.sha256(c).hexdigest()}  {n}\n" for n, c in sorted(contents.items())]
        contents["SHA256SUMS"] = "".join(lines).encode()
    with tarfile.open(path, "w:gz") as tar:
        for name, content in contents.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


def test_an_archive_is_unpacked_as_it_was_packed(tmp_path):
    contents = {"a/b.txt": b"one", "c.txt": b""}
    unpack(archive_of(tmp_path / "a.tar.gz", contents), tmp_path / "there")
    assert (tmp_path / "there" / "a" / "b.txt").read_bytes() == b"one"


def test_a_bomb_is_refused_before_it_is_written(tmp_path):
    bomb = archive_of(tmp_path / "bomb.tar.gz", {"zeros": bytes(96 * 2**20)})
    assert bomb.stat().st_size < 2**18
    with pytest.raises(StudyError, match="would fill more than 64 MiB"):
        unpack(bomb, tmp_path / "there")
    assert not (tmp_path / "there" / "zeros").exists()


def test_a_sparse_member_of_forty_gigabytes_is_refused(tmp_path):
    entry = tarfile.TarInfo("huge")
    entry.size = 512
    entry.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "huge",
        "GNU.sparse.realsize": str(40 * 2**30),
    }
    with tarfile.open(tmp_path / "s.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(entry, io.BytesIO(b"1\n0\n0\n".ljust(512, b"\0")))
    with pytest.raises(StudyError, match="would fill more"):
        unpack(tmp_path / "s.tar.gz", tmp_path / "there")


def test_too_many_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "MAX_FILES", 3)
    many = archive_of(tmp_path / "m.tar.gz", {str(i): b"" for i in range(4)})
    with pytest.raises(StudyError, match="more than 3 files"):
        unpack(many, tmp_path / "there")


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "a/../../outside", "."])
def test_a_file_outside_is_refused(tmp_path, name):
    with pytest.raises(StudyError, match="no plain file below its folder"):
        unpack(archive_of(tmp_path / "a.tar.gz", {name: b"x"}), tmp_path / "there")
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_a_link_or_device_is_refused(tmp_path, kind):
    entry = tarfile.TarInfo("link")
    entry.type, entry.linkname = kind, "/etc/passwd"
    with tarfile.open(tmp_path / "l.tar.gz", "w:gz") as tar:
        tar.addfile(entry)
    with pytest.raises(StudyError, match="no plain file"):
        unpack(tmp_path / "l.tar.gz", tmp_path / "there")


def test_a_file_that_is_there_twice_is_refused(tmp_path):
    with tarfile.open(tmp_path / "t.tar.gz", "w:gz") as tar:
        for content in (b"one", b"two"):
            entry = tarfile.TarInfo("a.txt")
            entry.size = 3
            tar.addfile(entry, io.BytesIO(content))
    with pytest.raises(StudyError, match="there twice"):
        unpack(tmp_path / "t.tar.gz", tmp_path / "there")


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ({"a": b"1", "SHA256SUMS": b""}, "a: not listed"),
        ({"SHA256SUMS": b"00  a\n"}, "a: missing"),
        ({"a": b"1", "SHA256SUMS": b"00  a\n"}, "a: changed"),
        ({"SHA256SUMS": b"\xff\xfe"}, "SHA256SUMS cannot be read"),
    ],
)
def test_every_file_is_listed_and_as_listed(tmp_path, contents, message):
    with pytest.raises(StudyError, match=message):
        unpack(archive_of(tmp_path / "a.tar.gz", contents), tmp_path / "there")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Invalid JSON"),
        (b"{", "Invalid JSON"),
        (b"[" * 100_000, "Invalid JSON"),
        (b"\xff", "cannot be read"),
        (b"[]", "Input should be an object, got"),
        (b"{}", "studies: Field required"),
        (json.dumps({**ASKED, "selection": []}).encode(), "selection: Input should be an object"),
        (json.dumps({**ASKED, "selection": {"a": 1}}).encode(), "a: Input should be a valid"),
        (json.dumps({**ASKED, "studies": "tiny"}).encode(), "studies: Input should be a valid"),
        (json.dumps({**ASKED, "scale": None}).encode(), "scale: Input should be a valid string"),
        (json.dumps({**ASKED, "seeds": 10**9}).encode(), "seeds: Input should be less"),
        (json.dumps({**ASKED, "seeds": True}).encode(), "seeds: Input should be a valid integer"),
    ],
)
def test_a_malformed_request_is_one_message(tmp_path, content, message):
    (tmp_path / "request.json").write_bytes(content)
    with pytest.raises(StudyError, match=message):
        packed_request(tmp_path, run_plugins=True)


def test_an_archive_without_a_request_is_one_message(tmp_path):
    with pytest.raises(StudyError, match=r"request\.json cannot be read"):
        packed_request(tmp_path, run_plugins=True)


@pytest.mark.parametrize("place", ["absolute", "above", "below", "absent"])
def test_only_plugins_that_lie_in_the_archive_are_run(tmp_path, place):
    folder = tmp_path / "archive"
    (folder / "plugins" / "deeper").mkdir(parents=True)
    for path in (tmp_path / "evil.py", folder / "evil.py", folder / "plugins" / "deeper" / "e.py"):
        path.write_text("raise SystemExit('I was run')")
    name = {
        "absolute": str(tmp_path / "evil.py"),
        "above": "../evil.py",
        "below": "deeper/e.py",
        "absent": "nowhere.py",
    }[place]
    (folder / "request.json").write_text(json.dumps({**ASKED, "plugins": [name]}))
    with pytest.raises(StudyError, match="is not a file in the archive's plugins"):
        packed_request(folder, run_plugins=True)


@pytest.mark.parametrize(
    "content",
    [b"", b"no archive", gzip.compress(b"no tar", mtime=0), b"\x1f\x8b\x08"],
    ids=["empty", "text", "compressed text", "cut off"],
)
def test_what_is_no_archive_is_one_message(tmp_path, content):
    (tmp_path / "a.tar.gz").write_bytes(content)
    with pytest.raises(StudyError, match=r"cannot be unpacked|holds no SHA256SUMS"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "there")


def test_another_archive_than_the_authors_is_refused(tmp_path, capsys):
    archive = archive_of(tmp_path / "a.tar.gz", {"a": b"1"})
    assert main(["verify", str(archive), "--sha256", "0" * 64]) == 2
    assert "it is another archive" in capsys.readouterr().err
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert main(["verify", str(archive), "--sha256", digest]) == 2  # the next thing: no request
    assert "is the archive with this SHA-256" in capsys.readouterr().out


ALIASES = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9)
)


@pytest.mark.parametrize("text", [ALIASES, "a: &a [*a]\n", "a: &a {b: *a}\n"])
def test_aliases_of_aliases_are_refused(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(StudyError, match="do aliases refer to aliases"):
        SourceFile(tmp_path / "a.yaml")
