"""Blocks of another version are adopted after a random sample of them was recomputed.

Of study.inspecting.adopt, study.inspecting.comparison, study.inspecting.sampling,
study.files.adoption, reference.adopt_kept, commands.adopting.
"""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, hypergeom

from losaw import registry
from losaw.cli import main
from losaw.reference.pages import _what_was_run
from losaw.reference.store import keep
from losaw.reference.stored import Reference
from losaw.study.errors import StudyError
from losaw.study.files.block_file import read_block
from losaw.study.files.rows import Row, table_of
from losaw.study.inspecting.comparison import compare_rows
from losaw.study.inspecting.sampling import allocate, chance_of_missing, draw
from losaw.study.results.outputs import write_outputs
from losaw.study.running.runner import execute

# Another version of the plugin with the same numbers; with others; with others in one setting.
REFACTORED = ("slopes = np.cov", "slopes = 1.0 * np.cov")
CHANGED = ("slopes = np.cov", "slopes = 1.01 * np.cov")
CHANGED_IN_LARGE = ("slopes = np.cov", "slopes = (1 + 0.01 * (len(X) > 35)) * np.cov")
SLIGHTLY = ("return X @ self.slopes_", "return X @ self.slopes_ * (1 + 1e-5)")


def change_plugin(project, change):
    """Edit the plugin and forget its registrations, as a new process would."""
    project.replace(project.folder / "plugin.py", *change)
    for key, entry in list(registry._entries.items()):
        if entry.target.startswith("losaw_plugin_plugin:"):
            del registry._entries[key]


