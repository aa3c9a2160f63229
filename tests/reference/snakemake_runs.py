"""Running a small project with Snakemake, for the tests of the workflow."""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

from reference.repository import REPOSITORY

NARROW = ("noise_variance=0.5",)


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
    words = command(project, *words, **options)
    done = subprocess.run(words, capture_output=True, text=True, env=env)
    return done.returncode, done.stdout + done.stderr


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
