"""CPU seconds of tree importances, and of the fits that they explain.

    python benchmarks/importances.py [--repeats 5]

On one core, in one run, medians of CPU time, which a busy machine changes little. The data are
those of UFI's Table 1 and TreeInner's Table 4.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np  # noqa: E402
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor  # noqa: E402

from losaw.data import Dataset  # noqa: E402
from losaw.importance import mdi_oob, ufi  # noqa: E402
from losaw.study.block.replicate import ingredients_in, run_replicate  # noqa: E402
from losaw.study.generators.binary_signal import BinarySignalGenerator  # noqa: E402
from losaw.study.generators.low_signal import LowSignalGenerator  # noqa: E402
from losaw.study.learners.xgboost_trees import XGBoostTrees  # noqa: E402
from losaw.study.request.grid import Study  # noqa: E402
from losaw.trees.attributions import attribution_sums  # noqa: E402

STUDIES = Path(__file__).parents[1] / "config" / "studies"


def main() -> None:
    """Measure everything and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print(f"{'':52}{'CPU s':>9}{'fit':>9}{'ratio':>8}{'target':>8}")
    forests(repeats)
    boosters(repeats)
    table_4(repeats)


def forests(repeats: int) -> None:
    """UFI and MDI of a forest of 100 trees on 1000 rows."""
    models = {"regression": RandomForestRegressor, "classification": RandomForestClassifier}
    for task, model in models.items():
        X, y = BinarySignalGenerator(task=task).sample(np.random.default_rng(0)).train
        for depth in (3, 10):
            forest = model(100, max_depth=depth, random_state=0)
            fit = median(partial(forest.fit, X, y), repeats)
            ufi(forest, X, y)  # compiled code is loaded
            both = median(partial(ufi_and_mdi, forest, X, y), repeats)
            line(f"UFI + MDI, {task}, depth {depth}", both, fit, 0.3 if depth == 10 else None)
            other = median(partial(mdi_oob, forest, X, y), repeats)
            line(f"MDI-oob, {task}, depth {depth}", other, fit)


def ufi_and_mdi(forest: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Both scores of one forest."""
    ufi(forest, X, y)
    forest.feature_importances_  # noqa: B018


def boosters(repeats: int) -> None:
    """All sums of an attribution on training and validation rows, 400 trees of depth 4."""
    for task in ("regression", "classification"):
        data = LowSignalGenerator(task=task).sample(np.random.default_rng(0))
        for method in ("hist", "exact"):
            base_score = 0.0 if task == "regression" else 0.5
            learner = XGBoostTrees(task, base_score=base_score, tree_method=method)
            fit = median(partial(learner.fit, *data.train), repeats)
            attribution_sums(learner, *data.train, "predecomp")
            for attribution, target in (("predecomp", 0.5), ("treeshap", None)):
                seconds = []
                for _ in range(repeats):
                    learner.fit(*data.train)  # nothing is kept of an earlier booster
                    seconds.append(elapsed(partial(both_samples, learner, data, attribution)))
                name = f"{attribution}, {task}, tree_method {method}"
                line(name, statistics.median(seconds), fit, target)
            sliced = median(partial(xgboost_tree_shap, learner, data), 3)
            line(f"xgboost's own treeshap, {task}, tree_method {method}", sliced, fit)


def both_samples(model: XGBoostTrees, data: Dataset, attribution: str) -> None:
    """TreeInner, ForestInner and Abs on both samples."""
    for sample in (data.train, data.test):
        attribution_sums(model, *sample, attribution)


def xgboost_tree_shap(model: XGBoostTrees, data: Dataset) -> None:
    """The peer: TreeSHAP of every tree on both samples, one slice of the booster after another."""
    import xgboost

    booster = model.get_booster()
    rows = xgboost.DMatrix(np.vstack([data.train.X, data.test.X]), nthread=1)
    for index in range(booster.num_boosted_rounds()):
        booster[index : index + 1].predict(rows, pred_contribs=True)


def table_4(repeats: int) -> None:
    """One replicate of Table 4 with all rows: data, fit, 18 scores, metrics."""
    study = Study(STUDIES / "treeinner_table4.yaml")
    for task in ("regression", "classification"):
        setting = next(
            s for s in study.settings if s.axes["dataset"] == "Simulated" and s.axes["task"] == task
        )
        recipe = ingredients_in(study, setting, "xgboost")
        replicate = partial(run_replicate, recipe, 0, recipe.parts, recipe.data)
        replicate()
        seconds = median(replicate, repeats)
        print(f"{f'replicate of Table 4, {task}':52}{seconds:9.2f}{'':>17}{'3 s':>8}")


def line(name: str, seconds: float, fit: float, target: float | None = None) -> None:
    """Print one comparison with a fit."""
    shown = "" if target is None else f"{target:g}"
    print(f"{name:52}{seconds:9.3f}{fit:9.3f}{seconds / fit:8.2f}{shown:>8}", flush=True)


def elapsed(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def median(work: Callable[[], object], repeats: int) -> float:
    """Median CPU seconds of ``repeats`` calls."""
    return statistics.median(elapsed(work) for _ in range(repeats))


if __name__ == "__main__":
    main()
