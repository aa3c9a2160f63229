"""Which edit makes which files again: the table of docs/results.md, a dry run for each line."""

import contextlib
import os
import shutil
from types import SimpleNamespace

import pytest

from reference.repository import REPOSITORY
from reference.snakemake_runs import jobs, snakemake

PAGES = {"paper", "report"}
TABLES, FIGURES = {"tables", *PAGES}, {"figures", *PAGES}
SUMMARY = {"summary", *TABLES, *FIGURES}
CODE, STUDY = "code/src/losaw/study/", "config/studies/tiny.yaml"

ADDED = "# edited\n"
VERSION = '    ("importance", "sage"): 2'
RAISED = f'    ("metric", "pr_auc"): 2,\n{VERSION}'

# File -> a place in it with its edit, or what is added at its end; and the rules that run.
EDITS = {
    "what makes no file": (
        {
            "config/config.yaml": "\nblock_minutes: 9\n",
            CODE + "report/drawings/boxes.py": ADDED,  # of other studies
            "code/src/losaw/study/importances/permutation.py": ADDED,  # blocks have versions
            "code/workflow/scripts/block.py": ADDED,
            "code/src/losaw/pages/templates/person.css": "/**/\n",
        },
        set(),
    ),
    "a version": ({CODE + "registry/versions.py": (VERSION, RAISED)}, {"block", *SUMMARY}),
    "a module of a plugin": ({"helper/deep.py": ADDED}, {"block", *SUMMARY}),
    "a published value": ({"config/published/tiny.csv": ("plain,0.5", "plain,0.6")}, SUMMARY),
    "a claim": ({"config/claims/tiny.yaml": ("title: T", "title: U")}, PAGES),
    "a verdict": ({CODE + "results/agreement.py": ADDED}, SUMMARY),
    "a drawing": ({CODE + "report/drawings/ranking.py": ADDED}, FIGURES),
    "a style sheet": ({"code/src/losaw/pages/templates/report/report.css": "/**/\n"}, PAGES),
    "the front page": ({CODE + "report/page/front.py": ADDED}, {"report"}),
}
MORE = {
    "a parameter of a learner": ({STUDY: ("jitter: 0.3", "jitter: 0.4")}, {"block", *SUMMARY}),
    "a caption": ({STUDY: ("a tiny table", "another")}, SUMMARY),
    "a limit of failures": ({"config/config.yaml": ("share: 0.0", "share: 0.5")}, SUMMARY),
    "a plugin": ({"plugin.py": ADDED}, {"block", *SUMMARY}),
    "what reads published values": ({CODE + "published.py": ADDED}, SUMMARY),
    "a metric's direction": ({CODE + "metrics/of_importances.py": ADDED}, SUMMARY),
    "how tables look": ({CODE + "report/tables.py": ADDED}, TABLES | FIGURES),
    "the style of figures": ({CODE + "report/style.py": ADDED}, FIGURES),
    "a script": ({"code/workflow/scripts/figures.py": ADDED}, FIGURES),
    "how claims are weighed": ({CODE + "claims/weighing.py": ADDED}, PAGES),
    "the page of a paper": ({CODE + "report/page/paper.py": ADDED}, PAGES),
}
LINES = [
    *(pytest.param(*line, id=name) for name, line in EDITS.items()),
    *(pytest.param(*line, id=name, marks=pytest.mark.long) for name, line in MORE.items()),
]


@pytest.fixture(scope="module")
def checkout(make_project, tmp_path_factory):
    """The tiny project after a run, with a copy of the code in it."""
    with make_project(tmp_path_factory.mktemp("edited") / "project") as project:
        for name in ("Snakefile", "src/losaw", "workflow", "profiles"):
            copy = shutil.copytree if (REPOSITORY / name).is_dir() else shutil.copy2
            (project.folder / "code" / name).parent.mkdir(parents=True, exist_ok=True)
            copy(REPOSITORY / name, project.folder / "code" / name)
        text = "figures:\n  figure_1: {drawing: ranking, options: {metrics: [r2_test]}}\n"
        project.study_file.write_text(project.study_file.read_text() + text)
        project.edit("blocks: {seeds: 2}", "blocks: {seeds: 5}")
        (project.folder / "config/claims").mkdir()
        claims = project.folder / "config/claims/tiny.yaml"
        claims.write_text("paper: P\ntitle: T\nstudies: [tiny]\n")
        (project.folder / "helper").mkdir()
        (project.folder / "helper/__init__.py").write_text("from . import deep\n")
        (project.folder / "helper/deep.py").write_text("SIZE = 1\n")
        project.extend_plugin("\n\ndef later():\n    import helper\n")
        code, text = run(project)
        assert code == 0, text
        yield project


def run(project, *words):
    """Run Snakemake in a folder without a configuration, which its option names."""
    elsewhere = SimpleNamespace(folder=project.folder / "elsewhere")
    elsewhere.folder.mkdir(exist_ok=True)
    paths = os.pathsep.join(map(str, (project.folder / "code/src", project.folder)))
    words = *words, "--configfile", str(project.configuration)
    environment = {**os.environ, "PYTHONPATH": paths}
    return snakemake(elsewhere, *words, code=project.folder / "code", env=environment)


@contextlib.contextmanager
def edited(file, edit):
    text, times = file.read_text(), file.stat()
    file.write_text(text + edit if isinstance(edit, str) else text.replace(*edit))
    assert file.read_text() != text
    yield
    file.write_text(text)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(("edits", "rules"), LINES)
def test_an_edit_makes_exactly_what_it_concerns_again(checkout, edits, rules):
    with contextlib.ExitStack() as stack:
        for file, edit in edits.items():
            stack.enter_context(edited(checkout.folder / file, edit))
        code, text = run(checkout, "--dry-run")
    assert code == 0, text
    assert set(jobs(text)) - {"all", "total"} == rules, text
