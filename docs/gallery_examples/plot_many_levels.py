"""
Noise with many values
======================

Split improvement rewards features with many possible splits, even pure noise. Measured with the
rows that a tree has not seen, noise scores around zero.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from losaw.importance import split_improvement, ufi

rng = np.random.default_rng(0)
levels = [2, 4, 10, 20, 600]
X = np.column_stack([rng.integers(0, n, 600) for n in levels]).astype(float)
y = 0.5 * X[:, 0] + rng.standard_normal(600)  # only the feature with two levels has an effect

# %%
forest = RandomForestRegressor(n_estimators=100, max_depth=5, random_state=0).fit(X, y)
figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
for ax, method in zip(axes, (split_improvement, ufi), strict=True):
    scores = method(forest, X, y).scores
    ax.bar([str(n) for n in levels], scores, color=["#E69F00"] + ["#9A9A9A"] * 4)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set_title(method.__name__)
    ax.set_xlabel("number of levels")
