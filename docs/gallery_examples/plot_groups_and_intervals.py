"""
Groups of columns, with intervals
=================================

Two columns measure the same, so that a model without one of them loses nothing. As a group they
matter. The scores are cross-fitted, and the intervals take the shared training rows into account.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from losaw.importance import loco

rng = np.random.default_rng(0)
size = rng.standard_normal(400)
X = pd.DataFrame({name: size + 0.1 * rng.standard_normal(400) for name in ("length", "width")})
X["age"] = rng.standard_normal(400)
y = size + 0.5 * X["age"] + rng.standard_normal(400)

# %%
single = loco(LinearRegression(), X, y, cv=5, random_state=0)
grouped = loco(LinearRegression(), X, y, cv=5, groups={"size": ["length", "width"]}, random_state=0)
figure, axes = plt.subplots(1, 2, sharex=True, figsize=(7, 2.2), layout="constrained")
for ax, result, title in zip(axes, (single, grouped), ("columns", "groups"), strict=True):
    low, high = np.asarray(result.interval(0.95)).T
    ax.hlines(result.feature_names, low, high, color="#0072B2")
    ax.plot(result.scores, result.feature_names, "o", color="#0072B2")
    ax.axvline(0, color="black", linewidth=0.6)
    ax.set_title(f"LOCO of {title}")
    ax.margins(y=0.3)
