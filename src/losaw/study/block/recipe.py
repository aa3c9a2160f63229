"""The recipe of a block: everything that decides its rows, as plain values.

Snakemake has it as a parameter of the rule, a job computes from it alone, and the footer of the
file holds it. A changed recipe makes Snakemake compute its blocks again, and no others; the
rows of unchanged fits are taken from the last file.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from losaw.study.registry import Entry, get
from losaw.study.registry.versions import version_of
from losaw.study.request.grid import Method, Study, resolve, same
from losaw.study.request.settings import Setting, short_digest

# Raised when the order of steps in a replicate, or a random stream, changes.
ENGINE_VERSION = 1
Recipe = Mapping[str, Any]


def recipe_of_slice(study: Study, cells: Sequence[tuple[Setting, str]]) -> dict[str, Any]:
    """Return the recipe of some settings and learners, without seeds."""
    settings = list({setting.identifier: setting for setting, _ in cells}.values())
    learners = {label: study.learners[label] for label in dict.fromkeys(name for _, name in cells)}
    asked = dict.fromkeys(name for learner in learners.values() for name in learner.importances)
    return {
        "engine": ENGINE_VERSION,
        "study": study.name,
        "experiment": study.experiment,
        "generator": _method(study.generator, settings),
        "data_axes": study.data_axes,
        "settings": {
            setting.identifier: {
                "data": setting.data_identifier,
                "axes": dict(setting.axes),
                **({"law": law.identifier} if (law := study.law_of(setting)) else {}),
            }
            for setting in settings
        },
        "learners": {
            label: {**_method(learner, settings), "importances": list(learner.importances)}
            for label, learner in learners.items()
        },
        "importances": {name: _method(study.importances[name], settings) for name in asked},
        "metrics": {name: _method(metric, settings) for name, metric in study.metrics.items()},
    }


def _method(method: Method, settings: Sequence[Setting]) -> dict[str, Any]:
    parameters = {k: _narrowed(v, settings) for k, v in method.parameters.items()}
    return {
        "name": method.entry.name,
        "version": version_of(method.entry),
        "parameters": parameters,
        **sampler_version(method.entry, parameters),
    }


def sampler_version(entry: Entry, parameters: Mapping[str, Any]) -> dict[str, int | str]:
    """Return the version of a method's knockoff sampler by its key in the recipe, or nothing."""
    sampler = {**entry.parameters, **parameters}.get("sampler")  # it cannot be an axis
    return {"sampler_version": version_of(get("knockoff", str(sampler)))} if sampler else {}


def _narrowed(value: Any, settings: Sequence[Setting]) -> Any:
    """Return a parameter by an axis with the values of these settings alone."""
    if not (isinstance(value, dict) and isinstance(value.get("values"), dict) and "axis" in value):
        return value
    axis = value["axis"]
    there = [{**setting.parameters, **setting.axes}.get(axis) for setting in settings]
    kept = {k: v for k, v in value["values"].items() if any(same(k, own) for own in there)}
    return next(iter(kept.values())) if len(kept) == 1 else {**value, "values": kept}


def created(recipe: Recipe, kind: str, written: Mapping[str, Any], setting: str) -> Any:
    """Make a method of a recipe, with its parameters in a setting; the generator takes axes too."""
    axes = recipe["settings"][setting]["axes"]
    taken = {axis: axes[axis] for axis in recipe["data_axes"]} if kind == "generator" else {}
    return get(kind, written["name"]).create(**_parameters(recipe, written, setting), **taken)


def _parameters(recipe: Recipe, written: Mapping[str, Any], setting: str) -> dict[str, Any]:
    names = {**recipe["generator"]["parameters"], **recipe["settings"][setting]["axes"]}
    return resolve(written["parameters"], names)


def seeds_of(recipe: Recipe, setting: str, learner: str) -> range:
    """Return the seeds of a learner in a setting; fewer than the block's if it has fewer."""
    first, last = recipe["seeds"]
    n_seeds = recipe.get("fewer_seeds", {}).get(learner, {}).get(setting, last + 1)
    return range(first, max(first, n_seeds))


def parts_of(recipe: Recipe, setting: str, learner: str) -> dict[str, str]:
    """Return what decides each part of a learner's rows in a setting, as a digest.

    A part is an importance, by its label, or ``""``: data, fit and predictions. Rows of a part
    whose digest is the same are the same rows, whatever else the recipe contains.
    """

    def plain(written: Mapping[str, Any]) -> dict[str, Any]:
        return {**written, "parameters": _parameters(recipe, written, setting)}

    fit = {
        **{key: recipe[key] for key in ("engine", "experiment", "generator", "metrics")},
        "setting": recipe["settings"][setting],
        "learner": {**plain(recipe["learners"][learner]), "label": learner, "importances": None},
    }
    asked = recipe["learners"][learner]["importances"]
    importances = {
        name: {**fit, "importance": plain(recipe["importances"][name])} for name in asked
    }
    return {part: short_digest(decides) for part, decides in {"": fit, **importances}.items()}


def recipe_changes(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Yield every place where two recipes differ, in words."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from recipe_changes(old.get(key), new.get(key), f"{place}.{key}")
    elif old != new:
        yield f"{place.lstrip('.')} was {old!r}, now {new!r}"
