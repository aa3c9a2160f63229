"""Byte code of another text is found; footers name the libraries of their methods.

Of study.source_digests.bytecode, study.files.footer.
"""

import importlib.metadata
import os
import py_compile
from pathlib import Path

import pytest

from losaw.study.design.request import Request
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.files.footer import footer_of
from losaw.study.source_digests import bytecode, digest_cache, files
from losaw.study.source_digests.bytecode import check_bytecode, stale_bytecode

ROOT = Path(__file__).parents[3]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one module with its byte code."""
    module = tmp_path / "module.py"
    module.write_text("VALUE = 1\n")
    py_compile.compile(str(module))
    monkeypatch.setattr(files, "PACKAGE", tmp_path)
    monkeypatch.setattr(files, "own_files", lambda: ("module.py",))
    monkeypatch.setattr(bytecode, "digest_folder", digest_cache.digest_folder)
    return module


def edit(module, text, keep_date=True):
    status = module.stat()
    module.write_text(text)
    if keep_date:
        os.utime(module, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_an_edit_of_equal_length_with_its_date_kept_is_found_and_its_byte_code_removed(package):
    assert list(stale_bytecode()) == []
    edit(package, "VALUE = 2\n")
    ((source, compiled),) = stale_bytecode()
    assert source == package and compiled.exists()
    check_bytecode.cache_clear()
    with pytest.raises(StudyError, match=r"module\.py: was edited without a new date"):
        check_bytecode()
    assert not compiled.exists()
    check_bytecode.cache_clear()
    check_bytecode()


def test_an_edit_with_a_new_date_or_length_is_left_to_python(package):
    edit(package, "VALUE = 22\n")
    assert list(stale_bytecode()) == []
    edit(package, "VALUE = 3\n", keep_date=False)
    os.utime(package, (1e9, 1e9))
    assert list(stale_bytecode()) == []


def test_a_pair_that_was_found_to_agree_is_compiled_once(package, monkeypatch):
    assert list(stale_bytecode()) == []
    monkeypatch.setattr(bytecode, "_is_of", lambda *_: pytest.fail("compiled again"))
    assert list(stale_bytecode()) == []


def test_a_footer_names_the_libraries_that_the_methods_of_its_block_import():
    config = ROOT / "config" / "config.yaml"
    names = ["treeinner_figure1", "losaw_network", "losaw_forest"]
    session = Session(Request(config, {"studies": names, "scale": "smoke"}), trusted=True)
    libraries = {}
    for block in session.all_blocks:
        libraries.setdefault(block.name.study, footer_of(block, None)["libraries"])
    import xgboost

    version = importlib.metadata.version
    assert libraries["treeinner_figure1"]["xgboost"] == xgboost.__version__
    network = libraries["losaw_network"]
    assert [network[n] for n in ("cvxpy", "jax", "optax")] == [
        version(n) for n in ("cvxpy", "jax", "optax")
    ]
    assert not {"xgboost", "jax", "cvxpy"} & libraries["losaw_forest"].keys()
