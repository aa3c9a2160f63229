"""Your own methods: check, new-method; and warm-up."""

import argparse


def check(options: argparse.Namespace) -> int:
    """Run the contract tests on a file of methods."""
    from losaw.contracts import check_file

    outcomes = check_file(options.file)
    for name, check, message in outcomes:
        print(
            f"{'ok    ' if not message else 'FAILED'} {name}: {check}{message and ': ' + message}"
        )
    return 1 if any(message for _, _, message in outcomes) else 0


def new_method(options: argparse.Namespace) -> None:
    """Write a starter file."""
    from losaw.contracts import new_method

    new_method(options.kind, options.file)
    print(f"wrote {options.file}; next: losaw check {options.file}")


def warm_up(options: argparse.Namespace) -> None:
    """Compile what is compiled once."""
    from losaw import forest
    from losaw.importance import warm_up

    forest.warm_up()
    warm_up.warm_up()
