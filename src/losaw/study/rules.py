"""What the Snakefile and its scripts ask of a request."""

import math
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from losaw.study.blocks import Block
from losaw.study.checks import check_extras
from losaw.study.errors import part_of
from losaw.study.results.outputs import FILES
from losaw.study.session import Session, StudyPlan
from losaw.support.errors import LosawError
from losaw.support.one_thread import use_one_thread

# The configuration's file, for the scripts: Snakemake hands them its content alone.
FILE_KEY = "LOSAW_CONFIGURATION"


class Run(Session):
    """A request, as the rules see it: inputs, parameters and resources from wildcards.

    ``config`` is Snakemake's: the configuration file and ``--config`` together. The process that
    starts the jobs (``is_main``) checks everything.
    """

    def __init__(self, configuration: Path, config: Mapping[str, Any], is_main: bool) -> None:
        use_one_thread()
        os.environ[FILE_KEY] = str(configuration)
        try:
            super().__init__(configuration, config, trusted=not is_main)
            if is_main:
                check_request(self)
        except LosawError as error:
            raise SystemExit(f"losaw: {error}") from None
        minutes = self.configuration.block_minutes
        # Snakemake rounds a run time: a block's own limit is exact.
        self.minutes, self.seconds = math.ceil(minutes), max(1, round(60 * minutes))

    @cached_property
    def papers(self) -> dict[str, list[str]]:
        """The pages: each paper with its studies, and each study that belongs to none."""
        from losaw.study.claims.claim_file import pages_of, read_papers

        return pages_of(read_papers(self.folder / "claims"), self.names)

    def block(self, wildcards: Any) -> Block:
        """Return the block of a file; a StudyError says that the request has none."""
        blocks = self.plan(wildcards.study).blocks
        path = (
            f"{self.results}/{self.scale}/{wildcards.study}/blocks/{wildcards.slice}/"
            f"seeds_{wildcards.first}-{wildcards.last}.parquet"
        )
        return part_of("block", path, blocks, "not part of this request: ")

    def laws_of(self, wildcards: Any) -> list[str]:
        """Return the files of the joint laws that a block draws from."""
        return [f"{self.results}/laws/{law}.json" for law in self.block(wildcards).slice.laws]

    def law(self, identifier: str) -> dict[str, Any]:
        """Return the specification of a joint law."""
        laws = (plan.study.law_of(setting) for plan in self.plans for setting in plan.settings)
        specifications = {law.identifier: law for law in laws if law is not None}
        place = "not part of this request: "
        return asdict(part_of("joint law", identifier, specifications, place))

    @property
    def everything(self) -> list[str]:
        """Return all files of a finished run: what is lost of them is made again."""
        blocks = [path for study in self.names for path in self.plan(study).blocks]
        summaries = [f"{self.outputs}/{s}/{file}" for s in self.names for file in FILES]
        shown = [path for paper in self.papers for path in self.inputs_of_paper(paper)]
        pages = [f"{self.pages}/{name}.html" for name in ("report", *self.papers)]
        return [*blocks, *summaries, *shown, *pages]

    def inputs_of_summary(self, study: str) -> list[str]:
        """Return what a study's numbers are made of: blocks, study file, published numbers."""
        plan = self.plan(study)
        printed = plan.study.file.published
        files = [plan.study.source.path, *([plan.published / printed] if printed else [])]
        return [*plan.blocks, *map(str, files)]

    def inputs_of_drawings(self, study: str) -> list[str]:
        """Return what tables and figures are made of; the manifest differs in every run."""
        numbers = [f"{self.outputs}/{study}/{file}" for file in FILES if file != "manifest.json"]
        return [*numbers, *map(str, (self.study(study).source.path, *self.configuration.plugins))]

    def inputs_of_paper(self, paper: str) -> list[str]:
        """Return what a page shows: claims; tables and figures, which all numbers are in."""
        claims = self.folder / "claims" / f"{paper}.yaml"
        shown = [str(claims)] if claims.is_file() else []
        for study in self.papers[paper]:
            shown += [f"{self.outputs}/{study}/tables", f"{self.figures}/{study}"]
        return shown

    def compile(self) -> None:
        """Compile all kernels once, where that was not done at installation."""
        from losaw.kernels.machine_code import is_compiled

        if not is_compiled():
            words = "losaw: compiling once for this folder: two minutes, longer on a busy machine"
            print(words, file=sys.stderr, flush=True)
            subprocess.run([sys.executable, "-m", "losaw", "compile"], check=False)


def check_request(session: Session) -> None:
    """Check figures, tables and extras of a request before anything runs; print its notes."""
    from losaw.study.report.figures import check_figures
    from losaw.study.results.compare import check_tables

    for study in session.studies:
        check_figures(study)
        check_tables(study)
        check_extras(study, session.learners(study))
    for note in session.notes:
        print(f"losaw: {note}", file=sys.stderr)


def shelf_of(snakemake: Any) -> Any:
    """Return the results of a script's request."""
    from losaw.study.report.page.stored import Shelf

    session = _session_of(snakemake)
    return Shelf(session.outputs, session.folder, session.figures, session.names)


def plan_of(snakemake: Any) -> StudyPlan:
    """Return the plan of a script's study."""
    return _session_of(snakemake).plan(snakemake.wildcards.study)


def _session_of(snakemake: Any) -> Session:
    return Session(Path(os.environ[FILE_KEY]), snakemake.config, trusted=True)
