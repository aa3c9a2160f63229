"""Everything that is registered keeps its contract."""

import pytest

from losaw.contracts import check_entry
from losaw.datasets import is_there
from losaw.registry import entries

# The R peers start an R process for every call: minutes.
BUILT_IN = [
    pytest.param(entry, marks=pytest.mark.long if entry.name.startswith("r-") else ())
    for entry in entries()
    if not entry.target.startswith("losaw_plugin_")
]


@pytest.mark.parametrize("entry", BUILT_IN, ids=lambda entry: f"{entry.kind}-{entry.name}")
def test_a_registered_thing_keeps_its_contract(entry):
    if entry.kind == "learner" and entry.name.startswith("r-") and entry.load().unavailable():
        pytest.skip(entry.load().unavailable())
    missing = [one for one in getattr(entry.load(), "data_sets", ()) if not is_there(one)]
    if missing:
        pytest.skip(f"set LOSAW_DATA to the folder of the real data; missing: {missing}")
    outcomes = check_entry(entry)
    assert len(outcomes) > 1
    assert [outcome for outcome in outcomes if outcome.message] == []
