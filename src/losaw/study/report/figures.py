"""The figures of a study: drawings by their registered names."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from losaw.study.errors import OptionError
from losaw.study.registry import get, names
from losaw.study.report.results import StudyResults
from losaw.study.report.style import house_style, save
from losaw.study.request.checks import check_filter, kind_error
from losaw.study.request.grid import Study
from losaw.study.request.study_file import Location, as_values

# Options that mean the same in every drawing: option -> names that it may have in a study. So does
# "where": axis -> value or values.
_NAMES: dict[str, Callable[[Study], Iterable[str]]] = {
    **dict.fromkeys(("learner", "learners", "highlight"), lambda study: study.learners),
    **dict.fromkeys(("importance", "importances"), lambda study: study.importances),
    **dict.fromkeys(("metric", "metrics"), lambda study: study.metrics),
    "methods": lambda study: study.methods,
    "panels": lambda study: study.axes,
    "axis": lambda study: [*study.axes, *study.metrics],
}


def check_figures(study: Study) -> None:
    """Refuse what a study's figures cannot mean, before anything runs; with file, key, remedy.

    That is an unknown drawing, an unknown or missing option, and a value that is not of the
    annotated kind, or names a learner, importance, metric, axis or setting that there is not.
    """
    for key, layout in study.file.figures.items():
        figure: Location = ("figures", key)
        if key in study.file.tables:  # a page shows both by their keys
            raise study.source.error(figure, "is the name of a table; choose another name")
        study.source.check_known(layout.drawing, names("drawing"), (*figure, "drawing"), "drawing")
        options = _options_of(get("drawing", layout.drawing).load())
        for name, value in layout.options.items():
            location = (*figure, "options", name)
            study.source.check_known(name, options, location, "option")
            _check_value(study, options[name], value, location)
        if layout.drawing == "ranking":
            ranked = [*filter(study.ranks, study.metrics)]
            for metric in layout.options.get("metrics", ()):
                location = (*figure, "options", "metrics")
                study.source.check_known(metric, ranked, location, "metric that ranks methods")
        needed = [name for name, option in options.items() if option.default is option.empty]
        missing = ", ".join(repr(name) for name in needed if name not in layout.options)
        if missing:
            message = f"missing: {missing}; see `losaw list --drawings`"
            raise study.source.error((*figure, "options"), message)


def _options_of(draw: Any) -> dict[str, inspect.Parameter]:
    """The options of a drawing; its first two parameters are the study and its results."""
    return dict(list(inspect.signature(draw).parameters.items())[2:])


def _check_value(study: Study, option: inspect.Parameter, value: Any, location: Location) -> None:
    """Check that a value is of the annotated kind, if there is one, and names what there is."""
    if message := kind_error(option, value):
        raise study.source.error(location, message)
    if option.name == "where":
        check_filter(study, {axis: as_values(of) for axis, of in (value or {}).items()}, location)
    elif option.name in _NAMES:  # one name, a list, or lists by the titles of panels
        lists = value.values() if isinstance(value, dict) else [value]
        for name in chain.from_iterable(map(as_values, lists)):
            study.source.check_known(name, _NAMES[option.name](study), location, option.name)


def describe_drawings() -> Iterator[str]:
    """Every drawing: what it shows, and its options with their defaults."""
    for name in names("drawing"):
        draw = get("drawing", name).load()
        summary = inspect.cleandoc(draw.__doc__ or "").partition("\n\n")[0]
        yield f"{name}: {' '.join(summary.split())}"
        for option in _options_of(draw).values():
            needed = option.default is option.empty
            yield f"  {option.name}" + (" (needed)" if needed else f" = {option.default!r}")


def write_figures(study: Study, results: StudyResults, folder: Path) -> None:
    """Draw every figure of a study as ``<folder>/<figure>.pdf`` and ``.png``.

    Equal results give equal bytes: no time and no version is written into the files.
    """
    folder.mkdir(parents=True, exist_ok=True)  # the workflow needs it even without figures
    for key in study.file.figures:
        with house_style():
            figure = draw(study, results, key)
            for kind in ("pdf", "png"):
                save(figure, folder / f"{key}.{kind}")


def draw(study: Study, results: StudyResults, key: str) -> Any:
    """Return a figure of a study; a StudyError says which option its drawing cannot use."""
    layout = study.file.figures[key]
    try:
        return get("drawing", layout.drawing).load()(study, results, **layout.options)
    except OptionError as error:
        raise study.source.error(("figures", key, "options"), str(error)) from error
