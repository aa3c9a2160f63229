"""Change the package in one place, run the tests that ought to notice; survivors are printed.

    make test-mutants                                  # the share that is tried by default
    python tests/mutants/run.py --share 20 --seed 3    # other places, 20 of every file
    python tests/mutants/run.py weighting knockoffs    # some rooms only

The working tree stays as it is: every mutant is a forked process into which the changed module is
imported from memory. Changed kernels run as Python first, which needs no compiling and checks every
index; what survives so is compiled, with all that imports it, in a folder of its own, unless
--interpreted is given. What survives the tests of its target meets all unit tests that name its
module. A mutant that ends its process or takes too long counts as noticed.
"""

import argparse
import ast
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
sys.path.insert(0, str(TESTS))

from mutants.mutations import Mutation, mutation, n_mutations  # noqa: E402
from mutants.targets import SURVIVED_ONCE, TARGETS, Target  # noqa: E402
from reference.interpreted_kernels import interpret  # noqa: E402

PACKAGE = ROOT / "src" / "losaw"
COMPILED = ("kernels", "njit", "intrinsic")


class Mutant(NamedTuple):
    """A changed module and the tests that ought to notice."""

    file: str
    mutation: Mutation
    target: Target

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.mutation.line}: {self.mutation.before}  ->  {self.mutation.after}"
        )


class _FromMemory(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from changed source, under the name and file of the real one."""

    def __init__(self, file: str, source: str) -> None:
        parts = Path(file).with_suffix("").parts
        self.name = ".".join(("losaw", *(p for p in parts if p != "__init__")))
        self.path, self.source = PACKAGE / file, source

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def exec_module(self, module: Any) -> None:
        exec(compile(self.source, str(self.path), "exec"), module.__dict__)

    def get_source(self, name: str) -> str:
        return self.source


def chosen(rooms: list[str], share: int, seed: int) -> Iterator[Mutant]:
    """The mutants that survived once, then ``share`` drawn places of every file."""
    for file, old, new, target in SURVIVED_ONCE:
        if rooms and not any(file.startswith(room) for room in rooms):
            continue
        source = (PACKAGE / file).read_text(encoding="utf-8")
        if source.count(old) != 1:
            raise SystemExit(f"{file}: {old!r} stands there {source.count(old)} times, not once")
        line = source[: source.index(old)].count("\n") + 1
        yield Mutant(file, Mutation(line, old, new, source.replace(old, new)), target)
    for target in TARGETS:
        for path in sorted(PACKAGE.glob(target.files)):
            file = str(path.relative_to(PACKAGE))
            if rooms and not any(file.startswith(room) for room in rooms):
                continue
            source = path.read_text(encoding="utf-8")
            n = n_mutations(source)
            for number in random.Random(f"{seed} {file}").sample(range(n), min(share, n)):
                yield Mutant(file, mutation(source, number), target)


def further_tests(mutant: Mutant) -> tuple[str, ...]:
    """The unit and property tests that import the module or say that they are of it."""
    module = ".".join(Path(mutant.file).with_suffix("").parts)
    named = re.compile(rf"\b{re.escape(module)}\b")
    tests = [*TESTS.glob("unit/**/test_*.py"), *TESTS.glob("property/**/test_*.py")]
    found = (str(path.relative_to(ROOT)) for path in tests if named.search(path.read_text("utf-8")))
    return tuple(sorted(set(found) - set(mutant.target.tests)))


def notice_by_all(mutant: Mutant, limit: int, *, compiles: bool = True) -> str:
    """What the target's tests did, and where they noticed nothing, all further ones."""
    first = mutant.target.interpreted
    if first:
        outcome = notice(mutant, limit, first)
        if outcome != "survived" or not compiles:
            return outcome
    outcome = notice(mutant, limit)
    further = further_tests(mutant)
    if outcome == "survived" and further:
        mutant = mutant._replace(target=Target("", further))
        outcome = notice(mutant, limit)
        if outcome != "survived":
            check_tests(mutant, limit)
    return outcome


def check_tests(mutant: Mutant, limit: int, interpreted: tuple[str, ...] = ()) -> None:
    """Tests that fail on the code as it is would notice everything."""
    source = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    unchanged = mutant._replace(mutation=mutant.mutation._replace(source=source))
    if (outcome := notice(unchanged, limit, interpreted)) != "survived":
        tests = interpreted or (*mutant.target.tests, *mutant.target.options)
        raise SystemExit(f"{' '.join(tests)}: {outcome} without any change")


def notice(mutant: Mutant, limit: int, interpreted: tuple[str, ...] = ()) -> str:
    """What the target's tests, or those of interpreted kernels, did to the mutant.

    "killed", "survived", "timed out" or "crashed".
    """
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            _run(mutant, folder, interpreted)
        end = time.monotonic() + limit
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                if os.WIFSIGNALED(status):
                    return "crashed"
                return "survived" if os.WEXITSTATUS(status) == 0 else "killed"
            time.sleep(0.05)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, 9)
        os.waitpid(child, 0)
        return "timed out"


