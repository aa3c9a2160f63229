"""Checks that need resolved names, made before the first job starts."""

import inspect
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any, get_args

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from losaw.study.errors import FAILURES
from losaw.study.metrics.metric import Needs
from losaw.study.registry.catalogue import EXTRAS
from losaw.study.request.grid import Method, Study, resolve, table_title
from losaw.study.request.settings import matches, plain, safe_name, same
from losaw.study.request.study_file import (
    EVERY_STUDY_HAS,
    LONGEST,
    SCALES,
    SUMMARIES,
    Location,
    is_summary,
    reason,
)
from losaw.support.extras import LIBRARIES, MissingExtraError, require
from losaw.support.words import unknown

CELL_AXES = ("metric", "method")
RANKING_COLUMNS = ("method", "all", "CPU s")
FRONT_PAGES = ("report", "overview", "README")  # the last is that of a folder in a repository


def validate(study: Study) -> None:
    """Check every name, parameter, axis and value of a study."""
    _check_grid(study)
    _check_parameters(study)
    if study.undrawn is not None:
        raise study.undrawn
    _check_contracts(study)
    _check_seeds(study)
    _check_methods(study)
    _check_method_names(study)
    _check_cells(study)
    _check_ranking(study)


def _check_ranking(study: Study) -> None:
    if (ranking := study.file.ranking) is None:
        return
    study.source.check_known(ranking.by, study.axes, ("ranking", "by"), "axis")
    ranks = list(filter(study.ranks, study.metrics))
    place = ("ranking", "metric")
    study.source.check_known(ranking.metric, ranks, place, "metric that ranks methods")
    for value in study.file.axes[ranking.by]:
        if study.show(value) in RANKING_COLUMNS:
            message = f"shows {value!r} as {study.show(value)!r}, a column of the ranking already"
            raise study.source.error(("labels",), f"{message}; give it another label")
    for index, metric in enumerate(ranking.decisions or ()):
        _check_metric(study, metric, ("ranking", "decisions", index))


def _check_metric(study: Study, name: str, location: Location) -> None:
    if name not in study.metrics:
        raise study.source.error(location, study.unknown_metric(name))


def _check_grid(study: Study) -> None:
    if study.name in FRONT_PAGES:
        raise study.source.error(("study",), "is the name of the front page; choose another name")
    for index, axis in enumerate(study.file.blocks.inside):
        study.source.check_known(axis, study.axes, ("blocks", "inside", index), "axis")
    for index, entry in enumerate(study.file.settings):
        if {*entry} != {*study.axes}:
            message = f"has the axes {', '.join(entry)}; all entries have {', '.join(study.axes)}"
            raise study.source.error(("settings", index), message)
        for axis, values in entry.items():
            _check_names(study, axis, values)
    _check_values_differ(study)
    if twice := _twice(map(safe_name, study.learners)):
        message = f"has two of one name in files: {twice[0]}"
        raise study.source.error((f"{study.learner_kind}s",), message)
    if twice := _twice(setting.identifier for setting in study.settings):
        raise study.source.error(("settings",), f"has a setting twice: {twice[0]}")
    for axis, values in study.file.axes.items():
        _check_names(study, axis, values)  # of several entries
        if axis in study.generator.parameters:
            message = "is an axis, and a fixed parameter of the generator; leave one of them out"
            raise study.source.error(("settings", axis), message)
        if long := [value for value in values if len(str(value)) > LONGEST]:
            message = f"values have {LONGEST} characters at most, got {long[0]!r:.40}…"
            raise study.source.error(("settings", axis), message)


def _check_names(study: Study, axis: str, values: Sequence[Any]) -> None:
    if twice := _twice(map(safe_name, values)):
        message = f"has two values of one name in files: {twice[0]}"
        raise study.source.error(("settings", axis), message)


