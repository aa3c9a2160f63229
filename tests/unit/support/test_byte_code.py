"""Byte code of an older source is not run, whatever the dates say."""

import compileall
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from losaw.support.byte_code import check_byte_code

ROOT = Path(__file__).parents[3]
CHECKED = py_compile.PycInvalidationMode.CHECKED_HASH


def run(folder):
    """Return what a module prints that a fresh process imports."""
    command = [sys.executable, "-c", "import module"]
    environment = {key: value for key, value in os.environ.items() if "PYTHON" not in key}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    return done.stdout.strip()


def edit(folder, text):
    """Change the module; its size and its date stay the same."""
    file = folder / "module.py"
    status = file.stat()
    file.write_text(text)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "module.py").write_text("print(1)\n")
    return tmp_path


def test_byte_code_as_make_installs_it_is_checked_by_content(folder):
    assert (
        "compileall -q -f --invalidation-mode checked-hash src" in (ROOT / "Makefile").read_text()
    )
    compileall.compile_dir(folder, quiet=1, force=True, invalidation_mode=CHECKED)
    assert run(folder) == "1"
    edit(folder, "print(2)\n")
    assert run(folder) == "2"


def test_byte_code_of_a_new_module_is_compared_once_and_then_checked_by_content(folder):
    assert run(folder) == "1"
    check_byte_code(folder)
    edit(folder, "print(2)\n")
    assert run(folder) == "2"


def test_byte_code_that_is_not_of_its_source_is_an_error_and_is_corrected(folder):
    assert run(folder) == "1"
    edit(folder, "print(2)\n")
    assert run(folder) == "1"  # which is what Python does by itself
    with pytest.raises(RuntimeError, match=r"module\.py: edited, but with the date and size"):
        check_byte_code(folder)
    check_byte_code(folder)
    assert run(folder) == "2"
