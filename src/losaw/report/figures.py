"""The figures of a study: drawings by their registered names."""

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path

from losaw.registry import get, names
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import FORMATS, house_style, save
from losaw.study.design.grid import Study
from losaw.words import unknown

# Options that mean the same in every drawing: option -> names that it may have in a study.
_NAMES: dict[str, Callable[[Study], Iterable[str]]] = {
    "learner": lambda study: study.file.learners,
    "importance": lambda study: study.importances,
    "importances": lambda study: study.importances,
    "metric": lambda study: study.metrics,
    "metrics": lambda study: study.metrics,
    "panels": lambda study: study.axes,
    "axis": lambda study: study.axes,
}


def check_figures(study: Study) -> None:
    """Check every drawing and option of a study's figures, before anything runs.

    Raises
    ------
    StudyError
        For an unknown drawing, an unknown or missing option, or an option that names a learner,
        importance, metric or axis that the study does not have; with file, line, nearest match.
    """
    for key, layout in study.file.figures.items():
        location = ("figures", key)
        if layout.drawing not in names("drawing"):
            raise study.source.error(
                (*location, "drawing"), unknown("drawing", layout.drawing, names("drawing"))
            )
        options = list(
            inspect.signature(get("drawing", layout.drawing).load()).parameters.values()
        )[2:]
        known = [option.name for option in options]
        for name, value in layout.options.items():
            here = (*location, "options", name)
            if name not in known:
                raise study.source.error(here, unknown("option", name, known))
            allowed = list(_NAMES.get(name, lambda _: ())(study))
            for one in value if isinstance(value, list) else [value]:
                if name in _NAMES and one not in allowed:
                    raise study.source.error(here, unknown(name, one, allowed))
        for option in options:
            if option.default is option.empty and option.name not in layout.options:
                raise study.source.error(
                    (*location, "options"), f"the option {option.name!r} is missing"
                )


def write_figures(study: Study, results: StudyResults, folder: Path) -> list[Path]:
    """Draw every figure of a study as ``<folder>/<figure>.pdf`` and ``.png``.

    Equal results give equal bytes: no time and no version is written into the files.

    Returns
    -------
    list of Path

    Raises
    ------
    StudyError
        As :func:`check_figures`; also if a drawing cannot use the value of an option, a file
        of the results is missing, or a figure cannot be written.
    """
    check_figures(study)
    written = []
    for key, layout in study.file.figures.items():
        with house_style():
            try:
                figure = get("drawing", layout.drawing).load()(study, results, **layout.options)
            except OptionError as error:
                raise study.source.error(("figures", key, "options"), str(error)) from error
            for kind in FORMATS:
                path = folder / f"{key}.{kind}"
                save(figure, path)
                written.append(path)
    return written
