"""Your own methods and studies: check and new."""

import argparse
import contextlib
import signal
import sys
from collections.abc import Iterator
from typing import Any

# What a study file says to use a method, by its kind.
_IN_A_STUDY = {
    "importance": "importances: [{name}]",
    "learner": "learners: {{{name}: {{learner: {name}}}}}",
    "generator": "generator: {{name: {name}}}",
    "metric": "metrics: {{{name}: {{}}}}",
    "drawing": "figures: {{my_figure: {{drawing: {name}, options: {{}}}}}}",
    "knockoff": "importances: {{CPI: {{importance: cpi-gaussian, sampler: {name}}}}}",
}


def check(options: argparse.Namespace) -> int:
    """Run the contract tests on files of methods, each within a time limit."""
    from losaw.contracts import check_file

    @contextlib.contextmanager
    def watch(name: str, check: str) -> Iterator[None]:
        print(f"checking {name}: {check}", file=sys.stderr, flush=True)
        with _time_limit(options.seconds):
            yield

    outcomes = [outcome for file in options.files for outcome in check_file(file, watch)]
    registered = list(dict.fromkeys(name for name, _, _ in outcomes))
    for each in registered:
        _show([(check, message) for name, check, message in outcomes if name == each], each)
    if any(message for _, _, message in outcomes):
        return 1
    files = ", ".join(map(str, options.files))
    print(f"next: plugins: [{files}] in config/config.yaml, and in a file of config/studies:")
    for each in registered:
        kind, _, name = each.partition(" ")
        print(f"  {_IN_A_STUDY[kind].format(name=name)}")
    return 0


@contextlib.contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    """Raise a TimeLimitError in the body after so many seconds, where the system has alarms."""
    from losaw.contracts.outcome import TimeLimitError

    def stop(number: int, frame: Any) -> None:
        raise TimeLimitError(
            f"no result within {seconds} s. If it is only slow, give it more time (--seconds)"
        )

    if not hasattr(signal, "SIGALRM"):  # Windows
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _show(checks: list[tuple[str, str]], name: str) -> None:
    """Report the checks that pass, the first that fails, and those that may fail because of it."""
    failed = [(check, message) for check, message in checks if message]
    for check, message in checks:
        if not message:
            print(f"ok     {name}: {check}")
    if failed:
        print(f"FAILED {name}: {failed[0][0]}: {failed[0][1]}")
    if failed[1:]:
        others = ", ".join(check for check, _ in failed[1:])
        print(f"       {len(failed) - 1} more may follow from it; fix it and check again: {others}")


def new(options: argparse.Namespace) -> None:
    """Write a starter file, or a small project that runs."""
    from losaw.contracts import new_method, new_study
    from losaw.registry import KINDS
    from losaw.support.errors import LosawError
    from losaw.support.words import unknown

    if options.kind not in ("study", *KINDS):
        raise LosawError(unknown("kind", options.kind, ("study", *KINDS)))
    if options.kind == "study":
        for path in new_study(options.path):
            print(f"wrote {path}")
        print(f"next: cd {options.path} && losaw run --jobs 2")
        return
    new_method(options.kind, options.path)
    print(f"wrote {options.path}; next: losaw check {options.path}")
