"""Blocks whose job fails every attempt: the rest is summarised, and the next run makes it whole."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from losaw.cli import main
from reference.snakemake_runs import digests, run_without_snakemake

REPOSITORY = Path(__file__).resolve().parents[2]

# The whole job dies, not only the child that computes: as when a cluster ends it.
LETHAL = """

@register("learner", "lethal-slopes")
class LethalSlopes(MarginalSlopes):
    def fit(self, X, y):
        import os, pathlib, signal
        if len(X) == 60 and pathlib.Path(__file__).with_name("deadly").exists():
            os.kill(os.getppid(), signal.SIGKILL)
        return super().fit(X, y)
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes by signal")


@pytest.fixture
def lethal(project):
    """The tiny project with one block of eight that dies as long as a file is there."""
    plugin = project.folder / "plugin.py"
    plugin.write_text(plugin.read_text() + LETHAL)
    project.replace(
        project.study_file,
        "jittered: {learner: marginal-slopes,",
        "jittered: {learner: lethal-slopes,",
    )
    project.replace(project.study_file, "boundaries: [2, 5]", "boundaries: [5]")
    (project.folder / "deadly").touch()
    return project


def command(project, *words, share=0.3):
    return [
        str(Path(sys.executable).parent / "snakemake"),
        "--snakefile", os.path.relpath(REPOSITORY / "Snakefile"),
        "--directory", os.path.relpath(project.folder),
        "--workflow-profile", os.path.relpath(REPOSITORY / "profiles" / "default"),
        "--cores", "2",
        *words,
        "--config", "noise_variance=0.5", f"max_failed_share={share}",
    ]  # fmt: skip


def snakemake(project, *words, **options):
    done = subprocess.run(command(project, *words, **options), capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_a_lost_block_is_counted_in_the_summary_and_the_next_run_computes_it_alone(
    lethal, tmp_path
):
    code, text = snakemake(lethal)
    assert code != 0 and "1 of 4 blocks failed" in text, text
    manifest = json.loads((lethal.results / "tiny" / "manifest.json").read_text())
    (missing,) = manifest["missing_blocks"]
    assert re.fullmatch(r"tiny/blocks/60_\S+/jittered/seeds_00000-00004.parquet", missing)
    page = (lethal.results / "report.html").read_text()
    assert f"missing: <code>{missing}</code>" in page
    (log,) = re.findall(rf"<dt>(jobs/tiny\.[\w.-]+\.log)</dt><dd>tells of {missing}</dd>", page)
    assert f"Logs: {lethal.results}/{log}" in text and (lethal.results / log).is_file()
    assert (lethal.results / "tiny" / "tables" / "table_1.md").exists()

    (lethal.folder / "deadly").unlink()
    code, text = snakemake(lethal, f"{lethal.results}/tiny/tables/table_1.md")
    assert code == 0 and "1 of 4 blocks to compute" in text, text
    run_without_snakemake(lethal, tmp_path / "whole")
    assert digests(lethal.results) == digests(tmp_path / "whole")


def test_too_many_missing_blocks_are_refused_with_their_number(computed, capsys):
    next(computed.results.glob("tiny/blocks/60_*/jittered/seeds_00000-*.parquet")).unlink()
    assert main(["report", "--config", str(computed.configuration)]) == 2
    error = capsys.readouterr().err
    words = "0 fits failed and 2 are missing of 40 (5.0%); max_failed_share allows 0.0%"
    assert words in error and "missing: tiny/blocks/60_" in error, error
    assert not (computed.results / "tiny" / "comparison.csv").exists()
    assert not (computed.results / "report.html").exists()


@pytest.mark.long
def test_too_many_lost_blocks_are_refused_with_their_number(lethal):
    code, text = snakemake(lethal, share=0.0)
    assert code != 0
    words = "0 fits failed and 5 are missing of 20 (25.0%); max_failed_share allows 0.0%"
    assert words in text, text
    assert "missing: tiny/blocks/60_" in text
    assert not (lethal.results / "tiny" / "comparison.csv").exists()
    assert not (lethal.results / "report.html").exists()


def heed_interrupts():
    """Interrupts are ignored by what a shell started in the background, and by its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_run_makes_no_summary_of_what_there_is(project):
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.3, pause: 1.0")
    process = subprocess.Popen(
        command(project, share=1.0), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True, preexec_fn=heed_interrupts,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not list(project.results.glob("tiny/blocks/**/*.parquet")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    text, _ = process.communicate(timeout=120)
    assert process.returncode != 0 and "going on without" not in text, text
    assert "interrupted; the same command goes on from the finished blocks" in text
    assert not re.search("RuleException|WorkflowError|Error in rule", text), text
    assert not (project.results / "tiny" / "comparison.csv").exists()
