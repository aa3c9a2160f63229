"""The documentation: its Python examples run, its links lead somewhere."""

import doctest
import importlib
import importlib.util
import re
import runpy
import warnings
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import yaml

import losaw
from losaw.study import registry
from losaw.study.datasets import is_there
from losaw.study.registry import get

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/*.md", "docs/methods/*.md")
    for path in ROOT.glob(pattern)
)
# It has a test of its own: its examples need data of another shape.
OWN_TESTS = ("docs/network.md",)
WITH_EXAMPLES = [
    page
    for page in PAGES
    if "```python\n" in (ROOT / page).read_text(encoding="utf-8") and page not in OWN_TESTS
]
GENERATE = runpy.run_path(ROOT / "docs" / "generate.py")


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", WITH_EXAMPLES)
def test_the_examples_of_a_page_run_one_after_the_other_and_print_what_is_shown(page, capsys):
    if page == "docs/start.md" and not is_there("adult"):
        pytest.skip("set LOSAW_DATA to the folder of the real data")
    pattern = r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?"
    examples = re.findall(pattern, text_of(page), re.DOTALL)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4))
    names = {"X": X, "y": X[:, 0] + rng.standard_normal(200), "__name__": "page"}
    for example, shown in examples:
        if "MyModel" not in example:  # stands for the reader's own
            exec(compile(example, page, "exec"), names)
            printed = [_words(line) for line in capsys.readouterr().out.splitlines()]
            missing = [line for line in shown.splitlines() if _words(line) not in printed]
            assert not missing, f"{page} shows lines that its example does not print: {missing}"
    registry.forget("page:")  # what an example registers


def _words(line):
    """The words of a line, its numbers to three digits: the last ones differ by processor."""
    number = re.compile(r"-?\d+(\.\d+)?(e[-+]\d+)?")
    return [f"{float(word):.3g}" if number.fullmatch(word) else word for word in line.split()]


# `make docs` runs all; these take the longest.
LONG = ("plot_noise_that_wins", "plot_which_method_to_trust", "plot_a_table_explained")
GALLERY = [
    pytest.param(path, id=path.stem, marks=pytest.mark.long if path.stem in LONG else ())
    for path in sorted((ROOT / "docs" / "gallery_examples").glob("*.py"))
]


@pytest.mark.parametrize("example", GALLERY)
def test_an_example_of_the_gallery_runs(example):
    matplotlib.use("agg")
    with warnings.catch_warnings():
        exec(compile(example.read_text("utf-8"), example.name, "exec"), {"__name__": "__main__"})
    plt.close("all")


def test_version_and_date_agree_in_citation_and_changelog():
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert citation["version"] == losaw.__version__
    newest = re.search(r"^## (\S+), (\S+)", text_of("CHANGELOG.md"), re.MULTILINE)
    assert newest.groups() == (losaw.__version__, str(citation["date-released"]))


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_the_files_and_names_that_a_page_mentions_are_there(page):
    """`tests/…`, `src/…`, `losaw.package.name`, and the names of `importances: [name]`."""
    text = text_of(page)
    for path in re.findall(
        r"`((?:benchmarks|config|docs|profiles|src|tests|workflow)/[\w./]+)`", text
    ):
        assert (ROOT / path).exists() or path.startswith("docs/_build"), f"{page}: {path}"
    for name in re.findall(r"`(losaw(?:\.\w+)+)`", text):
        module, _, attribute = name.rpartition(".")
        found = importlib.util.find_spec(name) if is_package(module) else None
        assert found or hasattr(importlib.import_module(module), attribute), f"{page}: {name}"
    for listed in re.findall(r"`importances: \[([^\]]*)\]`", text):
        for name in listed.split(","):
            get("importance", name.strip())


def is_package(module):
    return hasattr(importlib.import_module(module), "__path__")


@pytest.mark.parametrize("module", GENERATE["PUBLIC"])
def test_every_public_name_has_an_example_and_the_examples_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    names = GENERATE["public_names"](importlib.import_module(module))
    things = {name: getattr(importlib.import_module(module), name) for name in names}
    without = [name for name, thing in things.items() if ">>> " not in (thing.__doc__ or "")]
    assert without == [], "write an example into the docstring"
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for name, thing in things.items():
        for test in finder.find(thing, name, globs={}):
            said: list[str] = []
            runner.run(test, out=said.append)
            assert said == [], "".join(said)
