"""Which edit makes which files again: the list of docs/results.md, a dry run for each line."""

import contextlib
import os
import shutil
from types import SimpleNamespace

import pytest

from losaw.study.datasets import SOURCES
from losaw.study.datasets.files import sha256
from reference.repository import REPOSITORY
from reference.snakemake_runs import NARROW, jobs, snakemake

PAGES = {"paper", "report"}
TABLES, FIGURES = {"tables", *PAGES}, {"figures", *PAGES}
SUMMARY = {"summary", *TABLES, *FIGURES}
CODE = "code/src/losaw/study/"
STUDY, LAWFUL = "config/studies/tiny.yaml", "config/studies/lawful.yaml"

ADDED = "# edited\n"
VERSION = "RAISED: dict[tuple[str, str], int] = {\n"
RAISED = f'{VERSION}    ("metric", "pr_auc"): 2,\n'

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
    "what reads published values": ({CODE + "request/published.py": ADDED}, SUMMARY),
    "a metric's direction": ({CODE + "metrics/of_importances.py": ADDED}, SUMMARY),
    "how tables look": ({CODE + "report/tables.py": ADDED}, TABLES | FIGURES),
    "the style of figures": ({CODE + "report/style.py": ADDED}, FIGURES),
    "a script": ({"code/workflow/scripts/figures.py": ADDED}, FIGURES),
    "how claims are weighed": ({CODE + "claims/weighing.py": ADDED}, PAGES),
    "the page of a paper": ({CODE + "report/page/paper.py": ADDED}, PAGES),
}
# Of studies with a joint law and with real data.
FURTHER = {
    "a law": ({LAWFUL: ("share: 0.5", "share: 0.0")}, {"joint_law", "block", *SUMMARY}),
    "a caption beside a law": ({LAWFUL: ("title: T", "title: U")}, SUMMARY),
    "a version beside a law": (EDITS["a version"][0], {"block", *SUMMARY}),
    "real data": ({"data/fish/Fish.csv": ADDED}, set()),
}
GENERATORS = {
    "lawful": "{name: losaw, data_type: discrete, n_features: 6, phi: 1.0, function: f1, "
    "independent_share: 0.5}\nsettings: {n_samples: [30]}\nmetrics: [pr_auc]",
    "fish": "{name: real-regression, data_set: fish}\nsettings: {fraction: [0.5]}\n"
    "metrics: [r2_test]",
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
        rules = project.folder / CODE / "rules.py"
        project.replace(rules, " self.compile()\n", " pass\n")  # a minute, and none needs it
        text = "figures:\n  figure_1: {drawing: ranking, options: {metrics: [r2_test]}}\n"
        project.study_file.write_text(project.study_file.read_text() + text)
        project.edit("blocks: {seeds: 2}", "blocks: {seeds: 5}")
        project.edit("n_samples: [30, 60]", "n_samples: [30]")
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


@pytest.fixture(scope="module")
def further(checkout):
    """The same after a run of more studies, one with few fish, whose digest its code has."""
    for name, generator in GENERATORS.items():
        file = checkout.study_file.with_name(f"{name}.yaml")
        seeds = {"smoke": 1, "desk": 1, "paper": 1}
        file.write_text(
            f"study: {name}\ntitle: T\ngenerator: {generator}\n"
            "learners: {plain: {learner: marginal-slopes}}\nimportances: [reported]\n"
            f"seeds: {seeds}\n"
        )
    fish = checkout.folder / "data/fish/Fish.csv"
    fish.parent.mkdir(parents=True)
    rows = (f"{9 * n},{n % 7},{n % 5},{n}\n" for n in range(30))
    fish.write_text("Weight,Height,Width,Length1\n" + "".join(rows))
    sources = checkout.folder / CODE / "datasets/sources.py"
    (pinned,) = SOURCES["fish"].files.values()
    checkout.replace(sources, pinned, sha256(fish.read_bytes()))
    code, text = run(checkout, config=("studies=lawful,fish",))
    assert code == 0, text
    return checkout


def run(project, *words, config=NARROW):
    """Run Snakemake in a folder without a configuration, which its option names."""
    elsewhere = SimpleNamespace(folder=project.folder / "elsewhere")
    elsewhere.folder.mkdir(exist_ok=True)
    paths = os.pathsep.join(map(str, (project.folder / "code/src", project.folder)))
    words = *words, "--configfile", str(project.configuration)
    environment = {**os.environ, "PYTHONPATH": paths, "LOSAW_DATA": str(project.folder / "data")}
    code = project.folder / "code"
    return snakemake(elsewhere, *words, code=code, env=environment, config=config)


@contextlib.contextmanager
def edited(file, edit):
    """Edit a file, which keeps its time, as one that is put in its place may have an older one."""
    text, times = file.read_text(), file.stat()
    other = text + edit if isinstance(edit, str) else text.replace(*edit)
    assert other != text

    def put(content):
        file.write_text(content)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    put(other)
    yield
    put(text)


@pytest.mark.parametrize(("edits", "rules"), LINES)
def test_an_edit_makes_exactly_what_it_concerns_again(checkout, edits, rules, config=NARROW):
    with contextlib.ExitStack() as stack:
        for file, edit in edits.items():
            stack.enter_context(edited(checkout.folder / file, edit))
        code, text = run(checkout, "--dry-run", config=config)
    assert code == 0, text
    assert set(jobs(text)) - {"all", "total"} == rules, text


@pytest.mark.long
@pytest.mark.parametrize(("edits", "rules"), FURTHER.values(), ids=FURTHER)
def test_an_edit_makes_a_law_again_if_it_is_another_and_nothing_of_real_data(further, edits, rules):
    config = ("studies=lawful,fish",)
    test_an_edit_makes_exactly_what_it_concerns_again(further, edits, rules, config)
