"""Mutation testing: change the package in one place and see whether its tests notice.

    make test-mutants                                       # two places per package
    python tests/mutants/run.py --places 20 --seed 3 study  # other places, one package

cosmic-ray makes the changes and runs the tests; it works on a copy of the checkout, so the working
tree stays as it is. Here stand only the choice of places and the tests of each file. Places are
drawn at random from all that decide something: docstrings, annotations, decorators and the texts of
errors are left out. Kernels are run as Python first, which compiles nothing and checks every index.
A change that the tests of its module do not notice is tried on all tests of its package.

Survivors are printed and counted; the exit status is 1 if more than a tenth survive. Read each one:
some changes are equivalent to the original, for example in a bound that is never met.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path("src/losaw")
# Tests of a package whose folder of tests has another name, or that are found elsewhere.
ALSO = {
    "fitted_trees": ("tests/unit/importance", "tests/unit/trends"),
    "kernels": ("tests/unit/weighting", "tests/unit/forest", "tests/property"),
    "weighting": ("tests/property",),
    "forest": ("tests/property/forest",),
    "metrics": ("tests/property/test_metrics.py",),
    "knockoffs": ("tests/statistical/knockoffs",),
    "tables": ("tests/unit/explaining", "tests/unit/importance"),
    "pages": ("tests/unit/report", "tests/unit/explaining"),
    "commands": ("tests/unit/study", "tests/unit/explaining"),
    "contracts": ("tests/contract",),
    "workflow": ("tests/workflow",),
    "generators": ("tests/golden/test_names.py",),
}
# These change what a line is rather than what it computes, or do so in ten ways where one suffices.
LEFT_OUT = re.compile(r"Decorator|Variable|ExceptionReplacer|_(Is|IsNot|Pow|[LR]Shift|Bit\w+|Mod)$")
FEWEST_SECONDS = 600


def places(file: Path) -> set[int]:
    """The lines of a file on which something is decided."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    decided: set[int] = set()
    left_out: set[int] = set()
    for node in ast.walk(tree):
        lines = range(getattr(node, "lineno", 0), getattr(node, "end_lineno", -1) + 1)
        if isinstance(node, ast.stmt):
            decided.update(lines)
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if isinstance(node, (ast.Raise, ast.Import, ast.ImportFrom)) or is_text:
            left_out.update(lines)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            left_out.update(range(node.lineno, node.body[0].lineno))
            for decorator in node.decorator_list:
                left_out.update(range(decorator.lineno, (decorator.end_lineno or 0) + 1))
        if isinstance(node, ast.AnnAssign) and node.value is None:
            left_out.update(lines)
    return decided - left_out


