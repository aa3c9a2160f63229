"""A first fit compiles what it needs and says so; after the warm-up nothing is compiled."""

import pytest

from reference.fresh_python import fresh_python

CAP = "from losaw.weighting import cap_weights; cap_weights([1.0, 2.0], 0.5)"
FIT = """
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__module__)
    def on_end(self, event):
        pass
event.register("numba:compile", Listener())
import numpy as np
from losaw import LosawRandomForestRegressor
X = np.random.default_rng(0).standard_normal((60, 4))
X[:, 1] += X[:, 0]
LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0])
print(*sorted(set(compiled)))
"""


def run(code, folder):
    """Standard output and error of a fresh interpreter whose cache of loops is in ``folder``."""
    done = fresh_python(code, "-W", "ignore", NUMBA_CACHE_DIR=str(folder))
    return done.stdout, done.stderr


def test_the_first_compiling_is_announced_in_one_line(tmp_path):
    _, first = run(CAP, tmp_path)
    assert len(first.splitlines()) == 1
    assert "compiling loops for this machine, once" in first
    _, second = run(CAP, tmp_path)
    assert second == ""


@pytest.mark.long
def test_a_numeric_regression_compiles_no_levels_or_logits(tmp_path):
    output, _ = run(FIT, tmp_path)
    modules = {name.removeprefix("losaw.") for name in output.split() if name.startswith("losaw.")}
    assert "forest.growing.growth" in modules
    unused = ("discrete", "logit", "kernels.trees")
    assert [name for name in modules if any(part in name for part in unused)] == []


SCRIPT = """
import sys
import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from losaw.forest import LosawRandomForestRegressor
from losaw.importance import mdi_oob, sage, split_improvement, tree_permutation, ufi
from losaw.commands import warm_up
from losaw.knockoffs import make_sampler

# Of every kernel of every module that is loaded, if it has any.
def signatures():
    return {
        f"{name}.{key}": list(value.signatures)
        for name, module in sorted(sys.modules.items()) if name.startswith("losaw.")
        for key, value in vars(module).items() if getattr(value, "signatures", ())
    }

warm_up.compile_for_levels()
warm_up.compile_for_numbers()
warm = signatures()
assert len(warm) > 8, warm
rng = np.random.default_rng(1)
X = rng.integers(0, 3, (80, 4))
y = X[:, 0] + rng.standard_normal(80)
classes = np.digitize(y, [0, 1])
for model, response in (
    (RandomForestRegressor(2), y),
    (RandomForestClassifier(2), classes),
    (LosawRandomForestRegressor(2), y),
):
    model.fit(X, response)
    for score in (ufi, split_improvement, mdi_oob):
        score(model, X, response)
for model in (RandomForestRegressor(2).fit(X, y), LosawRandomForestRegressor(2).fit(X, y)):
    tree_permutation(model, X, y, random_state=0)
    sage(model, X, y, max_permutations=2, random_state=0)
for kinds in (("continuous",) * 4, ("discrete",) * 4):
    for name in ("gaussian", "sequential", "conditional"):
        make_sampler(name).fit(X.astype(float), kinds).sample(rng)
after = signatures()
assert after == warm, {name: after[name] for name in after if after[name] != warm.get(name)}
"""


def test_scores_of_forests_find_their_kernels_compiled():
    fresh_python(SCRIPT)
