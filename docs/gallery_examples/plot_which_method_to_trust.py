"""
Which method to trust
=====================

``losaw.audit`` simulates responses with known causes from the features of a table, and measures
which methods rank the causes first. More rounds than here give smaller errors.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import losaw

rng = np.random.default_rng(0)
frame = pd.DataFrame(rng.standard_normal((150, 5)), columns=["a", "b", "c", "d", "e"])
frame["b"] = 0.95 * frame["a"] + 0.3 * frame["b"]
frame["y"] = frame["a"] + frame["c"] + 0.5 * rng.standard_normal(150)
found = losaw.audit(frame, "y", methods="mdi,pfi,cpi", rounds=5, folds=3, draws=1, budget=None)
print("\n".join(found.verdicts))

# %%
# Mean area under the precision-recall curve, with one standard error over the rounds.
figure, ax = plt.subplots(figsize=(5, 2.4), layout="constrained")
scores = found.rounds.groupby("method")["pr_auc"].agg(["mean", "sem"])
ax.errorbar(scores["mean"], scores.index, xerr=scores["sem"], fmt="o", color="#0072B2")
ax.set_xlabel("pr-AUC of the causes")
_ = ax.margins(y=0.3)
