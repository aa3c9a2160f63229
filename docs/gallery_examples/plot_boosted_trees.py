"""
Boosted trees: total gain and TreeInner
=======================================

The total gain of an xgboost model is positive for noise. TreeInner measures the same trees with
rows that they have not seen: noise scores around zero.
"""

import matplotlib.pyplot as plt
import numpy as np
from xgboost import XGBRegressor

from losaw.importance import treeinner

rng = np.random.default_rng(0)
levels = [2, 4, 10, 20, 600]
X = np.column_stack([rng.integers(0, n, 600) for n in levels]).astype(float)
y = 0.5 * X[:, 0] + rng.standard_normal(600)  # only the feature with two levels has an effect
model = XGBRegressor(n_estimators=50, max_depth=4).fit(X[:300], y[:300])

# %%
# On the training rows TreeInner is the total gain.
figure, axes = plt.subplots(1, 2, figsize=(7, 2.6), layout="constrained")
parts = {"training rows: total gain": slice(None, 300), "unseen rows": slice(300, None)}
for ax, (title, rows) in zip(axes, parts.items(), strict=True):
    scores = treeinner(model, X[rows], y[rows]).scores
    ax.bar([str(n) for n in levels], scores, color=["#E69F00"] + ["#9A9A9A"] * 4)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set_title(title)
    ax.set_xlabel("number of levels")
