"""A results archive that another person can verify: blocks, laws, tables, and study files."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import losaw
from losaw.study.design.plan import StudyPlan, other_blocks
from losaw.study.design.request import Request
from losaw.study.errors import StudyError
from losaw.study.files.output_digests import altered_outputs, report_files, study_files, sums_path
from losaw.study.files.writing import write_file
from losaw.study.running.joint_laws import laws_of

CHECKSUMS = "SHA256SUMS"
REQUEST = "request.json"
CONFIGURATION = "config/config.yaml"


def pack(
    archive: Path, plans: Sequence[StudyPlan], request: Request, with_report: bool = True
) -> int:
    """Write a ``.tar.gz`` of what was written for a request: the same bytes for the same files.

    It contains the configuration with its studies and published numbers, the plugins, the studies'
    blocks with their run records, the joint laws, what was written from them (tables, summaries,
    figures, report), the request, and the SHA-256 of every file; no other file that lies in their
    folders (:func:`losaw.study.files.output_digests.stray_files`). Of a study that these depend on
    and that was not run it contains the study file. Everybody who has the SHA-256 of the archive
    from its author can check that it is the author's archive: ``losaw verify --sha256``.

    Parameters
    ----------
    with_report : bool, default True
        Pack the report; not if it shows other studies than these.

    Returns
    -------
    int
        Number of files.

    Raises
    ------
    StudyError
        If a block is missing, or the archive cannot be written.
    """
    files = dict(_files(plans, request, with_report))
    contents = {name: path.read_bytes() for name, path in files.items()}
    contents[REQUEST] = _request_text(plans, request).encode()
    sums = "".join(f"{_digest(contents[name])}  {name}\n" for name in sorted(contents))
    contents[CHECKSUMS] = sums.encode()
    write_file(archive, lambda place: _write(place, contents))
    return len(contents)


def _files(
    plans: Sequence[StudyPlan], request: Request, with_report: bool
) -> Iterator[tuple[str, Path]]:
    """Name in the archive -> file; names do not depend on where the folders lie here."""
    results = plans[0].results
    yield CONFIGURATION, request.configuration
    for plan in plans:
        yield f"config/studies/{plan.study.name}.yaml", plan.study.source.path
        draws = plan.study.file.between_draws
        if draws is not None:
            yield f"config/studies/{draws}.yaml", plan.study.source.path.with_name(f"{draws}.yaml")
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
            yield _in_results(path, results), path
    for law in laws_of(blocks):
        yield f"results/laws/{law.name}", law
    for plan in plans:
        for path in filter(Path.is_file, study_files(plan)):
            is_figure = path.parent == plan.figures
            yield f"figures/{path.name}" if is_figure else _in_results(path, results), path
    for path, problem in altered_outputs(plans):
        raise StudyError(f"{path}: {problem}; run the study again before it is packed")
    written = [sums_path(results, plan.study.name) for plan in plans]
    written += [*report_files(results), sums_path(results)] if with_report else []
    for path in filter(Path.is_file, written):
        yield _in_results(path, results), path


def _in_results(path: Path, results: Path) -> str:
    return f"results/{path.relative_to(results).as_posix()}"


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
