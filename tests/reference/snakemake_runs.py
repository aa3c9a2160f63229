"""Running a small project with Snakemake, for the tests of the workflow."""

import hashlib
import multiprocessing
import os
import re
import sys
from pathlib import Path

from reference.repository import REPOSITORY

NARROW = ("noise_variance=0.5",)

# Snakemake starts in a fork of a process that has imported it: half of a dry run is its imports.
# Nothing of losaw is imported there, since some runs have a copy of it.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["snakemake.cli", "pandas", "pyarrow.compute", "pydantic", "sklearn"])


def command(
    project, *words, profile="default", cores=2, config=NARROW, target=None, code=REPOSITORY
):
    """The words of a run of Snakemake in a project's folder."""
    return [
        str(Path(sys.executable).parent / "snakemake"),
        "--snakefile", str(code / "Snakefile"),
        "--directory", str(project.folder),
        "--workflow-profile", str(code / "profiles" / profile),
        *(("--cores", str(cores)) if cores else ()),
        *words,
        *(("--config", *config) if config else ()),
        *(("--", target) if target else ()),
    ]  # fmt: skip


def jobs(text):
    """Rule -> number of jobs, of a dry run."""
    return {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", text, re.MULTILINE)}


def snakemake(project, *words, env=None, **options):
    """Exit status and all output of a run of Snakemake."""
    output = project.folder / "output.txt"
    words = command(project, *words, **options)
    process = FORKS.Process(target=_run, args=(words, env or os.environ.copy(), output))
    process.start()
    process.join()
    text = output.read_text()
    output.unlink()
    return process.exitcode, text


def _run(words, environment, output):
    """Be a new process of Snakemake."""
    with output.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = words
    from snakemake.cli import main

    main(words[1:])


def digests(folder):
    """All results but what describes the run itself."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not {"logs", "benchmarks", "kept"} & set(path.relative_to(folder).parts)
        and path.suffix not in (".log", ".html")
        and path.name != "manifest.json"
    }
