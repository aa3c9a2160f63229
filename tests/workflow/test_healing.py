"""Missing and damaged files are made again by the command that made them, and by nothing else."""

import importlib.util
import re
from pathlib import Path

import pytest

from losaw.cli import main
from losaw.workflow import is_dry_run

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("workflow_helpers", HERE / "test_snakemake.py")
helpers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(helpers)


def truncate(path):
    path.write_bytes(path.read_bytes()[:-60])


def flip(path):
    content = bytearray(path.read_bytes())
    content[40] ^= 255
    path.write_bytes(content)


def replace_by_a_folder(path):
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("x")


def harm(results):
    """One file of every kind missing, and every kind of damage to blocks and run records."""
    blocks = sorted(results.glob("tiny/blocks/*/*/*.parquet"))
    for damage, block in zip(
        (truncate, flip, replace_by_a_folder, Path.unlink), blocks, strict=False
    ):
        damage(block)
    blocks[5].write_bytes(b"")
    sorted(results.glob("tiny/runs/*/*/*.json"))[6].write_bytes(b"\xff junk")
    for name in ("summary.csv", "blocks.csv", "signs.csv", "tables/table_1.md"):
        (results / "tiny" / name).unlink()


def test_snakemake_makes_again_what_is_missing_or_damaged(project):
    code, text = helpers.snakemake(project)
    assert code == 0, text
    before = helpers.digests(project.results)
    harm(project.results)
    code, text = helpers.snakemake(project, "--dry-run")
    assert code == 0 and "removed" not in text
    code, text = helpers.snakemake(project)
    assert code == 0, text
    assert re.search(r"losaw: removed 2 damaged files", text), text
    assert helpers.digests(project.results) == before
    code, text = helpers.snakemake(project)
    assert code == 0 and "Nothing to be done" in text
    (project.results / "tiny" / "comparison.csv").unlink()
    code, text = helpers.snakemake(project)
    assert code == 0 and helpers.digests(project.results) == before, text


def test_a_run_without_snakemake_makes_again_what_is_missing_or_damaged(project, capsys):
    words = ["--config", str(project.configuration)]
    assert main(["run", *words]) == 0
    before = helpers.digests(project.results)
    harm(project.results)
    assert main(["verify", *words]) == 1
    found = capsys.readouterr().out
    assert "5 findings" in found and "how the block was run is not known" in found
    assert main(["collect", *words]) == 2
    assert "unusable" in capsys.readouterr().err
    assert main(["run", *words]) == 0
    assert helpers.digests(project.results) == before
    assert main(["verify", *words]) == 0


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
