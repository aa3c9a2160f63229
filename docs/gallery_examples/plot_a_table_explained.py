"""
A table explained
=================

``losaw.explain`` scores every feature with every method and says where the methods disagree. Two
features are copies of each other up to some noise, one acts through a square, one is noise.
"""

import numpy as np
import pandas as pd

import losaw

rng = np.random.default_rng(0)
frame = pd.DataFrame(rng.standard_normal((800, 4)), columns=["size", "rooms", "age", "noise"])
frame["rooms"] = 0.9 * frame["size"] + 0.4 * frame["rooms"]
frame["price"] = frame["size"] + frame["age"] ** 2 + 0.5 * rng.standard_normal(800)
found = losaw.explain(frame, "price", folds=5, permutations=2, budget=None)
found.to_frame().round(2)

# %%
# Features that CPI selects, and what the methods disagree about.
print(found.selected)
for disagreement in found.disagreements:
    print(disagreement.text)

# %%
# ``found.save("prefix")`` writes the page; every method's scores can be drawn.
_ = found.results["cpi"].plot()
