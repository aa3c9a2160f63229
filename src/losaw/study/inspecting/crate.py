"""RO-Crate 1.1 metadata of a results archive: what it holds and what made it, as JSON-LD.

The format is that of https://w3id.org/ro/crate/1.1: a flat graph, its root the archive itself.
"""

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import losaw
from losaw.study.design.plan import StudyPlan
from losaw.study.files.run_record import read_run_record

METADATA = "ro-crate-metadata.json"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
NO_LICENCE = "No licence is stated: ask whoever made this archive before you use it."
# By suffix; everything else is bytes.
FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
}

Entity = dict[str, Any]


def crate_text(
    contents: Mapping[str, bytes], plans: Sequence[StudyPlan], request: str, licence: str
) -> str:
    """The metadata file of an archive with these contents.

    Parameters
    ----------
    contents : dict
        Name in the archive -> bytes, of everything but the metadata file and the checksums.
    plans : sequence of StudyPlan
        The studies that are packed.
    request : str
        What was asked for, in words.
    licence : str
        The address of a licence, or a sentence; empty where none is stated.
    """
    names = [*sorted(contents), "SHA256SUMS"]
    finished = last_computed(plans)
    files = [_file(name, contents.get(name), plans) for name in names]
    papers = {plan.study.name: plan.study.file.paper for plan in plans if plan.study.file.paper}
    root: Entity = {
        "@id": "./",
        "@type": "Dataset",
        "name": "Results of losaw: " + ", ".join(plan.study.name for plan in plans),
        "description": (
            "Monte Carlo studies of feature importance: "
            + "; ".join(plan.study.file.title for plan in plans)
            + f". `losaw verify` checks every block and computes blocks again. {request}"
        ),
        "datePublished": finished.date().isoformat(),
        "license": {"@id": licence} if "://" in licence else licence or NO_LICENCE,
        "hasPart": [_to(file) for file in files],
        "mentions": {"@id": "#computation"},
    }
    if papers:
        root["citation"] = [{"@id": f"#paper-{name}"} for name in papers]
    graph: list[Entity] = [
        {
            "@id": METADATA,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": SPECIFICATION},
        },
        root,
        *files,
        _software(),
        _computation(files, finished, request),
        *(
            {"@id": f"#paper-{name}", "@type": "CreativeWork", "name": text}
            for name, text in papers.items()
        ),
    ]
    if "://" in licence:
        graph.append({"@id": licence, "@type": "CreativeWork", "name": licence})
    context = f"{SPECIFICATION}/context"
    document = {"@context": context, "@graph": graph}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def last_computed(plans: Sequence[StudyPlan]) -> datetime.datetime:
    """When the newest block was begun: with equal files, equal for everybody."""
    records = (read_run_record(block.record_path) for plan in plans for block in plan.blocks)
    started = [datetime.datetime.fromisoformat(r.started) for r in records if r is not None]
    newest = [block.path.stat().st_mtime for plan in plans for block in plan.blocks]
    return max(started, default=datetime.datetime.fromtimestamp(max(newest), datetime.UTC))


def _file(name: str, content: bytes | None, plans: Sequence[StudyPlan]) -> Entity:
    path = PurePosixPath(name)
    entity: Entity = {"@id": name, "@type": "File", "name": _title(path, plans)}
    entity["encodingFormat"] = FORMATS.get(path.suffix, "application/octet-stream")
    if name == "SHA256SUMS":
        entity["encodingFormat"] = "text/plain"
    if content is not None:
        entity["contentSize"] = str(len(content))
    return entity


def _title(path: PurePosixPath, plans: Sequence[StudyPlan]) -> str:
    studies = {plan.study.name: plan.study.file for plan in plans}
    if path.parts[:2] == ("config", "studies") and path.stem in studies:
        return f"Study file: {studies[path.stem].title}"
    words = {
        "SHA256SUMS": "SHA-256 of every other file",
        "datapackage.json": "Tables and their columns, as a Frictionless data package",
        "request.json": "What was asked for",
        "results/report.html": "The report: tables, figures, agreement with print",
    }
    return words.get(str(path), path.name)


def _software() -> Entity:
    return {
        "@id": "#losaw",
        "@type": "SoftwareApplication",
        "name": "losaw",
        "softwareVersion": losaw.__version__,
        "description": "Decorrelated feature importance, and a study that compares it with print",
    }


def _computation(files: Sequence[Entity], finished: datetime.datetime, request: str) -> Entity:
    """The run: from configuration, studies and plugins to everything else."""
    sources = [file for file in files if file["@id"].split("/")[0] in ("config", "plugins")]
    made = [file for file in files if file["@id"].split("/")[0] in ("results", "figures")]
    return {
        "@id": "#computation",
        "@type": "CreateAction",
        "name": "Computation of the results",
        "description": request,
        "endTime": finished.isoformat(),
        "instrument": {"@id": "#losaw"},
        "object": [_to(file) for file in sources],
        "result": [_to(file) for file in made],
    }


def _to(entity: Entity) -> Entity:
    return {"@id": entity["@id"]}
