"""check: the contracts of your own methods."""

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
    """Check files of methods, each check within a time limit; 1 if one fails."""
    from losaw.study.contracts import check_file

    @contextlib.contextmanager
    def watch(name: str, check: str) -> Iterator[None]:
        print(f"checking {name}: {check}", file=sys.stderr, flush=True)
        with _time_limit(options.seconds):
            yield

    outcomes = [outcome for file in options.files for outcome in check_file(file, watch)]
    for name, check, message in outcomes:
        print(f"FAILED {name}: {check}: {message}" if message else f"ok     {name}: {check}")
    if any(message for _, _, message in outcomes):
        return 1
    files = ", ".join(map(str, options.files))
    print(f"next: plugins: [{files}] in config/config.yaml, and in a file of config/studies:")
    for registered in dict.fromkeys(name for name, _, _ in outcomes):
        kind, _, name = registered.partition(" ")
        print(f"  {_IN_A_STUDY[kind].format(name=name)}")
    return 0


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
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
