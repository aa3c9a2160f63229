"""Plain English: expressions that we gave up, in sources, pages and printed text.

Of losaw.
"""

import ast
import re
from pathlib import Path

import pytest

import losaw
from losaw.cli import main
from reference.explaining_tables import mixed

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "losaw"

# What is found -> what to write. Names in code (snake_case, ``literals``) are no prose.
GIVEN_UP = {
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\b(told|tells?|telling) (\w+ ){0,3}(from|apart)\b": "distinguish, separate",
    r"\bbeside\b": "next to, compared with, in addition to",
    r"\bhangs? together\b": "is associated",
    r"\b(in|against|beside|of|from|with|to|than|as) print\b": "the published value",
    r"\bwhoever\b|\bnobody knows\b|\bwho knows where\b": "say who, or leave it out",
    r"\b(is|are) (asked|told) (of|about|for)\b": "needs, requests",
    r"\bheal(s|ed|ing)?\b": "say what is remade",
    r"\bgoes? along with\b|\bbring(s)? along\b": "correlates with, implies",
    r"\bfront door\b": "public functions",
    r"\bon (one's|its|their) own machine\b": "locally",
}
FIRST_WORDS = ("What", "Whether", "Where")
PAGES = sorted(
    path
    for pattern in (
        *("*.md", "docs/*.md", "docs/methods/*.md", "reference/*.md", "reference/*/tables/*.md"),
        *("config/**/*.yaml", "config/*.md", "docs/study/**/*.yaml", "workflow/**/*.*"),
        *("src/**/*.html", "src/**/*.js", "src/**/*.css"),
        *("Snakefile", "Makefile", ".github/**/*.yml"),
    )
    for path in ROOT.glob(pattern)
)
SCRIPTS = sorted(
    path for folder in ("tests", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")
)


def sources():
    return sorted(PACKAGE.rglob("*.py"))


def package_of(path):
    first, *rest = path.relative_to(PACKAGE).parts
    return first if rest else "root"


def prose_of(path):
    """(line number, text) of docstrings, comments and strings of a Python file, or of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield 1, re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", text)
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, re.sub(r"``?[^`]*``?|\b\w+(\.\w+)+", "", node.value)
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("# "):
            yield number, line


def given_up_in(text):
    """The expressions in a text, each with what to write instead."""
    return [
        f"{found[0]!r}: write {instead}"
        for expression, instead in GIVEN_UP.items()
        for found in re.finditer(expression, text)
    ]


def given_up(path):
    """Places of the expressions in a file."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {problem}"
        for number, text in prose_of(path)
        for problem in given_up_in(text)
    ]


def first_lines(path):
    """(line number, first line) of every docstring of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), text.splitlines()[0]


@pytest.mark.parametrize("package", sorted({package_of(path) for path in sources()}))
def test_the_sources_avoid_expressions_that_we_gave_up(package):
    places = [
        place for path in sources() if package_of(path) == package for place in given_up(path)
    ]
    assert places == []


@pytest.mark.parametrize("package", sorted({package_of(path) for path in sources()}))
def test_a_first_line_does_not_begin_with_what_whether_or_where(package):
    lines = [
        f"{path.relative_to(ROOT)}:{number}: {line}"
        for path in sources()
        if package_of(path) == package
        for number, line in first_lines(path)
        if line.split()[0].rstrip(",:") in FIRST_WORDS
    ]
    assert lines == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_pages_avoid_expressions_that_we_gave_up(page):
    assert given_up(page) == []


def test_tests_benchmarks_and_scripts_avoid_expressions_that_we_gave_up():
    assert [place for path in SCRIPTS if path != Path(__file__) for place in given_up(path)] == []


def every_help(capsys, *command):
    """(command, help) of a command and of the commands below it."""
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    text = capsys.readouterr().out
    yield command, text
    if " ..." in text.partition("\n\n")[0]:
        for name in re.findall(r"^    (\w\S*)", text, re.MULTILINE):
            yield from every_help(capsys, *command, name)


def test_the_help_of_every_command_avoids_expressions_that_we_gave_up(capsys):
    texts = dict(every_help(capsys))
    assert {("run",), ("reference", "pages")} <= set(texts)
    assert {command: found for command, text in texts.items() if (found := given_up_in(text))} == {}


def in_words(html):
    return re.sub(r"(?s)<(style|script).*?</\1>|<[^>]+>", " ", html)


def test_what_a_run_prints_and_its_report_avoid_expressions_that_we_gave_up(project, capsys):
    assert main(["run", "--config", str(project.configuration)]) == 0
    for command in ("plan", "status", "verify", "list"):
        main([command, "--config", str(project.configuration)])
    page = (project.results / "report.html").read_text(encoding="utf-8")
    tables = (project.results / "tiny" / "tables" / "table_1.md").read_text(encoding="utf-8")
    assert given_up_in(capsys.readouterr().out + in_words(page) + tables) == []


def test_the_pages_of_a_table_avoid_expressions_that_we_gave_up():
    frame = mixed().head(120)
    explained = losaw.explain(frame, "wage", methods="pfi,loco", folds=3, budget=None)
    audited = losaw.audit(frame, "wage", methods="mdi,pfi", folds=3, rounds=5, budget=None)
    for result in (explained, audited):
        assert given_up_in(in_words(result.to_html()) + str(result)) == []
