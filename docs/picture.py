"""The picture of the README, from the documentation's study `forests`: ``python docs/picture.py``.

Run `snakemake --directory docs/study --cores 2` first, or `make docs`, which does.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

HERE = Path(__file__).parent
TITLES = {"RF": "random forest", "losawRF": "losawRF"}

scores = pd.read_parquet(HERE / "_build" / "study" / "desk" / "forests" / "scores.parquet")
scores = scores[scores["setting_id"].str.startswith("heterogeneous")]
figure, axes = plt.subplots(1, 2, sharey=True, figsize=(7, 2.6), layout="constrained")
for ax, (learner, title) in zip(axes, TITLES.items(), strict=True):
    rows = scores[(scores["learner"] == learner) & (scores["importance"] == "MDI")]
    values = np.stack(rows["scores"].to_list())
    signal, noise = ["#E69F00"] * 2, ["#9A9A9A"] * 3
    ax.bar(list(rows["features"].iloc[0]), values.mean(axis=0), color=signal + noise)
    ax.set_title(f"{title}, mean of {len(values)} data sets")
axes[0].set_ylabel("mean decrease in impurity")
figure.savefig(HERE / "_static" / "noise_that_wins.png", dpi=110)