def tests_of(file: Path) -> list[list[str]]:
    """The package's tests that name a file's module; others that do; all tests of the package.

    Tests of the house (directly in tests/unit) name modules too, but look at no results.
    """
    module = ".".join(file.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
    package = module.split(".")[0]
    named = re.compile(rf"\b{re.escape(module)}\b")
    folders = [f"tests/unit/{package}", *ALSO.get(package, ())]
    there = [folder for folder in folders if Path(folder).exists()]
    all_tests = [
        *Path("tests/unit").glob("*/test_*.py"),
        *Path("tests/property").rglob("test_*.py"),
    ]
    near = [str(test) for test in sorted(all_tests) if named.search(test.read_text("utf-8"))]
    own = [test for test in near if test.startswith(tuple(there))] if there else []
    steps = [step for step in (own, [test for test in near if test not in own], there) if step]
    if not steps:
        raise SystemExit(
            f"{file}: no test names losaw.{module}, and there is no tests/unit/{package}"
        )
    return steps


def write_settings(file: Path, steps: list[list[str]], limit: int) -> str:
    """Write the settings of cosmic-ray: the tests that notice a change of a file, or do not."""
    kernels = "njit" in (text := file.read_text(encoding="utf-8")) or "losaw.kernels" in text
    interpreted = " --interpreted-first" if kernels else ""
    command = f"{sys.executable} tests/mutants/notice.py{interpreted} '{json.dumps(steps)}'"
    Path("cosmic-ray.toml").write_text(
        f"[cosmic-ray]\nmodule-path = '{file}'\ntimeout = {limit}\nexcluded-modules = []\n"
        f'test-command = """{command}"""\n[cosmic-ray.distributor]\nname = "local"\n',
        encoding="utf-8",
    )
    return "cosmic-ray.toml"


def cosmic_ray(*arguments: str) -> str:
    """Run a command of cosmic-ray and return what it printed."""
    command = [sys.executable, "-m", "cosmic_ray.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"cosmic-ray {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


def try_file(file: Path, n_places: int, rng: random.Random, limit: int) -> Counter[str]:
    """Change a file at some places, one at a time, and print the changes that nothing noticed."""
    from cosmic_ray.work_db import use_db
    from cosmic_ray.work_item import WorkerOutcome, WorkResult

    session, steps = Path("session.sqlite"), tests_of(file)
    session.unlink(missing_ok=True)
    cosmic_ray("init", write_settings(file, steps, limit), str(session))
    decided = places(file)
    with use_db(session) as database:
        by_place: dict[Any, list[str]] = {}
        for item in database.work_items:
            change = item.mutations[0]
            if change.start_pos[0] in decided and not LEFT_OUT.search(change.operator_name):
                by_place.setdefault((change.start_pos, change.end_pos), []).append(item.job_id)
        drawn = rng.sample(sorted(by_place), min(n_places, len(by_place)))
        wanted = {rng.choice(sorted(by_place[place])) for place in drawn}
        for item in list(database.work_items):
            if item.job_id not in wanted:
                database.set_result(item.job_id, WorkResult(WorkerOutcome.SKIPPED))
    if not wanted:
        return Counter()
    # Tests that fail anyway would notice everything; the later steps are those of `make test`.
    cosmic_ray("baseline", write_settings(file, steps[:1], limit))
    cosmic_ray("exec", write_settings(file, steps, limit), str(session))
    counts: Counter[str] = Counter()
    with use_db(session) as database:
        for job, result in database.results:
            if job in wanted:
                outcome = result.test_outcome.value if result.test_outcome else "no outcome"
                counts[outcome] += 1
                if outcome != "killed":
                    print(f"{outcome}: {result.diff}", flush=True)
    return counts


def copy_of_checkout(folder: Path) -> None:
    """Copy all files that git does not ignore, as they are."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("packages", nargs="*", help="folders or files of src/losaw; default: all")
    parser.add_argument("--places", type=int, default=2, help="places per package (default 2)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw (default 0)")
    parser.add_argument("--limit", type=int, default=FEWEST_SECONDS, help="seconds for one change")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy_of_checkout(Path(folder))
        os.chdir(folder)
        os.environ["PYTHONPATH"] = str(Path(folder, "src"))
        known = sorted(path.name for path in SOURCES.iterdir() if (path / "__init__.py").is_file())
        for package in options.packages or known:
            below = SOURCES / package
            files = sorted(below.rglob("*.py")) if below.is_dir() else [below]
            if not files or not files[0].is_file():
                raise SystemExit(f"{package}: no such package or file in src/losaw: {known}")
            lengths = [len(places(file)) for file in files]
            if not any(lengths):
                continue
            drawn = Counter(rng.choices(files, lengths, k=options.places))
            for file, n_places in sorted(drawn.items()):
                found = try_file(file, n_places, rng, options.limit)
                print(f"{file}: {dict(found)}", flush=True)
                counts += found
        os.chdir(ROOT)
    total = sum(counts.values())
    print(f"{total} changes:", ", ".join(f"{n} {outcome}" for outcome, n in counts.most_common()))
    raise SystemExit(counts["survived"] > 0.1 * total)


if __name__ == "__main__":
    main()
