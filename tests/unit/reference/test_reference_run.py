"""Keeping a run, computing blocks of it again, and the pages of it, by the command line.

Of reference.store, reference.recompute, reference.pages, reference.overview, reference.stored,
commands.reference.
"""

import json

import pandas as pd
import pytest

from losaw.cli import main
from losaw.study.results.outputs import write_outputs
from losaw.study.running.runner import execute

CLAIMS = """
paper: "Nobody: On nothing"
title: On nothing
studies: [tiny]
claims:
  - {says: slopes predict, place: Section 1, study: tiny, metric: r2_test, method: plain,
     relation: above, than: -1000}
  - {says: jitter helps, place: Section 2, study: tiny, metric: r2_test, method: jittered,
     relation: above, than: {method: plain}, margin: 1000}
does_not_reproduce: [the weather]
"""


@pytest.fixture
def kept(project, capsys):
    """The tiny project, run with three seeds, and its reference run."""
    session = project.session(seeds=3)
    execute(session.all_blocks, 1)
    write_outputs(session.plans[0])
    folder = project.folder / "reference"
    assert losaw(project, "keep", "--seeds", 3, "--folder", folder) == 0
    capsys.readouterr()
    return folder


def losaw(project, part, *words):
    return main(["reference", part, "--config", str(project.configuration), *map(str, words)])


def verify(project, place, *words):
    return main(["verify", str(place), "--config", str(project.configuration), *map(str, words)])


def test_what_is_kept_names_no_machine_and_counts_what_was_left_out(kept, project):
    manifest = (kept / "tiny" / "manifest.json").read_text()
    assert str(project.folder) not in manifest
    content = json.loads(manifest)
    assert content["fits"] == 24
    cells = pd.read_csv(kept / "tiny" / "comparison.csv")
    whole = pd.read_csv(project.results / "tiny" / "comparison.csv")
    assert 0 < len(cells) == whole["published"].notna().sum() < len(whole)
    assert {path.suffix for path in kept.rglob("*") if path.is_file()} <= {".csv", ".json", ".md"}


def test_blocks_of_the_reference_run_come_out_again_byte_for_byte(kept, project, capsys):
    assert verify(project, kept, "--recompute", 3) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[2] for line in lines[:3]] == ["equal, byte for byte"] * 3
    assert lines[3] == "3 of 3 blocks of 16 are equal, 0 differ, 0 are of another version"


def test_an_altered_block_differs_and_a_changed_method_is_another_version(kept, project, capsys):
    listing = kept / "tiny" / "blocks.csv"
    head, *lines = listing.read_text().splitlines()
    wrong = ["0" * 64] * 2
    altered = [",".join([*line.split(",")[:2], *wrong]) for line in lines]
    listing.write_text("\n".join([head, *altered]) + "\n")
    assert verify(project, kept, "--recompute", 99) == 1
    said = capsys.readouterr().out
    assert "0 of 16 blocks of 16 are equal, 16 differ" in said and "OPENBLAS_CORETYPE" in said
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.4")
    assert verify(project, kept, "--recompute", 99) == 1
    assert "8 differ, 8 are of another version" in capsys.readouterr().out


def test_a_learner_that_another_scale_computes_otherwise_comes_out_again(kept, project, capsys):
    at_desk = "jitter: 0.3, at_scale: {desk: {jitter: 0.1}}"
    project.replace(project.study_file, "jitter: 0.3", at_desk)
    project.replace(project.configuration, "scale: smoke", "scale: desk")
    assert verify(project, kept, "--recompute", 4) == 0
    assert "4 of 4 blocks of 16 are equal" in capsys.readouterr().out


def test_what_was_kept_stays_if_it_cannot_be_kept_anew(kept, project, capsys):
    (project.results / "tiny" / "comparison.csv").unlink()
    assert losaw(project, "keep", "--seeds", 3, "--folder", kept) == 2
    assert "comparison.csv: not there; run `losaw report`" in capsys.readouterr().err
    assert (kept / "tiny" / "summary.csv").exists()


def test_only_what_is_selected_is_kept_and_all_of_it(kept, project, capsys):
    before = {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}
    narrowed = "--seeds", 3, "--set", "learner=jittered"
    # With four seeds the blocks of the third have another name.
    for words, more in ((("--seeds", 4), 15), (("--seeds", 2), 7), (narrowed, 7)):
        assert losaw(project, "keep", *words, "--folder", kept) == 2
        assert f"but not selected, and {more} more; give the" in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}


