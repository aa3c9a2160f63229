"""The options that describe a request, in the words of Snakemake's command line."""

import argparse
from pathlib import Path
from typing import Any

from losaw.support.errors import LosawError

CONFIGURATION = Path("config", "config.yaml")


def add_session_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a request."""
    parser.add_argument("--scale", help="smoke, desk, reference or paper")
    parser.add_argument(
        "--config",
        nargs="+",
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


def default_configuration() -> Path:
    """Return ``config/config.yaml`` of the current folder, or else that of the repository."""
    for path in (CONFIGURATION, Path(__file__).parents[3] / CONFIGURATION):
        if path.is_file():
            return path
    raise LosawError(
        f"{CONFIGURATION}: not in this folder; run studies in a clone of the repository, or name "
        "a configuration with --configfile"
    )


def positive(text: str) -> int:
    """A whole number, 1 or more."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not allowed; ask for 1 or more")
    return number


def key_and_value(text: str) -> tuple[str, str]:
    """``key=value``, as Snakemake's ``--config`` has it."""
    key, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text}: expected key=value")
    return key, value


def session_of(options: argparse.Namespace) -> Any:
    """Return the session that the options of a request describe."""
    from losaw.study.session import Session

    config = dict(options.config) | ({"scale": options.scale} if options.scale else {})
    return Session(options.configuration or default_configuration(), config)
