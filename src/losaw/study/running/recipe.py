"""The recipe of a series: its names turned into a generator, a learner, importances, metrics."""

from pathlib import Path
from typing import Any

from losaw.generators.generator import draw
from losaw.study.design.blocks import law_file
from losaw.study.design.grid import Study
from losaw.study.design.series import Series, resolve
from losaw.study.design.settings import Setting
from losaw.study.running.joint_laws import load_law
from losaw.study.running.replicate import Recipe, fit


def build_recipe(series: Series, law_path: Path | None) -> tuple[Recipe, Any]:
    """The recipe of a series' replicates, and the record of the joint law that it draws from."""
    generator = series.generator.create()
    law = load_law(law_path)
    recipe = Recipe(
        experiment=series.experiment,
        setting=series.setting.data_identifier,
        learner=series.learner.label,
        draw=lambda rng: draw(generator, rng, law),
        make_learner=series.learner.create,
        importances={label: part.create() for label, part in series.importances.items()},
        metrics={label: part.create() for label, part in series.metrics.items()},
    )
    return recipe, None if law is None else law.record()


def replicate_recipe(study: Study, setting: Setting, learner: str, results: Path) -> Recipe:
    """The recipe of one learner in one setting; ``results`` holds the stored joint laws."""
    series = resolve(study, setting, study.learner(learner))
    law = None if series.law is None else law_file(results, series.law)
    return build_recipe(series, law)[0]


def replicate_model(recipe: Recipe, seed: int) -> Any:
    """The fitted model of the replicate: it costs one fit."""
    return fit(recipe, recipe.data(seed), seed)
