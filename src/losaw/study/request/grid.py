"""A study with its names resolved: its settings, learners, importances and metrics."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from losaw.study import registry
from losaw.study.datasets import DatasetError, is_there
from losaw.study.errors import FAILURES, StudyError, part_of
from losaw.study.estimates import data_and_truths, dataset_of
from losaw.study.registry.plugins import load_plugin
from losaw.study.request.settings import Setting, matches, same, setting_identifier
from losaw.study.request.study_file import (
    SCALES,
    Options,
    Scalar,
    SourceFile,
    StudyFile,
    Summary,
    parse,
)
from losaw.support.words import unknown

# Of a fit whose cost the study file does not state.
UNMEASURED_SECONDS = 1.0
EACH = "each"  # of the features, or the estimands, of a metric


@dataclass(frozen=True)
class Method:
    """A registered name under a label, with parameters that may depend on axes."""

    label: str
    entry: registry.Registration
    parameters: Mapping[str, Any]
    importances: tuple[str, ...] = ()

    def about(self, name: str, default: Any) -> Any:
        """Return what a metric says of itself, which a user's own may leave out."""
        return getattr(self.entry.load(), name, default)


class Study:
    """A study file with its names resolved; the file's stem must be the study's name.

    ``scale`` is that whose learners are meant, where ``scales`` in the file changes some; None: as
    they stand there first. A metric with ``feature: each`` stands for
    one of every feature, with ``estimand: each`` for one of every estimand.
    """

    def __init__(self, path: Path, scale: str | None = None) -> None:
        self.source = SourceFile(path)
        self.scale = scale
        self.file: StudyFile = parse(StudyFile, self.source)
        self.plugins = [path.parent / plugin for plugin in self.file.plugins]
        for plugin in self.plugins:
            load_plugin(plugin)
        for other, at_scale in self.file.scales.items():
            self.source.check_known(other, SCALES, ("scales", other), "scale")
            for label in at_scale.learners:
                location = ("scales", other, "learners", label)
                self.source.check_known(label, self.file.learners, location, "learner")
        self._written_learners = self.source.data.get("learners", {})
        self._changes = self.file.scales[scale].learners if scale in self.file.scales else {}
        if self._changes:  # in the place of the options that stand first
            learners = self._written_learners
            changed = {k: {**learners[k], **options} for k, options in self._changes.items()}
            self.source.data["learners"] = {**learners, **changed}
            self.file = parse(StudyFile, self.source)
        metrics = self.file.metrics.items()
        each = [(k, key) for k, w in metrics for key, v in w.parameters.items() if v == EACH]
        self.undrawn: StudyError | None = None  # a slip elsewhere has a better message
        for label, key in each:
            self._spread(label, key)
        if each:
            self.file = parse(StudyFile, self.source)
        if self.file.study != path.stem:
            raise self.source.error(
                ("study",), f"{self.file.study!r} must equal the file's name, {path.stem!r}"
            )

    def _spread(self, label: str, key: str) -> None:
        """Put a metric of every feature, ``<label>_<feature>``, in the place of one of each.

        Where the settings have other features, the metric of one is empty where it is not there. So
        for estimands.
        """
        setting, found = None, []
        try:
            for setting in {one.data_identifier: one for one in self.settings}.values():
                generator = self.generator.entry.create(**setting.parameters)
                drawn = generator.sample(np.random.default_rng(0))
                is_feature = self.learner_kind == "learner"
                names = dataset_of(drawn).feature_names if is_feature else data_and_truths(drawn)[1]
                found.append([*names])
        except FAILURES as error:
            where = f" of setting {setting.identifier}" if setting else ""
            words = repr(error) if isinstance(error, SystemExit) else error
            message = f"the {key.rstrip('s')}s{where} cannot be drawn: {words}"
            self.undrawn = self.source.error(("metrics", label, key), message)
            return
        features = dict.fromkeys(itertools.chain(*found))
        data, written = self.source.data, dict(self.source.data["metrics"][label])
        written.setdefault("metric", label)
        spread = {}
        for feature in features:
            options = {**written, key: [feature] if key == "features" else feature}
            missing = {} if all(feature in names for names in found) else {"optional": True}
            spread[f"{label}_{feature}"] = {**options, **missing}

        for name in spread:
            if name in data["metrics"] and name != label:
                message = f"is a metric that {label!r} makes by '{key}: each'; choose another label"
                raise self.source.error(("metrics", name), message)

        def put(values: Mapping[str, Any], each: Mapping[str, Any]) -> dict[str, Any]:
            parts = [each if name == label else {name: values[name]} for name in values]
            return {name: value for part in parts for name, value in part.items()}

        data["metrics"] = put(data["metrics"], spread)
        margins = data.get("margins", {})
        of_all = {name: margins.get(label) for name in spread if name not in margins}
        data["margins"] = put(margins, of_all)
        for table in data.get("tables", {}).values():
            if table.get("metrics"):
                table["metrics"] = [*put(dict.fromkeys(table["metrics"]), spread)]

    @property
    def name(self) -> str:
        return self.file.study

    @property
    def experiment(self) -> str:
        """The name in the random streams: studies that share it see the same data."""
        return self.file.experiment or self.file.study

    @cached_property
    def axes(self) -> list[str]:
        return list(self.file.axes)

    @property
    def data_axes(self) -> list[str]:
        """The axes that the generator takes."""
        return [axis for axis in self.axes if axis not in self.file.learner_axes]

    @property
    def text_axes(self) -> list[str]:
        """The axes with text among their values: the kind of data, a function, a task."""
        axes = self.file.axes.items()
        return [axis for axis, values in axes if any(isinstance(v, str) for v in values)]

    @cached_property
    def generator(self) -> Method:
        """The generator with its fixed parameters."""
        return self._made("generator", self.file.generator.name, self.file.generator)

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

        products = [
            values
            for entry in self.file.settings or [{}]
            for values in itertools.product(*(entry[axis] for axis in self.axes))
        ]
        return tuple(itertools.starmap(make, products))

    @property
    def learner_kind(self) -> str:
        """What the methods are that see the data: "learner" or "estimator"."""
        return "estimator" if self.file.estimators else "learner"

    @cached_property
    def learners(self) -> dict[str, Method]:
        """Label -> learner, or estimator."""
        estimators = self.file.estimators.items()
        learners = {label: self._made("estimator", label, w) for label, w in estimators}
        for label, written in self.file.learners.items():
            made = self._made("learner", label, written)
            asked = self.importances if written.importances is None else written.importances
            for name in asked:
                location = ("learners", label, "importances")
                self.source.check_known(name, self.importances, location, "importance")
            learners[label] = replace(made, importances=tuple(asked))
        return learners

    @cached_property
    def differs_at_scale(self) -> dict[str, str]:
        """Label of a learner -> what differs of it at the study's scale, in a sentence."""
        said = {}
        for label, other in self._changes.items():
            written = self._written_learners[label]
            words = [
                f"{key} {value}" + (f" in place of {written[key]}" if key in written else "")
                for key, value in other.items()
            ]
            said[label] = f"{self.show(label)} at scale {self.scale}: {', '.join(words)}."
        return said

    def law_of(self, setting: Setting) -> Any:
        """Return the specification of the joint law of a setting's data; None if it has none.

        A generator with such a law has the method ``joint_law()``; its ``sample`` has the law that
        is fitted once for all draws from :func:`losaw.study.generators.joint_law.fit.law_of`.
        """
        if not hasattr(self.generator.entry.load(), "joint_law"):
            return None
        return self.generator.entry.create(**setting.parameters).joint_law()

    def missing_data_sets(self, settings: Iterable[Setting]) -> list[str]:
        """Real data sets that some settings read and whose files are not there.

        A generator names what it reads of :mod:`losaw.study.datasets` in its attribute
        ``real_data_set``.
        """
        create = self.generator.entry.create
        read = {getattr(create(**s.parameters), "real_data_set", None) for s in settings}
        try:
            return sorted(name for name in read if name is not None and not is_there(name))
        except DatasetError as error:
            raise self.source.error(("generator",), f"real_data_set: {error}") from None

    @cached_property
    def left_out(self) -> dict[str, str]:
        """Label of an optional learner that cannot run here, or an importance of it -> why."""
        optional = [label for label, written in self.file.learners.items() if written.optional]
        reasons = {k: [str(one.unavailable()) for one in self.able_to_say(k)] for k in optional}
        return {label: next(filter(None, of)) for label, of in reasons.items() if any(of)}

    def able_to_say(self, learner: str) -> list[Any]:
        """Return a learner and its importances, those that can say where they are unavailable."""
        made = self.learners[learner]
        importances = (self.importances[name] for name in made.importances)
        loaded = [one.entry.load() for one in (made, *importances)]
        return [one for one in loaded if hasattr(one, "unavailable")]

    @cached_property
    def importances(self) -> dict[str, Method]:
        """Label -> importance; those that learners name without a label have their own name."""
        asked = {name for one in self.file.learners.values() for name in one.importances or ()}
        bare = asked.intersection(registry.names("importance")).difference(self.file.importances)
        written = {**self.file.importances, **dict.fromkeys(sorted(bare), Options())}
        return {k: self._made("importance", k, w) for k, w in written.items()}

    @cached_property
    def metrics(self) -> dict[str, Method]:
        """Label -> metric."""
        return {k: self._made("metric", k, w) for k, w in self.file.metrics.items()}

    @cached_property
    def decisions(self) -> set[str]:
        """The metrics whose means are shares of yes-or-no decisions."""
        judging = (name for name, one in self.metrics.items() if one.about("is_decision", False))
        return {name for name in judging if self.summaries[name] == "mean"}

    def judges(self, metric: str) -> bool:
        """Whether a larger, or smaller, value says that a method is better.

        Of the ``features`` of a study file nobody knows whether they should be found, and a spread
        says nothing of it.
        """
        describes = "features" in self.metrics[metric].parameters or self.summaries[metric] == "sd"
        return not describes and bool(self.metrics[metric].about("ranks_methods", True))

    def ranks(self, metric: str) -> bool:
        """Whether methods can be ranked by a metric, run by run."""
        return self.judges(metric) and self.summaries[metric] == "mean"

    @cached_property
    def summaries(self) -> dict[str, Summary]:
        """Metric -> what is taken of its runs."""
        written = self.file.metrics
        metrics = self.metrics.items()
        return {k: written[k].summary or one.about("summary", "mean") for k, one in metrics}

    def unknown_metric(self, name: str) -> str:
        """Say that no metric has a name, and how there are metrics of every feature."""
        words = unknown("metric", name, self.metrics)
        for label, written in self.file.metrics.items():
            for key in ("feature", "features", "estimand"):
                if key in written.parameters and name.startswith(f"{label}_"):
                    one = key.rstrip("s")
                    words += f"; `{key}: each` of {label!r} makes {label}_<{one}> for every {one}"
        return words

    def range_of(self, metric: str) -> tuple[float, float]:
        """The smallest and the largest value of what is taken of the runs of a metric."""
        if self.summaries[metric] in ("sd", "root-mean"):
            return -math.inf, math.inf
        low, high = self.metrics[metric].entry.load().range
        return low, high

    def _made(self, kind: str, label: str, written: Options) -> Method:
        """The method of the registered name that an entry gives, by default its label."""
        parameters = written.parameters
        name = parameters.pop(kind, None) or getattr(written, kind, label)
        try:
            entry = registry.get(kind, str(name))
        except registry.RegistryError as error:
            location = (kind,) if kind == "generator" else (f"{kind}s", label)
            raise self.source.error(location, str(error)) from None
        return Method(label, entry, parameters)

    def setting(self, identifier: str) -> Setting:
        """The setting of an identifier."""
        settings = {setting.identifier: setting for setting in self.settings}
        return part_of("setting", identifier, settings, f"study {self.name!r}: ")

    def seeds(self, scale: str, setting: Setting, learner: str) -> int:
        """Seeds of a setting and learner at a scale; 0 if the scale leaves them out."""
        names = {**setting.axes, "learner": learner}
        entries = self.file.seeds.get(scale, ())
        return next((entry.seeds for entry in entries if matches(entry.where, names)), 0)

    def seeds_in_a_block(self, setting: Setting) -> int:
        """Number of seeds that a file holds."""
        entries = self.file.blocks.seeds
        return next((entry.seeds for entry in entries if setting.matches(entry.where)), 25)

    def cost_of_seed(self, setting: Setting, learner: str) -> tuple[float, bool]:
        """Seconds of a fit with its importances, and whether the study file states them."""
        names = {**setting.axes, "learner": learner, "scale": self.scale}
        costs = (one.seconds for one in self.file.seconds_per_seed if matches(one.where, names))
        stated = next(costs, None)
        return stated or UNMEASURED_SECONDS, stated is not None

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
        pairs = ((label, one) for label in self.learners for one in self.measured(metric, label))
        return list(dict.fromkeys(itertools.starmap(self.method_name, pairs)))

    def measured(self, metric: str, learner: str) -> tuple[str, ...]:
        """The importances of a learner that a metric measures; ``("",)`` for its predictions."""
        needs = self.metrics[metric].entry.load().needs
        return self.learners[learner].importances if needs == "importance" else ("",)

    @property
    def methods(self) -> list[str]:
        """Names of the columns of all metrics."""
        names = (name for metric in self.metrics for name in self.methods_of(metric))
        return list(dict.fromkeys(names))

    @property
    def cell_names(self) -> dict[str, list[str]]:
        """The names that cells of tables have, by the columns of the comparison."""
        titles = list(map(table_title, self.file.tables))
        return {"table": titles, "metric": list(self.metrics), "method": self.methods}

    def cells(self) -> Iterator[tuple[str, Setting, dict[str, Any]]]:
        """Yield (table, setting, axes with metric and method) of every cell of every table."""
        for name, layout in self.file.tables.items():
            for setting in filter(lambda one: one.matches(layout.where), self.settings):
                for metric in layout.metrics or self.metrics:
                    for method in self.methods_of(metric):
                        names = {"metric": metric, "method": method}
                        yield name, setting, {"table": table_title(name), **setting.axes, **names}

    def show(self, name: Any) -> str:
        """The label of a name for tables and figures."""
        return self.file.labels.get(str(name), str(name))


def table_title(name: str) -> str:
    """``table_2`` as papers write it: ``Table 2``."""
    return name.replace("_", " ").capitalize()


def resolve(parameters: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """Replace ``{axis: <name>}`` and ``{axis: <name>, values: {…}}`` by the value in a setting."""
    return {key: _resolved(key, value, names) for key, value in parameters.items()}


def _resolved(key: str, value: Any, names: Mapping[str, Any]) -> Any:
    if not (isinstance(value, dict) and value.keys() & {"axis", "values"}):
        return value
    for strange in value.keys() - {"axis", "values"}:
        raise ValueError(f"{key}: {unknown('key', strange, ('axis', 'values'))}")
    axis = value.get("axis")
    if not isinstance(axis, str) or axis not in names:
        raise ValueError(f"{key}: {unknown('axis', axis, names)}")
    if "values" not in value:
        return names[axis]
    if not isinstance(value["values"], dict):
        raise ValueError(f"{key}: values: expected a mapping of the values of {axis}")
    for one, parameter in value["values"].items():
        if same(one, names[axis]):
            return parameter
    raise ValueError(
        f"{key}: no value for {axis} = {names[axis]!r} (there are values for "
        f"{', '.join(map(str, value['values']))})"
    )
