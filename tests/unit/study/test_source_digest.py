"""A block becomes stale exactly when a source that it depends on changes, on an edited copy.

Of study.source_digests.
"""

import os
import py_compile
import re
import shutil
from pathlib import Path

import pytest

import losaw
from losaw.registry import get
from losaw.study.errors import StudyError
from losaw.study.source_digests import module_source
from losaw.study.source_digests import source_digest as module

FOREST = "losaw.forest:LosawRandomForestRegressor"
# What reaches the growing of trees. CPI with Gaussian knockoffs does not: it reads the trees of any
# fitted forest.
GROWING = {"losaw-forest"}
NAMES = {
    "losaw-forest": ("learner", "losaw-forest"),
    "scikit-learn-forest": ("learner", "scikit-learn-forest"),
    "cpi": ("importance", "cpi-gaussian"),
    "ufi": ("importance", "ufi"),
    "losaw": ("generator", "losaw"),
    "confounder": ("generator", "confounder"),
    "pr_auc": ("metric", "pr_auc"),
    "risk": ("metric", "risk"),
    "gaussian": ("knockoff", "gaussian"),
}


def copied(folder):
    """A copy of the package that the digest reads instead of the real one."""
    copy = folder / "losaw"
    shutil.copytree(
        Path(losaw.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module_source, "PACKAGE", copy)
        module.look_again()
        yield copy
    module.look_again()


@pytest.fixture
def package(tmp_path):
    """A copy that a test may change for good."""
    yield from copied(tmp_path)


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    """A copy in which one place at a time is changed, and changed back."""
    yield from copied(tmp_path_factory.mktemp("edited"))


def digests(moved=lambda target: target):
    return {label: module.source_digest(moved(get(*name).target)) for label, name in NAMES.items()}


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {path}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def stale(package, name, old, new):
    """Labels of the things that an edit makes stale."""
    before = digests()
    text = (package / name).read_text(encoding="utf-8")
    edit(package / name, old, new)
    module.look_again()
    after = digests()
    (package / name).write_text(text, encoding="utf-8")
    module.look_again()
    return {label for label in NAMES if before[label] != after[label]}


def test_every_registered_thing_of_ours_has_a_digest_of_its_own():
    found = digests()
    assert all(found.values())
    assert len(set(found.values())) == len(found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("losaw.forest.growing.partition", "losaw.kernels.rows"),
        ("losaw.generators.losaw", "losaw.generators.decorrelated"),
        ("losaw.metrics.ranking", "losaw.metrics.areas"),
        ("losaw.knockoffs.gaussian", "losaw.knockoffs.normal"),
        ("losaw.importance.conditional_predictive_impact", "losaw.importance.cpi_test"),
    ],
)
def test_moving_a_module_makes_nothing_stale(package, old, new):
    before = digests()
    place = [package.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in (old, new)]
    place[0].rename(place[1])
    whole = re.compile(rf"\b{re.escape(old)}\b")
    parent, _, child = old.rpartition(".")
    new_parent, _, new_child = new.rpartition(".")
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        text = text.replace(
            f"from {parent} import {child}\n", f"from {new_parent} import {new_child}\n"
        )
        path.write_text(whole.sub(new, text), encoding="utf-8")
    module.look_again()
    assert digests(lambda target: whole.sub(new, target)) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("registry/catalogue.py", '    "learner": {\n', '    "learner": {\n        "x": "y:z",\n'),
        ("weighting/checks.py", "eta must be a number", "eta is no number"),
        ("support/words.py", "did you mean", "is it perhaps"),
        ("scoring/display.py", 'else "importance"', 'else "score"'),
        ("forest/diagnostics.py", "import", "import abc\nimport"),
        ("metrics/ranking.py", '"""', '"""Anew. '),
        ("forest/growing/partition.py", "def ", "# why\ndef "),
        ("metrics/risk.py", "\nclass ", "\ndef other():\n    return 2\n\n\nclass "),
    ],
    ids=[
        "catalogue line",
        "error message",
        "spelling of errors",
        "axis label",
        "module of a plot",
        "docstring",
        "comment",
        "unused function",
    ],
)
def test_what_decides_no_number_makes_nothing_stale(edited, name, old, new):
    assert stale(edited, name, old, new) == set()


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("forest/growing/arrays.py", "STACK = 80", "STACK = 81", GROWING),
        ("generators/losaw.py", "N_PILOT = 10_000", "N_PILOT = 10_001", {"losaw"}),
        ("generators/confounder.py", "rng.random(n) < 0.5", "rng.random(n) < 0.4", {"confounder"}),
        ("metrics/risk.py", "range = (", "range = (0.5 -", {"risk"}),
        ("knockoffs/gaussian.py", "_nominal = False", "_nominal = True", {"gaussian"}),
        ("forest/growing/bootstrap.py", "k = 0", "k = 1", GROWING),
    ],
)
def test_a_changed_constant_makes_stale_what_uses_it(edited, name, old, new, expected):
    assert stale(edited, name, old, new) == expected