def run_again(project, learner):
    """Run one learner with another jitter into a folder of its own; the words that keep it."""
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.4")
    words = ["--set", f"learner={learner}", "--seeds", "3", "--output", project.folder / "again"]
    run = ["run", "--config", str(project.configuration), *map(str, words)]
    assert main(run) == 0
    return words


def test_one_learner_is_kept_anew_and_the_others_stay(kept, project, capsys):
    folder = project.folder / "whole"
    stored = kept / "tiny" / "manifest.json"
    before = json.loads(stored.read_text()) | {"commit": "earlier"}
    here, before["machines"]["like"] = before["machines"]["like"], "1; 2"
    stored.write_text(json.dumps(before))
    words = run_again(project, "jittered")
    assert losaw(project, "keep", *words, "--folder", kept) == 0
    # As if both had been run again, and kept together.
    session = project.session(seeds=3)
    execute(session.all_blocks, 1)
    write_outputs(session.plans[0])
    assert losaw(project, "keep", "--seeds", 3, "--folder", folder) == 0
    for path in folder.rglob("*"):
        relative = path.relative_to(folder)
        if path.suffix == ".csv" and path.name != "blocks.csv":
            pd.testing.assert_frame_equal(pd.read_csv(kept / relative), pd.read_csv(path))
        elif path.suffix == ".md":
            assert (kept / relative).read_text() == path.read_text()
    after = json.loads(stored.read_text())
    for key in ("blocks", "fits", "seeds", "joint_laws"):
        assert after[key] == before[key]
    assert after["commits"] == sorted(["earlier", after["commit"]])
    assert after["machines"]["like"] == f"1; 2; {here}"
    plain = "core_seconds_by_learner", "plain"
    assert after[plain[0]][plain[1]] == before[plain[0]][plain[1]]
    assert after["core_seconds"] == pytest.approx(sum(after[plain[0]].values()), abs=0.1)
    capsys.readouterr()
    assert verify(project, kept, "--recompute", 99) == 0
    assert "16 of 16 blocks of 16 are equal" in capsys.readouterr().out


def test_settings_that_a_run_leaves_out_stay(kept, project, capsys):
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.4")
    words = ["--set", "learner=jittered", "--set", "n_samples=30", "--seeds", "3"]
    words += ["--output", project.folder / "again"]
    before = pd.read_csv(kept / "tiny" / "summary.csv")
    cost = json.loads((kept / "tiny" / "manifest.json").read_text())["core_seconds_by_learner"]
    assert main(["run", "--config", str(project.configuration), *map(str, words)]) == 0
    assert losaw(project, "keep", *words, "--folder", kept) == 0
    after = pd.read_csv(kept / "tiny" / "summary.csv")
    assert len(after) == len(before)
    new = (after["n_samples"] == 30) & (after["learner"] == "jittered")
    assert 0 < new.sum() < len(new)
    pd.testing.assert_frame_equal(after[~new], before[~new])
    metric = after["metric"] == "r2_test"
    assert (after["mean"] != before["mean"])[new & metric].all()
    content = json.loads((kept / "tiny" / "manifest.json").read_text())
    assert content["fits"] == 24
    assert content["core_seconds_by_learner"]["plain"] == cost["plain"]
    capsys.readouterr()
    assert verify(project, kept, "--recompute", 99) == 0
    assert "12 of 16 blocks of 16 are equal, 0 differ, 4 are of another version" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("scale", "paper", "of scale 'paper'"),
        ("failed_rows", 1, "some of their fits failed"),
    ],
)
def test_learners_that_cannot_stay_with_a_new_one_are_named(
    kept, project, capsys, key, value, reason
):
    words = run_again(project, "jittered")
    manifest = kept / "tiny" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {key: value}))
    before = {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}
    assert losaw(project, "keep", *words, "--folder", kept) == 2
    assert f"the stored blocks of plain that this run leaves out cannot stay, since {reason}" in (
        capsys.readouterr().err.replace("they are ", "").replace("\n", " ")
    )
    assert before == {path: path.read_bytes() for path in kept.rglob("*") if path.is_file()}


def test_pages_without_claims_are_refused(kept, project, capsys):
    assert losaw(project, "pages", "--folder", kept, "--into", kept) == 2
    assert "holds no file of claims" in capsys.readouterr().err


