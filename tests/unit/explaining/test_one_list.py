"""What is said of a table is written from one list of decisions: nothing is stated and denied."""

import json

import numpy as np
import pytest

from losaw.explaining.api import conclude
from losaw.explaining.disagreements import Associations
from losaw.scoring.result import ImportanceResult
from losaw.scoring.tests import nadeau_bengio, t_tests

from .test_decisions import NAMES, RIGHT, WRONG, work

GROUPS = ((), (NAMES,), (("age",),), (("income", "rooms"), ("noise",)), (("rooms", "age"),))
# Sentences that say of all features together, or of one, that nothing is known.
DENIALS = {"none selected", "undecided", "not explained", "together"}


def drawn(rng):
    """A result of eight folds with effects from none to large, and errors of every size."""
    sizes = [-0.01, 0.0, 0.004, 0.02, 0.05, 0.3][: rng.choice([3, 6])]
    means = rng.choice(sizes, 4)
    folds = means + rng.choice([0.001, 0.01, 0.05]) * rng.standard_normal((8, 4))
    mean, error, freedom = nadeau_bengio(folds, 1 / 7)
    raw = t_tests(mean, error, freedom)
    details = {"fold_scores": folds, "raw_p_values": raw, "test_error": error}
    return ImportanceResult(
        mean, NAMES, std_error=error, p_values=raw, details=details,
        degrees_of_freedom=7, std_error_kind="over folds", deviations=(folds - mean) / 8,
    )  # fmt: skip


def table(seed):
    rng = np.random.default_rng(seed)
    groups = GROUPS[seed % len(GROUPS)]
    left_out = {g: float(rng.choice([-0.01, 0.05])) for g in groups if len(g) < 4}
    left_out |= {(name,): float(rng.choice([-0.01, 0.012, 0.05])) for name in NAMES}
    draws = {unit: (WRONG, RIGHT)[int(rng.integers(2))] for unit in left_out}
    made = work(
        drawn(rng), drawn(rng) if seed % 3 == 0 else None, draws, groups, left_out,
        p_value=float(rng.choice([0.001, 0.6])),
    )  # fmt: skip
    if seed % 4 == 0:
        made.results["pfi"] = drawn(rng)
    if seed % 7 == 6:
        del made.results["cpi"]
        made.results["pfi"], made.groups, made.finest = drawn(rng), None, ()
    related = Associations(NAMES, np.eye(4), {})
    return conclude(made.data, made, related, {}, {}, 0.1)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_stated_and_denied(seed):
    found = table(seed)
    text, page, content = found.to_text(), found.to_html(), json.loads(found.to_json())
    frame = found.to_frame().set_index("feature")
    said = {}
    for sentence in found.sentences:
        said.setdefault(sentence.kind, []).append(sentence)
    stated = {u.features for k in ("selected", "statement", "by groups") for u in said.get(k, ())}
    stated = {(name,) for u in said.get("selected", ()) for name in u.features} | {
        unit for unit in stated if len(unit) == 1
    }
    groups = {s.features for s in said.get("statement", ()) if len(s.features) > 1}
    listed = {(tuple(d["features"]), d["verdict"]) for d in content["decisions"]}
    # The headline, the sentences, the table, CSV and JSON have the same features and groups.
    assert (
        stated
        == {(name,) for name in found.selected}
        == {unit for unit, verdict in listed if verdict == "selected"}
    )
    assert {name for name, of in frame["selected"].items() if of} == set(found.selected)
    assert {n for n, of in frame["found"].items() if of == "selected"} == set(found.selected)
    assert groups == {unit for unit, verdict in listed if verdict == "stated"}
    assert len({unit for unit, _ in listed}) == len(listed)
    # What is stated is denied nowhere.
    assert not stated or not DENIALS & set(said)
    assert not groups or not {"undecided", "not explained", "together"} & set(said)
    little = "say little" in text or "not shown to predict unseen rows" in text
    assert not (stated or groups) or not little
    opened = {name for s in said.get("open", ()) for name in s.features}
    assert not opened & set(found.selected)
    for name in found.selected:
        denied = f"{name}: it is not shown", "it is not shown to add anything"
        of_name = [s.text for s in found.sentences if s.text.startswith(f"{name}:")]
        assert not any(words in sentence for words in denied for sentence in of_name)
    # A method that decides has its column.
    deciding = {found.decision.by((name,)) for name in found.selected} - {"tests of groups"}
    assert deciding <= set(frame.columns)
    assert all(f">{label}</th>" in page for label in deciding)
