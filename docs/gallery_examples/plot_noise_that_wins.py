"""
A noise feature that wins
=========================

Two signals, and three noise features that correlate with both. An ordinary forest ranks the noise
first; a forest of locally decorrelated splits does not, on average over data sets. On a single
data set its scores vary almost as much as they differ.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from losaw import LosawRandomForestRegressor
from losaw.forest import decorrelation

# %%
# Signals correlate by .5, every noise feature by .8 with both and with the other noise.
correlation = np.full((5, 5), 0.8)
correlation[:2, :2] = 0.5
np.fill_diagonal(correlation, 1.0)


def draw(seed):
    rng = np.random.default_rng(seed)
    X = rng.multivariate_normal(np.zeros(5), correlation, size=1000)
    return X, X[:, 0] + X[:, 1] + rng.standard_normal(1000)


# %%
# The same trees, depth and leaves for both, on 20 data sets; bars of one standard error.
shared = {"n_estimators": 100, "max_features": 2, "max_depth": 10, "min_samples_leaf": 5}
forests = {
    "random forest": RandomForestRegressor(**shared, random_state=0),
    "losawRF": LosawRandomForestRegressor(eta=0.1, **shared, random_state=0),
}
figure, axes = plt.subplots(1, 2, sharey=True, figsize=(7, 2.8), layout="constrained")
for ax, (title, forest) in zip(axes, forests.items(), strict=True):
    scores = np.stack([forest.fit(*draw(seed)).feature_importances_ for seed in range(20)])
    error = scores.std(axis=0, ddof=1) / np.sqrt(20)
    colors = ["#E69F00"] * 2 + ["#9A9A9A"] * 3
    ax.bar(["X1", "X2", "X3", "X4", "X5"], scores.mean(axis=0), yerr=error, color=colors)
    ax.set_title(title)
_ = axes[0].set_ylabel("mean decrease in impurity")

# %%
# How much the weights do in a root with the last data set: correlation with the adjustment features
# without and with weights, and the effective sample size before and after the cap.
decorrelation(forests["losawRF"], draw(19)[0]).round(2)
