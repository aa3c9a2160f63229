"""Run the tests of a changed file, step by step, and fail as soon as one of them does.

The first argument is a JSON list of lists of tests. With --interpreted-first, changed kernels run
as Python in the first step, and are compiled for the steps after it.
"""

import json
import subprocess
import sys

OPTIONS = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
INTERPRETED = (
    "import sys; sys.path.insert(0, 'tests'); "
    "from reference.interpreted_kernels import interpret; interpret(); "
    "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
)
SMALL_FORESTS = ["tests/unit/forest/test_kernels.py", "tests/unit/forest/test_parts_of_growing.py"]


def main() -> None:
    *options, listed = sys.argv[1:]
    commands = [[sys.executable, "-m", "pytest", *OPTIONS, *tests] for tests in json.loads(listed)]
    if "--interpreted-first" in options:
        commands.insert(0, [sys.executable, "-c", INTERPRETED, *OPTIONS, *SMALL_FORESTS])
    # 5: every test of a step is skipped, as those of a browser that is not there.
    if any(subprocess.call(command) not in (0, 5) for command in commands):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