def test_a_changed_sampler_makes_stale_the_importances_that_name_it(project_free_method):
    method = project_free_method
    assert method("gaussian") != method("sequential")


@pytest.fixture
def project_free_method():
    from losaw.study.design.version import _samplers

    target = get("importance", "cpi-gaussian").target
    return lambda name: _samplers(target, {"sampler": name})


LEARNERS = ("losaw.forest:LosawRandomForestRegressor", "losaw.network:NetworkRegressor")


@pytest.fixture
def next_process(tmp_path, monkeypatch):
    """A folder for the digests of learners, and what a new process reads of the sources."""
    read = []
    parsed = module.reading_of
    monkeypatch.setattr(module, "reading_of", lambda name: read.append(name) or parsed(name))
    monkeypatch.setattr(module, "digest_file", lambda: tmp_path / "digests.json")

    def digests():
        read.clear()
        module._stored.cache_clear()
        return [module.source_digest(target) for target in LEARNERS], bool(read)

    yield tmp_path / "digests.json", digests
    module._stored.cache_clear()


def test_the_next_process_reads_no_source(next_process):
    _, digests = next_process
    (first, has_read), (second, has_read_again) = digests(), digests()
    assert first == second and all(first)
    assert has_read and not has_read_again


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-20],
        lambda text: text.replace("false", "true"),
        lambda text: text.replace("0", "1"),
        lambda text: "[]",
        lambda text: "",
    ],
    ids=["truncated", "altered", "other digits", "a list", "empty"],
)
def test_a_damaged_file_of_digests_is_not_trusted(next_process, damage):
    file, digests = next_process
    first, _ = digests()
    file.write_text(damage(file.read_text()))
    assert digests() == (first, True)


def test_digests_of_another_state_of_the_package_are_not_taken(next_process, monkeypatch):
    _, digests = next_process
    first, _ = digests()
    sources = {**module_source.own_sources(), "losaw.one_more": "x = 1"}
    monkeypatch.setattr(module_source, "own_sources", lambda: sources)
    module_source.state.cache_clear()
    assert digests() == (first, True)
    module_source.state.cache_clear()


def test_a_place_that_cannot_be_written_costs_time_only(next_process, monkeypatch):
    file, digests = next_process
    file.write_text("")
    monkeypatch.setattr(module, "digest_file", lambda: file / "digests.json")
    assert digests() == digests() and digests()[1]


def test_byte_code_of_another_source_is_refused(package):
    path = package / "one_more.py"
    path.write_text("VALUE = 11\n")
    py_compile.compile(str(path), doraise=True)
    status = path.stat()
    path.write_text("VALUE = 22\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(StudyError, match=r"one_more\.py: edited, but with the date .*run the"):
        module.look_again()
