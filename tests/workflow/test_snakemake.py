"""The workflow: what runs again after which edit, damage or kill, and the same bytes always."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest

from losaw.study.block.block_file import begun_path
from reference.in_process import run
from reference.repository import REPOSITORY
from reference.snakemake_runs import NARROW, command, digests, jobs, snakemake

SLICE = "n_samples~30_noise_variance~0.5"


def planned(project, **options):
    code, text = snakemake(project, "--dry-run", **options)
    assert code == 0, text
    return jobs(text), text


def blocks(project):
    return project.results / "smoke" / "tiny" / "blocks"


def files(project):
    """All files but Snakemake's records and Python's byte code of the plugin."""
    records = {".snakemake", "__pycache__"}
    return {path for path in project.folder.rglob("*") if not records & set(path.parts)}


def test_a_dry_run_shows_the_grid_and_writes_nothing(project):
    before = files(project)
    found, text = planned(project, config=())
    assert found == {
        "block": 12, "summary": 1, "tables": 1, "figures": 1, "paper": 1, "report": 1, "all": 1,
        "total": 18,
    }  # fmt: skip
    assert f"wildcards: study=tiny, slice={SLICE}, first=000, last=001" in text
    assert files(project) == before


def test_a_look_at_the_rules_writes_nothing_and_shows_few(finished):
    def content():
        return {path: path.read_bytes() for path in files(finished) if path.is_file()}

    damaged = next(blocks(finished).rglob("*.parquet"))
    damaged.write_bytes(b"damaged")
    before = content()
    code, text = snakemake(finished, "--rulegraph")
    assert code == 0, text
    assert content() == before
    assert 5 <= len(set(re.findall(r'label *= *"(\w+)"', text))) <= 9


def test_a_mistake_on_the_command_line_is_one_message_before_the_first_job(project):
    code, text = snakemake(project, "--dry-run", config=("scael=desk",))
    assert code != 0 and "Traceback" not in text
    assert "unknown key 'scael'" in text and "did you mean 'scale'" in text, text


def test_snakemake_and_one_process_write_the_same_bytes(finished):
    two = digests(finished.results)
    assert len([name for name in two if "/blocks/" in name]) == 4
    folder = finished.folder
    places = {"results": str(folder / "fresh"), "plugins": [str(folder / "plugin.py")]}
    run(finished.session(**places, noise_variance=("0.5",)))
    one = digests(finished.folder / "fresh")
    assert len(one) > 10 and one.items() <= two.items()
    assert (finished.results.parent / "figures/smoke/noise_variance~0.5/tiny/figure_1.png").exists()


def test_after_a_run_exactly_what_another_request_concerns_is_made_again(finished):
    project = finished
    assert "Nothing to be done" in planned(project)[1]
    # A part of what is there is computed from its blocks, and leaves the whole.
    found, text = planned(project, config=(*NARROW, "n_samples=30", "seeds=3"))
    assert found["summary"] == 1 and "block" not in found
    outputs = re.findall(r"^ *output: (.*)$", text, re.MULTILINE)
    assert outputs and all("n_samples~30_noise_variance~0.5_seeds~3/" in one for one in outputs)
    # A parameter that differs by setting concerns the two blocks of that setting; a sixth seed the
    # last block of each.
    lookup = "jitter: {axis: n_samples, values: {30: 0.6, 60: 0.3}}"
    project.edit("jitter: 0.3", lookup)
    found, text = planned(project, config=(*NARROW, "seeds=6"))
    assert found["block"] == 2 + 1 and "Params have changed" in text and "0.6" in text


@pytest.mark.long
def test_rows_are_taken_over_only_of_blocks_that_an_edit_concerns_and_that_is_said(finished):
    """Not of one that is forced or was removed, nor where the command line says so."""
    path = min(blocks(finished).rglob("*.parquet"))
    log = Path(str(path.with_suffix(".log")).replace("/blocks/", "/logs/"))
    target = str(path)
    for value, words, config, is_taken in (
        (0.4, (), (), True),
        (0.5, ("--forcerun", "block"), (), False),
        (0.6, ("--forceall",), (), False),
        (0.7, (), ("reuse=false",), False),
        (0.8, (), (), True),
        (0.9, ("remove",), (), False),
        (0.2, ("begun",), (), True),  # as Snakemake removes a block that fails
    ):
        finished.study_file.write_text(
            re.sub(r"jitter: 0\.\d", f"jitter: {value}", finished.study_file.read_text())
        )
        if words in (("remove",), ("begun",)):
            path.unlink()
            if words == ("begun",):
                begun_path(path).touch()
            words = ()
        code, text = snakemake(finished, *words, config=(*NARROW, *config), target=target)
        assert code == 0, text
        said = "losaw: rows of 1 of 2 methods taken from kept/: plain reported"
        assert (said in log.read_text()) == is_taken, value
        assert ("kept/ (blocks: 1 of 1" in text) == is_taken, text


def test_figures_that_are_lost_or_of_other_numbers_are_drawn_again(finished):
    """Where comparison.csv stays the same, too."""
    folder = finished.folder / "figures/smoke/noise_variance~0.5/tiny"
    shutil.rmtree(folder)
    drawn = {"figures": 1, "paper": 1, "report": 1, "all": 1, "total": 4}
    assert planned(finished)[0] == drawn
    assert snakemake(finished)[0] == 0 and (folder / "figure_1.png").exists()
    summary = finished.results / "smoke/noise_variance~0.5/tiny/summary.csv"
    summary.write_text(summary.read_text() + "\n")  # as a run that was stopped before the figures
    assert planned(finished)[0] == {**drawn, "tables": 1, "total": 5}


def test_one_file_is_a_target_in_a_folder_elsewhere(tmp_path):
    target = (
        "results/smoke/losaw_forest/blocks/"
        "data_type~continuous_n_samples~500_n_features~10_phi~0.1/seeds_000-001.parquet"
    )
    elsewhere = type("Elsewhere", (), {"folder": tmp_path})
    asked = {"config": ("scale=smoke", "studies=losaw_forest"), "target": target}
    file = str(REPOSITORY / "config" / "config.yaml")
    code, text = snakemake(elsewhere, "--dry-run", "--configfile", file, **asked)
    assert code == 0 and jobs(text) == {"block": 1, "total": 1}, text
    code, text = snakemake(elsewhere, "--dry-run", **asked)
    assert code and "has no config/config.yaml; correct --directory" in text


def test_blocks_that_cannot_be_used_are_named_with_the_remedy_and_deleted_ones_are_healed(finished):
    """Without Snakemake's records, which else know of a block of another recipe."""
    whole = digests(finished.results)
    summary = str(finished.results / "smoke" / "noise_variance~0.5" / "tiny" / "summary.csv")
    shutil.rmtree(finished.folder / ".snakemake")
    lookup = "jitter: {axis: n_samples, values: {30: 0.6, 60: 0.3}}"
    finished.edit("jitter: 0.3", lookup)
    *of_another_recipe, damaged, deleted = sorted(blocks(finished).rglob("*.parquet"))
    damaged.write_bytes(damaged.read_bytes()[:-50])
    deleted.unlink()
    for unusable, reason in (
        (of_another_recipe, "another recipe: learners.jittered.parameters.jitter was 0.3, now 0.6"),
        ([damaged], "1 block cannot be used"),
    ):
        code, text = snakemake(finished, target=summary)
        assert code != 0 and reason in text, text
        remedies = re.findall(r"^ *rm (.*)$", text, re.MULTILINE)
        named = {finished.folder / path for line in remedies for path in shlex.split(line)}
        assert named == {*unusable}
        if unusable == of_another_recipe:
            finished.edit(lookup, "jitter: 0.3")
    assert deleted.exists()
    damaged.unlink()
    code, text = snakemake(finished, target=summary)
    assert code == 0, text
    assert digests(finished.results) == whole


