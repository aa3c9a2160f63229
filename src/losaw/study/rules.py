"""What the Snakefile and its scripts ask of a request."""

import importlib.util
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import losaw
from losaw.study.block.block_file import begun_path, kept_path, mark_begun
from losaw.study.block.blocks import BLOCK_FILE, Block
from losaw.study.errors import StudyError, part_of
from losaw.study.registry import get
from losaw.study.registry.versions import version_of
from losaw.study.request.checks import check_extras
from losaw.study.request.settings import short_digest
from losaw.study.results.outputs import FILES
from losaw.study.session import Session, StudyPlan
from losaw.support.errors import LosawError
from losaw.support.one_thread import use_one_thread
from losaw.support.sources import CHECKOUT, digest_of, other_checkout, own_sources

# Snakemake hands the content of the configuration to scripts; under this key, its file as well.
FILE_KEY = "configuration"
_TEMPLATES = Path(losaw.__file__).parent / "pages" / "templates"
_OF_PAGES = [_TEMPLATES / "shell.html", *sorted(_TEMPLATES.glob("report/*"))]
_TAKEN = " taken from kept/"  # in the log of a job


def default_configuration(workflow: Any) -> Path:
    """Return ``config/config.yaml`` of the folder of the run; without one, the repository's.

    A folder that ``--directory`` names must have one: after a typo, whole studies would run.
    """
    own = Path("config", "config.yaml")
    if own.is_file():
        return own
    if workflow.is_main_process:
        if workflow.overwrite_workdir is not None:
            words = f"has no {own}; correct --directory, or name a configuration with --configfile"
            raise SystemExit(f"losaw: {Path.cwd()}: {words}")
        print(f"losaw: no {own} in this folder: taken is {CHECKOUT / own}", file=sys.stderr)
    return CHECKOUT / own


def request(workflow: Any, config: dict[str, Any]) -> "Run":
    """Return the request of a run of Snakemake; scripts find its configuration's file in config."""
    if workflow.modifier.namespace is not None:
        raise SystemExit(
            "losaw: this Snakefile cannot be used as a module; start it in a rule of yours: "
            "snakemake --snakefile … --configfile … --cores {threads}"
        )
    if words := other_checkout(Path(workflow.basedir).resolve()):
        raise SystemExit(f"losaw: {words}")
    # Of options that are given twice, Snakemake sees the last.
    options = ["--config" for word in sys.argv if re.match("--config(=|$)|-C", word)]
    keys = [word.partition("=")[0] for word in workflow.config_settings.config_args or ()]
    for word, times in Counter([*options, *keys]).items():
        if times > 1:
            words = "one --config takes several keys, and a key several values: function=f3,f5"
            raise SystemExit(f"losaw: {word}: given twice; {words}")
    run = Run(Path(workflow.configfiles[0]), config, workflow.is_main_process)
    run.check_targets(sys.argv[1:])
    config[FILE_KEY] = str(run.source.path)
    config["plugins"] = run.plugins  # with those of studies, for jobs
    return run


