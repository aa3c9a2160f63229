"""Every registered learner, importance, generator and metric keeps its contract."""

import pytest

from losaw.contracts import check_entry
from losaw.registry import entries

BUILT_IN = [entry for entry in entries() if not entry.target.startswith("losaw_plugin_")]


@pytest.mark.parametrize("entry", BUILT_IN, ids=lambda entry: f"{entry.kind}-{entry.name}")
def test_a_registered_thing_keeps_its_contract(entry):
    outcomes = check_entry(entry)
    assert len(outcomes) > 1
    assert [outcome for outcome in outcomes if outcome.message] == []