def _check_values_differ(study: Study) -> None:
    """Refuse what is empty in a table, and what filters and printed cells cannot tell apart."""
    for axis in study.axes:
        known: dict[Any, Any] = {}
        for value in itertools.chain(*(entry[axis] for entry in study.file.settings)):
            if not str(value).strip():
                raise study.source.error(("settings", axis), f"{value!r} is no value; give a name")
            # Tables take 1 for true.
            keys = (plain(value), float(value)) if isinstance(value, bool) else (plain(value),)
            first = next(iter(known[key] for key in keys if key in known), value)
            known |= dict.fromkeys(keys, first)
            if repr(first) != repr(value):
                message = (
                    f"{first!r} and {value!r} are read as one value; write it in one way, or two "
                    f"that differ apart, for example 'v{value}'"
                )
                raise study.source.error(("settings", axis), message)


def _check_seeds(study: Study) -> None:
    file = study.file
    learners = {"learner": list(study.learners)}
    for scale, entries in file.seeds.items():
        study.source.check_known(scale, SCALES, ("seeds", scale), "scale")
        for index, entry in enumerate(entries):
            check_filter(study, entry.where, ("seeds", scale, index), learners)
    for index, cost in enumerate(file.seconds_per_seed):
        names = {**learners, "scale": SCALES}
        check_filter(study, cost.where, ("seconds_per_seed", index), names)
    for index, entry in enumerate(file.blocks.seeds):
        location: Location = ("blocks", "seeds", index)
        check_filter(study, entry.where, location, learners)
        for inside in entry.where.keys() & {*file.blocks.inside, *learners}:
            message = "lies inside a file, with all its values, and a file has one number of seeds"
            raise study.source.error((*location, inside), message)
    missing = [scale for scale in EVERY_STUDY_HAS if scale not in file.seeds]
    if missing:
        words = f"every study has {', '.join(EVERY_STUDY_HAS)}; missing: {', '.join(missing)}"
        raise study.source.error(("seeds",), words)


def _check_parameters(study: Study) -> None:
    places = [(location, method.entry, method.parameters) for location, method in _methods(study)]
    values = [value for _, _, parameters in places[1:] for value in parameters.values()]
    for index, axis in enumerate(study.file.learner_axes):
        study.source.check_known(axis, study.axes, ("learner_axes", index), "axis")
        if not any(isinstance(value, dict) and value.get("axis") == axis for value in values):
            message = f"no learner, importance or metric has a parameter {{axis: {axis}}}; add it"
            raise study.source.error(("learner_axes", index), f"{message}, or remove the axis")
    axes = (("settings",), study.generator.entry, study.data_axes)
    for location, entry, parameters in (axes, *places):
        known = entry.accepted_parameters()
        for parameter in parameters:
            if entry.kind == "learner" and parameter == "random_state":
                message = "is made from the seed of each run; leave it out"
                raise study.source.error((*location, parameter), message)
            if parameter not in known:
                problem = f"{entry.kind} {entry.name!r}: {unknown('parameter', parameter, known)}"
                if location == ("settings",):
                    problem += "; an axis of learners is listed under 'learner_axes'"
                raise study.source.error((*location, parameter), problem)


def _check_contracts(study: Study) -> None:
    """Check what the engine itself asks of optional learners and of metrics."""
    for label, learner in study.file.learners.items():
        if learner.optional and not study.able_to_say(label):
            message = f"{learner.learner!r} cannot say where it is unavailable; leave it out"
            raise study.source.error(("learners", label, "optional"), message)
    for label, metric in study.metrics.items():
        if label == "scores":  # as the rows of scores in the file of a block
            raise study.source.error(("metrics", label), "is kept for the scores; choose another")
        about = metric.entry.load()
        is_known = getattr(about, "needs", None) in get_args(Needs) and _is_range(about)
        if not (is_known and isinstance(getattr(about, "higher_is_better", None), bool)):
            *others, last = map(repr, get_args(Needs))
            needs = f"needs = {', '.join(others)} or {last}"
            words = f"{needs}, a range of two numbers, and a bool higher_is_better"
            message = f"{metric.entry.name!r} must have {words}"
            raise study.source.error(("metrics", label), message)
        if not is_summary(study.summaries[label]):
            message = f"summary must be {SUMMARIES}, got {study.summaries[label]!r:.80}"
            raise study.source.error(("metrics", label), message)
        if (about.needs == "estimate") != (study.learner_kind == "estimator"):
            message = f"measures {about.needs}s, and the study has {study.learner_kind}s"
            raise study.source.error(("metrics", label), message)
        if not any(study.measured(label, learner) for learner in study.learners):
            message = "measures importances, and no learner has one"
            raise study.source.error(("metrics", label), message)


