"""The architecture of the package: layers, wings, circles, sizes, and the page that shows them."""

import ast
import functools
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "losaw"

_spec = importlib.util.spec_from_file_location("architecture_map", ROOT / "docs" / "map.py")
house = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(house)

MAX_LINES = 400
LONGER: dict[str, int] = {}
HEAVY = {"cvxpy", "jax", "xgboost", "matplotlib", "snakemake", "optax", "shap", "polars"}


def sources() -> list[Path]:
    return list(house.sources().values())


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """Full dotted names that a file imports anywhere, those inside functions included."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_folder_has_its_layer():
    folders = {house.folder_of(module) for module in house.sources()}
    placed = [name for layer in house.LAYERS for name in layer]
    assert folders - set(placed) == set(), "place the new folder or file in LAYERS of docs/map.py"
    assert set(placed) - folders == set(), "there is no such folder (any more)"
    assert len(placed) == len(set(placed))


def test_imports_point_downwards_only():
    upwards = [
        f"{module} -> {target}"
        for module, targets in house.arrows().items()
        for target in targets
        if house.folder_of(module) != house.folder_of(target)
        and house.layer_of(house.folder_of(target)) >= house.layer_of(house.folder_of(module))
    ]
    assert upwards == []


def test_every_package_is_in_one_wing():
    packages = {house.folder_of(module).partition(".")[0] for module in house.sources()}
    placed = [name for names in house.WINGS.values() for name in names]
    assert sorted(placed) == sorted(packages), "place the package in WINGS of docs/map.py"


def test_the_study_and_a_persons_table_use_methods_and_not_each_other():
    across = [
        f"{module} -> {target}"
        for module, targets in house.arrows().items()
        for target in targets
        if (used := house.wing_of(house.folder_of(target)))
        != (wing := house.wing_of(house.folder_of(module)))
        and used not in house.MAY_USE[wing]
    ]
    assert across == []


def test_no_files_import_each_other_in_a_circle():
    assert house.circles() == []


def test_a_package_stays_within_its_budget_of_lines():
    over = {
        name: (lines, house.BUDGETS[name])
        for name, lines in house.lines_of_packages().items()
        if lines > house.BUDGETS[name]
    }
    assert over == {}, "make it smaller, or raise BUDGETS in docs/map.py and say why in the commit"


def test_a_folder_holds_what_one_listing_can_show():
    folders = {house.folder_of(module) for module in house.sources()}
    sizes = {name: len(house.files_of(name)) for name in folders}
    assert {name: n for name, n in sizes.items() if n > house.MAX_FILES} == {}


def test_a_short_file_has_a_reason():
    unexplained = set(house.short_files()) - set(house.SHORT)
    assert unexplained == set(), (
        "put its idea into the file that uses it, or give a reason in SHORT"
    )


def test_no_two_files_of_a_package_have_the_same_name():
    # Those in its folders count: with study/running/jobs.py there is no study/files/jobs.py.
    places: dict[tuple[str, str], list[str]] = {}
    for path in (source.relative_to(PACKAGE) for source in sources()):
        if path.name != "__init__.py":
            places.setdefault((path.parts[0], path.name), []).append(str(path))
    assert [files for files in places.values() if len(files) > 1] == []


# Tests of the pages and of files next to the package.
OF_NO_MODULE = {
    "test_commands_of_pages",
    "test_docstrings",
    "test_documentation",
    "test_environment_files",
}


def test_a_unit_test_is_named_after_its_module_or_says_which_it_tests():
    modules = {module.removeprefix("losaw.") for module in house.sources()}
    names = {part for module in modules for part in module.split(".")}
    lost = []
    for path in sorted((ROOT / "tests" / "unit").rglob("test_*.py")):
        if path.stem.removeprefix("test_") in names or path.stem in OF_NO_MODULE:
            continue
        words = (ast.get_docstring(tree(path)) or "").rpartition("\n\nOf ")[2]
        said = words.removesuffix(".").replace("\n", " ").split(", ")
        lost += [f"{path.relative_to(ROOT)}: {word}" for word in said if word not in modules]
    assert lost == [], "there is no such module; end the docstring with 'Of package.module.'"


def test_the_page_is_up_to_date():
    assert house.PAGE.read_text(encoding="utf-8") == house.page(), "run `make map`"


def test_every_file_has_a_docstring():
    assert [path for path in sources() if not house.first_line(path)] == []


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
    importing = [p.name for p in sources() for n in imported(p) if n.split(".")[0] == "snakemake"]
    assert importing == []


@pytest.mark.parametrize("heavy", sorted(HEAVY - {"snakemake"}))
def test_heavy_libraries_are_not_imported_at_the_top_of_modules_that_others_import(heavy):
    # A module that is only named in the catalogue, or imported inside functions, may import one.
    users = {path for path in sources() if heavy in top_level(path)}
    names = {house.module_name(path) for path in users}
    importers = [
        f"{path.relative_to(PACKAGE)} imports {name} with {heavy}"
        for path in set(sources()) - users
        for name in names & set(top_level_modules(path))
    ]
    assert importers == []


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
    rows = run_replicate(
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


def test_looking_at_a_study_loads_no_model_once_its_parameters_are_stored():
    script = """
import sys
from losaw.report.figures import check_figures
from losaw.study.design.request import Request
from losaw.study.design.session import Session

for study in Session(Request()).studies:
    check_figures(study)
"""
    loaded_after(script)
    loaded_after(script + "assert not {'sklearn', 'numba'} & set(sys.modules)")


@pytest.mark.parametrize("data_type", ["continuous", "discrete"])
def test_a_forest_block_loads_no_heavy_library(tmp_path, data_type):
    from losaw.generators.joint_law.fit import fit_joint_law
    from losaw.generators.losaw import LosawGenerator

    law = tmp_path / "law.json"
    fit_joint_law(LosawGenerator(**LosawGenerator.examples[1]).joint_law()).save(law)
    assert loaded_after(FOREST_BLOCK.format(data_type=data_type, law=str(law))) == set()
