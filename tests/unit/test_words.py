"""Plain English: expressions that we gave up, in sources, pages and printed text.

Of losaw.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "losaw"

# What is found -> what to write. Names in code (snake_case, ``literals``) are no prose.
GIVEN_UP = {
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\b(told|tells?|telling) (\w+ )?(from|apart)\b": "distinguish, separate",
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
    for pattern in ("*.md", "docs/*.md", "docs/methods/*.md", "config/**/*.yaml", "src/**/*.html")
    for path in ROOT.glob(pattern)
)
# Study files and claims whose notes are not rewritten yet; nothing may be added.
PAGES_STILL = {
    "config/claims/cpi.yaml",
    "config/claims/losaw.yaml",
    "config/claims/residual.yaml",
    "config/claims/ufi.yaml",
    "config/studies/cpi_figure5.yaml",
    "config/studies/losaw_discrete_laws.yaml",
    "config/studies/losaw_forest.yaml",
    "config/studies/losaw_network.yaml",
    "config/studies/residual_figure2.yaml",
}


def sources():
    return sorted(PACKAGE.rglob("*.py"))


def package_of(path):
    first, *rest = path.relative_to(PACKAGE).parts
    return first if rest else "root"


def prose_of(path):
    """(line number, text) of docstrings, comments and strings of a Python file, or of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        text = re.sub(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", "", text, flags=re.DOTALL)
        yield 1, text
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, re.sub(r"``?[^`]*``?", "", node.value)
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("# "):
            yield number, line


def given_up(path):
    """Places of the expressions in a file, with what to write instead."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {found[0]!r}: write {instead}"
        for number, text in prose_of(path)
        for expression, instead in GIVEN_UP.items()
        for found in re.finditer(expression, text)
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
    places = given_up(page)
    assert not places or page.relative_to(ROOT).as_posix() in PAGES_STILL, places
