"""A study with its names resolved: its settings, learners, importances and metrics."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from losaw import registry
from losaw.datasets import is_there
from losaw.study.design.expressions import evaluate, is_expression
from losaw.study.design.schema import SCALES, Scalar, StudyFile, parse
from losaw.study.design.settings import Setting, as_values, first_match, same, setting_identifier
from losaw.study.design.source_file import SourceFile
from losaw.study.errors import StudyError
from losaw.support.words import did_you_mean, unknown


@dataclass(frozen=True)
class Method:
    """A registered name under a label, with parameters that may be expressions."""

    label: str
    entry: registry.Entry
    parameters: Mapping[str, Any]
    importances: tuple[str, ...] = ()
    optional: bool = False

    def parameters_for(self, setting: Setting) -> dict[str, Any]:
        """Parameters with expressions and references evaluated in the setting's values."""
        names = {**setting.parameters, **setting.axes}
        return {key: _resolved(key, value, names) for key, value in self.parameters.items()}

    def at(self, setting: Setting) -> "Method":
        """The method with plain values as parameters."""
        return replace(self, parameters=self.parameters_for(setting))

    def create(self) -> Any:
        """A new instance, of plain values."""
        return self.entry.create(**self.parameters)

    def unavailable(self) -> str:
        """Return why an optional learner cannot run here; empty for any learner that can."""
        return str(self.entry.load().unavailable()) if self.optional else ""


