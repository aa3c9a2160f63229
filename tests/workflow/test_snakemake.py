"""The workflow: the same bytes as without Snakemake, through kills, for any number of cores."""

import os
import re
import signal
import subprocess
import time

import pytest
import yaml

from losaw.study.errors import StudyError
from losaw.workflow.rules import Workflow
from reference.snakemake_runs import (
    NARROW,
    REPOSITORY,
    command,
    digests,
    run_without_snakemake,
    snakemake,
)


def test_a_dry_run_plans_every_block_once(project):
    code, text = snakemake(project, "--dry-run", "--quiet", "rules", config=("job_seconds=30",))
    assert code == 0, text
    assert "16 of 16 blocks to compute, in 2 jobs" in text, text
    assert re.search(r"^tiny\.1 +1$", text, re.MULTILINE), text
    assert re.search(r"^tiny\.N60-noise_variance1\.0\.2 +1$", text, re.MULTILINE), text


@pytest.mark.parametrize(("scale", "n_seeds"), [("smoke", 2), ("paper", 250)])
def test_a_dry_run_of_the_real_study_plans_its_blocks(scale, n_seeds):
    from losaw.study.design.request import Request
    from losaw.study.design.session import Session

    overrides = {"scale": scale, "studies": ["losaw_forest"]}
    session = Session(Request(REPOSITORY / "config" / "config.yaml", overrides))
    blocks = [block.name for block in session.all_blocks]
    assert max(block.last for block in blocks) == n_seeds - 1
    assert len({(b.setting, b.learner) for b in blocks}) == {"smoke": 8, "paper": 336}[scale]
    assert len(blocks) < 5000


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("scael=desk", ["unknown key 'scael'", "did you mean 'scale'"]),
        ("scale=dest", ["unknown scale 'dest'", "did you mean 'desk'"]),
        ("studies=tini", ["unknown study 'tini'", "did you mean 'tiny'"]),
        ("n_samples=3O", ["n_samples=3O", "out of the grid", "30, 60"]),
        ("seeds=many", ["seeds", "'many'", "whole number"]),
    ],
)
def test_a_mistake_on_the_command_line_is_told_before_the_first_job(project, mistake, words):
    key, value = mistake.split("=")
    config = yaml.safe_load(project.configuration.read_text()) | {key: yaml.safe_load(value)}
    with pytest.raises(StudyError) as told:
        Workflow(config, project.configuration)
    for word in words:
        assert word in str(told.value)


def test_snakemake_shows_a_mistake_as_one_clear_message(project):
    code, text = snakemake(project, "--dry-run", config=("n_samples=3O",))
    assert code != 0
    assert "Traceback" not in text
    assert "n_samples=3O" in text and "out of the grid" in text, text


def test_two_cores_and_no_snakemake_give_the_same_bytes(finished, tmp_path):
    two = digests(finished.results)
    assert len([name for name in two if "/blocks/" in name]) == 8
    assert {"tiny/comparison.csv", "tiny/tables/table_1.md"} <= two.keys()
    run_without_snakemake(finished, tmp_path / "run")
    assert digests(tmp_path / "run") == two


@pytest.mark.long
def test_one_core_and_two_give_the_same_bytes(finished):
    code, text = snakemake(finished, cores=1, config=(*NARROW, "results=one"))
    assert code == 0, text
    assert digests(finished.folder / "one") == digests(finished.results)


def test_after_a_run_only_what_has_changed_is_made_again(finished):
    project = finished
    code, text = snakemake(project)
    assert code == 0 and "Nothing to be done" in text
    project.replace(project.study_file, "caption: a tiny table", "caption: another")
    code, text = snakemake(project, "--dry-run", "--quiet", "rules")
    assert code == 0
    assert not re.search(r"^tiny\.", text, re.MULTILINE), text
    assert re.search(r"^tables_and_figures_of_tiny +1$", text, re.MULTILINE), text
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.6")
    code, text = snakemake(project, "--dry-run", "--quiet", "rules")
    assert code == 0
    assert "4 of 8 blocks to compute" in text, text


@pytest.mark.long
@pytest.mark.parametrize("forget", [False, True], ids=["unlock", "without .snakemake"])
def test_a_killed_run_resumes_to_the_same_bytes(project, tmp_path, forget):
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.3, pause: 0.3")
    run_without_snakemake(project, tmp_path / "whole")
    target = f"{project.results}/tiny/comparison.csv"
    process = subprocess.Popen(
        command(project, target=target), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not list(project.results.glob("tiny/blocks/**/*.parquet")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (project.results / "report.html").exists()
    if forget:
        subprocess.run(["rm", "-rf", str(project.folder / ".snakemake")], check=True)
    else:
        assert snakemake(project, "--unlock")[0] == 0
    code, text = snakemake(project, target=target)
    assert code == 0, text
    whole = digests(tmp_path / "whole")
    assert len(whole) > 8 and digests(project.results) == whole


def test_a_drawing_that_fails_leaves_the_summary(finished):
    (plugin,) = yaml.safe_load(finished.configuration.read_text())["plugins"]
    # In a file of its own: the blocks do not rest on it.
    broken = finished.folder / "broken.py"
    broken.write_text(
        "from losaw.registry import register\n\n\n"
        '@register("drawing", "broken")\ndef broken(study, results, metrics):\n'
        '    raise ValueError("no ink")\n'
    )
    finished.replace(finished.configuration, plugin, f"{plugin}, {broken}")
    finished.replace(finished.study_file, "drawing: ranking", "drawing: broken")
    code, text = snakemake(finished, "--retries", "0")
    assert code != 0 and "0 of 8 blocks to compute" in text, text
    assert (finished.folder / "results" / "tiny" / "comparison.csv").is_file(), text
    # Its digests do not vouch for what was not drawn.
    code, text = snakemake(finished, "--dry-run", "--quiet", "rules")
    assert re.search(r"^tables_and_figures_of_tiny +1$", text, re.MULTILINE), text
