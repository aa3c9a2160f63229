"""The map of the house: rooms, floors and arrows, measured from the sources.

``python docs/map.py`` writes docs/architecture.md; tests/unit/test_architecture.py holds the house
against the floors given here and the page against the house. Nothing of losaw is imported.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "losaw"
PAGE = Path(__file__).with_name("architecture.md")

# From the ground up. A room's files import from their own room and from lower floors only. A room
# is a folder without the folders in it, or a file beside them.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("data", "rng"),
    ("support",),
    ("kernels", "tables"),
    ("registry",),
    ("datasets", "weighting.logit", "generators.joint_law"),
    ("weighting",),
    ("forest.growing", "network", "learners", "knockoffs", "generators"),
    ("forest",),
    ("fitted_trees",),
    ("trends",),
    ("importance",),
    ("explaining",),
    ("metrics",),
    ("study", "study.source_digests", "auditing"),
    ("study.design",),
    ("study.files",),
    ("study.running",),
    ("study.results", "study.inspecting"),
    ("report",),
    ("report.drawings", "report.page", "contracts", "workflow", "reference"),
    ("commands",),
    ("cli",),
    ("__main__", "__init__"),
)
# One file per registered name; the files listed are what several of them share.
SHELVES: dict[str, tuple[str, ...]] = {
    "generators": (
        "base", "category_effects", "correlation", "functions", "low_signal_labels", "noise_mixing",
        "normal",
    ),
    "importance": (
        "display", "explained", "losses", "model_columns", "model_view", "on_test_sample",
        "one_sided_tests", "out_of_bag_permutation", "over_trees", "own_fits", "parameter_repr",
        "residual_algorithms", "result", "row_differences", "selector",
        "without_columns",
    ),
    "report.drawings": ("feature_scores", "one_replicate", "panels", "samples"),
}  # fmt: skip
MAX_FILES = 16


@functools.cache
def sources() -> dict[str, Path]:
    """Dotted module name -> file, of the whole package."""
    return {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def module_name(path: Path) -> str:
    parts = ["losaw", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(module: str) -> str:
    """The room that a module is in: its folder, or itself at the top."""
    path = sources()[module].relative_to(PACKAGE)
    return ".".join(path.parent.parts) or path.stem


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def arrows() -> dict[str, frozenset[str]]:
    """Module -> modules of ours that it imports anywhere, by statement or by importlib."""
    return {name: frozenset(_imported(name)) - {name} for name in sources()}


def _imported(module: str) -> Iterator[str]:
    path = sources()[module]
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    nodes = list(ast.walk(tree(path)))
    loads_by_name = any(isinstance(n, ast.Attribute) and n.attr == "import_module" for n in nodes)
    for node in nodes:
        if isinstance(node, ast.Import):
            # `import losaw` is for the version and the folder: no arrow to the top.
            names = {alias.name for alias in node.names} - {"losaw"}
            yield from names & set(sources())
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                name = f"{base}.{alias.name}"
                yield from [n for n in (name, base) if n in sources()][:1]
        elif loads_by_name and isinstance(node, ast.Constant) and isinstance(node.value, str):
            # The registry loads what the catalogue names for whoever asks: no arrow of its own.
            name = node.value.partition(":")[0]
            if name in sources() and name != "losaw":
                yield name


def floor_of(name: str) -> int:
    """Number of a room's floor, from 0; the number of floors for a room that has none."""
    return next((level for level, floor in enumerate(FLOORS) if name in floor), len(FLOORS))


def room_arrows() -> set[tuple[str, str]]:
    """(room, room) of every arrow between two rooms."""
    pairs = {(room(a), room(b)) for a, others in arrows().items() for b in others}
    return {(a, b) for a, b in pairs if a != b}


def circles() -> list[list[str]]:
    """Files that import each other around a circle, by Tarjan's strongly connected components."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for other in sorted(arrows()[name]):
            if other not in number:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], number[other])
        if lowest[name] == number[name]:
            component = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(component) > 1:
                components.append(sorted(component))

    for name in arrows():
        if name not in number:
            visit(name)
    return components


def files_of(name: str) -> list[str]:
    """Stems of a room's files, its ``__init__`` left out."""
    return [
        path.stem
        for module, path in sources().items()
        if room(module) == name and path.name != "__init__.py"
    ]


