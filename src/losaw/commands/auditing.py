"""audit: the methods that find known causes on a table, from a file to a page."""

import argparse

from losaw.commands.explaining import add_table_options, on_the_table, prefix_of


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``losaw audit``."""
    add_table_options(parser, "audited", "10m")
    parser.add_argument("--rounds", type=int, default=30, help="simulated responses (default 30)")
    parser.add_argument(
        "--share", type=float,
        help="explainable part of a response, .05 to .95 (default: estimated from the target)",
    )  # fmt: skip
    parser.add_argument(
        "--signals", type=int, help="features that cause a response (default: a third, 5 at most)"
    )


def audit(options: argparse.Namespace) -> None:
    """Audit the methods on a file's features, print the table and write the page."""
    from losaw.auditing import audit as audited

    prefix = prefix_of(options, "audited")
    found = on_the_table(
        audited, options, rounds=options.rounds, share=options.share, signals=options.signals
    )
    print(found.to_text())
    print("\n" + "\n".join(f"wrote {path}" for path in found.save(prefix)))
