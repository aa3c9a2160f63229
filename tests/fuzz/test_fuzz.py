"""Whatever a stranger hands over, forests and importances answer or say which argument is wrong.

Hypothesis draws tables, responses and parameters; every call runs in a child process. What must not
happen: a crash, a stuck call, an exception other than ValueError or TypeError, one that names no
argument, NaN or an infinity that nobody announced, a changed input.

``make test`` takes a small share of the cases, ``make test-fuzz`` all of them; both are the same in
every run. ``LOSAW_FUZZ_SEED`` draws others.
"""

import collections
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, seed, settings
from hypothesis import strategies as st

from fuzz.inputs import STRANGE
from fuzz.targets import TARGETS
from fuzz.worker import Caller

GOOD = {"answer", "refused", "no model", "no input"}
FEW = 2
FIXED: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "derandomize": "LOSAW_FUZZ_SEED" not in os.environ,
    "suppress_health_check": list(HealthCheck),
    "print_blob": False,
}
COUNTS: collections.Counter[str] = collections.Counter()


@pytest.fixture(scope="module")
def caller() -> Iterator[Caller]:
    found = Caller()
    yield found
    found.close()
    total = sum(COUNTS.values())
    print(f"\n{total} cases:", ", ".join(f"{n} {kind}" for kind, n in COUNTS.most_common()))


def options_of(name: str) -> Any:
    """Few parameters at a time, each with a value worth trying or a strange one."""
    known = TARGETS[name].options
    if not known:
        return st.just({})
    one = st.sampled_from(sorted(known)).flatmap(
        lambda key: st.tuples(
            st.just(key),
            st.one_of(st.sampled_from(known[key]), st.sampled_from(known[key] + STRANGE)),
        )
    )
    return st.lists(one, max_size=3).map(dict)


@pytest.mark.parametrize("name", sorted(TARGETS))
@pytest.mark.parametrize("share", ["a few", pytest.param("all", marks=pytest.mark.long)])
def test_an_answer_or_an_error_that_names_the_argument(caller, name, share):
    def one_case(recipe: Any, options: dict[str, Any]) -> None:
        outcome = caller(name, recipe, options)
        COUNTS[outcome.kind] += 1
        note(f"{name}({recipe}, {options}) -> {outcome.kind}: {outcome.text}")
        assert outcome.kind in GOOD, f"{outcome.kind}: {outcome.text}"

    cases = given(recipe=TARGETS[name].recipes(), options=options_of(name))(one_case)
    if "LOSAW_FUZZ_SEED" in os.environ:
        cases = seed(int(os.environ["LOSAW_FUZZ_SEED"]))(cases)
    n_cases = TARGETS[name].n_cases if share == "all" else FEW
    settings(max_examples=n_cases, **FIXED)(cases)()
