"""The wheel and the source archive: what is in them, and what they do in a fresh environment."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """(wheel, source archive), the wheel built from the archive as an index user's would be."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run([*build, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    (archive,) = folder.glob("*.tar.gz")
    shutil.unpack_archive(archive, folder)
    unpacked = folder / archive.name.removesuffix(".tar.gz")
    subprocess.run([*build, "-t", "wheel"], cwd=unpacked, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel, archive


def test_the_wheel_has_the_sources_and_nothing_else(distributions):
    with zipfile.ZipFile(distributions[0]) as wheel:
        names = set(wheel.namelist())
    source = ROOT / "src"
    files = [*(source / "losaw" / "pages").rglob("templates/**/*.*"), *source.rglob("*.py")]
    expected = {str(path.relative_to(source)) for path in files if "__pycache__" not in path.parts}
    expected.add("losaw/py.typed")
    assert expected - names == set()
    assert not [
        name for name in names if name.startswith(("tests", "docs", "benchmarks", "config"))
    ]


def test_the_metadata_say_licence_extras_and_command(distributions):
    with zipfile.ZipFile(distributions[0]) as wheel:
        (info,) = {name.partition("/")[0] for name in wheel.namelist() if "dist-info" in name}
        metadata = wheel.read(f"{info}/METADATA").decode()
        entry_points = wheel.read(f"{info}/entry_points.txt").decode()
        assert f"{info}/licenses/LICENSE" in wheel.namelist()
    assert "License-Expression: BSD-3-Clause" in metadata
    extras = set(re.findall(r"Provides-Extra: (\S+)", metadata))
    assert {"all", "gpu", "network", "plot", "slurm", "study", "xgboost"} <= extras
    assert "losaw = losaw.cli:main" in entry_points


def test_the_source_archive_is_the_repository(distributions):
    with tarfile.open(distributions[1]) as tar:
        top = {name.split("/")[1] for name in tar.getnames() if "/" in name}
    assert {
        "CITATION.cff",
        "LICENSE",
        "Makefile",
        "README.md",
        "Snakefile",
        "config",
        "docs",
        "requirements.txt",
        "src",
        "tests",
        "workflow",
    } <= top
    assert not top & {"results.parquet", ".venv", "data", ".snakemake"}


def test_the_wheel_unpacked_is_the_library_and_says_where_the_studies_are(distributions, tmp_path):
    """Against this environment's libraries; in an environment of its own it is a long test."""
    with zipfile.ZipFile(distributions[0]) as wheel:
        wheel.extractall(tmp_path / "site")
    empty = tmp_path / "empty"
    empty.mkdir()

    def losaw(*words):
        return subprocess.run(
            [sys.executable, "-m", "losaw", *words],
            cwd=empty,
            env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
            capture_output=True,
            text=True,
        )

    assert losaw("--version").stdout.startswith("losaw 0.")
    assert "run studies in a clone of the repository" in losaw("plan").stderr
    configuration = str(ROOT / "config" / "config.yaml")
    narrow = ("--config", "scale=smoke", "studies=losaw_forest")
    plan = losaw("plan", "--configfile", configuration, *narrow)
    assert plan.returncode == 0, plan.stderr


# --- In an environment of its own: minutes, and the network for the first time -------------------

FIRST_FOREST = """
import json, time
start = time.process_time()
import losaw
imported = time.process_time() - start
import numpy as np
from losaw import LosawRandomForestRegressor
X = np.random.default_rng(0).standard_normal((400, 4))
LosawRandomForestRegressor(random_state=0).fit(X, X[:, 0])
print(json.dumps({"import": imported, "to the first forest": time.process_time() - start}))
"""
# Every registered thing either can be made and used, or says in one line which extra it needs.
EVERY_NAME = """
from losaw.study.registry import entries
needs = {}
for entry in entries():
    if entry.kind in ("drawing", "generator") or entry.target.startswith("sklearn"):
        continue
    try:
        entry.load()
    except ImportError as error:
        needs[entry.name] = str(error)
for name, message in needs.items():
    assert "pip install '.[" in message and "\\n" not in message, (name, message)
print(sorted(needs))
"""


class Environment:
    """A virtual environment of its own, with a wheel installed into it."""

    def __init__(self, folder, wheel, extras=""):
        self.bin = folder / "bin"
        subprocess.run([uv(), "venv", "-q", "-p", sys.executable, str(folder)], check=True)
        self.install(f"{wheel}{extras}")

    def install(self, *words):
        python = ["--python", str(self.bin / "python")]
        constraints = ["--constraints", str(ROOT / "requirements.txt")]
        subprocess.run([uv(), "pip", "install", "-q", *python, *constraints, *words], check=True)

    def run(self, *words, cwd, status=0):
        # Byte code is wanted: without it every start reads all sources anew.
        own = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
        environment = {k: v for k, v in os.environ.items() if k not in own}
        command = [str(self.bin / words[0]), *words[1:]]
        run = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
        assert run.returncode == status, run.stderr
        return run.stdout if status == 0 else run.stderr

    def megabytes(self):
        files = (path for path in self.bin.parent.rglob("*") if not path.is_symlink())
        return sum(path.stat().st_size for path in files if path.is_file()) / 1e6


def uv():
    return str(Path(sys.executable).with_name("uv"))


@pytest.mark.long
def test_the_library_alone_is_small_quick_and_names_the_extras(distributions, tmp_path):
    alone = Environment(tmp_path / "alone", distributions[0])
    assert alone.megabytes() < 500
    empty = tmp_path / "empty"
    empty.mkdir()
    print(f"{alone.megabytes():.0f} MB")
    # CPU seconds of three processes, shown, not judged; the second writes the last byte code.
    for when in ("compiling", "compiled before", "once more"):
        print(when, alone.run("python", "-c", FIRST_FOREST, cwd=empty).splitlines()[-1])
    needs = alone.run("python", "-c", EVERY_NAME, cwd=empty)
    assert "deep" in needs
    assert "cpi-sequential" in alone.run("losaw", "list", cwd=empty)
    assert "'.[study]'" in alone.run("losaw", "plan", cwd=empty, status=2)


@pytest.mark.long
def test_the_wheel_with_its_study_extra_does_what_the_documentation_says(distributions, tmp_path):
    study = Environment(tmp_path / "study", distributions[0], "[study]")
    empty = tmp_path / "empty"
    empty.mkdir()
    run = ("snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "2", "--config")
    narrow = ("scale=smoke", "studies=losaw_forest", "data_type=continuous", "seeds=1")
    study.run(*run, *narrow, cwd=empty)
    assert list((empty / "results").rglob("table_7.md"))
    plan = ("losaw", "plan", "--configfile", str(ROOT / "config" / "config.yaml"), "--config")
    refused = study.run(*plan, "studies=treeinner_eta", cwd=empty, status=2)
    assert "learner 'xgboost'" in refused and "'.[xgboost]'" in refused
    example = str(ROOT / "examples" / "importance.py")
    assert "ok     importance" in study.run("losaw", "check", example, cwd=empty)