class Study:
    """A study file with its names resolved.

    Parameters
    ----------
    path : Path
        The study file; its stem must be the study's name.
    scale : str or None
        The scale whose learners are meant, where the file has others ``at_scale``; None: those
        that stand first.
    added : dict or None
        Axis -> values that a request adds to those of the file.
    """

    def __init__(
        self,
        path: Path,
        scale: str | None = None,
        added: Mapping[str, Sequence[Scalar]] | None = None,
    ) -> None:
        self.source = SourceFile(path)
        self.scale = scale
        self.file: StudyFile = parse(StudyFile, self.source)
        self.added = added or {}
        for axis, values in self.added.items():
            self.file.settings[axis] = [*self.file.settings[axis], *values]
        if self.file.study != path.stem:
            raise self.source.error(
                ("study",), f"{self.file.study!r} must equal the file's name, {path.stem!r}"
            )

    def at(self, scale: str) -> "Study":
        """The study with the learners of another scale."""
        return self if scale == self.scale else Study(self.source.path, scale, self.added)

    @property
    def name(self) -> str:
        return self.file.study

    @property
    def experiment(self) -> str:
        """The name in the random streams: studies that share it see the same data."""
        return self.file.experiment or self.file.study

    @property
    def axes(self) -> list[str]:
        return list(self.file.settings)

    @property
    def data_axes(self) -> list[str]:
        """The axes that the generator takes."""
        return [axis for axis in self.axes if axis not in self.file.learner_axes]

    @property
    def text_axes(self) -> list[str]:
        """The axes with text among their values: the kind of data, a function, a task."""
        settings = self.file.settings.items()
        return [axis for axis, values in settings if any(isinstance(v, str) for v in values)]

    @cached_property
    def generator(self) -> Method:
        """The generator with its fixed parameters."""
        written = self.file.generator
        fixed = {"name": written} if isinstance(written, str) else dict(written)
        name = fixed.pop("name")
        return Method(name, self._entry("generator", name, ("generator",)), fixed)

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """The full grid, in the order of the file."""
        name, fixed = self.generator.entry.name, self.generator.parameters

        def make(*values: Scalar) -> Setting:
            axes = dict(zip(self.axes, values, strict=True))
            data_axes = {axis: axes[axis] for axis in self.data_axes}
            return Setting(
                setting_identifier(name, {**fixed, **axes}, self.axes),
                setting_identifier(name, {**fixed, **data_axes}, self.data_axes),
                axes,
                {**fixed, **data_axes},
            )

        return tuple(itertools.starmap(make, itertools.product(*self.file.settings.values())))

    @cached_property
    def learners(self) -> dict[str, Method]:
        """Label -> learner; ``{each: [...]}`` is spread into one learner of each value."""
        learners: dict[str, Method] = {}
        for label in self.file.learners:
            options = self.options_of(label)
            location = ("learners", label)
            entry = self._entry("learner", options.pop("learner"), (*location, "learner"))
            asked = tuple(options.pop("importances", self.importances))
            optional = bool(options.pop("optional", False))
            for name in asked:
                if name not in self.importances:
                    raise self.source.error(
                        (*location, "importances"),
                        unknown("importance", name, self.importances),
                    )
            for key, value in options.items():
                if _is_spread(value) and not isinstance(value["each"], list):
                    raise self.source.error((*location, key), "each: expected a list of values")
            for suffix, parameters in _spread(options):
                spread = label + suffix
                learners[spread] = Method(spread, entry, parameters, asked, optional)
        return learners

    def written_label(self, label: str) -> str:
        """The label in the file of a learner that ``{each: [...]}`` may have made."""
        return label if label in self.file.learners else label.partition("+")[0]

    def options_of(self, label: str) -> dict[str, Any]:
        """Return a learner's entry in the file at the study's scale, without ``at_scale``."""
        options = dict(self.file.learners[label])
        by_scale = self.at_scale(label)
        options.pop("at_scale", None)
        return {**options, **by_scale.get(self.scale or "", {})}

    def at_scale(self, label: str) -> dict[str, dict[str, Any]]:
        """Return by scale the options of a learner that differ there, as written."""
        location = ("learners", label, "at_scale")
        written = self.file.learners[label].get("at_scale", {})
        for scale, options in written.items():
            if scale not in SCALES:
                raise self.source.error((*location, scale), unknown("scale", scale, SCALES))
            for key in ("importances", "optional", "at_scale"):
                if key in options:
                    raise self.source.error(
                        (*location, scale, key), "is the same at all scales; leave it out here"
                    )
        return written

    @cached_property
    def differs_at_scale(self) -> dict[str, str]:
        """Label of a learner -> what differs of it at the study's scale, in a sentence."""
        said = {}
        for label, written in self.file.learners.items():
            other = self.at_scale(label).get(self.scale or "")
            if other:
                words = [
                    f"{key} {value}" + (f" in place of {written[key]}" if key in written else "")
                    for key, value in other.items()
                ]
                said[label] = f"{self.show(label)} at scale {self.scale}: {', '.join(words)}."
        return said

    def missing_data_sets(self) -> list[str]:
        """Real data sets (a parameter or axis ``data_set``) whose files are not there."""
        written = self.generator.parameters.get("data_set", [])
        named = [*as_values(written), *self.file.settings.get("data_set", [])]
        real = getattr(self.generator.entry.load(), "data_sets", ()) if named else ()
        return [str(name) for name in named if name in real and not is_there(str(name))]

    @cached_property
    def left_out(self) -> dict[str, str]:
        """Label of an optional learner that cannot run here -> why."""
        reasons = {label: learner.unavailable() for label, learner in self.learners.items()}
        return {label: reason for label, reason in reasons.items() if reason}

    @cached_property
    def importances(self) -> dict[str, Method]:
        """Label -> importance."""
        return self._methods("importance", self.file.importances)

    @cached_property
    def metrics(self) -> dict[str, Method]:
        """Label -> metric."""
        return self._methods("metric", self.file.metrics)

    def _methods(self, kind: str, written: list[str] | dict[str, dict[str, Any]]) -> dict:
        if isinstance(written, list):
            written = {name: {} for name in written}
        methods = {}
        for label, options in written.items():
            parameters = dict(options)
            entry = self._entry(kind, parameters.pop(kind, label), (f"{kind}s", label))
            methods[label] = Method(label, entry, parameters)
        return methods

    @cached_property
    def _settings_by_identifier(self) -> dict[str, Setting]:
        return {setting.identifier: setting for setting in self.settings}

    def setting(self, identifier: str) -> Setting:
        """The setting of an identifier."""
        known = self._settings_by_identifier
        if identifier not in known:
            raise StudyError(
                f"study {self.name!r} has no setting {identifier!r}"
                f"{did_you_mean(identifier, known)}"
            )
        return known[identifier]

    def learner(self, label: str) -> Method:
        """The learner of a label."""
        if label not in self.learners:
            raise StudyError(f"study {self.name!r}: {unknown('learner', label, self.learners)}")
        return self.learners[label]

    def seeds(self, scale: str, setting: Setting, learner: str) -> int:
        """Seeds of a setting and learner at a scale; 0 if the scale leaves them out.

        A value that a request has added has the fewest seeds of any other value.
        """
        written = self.file.seeds[scale]
        if isinstance(written, int):
            return written
        entries = [e for e in written if learner in as_values(e.get("learner", learner))]
        keys = ["seeds", "learner"]
        if entry := first_match(entries, setting, keys):
            return int(entry["seeds"])
        keys += [axis for axis, values in self.added.items() if setting.axes[axis] in values]
        others = [e for e in entries if first_match([e], setting, keys)] if len(keys) > 2 else []
        return min((int(e["seeds"]) for e in others), default=0)

    def seconds_per_seed(self, setting: Setting, learner: str) -> float | None:
        """Measured cost of a replicate; None where the file states none."""
        written = self.file.seconds_per_seed
        entries = [
            entry
            for entry in written
            if learner in as_values(entry.get("learner", learner))
            and self.scale in as_values(entry.get("scale", self.scale))
        ]
        entry = first_match(entries, setting, ("learner", "scale", "seconds"))
        return float(entry["seconds"]) if entry else None

    def method_name(self, learner: str, importance: str) -> str:
        """The name of a column of the comparison."""
        return self._method.format(learner=learner, importance=importance).strip() or learner

    @cached_property
    def _method(self) -> str:
        if self.file.method is not None:
            return self.file.method
        has_several = any(len(learner.importances) > 1 for learner in self.learners.values())
        return "{learner} {importance}" if has_several else "{learner}"

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


def _resolved(key: str, value: Any, names: Mapping[str, Any]) -> Any:
    """A parameter's value where the setting's names have the given values."""
    if isinstance(value, dict) and "axis" in value and set(value) <= {"axis", "values"}:
        axis = value["axis"]
        if not isinstance(axis, str) or axis not in names:
            raise ValueError(f"{key}: {unknown('axis', axis, names)}")
        if "values" not in value:
            return names[axis]
        if not isinstance(value["values"], dict):
            raise ValueError(f"{key}: values: expected a mapping of the values of {axis}")
        for known, parameter in value["values"].items():
            if same(known, names[axis]):
                return parameter
        raise ValueError(
            f"{key}: no value for {axis} = {names[axis]!r} (there are values for "
            f"{', '.join(map(str, value['values']))})"
        )
    return evaluate(value, names) if is_expression(value) else value


def _is_spread(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"each"}


def _spread(options: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    axes = {key: value["each"] for key, value in options.items() if _is_spread(value)}
    for values in itertools.product(*axes.values()):
        fixed = dict(zip(axes, values, strict=True))
        suffix = "".join(f"+{key}={value}" for key, value in fixed.items())
        yield suffix, {**options, **fixed}
