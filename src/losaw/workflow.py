"""A session as the Snakefile sees it: paths, inputs and parameters of its rules."""

import contextlib
import math
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from losaw.plugins import PluginError
from losaw.registry import RegistryError
from losaw.report.figures import check_figures
from losaw.study.design.blocks import Block, BlockName, law_file
from losaw.study.design.request import Request, read_selection
from losaw.study.design.schema import Configuration
from losaw.study.design.session import LEARNER_AXIS, Session
from losaw.study.design.source_file import SourceFile
from losaw.study.errors import StudyError
from losaw.study.running.estimate import block_seconds
from losaw.words import unknown

SLOWEST_MACHINE = 3.0
FEWEST_MINUTES = 10
LIMITS = ("block_minutes", "block_megabytes")


class Workflow:
    """What the rules ask for; ``wildcards`` are Snakemake's.

    Parameters
    ----------
    config : dict
        Snakemake's ``config``: the configuration file and ``--config`` together.
    file : Path
        The configuration file.
    trusted : bool, default False
        Skip what the main process has checked: in a job, Snakemake reads the Snakefile again.

    Raises
    ------
    StudyError
        For any mistake in either, before the first job.
    """

    def __init__(self, config: Mapping[str, Any], file: Path, trusted: bool = False) -> None:
        self.request = request_from_workflow(config, file)
        self.session = Session(self.request, trusted)
        if not trusted:
            for study in self.session.studies:
                check_figures(study)
        self.results = self.session.results
        self.laws_folder = str(law_file(self.results, "law").parent)
        self.report = str(self.results / "report.html")
        self.study_names = [study.name for study in self.session.studies]
        self.losaw = f"{shlex.quote(sys.executable)} -m losaw"
        self.arguments = self.request.arguments()

    @cached_property
    def block_arguments(self) -> str:
        """Options of a block: where things are, not what else is asked for.

        A block does not depend on scale, selection or number of seeds, and must not be run
        again when they change.
        """
        kept = {k: v for k, v in self.request.overrides.items() if k in ("results", "plugins")}
        return replace(self.request, overrides=kept, selection={}, seeds=None).arguments()

    @property
    def block_limits(self) -> str:
        """Options of a block that are no reason to run it again: its limits."""
        kept = {k: v for k, v in self.request.overrides.items() if k in LIMITS}
        return shlex.join(
            word for key, value in kept.items() for word in ("--configure", f"{key}={value}")
        )

    @cached_property
    def _blocks(self) -> dict[str, Block]:
        return {str(block.path): block for block in self.session.all_blocks}

    def _block(self, wildcards: Any) -> Block:
        names = (wildcards.study, "blocks", wildcards.setting, wildcards.learner)
        path = self.results.joinpath(*names, f"{wildcards.seeds}.parquet")
        return self._blocks.get(str(path)) or self.session.block(BlockName.from_path(path))

    def blocks_of(self, wildcards: Any) -> list[str]:
        """Files of all blocks of a study."""
        return [str(block.path) for block in self.session.plan(wildcards.study).blocks]

    def files_of(self, wildcards: Any) -> list[str]:
        """What a summary reads beside the blocks; a change remakes it.

        The study file, its printed numbers, and what another study measured of shared draws.
        """
        plan = self.session.plan(wildcards.study)
        files = [str(plan.study.source.path)]
        if plan.study.file.published:
            files.append(str(plan.published / plan.study.file.published))
        measured = plan.study.file.between_draws
        if measured in self.study_names:
            files.append(str(self.results / measured / "comparison.csv"))
        return files

    def laws_of(self, wildcards: Any) -> list[str]:
        """The joint law that a block draws from, if any."""
        return self._laws(self._block(wildcards))

    @staticmethod
    def _laws(block: Block) -> list[str]:
        return [] if block.law_path is None else [str(block.law_path)]

    def file_of(self, study: str) -> str:
        """The study file."""
        return str(self.session.study(study).source.path)

    def tables_of(self, study: str) -> list[str]:
        """Files of all tables of a study."""
        folder = self.results / study / "tables"
        names = self.session.study(study).file.tables
        return [str(folder / f"{name}.{kind}") for name in names for kind in ("csv", "md", "tex")]

    def figures_of(self, study: str) -> list[str]:
        """Files of all figures of a study."""
        names = self.session.study(study).file.figures
        return [str(self.session.figures / f"{n}.{kind}") for n in names for kind in ("pdf", "png")]

    def study_arguments(self, wildcards: Any) -> str:
        """Options of a command that works on one study."""
        return self.arguments_of(wildcards.study)

    def arguments_of(self, study: str) -> str:
        """Options of a command that works on one study, by its name."""
        return self.session.plan(study).request

    def version_of(self, wildcards: Any) -> str:
        """The results version of a block: a change of what decides its numbers reruns it."""
        return self._block(wildcards).series.version

    def megabytes(self, wildcards: Any) -> int:
        """Memory of a block, as its study states it."""
        return self.session.study(wildcards.study).file.memory_megabytes

    def megabytes_to_draw(self, study: str) -> int:
        """Memory of a study's figures, for which a replicate may be fitted anew."""
        return max(2000, self.session.study(study).file.memory_megabytes)

    def minutes(self, wildcards: Any) -> int:
        """Run time to ask a cluster for: the estimate on a machine three times slower."""
        seconds = block_seconds(self._block(wildcards))
        return max(FEWEST_MINUTES, math.ceil(SLOWEST_MACHINE * seconds / 60))

    def summarise_without(self, failed: set[str]) -> None:
        """Make everything that is made of the blocks without those that failed.

        A summary does without some of its blocks: it says how many are missing, and refuses above
        ``max_failed_share``. Where a missing block has not failed, the run was interrupted, and
        nothing follows.

        Parameters
        ----------
        failed : set of str
            Outputs of the jobs whose last attempt failed.
        """
        missing = [block for block in self.session.all_blocks if not block.path.exists()]
        excused = [b for b in missing if failed.intersection([str(b.path), *self._laws(b)])]
        if not missing or missing != excused:
            return
        print(
            f"losaw: {len(missing)} of {len(self.session.all_blocks)} blocks failed, for example "
            f"{missing[0].path}; going on without them. The same command tries them again.",
            file=sys.stderr,
            flush=True,
        )
        command = [sys.executable, "-m", "losaw", "summarise", *shlex.split(self.arguments)]
        subprocess.run(command, check=False)


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """End in one message, without a traceback, for what a user can mend."""
    try:
        yield
    except (StudyError, RegistryError, PluginError) as error:
        raise SystemExit(f"losaw: {error}") from None


