"""Seeing and trusting results: status, verify, provenance, pack."""

import argparse
import tempfile
from pathlib import Path
from typing import Any

from losaw.commands.asking import session_of


def status(options: argparse.Namespace) -> None:
    """How far the session is."""
    from losaw.study.inspecting.status import describe_status

    print(describe_status(session_of(options), options.jobs))


def verify(options: argparse.Namespace) -> int:
    """Check stored blocks, an unpacked results folder or an archive; 1 if anything is wrong."""
    from losaw.study.design.session import Session
    from losaw.study.errors import StudyError
    from losaw.study.inspecting.pack import packed_request, unpack

    place: Path | None = options.place
    if place is None or place.is_dir():
        options.output = place or options.output
        return _verify(session_of(options), options)
    if not place.exists():
        raise StudyError(f"{place}: no such archive of losaw pack, and no such results folder")
    if options.remove:
        raise StudyError(f"{place}: --remove is for a results folder, an archive is not changed")
    with tempfile.TemporaryDirectory(prefix="losaw-verify-") as folder:
        unpack(place, Path(folder))
        print(f"{place}: every file agrees with its checksum")
        return _verify(Session(packed_request(Path(folder), options.run_plugins)), options)


def _verify(session: Any, options: argparse.Namespace) -> int:
    from losaw.study.inspecting.verify import recompute, remove, verify

    found = verify(session, options.failed)
    for finding in found.findings:
        print(f"{finding.path}: {finding.problem}")
    print(
        f"{found.n_good} blocks are whole and up to date ({found.n_failed} of them with failed "
        f"fits), {found.n_absent} have not been run, {len(found.findings)} findings"
    )
    if options.remove and found.findings:
        remove(session, found.findings)
        print(f"removed {len(found.findings)} files; run the study again to compute their blocks")
        return 0
    n_equal = n_computed = 0
    if options.recompute:
        for one in recompute(session, options.recompute, options.sample, options.jobs):
            print(one, flush=True)
            n_computed += 1
            n_equal += one.same_numbers
        print(f"{n_equal} of {n_computed} blocks computed again have equal numbers")
    return 1 if found.findings or n_equal < n_computed else 0


def provenance(options: argparse.Namespace) -> None:
    """Where the numbers of a table, figure or other output came from."""
    from losaw.study.inspecting.origin import describe_origins, find_output, origins

    session = session_of(options, trusted=True)
    studies, key = find_output(session, options.file)
    for study in studies:
        print(describe_origins(study, key, origins(session, study, key), options.blocks))


def pack(options: argparse.Namespace) -> None:
    """Write the results archive."""
    from losaw.study.inspecting.pack import pack

    number = pack(session_of(options), options.archive)
    print(f"{options.archive}: {number} files; losaw verify {options.archive} checks them")
