"""The origin of the numbers of a study, read from its blocks and its manifest."""

from typing import Any

from losaw.report.results import StudyResults
from losaw.study.design.grid import Method, Study
from losaw.study.design.session import Session
from losaw.study.files.block_file import read_footer


def decided_by(session: Session, study: Study, results: StudyResults) -> list[tuple[str, str]]:
    """Inputs that determine the numbers: the same wherever the blocks ran."""
    blocks = results.blocks
    footers = [read_footer(session.results / file) for file in blocks["file"]]
    libraries = [
        ", ".join(f"{name} {version}" for name, version in footer["libraries"].items())
        for footer in footers
    ]
    versions = blocks["results_version"].nunique()
    return [
        ("Scale", results.manifest["scale"]),
        ("Settings run", f"{blocks['setting_id'].nunique()} of {len(study.settings)}"),
        ("Monte Carlo seeds per setting", _listed(results.manifest["seeds"])),
        ("Random streams", f"experiment {study.experiment}; by setting, seed and component"),
        ("losaw", _distinct(footer["losaw"] for footer in footers)),
        ("Libraries", _distinct(libraries)),
        ("Results versions", f"{versions} over {len(blocks)} blocks, listed in blocks.csv"),
    ]


def run_where(study: Study, results: StudyResults) -> list[tuple[str, str]]:
    """Places, times and speeds, which differ between runs and affect no number."""
    manifest = results.manifest
    by_learner = manifest["core_seconds_by_learner"]
    return [
        ("Hosts", ", ".join(manifest["hosts"]) or "unknown"),
        ("Commit", manifest["commit"] or "not a git checkout"),
        ("Blocks", str(manifest["blocks"])),
        ("Fits", f"{manifest['fits']:,}"),
        ("Core-seconds", f"{manifest['core_seconds']:,.0f}"),
        ("Core-seconds by learner", ", ".join(f"{k} {v:,.0f}" for k, v in by_learner.items())),
        ("Peak memory of a block", _megabytes(manifest["peak_megabytes"])),
        ("Request", manifest["request"]),
        ("Logs", f"jobs/{study.name}.*.log in the results folder, one for each job"),
    ]


def describe(study: Study) -> list[tuple[str, str]]:
    """A description of the study from its file."""
    fixed = _parameters(study.generator.parameters)
    axes = [
        f"{study.show(axis)}: {_listed(values)}" for axis, values in study.file.settings.items()
    ]
    rows = [
        ("Data", f"{study.generator.entry.name}{fixed}"),
        ("Settings", f"{len(study.settings)} ({'; '.join(axes)})" if axes else "1"),
    ]
    rows += [
        (f"Learner {study.show(label)}", f"{method.entry.name}{_parameters(method.parameters)}")
        for label, method in _written_learners(study).items()
    ]
    rows += [
        (f"Importance {study.show(label)}", f"{m.entry.name}{_parameters(m.parameters)}")
        for label, m in study.importances.items()
    ]
    return rows


def metric_notes(study: Study) -> list[tuple[str, str]]:
    """Name and first sentence of every metric, and the better direction if it has one."""
    notes = []
    for name, method in study.metrics.items():
        metric = method.entry.load()
        first = (metric.__doc__ or "").strip().partition("\n\n")[0]
        words = " ".join(first.replace("``", "").split()).rstrip(",.")
        if getattr(metric, "ranks_methods", True):
            words += f" ({'higher' if metric.higher_is_better else 'lower'} is better)"
        else:
            words += _parameters(method.parameters)
        notes.append((study.show(name), words))
    return notes


def _written_learners(study: Study) -> dict[str, Method]:
    """Learners as the file lists them: those made by ``each`` are one entry."""
    learners: dict[str, Method] = {}
    for label, method in study.learners.items():
        base = study.written_label(label)
        written = study.options_of(base)
        for key in ("learner", "importances"):
            written.pop(key, None)
        learners.setdefault(base, Method(base, method.entry, written))
    return learners


def _parameters(parameters: Any) -> str:
    words = [f"{key} = {_plain(value)}" for key, value in parameters.items()]
    return f" ({', '.join(words)})" if words else ""


def _plain(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    return _listed(value["each"]) if "each" in value else f"the axis {value.get('axis', value)}"


def _listed(values: Any) -> str:
    return ", ".join(map(str, values))


def _distinct(values: Any) -> str:
    return "; ".join(sorted(set(values)))


def _megabytes(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.0f} MB"
