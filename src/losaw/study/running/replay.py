"""A replicate once more: its data and its fitted model, from the streams of its block."""

from pathlib import Path
from typing import Any

from losaw.data import Dataset
from losaw.study.design.blocks import law_file
from losaw.study.design.grid import Study
from losaw.study.design.series import resolve
from losaw.study.design.settings import Setting
from losaw.study.running.recipe import build_recipe
from losaw.study.running.replicate import Recipe, fit


def replicate_recipe(study: Study, setting: Setting, learner: str, results: Path) -> Recipe:
    """The recipe of one learner in one setting; ``results`` holds the stored joint laws."""
    series = resolve(study, setting, study.learner(learner))
    law = None if series.law is None else law_file(results, series.law)
    return build_recipe(series, law)[0]


def replicate_data(recipe: Recipe, seed: int) -> Dataset:
    """The data that the replicate was computed on."""
    return recipe.draw(recipe.rng(seed, "data"))


def replicate_model(recipe: Recipe, seed: int) -> Any:
    """The fitted model of the replicate: it costs one fit."""
    return fit(recipe, replicate_data(recipe, seed), seed)