@pytest.mark.long
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_an_ended_run_goes_on_to_the_same_bytes(project, by):
    project.edit("jitter: 0.3", "jitter: 0.3, pause: 0.5")
    process = subprocess.Popen(
        command(project), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's & ignores it
    )  # fmt: skip
    deadline = time.monotonic() + 240
    while not list(blocks(project).rglob("*.parquet")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, by)
    assert process.wait() != 0
    if by == signal.SIGKILL:
        assert snakemake(project, "--unlock")[0] == 0
    code, text = snakemake(project)
    assert code == 0, text
    found = digests(project.results)
    run(project.session(results=str(project.folder / "whole"), noise_variance="0.5"))
    whole = digests(project.folder / "whole")
    assert len([name for name in whole if "/blocks/" in name]) == 6
    assert whole.items() <= found.items()


BODIES = {"crashes": "import os; os.abort()", "hangs": "time.sleep(600)"}


@pytest.mark.long
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_learner_that_ends_its_process_loses_its_own_rows_in_the_second_attempt(project, body):
    project.extend_plugin(
        '\n\n@register("learner", "ending")\nclass Ending(MarginalSlopes):\n'
        f"    def fit(self, X, y):\n        {body}\n"
    )
    project.edit("{learner: marginal-slopes, j", "{learner: ending, j")
    limits = "max_failed_share: 1.0\nblock_minutes: 0.1"
    project.replace(project.configuration, "max_failed_share: 0.0", limits)
    code, text = snakemake(project, config=(*NARROW, "n_samples=30", "seeds=2"))
    assert code == 0, text
    folder = project.results / "smoke" / "n_samples~30_noise_variance~0.5_seeds~2" / "tiny"
    assert "'jittered' ended its process" in (folder / "manifest.json").read_text()
    results = pd.read_parquet(folder / "results.parquet")
    assert (results[results["learner"] == "plain"]["status"] == "ok").sum() == 2 * 2