def _is_range(metric: Any) -> bool:
    try:
        low, high = metric.range
        return bool(low < high)
    except (AttributeError, TypeError, ValueError):
        return False


def _methods(study: Study) -> Iterable[tuple[Location, Method]]:
    yield ("generator",), study.generator
    for methods in (study.learners, study.importances, study.metrics):
        for label, method in methods.items():
            yield (f"{method.entry.kind}s", label), method


def _check_methods(study: Study) -> None:
    """Check the parameters in every setting: learners look at the values of theirs in a fit."""
    for location, method in _methods(study):
        is_generator = method is study.generator
        # What needs an extra is made by jobs: results are read where it is absent.
        is_made = method.entry.kind != "learner" and not _extras(method)
        known = inspect.signature(method.entry.load()).parameters
        tried = set()
        for setting in study.settings:
            place: Location = ("settings",) if is_generator else location
            try:
                parameters = resolve(method.parameters, {**setting.parameters, **setting.axes})
                if is_generator:
                    parameters |= setting.parameters
                if repr(parameters) in tried:
                    continue
                tried.add(repr(parameters))
                if is_made:
                    method.entry.create(**parameters)
            except FAILURES as error:
                words = error if isinstance(error, TypeError | ValueError) else repr(error)
                message = f"setting {setting.identifier}: {words}"
                raise study.source.error(place, message) from None
            for name, value in parameters.items():
                if name in known and (message := kind_error(known[name], value)):
                    own = location if name in method.parameters else ("settings",)
                    raise study.source.error((*own, name), message)


def _check_method_names(study: Study) -> None:
    """Refuse two columns of one name, or shown alike: only the numbers of the first would be shown.

    Those of predictions and those of importances may have equal names: a metric is of either.
    """
    try:
        fields = [field[1:] for field in Formatter().parse(study.file.method or "")]
        is_plain = {*fields} <= {("learner", "", None), ("importance", "", None), (None,) * 3}
    except ValueError:
        is_plain = False
    if not is_plain:  # a width of a billion would be made
        message = f"{study.file.method!r:.80} may hold {{learner}} and {{importance}} only"
        raise study.source.error(("method",), message)
    needs = {metric.entry.load().needs for metric in study.metrics.values()}
    pairs = [(label, one) for label, of in study.learners.items() for one in of.importances]
    of_predictions = [(label, "") for label in study.learners] if needs != {"importance"} else []
    for columns in (of_predictions, pairs):
        names = list(itertools.starmap(study.method_name, columns))
        for key, shown, remedy in (
            ("method", names, "use both {learner} and {importance}"),
            ("labels", list(map(study.show, names)), "give each a label of its own"),
        ):
            if twice := _twice(shown):
                raise study.source.error((key,), f"names several columns {twice[0]!r}; {remedy}")


