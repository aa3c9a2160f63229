"""Missing and damaged files are made again by the command that made them, and by nothing else."""

import json
import re
from pathlib import Path

import pytest

from losaw.cli import main
from losaw.study.design.snakemake_call import forced, is_dry_run
from reference import snakemake_runs

MADE = (
    "tiny/comparison.csv", "tiny/summary.csv", "tiny/settings.csv", "tiny/blocks.csv",
    "tiny/agreement.csv", "tiny/signs.csv", "tiny/differences.csv", "tiny/results.parquet",
    "tiny/scores.parquet", "tiny/manifest.json", "tiny/tables/table_1.md",
    "tiny/tables/table_1.csv", "tiny/tables/table_1.tex", "figures/figure_1.pdf",
    "figures/figure_1.png", "report.html",
)  # fmt: skip


def truncate(path):
    path.write_bytes(path.read_bytes()[:-60])


def empty(path):
    path.write_bytes(b"")


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)


def append(path):
    path.write_bytes(path.read_bytes() + b"\n# edited by hand\n")


def junk(path):
    path.write_bytes(b"\xff junk")


def replace_by_a_folder(path):
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("x")


def listed(path):
    path.write_text("[1, 2]")


def wrongly_typed(path):
    written = json.loads(path.read_text())
    path.write_text(json.dumps({**written, "seconds": "many"}))


def harm_blocks_and_records(results):
    """Every kind of damage to blocks and to run records; what was harmed."""
    blocks = sorted(results.glob("tiny/blocks/*/*/*.parquet"))
    records = sorted(results.glob("tiny/runs/*/*/*.json"))
    on_blocks = (Path.unlink, truncate, empty, flip, replace_by_a_folder)
    on_records = (Path.unlink, junk, empty)
    for damage, path in zip(on_blocks, blocks, strict=False):
        damage(path)
    for damage, path in zip(on_records, records[len(on_blocks) :], strict=True):
        damage(path)
    return [*blocks[: len(on_blocks)], *records[len(on_blocks) :]]


def digests(results):
    """All results, without what says how blocks were run and names seconds."""
    found = snakemake_runs.digests(results)
    for path in results.glob("figures/*"):
        found[path.name] = path.read_bytes()
    return found


def test_snakemake_makes_again_what_is_missing_or_damaged(finished):
    results = finished.results
    before = digests(results)
    assert {name for name in MADE if not (results / name).exists()} == set()
    harm_blocks_and_records(results)
    # One in two is lost, the others are edited: with the digests of what was written, all kinds.
    notes = [path.relative_to(results).as_posix() for path in sorted((results / "made").iterdir())]
    for index, name in enumerate([*MADE, *notes]):
        (Path.unlink if index % 2 else append)(results / name)
    for path in sorted((finished.folder / ".snakemake" / "metadata").rglob("*"))[:2]:
        junk(path)
    code, text = snakemake_runs.snakemake(finished, "--dry-run", "--quiet", "rules")
    assert code != 0 or "again" not in text
    code, text = snakemake_runs.snakemake(finished, "--forcerun", "report")
    assert code == 0, text
    assert "8 of 8 blocks to compute" in text, text
    assert len(re.findall("missing or damaged files are computed again", text)) == 2, text
    assert digests(results) == before
    assert all((results / name).exists() for name in [*MADE, *notes])
    code, text = snakemake_runs.snakemake(finished)
    assert code == 0 and "Nothing to be done" in text, text


