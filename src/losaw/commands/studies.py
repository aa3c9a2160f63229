"""Commands on studies: plan, list, verify, check and reference; and compile."""

import argparse
import contextlib
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from losaw.support.errors import LosawError
from losaw.support.extras import STUDY, MissingExtraError, require
from losaw.support.sources import CHECKOUT, other_checkout

CONFIGURATION = Path("config", "config.yaml")


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add all of them; ``add`` makes a parser of a name, a function, a text and its needs."""
    text = "print settings, blocks, fits and core-hours; runs nothing"
    add_session_options(add("plan", plan, text, True))
    text = "compute random lines of stored evidence again"
    verifying = add("verify", verify, text, True)
    verifying.add_argument("reference", type=Path, metavar="FOLDER", help="for example reference")
    verifying.add_argument(
        "--sample", type=positive, default=10, metavar="N", help="number of lines (default 10)"
    )
    verifying.add_argument(
        "--seed", type=not_negative, default=0, help="of the draw of lines (default 0)"
    )
    verifying.add_argument("--study", action="append", metavar="NAME", help="default: all of them")
    verifying.add_argument(
        "--record",
        action="store_true",
        help="write the commit and how many lines were equal to FOLDER/runs.csv",
    )
    add_configuration(verifying)
    add("compile", compile_kernels, "compile all kernels, once for all runs")
    # The names can be listed without the libraries of studies.
    listing = add("list", list_names, "print every registered name and every study")
    listing.add_argument("--drawings", action="store_true", help="drawings with their options")
    add_configuration(listing)
    checking = add("check", check, "run the contract tests on your own methods", True)
    checking.add_argument("files", type=Path, nargs="+", metavar="FILE")
    checking.add_argument(
        "--seconds", type=positive, default=300, help="time limit of a single check (default 300)"
    )
    text = "keep a reference run in the repository, or write its pages"
    tasks = add("reference", None, text, True).add_subparsers(required=True, metavar="part")
    kept = "store the results of the selected studies, without their blocks"
    written = "compare the stored means with the published values, and write the pages"
    for name, command, text, add_options in (
        ("keep", keep, kept, add_session_options),
        ("pages", write_pages, written, add_configuration),
    ):
        task = tasks.add_parser(name, help=text, description=text)
        task.set_defaults(command=command)
        add_options(task)
        task.add_argument(
            "--folder",
            type=Path,
            default=Path("reference"),
            help="of the reference run (default: reference)",
        )


def add_session_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a request."""
    parser.add_argument("--scale", help="smoke, desk, reference or paper")
    parser.add_argument(
        "--config",
        nargs="+",
        action="extend",
        type=key_and_value,
        default=[],
        metavar="KEY=VALUE",
        help="as of snakemake: studies=losaw_forest function=f3,f5 seeds=40",
    )
    add_configuration(parser)


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Add the option of the configuration's file."""
    parser.add_argument(
        "--configfile",
        type=Path,
        dest="configuration",
        metavar="FILE",
        help="default: config/config.yaml, here or in the checkout of losaw",
    )


def configuration_of(options: argparse.Namespace) -> Path:
    """Return the file that is named, else ``config/config.yaml`` here, else the repository's."""
    if words := other_checkout(Path.cwd()):
        raise LosawError(words)
    if options.configuration is not None:
        return Path(options.configuration)
    for path in (CONFIGURATION, CHECKOUT / CONFIGURATION):
        if path.is_file():
            return path
    raise LosawError(
        f"{CONFIGURATION}: not in this folder; run studies in a clone of the repository, or name "
        "a configuration with --configfile"
    )


def positive(text: str, least: int = 1) -> int:
    """A whole number, 1 or more."""
    if not text.isdecimal() or int(text) < least:
        words = f"{text} is not allowed; ask for a whole number, {least} or more"
        raise argparse.ArgumentTypeError(words)
    return int(text)


def not_negative(text: str) -> int:
    """A whole number, 0 or more."""
    return positive(text, 0)


def key_and_value(text: str) -> tuple[str, str]:
    """``key=value``, as Snakemake's ``--config`` has it."""
    key, sign, value = text.partition("=")
    if not sign or not value:
        raise argparse.ArgumentTypeError(f"{text}: expected key=value")
    return key, value


def session_of(options: argparse.Namespace) -> Any:
    """Return the session that the options of a request describe."""
    from losaw.study.session import Session

    config = [*options.config, *([("scale", options.scale)] if options.scale else [])]
    for key, times in Counter(key for key, _ in config).items():
        if times > 1:
            raise LosawError(f"--config {key}: given twice; a key takes several values: {key}=a,b")
    return Session(configuration_of(options), dict(config))


