"""
A method of your own in a study
===============================

An importance needs one method, ``explain(model, data, rng)``. The file
``examples/importance.py`` is one, ``losaw check FILE`` tests yours, and a study that names it
compares it with others.
Here one replicate of a study is run by hand.
"""

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from losaw.importance import ImportanceResult
from losaw.rng import stream
from losaw.study.registry import get


class AbsoluteCorrelation:
    """The absolute correlation of every feature with the response, on the training sample."""

    def explain(self, model, data, rng):
        """Score the features of one data set; ``model`` and ``rng`` are not needed here."""
        correlations = np.corrcoef(data.train.X, data.train.y, rowvar=False)[-1, :-1]
        return ImportanceResult(np.abs(correlations), data.feature_names)


# %%
# The data of one replicate: training, test and independent samples, with the true signal features.
axes = {"experiment": "gallery", "setting": "f3", "replicate": 0}
generator = get("generator", "losaw").create(
    data_type="continuous", n_samples=500, n_features=10, phi=0.1, function="f3"
)
data = generator.sample(stream(**axes, component="data"))
model = RandomForestRegressor(50, random_state=0).fit(data.train.X, data.train.y)

# %%
# The same data for every method, and one number for how well it ranks the signals.
metric = get("metric", "pr_auc").create()
methods = {"mdi": get("importance", "mdi").create(), "mine": AbsoluteCorrelation()}
for name, method in methods.items():
    rng = stream(**axes, component=f"importance:RF:{name}")
    print(f"{name}: {metric(method.explain(model, data, rng), data.truth):.2f}")
