"""The tables of a results archive as a data package: which there are, their columns and types.

The format is Frictionless' Data Package 1: https://specs.frictionlessdata.io.
"""

import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from losaw.study.design.plan import StudyPlan

DESCRIPTOR = "datapackage.json"
# docs/results.md has all columns of all files; these are the ones whose names do not say it.
DESCRIPTIONS = {
    "setting_id": "key of a setting: its axes in words and a digest of its parameters",
    "learner": "label of the fitted method in the study file",
    "importance": "label of the importance; empty for metrics of predictions",
    "method": "how tables call a learner with an importance",
    "published": "the printed number",
    "reproduced": "our mean over Monte Carlo seeds",
    "mc_se": "Monte Carlo standard error",
    "n_seeds": "values that are there",
    "n_failed": "values that are not there",
    "sd": "standard deviation over seeds, with n - 1",
    "z": "reproduced - published, in standard errors of the difference",
    "low": "lower end of the 90 % interval of reproduced - published",
    "high": "upper end of the 90 % interval of reproduced - published",
    "margin": "within which a difference is called agreement",
    "detectable": "smallest difference that the cell could have found",
    "seeds_needed": "seeds that would decide an undecided cell",
    "difference": "mean of learner - minus over the data sets that both have",
    "between_draws": "share of the variance that lies between draws of X",
    "results_version": "digest of everything that decides a block's numbers",
    "sha256": "SHA-256 of the block's file",
    "file": "block, below the results folder",
}
_TYPES = {"i": "integer", "u": "integer", "f": "number", "b": "boolean"}

Resource = dict[str, Any]


def descriptor_text(contents: Mapping[str, bytes], plans: Sequence[StudyPlan]) -> str:
    """The descriptor of an archive with these contents (name -> bytes)."""
    studies = [plan.study.name for plan in plans]
    resources = [
        _resource(name, contents[name]) for name in sorted(contents) if _is_table(name, studies)
    ]
    descriptor = {
        "profile": "data-package",
        "name": _slug("losaw-" + "-".join(studies))[:200],
        "title": "Results of losaw: " + ", ".join(studies),
        "description": "; ".join(plan.study.file.title for plan in plans),
        "resources": [resource for resource in resources if resource],
    }
    return json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n"


def _is_table(name: str, studies: Sequence[str]) -> bool:
    """Tables that were collected; blocks, which they are made of, are not listed once more."""
    path = PurePosixPath(name)
    return (
        path.parts[0] == "results"
        and path.parts[1] in studies
        and path.parts[2] != "blocks"
        and path.suffix in (".csv", ".parquet")
    )


def _resource(name: str, content: bytes) -> Resource:
    """A resource; empty for a table without columns."""
    path = PurePosixPath(name)
    resource: Resource = {
        "name": _slug("-".join(path.with_suffix("").parts[1:])),
        "path": name,
        "format": path.suffix[1:],
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
    }
    if path.suffix == ".parquet":
        names = pq.read_schema(io.BytesIO(content)).names
        described = [f"{n}: {DESCRIPTIONS[n]}" for n in names if n in DESCRIPTIONS]
        return {
            **resource,
            "profile": "data-resource",
            "mediatype": "application/vnd.apache.parquet",
            "description": "Columns " + ", ".join(names) + ". " + "; ".join(described),
        }
    try:
        table = pd.read_csv(io.BytesIO(content))
    except pd.errors.EmptyDataError:
        return {}
    fields = [_field(str(column), table[column]) for column in table]
    return {
        **resource,
        "profile": "tabular-data-resource",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "schema": {"fields": fields, "missingValues": [""]},
    }


def _field(name: str, values: pd.Series) -> dict[str, str]:
    kind = "string" if values.isna().all() else _TYPES.get(values.dtype.kind, "string")
    if values.dtype.kind == "f":
        kind = "number"
    field = {"name": name, "type": kind}
    if name in DESCRIPTIONS:
        field["description"] = DESCRIPTIONS[name]
    return field


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower())
