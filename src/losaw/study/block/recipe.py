"""The recipe of a block: everything that decides its rows.

As plain values it is a parameter of Snakemake's rule and in the footer of the file; a job computes
from it alone. A changed recipe makes Snakemake compute its blocks again, and no others; the rows of
unchanged fits are taken from the last file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

from losaw.study.errors import StudyError
from losaw.study.registry import Registration, get
from losaw.study.registry.versions import version_of
from losaw.study.request.grid import Method, Study, resolve, same
from losaw.study.request.settings import Setting, short_digest

# Raised when the order of steps in a replicate, or a random stream, changes.
ENGINE_VERSION = 1
Pair = tuple[str, str]  # a setting's identifier and a learner's label


@dataclass(frozen=True)
class Written:
    """A method as a recipe has it; of a learner with the labels of its importances."""

    name: str
    version: int | str
    parameters: dict[str, Any]  # they may depend on axes
    sampler_version: int | str | None = None  # of the knockoffs that it draws
    importances: list[str] | None = None

    @classmethod
    def now(
        cls, entry: Registration, parameters: dict[str, Any], importances: list[str] | None
    ) -> "Written":
        """Return a registered method with the versions that it and its sampler have now."""
        sampler = {**entry.parameters, **parameters}.get("sampler")  # it cannot be an axis
        of_sampler = version_of(get("knockoff", str(sampler))) if sampler else None
        return cls(entry.name, version_of(entry), parameters, of_sampler, importances)


@dataclass(frozen=True)
class Conditions:
    """A setting as a recipe has it."""

    data: str  # the identifier without the learner axes
    axes: dict[str, Any]
    law: str | None = None  # the identifier of the joint law of its data


@dataclass(frozen=True)
class Recipe:
    """What decides the rows of a block: other content makes other rows, and nothing else does."""

    engine: int
    study: str
    experiment: str
    generator: Written
    data_axes: list[str]
    settings: dict[str, Conditions]  # by identifier
    learners: dict[str, Written]  # by label, as the others are
    importances: dict[str, Written]
    metrics: dict[str, Written]
    seeds: list[int] = field(default_factory=lambda: [0, 0])  # the block's first and last
    fewer_seeds: dict[str, dict[str, int]] | None = None  # learner -> setting -> number, if fewer
    learner_kind: str | None = None  # "estimator" where these stand for learners

    @classmethod
    def of(cls, study: Study, cells: Sequence[tuple[Setting, str]]) -> "Recipe":
        """Return the recipe of some settings and learners of a study."""
        settings = list({setting.identifier: setting for setting, _ in cells}.values())
        labels = dict.fromkeys(label for _, label in cells)
        learners = {label: study.learners[label] for label in labels}
        asked = dict.fromkeys(name for one in learners.values() for name in one.importances)

        def written(method: Method, importances: list[str] | None = None) -> Written:
            parameters = {k: _narrowed(v, settings) for k, v in method.parameters.items()}
            return Written.now(method.entry, parameters, importances)

        return cls(
            engine=ENGINE_VERSION,
            study=study.name,
            experiment=study.experiment,
            generator=written(study.generator),
            data_axes=study.data_axes,
            settings={
                setting.identifier: Conditions(
                    setting.data_identifier,
                    dict(setting.axes),
                    law.identifier if (law := study.law_of(setting)) else None,
                )
                for setting in settings
            },
            learners={
                label: written(one, list(one.importances)) for label, one in learners.items()
            },
            importances={name: written(study.importances[name]) for name in asked},
            metrics={name: written(one) for name, one in study.metrics.items()},
            learner_kind=None if study.learner_kind == "learner" else study.learner_kind,
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Recipe":
        """Return the recipe of plain values."""
        settings = {name: Conditions(**one) for name, one in values["settings"].items()}
        methods = {
            kind: {label: Written(**one) for label, one in values[kind].items()}
            for kind in ("learners", "importances", "metrics")
        }
        generator = Written(**values["generator"])
        return cls(**{**values, "generator": generator, "settings": settings, **methods})

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, without what is None."""
        return asdict(self, dict_factory=_without_none)

    @cached_property
    def methods(self) -> dict[tuple[str, str], Written]:
        """All methods by kind and label; the generator has none."""
        learners = {self.learner_kind or "learner": self.learners}
        kinds = {**learners, "importance": self.importances, "metric": self.metrics}
        labelled = {(kind, name): one for kind, of in kinds.items() for name, one in of.items()}
        return {("generator", ""): self.generator, **labelled}

    def check_versions(self) -> None:
        """Raise an error if a method or sampler was edited since the run began: a plugin's."""
        for (kind, _), one in self.methods.items():
            if Written.now(get(kind, one.name), one.parameters, one.importances) != one:
                words = f"{kind} {one.name!r} or its sampler has been edited since the run began"
                raise StudyError(f"{words}; run the same command again")

    def pairs(self, learners: Iterable[str] | None = None) -> Iterator[Pair]:
        """Yield the settings and learners that have seeds; of some learners or of all."""
        for pair in product(self.settings, self.learners if learners is None else learners):
            if self.seeds_of(*pair):
                yield pair

    def seeds_of(self, setting: str, learner: str) -> range:
        """Return the seeds of a learner in a setting; fewer than the block's if it has fewer."""
        first, last = self.seeds
        n_seeds = (self.fewer_seeds or {}).get(learner, {}).get(setting, last + 1)
        return range(first, max(first, n_seeds))

    def make(self, kind: str, label: str, setting: str) -> Any:
        """Make a method with its parameters in a setting; the generator takes axes too."""
        written = self.method(kind, label, setting)
        axes = self.data_axes if kind == "generator" else ()
        own = {axis: self.settings[setting].axes[axis] for axis in axes}
        return get(kind, written["name"]).create(**written["parameters"], **own)

    def method(self, kind: str, label: str, setting: str) -> dict[str, Any]:
        """Return what decides the numbers of a method in a setting."""
        written = self.methods[kind, label]
        names = {**self.generator.parameters, **self.settings[setting].axes}
        parameters = resolve(written.parameters, names)
        return asdict(replace(written, parameters=parameters, importances=None))

    def digests(self, setting: str, learner: str) -> dict[str, str]:
        """Return what decides each part of a learner's rows in a setting, as a digest.

        A part is an importance, by its label, or ``""``: data, fit and predictions.
        What a metric measures of a part whose digest is the same is the same, whatever else the
        recipe contains: other metrics too.
        """
        kind = self.learner_kind or "learner"
        fit = [
            *(self.engine, self.experiment, asdict(self.settings[setting]), learner),
            *(self.method(*one, setting) for one in (("generator", ""), (kind, learner))),
        ]
        parts = {"": fit}
        for label in self.learners[learner].importances or ():
            parts[label] = [*fit, self.method("importance", label, setting)]
        return {part: short_digest(decides) for part, decides in parts.items()}


def _without_none(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in items if value is not None}


def _narrowed(value: Any, settings: Sequence[Setting]) -> Any:
    """Return a parameter by an axis with the values of these settings alone."""
    if not (isinstance(value, dict) and isinstance(value.get("values"), dict) and "axis" in value):
        return value
    axis = value["axis"]
    there = [{**setting.parameters, **setting.axes}.get(axis) for setting in settings]
    kept = {k: v for k, v in value["values"].items() if any(same(k, own) for own in there)}
    return next(iter(kept.values())) if len(kept) == 1 else {**value, "values": kept}


def recipe_changes(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Yield every place where two recipes differ, in words."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from recipe_changes(old.get(key), new.get(key), f"{place}.{key}")
    elif old != new:
        yield f"{place.lstrip('.')} was {old!r}, now {new!r}"
