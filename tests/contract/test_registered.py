"""Everything that is registered keeps its contract."""

from dataclasses import replace

import pytest

from losaw.study.contracts import SKIPPED, check_entry
from losaw.study.datasets import is_there
from losaw.study.registry import entries, get

BUILT_IN = [entry for entry in entries() if not entry.target.startswith("losaw_plugin_")]
# Six layers and 500 epochs take three times as long as these.
ONE_LAYER = {"n_layers": 1, "width": 8, "n_epochs": 25}
SMALLER = {
    ("knockoff", "deep"): ONE_LAYER,
    ("importance", "cpi-deep"): {"sampler_parameters": ONE_LAYER},
}


def is_long(entry):
    """The R peers start an R process for every call: minutes."""
    return entry.name.startswith("r-") or (entry.kind, entry.name) in SMALLER


@pytest.mark.parametrize(
    "entry",
    [pytest.param(one, marks=pytest.mark.long if is_long(one) else ()) for one in BUILT_IN],
    ids=lambda entry: f"{entry.kind}-{entry.name}",
)
def test_a_registered_thing_keeps_its_contract(entry):
    check(entry)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("knockoff", "deep"), pytest.param("importance", "cpi-deep", marks=pytest.mark.long)],
)
def test_a_smaller_network_keeps_the_contract(kind, name):
    entry = get(kind, name)
    check(replace(entry, parameters={**entry.parameters, **SMALLER[kind, name]}))


def test_the_metrics_that_are_shares_of_decisions_say_so():
    metrics = [entry for entry in BUILT_IN if entry.kind == "metric"]
    said = {entry.name for entry in metrics if entry.load().is_decision}
    assert said == {"rejection_rate", "top_share", "coverage", "rejection"}


def check(entry):
    examples = entry.load().examples if entry.kind == "generator" else ()
    read = [getattr(entry.create(**one), "real_data_set", None) for one in examples]
    missing = [one for one in read if one and not is_there(one)]
    if missing:
        pytest.skip(f"set LOSAW_DATA to the folder of the real data; missing: {missing}")
    outcomes = check_entry(entry)
    assert outcomes
    if outcomes[0].check == SKIPPED:
        pytest.skip(outcomes[0].message)
    assert [outcome for outcome in outcomes if outcome.message] == []
