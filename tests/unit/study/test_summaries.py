"""Summaries, manifests and the last line of a run.

Of study.results.tally, study.results.cell_numbers, study.results.manifest, study.results.summary.
"""

import json
import math
from types import SimpleNamespace

import pandas as pd
import pytest

from losaw.study.results.cell_numbers import kinds_of, pooled_deviation
from losaw.study.results.collect import collect
from losaw.study.results.manifest import manifest
from losaw.study.results.outputs import write_outputs
from losaw.study.results.summary import differences
from losaw.study.results.tally import describe_end
from losaw.study.running.runner import run_block


def test_a_pooled_deviation_weighs_by_degrees_of_freedom():
    found = pooled_deviation(pd.Series([1.0, 2.0, 9.0]), pd.Series([2, 4, 1]))
    assert found == (pytest.approx(math.sqrt((1 * 1 + 3 * 4) / 4)), 4)


def test_a_mean_squared_error_is_no_decision(project):
    study = project.session().studies[0]
    (setting, *_) = study.settings
    row = {"setting_id": setting.identifier, "metric": "r2_test", "method": "plain"}
    frame = pd.DataFrame([row | {"n_seeds": 4, "sd": 0.1}])
    assert not kinds_of(study, frame)["r2_test", "plain"].is_decision


def test_the_last_line_counts_published_values_once(tmp_path):
    verdicts = ["agrees", "agrees", "deviates", "not printed", "not run", "agrees"]
    cells = pd.DataFrame({"verdict": verdicts, "method": list("abcdea"), "published": 0.5})
    cells.to_csv(tmp_path / "comparison.csv", index=False)
    study = SimpleNamespace(file=SimpleNamespace(counted=True))
    said = describe_end([SimpleNamespace(study=study, folder=tmp_path, results=tmp_path)])
    assert "1 study, 3 published values compared (1 deviates, 2 agrees)" in said
    study.file.counted = [{"method": "c"}]
    said = describe_end([SimpleNamespace(study=study, folder=tmp_path, results=tmp_path)])
    assert "1 published values compared (1 deviates)" in said


def test_a_manifest_counts_the_blocks_that_were_asked_for(project):
    project.replace(project.configuration, "max_failed_share: 0.0", "max_failed_share: 1.0")
    plan = project.session().plan("tiny")
    run_block(plan.blocks[0])
    assert manifest(plan, collect(plan))["blocks"] == len(plan.blocks) > 0


def test_the_manifest_of_a_run_without_failures_counts_none(computed):
    (plan,) = computed.session().plans
    write_outputs(plan)
    found = json.loads((plan.folder / "manifest.json").read_text())
    assert (found["failed_rows"], found["missing_blocks"]) == (0, [])
    assert found["fits"] == sum(len(block.seeds) for block in plan.blocks)


def test_every_two_learners_have_paired_differences():
    study = SimpleNamespace(learners=("a", "b", "c"), axes=())
    values = {
        ("a", 0): 1.0,
        ("b", 0): 3.0,
        ("c", 0): 7.0,
        ("a", 1): 2.0,
        ("b", 1): 4.0,
        ("c", 1): 9.0,
    }
    rows = [("s", name, "", seed, "m", value, "ok") for (name, seed), value in values.items()]
    columns = ["setting_id", "learner", "importance", "seed", "metric", "value", "status"]
    collection = SimpleNamespace(
        results=pd.DataFrame(rows, columns=columns), settings=pd.DataFrame({"setting_id": ["s"]})
    )
    listed = differences(study, collection)
    assert listed.index.tolist() == [0, 1, 2]
    found = listed.set_index(["learner", "minus"])
    assert found["difference"].to_dict() == {("b", "a"): 2.0, ("c", "a"): 6.5, ("c", "b"): 4.5}
    assert found.loc[("c", "b"), "mc_se"] == pytest.approx(0.5)


def test_differences_begin_with_who_and_from_whom(computed):
    (plan,) = computed.session().plans
    write_outputs(plan)
    assert list(pd.read_csv(plan.folder / "differences.csv").columns[:2]) == ["learner", "minus"]
