"""A small study with invented numbers, which a reader can compare with the expected text."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from losaw.study.report.drawings import panels
from losaw.study.report.results import COMPARISON, StudyResults
from losaw.study.request.grid import Study
from losaw.study.request.published import read_published

CONFIG = Path(__file__).parents[4] / "config"
RUNS = 5

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
compare: [losawRF, RF]
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


def study_of(name: str) -> Study:
    """A study of the repository."""
    return Study(CONFIG / "studies" / f"{name}.yaml")


def made(study, folder, where=None, features=("X1", "X2", "X3"), signal=(0, 1)):
    """Random scores and metrics of the settings that agree with ``where``, without any fit."""
    rng = np.random.default_rng(0)
    scores, summary, results = [], [], []
    for setting in panels.selected(study, where):
        keys = {"setting_id": setting.identifier}
        for learner in study.learners:
            for importance in study.importances:
                for seed in range(RUNS):
                    row = {**keys, "learner": learner, "importance": importance, "seed": seed}
                    drawn = {"scores": rng.standard_normal(len(features)), "p_values": None}
                    scores.append({**row, **drawn, "features": features, "signal": signal})
        for metric in study.metrics:
            for method in study.methods_of(metric):
                numbers = {"mean": rng.random(), "sd": 0.2, "mc_se": 0.1, "n_seeds": RUNS}
                row = {**keys, **setting.axes, "metric": metric, "method": method, **numbers}
                summary.append({**row, "learner": method.split()[-1], "importance": ""})
            for learner in study.learners:
                for seed in range(RUNS):
                    row = {**keys, "learner": learner, "importance": "", "seed": seed}
                    results.append({**row, "metric": metric, "value": rng.random(), "status": "ok"})
    pd.DataFrame(scores).to_parquet(folder / "scores.parquet")
    pd.DataFrame(results).to_parquet(folder / "results.parquet")
    pd.DataFrame(summary).to_csv(folder / "summary.csv", index=False)
    if study.file.published:
        printed = read_published(study, CONFIG / "published")
        printed = printed.assign(**dict.fromkeys(COMPARISON.keys() - {*printed}, 0))
        printed.to_csv(folder / "comparison.csv", index=False)
    return StudyResults(folder)


@pytest.fixture
def made_of(tmp_path: Path):
    """Return a function of a study's name: the study, and made results of it."""

    def of_name(name, *arguments, **options):
        found = study_of(name)
        return found, made(found, tmp_path, *arguments, **options)

    return of_name


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return read_study(tmp_path, STUDY)


def made_comparison() -> pd.DataFrame:
    """As ``losaw.study.results.compare.compare`` returns it for the made study."""
    added = dict.fromkeys(("runs_to_decide", "explained", "noted"), "")
    frame = pd.DataFrame(ROWS, columns=COLUMNS).assign(**added)
    frame.insert(0, "table", "Table 1")
    frame.insert(2, "function", "f3")
    return frame


@pytest.fixture
def comparison() -> pd.DataFrame:
    return made_comparison()
