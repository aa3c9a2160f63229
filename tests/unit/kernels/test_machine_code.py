"""Stored machine code is that of the sources, after any edit and without ``make``."""

import ast
import importlib
import os
import shutil
from pathlib import Path

import pytest

import losaw
from losaw.kernels import machine_code
from reference.fresh_python import fresh_python

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


def call(kernels, given="", **variables):
    """Return what the caller gives in a fresh process, and whether anything was compiled."""
    paths = {"PYTHONPATH": str(kernels.parents[1]), "NUMBA_CACHE_DIR": str(given)}
    done = fresh_python(CALL, **(paths | {"PYTHONDONTWRITEBYTECODE": "1"} | variables))
    return float(done.stdout), "compiling" in done.stderr


def edit(file, old, new):
    """Change a file; its size and its date stay the same."""
    text, status = file.read_text(), file.stat()
    assert text.count(old) == 1 and len(old) == len(new)
    file.write_text(text.replace(old, new))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def stored(kernels):
    """Return the folders of machine code of the copy."""
    return sorted((kernels.parent / "__pycache__" / "kernels").glob("losaw-*"))


def compiled(kernels):
    """Return the folder of machine code of the present sources, which is made where it is not."""
    if not stored(kernels):
        call(kernels)
    (own,) = stored(kernels)
    return own


def test_an_edit_of_a_callee_or_a_constant_is_compiled_and_of_another_file_is_not(kernels):
    assert call(kernels) == (3.0, True)
    (before,) = stored(kernels)
    edit(kernels / "probe_callee.py", "0.5", "1.5")
    assert call(kernels) == (5.0, True)
    edit(kernels / "probe_constants.py", "1.0", "3.0")
    assert call(kernels) == (9.0, True)
    (after,) = stored(kernels)  # code of earlier sources is removed
    assert after != before
    with (kernels.parent / "cli.py").open("a") as file:
        file.write("# a comment\n")
    assert call(kernels) == (9.0, False)


def test_code_for_two_processors_lies_apart(kernels):
    own = compiled(kernels)
    (before,) = own.iterdir()
    assert before.name != "nehalem" and call(kernels, NUMBA_CPU_NAME="nehalem")[1]
    assert {*own.iterdir()} == {before, own / "nehalem"}


def test_the_machine_code_in_a_copy_of_a_checkout_does_not_count_as_its_own(kernels, tmp_path):
    first = compiled(kernels)
    shutil.copytree(kernels.parents[1], tmp_path / "copy")
    copied = tmp_path / "copy" / "losaw" / "kernels"
    assert call(copied)[1]
    (own,) = stored(copied)  # Snakemake looks into the folder's name
    assert own.name != first.name


def test_a_folder_that_the_user_chooses_holds_the_code_of_each_installation(kernels, tmp_path):
    before = stored(kernels)
    assert call(kernels, tmp_path)[1]
    (installation,) = tmp_path.iterdir()
    assert installation.name.startswith("losaw-kernels-") and list(installation.rglob("*.nbi"))
    assert stored(kernels) == before


def test_nothing_is_stored_where_nothing_can_be_written(kernels, tmp_path):
    before = stored(kernels)
    (tmp_path / "file").touch()
    assert call(kernels, tmp_path / "file")[1]
    assert stored(kernels) == before


def test_the_package_counts_as_compiled_once_machine_code_of_its_present_sources_is_stored(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not machine_code.is_compiled()
    folder = machine_code.folder(str(tmp_path))
    assert folder.is_relative_to(tmp_path)
    (folder / "growing").mkdir(parents=True)
    assert not machine_code.is_compiled()
    (folder / "growing" / "growth.grow_trees-1.nbi").touch()
    assert machine_code.is_compiled()


def test_without_a_home_nothing_is_stored_and_nothing_fails(monkeypatch):
    def unknown():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(machine_code.Path, "home", unknown)
    monkeypatch.setattr(machine_code.os, "access", lambda *of: False)
    assert machine_code.folder("") is None and not machine_code.is_compiled()
    assert machine_code.writable_folder.__wrapped__("") is None


def test_what_kernels_use_of_other_modules_is_in_the_digest():
    used = []
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        if "losaw.kernels.compiled" not in text:
            continue
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        imported = {
            alias.asname or alias.name: PACKAGE.parent.joinpath(*(node.module or "").split("."))
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("losaw.")
            for alias in node.names
        }
        for kernel in vars(importlib.import_module(name)).values():
            function = getattr(kernel, "py_func", None)
            if function is None or function.__module__ != name:
                continue
            for word in imported.keys() & set(function.__code__.co_names):
                source = imported[word]
                if source.is_relative_to(PACKAGE / "kernels"):
                    continue
                if "losaw.kernels" not in source.with_suffix(".py").read_text():
                    used.append(f"{path}: {function.__name__} uses {word}")
    assert used == []
