"""Kernels that check every index, which compiled code does only where it is asked to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]


@pytest.mark.long
def test_no_kernel_of_the_forest_reads_or_writes_beyond_its_arrays(tmp_path):
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command.append("tests/property/forest/test_as_printed.py")
    found = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout[-3000:]
