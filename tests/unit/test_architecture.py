"""The shape of the package: imports point downwards, files are short, heavy libraries wait."""

import ast
import functools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "losaw"

# From the ground up. A module imports from its own room and from lower floors only.
FLOORS = (
    ("registry",),
    ("rng", "data"),
    ("weighting", "datasets"),
    ("forest", "network", "learners", "trends", "knockoffs", "generators"),
    ("importance",),
    ("metrics",),
    ("catalogue", "plugins"),
    ("study",),
    ("report",),
    ("contracts", "workflow"),
    ("commands",),
    ("cli",),
    ("__main__", "__init__"),
)
MAX_LINES = 350
LONGER = {"forest/growth.py": 600}  # one compiled loop over the nodes of a tree and its steps
HEAVY = {"cvxpy", "jax", "xgboost", "matplotlib", "snakemake", "optax", "shap", "polars"}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room(path: Path) -> str:
    """Top-level package or module of losaw that a file belongs to."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> Iterator[str]:
    """Full dotted names that a file imports anywhere, those inside functions included."""
    package = ("losaw", *path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*above, *([node.module] if node.module else [])))
            yield from (f"{base}.{alias.name}" for alias in node.names)


def rooms_imported(path: Path) -> set[str]:
    names = [name.split(".") for name in imported(path)]
    known = {name for floor in FLOORS for name in floor}
    return {name[1] for name in names if name[0] == "losaw" and len(name) > 1} & known


def floor_of(name: str) -> int:
    return next((level for level, floor in enumerate(FLOORS) if name in floor), len(FLOORS))


def test_every_room_has_its_floor():
    known = {name for floor in FLOORS for name in floor}
    unknown = {room(path) for path in sources()} - known
    assert unknown == set(), "place the new package or module in FLOORS"


def test_imports_point_downwards_only():
    arrows = [
        f"{path.relative_to(PACKAGE)} -> {target}"
        for path in sources()
        for target in rooms_imported(path) - {room(path)}
        if room(path) != "__init__" and floor_of(target) >= floor_of(room(path))
    ]
    assert arrows == []


def test_no_file_is_longer_than_a_few_screens():
    too_long = {}
    for path in sources():
        name = path.relative_to(PACKAGE).as_posix()
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGER.get(name, MAX_LINES):
            too_long[name] = lines
    assert too_long == {}, "split by idea, or say in LONGER why not"


def test_no_private_module_or_name_of_scikit_learn_is_imported():
    private = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in sources()
        for name in imported(path)
        if name.split(".")[0] == "sklearn" and any(p.startswith("_") for p in name.split("."))
    ]
    assert private == []


def test_the_library_does_not_import_snakemake():
    importing = [path.name for path in sources() for n in imported(path) if "snakemake" in n]
    assert importing == []


@pytest.mark.parametrize("heavy", sorted(HEAVY - {"snakemake"}))
def test_heavy_libraries_are_not_imported_at_the_top_of_modules_that_others_import(heavy):
    # A module that is only named in the catalogue, or imported inside functions, may import one.
    users = {path for path in sources() if heavy in top_level(path)}
    names = {module_name(path) for path in users}
    importers = [
        f"{path.relative_to(PACKAGE)} imports {name} with {heavy}"
        for path in set(sources()) - users
        for name in names & set(top_level_modules(path))
    ]
    assert importers == []


def module_name(path: Path) -> str:
    parts = ["losaw", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def top_level_modules(path: Path) -> Iterator[str]:
    for node in tree(path).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def top_level(path: Path) -> set[str]:
    return {name.split(".")[0] for name in top_level_modules(path)}


def loaded_after(script: str) -> set[str]:
    """Heavy libraries that a fresh interpreter has loaded after running ``script``."""
    report = f"\nimport json, sys\nprint(json.dumps(sorted({HEAVY!r} & set(sys.modules))))"
    run = subprocess.run(
        [sys.executable, "-c", script + report], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_importing_losaw_loads_nothing_heavy():
    script = "import losaw, sys\nassert not {'sklearn', 'pandas', 'numba'} & set(sys.modules)"
    assert loaded_after(script) == set()


def test_naming_every_registered_thing_loads_nothing_heavy():
    assert loaded_after("from losaw.registry import entries\nprint(entries())") == set()


FOREST_BLOCK = """
import sys
from losaw.generators.joint_law.law import JointLaw
from losaw.registry import get
from losaw.study.running import runner
from losaw.study.running.replicate import Recipe, run_replicate

generator = get("generator", "losaw").create(
    data_type={data_type!r}, n_samples=60, n_features=6, phi=0.1, function="f3"
)
law = JointLaw.load({law!r}) if generator.joint_law() else None
for learner in ("random-forest", "losaw-forest"):
    rows, _ = run_replicate(
        Recipe(
            experiment="architecture",
            setting="s",
            learner=learner,
            draw=lambda rng: generator.sample(rng, joint_law=law),
            make_learner=lambda: get("learner", learner).create(n_estimators=2),
            importances={{"mdi": get("importance", "mdi").create()}},
            metrics={{name: get("metric", name).create() for name in ("r2_test", "pr_auc")}},
        ),
        0,
    )
    assert len(rows) == 3 and all(row.status == "ok" for row in rows), rows
"""


@pytest.mark.parametrize("data_type", ["continuous", "discrete"])
def test_a_forest_block_loads_no_heavy_library(tmp_path, data_type):
    from losaw.generators.joint_law.fit import fit_joint_law
    from losaw.generators.losaw import LosawGenerator

    law = tmp_path / "law.json"
    fit_joint_law(LosawGenerator(**LosawGenerator.examples[1]).joint_law()).save(law)
    assert loaded_after(FOREST_BLOCK.format(data_type=data_type, law=str(law))) == set()
