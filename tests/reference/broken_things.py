"""Checking things that are not registered, for the tests of the contracts."""

from dataclasses import dataclass, field
from typing import Any

from losaw.contracts import check_entry, checks_of
from losaw.contracts.outcome import run_checks
from losaw.registry import Entry


@dataclass(frozen=True)
class Local(Entry):
    """An entry that is not in the registry."""

    thing: Any = field(default=None)

    def load(self):
        return self.thing


def failures(kind, thing):
    """Check -> message of the checks that ``thing`` does not pass."""
    outcomes = check_entry(Local(kind, "mine", "nowhere:nothing", {}, thing))
    return {outcome.check: outcome.message for outcome in outcomes if outcome.message}


def assert_found(kind, thing, check, message):
    """The check of this name finds ``thing``; the other checks are not run."""
    alone = [one for one in checks_of(kind) if one.__name__.replace("_", " ") == check]
    outcomes = run_checks(Local(kind, "mine", "nowhere:nothing", {}, thing), alone)
    found = {outcome.check: outcome.message for outcome in outcomes if outcome.message}
    assert check in found, found
    assert message in found[check]
