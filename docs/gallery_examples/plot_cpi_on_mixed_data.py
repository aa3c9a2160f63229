"""
CPI on numbers and factors
==========================

A table with a factor, through a Pipeline that encodes it. PFI credits ``proxy``, which the model
uses because it correlates with ``dose``; CPI, which keeps the other features in place, does not.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from losaw.importance import cpi, pfi

rng = np.random.default_rng(0)
frame = pd.DataFrame({"dose": rng.standard_normal(800)})
frame["proxy"] = 0.8 * frame["dose"] + 0.6 * rng.standard_normal(800)
frame["group"] = rng.choice(["a", "b", "c"], 800)
response = (frame["group"] == "b") + frame["dose"] + rng.standard_normal(800)

encoder = make_column_transformer((OneHotEncoder(), ["group"]), remainder="passthrough")
model = make_pipeline(encoder, RandomForestRegressor(50, max_features=2, random_state=0))
model.fit(frame[:400], response[:400])

# %%
figure, axes = plt.subplots(1, 2, figsize=(7, 2.4), layout="constrained")
for ax, method in zip(axes, (pfi, cpi), strict=True):
    result = method(model, frame[400:], response[400:], random_state=0)
    ax.barh(result.feature_names, result.scores, xerr=result.std_error, color="#E69F00")
    ax.set_title(method.__name__)

# %%
# The result of CPI with p-values, and a selection at a false discovery rate of .1.
print(result.select(fdr=0.1))
result.to_frame().round(3)
