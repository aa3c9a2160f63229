"""The command line: everything that needs no Snakemake."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import losaw
from losaw.commands import explaining, studies
from losaw.support.one_thread import use_one_thread
from losaw.support.words import unknown

use_one_thread()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a mistake of the user ends in a message and exit status 2."""
    options = _read(sys.argv[1:] if arguments is None else arguments)
    from losaw.support.errors import LosawError
    from losaw.support.extras import STUDY, MissingExtraError, require

    try:
        if options.needs_study:
            require("study", STUDY)
        return int(options.command(options) or 0)
    except (LosawError, MissingExtraError) as error:
        print(f"losaw: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        ends = dict.fromkeys(("explain", "audit"), "; nothing is written")
        print(f"losaw: interrupted{ends.get(options.command.__name__, '')}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


class Once(argparse.Action):
    """Store a value; of an option that is given twice argparse takes the last, without a word."""

    is_given = False

    def __call__(
        self, parser: Any, namespace: Any, values: Any, option_string: str | None = None
    ) -> None:
        """Store the value, or end with an error."""
        if option_string and self.is_given:
            parser.error(f"argument {option_string}: given twice")
        self.is_given = True
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser that takes an option once, as those of its own commands do."""

    def __init__(self, *of: Any, **more: Any) -> None:
        super().__init__(*of, **more)
        self.register("action", None, Once)


def _read(arguments: Sequence[str]) -> argparse.Namespace:
    """Read a command with its options."""
    parser = argparse.ArgumentParser(
        prog="losaw",
        description="Decorrelated feature importance: studies, tables, figures, your own methods.",
    )
    parser.add_argument("--version", action="version", version=f"losaw {losaw.__version__}")
    commands = parser.add_subparsers(required=True, metavar="command", parser_class=Parser)

    def add(name: str, command: Any, text: str, needs_study: bool = False) -> Any:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=command, needs_study=needs_study)
        return sub

    explaining.add_options_of_explain(
        add("explain", explaining.explain, "explain what a column of a table depends on")
    )
    explaining.add_options_of_audit(
        add("audit", explaining.audit, "find the methods to trust on a table like yours")
    )
    studies.add_commands(add)
    if arguments and not arguments[0].startswith("-") and arguments[0] not in commands.choices:
        parser.error(unknown("command", arguments[0], commands.choices))
    return parser.parse_args(arguments)