@pytest.mark.parametrize(
    "remove",
    [
        pytest.param(False, id="run", marks=pytest.mark.long),
        pytest.param(True, id="verify --remove"),
    ],
)
def test_a_run_without_snakemake_makes_again_what_is_missing_or_damaged(drawn, capsys, remove):
    words = ["--config", str(drawn.configuration)]
    narrow = [*words, "--set", "noise_variance=0.5"]
    results = drawn.results
    assert main(["run", *narrow]) == 0
    before = digests(results)
    assert main(["verify", *narrow]) == 0
    harmed = harm_blocks_and_records(results)
    for index, name in enumerate(MADE):
        (Path.unlink if (index + remove) % 2 else append)(results / name)
        harmed.append(results / name)
    capsys.readouterr()
    assert main(["verify", *narrow, *["--remove"] * remove]) == (0 if remove else 1)
    found = capsys.readouterr().out
    # A block that is not there is counted as not run.
    assert [path for path in harmed[1:] if f"{path}: " not in found] == [], found
    assert "1 have not been run" in found
    assert main(["run", *narrow]) == 0
    assert digests(results) == before
    assert main(["verify", *narrow]) == 0
    capsys.readouterr()
    assert main(["run", *narrow]) == 0
    assert digests(results) == before


@pytest.mark.parametrize(
    "damage",
    [
        wrongly_typed,
        *(pytest.param(f, marks=pytest.mark.long) for f in (junk, empty, listed)),
        pytest.param(replace_by_a_folder, marks=pytest.mark.long),
    ],
)
def test_a_damaged_run_record_is_refused_by_name_and_made_again(drawn, capsys, damage):
    words = ["--config", str(drawn.configuration), "--set", "noise_variance=0.5"]
    words += ["--set", "n_samples=30"]
    assert main(["run", *words]) == 0
    record, *others = sorted(drawn.results.glob("tiny/runs/*/*/*.json"))
    untouched = [path.stat().st_mtime_ns for path in others]
    damage(record)
    capsys.readouterr()
    assert main(["report", *words]) == 2
    assert f"{record}: is damaged" in capsys.readouterr().err
    assert main(["verify", *words]) == 1
    assert f"{record}: is damaged" in capsys.readouterr().out
    assert main(["run", *words]) == 0
    again = json.loads(record.read_text())
    assert again["taken_over_seeds"] == len(again["seconds"])
    assert [path.stat().st_mtime_ns for path in others] == untouched
    assert main(["verify", *words]) == 0


@pytest.mark.parametrize("name", ["comparison.csv", "summary.csv", "manifest.json"])
@pytest.mark.parametrize("forget", [False, True], ids=["edited", "digests deleted too"])
def test_an_edited_file_never_reaches_the_report(drawn, capsys, name, forget):
    words = ["--config", str(drawn.configuration), "--set", "noise_variance=0.5"]
    assert main(["run", *words]) == 0
    page = drawn.results / "report.html"
    before, file = page.read_bytes(), drawn.results / "tiny" / name
    content = file.read_text()
    file.write_text(content.replace("0.", "0.9", 3).replace("smoke", "paper"))
    if forget:
        (drawn.results / "made" / "tiny.sha256").unlink()
    page.unlink()
    capsys.readouterr()
    assert main(["report", *words]) == 0
    if name != "manifest.json":  # which names the command
        assert page.read_bytes() == before and file.read_text() == content
    # Another study's report leaves an edited study out.
    assert "paper" not in file.read_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["snakemake", "-n"], True),
        (["snakemake", "--dry-run", "--cores", "2"], True),
        (["snakemake", "-np"], True),
        (["snakemake", "--dryrun"], True),
        (["snakemake", "--cores", "2", "--config", "scale=smoke"], False),
        (["snakemake", "-c2", "--rerun-incomplete"], False),
    ],
)
def test_a_dry_run_is_told_from_a_run(words, expected):
    assert is_dry_run(words) is expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["snakemake", "-F"], None),
        (["snakemake", "--forceall", "-c2"], None),
        (["snakemake", "-nF"], None),
        (["snakemake", "-R", "tiny.N30.1", "--cores", "2"], {"tiny.N30.1"}),
        (["snakemake", "--forcerun", "report", "x.1"], {"report", "x.1"}),
        (["snakemake", "-R", "report", "--until", "x.1"], {"report"}),
        (["snakemake", "--force", "a.parquet"], {"snakemake", "--force", "a.parquet"}),
        (["snakemake", "--cores", "2", "a.parquet"], set()),
    ],
)
def test_the_forced_rules_and_files_are_read_from_the_command(words, expected):
    assert forced(words) == expected
