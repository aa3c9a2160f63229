"""The design of a study in a box: aim, data, estimand, methods, performance (ADEMP).

Morris, White and Crowther (2019) ask for these five of every simulation study. All of it is in the
study file, in the first sentences of the docstrings that it names, and in the summary.
"""

import inspect
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.estimates import data_and_truths
from losaw.study.report.typeset import markdown, run_count
from losaw.study.request.grid import Method, Study


def design(study: Study, summary: pd.DataFrame) -> pd.DataFrame:
    """Return the box of a study with the Monte Carlo errors and runs of its summary."""
    generator = study.generator
    was_run = summary[summary["n_seeds"] > 0]
    axes = {
        axis: markdown(f"{study.show(axis)} {', '.join(map(study.show, values))}")
        for axis, values in study.file.axes.items()
    }
    measures = _grouped(study.metrics, was_run.groupby("metric")["mc_se"].agg(["min", "max"]))
    rows = {
        "Aim": [study.file.aim or study.file.title],
        "Data": [
            _about(generator, generator.entry.name),
            *(axes[axis] for axis in study.data_axes),
        ],
        "Estimand": _estimands(study) or _grouped(study.importances),
        "Methods": [*_grouped(study.learners), *(axes[axis] for axis in study.file.learner_axes)],
        "Performance": measures,
        "Runs": [f"{run_count(was_run['n_seeds'])} a setting"] if len(was_run) else [],
    }
    lines = [(name, "; ".join(words)) for name, words in rows.items() if words]
    return pd.DataFrame(lines, columns=["", "design"])


def _estimands(study: Study) -> list[str]:
    """What estimators estimate, with its true value in the first setting."""
    if study.learner_kind == "learner":
        return []
    drawn = study.generator.entry.create(**study.settings[0].parameters)
    _, truths = data_and_truths(drawn.sample(np.random.default_rng(0)))
    first = " in the first setting" if len(study.settings) > 1 else ""
    return [f"{study.show(name)}, {truth:.4g}{first}" for name, truth in truths.items()]


def _grouped(methods: Mapping[str, Method], errors: pd.DataFrame | None = None) -> list[str]:
    """Labels of methods in words, those of one registered name together."""
    groups: dict[str, list[str]] = {}
    for label, method in methods.items():
        groups.setdefault(method.entry.name, []).append(label)
    said = []
    for labels in groups.values():
        words = _about(methods[labels[0]], ", ".join(labels))
        known = pd.DataFrame() if errors is None else errors[errors.index.isin(labels)].dropna()
        if len(known):
            low, high = known["min"].min(), known["max"].max()
            words += f" (Monte Carlo error {low:.2g} to {high:.2g})"
        said.append(words)
    return said


def _about(method: Method, label: str) -> str:
    """A label with the registered name and the first sentence of its docstring."""
    name = method.entry.name
    of = "" if label == name else f" (`{name}`)"
    try:
        sentence = first_sentence(method.entry.load())
    except ImportError:  # results are read where the extra of a method is absent
        sentence = ""
    return f"{label}{of}: {sentence}" if sentence else f"{label}{of}"


def first_sentence(thing: Any) -> str:
    """Return the first sentence of a docstring as Markdown: names in place of roles, no formula."""
    # Of a metric, or an importance in studies; of a class it is the default of a parameter.
    function = thing if inspect.isclass(thing) else getattr(thing, "function", thing)
    # Of a class without a docstring inspect.getdoc gives a base's, and a dataclass its signature.
    own = inspect.cleandoc(getattr(function, "__doc__", None) or "")
    if own.startswith(f"{getattr(function, '__name__', None)}("):
        return ""
    words = " ".join(own.partition("\n\n")[0].split())
    words = re.sub(r":[\w:]+:`~?([^`<]+?)(?: <[^>]+>)?`", r"`\1`", words).replace("``", "`")
    return re.split(r"(?<! al)\.(?: |$)", words)[0].rstrip(",:")
