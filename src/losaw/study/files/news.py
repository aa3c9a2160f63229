"""What a study's summary has not seen yet: to Snakemake a file, which the summary is made of.

Blocks are no outputs of rules, so Snakemake misses none of them. This file is new whenever a block
has to be computed, or lies there and was not collected as it is: then the summary is out of date,
and the jobs that are named here are asked for.
"""

import csv
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from losaw.study.design.blocks import Block
from losaw.study.design.plan import StudyPlan
from losaw.study.files.writing import write_text


def news_path(results: Path, study: str) -> Path:
    """Where the news of a study lies."""
    return results / "jobs" / f"{study}.news"


def write_news(plan: StudyPlan, jobs: Iterable[str], stored: Mapping[Block, str]) -> None:
    """Tell of a study's blocks that are to be computed, or were computed and not collected.

    Parameters
    ----------
    jobs : iterable of str
        Names of the jobs that compute what is missing.
    stored : dict
        Block that is there -> SHA-256 of its file.
    """
    jobs = list(jobs)
    path = news_path(plan.results, plan.study.name)
    if not jobs and path.exists() and not _uncollected(plan, stored):
        return
    # The moment, because Snakemake takes a file that says the same as before for unchanged.
    write_text(path, "".join(f"{line}\n" for line in (time.time_ns(), *jobs)))


def read_news(results: Path, study: str) -> list[str]:
    """Names of the jobs that were asked for last."""
    try:
        return news_path(results, study).read_text(encoding="utf-8").splitlines()[1:]
    except (OSError, UnicodeDecodeError):
        return []


def _uncollected(plan: StudyPlan, stored: Mapping[Block, str]) -> bool:
    """Whether a block of the study is there that was not collected as it is."""
    try:
        with (plan.folder / "blocks.csv").open(newline="", encoding="utf-8") as file:
            collected = {line["sha256"] for line in csv.DictReader(file)}
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
        return True
    return any(block in stored and stored[block] not in collected for block in plan.blocks)