def adopt(project, capsys, *words):
    code = main(["adopt", "--config", str(project.configuration), *map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def footers(project):
    return [read_block(block.path).footer for block in project.session().all_blocks]


def test_equal_blocks_are_adopted_with_a_statement_and_nothing_is_left_to_run(computed, capsys):
    before = {footer["results_version"] for footer in footers(computed)}
    change_plugin(computed, REFACTORED)
    code, text = adopt(computed, capsys, "--sample", "4", "--sample-seed", "3")
    assert code == 0, text
    assert "4 of 16 blocks (all that was selected) were recomputed" in text
    assert "all equal to the last bit" in text and "12 blocks were taken over" in text
    session = computed.session()
    assert execute(session.all_blocks, 1) == 0
    adopted = [footer for footer in footers(computed) if "adopted" in footer]
    assert len(adopted) == 12
    assert {footer["adopted"][0]["results_version"] for footer in adopted} <= before
    assert before.isdisjoint(footer["results_version"] for footer in footers(computed))
    # 5 % of 16 is one block, and 4 of 16 miss it with probability 3/4 or less.
    assert {json.dumps(footer["adopted"][0]["missed"]) for footer in adopted} == {
        "[[0.01, 1, 0.75], [0.05, 1, 0.75]]"
    }


def test_verify_provenance_manifest_and_page_state_the_adoption(computed, capsys):
    change_plugin(computed, REFACTORED)
    adopt(computed, capsys, "--sample", "4")
    session = computed.session()
    write_outputs(session.plans[0])
    words = ["--config", str(computed.configuration)]
    stated = "12 blocks were computed by another version and adopted: 4 of 16 blocks"
    assert main(["verify", *words]) == 0
    assert stated in capsys.readouterr().out
    main(["provenance", *words, str(computed.results / "tiny" / "summary.csv")])
    assert stated in capsys.readouterr().out
    manifest = json.loads((computed.results / "tiny" / "manifest.json").read_text())
    assert [entry["blocks"] for entry in manifest["adoptions"]] == [12]
    assert main(["report", *words]) == 0
    assert stated in (computed.results / "report.html").read_text()


def test_nothing_is_taken_over_if_one_recomputed_block_differs(computed, capsys):
    before = [block.path.read_bytes() for block in computed.session().all_blocks]
    change_plugin(computed, CHANGED_IN_LARGE)
    code, text = adopt(computed, capsys, "--sample", "16")
    assert code == 1 and text.count("DIFFERS") == 8
    assert "8 of 16 recomputed blocks are equal; 16 blocks NOT adopted" in text
    assert [block.path.read_bytes() for block in computed.session().all_blocks] == before


def test_one_method_is_adopted_while_another_is_not(computed, capsys):
    change = ("+ self.jitter * rng", "+ 1.5 * self.jitter * rng")
    change_plugin(computed, change)
    code, text = adopt(computed, capsys, "--sample", "8", "--each-method")
    assert code == 1
    assert "tiny plain: 4 of 4 recomputed blocks are equal; 8 blocks adopted" in text
    assert "tiny jittered: 0 of 4 recomputed blocks are equal; 8 blocks NOT adopted" in text
    assert len([footer for footer in footers(computed) if "adopted" in footer]) == 4
    code, text = adopt(computed, capsys, "--sample", "4", "--set", "learner=plain")
    assert code == 0 and "nothing to adopt" in text
    assert execute(computed.session().all_blocks, 1) == 8


def test_a_stated_bound_becomes_part_of_the_statement(computed, capsys):
    change_plugin(computed, SLIGHTLY)
    assert adopt(computed, capsys, "--sample", "4", "--within", "1e-9")[0] == 1
    code, text = adopt(computed, capsys, "--sample", "4", "--within", "0.1")
    assert code == 0, text
    assert "none differs by more than the stated 0.1 standard deviations of a run" in text
    adopted = [footer["adopted"][0] for footer in footers(computed) if "adopted" in footer]
    assert len(adopted) == 12
    assert {entry["within"] for entry in adopted} == {0.1}
    assert 0 < adopted[0]["largest"] + 2 * adopted[0]["largest_error"] <= 0.1


def test_the_history_of_repeated_adoptions_stays_and_longer_runs_inherit_it(computed, capsys):
    versions = [{footer["results_version"] for footer in footers(computed)}]
    for change in (REFACTORED, ("1.0 * np.cov", "np.cov")):
        change_plugin(computed, change)
        assert adopt(computed, capsys, "--sample", "2", "--sample-seed", "1")[0] == 0
        versions.append({footer["results_version"] for footer in footers(computed)})
    histories = [footer.get("adopted", []) for footer in footers(computed)]
    assert sorted(map(len, histories)) == [0, 0, *[2] * 14]
    twice = next(history for history in histories if len(history) == 2)
    assert twice[0]["results_version"] in versions[0]
    assert twice[1]["results_version"] in versions[1]
    # More seeds take the adopted rows over, and with them their history.
    computed.replace(computed.study_file, "[2, 5]", "[5]")
    session = computed.session()
    assert execute(session.all_blocks, 1) == 8
    assert all(len(footer["adopted"]) == 2 for footer in footers(computed))


def test_a_block_that_the_study_file_describes_otherwise_is_not_adopted(computed, capsys):
    computed.replace(computed.study_file, "jitter: 0.3", "jitter: 0.4")
    code, text = adopt(computed, capsys, "--sample", "4")
    assert code == 1 and "was computed with another learner" in text
    assert "8 blocks cannot be adopted" in text


def test_bad_requests_are_refused(computed, capsys, tmp_path):
    change_plugin(computed, REFACTORED)
    code, text = adopt(computed, capsys, "--sample", "1")
    assert code == 2 and "2 combinations of study and method" in text
    assert "--within -1" in adopt(computed, capsys, "--sample", "4", "--within", "-1")[1]
    assert "no such folder" in adopt(computed, capsys, tmp_path / "none", "--sample", "4")[1]


@pytest.fixture
def reference(computed, tmp_path):
    """A reference run of the tiny project."""
    plans = computed.session().plans
    write_outputs(plans[0])
    folder = tmp_path / "reference"
    keep(plans, folder)
    return folder


def test_a_reference_run_is_adopted_by_its_digests(computed, reference, capsys):
    change_plugin(computed, REFACTORED)
    code, text = adopt(computed, capsys, reference, "--sample", "4")
    assert code == 0, text
    study = Reference(reference).studies["tiny"]
    session = computed.session()
    here = {str(block.name): block.series.version for block in session.all_blocks}
    assert {kept.file: kept.results_version for kept in study.kept_blocks} == here
    assert sum(bool(kept.adopted) for kept in study.kept_blocks) == 12
    (adoption,) = study.adoptions
    assert adoption["blocks"] == 12 and adoption["n_recomputed"] == 4
    study.manifest["whole"] = {"command": "losaw run", "fits": 24, "core_hours": None}
    (said,) = [line for line in _what_was_run([study]) if "adopted" in line]
    assert said.startswith("`tiny`: 12 blocks were computed by another version")
    code = main(["verify", str(reference), "--config", str(computed.configuration)])
    text = capsys.readouterr().out
    assert code == 0 and "12 blocks were computed by another version and adopted" in text


def test_a_second_adoption_of_a_reference_run_keeps_the_first(computed, reference, capsys):
    for change in (REFACTORED, ("1.0 * np.cov", "np.cov")):
        change_plugin(computed, change)
        assert adopt(computed, capsys, reference, "--sample", "2", "--sample-seed", "1")[0] == 0
    study = Reference(reference).studies["tiny"]
    assert [entry["blocks"] for entry in study.adoptions] == [14, 14]
    assert {len(kept.adopted.split()) for kept in study.kept_blocks} == {0, 2}


def test_a_reference_run_with_other_numbers_stays_as_it_is(computed, reference, capsys):
    before = {path: path.read_bytes() for path in reference.rglob("*.*")}
    change_plugin(computed, CHANGED)
    code, text = adopt(computed, capsys, reference, "--sample", "4")
    assert code == 1 and "0 of 4 recomputed blocks are equal" in text
    assert {path: path.read_bytes() for path in reference.rglob("*.*")} == before
    code, text = adopt(computed, capsys, reference, "--sample", "4", "--within", "0.1")
    assert code == 2 and "a reference run stores none" in text


def test_the_reference_run_of_adopted_results_states_the_adoption(computed, tmp_path, capsys):
    change_plugin(computed, REFACTORED)
    adopt(computed, capsys, "--sample", "4")
    plans = computed.session().plans
    write_outputs(plans[0])
    keep(plans, tmp_path / "reference")
    study = Reference(tmp_path / "reference").studies["tiny"]
    assert [entry["blocks"] for entry in study.adoptions] == [12]
    assert sum(kept.adopted.endswith("/1") for kept in study.kept_blocks) == 12


@pytest.mark.parametrize("n_blocks", [5, 20, 60])
def test_a_break_in_one_setting_of_a_hundred_is_found_as_often_as_the_formula_says(n_blocks):
    # Two methods of 100 settings each; one method is broken in one setting.
    strata = {method: [(method, setting) for setting in range(100)] for method in ("RF", "losawRF")}
    sizes, drawn = [100, 100], allocate([100, 100], n_blocks)
    draws = 2000
    found = sum(("losawRF", 17) in draw(strata, n_blocks, s)["losawRF"] for s in range(draws))
    n_altered, missed = chance_of_missing(sizes, drawn, 0.005)
    assert n_altered == 1
    # The stated probability is that of the stratum with the smaller share drawn.
    shares = [number / 100 for number in drawn]
    assert missed == pytest.approx(1 - min(shares))
    assert binomtest(found, draws, shares[1]).pvalue > 1e-4


def test_with_one_stratum_the_probability_is_hypergeometric():
    for size, drawn, share in [(20, 3, 0.05), (60, 7, 0.1), (7, 7, 0.05), (40, 30, 0.5)]:
        n_altered, chance = chance_of_missing([size], [drawn], share)
        assert n_altered == math.ceil(share * size)
        assert chance == pytest.approx(hypergeom.pmf(0, size, n_altered, drawn), abs=1e-15)


def test_the_stated_probability_is_the_largest_over_all_ways_to_hide_an_error():
    sizes, drawn = [3, 9, 20], [1, 2, 4]
    n_altered, chance = chance_of_missing(sizes, drawn, 0.2)
    ways = (
        way for way in itertools.product(*(range(size + 1) for size in sizes))
        if sum(way) == n_altered
    )  # fmt: skip
    largest = max(
        math.prod(hypergeom.pmf(0, m, k, n) for m, k, n in zip(sizes, way, drawn, strict=True))
        for way in ways
    )
    assert chance == pytest.approx(largest)


def test_a_sample_takes_one_of_each_stratum_and_the_rest_in_proportion():
    assert allocate([1, 3, 100], 3) == [1, 1, 1]
    assert allocate([1, 3, 100], 28) == [1, 1, 26]
    assert allocate([1, 3, 4], 99) == [1, 3, 4]
    with pytest.raises(StudyError, match="there are 3 combinations"):
        allocate([1, 3, 100], 2)


def rows(values, scores=None, status="ok"):
    return table_of(
        "study", "setting", "learner",
        [Row(seed, "", "r2", value, status, scores=scores) for seed, value in enumerate(values)],
    )  # fmt: skip


def test_differences_are_measured_by_seed_in_standard_deviations_of_a_run():
    rng = np.random.default_rng(0)
    old = rng.normal(size=50)
    shift = 0.2 + 0.01 * rng.normal(size=50)
    found = compare_rows(rows(old), rows(old + shift))
    assert found.largest == pytest.approx(shift.mean() / old.std(ddof=1))
    assert found.largest_error == pytest.approx(shift.std(ddof=1) / 50**0.5 / old.std(ddof=1))
    assert found.is_within(0.3) and not found.is_within(0.1) and not found.is_within(None)
    assert compare_rows(rows(old), rows(old)).is_within(None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rows([1.0]), rows([1.1])),
        (rows([1.0, 1.0]), rows([1.0, 1.1])),
        (rows([1.0, 2.0]), rows([1.0, 2.0, 3.0])),
        (rows([1.0, 2.0]), rows([1.0, float("nan")])),
        (rows([1.0, 2.0]), rows([1.0, 2.0], status="failed")),
    ],
)
def test_what_cannot_be_measured_is_within_no_bound(old, new):
    assert not compare_rows(old, new).is_within(1e9)


def test_a_manifest_has_the_numbers_of_blocks_after_each_adoption(computed, capsys):
    change_plugin(computed, REFACTORED)
    adopt(computed, capsys, "--sample", "8", "--set", "learner=plain")
    adopt(computed, capsys, "--sample", "2", "--set", "learner=jittered")
    write_outputs(computed.session().plans[0])
    manifest = json.loads((computed.results / "tiny" / "manifest.json").read_text())
    # All blocks of the first method were recomputed: nothing of it was adopted.
    assert [entry["blocks"] for entry in manifest["adoptions"]] == [6]
    assert len(pd.read_csv(computed.results / "tiny" / "blocks.csv")) == 16
