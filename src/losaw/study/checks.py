"""Checks that need resolved names, made before the first job starts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from losaw.study.grid import Method, Study
from losaw.study.registry.catalogue import EXTRAS
from losaw.study.settings import as_values, safe_name, same
from losaw.study.study_file import EVERY_STUDY_HAS, SCALES, Location
from losaw.support.extras import LIBRARIES, MissingExtraError, require
from losaw.support.words import unknown

CELL_AXES = ("metric", "method")


def validate(study: Study) -> None:
    """Check every name, parameter, axis and value of a study.

    Raises
    ------
    StudyError
        For the first problem, with file, key, value, what is allowed and the nearest match.
    """
    _check_scales(study)
    for index, axis in enumerate(study.file.learner_axes):
        _check_known(study, axis, study.axes, ("learner_axes", index), "axis")
    for axis, values in study.file.settings.items():
        counted = Counter(map(safe_name, values))
        twice = [str(value) for value in values if counted[safe_name(value)] > 1]
        if twice:
            message = f"has two values of one name in files: {', '.join(twice)}"
            raise study.source.error(("settings", axis), message)
    for index, axis in enumerate(study.file.blocks.inside):
        _check_known(study, axis, study.axes, ("blocks", "inside", index), "axis")
    widths = study.file.blocks.seeds
    for index, entry in enumerate(widths if isinstance(widths, list) else []):
        _check_filter(study, entry, ("blocks", "seeds", index), other_keys=("seeds",))
    learners = list(study.learners.values())
    _check_parameters(study, learners)
    for setting in study.settings:
        methods = [("learners", method) for method in learners]
        methods += [("importances", method) for method in study.importances.values()]
        for key, method in methods:
            try:
                method.parameters_for(setting)
            except (TypeError, ValueError, ArithmeticError) as error:
                location = (key, method.label)
                raise study.source.error(
                    location, f"setting {setting.identifier}: {error}"
                ) from None
        try:
            study.generator.entry.create(**setting.parameters)
        except (TypeError, ValueError) as error:
            raise study.source.error(("settings",), f"{setting.identifier}: {error}") from None
    for label, method in study.metrics.items():
        try:
            method.entry.create(**method.parameters)
        except (TypeError, ValueError) as error:
            raise study.source.error(("metrics", label), str(error)) from None
    _check_method_names(study)
    for index, entry in enumerate(study.file.seconds_per_seed):
        place: Location = ("seconds_per_seed", index)
        _check_filter(study, entry, place, ("learner", "scale", "seconds"))
        for scale in as_values(entry.get("scale", [])):
            _check_known(study, scale, SCALES, (*place, "scale"), "scale")
    _check_cells(study)
    for metric in study.file.margins:
        _check_known(study, metric, study.metrics, ("margins", metric), "metric")
    for name, table in study.file.tables.items():
        _check_filter(study, table.where, ("tables", name, "where"))
        allowed = [*study.axes, *CELL_AXES]
        for part, axes in (("rows", table.rows), ("columns", table.columns)):
            for axis in axes:
                _check_known(study, axis, allowed, ("tables", name, part), "axis")
        for metric in table.metrics or ():
            _check_known(study, metric, study.metrics, ("tables", name, "metrics"), "metric")


def check_extras(study: Study, learners: Iterable[str]) -> None:
    """Check that what the given learners and their importances import is installed.

    Only for a session that runs: results are read without what made them.

    Raises
    ------
    StudyError
        For the first one whose extra is absent, with file, line, name and the remedy.
    """
    for label in learners:
        learner = study.learners[label]
        _check_extra(study, learner.entry.kind, learner.entry.name, ("learners", label))
        for name in learner.importances:
            importance = study.importances[name]
            _check_extra(study, importance.entry.kind, importance.entry.name, ("importances", name))
            sampler = importance.parameters.get("sampler")
            _check_extra(study, "knockoff", str(sampler), ("importances", name, "sampler"))


def _check_extra(study: Study, kind: str, name: str, location: Location) -> None:
    extra = EXTRAS.get((kind, name))
    if extra is None:
        return
    try:
        require(extra, LIBRARIES[extra])
    except MissingExtraError as error:
        raise study.source.error(location, f"{kind} {name!r}: {error}") from None


def _check_method_names(study: Study) -> None:
    """Refuse two columns of one name: only the numbers of the first would be shown."""
    pairs: dict[str, str] = {}
    shown: dict[str, str] = {}
    for label, learner in study.learners.items():
        for importance in learner.importances:
            try:
                name = study.method_name(label, importance)
            except (KeyError, IndexError, ValueError, AttributeError):
                raise study.source.error(
                    ("method",),
                    f"{study.file.method!r} may hold {{learner}} and {{importance}} only",
                ) from None
            pair = f"learner {label!r} with importance {importance!r}"
            if name in pairs:
                raise study.source.error(
                    ("method",),
                    f"names {pairs[name]} and {pair} alike, {name!r}; use both {{learner}} and "
                    "{importance}",
                )
            pairs[name] = pair
            text = study.show(name)
            if shown.setdefault(text, name) != name:
                raise study.source.error(
                    ("labels",), f"shows {shown[text]!r} and {name!r} alike, as {text!r}"
                )


def _check_scales(study: Study) -> None:
    for scale, written in study.file.seeds.items():
        _check_known(study, scale, SCALES, ("seeds", scale), "scale")
        if isinstance(written, list):
            for index, entry in enumerate(written):
                location = ("seeds", scale, index)
                _check_filter(study, entry, location, other_keys=("seeds", "learner"))
                for learner in as_values(entry.get("learner", [])):
                    _check_known(study, learner, study.learners, location, "learner")
    for scale in EVERY_STUDY_HAS:
        if scale not in study.file.seeds:
            raise study.source.error(("seeds",), f"the scale {scale!r} is missing")


def _check_parameters(study: Study, learners: Iterable[Method]) -> None:
    checks: list[tuple[Any, Iterable[str], Location]] = [
        (study.generator.entry, study.generator.parameters, ("generator",)),
        (study.generator.entry, study.data_axes, ("settings",)),
        *((m.entry, m.parameters, ("learners", m.label)) for m in learners),
        *((m.entry, m.parameters, ("importances", m.label)) for m in study.importances.values()),
        *((m.entry, m.parameters, ("metrics",)) for m in study.metrics.values()),
    ]
    for entry, parameters, location in checks:
        known = entry.accepted_parameters()
        for parameter in parameters:
            if parameter not in known:
                problem = f"{entry.kind} {entry.name!r}: {unknown('parameter', parameter, known)}"
                raise study.source.error((*location, parameter), problem)


def _check_cells(study: Study) -> None:
    """Check that filters of cells name axes, metrics, methods and tables of the study."""
    counted = study.file.counted if isinstance(study.file.counted, list) else []
    filters: list[tuple[Location, Mapping[str, Any]]] = [
        (("counted", index), where) for index, where in enumerate(counted)
    ]
    filters += [(("known", i, "where"), entry.where) for i, entry in enumerate(study.file.known)]
    methods = [name for metric in study.metrics for name in study.methods_of(metric)]
    known: dict[str, list[str]] = {
        "metric": list(study.metrics),
        "method": list(dict.fromkeys(methods)),
        "table": [name.replace("_", " ").capitalize() for name in study.file.tables],
    }
    for location, where in filters:
        for key, names in known.items():
            for value in as_values(where.get(key, [])):
                _check_known(study, str(value), names, (*location, key), key)
        _check_filter(study, where, location, other_keys=known)


def _check_filter(
    study: Study,
    written: Mapping[str, Any],
    location: Location,
    other_keys: Iterable[str] = (),
) -> None:
    for axis, values in written.items():
        if axis in other_keys:
            continue
        _check_known(study, axis, study.file.settings, (*location, axis), "setting axis")
        allowed = study.file.settings[axis]
        for value in as_values(values):
            if not any(same(known, value) for known in allowed):
                raise study.source.error(
                    (*location, axis), f"{value!r} is not a value of this axis (values: {allowed})"
                )


def _check_known(
    study: Study, name: str, known: Iterable[str], location: Location, what: str
) -> None:
    known = list(known)
    if name not in known:
        raise study.source.error(location, unknown(what, name, known))
