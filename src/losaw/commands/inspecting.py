"""Commands that inspect stored results: status, verify, diff, provenance, pack."""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from losaw.commands.cli_options import positive, session_of
from losaw.commands.reference import verify_kept


def status(options: argparse.Namespace) -> None:
    """Print how much of the session is done."""
    plans = session_of(options).plans
    if options.watch:
        from losaw.study.running.progress import watch

        watch([block for plan in plans for block in plan.blocks], options.every, sys.stdout)
        return
    from losaw.study.inspecting.status import describe_status

    print(describe_status(plans, options.jobs))


def add_options_of_verify(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``losaw verify``."""
    parser.add_argument(
        "place",
        type=Path,
        nargs="?",
        metavar="PLACE",
        help="a results folder (default: the configuration's), an archive of losaw pack, or a "
        "reference run, of which a block is computed again",
    )
    parser.add_argument(
        "--remove", action="store_true", help="remove the blocks that fail the check"
    )
    parser.add_argument("--failed", action="store_true", help="include blocks with failed fits")
    parser.add_argument(
        "--recompute", type=positive, metavar="N", help="compute N random blocks again and compare"
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=0,
        metavar="SEED",
        help="seed that picks the N blocks (default 0); choose your own, so that nobody can know "
        "in advance which ones are checked",
    )
    parser.add_argument("--jobs", type=positive, default=1, help="processes (default 1)")
    parser.add_argument(
        "--sha256",
        metavar="DIGEST",
        help="the SHA-256 that `losaw pack` printed; fails unless this is that archive",
    )
    parser.add_argument(
        "--run-plugins", action="store_true", help="allow the plugins of an archive to run"
    )


def verify(options: argparse.Namespace) -> int:
    """Check a results folder, an archive or a reference run; 1 if anything is wrong."""
    from losaw.study.design.session import Session
    from losaw.study.errors import StudyError
    from losaw.study.inspecting.difference import is_reference
    from losaw.study.inspecting.unpack import check_digest, packed_request, unpack

    place: Path | None = options.place
    if place is not None and is_reference(place):
        return verify_kept(options, place)
    if place is None or place.is_dir():
        options.output = place or options.output
        return _verify(session_of(options), options)
    if not place.exists():
        raise StudyError(f"{place}: no such archive of losaw pack, and no such results folder")
    if options.remove:
        raise StudyError(f"{place}: --remove is for a results folder, an archive is not changed")
    if options.sha256:
        check_digest(place, options.sha256)
        print(f"{place}: is the archive with this SHA-256")
    with tempfile.TemporaryDirectory(prefix="losaw-verify-") as folder:
        unpack(place, Path(folder))
        print(f"{place}: every file agrees with its checksum")
        return _verify(Session(packed_request(Path(folder), options.run_plugins)), options)


def _verify(session: Any, options: argparse.Namespace) -> int:
    from losaw.study.files.healing import remove
    from losaw.study.inspecting.comparison import recompute
    from losaw.study.inspecting.verify import verify

    verification = verify(session.plans, options.failed)
    findings = _with_differing(verification.findings, session)
    for finding in findings:
        print(f"{finding.path}: {finding.problem}")
    print(
        f"{verification.n_good} blocks are whole and up to date ({verification.n_failed} of them "
        f"with failed fits), {verification.n_absent} have not been run, {len(findings)} findings"
    )
    if verification.n_others:
        print(f"{verification.n_others} further blocks belong to other selections and are whole")
    _name_strays(session)
    if options.remove and findings:
        remove(findings)
        print(f"removed {len(findings)} files; run the study again to compute their blocks")
        return 0
    n_equal = n_computed = 0
    if options.recompute:
        blocks, n_blocks = session.all_blocks, options.recompute
        for recomputed in recompute(blocks, n_blocks, options.sample, options.jobs):
            print(recomputed, flush=True)
            n_computed += 1
            n_equal += recomputed.comparison.is_equal
        print(f"{n_equal} of {n_computed} blocks computed again have equal numbers")
    return 1 if findings or n_equal < n_computed else 0


def _name_strays(session: Any) -> None:
    from losaw.study.files.output_digests import stray_files

    for path in (path for plan in session.plans for path in stray_files(plan)):
        print(
            f"{path} is no output of its study: it is not checked, and `losaw pack` leaves it out"
        )


def _with_differing(findings: list[Any], session: Any) -> list[Any]:
    """Add the outputs that differ from what the blocks give, each file once."""
    from losaw.report.page.remade import differing_outputs

    known = {finding.path for finding in findings}
    return [*findings, *(f for f in differing_outputs(session) if f.path not in known)]


def diff(options: argparse.Namespace) -> int:
    """Compare two results folders, archives or reference runs; 1 if they differ."""
    from losaw.study.files.writing import write_csv, write_text
    from losaw.study.inspecting.difference import difference

    with tempfile.TemporaryDirectory(prefix="losaw-diff-") as folder:
        first, second = (
            _results_in(place, Path(folder) / str(index))
            for index, place in enumerate((options.first, options.second))
        )
        changes = difference(first, second)
    print(changes)
    if options.csv:
        write_csv(options.csv, changes.cells)
    if options.html:
        write_text(options.html, changes.cells.to_html(index=False, float_format="{:.6g}".format))
    return 0 if changes.is_equal else 1


def _results_in(place: Path, folder: Path) -> Path:
    """Return a results folder; an archive is unpacked and checked first."""
    from losaw.study.inspecting.unpack import unpack

    if place.is_dir():
        return place
    folder.mkdir()
    unpack(place, folder)
    return folder / "results"


def provenance(options: argparse.Namespace) -> None:
    """Print the origin of the numbers of a table, figure or other output."""
    from losaw.study.inspecting.origin import describe_origins, find_output, origins

    session = session_of(options, trusted=True)
    # Every study next to the configuration is looked at, not only those of the session.
    known = [session.read_study(name, trusted=True) for name in session.available_studies()]
    study, key = find_output(options.file, known, session.results, session.figures)
    for shown in session.studies if study is None else [study]:
        blocks = origins(shown, key, session.results, session.request.selection)
        print(describe_origins(shown, key, blocks, options.blocks))


def pack(options: argparse.Namespace) -> None:
    """Write the results archive."""
    from losaw.report.page.html import shown_studies
    from losaw.study.errors import StudyError
    from losaw.study.files.writing import file_digest
    from losaw.study.inspecting.pack import pack
    from losaw.study.inspecting.verify import verify

    session = _with_measured_draws(session_of(options))
    findings = _with_differing(verify(session.plans).findings, session)
    if findings:
        shown = "\n  ".join(f"{finding.path}: {finding.problem}" for finding in findings[:5])
        raise StudyError(
            f"{len(findings)} findings of `losaw verify`, which an archive must not have:\n  "
            f"{shown}\n`losaw run` or `snakemake` write what is wrong again"
        )
    page = session.results / "report.html"
    on_page = shown_studies(page.read_text("utf-8")) if page.is_file() else []
    others = sorted({*on_page} - {study.name for study in session.studies})
    if others:
        print(f"{page} is not packed: it shows {', '.join(others)} as well, which --study packs")
    _name_strays(session)
    number = pack(options.archive, session.plans, session.request, not others)
    digest = file_digest(options.archive)
    print(f"{options.archive}: {number} files; losaw verify {options.archive} checks them")
    print(f"SHA-256 {digest}")
    print(f"publish it apart from the archive; losaw verify {options.archive} --sha256 DIGEST")


def _with_measured_draws(session: Any) -> Any:
    """Return the session with the studies that its own depend on, where these were run."""
    from dataclasses import replace

    from losaw.study.design.session import Session
    from losaw.study.files.output_digests import DRAWS

    names = [study.name for study in session.studies]
    needed = [study.file.between_draws for study in session.studies]
    added = {n for n in needed if n and n not in names and (session.results / n / DRAWS).is_file()}
    if not added:
        return session
    overrides = {**session.request.overrides, "studies": [*names, *sorted(added)]}
    return Session(replace(session.request, overrides=overrides))
