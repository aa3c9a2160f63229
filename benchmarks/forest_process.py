"""Memory of a large fit, and time of import and first fit, each in a fresh interpreter."""

import subprocess
import sys

import numpy as np


def child(code):
    """Standard output of a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


# VmHWM, since getrusage would give a child the peak of the parent that forked it. Private memory,
# without the pages of libraries that all processes share, has no such mark and is watched.
MEMORY = """
import threading, time
import numpy as np
from {module} import {name} as Forest
def used(key):
    status = open("/proc/self/status").read()
    return float(status.partition(key + ":")[2].split()[0]) / 1024
imported = used("VmHWM")
rng = np.random.default_rng(0)
X = rng.standard_normal((50_000, 100)); X[:, 1] += X[:, 0]
y = X[:, 0] + rng.standard_normal(50_000)
Forest(n_estimators=2, random_state=0).fit(X[:60], y[:60])
before = used("VmHWM")
private = [used("RssAnon")]
def watch():
    while private[-1]:
        private.append(used("RssAnon"))
        time.sleep(0.002)
thread = threading.Thread(target=watch, daemon=True); thread.start()
Forest(n_estimators=20, max_features=33, max_depth=10, random_state=0).fit(X, y)
print(imported, before, used("VmHWM"), max(private))
"""


def memory():
    """Peak MB, resident and private, of fits of 50,000 x 100 in processes of their own (Linux)."""
    for module, name in (
        ("losaw.forest", "LosawRandomForestRegressor"),
        ("sklearn.ensemble", "RandomForestRegressor"),
    ):
        figures = map(float, child(MEMORY.format(module=module, name=name)))
        names = ("after_import_mb", "before_fit_mb", "peak_mb", "private_peak_mb")
        target = 3 * 50_000 * 100 * 8 / 2**20 + 200
        yield {"learner": name} | dict(zip(names, figures, strict=True)) | {"target_mb": target}


def first_call():
    """Wall seconds of import and of the first fit in a fresh interpreter, numba's cache warm."""
    code = (
        "import time; t = time.perf_counter()\n"
        "from losaw import LosawRandomForestRegressor as L\n"
        "import numpy as np; i = time.perf_counter() - t\n"
        "rng = np.random.default_rng(0); X = rng.standard_normal((60, 4))\n"
        "t = time.perf_counter(); L(n_estimators=2).fit(X, X[:, 0])\n"
        "print(i, time.perf_counter() - t)\n"
    )
    return np.median([[float(x) for x in child(code)] for _ in range(5)], axis=0)