def keep_what_is_compiled(file: str, folder: str) -> None:
    """Let numba store in ``folder``, and find there what does not import the changed module."""
    from numba import config
    from numba.core.caching import UserProvidedCacheLocator

    config.CACHE_DIR = folder
    imported = {path: _imported(path) for path in PACKAGE.rglob("*.py")}
    stale, size = {PACKAGE / file}, 0
    while len(stale) > size:
        size = len(stale)
        stale |= {path for path, others in imported.items() if others & stale}
    for path in set(imported) - stale:
        kept = sorted((path.parent / "__pycache__").glob(f"{path.stem}.*.nb[ic]"))
        if kept:
            to = Path(folder) / UserProvidedCacheLocator.get_suitable_cache_subpath(str(path))
            to.mkdir(exist_ok=True)
            for one in kept:
                shutil.copy(one, to)


def _imported(path: Path) -> set[Path]:
    """Files of the package that a file imports, at its top or within."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
        elif isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        else:
            continue
        for name in names:
            below = PACKAGE.parent.joinpath(*name.split("."))
            found |= {p for p in (below.with_suffix(".py"), below / "__init__.py") if p.is_file()}
    return found


def _run(mutant: Mutant, folder: str, interpreted: tuple[str, ...]) -> None:
    """In the child: import the mutant, run its tests, end with pytest's status."""
    os.setsid()
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    is_changed = mutant.mutation.source != (PACKAGE / mutant.file).read_text(encoding="utf-8")
    if interpreted:
        interpret()
    elif is_changed and any(mark in mutant.mutation.source for mark in COMPILED):
        keep_what_is_compiled(mutant.file, folder)
    if is_changed:
        sys.meta_path.insert(0, _FromMemory(mutant.file, mutant.mutation.source))
    code = 1
    try:
        import pytest

        os.chdir(ROOT)
        options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
        if not interpreted:
            options += mutant.target.options
        code = int(pytest.main([*options, *(interpreted or mutant.target.tests)]))
    except BaseException:
        code = 1
    os._exit(code)


def survived_in(record: Path) -> set[str]:
    """The mutants that a record of another run lists as survivors."""
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return {line["mutant"] for line in lines if line["outcome"] == "survived"}


def check_without_change(mutant: Mutant, limit: int, sound: set[Any], *, compiles: bool) -> None:
    """:func:`check_tests` of the mutant's target, each once: ``sound`` are known to pass."""
    target = mutant.target
    ways: list[tuple[str, ...]] = [()] if compiles or not target.interpreted else []
    if target.interpreted:
        ways.append(target.interpreted)
    for interpreted in ways:
        way = (target.tests, target.options, interpreted)
        if way not in sound:
            check_tests(mutant, limit, interpreted)
            sound.add(way)


def preload() -> None:
    """Import what every child needs, but nothing of losaw."""
    for name in ("pytest", "numpy", "pandas", "scipy.stats", "sklearn.ensemble", "numba"):
        importlib.import_module(name)
    assert not any(name.split(".")[0] == "losaw" for name in sys.modules)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rooms", nargs="*", help="folders or files below src/losaw; default: all")
    parser.add_argument("--share", type=int, default=2, help="places of every file (default 2)")
    parser.add_argument("--seed", type=int, default=0, help="which places (default 0)")
    parser.add_argument("--limit", type=int, default=600, help="seconds for a mutant (default 600)")
    parser.add_argument("--record", type=Path, help="append outcomes as lines of JSON")
    parser.add_argument("--again", type=Path, help="only those that survived in such a record")
    parser.add_argument("--interpreted", action="store_true", help="compile no changed kernel")
    parser.add_argument("--survived-once", action="store_true", help="only those")
    arguments = parser.parse_args()
    preload()
    counts: dict[str, int] = {}
    sound: set[Any] = set()
    compiles = not arguments.interpreted
    share = 0 if arguments.survived_once else arguments.share
    survivors = survived_in(arguments.again) if arguments.again else None
    for mutant in chosen(arguments.rooms, share, arguments.seed):
        if survivors is not None and str(mutant) not in survivors:
            continue
        check_without_change(mutant, arguments.limit, sound, compiles=compiles)
        start = time.monotonic()
        outcome = notice_by_all(mutant, arguments.limit, compiles=compiles)
        counts[outcome] = counts.get(outcome, 0) + 1
        print(f"{outcome:9} {time.monotonic() - start:5.0f} s  {mutant}", flush=True)
        if arguments.record:
            with arguments.record.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"outcome": outcome, "mutant": str(mutant)}) + "\n")
    total = sum(counts.values())
    print(f"{total} mutants:", ", ".join(f"{n} {name}" for name, n in sorted(counts.items())))
    survived = counts.get("survived", 0)
    raise SystemExit(survived > 0.05 * total)


if __name__ == "__main__":
    main()