def test_other_library_versions_leave_rows_equal(kept, project, capsys):
    listing = kept / "tiny" / "blocks.csv"
    head, *lines = listing.read_text().splitlines()
    parts = [line.split(",") for line in lines]
    altered = [",".join([*part[:2], "0" * 64, part[3]]) for part in parts]
    listing.write_text("\n".join([head, *altered]) + "\n")
    assert verify(project, kept) == 0
    assert "equal rows, bit for bit" in capsys.readouterr().out


def test_a_paper_has_a_page_with_its_tables_claims_and_failures(kept, project, capsys):
    claims = project.folder / "config" / "claims"
    claims.mkdir()
    (claims / "nobody.yaml").write_text(CLAIMS)
    (kept / "tiny" / "figures").mkdir()
    (kept / "tiny" / "figures" / "figure_1.png").write_bytes(b"a picture")
    assert losaw(project, "pages", "--folder", kept, "--into", kept) == 0
    page = (kept / "nobody.md").read_text()
    assert page.endswith("## Figures\n\n### figure 1\n\n![figure_1](./tiny/figures/figure_1.png)\n")
    assert "| `tiny` | 3 | 24 of 160 |" in page
    assert "(./tiny/tables/table_1.md)" in page
    row = next(line for line in page.splitlines() if line.startswith("| slopes predict |"))
    assert row.startswith("| slopes predict | Section 1 | `tiny`, r2_test of plain | ")
    assert row.endswith(" above -1e+03 | 4 | 0 | 0 | supported |")
    assert "- the weather" in page
    assert "jitter helps (Section 2): contradicted; n_samples = " in page
    assert "### Agreement in `tiny`" in page


def test_one_page_counts_what_was_run_and_says_what_was_left_out_and_what_fails(kept, project):
    claims = project.folder / "config" / "claims"
    claims.mkdir()
    (claims / "nobody.yaml").write_text(CLAIMS)
    (claims / "else.yaml").write_text("paper: Else\ntitle: Else\nstudies: [other]\n")
    for name in ("tiny_more", "other_one"):
        (project.study_file.parent / f"{name}.yaml").write_text("")
    assert losaw(project, "pages", "--folder", kept, "--into", kept) == 0
    lines = (kept / "overview.md").read_text().splitlines()
    assert "Studies of nobody that were not run: `tiny_more`." in lines
    assert "Studies of else that were not run: `other_one`." in lines
    run = [line for line in lines if line.startswith(("| [nobody]", "| [else]", "| all |"))][:3]
    assert [line.split(" | ")[1:5] for line in run] == [
        ["0", "0", "0", "0"],
        ["1", "16", "24", "160"],
        ["1", "16", "24", "160"],
    ]
    weighed = [line for line in lines if line.startswith(("| nobody |", "| all |"))]
    assert weighed[-2:] == [
        "| nobody | 2 | 1 | 0 | 1 | 0 | 0 | 0 | 0 |",
        "| all | 2 | 1 | 0 | 1 | 0 | 0 | 0 | 0 |",
    ]
    comparison = pd.read_csv(kept / "tiny" / "comparison.csv")
    n_printed = int((~comparison["verdict"].isin(["not printed", "not run"])).sum())
    assert n_printed > 0 and weighed[1].startswith(f"| nobody | {n_printed} | ")
    assert "- jitter helps (Section 2): contradicted (0 for it, 4 against, 0 open)" in lines


def test_a_claim_about_a_method_that_there_is_not_is_refused(kept, project, capsys):
    claims = project.folder / "config" / "claims"
    claims.mkdir()
    (claims / "nobody.yaml").write_text(CLAIMS.replace("jittered,", "jitterd,"))
    assert losaw(project, "pages", "--folder", kept, "--into", kept) == 2
    message = capsys.readouterr().err
    assert "claim 'jitter helps': unknown method 'jitterd'; did you mean 'jittered'" in message


def test_a_study_or_a_folder_that_is_not_there_is_named(kept, project, capsys):
    assert verify(project, kept, "--study", "tyny") == 2
    assert "did you mean 'tiny'" in capsys.readouterr().err
    assert verify(project, kept / "none") == 2
    assert "no such results folder" in capsys.readouterr().err


def test_a_block_that_changed_since_it_was_collected_is_refused(kept, project, capsys):
    session = project.session(seeds=3)
    first, second = (block.path for block in session.all_blocks[:2])
    first.write_bytes(second.read_bytes())
    assert losaw(project, "keep", "--seeds", 3, "--folder", kept) == 2
    assert "has changed since it was collected" in capsys.readouterr().err
    assert (kept / "tiny" / "summary.csv").exists()
