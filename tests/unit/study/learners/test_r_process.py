"""What is said when R fails, with a program in its place."""

import os

import pytest

from losaw.study.learners.r_forests import run_script


@pytest.mark.skipif(os.name != "posix", reason="a shell script takes the place of R")
@pytest.mark.parametrize(
    ("status", "line"), [(1, "error message of R"), (3, "object 'x' not found")]
)
def test_a_failing_script_ends_with_the_message_of_r(tmp_path, monkeypatch, status, line):
    program = tmp_path / "Rscript"
    program.write_text(f'#!/bin/sh\necho "{line}" >&2\nexit {status}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(RuntimeError, match=f"R failed: {line}"):
        run_script(tmp_path, "stop()")
