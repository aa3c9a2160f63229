"""The recipe of a replicate: a block's names turned into a generator, a learner and so on."""

from collections.abc import Mapping
from typing import Any

from losaw.study.design.grid import Study
from losaw.study.design.recipe import (
    Recipe as BlockRecipe,
)
from losaw.study.design.recipe import (
    created,
    created_generator,
    recipe_of_slice,
)
from losaw.study.design.settings import Setting
from losaw.study.errors import StudyError
from losaw.study.generators.generator import draw
from losaw.study.registry import get
from losaw.study.registry.versions import version_of
from losaw.study.running.replicate import Recipe


def build_recipe(block: BlockRecipe, setting: str, learner: str, law: Any = None) -> Recipe:
    """Return the recipe of a learner's replicates in a setting of a block.

    Parameters
    ----------
    block : dict
        As :func:`losaw.study.design.recipe.recipe_of_slice` makes it.
    setting, learner : str
        Identifier and label.
    law : JointLaw or None
        The fitted joint law, if the data are drawn from one.
    """
    generator = created_generator(block, setting)
    written = block["learners"][learner]
    return Recipe(
        experiment=block["experiment"],
        setting=block["settings"][setting]["data"],
        learner=learner,
        draw=lambda rng: draw(generator, rng, law),
        make_learner=lambda: created(block, "learner", written, setting),
        importances={
            label: created(block, "importance", block["importances"][label], setting)
            for label in written["importances"]
        },
        metrics={
            label: created(block, "metric", metric, setting)
            for label, metric in block["metrics"].items()
        },
        generator=block["generator"]["name"],
    )


def check_versions(block: BlockRecipe) -> None:
    """Raise an error if a method is not the one that the run began with: a plugin was edited."""
    kinds: dict[str, list[Mapping[str, Any]]] = {
        "generator": [block["generator"]],
        **{kind: list(block[f"{kind}s"].values()) for kind in ("learner", "importance", "metric")},
    }
    for kind, methods in kinds.items():
        for method in methods:
            if version_of(get(kind, method["name"])) != method["version"]:
                raise StudyError(
                    f"{kind} {method['name']!r} has been edited since the run began; run the same "
                    "command again"
                )


def replicate_recipe(study: Study, setting: Setting, learner: str) -> Recipe:
    """Return the recipe of one learner in one setting; a joint law that it needs is fitted."""
    recipe = recipe_of_slice(study, [(setting, learner)])
    return build_recipe(recipe, setting.identifier, learner)
