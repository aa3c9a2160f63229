"""Every command of every page is run, or checked as far as its cost allows."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from losaw.cli import main
from losaw.study.datasets import is_there
from losaw.study.request.checks import validate
from losaw.study.request.grid import Study
from losaw.study.session import Session

ROOT = Path(__file__).parents[2]
# What is not run here, and where it is.
ELSEWHERE = {
    "pip install": "the long tests of tests/packaging install the wheel with its extras",
    "pre-commit install": "writes into .git; its hooks are those of `make lint`, and codespell",
    "snakemake --unlock": "Snakemake's own",
    "export LOSAW_DATA": "the reader's own path",
}


def fences(page):
    """(language, text) of every fenced block of a page."""
    fence, language, lines = "", "", []
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        mark = re.match(r"\s*(`{3,})(.*)$", line)
        if not fence and mark:
            fence, language, lines = mark[1], mark[2].strip(), []
        elif fence and line.strip() == fence:
            yield language, "\n".join(lines)
            fence = ""
        elif fence:
            lines.append(line)


def commands(page):
    """Commands of a page, without their comments; of the README also those between backticks."""
    text = "\n".join(text for language, text in fences(page) if not language)
    found = [re.sub(r"\s+#.*|…", "", line).strip() for line in text.splitlines()]
    if page.name == "README.md":
        inline = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", page.read_text(encoding="utf-8"))
        # `losaw explain` names a command; one that can be typed has more words.
        found = [c for c in inline if len(c.split()) > 2 and c.split()[0] in CHECKS] + found
    return [command for command in found if command]


def check_losaw(words):
    """Run it; a run of minutes is planned with the same options."""
    if words[0] in ("explain", "audit"):
        words = [*words, "--folds", "3", "--permutations", "1", "--draws", "1", "--budget", "none"]
        words += ["--rounds", "5", "--methods", "mdi,pfi"] if words[0] == "audit" else []
    if words[0] in ("check", "--version"):  # they start processes and load plugins
        done = subprocess.run(
            [sys.executable, "-m", "losaw", *words], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    else:
        assert main(words) == 0


def check_make(words):
    """Only what it would do: `make test` is what runs this."""
    command = ["make", "-n", "-C", str(ROOT), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "scale=smoke"], "scale=smoke: no variable of this Makefile, .*STUDIES"),
        *(
            ([target, given, f"ARGS=--quiet {config}"], "ARGS has --config, which SCALE and")
            for target, given, config in (
                ("run", "SCALE=paper", "--config n_samples=500"),
                ("run", "STUDIES=ufi", "--config=n_samples=500"),
                ("run-slurm", "SCALE=paper", "-C n_samples=500"),
                ("run-slurm", "STUDIES=ufi", "-Cn_samples=500"),
            )
        ),
    ],
    ids=str,
)
def test_what_make_would_not_use_is_refused(words, said):
    command = ["make", "-n", "-C", ROOT, *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and re.search(said, done.stderr)


@pytest.mark.parametrize("more", [["ARGS=--config scale=paper"], ["SCALE=paper", "ARGS=--quiet"]])
def test_one_config_is_what_make_hands_on(more):
    check_make(["run", *more])


def check_snakemake(words):
    """The configuration makes a session; that Snakemake runs it, tests/workflow says."""
    if "--directory" in words:  # tests/contract/test_examples.py runs its study
        assert (Path(words[words.index("--directory") + 1]) / "config" / "config.yaml").is_file()
        return
    if "--workflow-profile" in words:
        assert (ROOT / words[words.index("--workflow-profile") + 1]).is_dir()
    pairs = words[words.index("--config") + 1 :] if "--config" in words else []
    split = (pair.partition("=") for pair in pairs)
    config = {key: yaml.safe_load(value) for key, _, value in split}  # as Snakemake reads them
    assert Session(ROOT / "config" / "config.yaml", config).plans


def check_python(words):
    script, *options = words
    text = (ROOT / script).read_text(encoding="utf-8")
    assert all(option in text for option in options)


CHECKS = {
    "losaw": check_losaw,
    "make": check_make,
    "python": check_python,
    "snakemake": check_snakemake,
}


COMMANDS: dict[str, list[str]] = {}  # each command once, by the first page that has it
for pattern in ("*.md", "docs/*.md", "docs/methods/*.md"):
    for path in sorted(ROOT.glob(pattern)):
        before = [command for found in COMMANDS.values() for command in found]
        new = [command for command in commands(path) if command not in before]
        if new:
            COMMANDS[path.relative_to(ROOT).as_posix()] = new


@pytest.mark.parametrize("page", COMMANDS)
def test_the_commands_of_a_page_run(page, tmp_path, monkeypatch):
    """They find a small table data.csv with a column price."""
    if page == "docs/data.md" and not is_there("boston_housing"):
        pytest.skip("set LOSAW_DATA to the folder of the real data")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    table = np.random.default_rng(0).standard_normal((60, 3))
    price = table[:, 0] + 0.1 * np.arange(60) % 1
    pd.DataFrame({"size": table[:, 0], "age": table[:, 1], "price": price}).to_csv(
        "data.csv", index=False
    )
    for command in COMMANDS[page]:
        if not command.startswith(tuple(ELSEWHERE)):
            program, *words = shlex.split(command)
            CHECKS[program](words)


def test_the_two_lines_for_a_method_of_ones_own_put_it_into_the_ranking(
    tmp_path, plugins_forgotten
):
    plugins, learner = (t for language, t in fences("docs/extending.md") if language == "yaml")
    text = (ROOT / "config" / "studies" / "ranking.yaml").read_text("utf-8")
    text = re.sub("(?m)^plugins: .*", plugins, text)
    text = text.replace("\nimportances:", f"\n{learner}\nimportances:", 1)
    file = tmp_path / "config" / "studies" / "ranking.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    study = Study(file)
    validate(study)
    assert study.method_name("mine", "shuffled-loss") in study.methods
