"""After the warm-up no score of a forest and no knockoff, compiles anything."""

import subprocess
import sys

SCRIPT = """
import sys
import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from losaw.data import Dataset, Sample, Truth, default_feature_names
from losaw.forest import LosawRandomForestRegressor
from losaw.importance import mdi_oob, sage, split_improvement
from losaw.importance import ufi
from losaw.commands import warm_up
from losaw.knockoffs import make_sampler
from losaw.study.registry import get

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
sample, names = Sample(X.astype(float), y), default_feature_names(4)
data = Dataset(sample, sample, Truth((0,), 4), names, ("discrete",) * 4)
classes = np.digitize(y, [0, 1])
for model, response in (
    (RandomForestRegressor(2), y),
    (RandomForestClassifier(2), classes),
    (LosawRandomForestRegressor(2), y),
):
    model.fit(X, response)
    for score in (ufi, split_improvement, mdi_oob):
        score(model, X, response)
for model in (RandomForestRegressor(2).fit(*sample), LosawRandomForestRegressor(2).fit(*sample)):
    get("importance", "tree-permutation").create().explain(model, data, rng)
    sage(model, X, y, max_permutations=2, random_state=0)
for kinds in (("continuous",) * 4, ("discrete",) * 4):
    for name in ("gaussian", "sequential", "conditional"):
        make_sampler(name).fit(X.astype(float), kinds).sample(rng)
after = signatures()
assert after == warm, {name: after[name] for name in after if after[name] != warm.get(name)}
"""


def test_scores_of_forests_find_their_kernels_compiled():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
