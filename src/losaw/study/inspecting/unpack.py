"""Another person's results archive: unpacked within limits, checked, and never run unasked."""

import tarfile
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from losaw.study.design.request import Request
from losaw.study.design.schema import Scalar
from losaw.study.errors import StudyError
from losaw.study.files.writing import file_digest
from losaw.study.inspecting.pack import CHECKSUMS, CONFIGURATION, REQUEST

# The largest study of the repository, at the paper's scale, has some 5,000 blocks in .3 GB.
MAX_FILES = 200_000
MAX_BYTES = 8 * 2**30
MAX_EXPANSION = 200
# Blocks and tables compress little; an archive of few files may be small and expand more.
FREE_BYTES = 64 * 2**20
MAX_SEEDS = 100_000
MAX_TEXT = 16 * 2**20


class _Asked(BaseModel):
    """The request of an archive, as :func:`losaw.study.inspecting.pack.pack` writes it."""

    model_config = ConfigDict(strict=True)
    studies: list[str]
    plugins: list[str]
    scale: str
    selection: dict[str, list[Scalar]]
    seeds: Annotated[int, Field(ge=1, le=MAX_SEEDS)] | None


def check_digest(archive: Path, sha256: str) -> None:
    """Raise a StudyError unless the archive is the one with this SHA-256."""
    digest = file_digest(archive)
    if digest != sha256.strip().lower():
        raise StudyError(f"{archive}: has SHA-256 {digest}, not {sha256}: it is another archive")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive into an empty folder and check every file against its checksum.

    Raises
    ------
    StudyError
        If it is no archive of ours; would be larger than 8 GiB, 200,000 files, or 200 times
        itself; or a file is missing, changed, not listed, twice there, or no plain file. Limits
        are checked before a file is written.
    """
    try:
        allowed = min(MAX_BYTES, max(FREE_BYTES, MAX_EXPANSION * archive.stat().st_size))
        with tarfile.open(archive, "r|gz") as tar:
            _extract(tar, folder, allowed)
    except Exception as error:  # tarfile raises whatever it meets in a malformed header
        raise StudyError(f"{archive}: cannot be unpacked: {error}") from None
    check_sums(folder, archive)


def _extract(tar: tarfile.TarFile, folder: Path, allowed: int) -> None:
    """Write plain files below ``folder``, each once, as long as they are within the limits."""
    root = folder.resolve()
    seen: set[Path] = set()
    total = 0
    for member in tar:
        total += member.size
        place = (folder / member.name).resolve()
        if not member.isfile() or not place.is_relative_to(root) or place == root:
            raise tarfile.TarError(f"{member.name!r} is no plain file below its folder")
        if place in seen:
            raise tarfile.TarError(f"{member.name!r} is there twice")
        seen.add(place)
        if len(seen) > MAX_FILES:
            raise tarfile.TarError(f"it holds more than {MAX_FILES} files")
        if member.issparse() or total > allowed:
            raise tarfile.TarError(
                f"it would fill more than {allowed / 2**20:.0f} MiB, which is more than an archive "
                "of this size may hold"
            )
        place.parent.mkdir(parents=True, exist_ok=True)
        source = tar.extractfile(member)
        assert source is not None  # a plain file
        with place.open("xb") as target:
            while piece := source.read(2**20):
                target.write(piece)


def check_sums(folder: Path, archive: Path) -> None:
    """Check the files of a folder against its list of checksums; raises as :func:`unpack`."""
    if not (folder / CHECKSUMS).is_file():
        raise StudyError(f"{archive}: holds no {CHECKSUMS}: not written by losaw pack")
    lines = _text(folder, CHECKSUMS, archive).splitlines()
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
        if file_digest(there[name]) != listed[name]
    ]
    if problems:
        raise StudyError(f"{archive}: " + "; ".join(sorted(problems)[:5]))


def packed_request(folder: Path, run_plugins: bool) -> Request:
    """The request behind an unpacked archive, with its folders where they were unpacked.

    Parameters
    ----------
    run_plugins : bool
        Whether the archive's plugins, other people's code, may be run: those that lie in it and
        that it names, no others.

    Raises
    ------
    StudyError
        If the archive needs plugins that may not be run or that it does not hold, or its request
        is not as :func:`losaw.study.inspecting.pack.pack` writes it.
    """
    asked = _asked(folder)
    plugins = asked.plugins
    if plugins and not run_plugins:
        raise StudyError(
            f"the archive holds plugins ({', '.join(plugins)}), which are run to know its "
            "blocks; read them, then add --run-plugins"
        )
    for name in plugins:
        if Path(name).name != name or not (folder / "plugins" / name).is_file():
            raise StudyError(f"{REQUEST}: plugins: {name!r} is not a file in the archive's plugins")
    overrides = {
        "studies": asked.studies,
        "scale": asked.scale,
        "plugins": [str(folder / "plugins" / name) for name in plugins],
        "results": str(folder / "results"),
        "figures": str(folder / "figures"),
    }
    selection = {axis: tuple(values) for axis, values in asked.selection.items()}
    return Request(folder / CONFIGURATION, overrides, selection, asked.seeds)


def _asked(folder: Path) -> _Asked:
    try:
        return _Asked.model_validate_json(_text(folder, REQUEST, Path(REQUEST)))
    except ValidationError as error:
        problem = error.errors()[0]
        words = [*map(str, problem["loc"]), f"{problem['msg']}, got {problem['input']!r:.80}"]
        raise StudyError(f"{REQUEST}: {': '.join(words)}") from None


def _text(folder: Path, name: str, archive: Path) -> str:
    path = folder / name
    try:
        if path.stat().st_size > MAX_TEXT:
            raise StudyError(f"{archive}: {name} is larger than {MAX_TEXT / 2**20:.0f} MiB")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{archive}: {name} cannot be read: {error}") from None