class Run(Session):
    """A request, as the rules see it: inputs, parameters and resources from wildcards.

    ``config`` is Snakemake's: the configuration file and ``--config`` together. The process that
    starts the jobs (``is_main``) checks everything.
    """

    files = FILES  # of a study

    def __init__(self, configuration: Path, config: Mapping[str, Any], is_main: bool) -> None:
        use_one_thread()
        try:
            super().__init__(configuration, config, trusted=not is_main)
            if is_main:
                check_request(self)
                check_unrecorded(self)
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

    @property
    def any_paper(self) -> str:
        """A pattern of the names of all pages."""
        return "|".join(map(re.escape, self.papers))

    def block_file(self, folder: str, ending: str) -> str:
        """Return the pattern of the files of blocks in one of their folders."""
        wildcards = {name: f"{{{name}}}" for name in ("slice", "first", "last")}
        names = BLOCK_FILE.format(folder=folder, ending=ending, **wildcards)
        return f"{self.results / self.scale}/{{study}}/{names}"

    def block(self, wildcards: Any) -> Block:
        """Return the block of a file; a StudyError says that the request has none."""
        path = self.block_file("blocks", "parquet").format(**vars(wildcards))
        blocks = self.plan(wildcards.study).blocks
        return part_of("block", path, blocks, "not part of this request: ")

    def minutes_of(self, wildcards: Any, attempt: int) -> int:
        """Return the run time of an attempt: the second gives each learner that of the first."""
        n_turns = 1 if attempt == 1 else 1 + len(self.block(wildcards).recipe.learners)
        return n_turns * self.minutes

    def law(self, identifier: str) -> dict[str, Any]:
        """Return the specification of a joint law."""
        laws = (plan.study.law_of(setting) for plan in self.plans for setting in plan.settings)
        specifications = {law.identifier: law for law in laws if law is not None}
        place = "not part of this request: "
        return asdict(part_of("joint law", identifier, specifications, place))

    @property
    def blocks(self) -> list[str]:
        """Return the files of all blocks."""
        return [path for plan in self.plans for path in plan.blocks]

    def claims_of(self, paper: str) -> list[Path]:
        """Return the file of a paper's claims, if it has one."""
        return [path for path in [self.folder / "claims" / f"{paper}.yaml"] if path.is_file()]

    def shown(self, paper: str) -> list[str]:
        """Return the studies of a page; a claim may be about one that another paper has."""
        from losaw.study.claims.claim_file import read_claims

        claims = [claim for path in self.claims_of(paper) for claim in read_claims(path).claims]
        about = (claim.study for claim in claims if claim.study in self.names)
        return list(dict.fromkeys([*self.papers[paper], *about]))

    def in_report(self, category: str) -> dict[str, Any]:
        """Return where Snakemake's own report shows a rule's output: below its paper."""
        singular = category[:-1]  # of tables, figures and pages, whose captions are called so
        pattern = {"tables": "csv", "figures": "png"}.get(category)
        study = {"study": "{study}", singular: f"{{{singular}}}"}
        return {
            "caption": f"../report/{singular}.rst",
            "category": category,
            "subcategory": lambda wildcards: self.paper_of(dict(wildcards.items())),
            "labels": study
            if pattern
            else lambda wildcards: dict(wildcards.items()) or {"paper": "all"},
            "patterns": [f"{{{singular}}}.{pattern}"] if pattern else [],
        }

    def paper_of(self, wildcards: Mapping[str, str]) -> str:
        """Return the page of a study, or of the wildcards of a page; of the front page "all"."""
        pages = [page for page, names in self.papers.items() if wildcards.get("study") in names]
        return [*pages, wildcards.get("paper", "all")][0]

    def code(self, rule: str, study: str | None = None, paper: str | None = None) -> str:
        """Return a digest of the code that makes a rule's files, with a study's own parts in it.

        It is a parameter of the rules that come after the blocks: an edit makes their files again.
        So does one of the study file, the printed numbers or a paper's claims, which are in it: one
        that comes with an older time, as from git, is no newer input. A block has versions instead
        (:mod:`losaw.study.registry.versions`).
        """
        entries = []
        if study is not None:
            entries += [metric.entry for metric in self.study(study).metrics.values()]
            if rule == "figures":
                layouts = self.study(study).file.figures.values()
                entries += [get("drawing", layout.drawing) for layout in layouts]
        modules = {entry.target.partition(":")[0] for entry in entries}
        parts = [_code_of(module) for module in sorted(modules) if module.startswith("losaw.")]
        if study is None:
            parts.append(digest_of(_OF_PAGES))
        parts.append(digest_of(self.plan(study).written if study else self.claims_of(paper or "")))
        return short_digest([_code_of(rule), parts, [str(version_of(one)) for one in entries]])

    def check_targets(self, words: Sequence[str]) -> None:
        """Name the folder that is made whole where the command line asks for a file in it."""
        folders = {place for plan in self.plans for place in (plan.folder / "tables", plan.figures)}
        for word in words:
            for folder in folders.intersection(Path(word).parents):
                raise SystemExit(f"losaw: {word}: is made with its folder; ask for {folder}")

    def start(self, dag: Any) -> None:
        """Prepare the first job: compile, and try out the studies that have blocks to compute.

        A block that is forced, or was removed, has nothing kept. One that Snakemake will remove and
        compute again is marked: a job that ends early leaves what is kept.
        """
        from losaw.kernels.machine_code import is_compiled
        from losaw.study.trial import check_by_trial, needs_kernels

        blocks = [job for job in dag.needrun_jobs() if job.rule.name == "block"]
        names = dict.fromkeys(job.wildcards.study for job in blocks)
        plans = [self.plan(name) for name in names]
        if not is_compiled() and needs_kernels(plans):
            self.compile()
        try:
            for job in blocks:
                reason, path = dag.reason(job), Path(job.output[0])
                if reason.forced or (reason.missing_output and not begun_path(path).exists()):
                    kept_path(path).unlink(missing_ok=True)
                elif path.exists():
                    mark_begun(path)
            asked = {job.output[0] for job in blocks}
            for path in (Path(path) for path in self.blocks if path not in asked):
                if path.exists():  # one that is missing may be asked for later
                    begun_path(path).unlink(missing_ok=True)
            for note in check_by_trial(plans):
                print(f"losaw: {note}", file=sys.stderr)
        except LosawError as error:
            raise SystemExit(f"losaw: {error}") from None

    def end(self, dag: Any) -> None:
        """Say which report there is, and in how many blocks rows were taken from kept/."""
        jobs = list(dag.needrun_jobs(exclude_finished=False))
        logs = [Path(job.log[0]) for job in jobs if job.rule.name == "block"]
        n_taken = sum(_TAKEN.encode() in log.read_bytes() for log in logs if log.is_file())
        if n_taken:
            blocks = f"blocks: {n_taken} of {len(logs)}, as their logs say"
            message = f"losaw: rows of unchanged methods{_TAKEN} ({blocks}; --config reuse=false"
            print(f"{message} computes all)", file=sys.stderr)
        description = Path(self.pages, "report.rst")
        if any(job.rule.name == "report" for job in jobs) and description.is_file():
            lines = description.read_text("utf-8").splitlines()
            found = [line[2:].replace("**", "") for line in lines if line.startswith("- ")]
            print(*(f"losaw: {words}" for words in found), sep="\n", file=sys.stderr)
        page = Path(self.pages, "report.html")  # without --until and the like
        if page.is_file() and any(job.rule.name == "report" for job in dag.jobs):
            print(f"losaw: {page}", file=sys.stderr)

    def compile(self) -> None:
        """Compile all kernels once, where that was not done at installation and they are needed."""
        words = "losaw: compiling once for this folder: two minutes, longer on a busy machine"
        print(words, file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "losaw", "compile"], check=False)