def request_from_workflow(config: Mapping[str, Any], file: Path) -> Request:
    """The request behind ``snakemake --config key=value …``.

    A key may be one of the configuration file, ``seeds``, an axis of a study, or ``learner``.

    Raises
    ------
    StudyError
        For any other key, with the nearest match.
    """
    written = SourceFile(file).data
    asked = {key: value for key, value in config.items() if written.get(key) != value}
    overrides = {key: value for key, value in asked.items() if key in Configuration.model_fields}
    for key in ("studies", "plugins"):
        if isinstance(overrides.get(key), str):
            overrides[key] = overrides[key].split(",")
    rest = {key: value for key, value in asked.items() if key not in overrides}
    seeds = rest.pop("seeds", None)
    if seeds is not None and (not isinstance(seeds, int) or isinstance(seeds, bool)):
        raise StudyError(f"seeds: {seeds!r} is not allowed; ask for a whole number, 1 or more")
    if rest:
        session = Session(Request(file, overrides), trusted=True)
        axes = {LEARNER_AXIS, *(axis for study in session.studies for axis in study.axes)}
        known = sorted({*Configuration.model_fields, "seeds", *axes})
        for key in rest:
            if key not in axes:
                raise StudyError(f"--config {key}: {unknown('key', key, known)}")
    return Request(
        file, overrides, read_selection(f"{key}={value}" for key, value in rest.items()), seeds
    )
