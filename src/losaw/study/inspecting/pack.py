"""A results archive that another person can verify: blocks, laws, tables, and what made them."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import losaw
from losaw.study.design.request import Request
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.files.block_file import write_atomically
from losaw.study.running.without_snakemake import laws

CHECKSUMS = "SHA256SUMS"
REQUEST = "request.json"
_CONFIGURATION = PurePosixPath("config/config.yaml")


def pack(session: Session, archive: Path) -> int:
    """Write a ``.tar.gz`` of a session: the same bytes for the same files.

    It holds the configuration with its studies and printed numbers, the plugins, the session's
    blocks with their run records, the joint laws, what was made of them (tables, summaries,
    figures, report), the request, and the SHA-256 of every file.

    Returns
    -------
    int
        Number of files.

    Raises
    ------
    StudyError
        If a block of the session is missing, or the archive cannot be written.
    """
    files = dict(_files(session))
    contents = {name: path.read_bytes() for name, path in files.items()}
    contents[REQUEST] = _request(session).encode()
    sums = "".join(f"{_digest(contents[name])}  {name}\n" for name in sorted(contents))
    contents[CHECKSUMS] = sums.encode()
    write_atomically(archive, lambda place: _write(place, contents))
    return len(contents)


def _files(session: Session) -> Iterator[tuple[str, Path]]:
    """Name in the archive -> file; names do not depend on where the folders lie here."""
    yield str(_CONFIGURATION), session.request.configuration
    for study in session.studies:
        yield f"config/studies/{study.name}.yaml", study.source.path
        if study.file.published:
            published = session.published_folder / study.file.published
            yield f"config/published/{study.file.published}", published
    for plugin in session.configuration.plugins:
        yield f"plugins/{plugin.name}", plugin
    absent = [block for block in session.all_blocks if not session.block_path(block).exists()]
    if absent:
        raise StudyError(
            f"{len(absent)} of {len(session.all_blocks)} blocks are missing, for example "
            f"{absent[0].relative_path}; run the study first, or narrow what is packed with --set"
        )
    for block in session.all_blocks:
        for relative in (block.relative_path, block.run_record_path):
            if (session.results / relative).exists():
                yield f"results/{relative.as_posix()}", session.results / relative
    for law in laws(session):
        yield f"results/laws/{law.name}", law
    for study in session.studies:
        made = session.results / study.name
        for path in sorted(made.rglob("*")):
            relative = path.relative_to(made)
            if path.is_file() and relative.parts[0] not in ("blocks", "runs"):
                yield f"results/{study.name}/{relative.as_posix()}", path
        for name in study.file.figures:
            for path in sorted(session.figures.glob(f"{name}.*")):
                yield f"figures/{path.name}", path
    report = session.results / "report.html"
    if report.exists():
        yield "results/report.html", report


def _write(place: Path, contents: dict[str, bytes]) -> None:
    with (
        place.open("wb") as raw,
        # No name and no time in the header: equal files give equal archives.
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in sorted(contents):
            entry = tarfile.TarInfo(name)
            entry.size = len(contents[name])
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(contents[name]))


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive and check every file against its checksum.

    Raises
    ------
    StudyError
        If it is no archive of ours, or a file is missing, changed, or not listed.
    """
    try:
        with tarfile.open(archive) as tar:
            _extract(tar, folder)
    except (OSError, EOFError, tarfile.TarError) as error:
        raise StudyError(f"{archive}: cannot be unpacked: {error}") from None
    check_sums(folder, archive)


def _extract(tar: tarfile.TarFile, folder: Path) -> None:
    """Extract plain files below ``folder`` only; Python before 3.11.4 has no filter for that."""
    if hasattr(tarfile, "data_filter"):
        tar.extractall(folder, filter="data")
        return
    for member in tar.getmembers():
        place = (folder / member.name).resolve()
        if not (member.isfile() or member.isdir()) or not place.is_relative_to(folder.resolve()):
            raise tarfile.TarError(f"{member.name!r} is no plain file below its folder")
    tar.extractall(folder)


def check_sums(folder: Path, archive: Path) -> None:
    """Check the files of a folder against its list of checksums; raises as :func:`unpack`."""
    try:
        lines = (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    except OSError:
        raise StudyError(f"{archive}: holds no {CHECKSUMS}: not written by losaw pack") from None
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    there = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    del there[CHECKSUMS]
    problems = [f"{name}: missing" for name in listed.keys() - there.keys()]
    problems += [f"{name}: not listed" for name in there.keys() - listed.keys()]
    problems += [
        f"{name}: changed"
        for name in listed.keys() & there.keys()
        if _digest(there[name].read_bytes()) != listed[name]
    ]
    if problems:
        raise StudyError(f"{archive}: " + "; ".join(sorted(problems)[:5]))


def packed_request(folder: Path, run_plugins: bool) -> Request:
    """The request behind an unpacked archive, with its folders where they were unpacked.

    Parameters
    ----------
    run_plugins : bool
        Whether the archive's plugins, other people's code, may be run.

    Raises
    ------
    StudyError
        If the archive needs plugins that may not be run.
    """
    asked = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    if asked["plugins"] and not run_plugins:
        raise StudyError(
            f"the archive holds plugins ({', '.join(asked['plugins'])}), which are run to know its "
            "blocks; read them, then add --run-plugins"
        )
    overrides = {
        "studies": asked["studies"],
        "scale": asked["scale"],
        "plugins": [str(folder / "plugins" / name) for name in asked["plugins"]],
        "results": str(folder / "results"),
        "figures": str(folder / "figures"),
    }
    selection = {axis: tuple(values) for axis, values in asked["selection"].items()}
    return Request(folder / _CONFIGURATION, overrides, selection, asked["seeds"])


def _request(session: Session) -> str:
    asked = {
        "losaw": losaw.__version__,
        "studies": [study.name for study in session.studies],
        "scale": session.scale,
        "plugins": [plugin.name for plugin in session.configuration.plugins],
        "selection": session.request.selection,
        "seeds": session.request.seeds,
    }
    return json.dumps(asked, indent=1) + "\n"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
