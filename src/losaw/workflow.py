"""A session as the Snakefile sees it: paths, inputs and parameters of its rules."""

import contextlib
import math
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from losaw.kernels.cache import is_compiled
from losaw.plugins import PluginError
from losaw.registry import RegistryError
from losaw.report.figures import check_figures
from losaw.study.design.blocks import Block, law_file
from losaw.study.design.request import Request, read_selection
from losaw.study.design.schema import Configuration
from losaw.study.design.session import LEARNER_AXIS, Session
from losaw.study.design.source_file import SourceFile
from losaw.study.design.validation import check_extras
from losaw.study.errors import StudyError
from losaw.study.files.block_file import blocks_to_do
from losaw.study.files.healing import damaged_small_files, heal
from losaw.study.results.ending import describe_end
from losaw.study.running.estimate import START_SECONDS, block_seconds
from losaw.study.running.jobs import Job, cut_into_jobs, job_list, read_job, write_job
from losaw.study.running.joint_laws import laws_of
from losaw.study.running.progress import duration
from losaw.study.running.watch import Watch
from losaw.words import unknown

CONFIGURATION = Path("config/config.yaml")
SLOWEST_MACHINE = 3.0
FEWEST_MINUTES = 10
LIMITS = ("block_minutes", "block_megabytes")
# What `losaw collect` leaves in a study's folder.
COLLECTED = (
    "comparison.csv",
    "summary.csv",
    "settings.csv",
    "blocks.csv",
    "agreement.csv",
    "signs.csv",
    "differences.csv",
    "results.parquet",
    "scores.parquet",
    "manifest.json",
)


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

    def __init__(
        self, config: Mapping[str, Any], file: Path = CONFIGURATION, trusted: bool = False
    ) -> None:
        self.planned = not trusted
        self.request = request_from_workflow(config, file)
        self.session = Session(self.request, trusted)
        if not trusted:
            for study in self.session.studies:
                check_figures(study)
                check_extras(study, self.session.learners(study))
            if not is_dry_run(sys.argv):
                self._heal()
        self.results = self.session.results
        self.laws_folder = str(law_file(self.results, "law").parent)
        self.jobs_folder = str(job_list(self.results, "job").parent)
        self.report = str(self.results / "report.html")
        self.study_names = [study.name for study in self.session.studies]
        self.losaw = f"{shlex.quote(sys.executable)} -m losaw"
        self.arguments = self.request.arguments()
        if not trusted:
            self._announce()

    def _heal(self) -> None:
        """Remove damaged small files: Snakemake sees that a file is there, not what it holds."""
        healed = heal(damaged_small_files(self.session.all_blocks))
        if healed:
            print(f"losaw: {healed}", file=sys.stderr, flush=True)

    @property
    def everything(self) -> list[str]:
        """All files that stay: one that is missing is made again, also where the report is there.

        What is only needed on the way to the report, Snakemake does not miss.
        """
        laws = [str(path) for path in laws_of(self.session.all_blocks)]
        collected = [
            str(self.results / study / name) for study in self.study_names for name in COLLECTED
        ]
        return [*laws, *collected, *self.outputs, self.report]

    @property
    def collected(self) -> list[str]:
        """What `losaw collect` makes, as the output of a rule."""
        return [f"{self.results}/{{study}}/{name}" for name in COLLECTED]

    @cached_property
    def block_arguments(self) -> str:
        """Options of a block: where things are, not what else is asked for.

        A block does not depend on scale, selection or number of seeds.
        """
        kept = ("results", "plugins", *LIMITS)
        overrides = {k: v for k, v in self.request.overrides.items() if k in kept}
        return replace(self.request, overrides=overrides, selection={}, seeds=None).arguments()

    @cached_property
    def _to_do(self) -> list[Block]:
        return blocks_to_do(self.session.all_blocks)

    @cached_property
    def _jobs(self) -> dict[str, Job]:
        jobs = cut_into_jobs(self._to_do, self.session.configuration.job_seconds)
        return {job.name: job for job in jobs}

    @cached_property
    def _watch(self) -> Watch:
        expected = {block: block_seconds(block) for block in self._to_do}
        return Watch(expected, len(self.session.all_blocks))

    def _announce(self) -> None:
        """How much there is to do, before Snakemake says anything."""
        seconds = sum(job.seconds for job in self._jobs.values())
        work = f", in {len(self._jobs)} jobs, about {duration(seconds)} on one core"
        print(
            f"losaw: {len(self._to_do)} of {len(self.session.all_blocks)} blocks to compute"
            f"{work if self._jobs else ''}",
            file=sys.stderr,
            flush=True,
        )

    def _job(self, wildcards: Any) -> Job:
        """A job of this run; in a process of its own, the one that was listed for it."""
        path = job_list(self.results, wildcards.job)
        if self.planned or not path.exists():
            return self._jobs[wildcards.job]
        blocks = [self.session.block(name) for name in read_job(path)]
        return Job(wildcards.job, tuple(blocks), START_SECONDS + sum(map(block_seconds, blocks)))

    def start(self) -> None:
        """List the blocks of every job, and let kernels be compiled once before all jobs do it."""
        if not self.planned:
            return
        for job in self._jobs.values():
            write_job(self.results, job)
        if self._jobs and not is_compiled():
            print("losaw: compiling once, for about two minutes", file=sys.stderr, flush=True)
            subprocess.run([sys.executable, "-m", "losaw", "warm-up"], check=False)
        self._watch.start()

    def finish(self) -> None:
        """Forget the lists of what is done, and say where the report is."""
        if not self.planned:
            return
        for job in self._jobs.values():
            job_list(self.results, job.name).unlink(missing_ok=True)
        self._watch.stop()
        print(describe_end(self.session.plans), file=sys.stderr, flush=True)

    def inputs_of(self, wildcards: Any) -> list[str]:
        """What makes a summary out of date: the study's jobs, and what lies there and is newer.

        That is the newest of the blocks, the study file, its printed numbers, and what another
        study measured of shared draws.
        """
        jobs = [job for job in self._jobs.values() if job.blocks[0].name.study == wildcards.study]
        to_do = set(self._to_do)
        blocks = self.session.plan(wildcards.study).blocks
        done = [block.path for block in blocks if block not in to_do]
        newest = [str(max(done, key=lambda path: path.stat().st_mtime))] if done else []
        study = self.session.study(wildcards.study)
        files = [str(study.source.path)]
        if study.file.published:
            files.append(str(self.session.published_folder / study.file.published))
        if study.file.between_draws in self.study_names:
            files.append(self._comparison(study.file.between_draws))
        return [f"{self.jobs_folder}/{job.name}.done" for job in jobs] + newest + files

    def laws_of(self, wildcards: Any) -> list[str]:
        """The joint laws that a job's blocks draw from."""
        return self._job(wildcards).laws

    def list_of(self, wildcards: Any) -> str:
        """The file that lists a job's blocks."""
        return str(job_list(self.results, wildcards.job))

    @property
    def outputs(self) -> list[str]:
        """What the report shows."""
        return [
            file
            for name in self.study_names
            for file in (self._comparison(name), *self.tables_of(name), *self.figures_of(name))
        ]

    def _comparison(self, study: str) -> str:
        return str(self.results / study / "comparison.csv")

    def drawn_from(self, study: str) -> list[str]:
        """What tables and figures are made of: the comparison, and the study file."""
        return [self._comparison(study), str(self.session.study(study).source.path)]

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
        return self.session.request_for(self.session.study(study)).arguments()

    def megabytes(self, wildcards: Any) -> int:
        """Memory of a job, as its study states it."""
        return self._job(wildcards).megabytes

    def megabytes_to_draw(self, study: str) -> int:
        """Memory of a study's figures, for which a replicate may be fitted anew."""
        return max(2000, self.session.study(study).file.memory_megabytes)

    def minutes(self, wildcards: Any) -> int:
        """Run time to ask a cluster for: the estimate on a machine three times slower."""
        return max(FEWEST_MINUTES, math.ceil(SLOWEST_MACHINE * self._job(wildcards).seconds / 60))

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
        if not self.planned:
            return
        self._watch.stop()
        missing = [block for block in self.session.all_blocks if not block.path.exists()]
        lost = [
            job
            for job in self._jobs.values()
            if failed.intersection([f"{self.jobs_folder}/{job.name}.done", *job.laws])
        ]
        excused = [block for job in lost for block in job.blocks]
        if not missing or not set(missing) <= set(excused):
            return
        print(
            f"losaw: {len(missing)} of {len(self.session.all_blocks)} blocks failed, for example "
            f"{missing[0].path}; going on without them. The same command tries them again. "
            f"Logs: {_listed(f'{self.jobs_folder}/{job.name}.log' for job in lost)}",
            file=sys.stderr,
            flush=True,
        )
        command = [sys.executable, "-m", "losaw", "summarise", *shlex.split(self.arguments)]
        subprocess.run(command, check=False)


def _listed(names: Iterable[str]) -> str:
    first, *others = names
    return f"{first} and {len(others)} more" if others else first


def is_dry_run(arguments: Sequence[str]) -> bool:
    """Whether Snakemake was called to say what it would do (-n, --dry-run, or -np and so on)."""
    return any(re.fullmatch(r"--dry-?run|-[a-zA-Z]*n[a-zA-Z]*", word) for word in arguments)


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