def registered_modules() -> set[str]:
    """Modules that the catalogue names."""
    text = (PACKAGE / "registry" / "catalogue.py").read_text(encoding="utf-8")
    return set(re.findall(r'"(losaw\.[\w.]+):\w+"', text))


def first_line(path: Path) -> str:
    """The sentence with which a file's docstring begins, references without their markup."""
    text = (ast.get_docstring(tree(path)) or "").partition("\n\n")[0]
    return re.sub(r":\w+:`~?([\w.]+)`", r"`\1`", " ".join(text.split()))


def docstring_of(module: str, name: str) -> str:
    """Docstring of a class or function, and of a class' methods, as Markdown."""
    node = next(
        node
        for node in tree(sources()[module]).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name
    )
    return ast.get_docstring(node) or ""


def signatures_of(module: str, name: str) -> list[str]:
    """The public methods of a class as they are called."""
    node = next(
        node
        for node in tree(sources()[module]).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    lines = []
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.name.startswith("__init"):
            continue
        if not method.name.startswith("_") or method.name == "__call__":
            arguments = ast.unparse(method.args).removeprefix("self, ").removeprefix("self")
            returns = f" -> {ast.unparse(method.returns)}" if method.returns else ""
            summary = (ast.get_docstring(method) or "").partition("\n")[0]
            lines.append(f"- `{method.name}({arguments}){returns}`: {summary}")
    return lines


CONTRACTS = (
    ("generator", "losaw.generators.base", "DataGenerator"),
    ("metric", "losaw.metrics.base", "ImportanceMetric"),
    ("knockoff", "losaw.knockoffs.base", "KnockoffSampler"),
)


def page() -> str:
    """The text of docs/architecture.md."""
    lines = [(Path(__file__).with_name("architecture_head.md")).read_text(encoding="utf-8")]
    lines += ["## Floors", "", "From the top down; imports point downwards only.", ""]
    lines += ["| floor | rooms |", "|---|---|"]
    for level in range(len(FLOORS) - 1, -1, -1):
        lines.append(f"| {level} | {', '.join(f'`{name}`' for name in FLOORS[level])} |")
    lines += ["", "## Rooms", ""]
    for name in [one for floor in reversed(FLOORS) for one in floor]:
        lines += _room_section(name)
    lines += ["## Contracts", ""]
    lines.append(
        "`losaw check FILE …` runs the checks of `losaw.contracts` on what a file registers; "
        "`losaw new-method KIND FILE` writes a working start. A *learner* is a scikit-learn "
        "estimator; it is given a `random_state` where it takes one. An *importance* has "
        "`explain(model, data, rng) -> ImportanceResult`. A *drawing* is a function "
        "`draw(study, results, *, …) -> Figure`."
    )
    lines.append("")
    for kind, module, name in CONTRACTS:
        lines += [f"### {kind}: `{module}.{name}`", "", "```text", docstring_of(module, name)]
        lines += ["```", "", *signatures_of(module, name), ""]
    lines += [
        "## The rows of a block",
        "",
        "```text",
        docstring_of("losaw.study.files.rows", "Row"),
    ]
    lines += ["```", "", "## Random streams", "", first_line(PACKAGE / "rng.py"), ""]
    lines += ["```text", docstring_of("losaw.rng", "stream"), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _room_section(name: str) -> list[str]:
    parts = name.split(".")
    folder = PACKAGE.joinpath(*parts)
    if not folder.is_dir():
        path = PACKAGE / f"{name}.py"
        return [f"**`{name}.py`** {first_line(path)}", ""]
    kind = "shelf" if name in SHELVES else "walk"
    lines = [
        f"### `{'/'.join(parts)}/`",
        "",
        f"{first_line(folder / '__init__.py')} *({kind})*",
        "",
    ]
    lines += ["| file | what it holds |", "|---|---|"]
    for stem in files_of(name):
        lines.append(f"| `{stem}` | {first_line(folder / f'{stem}.py')} |")
    return [*lines, ""]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
