"""audit: which method to trust on a table like one's own, from a file to a page."""

import argparse
from pathlib import Path

from losaw.commands.explaining import add_table_options, on_the_table, prefix_of


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of ``losaw audit``."""
    add_table_options(parser, budget="10m")
    parser.add_argument("--rounds", type=int, default=30, help="made responses (default 30)")
    parser.add_argument(
        "--share", type=float,
        help="what can be known of a response, .05 to .95 (default: as of the target)",
    )  # fmt: skip
    parser.add_argument(
        "--signals", type=int, help="features that make a response (default: a third, 5 at most)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="PREFIX",
        help="PREFIX.html, .csv and .json are written (default: FILE_audited)",
    )  # fmt: skip


def audit(options: argparse.Namespace) -> None:
    """Audit the methods on a file's features, print the table and write the page."""
    from losaw.auditing import audit as audited
    from losaw.auditing.result import paths_of

    prefix = prefix_of(options, "audited", paths_of)
    found = on_the_table(
        audited, options, rounds=options.rounds, share=options.share, signals=options.signals
    )
    print(found.to_text())
    print("\n" + "\n".join(f"wrote {path}" for path in found.save(prefix)))
