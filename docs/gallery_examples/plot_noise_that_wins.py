"""
A noise feature that wins
=========================

Two signals, and three noise features that correlate with both. An ordinary forest ranks the noise
first; a forest of locally decorrelated splits does not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from losaw import LosawRandomForestRegressor
from losaw.forest import diagnose

# %%
# Signals correlate by .5, every noise feature by .8 with both and with the other noise.
correlation = np.full((5, 5), 0.8)
correlation[:2, :2] = 0.5
np.fill_diagonal(correlation, 1.0)
rng = np.random.default_rng(0)
X = rng.multivariate_normal(np.zeros(5), correlation, size=1000)
y = X[:, 0] + X[:, 1] + rng.standard_normal(1000)

# %%
# The same trees, depth and leaves for both.
shared = {"n_estimators": 100, "max_features": 2, "min_samples_leaf": 5, "random_state": 0}
plain = RandomForestRegressor(**shared).fit(X, y)
decorrelated = LosawRandomForestRegressor(eta=0.1, correlation_threshold=0.1, **shared).fit(X, y)

names = ["X1", "X2", "X3", "X4", "X5"]
figure, axes = plt.subplots(1, 2, sharey=True, figsize=(7, 2.8), layout="constrained")
for ax, forest, title in zip(
    axes, (plain, decorrelated), ("random forest", "losawRF"), strict=True
):
    ax.bar(names, forest.feature_importances_, color=["#E69F00"] * 2 + ["#9A9A9A"] * 3)
    ax.set_title(title)
axes[0].set_ylabel("mean decrease in impurity")

# %%
# How much the weights did: correlation with the adjustment features in the upper nodes, without and
# with weights, and the effective sample size that is left.
nodes = diagnose(decorrelated, X)
columns = ["effective_size", "capped_effective_size", "correlation", "weighted_correlation"]
nodes.groupby("depth")[columns].mean().round(2)
