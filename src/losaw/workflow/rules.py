"""A session as the Snakefile sees it: paths, inputs and parameters of its rules."""

import contextlib
import math
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

from losaw.kernels.cache import is_compiled
from losaw.registry import RegistryError
from losaw.registry.plugins import PluginError
from losaw.report.figures import check_figures
from losaw.study.design.blocks import Block, law_file
from losaw.study.design.plan import StudyPlan
from losaw.study.design.session import Session
from losaw.study.design.snakemake_call import forces_blocks, is_dry_run, request_from_workflow
from losaw.study.design.validation import check_extras
from losaw.study.errors import StudyError
from losaw.study.files.block_file import stored_digests
from losaw.study.files.healing import damaged_metadata, damaged_outputs, damaged_small_files, heal
from losaw.study.files.made import DRAWS, collected_files, drawn_files, note_path, steps
from losaw.study.files.news import news_path, read_news, write_news
from losaw.study.results.ending import describe_end
from losaw.study.running.estimate import START_SECONDS, block_seconds
from losaw.study.running.fast_start import defer_scipy_stats
from losaw.study.running.jobs import Job, cut_into_jobs, job_list, read_job, write_job
from losaw.study.running.joint_laws import families_of_laws, laws_of
from losaw.study.running.progress import duration
from losaw.study.running.watch import Watch