def plan(options: argparse.Namespace) -> None:
    """Print the cost of a request."""
    from losaw.study.cost import describe_cost
    from losaw.study.rules import check_request

    session = session_of(options)
    check_request(session)
    print(describe_cost(session.plans))


def list_names(options: argparse.Namespace) -> None:
    """Print every registered name and every study, or every drawing with its options."""
    from losaw.study import registry

    titles: list[str] = []
    failure: LosawError | None = None
    try:
        require("study", STUDY)
        configuration = configuration_of(options)
    except (MissingExtraError, LosawError) as error:
        titles.append(f"  {error}")
    else:
        try:
            titles.extend(_titles(configuration))
        except LosawError as error:  # the names help to repair the study file
            failure = error
    if options.drawings:
        require("study", STUDY)
        from losaw.study.report.figures import describe_drawings

        print("\n".join(describe_drawings()))
    else:
        for kind in registry.KINDS:
            print(f"{kind}s")
            for entry in registry.entries(kind):
                print(f"  {entry.name:28} {entry.target}")
        print("\n".join(["studies", *titles]))
    if failure is not None:
        raise failure


def _titles(configuration: Path) -> Iterator[str]:
    """Yield the name and title of every study; reading them loads the plugins."""
    from losaw.study.session import Session

    session = Session(configuration)
    for name in session.available_studies():
        yield f"  {name:28} {session.read_study(name).file.title}"


def verify(options: argparse.Namespace) -> int:
    """Compute random lines of stored evidence again; 1 if rows differ."""
    from losaw.study.verify import read_evidence, verify

    lines = read_evidence(options.reference, options.study)
    configuration = configuration_of(options)
    return verify(lines, configuration, options.sample, options.seed, options.record)


def check(options: argparse.Namespace) -> int:
    """Check files of methods, each check within a time limit; 1 if one fails."""
    from losaw.study.contracts import SKIPPED, check_file

    @contextlib.contextmanager
    def watch(name: str, check: str) -> Iterator[None]:
        print(f"checking {name}: {check}", file=sys.stderr, flush=True)
        with _time_limit(options.seconds):
            yield

    outcomes = [outcome for file in options.files for outcome in check_file(file, watch)]
    for name, check, message in outcomes:
        if check == SKIPPED:
            print(f"{SKIPPED} {name}: {message}")
        else:
            print(f"FAILED {name}: {check}: {message}" if message else f"ok     {name}: {check}")
    return int(any(message and check != SKIPPED for _, check, message in outcomes))


@contextlib.contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    """Let the body fail its check after so many seconds, where the system has alarms."""
    from losaw.study.contracts import ContractError

    def stop(number: int, frame: Any) -> None:
        raise ContractError(
            f"no result within {seconds} s. If it is only slow, give it more time (--seconds)"
        )

    if not hasattr(signal, "SIGALRM"):  # Windows
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(min(seconds, 2**31 - 1))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def keep(options: argparse.Namespace) -> None:
    """Copy summaries, comparisons, tables and main pictures, and list digests of rows."""
    from losaw.study.cost import changes
    from losaw.study.errors import StudyError
    from losaw.study.report.keeping import keep
    from losaw.study.report.page.stored import Shelf
    from losaw.support.sources import digest_of

    session = session_of(options)
    shelf = Shelf(session.outputs, session.folder, session.figures)
    missing = [name for name in session.names if name not in shelf.results]
    if missing:
        raise StudyError(
            f"{session.outputs}: has no results of {', '.join(missing)}; run them first"
        )
    for study_plan in session.plans:
        made_of = shelf.manifest(study_plan.study.name).get("study_file_sha256")
        if any(changes(study_plan)):
            raise StudyError(
                f"{study_plan.folder}: is of another request or code (losaw plan says what "
                "differs); run the study again, and keep that"
            )
        if made_of != digest_of(study_plan.written):
            raise StudyError(
                f"{study_plan.folder}: is of another study file, or of other printed numbers; run "
                "the study again (its blocks stay), and keep that"
            )
    size = keep(shelf, session.names, options.folder)
    print(f"{options.folder}: {size / 1e6:.2f} MB")


def write_pages(options: argparse.Namespace) -> None:
    """Write tables, verdicts and pages of the reference run."""
    from losaw.study.report.keeping import compare_again
    from losaw.study.report.page.front import write_pages
    from losaw.study.report.page.stored import Shelf
    from losaw.study.session import Session

    session = Session(configuration_of(options), trusted=True)  # loads plugins
    shelf = Shelf(options.folder, session.folder)
    compare_again(shelf)
    for page in write_pages(shelf, options.folder / "overview.md"):
        print(page)


def compile_kernels(options: argparse.Namespace) -> None:
    """Compile all kernels."""
    from losaw.commands.warm_up import warm_up

    warm_up()
