"""Checks of a drawing that need no results of a study."""

import inspect
from collections.abc import Callable
from typing import Any

from losaw.contracts.outcome import Subject, require


def takes_a_study_and_its_results_and_options_by_keyword(subject: Subject) -> None:
    draw: Callable[..., Any] = subject.entry.load()
    require(callable(draw), f"it is no function but {draw!r}: implement draw(study, results, *, …)")
    parameters = list(inspect.signature(draw).parameters.values())
    names = [parameter.name for parameter in parameters[:2]]
    require(
        names == ["study", "results"],
        f"its first parameters are {', '.join(names) or 'none'}, expected study, results",
    )
    others = [p.name for p in parameters[2:] if p.kind is not p.KEYWORD_ONLY]
    require(
        not others,
        f"{', '.join(others)} can be given by position; put * before the options, which a study "
        "file names",
    )


def documents_its_options(subject: Subject) -> None:
    draw = subject.entry.load()
    text = inspect.getdoc(draw) or ""
    require(text, "it has no docstring; the first line is the figure's caption in `losaw list`")
    options = list(inspect.signature(draw).parameters)[2:]
    silent = [name for name in options if name not in text]
    require(not silent, f"its docstring does not explain {', '.join(silent)}")


CHECKS = (takes_a_study_and_its_results_and_options_by_keyword, documents_its_options)
