"""The results version: a digest of everything that decides a block's numbers.

It covers what the generator, learner, importances and metrics of the block run, and one replicate
of the engine (:mod:`losaw.study.source_digests.source_digest`), with their parameters. A changed
method makes its own blocks stale and no others. Versions of third-party libraries are recorded in
the block's footer, not here: results move between machines.
"""

from typing import Any

from losaw.registry import RegistryError, entries, get
from losaw.registry.catalogue import ADAPTER
from losaw.study.design.grid import Method, Study
from losaw.study.design.settings import Setting, short_digest
from losaw.study.source_digests.source_digest import ENGINE, chooses_sampler, source_digest


def results_version(study: Study, learner: Method, setting: Setting) -> str:
    """Eight hexadecimal digits that change when the block's numbers may change."""
    importances = {label: study.importances[label] for label in learner.importances}
    return short_digest(
        {
            "engine": source_digest(ENGINE),
            "generator": [_source(study.generator.entry.target), dict(setting.parameters)],
            "learner": [learner.label, *_method(learner, setting)],
            "importances": {name: _method(method, setting) for name, method in importances.items()},
            "metrics": {name: _method(method, setting) for name, method in study.metrics.items()},
            "experiment": study.experiment,
        }
    )


def _method(method: Method, setting: Setting) -> list[Any]:
    parameters = {**method.entry.parameters, **method.parameters_for(setting)}
    entry = method.entry
    how = [] if entry.use is None else [source_digest(ADAPTER), entry.use.on, entry.use.scores_only]
    return [_source(entry.target), *how, parameters, _samplers(entry.target, parameters)]


def _source(target: str) -> str:
    """Digest of our sources; else the name."""
    return source_digest(target) or target


def _samplers(target: str, parameters: dict[str, Any]) -> list[str]:
    """Sources of the knockoff samplers that a method may make: the named one, else any."""
    if not chooses_sampler(target):
        return []
    try:
        return [_source(get("knockoff", parameters["sampler"]).target)]
    except (KeyError, RegistryError):
        return [_source(entry.target) for entry in entries("knockoff")]
