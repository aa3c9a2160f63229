"""A session as the rules see it: jobs of blocks, files of studies, and why files are remade."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from losaw.registry import RegistryError
from losaw.registry.plugins import PluginError
from losaw.report.figures import check_figures
from losaw.study.design.blocks import Block, BlockName, law_file
from losaw.study.design.grid import Study
from losaw.study.design.plan import StudyPlan
from losaw.study.design.session import Session
from losaw.study.design.snakemake_call import forced, is_dry_run, request_from_workflow
from losaw.study.design.validation import check_extras
from losaw.study.errors import StudyError
from losaw.study.files import output_digests
from losaw.study.files.block_file import problem_of, stored_digests
from losaw.study.files.healing import damaged_metadata, damaged_small_files, heal
from losaw.study.files.writing import write_text
from losaw.study.running.estimate import START_SECONDS, block_seconds
from losaw.study.running.jobs import Job, cut_into_jobs, job_list, read_job
from losaw.study.running.joint_laws import laws_of
from losaw.support.words import unknown

CONFIGURATION = Path("config/config.yaml")
LIMITS = ("block_minutes", "block_megabytes")
COLLECTING_MEGABYTES = 4000
# Captions lie in workflow/report; Snakemake reads the path from where the rule stands.
SHOWN = {".png": "figure", ".csv": "table", ".html": "page"}


class Workflow:
    """The inputs, outputs and parameters of the rules.

    Parameters
    ----------
    config : dict
        Snakemake's ``config``: the configuration file and ``--config`` together.
    file : Path
        The configuration file.
    only : sequence of str or None
        In a process that Snakemake starts for some jobs: their rules. What the main process has
        checked and planned is then not checked and planned again.

    Attributes
    ----------
    session : Session
    arguments : str
        The options of a command on the whole session.
    has_job_for_each_block : bool
        Granular mode, ``--config jobs=blocks``.

    Raises
    ------
    StudyError
        For any mistake in either, before the first job.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        file: Path = CONFIGURATION,
        only: Sequence[str] | None = None,
    ) -> None:
        self._only = only
        mode, others = config.get("jobs", "batches"), {k: config[k] for k in config if k != "jobs"}
        if mode not in ("batches", "blocks"):
            raise StudyError(f"jobs: {unknown('kind of job', mode, ['batches', 'blocks'])}")
        self.has_job_for_each_block = mode == "blocks"
        request = request_from_workflow(others, file)
        self.session = Session(request, trusted=only is not None)
        self.results = self.session.results
        self.arguments = request.arguments()
        if only is None:
            check_and_heal(self.session)
            self._write_reasons()

    @property
    def jobs_folder(self) -> str:
        """The folder of the lists and logs of jobs."""
        return str(self._reasons.parent)

    @property
    def laws_folder(self) -> str:
        """The folder of the joint laws."""
        return str(law_file(self.results, "law").parent)

    @property
    def everything(self) -> list[str]:
        """The files that the default rule requests, which a finished run keeps."""
        outputs = [file for study in self.session.studies for file in self.outputs_of(study.name)]
        blocks = [str(block.path) for block in self.session.all_blocks]
        laws = map(str, laws_of(self.session.all_blocks))
        return [*laws, *blocks, *outputs, *self.report]

    @cached_property
    def stored(self) -> dict[Block, str]:
        """Blocks that are whole and up to date, with the SHA-256 of their files."""
        return stored_digests(self.session.all_blocks)

    @cached_property
    def jobs(self) -> list[Job]:
        """All jobs of blocks; in a process for some jobs, these alone."""
        if self._only is None:
            seconds = self.session.configuration.job_seconds
            return cut_into_jobs(self.session.all_blocks, seconds)
        lists = [(name, job_list(self.results, name)) for name in self._only]
        return [
            _job(name, map(self.session.block, read_job(path)[0]))
            for name, path in lists
            if path.exists()
        ]

    def is_forced(self, job: Job) -> bool:
        """True if Snakemake was called to compute a job's blocks whatever is stored."""
        names = forced(sys.argv)
        return names is None or bool(
            names.intersection([job.name, *(str(block.path) for block in job.blocks)])
        )

    def block(self, wildcards: Any) -> Job:
        """Return the job of a single block, from the wildcards of the rule ``block``."""
        first, last = int(wildcards.first), int(wildcards.last)
        name = BlockName(wildcards.study, wildcards.setting, wildcards.learner, first, last)
        return _job(str(name), [self.session.block(name)])

    def inputs_of(self, blocks: Sequence[Block]) -> list[str]:
        """Return the files of the blocks' laws, and the list of reasons to remake a block."""
        stale = self._only is None and any(str(block.path) in self._stale for block in blocks)
        return [*map(str, laws_of(blocks)), *[str(self._reasons)] * stale]

    def inputs_of_study(self, name: str) -> list[str]:
        """Return what a study's summary, tables and figures are made from."""
        study = self.session.study(name)
        files = [*(str(block.path) for block in self.session.plan(name).blocks)]
        files.append(str(study.source.path))
        if study.file.published:
            files.append(str(self.session.published_folder / study.file.published))
        return files + [str(self._reasons)] * (name in self._stale)

    def outputs_of(self, name: str) -> list[str]:
        """Return the files of a study: summary, tables, figures, and their digests."""
        files = output_digests.study_files(self.session.plan(name))
        sums = output_digests.sums_path(self.results, name)
        return [str(file) for file in [*files, sums]]

    @property
    def inputs_of_report(self) -> list[str]:
        """The files that the report shows."""
        files = [file for study in self.session.studies for file in self.outputs_of(study.name)]
        return files + [str(self._reasons)] * (output_digests.REPORT in self._stale)

    @property
    def report(self) -> list[str]:
        """The files of the report."""
        return [
            str(f)
            for f in [
                *output_digests.report_files(self.results),
                output_digests.sums_path(self.results),
            ]
        ]

    def arguments_of(self, study: str) -> str:
        """Return the options of a command on one study."""
        return self.session.request_for(self.session.study(study)).arguments()

    @cached_property
    def block_arguments(self) -> str:
        """Options of a block: places, limits, and the scale, which may define a learner."""
        needed = ("results", "plugins", "scale", *LIMITS)
        request = self.session.request
        overrides = {k: v for k, v in request.overrides.items() if k in needed}
        return replace(request, overrides=overrides, selection={}, seeds=None).arguments()

    @property
    def _reasons(self) -> Path:
        return self.results / "jobs" / "remade.txt"

    @cached_property
    def _stale(self) -> dict[str, str]:
        """Blocks, studies and the report that are there and must be remade, with the reason."""
        stale = {
            str(block.path): problem_of(block) or "the record of its run is missing or damaged"
            for block in self.session.all_blocks
            if block not in self.stored and block.path.exists()
        }
        plans = self.session.plans
        reasons = {plan.study.name: self._why_stale(plan) for plan in plans}
        reasons[output_digests.REPORT] = output_digests.why_report_is_not_current(plans)
        for name, reason in reasons.items():
            if reason and any(path.exists() for path in self._files_of(name)):
                stale[name] = reason
        return stale

    def _why_stale(self, plan: StudyPlan) -> str:
        # Snakemake does not remake a missing block while the files made from it exist.
        missing = [block for block in plan.blocks if block not in self.stored]
        if missing:
            return f"{len(missing)} blocks are to be computed, for example {missing[0].path}"
        return output_digests.why_not_current(plan, self.stored)

    def _write_reasons(self) -> None:
        """Write why files are remade, into a file that is newer than all of them.

        Snakemake compares dates. A stale file is as old as it is, and may even have a date in the
        future; so the list of reasons becomes an input, and no stale file stays newer than it.
        """
        if not self._stale:
            return
        lines = [f"{name}: {reason}\n" for name, reason in self._stale.items()]
        # With the moment, since Snakemake takes a file of the same content for unchanged.
        write_text(self._reasons, f"{time.time_ns()}\n{''.join(lines)}")
        now = self._reasons.stat().st_mtime
        for path in [path for name in self._stale for path in self._files_of(name)]:
            if path.exists() and path.stat().st_mtime >= now:
                os.utime(path, (now - 1, now - 1))

    def _files_of(self, name: str) -> list[Path]:
        """Return the files of an entry of the list of reasons."""
        if name == output_digests.REPORT:
            return [Path(file) for file in self.report]
        if name in [study.name for study in self.session.studies]:
            return [Path(file) for file in self.outputs_of(name)]
        return [Path(name)]


