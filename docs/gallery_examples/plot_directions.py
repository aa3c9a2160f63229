"""
Directions
==========

Trend estimates of a forest, compared with correlations: the response falls with a feature when the
others are held fixed, but is positively correlated with it because of a stronger feature.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from losaw.trends import (
    absolute_traversal_rate,
    linear_coefficient,
    shapley_correlation,
    target_correlation,
)

rng = np.random.default_rng(0)
first = rng.standard_normal(400)
second = 0.8 * first + 0.6 * rng.standard_normal(400)
X = np.column_stack([first, second, rng.standard_normal(400)])
y = 2 * first - second + 0.5 * rng.standard_normal(400)

# %%
forest = RandomForestRegressor(random_state=0).fit(X, y)
trends = {
    "pearson": target_correlation(X, y),
    "linear-coefficient": linear_coefficient(X, y),
    "shap-pearson": shapley_correlation(forest, X, random_state=0),
    "atr": absolute_traversal_rate(forest),
}
figure, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
for place, (name, trend) in enumerate(trends.items()):
    ax.bar(np.arange(3) + 0.2 * place - 0.3, trend.scores, width=0.2, label=name)
ax.set_xticks(range(3), ["rises", "falls", "noise"])
ax.axhline(0, color="black", linewidth=0.6)
ax.set_ylabel("trend")
_ = ax.legend(ncols=2)
