"""A script in an interpreter that has loaded nothing yet."""

import os
import subprocess
import sys


def fresh_python(script, *words, **variables):
    """The ended process, whose environment has ``variables`` besides; it has to end well."""
    command, environment = [sys.executable, *words, "-c", script], os.environ | variables
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done
