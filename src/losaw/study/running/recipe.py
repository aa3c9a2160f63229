"""The recipe of a series: its names turned into a generator, a learner, importances, metrics."""

from pathlib import Path
from typing import Any

from losaw.generators.base import draw
from losaw.study.design.series import Series
from losaw.study.running.joint_laws import load_law
from losaw.study.running.replicate import Recipe


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
