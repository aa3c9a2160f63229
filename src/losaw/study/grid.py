"""A study resolved: its settings, learners and importances, and selections of them."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from losaw import registry
from losaw.registry import did_you_mean, unknown
from losaw.study.canonical import setting_identifier
from losaw.study.errors import SourceFile, StudyError
from losaw.study.expressions import evaluate, is_expression
from losaw.study.schema import Scalar, StudyFile, parse

Selection = Mapping[str, Sequence[Scalar]]


@dataclass(frozen=True)
class Setting:
    """One point of the grid: everything that decides the data.

    Attributes
    ----------
    identifier : str
        Readable slug and digest; names the folder.
    axes : dict
        Axis -> value, as in the study file.
    parameters : dict
        What the generator is constructed with: the axes and the fixed parameters.
    """

    identifier: str
    axes: Mapping[str, Scalar]
    parameters: Mapping[str, Any]

    def matches(self, selection: Selection) -> bool:
        """Whether every selected axis of this setting has one of the selected values."""
        return all(
            axis not in self.axes or any(same(self.axes[axis], value) for value in values)
            for axis, values in selection.items()
        )


@dataclass(frozen=True)
class Method:
    """A registered name under a label, with parameters that may be expressions."""

    label: str
    entry: registry.Entry
    parameters: Mapping[str, Any]
    importances: tuple[str, ...] = ()

    def parameters_for(self, setting: Setting) -> dict[str, Any]:
        """Parameters with their expressions evaluated in the setting's values."""
        names = {**setting.parameters, **setting.axes}
        return {
            key: evaluate(value, names) if is_expression(value) else value
            for key, value in self.parameters.items()
        }


class Study:
    """A study file with its names resolved.

    Parameters
    ----------
    path : Path
        The study file; its stem must be the study's name.
    """

    def __init__(self, path: Path) -> None:
        self.source = SourceFile(path)
        self.file: StudyFile = parse(StudyFile, self.source)
        if self.file.study != path.stem:
            raise self.source.error(
                ("study",), f"{self.file.study!r} must equal the file's name, {path.stem!r}"
            )

    @property
    def name(self) -> str:
        return self.file.study

    @property
    def experiment(self) -> str:
        """The streams' axis: studies that share it see the same data."""
        return self.file.experiment or self.file.study

    @property
    def axes(self) -> list[str]:
        return list(self.file.settings)

    @cached_property
    def generator(self) -> Method:
        """The generator with its fixed parameters."""
        written = self.file.generator
        fixed = {"name": written} if isinstance(written, str) else dict(written)
        if "name" not in fixed:
            raise self.source.error(("generator",), "needs a 'name'")
        name = fixed.pop("name")
        return Method(name, self._entry("generator", name, ("generator",)), fixed)

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """The full grid, in the order of the file."""
        return tuple(
            Setting(
                setting_identifier(
                    self.generator.entry.name, {**self.generator.parameters, **axes}, self.axes
                ),
                axes,
                {**self.generator.parameters, **axes},
            )
            for axes in (
                dict(zip(self.axes, values, strict=True))
                for values in itertools.product(*self.file.settings.values())
            )
        )

    @cached_property
    def learners(self) -> dict[str, Method]:
        """Label -> learner; ``{each: [...]}`` is spread into one learner of each value."""
        found: dict[str, Method] = {}
        for label, written in self.file.learners.items():
            options = dict(written)
            location = ("learners", label)
            if "learner" not in options:
                raise self.source.error(location, "needs 'learner', a registered name")
            entry = self._entry("learner", options.pop("learner"), (*location, "learner"))
            asked = tuple(options.pop("importances", self.importances))
            for name in asked:
                if name not in self.importances:
                    raise self.source.error(
                        (*location, "importances"),
                        unknown("importance", name, self.importances),
                    )
            for suffix, parameters in _spread(options):
                found[label + suffix] = Method(label + suffix, entry, parameters, asked)
        return found

    @cached_property
    def importances(self) -> dict[str, Method]:
        """Label -> importance."""
        written = self.file.importances
        if isinstance(written, list):
            written = {name: {"importance": name} for name in written}
        found = {}
        for label, options in written.items():
            location = ("importances", label)
            parameters = dict(options)
            name = parameters.pop("importance", label)
            found[label] = Method(label, self._entry("importance", name, location), parameters)
        return found

    @cached_property
    def metrics(self) -> dict[str, Method]:
        """Name -> metric."""
        return {
            name: Method(name, self._entry("metric", name, ("metrics", index)), {})
            for index, name in enumerate(self.file.metrics)
        }

    def setting(self, identifier: str) -> Setting:
        """The setting of an identifier."""
        for setting in self.settings:
            if setting.identifier == identifier:
                return setting
        raise StudyError(
            f"study {self.name!r} has no setting {identifier!r}"
            f"{did_you_mean(identifier, [s.identifier for s in self.settings])}"
        )

    def learner(self, label: str) -> Method:
        """The learner of a label."""
        if label not in self.learners:
            raise StudyError(f"study {self.name!r}: {unknown('learner', label, self.learners)}")
        return self.learners[label]

    def seeds(self, scale: str, setting: Setting) -> int:
        """Number of seeds of a setting at a scale; 0 if the scale leaves it out."""
        written = self.file.seeds[scale]
        if isinstance(written, int):
            return written
        entry = first_match(written, setting, ("seeds",))
        return int(entry["seeds"]) if entry else 0

    def method_name(self, learner: str, importance: str) -> str:
        """The name of a column of the comparison."""
        return self.file.method.format(learner=learner, importance=importance).strip()

    def methods_of(self, metric: str) -> list[str]:
        """Names of a metric's columns: one per learner, or per learner and importance."""
        needs = self.metrics[metric].entry.load().needs
        names = [
            self.method_name(label, importance)
            for label, learner in self.learners.items()
            for importance in (learner.importances if needs == "importance" else ("",))
        ]
        return list(dict.fromkeys(names))

    def show(self, name: Any) -> str:
        """The label of a name for tables and figures."""
        return self.file.labels.get(str(name), str(name))

    def _entry(self, kind: str, name: str, location: tuple[str | int, ...]) -> registry.Entry:
        try:
            return registry.get(kind, name)
        except registry.RegistryError as error:
            raise self.source.error(location, str(error)) from None


def same(value: Scalar, other: Any) -> bool:
    """Equality that lets ``1`` on a command line mean ``1.0`` in a study file."""
    if isinstance(value, bool) or isinstance(other, bool):
        return str(value).lower() == str(other).lower()
    try:
        return float(value) == float(other)
    except (TypeError, ValueError):
        return str(value) == str(other)


def as_values(written: Any) -> list[Any]:
    """A filter's value as a list."""
    return list(written) if isinstance(written, list | tuple) else [written]


def first_match(
    entries: Sequence[Mapping[str, Any]], setting: Setting, other_keys: Sequence[str]
) -> Mapping[str, Any] | None:
    """The first ``{<axis>: values, …}`` entry whose axes all agree with the setting."""
    for entry in entries:
        selection = {k: as_values(v) for k, v in entry.items() if k not in other_keys}
        if setting.matches(selection):
            return entry
    return None


def _spread(options: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    axes = {
        key: value["each"]
        for key, value in options.items()
        if isinstance(value, dict) and set(value) == {"each"}
    }
    for values in itertools.product(*axes.values()):
        chosen = dict(zip(axes, values, strict=True))
        suffix = "".join(f"+{key}={value}" for key, value in chosen.items())
        yield suffix, {**options, **chosen}
