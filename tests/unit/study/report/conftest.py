"""A small study with invented numbers, which a reader can compare with the expected text."""

from pathlib import Path

import pandas as pd
import pytest

from losaw.study.grid import Study

STUDY = """
study: made
title: Numbers made up for the tests
generator: {name: normal-linear, correlation: heterogeneous}
settings:
  n_samples: [100, 1000]
  function: [f3]
learners:
  RF: {learner: random-forest}
  losawRF: {learner: losaw-forest}
importances: [mdi]
metrics: [r2_test, pr_auc]
seeds: {smoke: 2, desk: 4, paper: 8}
margins: {r2_test: 0.03, pr_auc: 0.1}
labels: {n_samples: N, function: model, r2_test: R²_test, pr_auc: pr-AUC}
tables:
  table_1:
    caption: a made table
    rows: [function, metric]
    columns: [n_samples, method]
    note: A note on 100 % of it.
"""

NAN = float("nan")
# n_samples, metric, method, published, reproduced, mc_se, n_seeds, z, low, high, margin,
# verdict
ROWS = [
    (100, "r2_test", "RF", 0.530, 0.532, 0.007, 40, 0.3, -0.01, 0.01, 0.03, "agrees"),
    (100, "r2_test", "losawRF", 0.52, 0.5, 0.008, 40, -2.4, -0.03, 0.0, 0.03, "deviates"),
    (100, "pr_auc", "RF", 0.417, 0.417, 0.0, 40, 0.0, -0.2, 0.2, 0.1, "undecided"),
    (100, "pr_auc", "losawRF", 0.543, 0.7, 0.031, 40, 4.9, 0.1, 0.2, 0.1, "differs"),
    (1000, "r2_test", "RF", 0.9, 0.881, NAN, 1, NAN, NAN, NAN, 0.03, "no error at hand"),
    (1000, "r2_test", "losawRF", NAN, 0.881, 0.002, 4, NAN, NAN, NAN, NAN, "not printed"),
    (1000, "pr_auc", "RF", 0.417, NAN, NAN, 0, NAN, NAN, NAN, 0.1, "not run"),
    (1000, "pr_auc", "losawRF", NAN, NAN, NAN, 0, NAN, NAN, NAN, NAN, "not run"),
]
COLUMNS = [
    *("n_samples", "metric", "method", "published", "reproduced", "mc_se", "n_seeds", "z"),
    *("low", "high", "margin", "verdict"),
]


def read_study(folder: Path, text: str) -> Study:
    path = folder / "made.yaml"
    path.write_text(text)
    return Study(path)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return read_study(tmp_path, STUDY)


@pytest.fixture
def comparison() -> pd.DataFrame:
    """As ``losaw.study.results.compare.compare`` returns it for the made study."""
    frame = pd.DataFrame(ROWS, columns=COLUMNS).assign(explained="", noted="")
    frame.insert(0, "table", "Table 1")
    frame.insert(2, "function", "f3")
    return frame
