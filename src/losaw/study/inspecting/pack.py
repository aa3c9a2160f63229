"""A results archive that another person can verify: blocks, laws, tables, and what made them."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import losaw
from losaw.study.design.plan import StudyPlan
from losaw.study.design.request import Request
from losaw.study.errors import StudyError
from losaw.study.files.folder import other_blocks
from losaw.study.files.writing import write_file
from losaw.study.running.joint_laws import laws_of

CHECKSUMS = "SHA256SUMS"
REQUEST = "request.json"
_CONFIGURATION = PurePosixPath("config/config.yaml")


def pack(archive: Path, plans: Sequence[StudyPlan], request: Request) -> int:
    """Write a ``.tar.gz`` of what a request has made: the same bytes for the same files.

    It holds the configuration with its studies and printed numbers, the plugins, the studies'
    blocks with their run records, the joint laws, what was made of them (tables, summaries,
    figures, report), the request, and the SHA-256 of every file.

    Returns
    -------
    int
        Number of files.

    Raises
    ------
    StudyError
        If a block is missing, or the archive cannot be written.
    """
    files = dict(_files(plans, request))
    contents = {name: path.read_bytes() for name, path in files.items()}
    contents[REQUEST] = _request_text(plans, request).encode()
    sums = "".join(f"{_digest(contents[name])}  {name}\n" for name in sorted(contents))
    contents[CHECKSUMS] = sums.encode()
    write_file(archive, lambda place: _write(place, contents))
    return len(contents)


def _files(plans: Sequence[StudyPlan], request: Request) -> Iterator[tuple[str, Path]]:
    """Name in the archive -> file; names do not depend on where the folders lie here."""
    results = plans[0].results
    yield str(_CONFIGURATION), request.configuration
    for plan in plans:
        yield f"config/studies/{plan.study.name}.yaml", plan.study.source.path
        printed = plan.study.file.published
        if printed:
            yield f"config/published/{printed}", plan.published / printed
    for plugin in plans[0].configuration["plugins"]:
        yield f"plugins/{Path(plugin).name}", Path(plugin)
    blocks = [block for plan in plans for block in plan.blocks]
    absent = [block for block in blocks if not block.path.exists()]
    if absent:
        raise StudyError(
            f"{len(absent)} of {len(blocks)} blocks are missing, for example "
            f"{absent[0].name}; run the study first, or narrow what is packed with --set"
        )
    blocks += [block for plan in plans for block in other_blocks(plan)]
    for path in [path for block in blocks for path in (block.path, block.record_path)]:
        if path.exists():
            yield f"results/{path.relative_to(results).as_posix()}", path
    for law in laws_of(blocks):
        yield f"results/laws/{law.name}", law
    for plan in plans:
        for path in sorted(plan.folder.rglob("*")):
            relative = path.relative_to(plan.folder)
            if path.is_file() and relative.parts[0] not in ("blocks", "runs"):
                yield f"results/{plan.study.name}/{relative.as_posix()}", path
        for name in plan.study.file.figures:
            for path in sorted(plan.figures.glob(f"{name}.*")):
                yield f"figures/{path.name}", path
    report = results / "report.html"
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


def _request_text(plans: Sequence[StudyPlan], request: Request) -> str:
    asked = {
        "losaw": losaw.__version__,
        "studies": [plan.study.name for plan in plans],
        "scale": plans[0].scale,
        "plugins": [Path(plugin).name for plugin in plans[0].configuration["plugins"]],
        "selection": request.selection,
        "seeds": request.seeds,
    }
    return json.dumps(asked, indent=1) + "\n"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