def _check_cells(study: Study) -> None:
    """Check that tables, margins and filters of cells name axes, metrics, methods and tables."""
    file = study.file
    parts = (study.axes, study.learners, file.importances, file.metrics, study.methods, CELL_AXES)
    shown = dict.fromkeys(map(str, itertools.chain(*parts, *file.axes.values())))
    for name in file.labels:
        study.source.check_known(name, shown, ("labels", name), "name")
    for name in file.margins:
        _check_metric(study, name, ("margins", name))
    # Equal labels would be one column or panel, with the numbers of both or of the first.
    for what, alike in (("axes", study.axes), ("metrics", study.metrics), *file.axes.items()):
        if twice := _twice(map(study.show, alike)):
            message = f"shows several {what} as {twice[0]!r}; give each a label of its own"
            raise study.source.error(("labels",), message)
    titles: dict[str, str] = {}
    for name, table in file.tables.items():
        if (other := titles.setdefault(table_title(name), name)) != name:
            message = f"has the title of {other!r}, {table_title(name)!r}; choose another name"
            raise study.source.error(("tables", name), message)
        check_filter(study, table.where, ("tables", name, "where"))
        for part, axes in (("rows", table.rows), ("columns", table.columns)):
            for axis in axes:
                allowed = [*study.axes, *CELL_AXES]
                study.source.check_known(axis, allowed, ("tables", name, part), "axis")
        if twice := _twice([*table.rows, *table.columns]):
            message = f"{twice[0]!r} is named twice under 'rows' and 'columns'"
            raise study.source.error(("tables", name), message)
        for metric in table.metrics or ():
            _check_metric(study, metric, ("tables", name, "metrics"))
    names = {"metric": list(study.metrics), "method": study.methods}
    # A cell counts once, whatever tables show it.
    counted = file.counted if isinstance(file.counted, list) else ()
    entries: dict[Location, Mapping[str, Any]] = {
        **{("known", index, "where"): one.where for index, one in enumerate(file.known)},
        **{("counted", index): where for index, where in enumerate(counted)},
    }
    cells = [cell for *_, cell in study.cells()] if entries else []
    for location, where in entries.items():
        check_filter(study, where, location, study.cell_names if location[0] == "known" else names)
        if not any(matches(where, cell) for cell in cells):
            message = "no cell of the tables has these values together; correct one of them, or "
            message += "leave it out"
            raise study.source.error(location, message)


def kind_error(parameter: inspect.Parameter, value: Any) -> str:
    """Say why a value of a file is not of the annotated kind, if that is one of plain values."""
    if parameter.annotation is parameter.empty or value == parameter.default:
        return ""
    try:
        _kind(parameter.annotation).validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        problem = error.errors()[0]
        if problem["type"] != "literal_error":
            problem["input"] = value  # all that stands in the file, not a part of it
        return reason(problem, "value")
    except (PydanticUserError, TypeError):  # an array, a class, a name that is not imported, a list
        pass
    return ""


@cache
def _kind(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, number in Counter(names).items() if number > 1]


def check_extras(study: Study, learners: Iterable[str]) -> None:
    """Check that what the given learners and their importances import is installed.

    Only for a session that runs: results are read without what made them.
    """
    for label in learners:
        learner = study.learners[label]
        importances = [("importances", study.importances[name]) for name in learner.importances]
        for key, method in [("learners", learner), *importances]:
            for (kind, name), extra in _extras(method).items():
                try:
                    require(extra, LIBRARIES[extra])
                except MissingExtraError as error:
                    message = f"{kind} {name!r}: {error}"
                    raise study.source.error((key, method.label), message) from None


def _extras(method: Method) -> dict[tuple[str, str], str]:
    """Return which of a method and its knockoff sampler need an extra, and its name."""
    sampler = ("knockoff", str(method.parameters.get("sampler")))
    names = ((method.entry.kind, method.entry.name), sampler)
    return {name: EXTRAS[name] for name in names if name in EXTRAS}


def check_filter(
    study: Study,
    where: Mapping[str, Iterable[Any]],
    location: Location,
    names: Mapping[str, Sequence[str]] = {},
) -> None:
    """Check that a filter names setting axes, or keys of ``names``, and values of them."""
    for key, values in where.items():
        if key not in names:
            study.source.check_known(key, study.file.axes, (*location, key), "setting axis")
        allowed = names[key] if key in names else study.file.axes[key]
        for value in values:
            if not any(same(known, value) for known in allowed):
                raise study.source.error((*location, key), unknown(key, value, allowed))
