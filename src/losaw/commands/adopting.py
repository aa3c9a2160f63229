"""adopt: stored blocks of another version, after a random sample of them was recomputed."""

import argparse
import secrets
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from losaw.commands.cli_options import positive, request_of, session_of


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``losaw adopt``, in addition to those of a session."""
    parser.add_argument(
        "folder", type=Path, nargs="?", metavar="FOLDER",
        help="a results folder (default: the configuration's), or a reference run",
    )  # fmt: skip
    parser.add_argument(
        "--sample", type=positive, required=True, metavar="N", help="number of blocks to recompute"
    )
    parser.add_argument(
        "--sample-seed", type=int, metavar="SEED", help="seed that picks them (default: drawn)"
    )
    parser.add_argument(
        "--within", type=float, metavar="BOUND",
        help="adopt results that differ, if no metric's mean difference with twice its standard "
        "error exceeds BOUND standard deviations of a run, paired by seed",
    )  # fmt: skip
    parser.add_argument(
        "--each-method", action="store_true",
        help="decide for each method of each study apart, instead of for all blocks together",
    )  # fmt: skip
    parser.add_argument("--jobs", type=positive, default=1, help="processes (default 1)")


def adopt(options: argparse.Namespace) -> int:
    """Adopt stored blocks of another version; 1 if some were not adopted."""
    from losaw.study.errors import StudyError
    from losaw.study.inspecting.adopt import Sample, decide, stale_summary
    from losaw.study.inspecting.difference import is_reference

    if options.within is not None and not options.within > 0:
        raise StudyError(f"--within {options.within:g} is not allowed; state a number above 0")
    if options.folder is not None and not options.folder.is_dir():
        raise StudyError(f"{options.folder}: no such folder")
    of_reference = options.folder is not None and is_reference(options.folder)
    if of_reference and options.within is not None:
        raise StudyError(
            "--within needs the results of every seed, and a reference run stores none; adopt the "
            "results folder that it was made from, then run `losaw reference keep`"
        )
    stale, left, take = (_in_reference if of_reference else _in_results)(options)
    for problem in left[:5]:
        print(problem)
    if left:
        print(f"{len(left)} blocks cannot be adopted and have to be run")
    if not stale:
        print("no stored block of the selection is of another version: nothing to adopt")
        return 1 if left else 0
    print("blocks of another version:", *stale_summary(stale), sep="\n")
    seed = secrets.randbits(31) if options.sample_seed is None else options.sample_seed
    sample = Sample(options.sample, seed, options.within, options.each_method)
    with tempfile.TemporaryDirectory(prefix="losaw-adopt-") as folder:
        tell = partial(print, flush=True)
        decisions = decide(stale, sample, Path(folder), options.jobs, not of_reference, tell)
        n_taken_over = take(decisions)
    for decision in decisions:
        print(decision)
    refused = [decision for decision in decisions if decision.adoption is None]
    for decision in decisions:
        if decision.adoption is not None:
            print(decision.adoption)
    print(f"{n_taken_over} blocks were taken over without being recomputed")
    if refused:
        print(
            "Where recomputed blocks differ nothing was taken over: run these studies again, or "
            "select what is equal with --study, --set learner=… or --each-method"
        )
    elif not of_reference:
        print("`losaw run` or `snakemake` now remakes summaries, tables and the report")
    return 1 if refused or left else 0


def _in_results(options: argparse.Namespace) -> tuple[Any, list[str], Any]:
    """Return stale blocks, sentences on those that cannot be adopted, and the adopting function."""
    from losaw.study.inspecting.adopt import stale_files, take_over

    options.output = options.folder or options.output
    stale, left = stale_files(session_of(options).plans)
    return stale, left, lambda decisions: sum(map(take_over, decisions))


def _in_reference(options: argparse.Namespace) -> tuple[Any, list[str], Any]:
    """Return stale blocks, sentences and the adopting function for a reference run."""
    from losaw.reference.adopt_kept import stale_kept, take_over
    from losaw.reference.stored import Reference

    reference = Reference(options.folder)
    stale, left = stale_kept(reference, request_of(options), options.study or ())
    return stale, left, lambda decisions: take_over(reference, decisions)
