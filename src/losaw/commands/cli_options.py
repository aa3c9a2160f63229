"""The options that describe a session, and the session that is made from them."""

import argparse
from pathlib import Path
from typing import Any

from losaw.support.errors import LosawError

CONFIGURATION = Path("config", "config.yaml")


def default_configuration() -> Path:
    """Return ``config/config.yaml`` of the current folder, or else that of the repository."""
    for path in (CONFIGURATION, Path(__file__).parents[3] / CONFIGURATION):
        if path.is_file():
            return path
    raise LosawError(
        f"{CONFIGURATION}: not in this folder; run studies in a clone of the repository, or name "
        "a configuration with --config"
    )


def add_session_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command on a session takes."""
    add_configuration(parser)
    parser.add_argument(
        "--study", action="append", metavar="NAME", help="default: the configuration's"
    )
    parser.add_argument("--scale", help="smoke, desk, reference or paper")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="AXIS=VALUES",
        help="narrow the grid, e.g. --set function=f3,f5; a number outside of it is run too",
    )
    parser.add_argument(
        "--seeds",
        type=positive,
        help="seeds of every selected setting that the scale runs, instead of its own number",
    )
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="results folder")
    parser.add_argument("--figures-folder", type=Path, metavar="FOLDER")
    parser.add_argument("--plugin", action="append", metavar="FILE", help="your own method's file")
    parser.add_argument(
        "--configure",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any key of the configuration, its value in YAML",
    )


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Add the option of the configuration file."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="default: config/config.yaml, or else the published studies",
    )


def positive(text: str) -> int:
    """A whole number, 1 or more."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not allowed; ask for 1 or more")
    return number


def request_of(options: argparse.Namespace) -> Any:
    """Return the request that the options describe."""
    from losaw.study.design.request import Request, read_overrides, read_selection

    overrides = read_overrides(options.configure)
    named = {
        "studies": options.study,
        "scale": options.scale,
        "results": options.output,
        "figures": options.figures_folder or (options.output and options.output / "figures"),
        "plugins": options.plugin,
    }
    overrides.update({key: value for key, value in named.items() if value is not None})
    configuration = options.config or default_configuration()
    return Request(configuration, overrides, read_selection(options.set), options.seeds)


def session_of(options: argparse.Namespace, trusted: bool = False) -> Any:
    """Return the session that the options describe."""
    from losaw.study.design.session import Session
    from losaw.study.running.jax_programs import keep_jax_programs

    keep_jax_programs()  # for figures that fit a model once more
    return Session(request_of(options), trusted)