CONFIGURATION = Path("config/config.yaml")
SLOWEST_MACHINE = 3.0
FEWEST_MINUTES = 10
LIMITS = ("block_minutes", "block_megabytes")
COLLECTING_MEGABYTES = 4000


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
        self.again = forces_blocks(sys.argv)
        defer_scipy_stats()
        self.request = request_from_workflow(config, file)
        self.session = Session(self.request, trusted)
        if not trusted:
            for study in self.session.studies:
                check_figures(study)
                check_extras(study, self.session.learners(study))
            if not is_dry_run(sys.argv):
                heal(damaged_small_files(self.session.all_blocks))
                heal(damaged_outputs(self.session.plans))
                heal(damaged_metadata(Path(".snakemake/metadata")))
        self.results = self.session.results
        self.laws_folder = str(law_file(self.results, "law").parent)
        self.jobs_folder = str(job_list(self.results, "job").parent)
        self.report = [str(self.results / "report.html"), str(note_path(self.results, "report"))]
        self.study_names = [study.name for study in self.session.studies]
        # Of the rules' commands: no parameter, which would make outputs of another machine stale.
        os.environ["LOSAW_PYTHON"] = sys.executable
        self.arguments = self.request.arguments()
        if not trusted:
            self._announce()
            for plan in self.session.plans:
                write_news(plan, map(attrgetter("name"), self._jobs_of(plan)), self._stored)

    @property
    def everything(self) -> list[str]:
        """All files that stay: one that is missing is made again, also where the report is there.

        What is only needed on the way to the report, Snakemake does not miss.
        """
        laws = [str(path) for path in laws_of(self.session.all_blocks)]
        made = [
            str(file)
            for plan in self.session.plans
            for note, files in steps(plan)
            for file in (note, *files)
            if file.name != DRAWS  # of some studies only: without it, the note is not as it was
        ]
        return [*laws, *dict.fromkeys(made)]

    def collected_of(self, study: str) -> list[str]:
        """The summary of a study, as the output of a rule."""
        files = [file for file in collected_files(self.session.plan(study)) if file.name != DRAWS]
        return [*map(str, files), str(note_path(self.results, "collected", study))]

    @cached_property
    def block_arguments(self) -> str:
        """Options of a block: where things are, and the scale, at which a study file may compute a
        learner otherwise; not what else is asked for: selection and number of seeds.
        """
        kept = ("results", "plugins", "scale", *LIMITS)
        overrides = {k: v for k, v in self.request.overrides.items() if k in kept}
        return replace(self.request, overrides=overrides, selection={}, seeds=None).arguments()

    @cached_property
    def _stored(self) -> dict[Block, str]:
        return stored_digests(self.session.all_blocks)

    @cached_property
    def _to_do(self) -> list[Block]:
        return [b for b in self.session.all_blocks if self.again or b not in self._stored]

    @cached_property
    def _jobs(self) -> dict[str, Job]:
        jobs = cut_into_jobs(self._to_do, self.session.configuration.job_seconds)
        return {job.name: job for job in jobs}

    def _jobs_of(self, plan: StudyPlan) -> list[Job]:
        """The jobs of this run that compute blocks of a study."""
        return [job for job in self._jobs.values() if job.blocks[0].name.study == plan.study.name]

    @cached_property
    def _watch(self) -> Watch:
        expected = {block: block_seconds(block) for block in self._to_do}
        return Watch(expected, len(self.session.all_blocks))

    def priority(self, wildcards: Any) -> float:
        """Below 1, in the order in which jobs are to start.

        Large studies come first, and of a study its longest jobs, so that what is left at the end
        is short and no core waits for another.
        """
        if not self.planned:
            return 0.0
        job, seconds = self._job(wildcards), self._seconds_by_study
        of_study = seconds[job.blocks[0].name.study]
        return (of_study + job.seconds / of_study) / (sum(seconds.values()) + 2)

    @cached_property
    def _seconds_by_study(self) -> dict[str, float]:
        return {
            plan.study.name: sum(job.seconds for job in self._jobs_of(plan))
            for plan in self.session.plans
        }

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
        blocks = [self.session.block(name) for name in read_job(path)[0]]
        return Job(wildcards.job, tuple(blocks), START_SECONDS + sum(map(block_seconds, blocks)))

    def start(self) -> None:
        """List the blocks of every job, and let kernels be compiled once before all jobs do it."""
        if not self.planned:
            return
        for job in self._jobs.values():
            write_job(self.results, job, self.again)
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

    def inputs_of(self, name: str) -> list[str]:
        """What makes a study's outputs out of date: what its summary has not seen of its blocks,
        with the jobs that compute the rest; the study file, its printed numbers, and what another
        study measured of shared draws.
        """
        study = self.session.study(name)
        done = [f"{self.jobs_folder}/{job}.done" for job in read_news(self.results, study.name)]
        if not self.planned:
            done = [file for file in done if Path(file).exists()]
        elif not self._jobs_of(self.session.plan(study.name)):
            done = []
        files = [str(news_path(self.results, study.name)), *done, str(study.source.path)]
        if study.file.published:
            files.append(str(self.session.published_folder / study.file.published))
        if study.file.between_draws in self.study_names:
            files.append(self._comparison(study.file.between_draws))
        return files

    @cached_property
    def laws_to_fit(self) -> dict[str, list[str]]:
        """The joint laws that are not there yet, by what one process fits."""
        families = families_of_laws(self.session.all_blocks)
        missing = {
            name: [str(law) for law in laws if self.again or not law.exists()]
            for name, laws in families.items()
        }
        return {name: laws for name, laws in missing.items() if laws}

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
            for file in (self._comparison(name), *self.drawings_of(name))
        ]

    def _comparison(self, study: str) -> str:
        return str(self.results / study / "comparison.csv")

    def drawings_of(self, study: str) -> list[str]:
        """Files of all tables and figures of a study, and the note of them."""
        note = note_path(self.results, "drawn", study)
        return [*map(str, drawn_files(self.session.plan(study))), str(note)]

    def arguments_of(self, study: str) -> str:
        """Options of a command that works on one study, by its name."""
        return self.session.request_for(self.session.study(study)).arguments()

    def megabytes(self, wildcards: Any) -> int:
        """Memory of a job, as its study states it."""
        return self._job(wildcards).megabytes

    def megabytes_of_outputs(self, study: str) -> int:
        """Memory of a study's summary and figures, for which a replicate may be fitted anew."""
        return max(COLLECTING_MEGABYTES, self.session.study(study).file.memory_megabytes)

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
        if not missing and failed.intersection(map(self._comparison, self.study_names)):
            # Snakemake has deleted the summary of a study whose drawings failed.
            command = [sys.executable, "-m", "losaw", "collect", *shlex.split(self.arguments)]
            subprocess.run(command, check=False)
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


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """End in one message, without a traceback, for what a user can mend."""
    try:
        yield
    except (StudyError, RegistryError, PluginError) as error:
        raise SystemExit(f"losaw: {error}") from None
