"""The kernels as Python, which checks what compiled code does not: every index."""

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
RUN = """
import sys
sys.path.insert(0, "tests")
from reference.interpreted_kernels import interpret
interpret()
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "test",
    [
        "property/forest/test_as_printed.py",
        "unit/forest/test_ranger.py",
    ],
)
def test_interpreted_kernels_pass_the_tests_of_compiled_ones(test):
    command = [sys.executable, "-c", RUN, "-q", "-n", "0", "-p", "no:cacheprovider"]
    found = subprocess.run(
        [*command, f"tests/{test}"], cwd=TESTS.parent, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout[-3000:]
