"""Conventions of Snakemake: lint, format, catalogue entry, README of the configuration, report."""

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from losaw.study.design.schema import Configuration
from losaw.workflow.rules import SHOWN
from reference import snakemake_runs

REPOSITORY = Path(__file__).resolve().parents[2]
RULES = [REPOSITORY / "Snakefile", *sorted((REPOSITORY / "workflow" / "rules").glob("*.smk"))]


def snakemake(*words, cwd=REPOSITORY):
    command = [str(Path(sys.executable).parent / "snakemake"), *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


def test_lint_speaks_under_the_default_profile_and_finds_nothing(project):
    code, text = snakemake_runs.snakemake(project, "--lint")
    assert code == 0 and "Congratulations" in text, text
    assert "Lints for" not in text


def test_lint_shows_what_it_finds_under_the_default_profile(project, tmp_path):
    rules = tmp_path / "Snakefile"
    rules.write_text("rule all:\n    output: 'x'\n    shell: 'touch x'\n")
    profile = REPOSITORY / "profiles" / "default"
    done = snakemake("--lint", "--snakefile", str(rules), "--workflow-profile", str(profile))
    assert done.returncode == 1 and "No log directive defined" in done.stdout + done.stderr


def test_every_rule_has_an_environment_and_a_container():
    rules = "\n".join(path.read_text("utf-8") for path in RULES)
    n_rules = len(re.findall(r"^ *shell:$", rules, re.MULTILINE))
    assert len(re.findall(r"^ *conda:$", rules, re.MULTILINE)) == n_rules == 5
    assert rules.count('"../../environment.yml"') == n_rules
    assert (REPOSITORY / "environment.yml").is_file()
    assert len(re.findall(r"^container: ", rules, re.MULTILINE)) == 1


@pytest.mark.parametrize("method", ["conda", "apptainer"])
def test_a_run_in_an_environment_of_its_own_can_be_planned(project, method):
    if shutil.which(method) is None:
        pytest.skip(f"{method} is not installed")
    code, text = snakemake_runs.snakemake(project, "--dry-run", "--sdm", method)
    assert code == 0, text


def test_the_rules_are_formatted():
    pytest.importorskip("snakefmt", reason="snakefmt is not installed")
    command = [sys.executable, "-m", "snakefmt", "--check", *map(str, RULES)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_catalogue_entry_has_the_keys_of_the_catalogue():
    text = (REPOSITORY / ".snakemake-workflow-catalog.yml").read_text("utf-8")
    entry = yaml.safe_load(text)
    assert set(entry) == {"usage"}
    usage = entry["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    kinds = {"conda", "apptainer", "apptainer+conda"}
    assert set(usage["software-stack-deployment"]) <= kinds
    assert all(isinstance(value, bool) for value in usage["software-stack-deployment"].values())
    # The directives in the rules are what the catalogue says; the report shows outputs.
    rules = "\n".join(path.read_text("utf-8") for path in RULES)
    deployed = {"conda": r"^\s*conda:", "apptainer": r"^\s*container:"}
    for kind, directive in deployed.items():
        found = bool(re.search(directive, rules, re.MULTILINE))
        assert usage["software-stack-deployment"][kind] == found
    assert usage["report"] == ("captioned(" in rules)


def test_what_the_catalogue_looks_for_is_there():
    for name in ("README.md", "LICENSE", "Snakefile", "config/README.md", "config/config.yaml"):
        assert (REPOSITORY / name).is_file(), name


def test_the_readme_of_the_configuration_lists_its_keys():
    text = (REPOSITORY / "config" / "README.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(Configuration.model_fields)


def test_every_caption_is_used_and_there():
    assert set(SHOWN.values()) == {
        path.stem for path in (REPOSITORY / "workflow" / "report").glob("*.rst")
    }


@pytest.mark.long
def test_snakemakes_report_shows_tables_figures_and_our_page(finished):
    report = finished.folder / "report.html"
    code, text = snakemake_runs.snakemake(finished, "--report", str(report))
    assert code == 0, text
    page = html.unescape(report.read_text("utf-8"))
    for file in ("tables/table_1.csv", "figures/figure_1.png", "results/report.html"):
        assert file in page, file
    for caption in ("table", "figure", "page"):
        text = (REPOSITORY / "workflow" / "report" / f"{caption}.rst").read_text("utf-8")
        assert text[:40] in page.replace("<tt>", "``"), caption