def _job(name: str, blocks: Iterable[Block]) -> Job:
    blocks = tuple(blocks)
    return Job(name, blocks, START_SECONDS + sum(map(block_seconds, blocks)))


def megabytes_of_outputs(study: Study) -> int:
    """Return the memory of a study's summary and figures, which may fit a replicate again."""
    return max(COLLECTING_MEGABYTES, study.file.memory_megabytes)


def captioned(report: Callable[..., Any], study: str, files: Sequence[str]) -> list[Any]:
    """The outputs of a rule, those that a report shows with caption, category and labels.

    Parameters
    ----------
    report : callable
        Snakemake's, as a rule has it: it marks an output with its caption.
    study : str
        A study's name, or ``"all"``.
    files : sequence of str
        All outputs; the others pass as they are.
    """

    def marked(file: str) -> Any:
        kind = SHOWN.get(Path(file).suffix)
        if kind is None:
            return file
        labels = {"study": study, kind: Path(file).stem.replace("_", " ")}
        caption = f"../report/{kind}.rst"
        return report(file, caption=caption, category=f"{kind}s", labels=labels)

    return [marked(file) for file in files]


def rules_in(arguments: Sequence[str]) -> list[str]:
    """Return the rules that a process of Snakemake was started for: ``--target-jobs rule: …``."""
    return [word.partition(":")[0] for word in arguments if ":" in word]


def use_python(deployed: Collection[Any], folder: str) -> None:
    """Set the Python of the rules' commands: this one, or that of a conda environment or container.

    It is a variable, because a parameter would make the outputs of another machine stale. There,
    the package is the source of this checkout.
    """
    os.environ["LOSAW_PYTHON"] = "python" if deployed else sys.executable
    if deployed:
        os.environ["PYTHONPATH"] = str(Path(folder) / "src")


def check_and_heal(session: Session) -> None:
    """Check what only a run needs, and remove damaged files unless it is a dry run."""
    for study in session.studies:
        check_figures(study)
        check_extras(study, session.learners(study))
    if not is_dry_run(sys.argv):
        heal(damaged_small_files(session.all_blocks))
        heal(damaged_metadata(Path(".snakemake/metadata")))


@contextlib.contextmanager
def clear_errors() -> Iterator[None]:
    """End with one message and no traceback for a mistake that a user can fix."""
    try:
        yield
    except (StudyError, RegistryError, PluginError) as error:
        raise SystemExit(f"losaw: {error}") from None
