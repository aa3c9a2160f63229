"""The commands of the Snakefile's header, and a job for each block with equal bytes."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from losaw.cli import main
from reference.snakemake_runs import NARROW, REPOSITORY, digests, snakemake

HEADER = (REPOSITORY / "Snakefile").read_text("utf-8").partition("from snakemake")[0]
(PART,) = re.findall(r"snakemake (--cores 8 --config .+)", HEADER)


def in_the_checkout(*words):
    command = [str(Path(sys.executable).parent / "snakemake"), *words]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_the_part_of_the_grid_in_the_header_is_planned_by_named_jobs(tmp_path):
    words = [*shlex.split(PART), f"results={tmp_path}"]
    assert "function=f3,f5" in words and "n_samples=500" in words and "seeds=40" in words
    code, text = in_the_checkout("-n", *words)
    assert code == 0, text
    jobs = re.findall(r"^(losaw_forest\.\S+) +1$", text, re.MULTILINE)
    assert jobs and all(re.search(r"[.-]N500[.-]", name) for name in jobs), text


@pytest.mark.long
def test_the_part_of_the_grid_in_the_header_runs(tmp_path):
    words = shlex.split(PART.replace("seeds=40", "seeds=1"))
    folders = [f"results={tmp_path}", f"figures={tmp_path}/figures", "scale=smoke"]
    code, text = in_the_checkout(*words, *folders)
    assert code == 0, text
    blocks = list(tmp_path.glob("losaw_forest/blocks/*/*/*.parquet"))
    assert len(blocks) == 8 and (tmp_path / "report.html").exists()


def test_a_job_for_each_block_gives_the_same_bytes_and_a_block_is_a_target(project):
    config = (*NARROW, "n_samples=30", "jobs=blocks")
    code, text = snakemake(project, "--dry-run", "--quiet", "rules", config=config)
    assert code == 0 and re.search(r"^block +4$", text, re.MULTILINE), text
    words = ["--config", str(project.configuration), "--output", str(project.folder / "whole")]
    assert main(["run", *words, "--set", *NARROW, "--set", "n_samples=30"]) == 0
    batches = digests(project.folder / "whole")
    block = min(name for name in batches if "/blocks/" in name)
    code, text = snakemake(project, config=config, target=f"{project.results}/{block}")
    assert code == 0, text
    made = [path.relative_to(project.results) for path in project.results.rglob("*.parquet")]
    assert [str(path) for path in made] == [block]
    code, text = snakemake(project, config=config)
    assert code == 0 and "3 of 4 blocks to compute" in text, text
    assert digests(project.results) == batches


def test_another_kind_of_job_is_refused(project):
    code, text = snakemake(project, "--dry-run", config=("jobs=block",))
    assert code != 0 and "did you mean 'blocks'" in text and "Traceback" not in text, text
