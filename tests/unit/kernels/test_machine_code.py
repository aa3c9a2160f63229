"""Stored machine code is that of the sources, after any edit and without ``make``."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import losaw
from losaw.kernels import machine_code

PACKAGE = Path(losaw.__file__).parent
CALLEE = """
from losaw.kernels.compiled import inner_kernel
from losaw.kernels.probe_constants import FACTOR

@inner_kernel()
def scaled(x):
    return FACTOR * x + 0.5
"""
CALLER = """
from losaw.kernels.compiled import kernel
from losaw.kernels.probe_callee import scaled

@kernel()
def twice(x):
    return 2.0 * scaled(x)
"""
CALL = "from losaw.kernels.probe import twice; print(twice(1.0))"


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """The kernels folder of a copy of losaw with two small kernels and a constant of theirs."""
    copy = tmp_path_factory.mktemp("copy") / "losaw"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    folder = copy / "kernels"
    (folder / "probe.py").write_text(CALLER)
    (folder / "probe_callee.py").write_text(CALLEE)
    (folder / "probe_constants.py").write_text("FACTOR = 1.0\n")
    return folder


def call(kernels, given=""):
    """Return what the caller gives in a fresh process, and whether anything was compiled."""
    paths = {"PYTHONPATH": str(kernels.parents[1]), "NUMBA_CACHE_DIR": str(given)}
    environment = os.environ | paths | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CALL], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout), "compiling" in done.stderr


def edit(file, old, new):
    """Change a file; its size and its date stay the same."""
    text, status = file.read_text(), file.stat()
    assert text.count(old) == 1 and len(old) == len(new)
    file.write_text(text.replace(old, new))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def stored(kernels):
    """Return the folders of the caller's machine code."""
    return sorted((kernels.parent / "__pycache__" / "kernels").glob("kernels.probe-*"))


def test_an_edit_of_a_callee_or_a_constant_is_compiled_and_of_another_file_is_not(kernels):
    assert call(kernels) == (3.0, True)
    assert call(kernels) == (3.0, False)
    (before,) = stored(kernels)
    edit(kernels / "probe_callee.py", "0.5", "1.5")
    assert call(kernels) == (5.0, True)
    edit(kernels / "probe_constants.py", "1.0", "3.0")
    assert call(kernels) == (9.0, True)
    (after,) = stored(kernels)  # code of earlier sources is removed
    assert after != before
    for other in ("kernels/trees.py", "cli.py"):
        with (kernels.parent / other).open("a") as file:
            file.write("# a comment\n")
    assert call(kernels) == (9.0, False)


def test_a_folder_that_the_user_chooses_holds_the_code_of_each_installation(kernels, tmp_path):
    before = stored(kernels)
    value, is_compiled = call(kernels, tmp_path)
    assert is_compiled and call(kernels, tmp_path) == (value, False)
    (installation,) = tmp_path.iterdir()
    assert installation.name.startswith("losaw-kernels-")
    assert stored(kernels) == before


def test_nothing_is_stored_where_nothing_can_be_written(kernels, tmp_path):
    (tmp_path / "file").touch()
    value, is_compiled = call(kernels, tmp_path / "file")
    assert is_compiled and call(kernels, tmp_path / "file") == (value, True)


def test_a_module_counts_as_compiled_once_machine_code_of_its_present_sources_is_stored(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not machine_code.is_compiled()
    folder = machine_code.folder_of(str(PACKAGE / "forest" / "growing" / "growth.py"))
    assert folder.is_relative_to(tmp_path)
    (folder / "growing").mkdir(parents=True)
    assert not machine_code.is_compiled()
    (folder / "growing" / "growth.nbi").touch()
    assert machine_code.is_compiled()


def test_sources_are_those_that_a_module_imports_directly_or_through_others():
    growth = machine_code.sources(str(PACKAGE / "forest" / "growing" / "growth.py"))
    for name in ("forest/growing/arrays.py", "kernels/compiled.py", "kernels/vectors.py"):
        assert str(PACKAGE / name) in growth
    for name in ("knockoffs/multinomial.py", "data.py", "support/arguments.py"):
        assert str(PACKAGE / name) not in growth


def test_kernels_use_nothing_of_the_packages_that_the_digest_leaves_out():
    used = []
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        if "losaw.kernels.compiled" not in text:
            continue
        tree = ast.parse(text)
        outside = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            and (node.module or "").startswith(machine_code.OUTSIDE)
            for alias in node.names
        } - {"FloatArray"}  # an annotation
        kernels = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            and any("kernel" in ast.unparse(decorator) for decorator in node.decorator_list)
        ]
        assert kernels or path.parent.name == "kernels", path
        for kernel in kernels:
            names = {node.id for node in ast.walk(kernel) if isinstance(node, ast.Name)}
            used += [f"{path}: {kernel.name} uses {name}" for name in names & outside]
    assert used == []


def test_no_source_imports_by_relative_names_which_the_digest_does_not_follow():
    relative = [
        str(path)
        for path in PACKAGE.rglob("*.py")
        if any(line.lstrip().startswith("from .") for line in path.read_text().splitlines())
    ]
    assert relative == []