def check_request(session: Session) -> None:
    """Check figures, tables and extras of a request before anything runs; print its notes."""
    from losaw.study.report.figures import check_figures
    from losaw.study.report.headline import check_pair
    from losaw.study.results.compare import check_tables

    for study in session.studies:
        check_figures(study)
        check_pair(study)
        check_tables(study)
        check_extras(study, session.learners(study))
    for note in session.notes:
        print(f"losaw: {note}", file=sys.stderr)


def check_unrecorded(session: Session) -> None:
    """Refuse blocks of another recipe where Snakemake's records, which would tell it, are gone."""
    from losaw.study.cost import changes_of
    from losaw.study.results.collect import check_usable

    if any(Path(".snakemake", "metadata").glob("*")):
        return
    for plan in session.plans:
        changes = ((block.path, next(changes_of(block), "")) for block in plan.blocks.values())
        told = {
            str(path): StudyError(f"{path}: is of another recipe: {words}")
            for path, words in changes
            if words
        }
        check_usable(plan, told)


def shelf_of(snakemake: Any) -> Any:
    """Return the results of a script's request."""
    from losaw.study.report.page.stored import Shelf

    session = _session_of(snakemake)
    return Shelf(session.outputs, session.folder, session.figures, session.names)


def plan_of(snakemake: Any) -> StudyPlan:
    """Return the plan of a script's study."""
    return _session_of(snakemake).plan(snakemake.wildcards.study)


def _session_of(snakemake: Any) -> Session:
    config = dict(snakemake.config)
    return Session(Path(config.pop(FILE_KEY)), config, trusted=True)


@cache
def _code_of(name: str) -> str:
    """A digest of a module, or of a rule's script, with what it imports of losaw."""
    script = CHECKOUT / "workflow" / "scripts" / f"{name}.py"
    spec = importlib.util.find_spec(name) if name.startswith("losaw.") else None
    return digest_of(own_sources([Path(spec.origin) if spec and spec.origin else script]))
