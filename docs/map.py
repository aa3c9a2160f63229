"""The architecture of the package, measured from its sources: layers, wings, sizes.

``python docs/map.py`` writes docs/architecture.md. tests/unit/test_architecture.py compares the
sources with the layers, wings and budgets given here, and the page with the sources. Nothing of
losaw is imported.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "losaw"
PAGE = Path(__file__).with_name("architecture.md")

# From the ground up. The files of a folder import from their own folder and from lower layers only.
# A folder counts without the folders in it; the files of the package's root count one by one.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("data", "rng"),
    ("support", "pages"),
    ("kernels", "tables"),
    ("registry",),
    ("datasets", "kernels.logit", "generators.joint_law"),
    ("weighting",),
    ("forest.growing", "network", "generators"),
    ("forest",),
    ("learners",),
    ("fitted_trees", "knockoffs"),
    ("trends",),
    ("scoring",),
    ("importance",),
    ("explaining",),
    ("metrics",),
    ("study",),
    ("study.source_digests", "auditing"),
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

# Three wings and their ground. The study and a person's table use the methods; they do not use each
# other, and the methods use neither. The command line and the package's face use all of them.
# `tables` is ground, because the methods read a person's columns as well.
WINGS: dict[str, tuple[str, ...]] = {
    "Methods": (
        "kernels", "weighting", "forest", "network", "learners", "generators", "knockoffs",
        "fitted_trees", "trends", "scoring", "importance", "metrics",
    ),
    "Study": ("study", "report", "reference", "workflow", "contracts"),
    "A person's table": ("explaining", "auditing"),
    "Ground": ("data", "rng", "support", "pages", "registry", "tables", "datasets"),
    "Command line": ("__init__", "__main__", "cli", "commands"),
}  # fmt: skip
MAY_USE: dict[str, tuple[str, ...]] = {
    "Ground": (),
    "Methods": ("Ground",),
    "Study": ("Methods", "Ground"),
    "A person's table": ("Methods", "Ground"),
    "Command line": ("Methods", "Study", "A person's table", "Ground"),
}

# Lines of each package, blank lines and docstrings included; "root" are the files next to the
# packages. A budget is raised only as a decision with a reason, which the commit states.
BUDGETS: dict[str, int] = {
    "auditing": 975,
    "commands": 1120,
    "contracts": 1300,
    "datasets": 575,
    "explaining": 4350,
    "fitted_trees": 2625,
    "forest": 5625,
    "generators": 2525,
    "importance": 3525,
    "kernels": 2675,
    "knockoffs": 2660,
    "learners": 1125,
    "metrics": 800,
    "network": 1475,
    "pages": 75,
    "reference": 1560,
    "registry": 750,
    "report": 4675,
    "root": 500,
    "scoring": 2945,
    "study": 8475,
    "support": 1025,
    "tables": 990,
    "trends": 625,
    "weighting": 945,
    "workflow": 425,
}

# A folder holds what one listing can show.
MAX_FILES = 40

# A file of fewer lines is the file of a registered name, is used by two files or more, or has its
# reason here.
MIN_LINES = 45
SHORT: dict[str, str] = {
    "__main__": "python -m losaw starts here",
    "commands/auditing": "one command of a person, next to `explaining`",
    "contracts/drawing": "one kind of registered name, one file",
    "study/inspecting/logs": "where the workflow's logs are, away from the page that links them",
}


@functools.cache
def sources() -> dict[str, Path]:
    """Dotted module name -> file, of the whole package."""
    return {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def module_name(path: Path) -> str:
    parts = ["losaw", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def folder_of(module: str) -> str:
    """The folder that a module is in, with dots; the module itself in the package's root."""
    path = sources()[module].relative_to(PACKAGE)
    return ".".join(path.parent.parts) or path.stem


def wing_of(folder: str) -> str:
    """The wing of a folder, or of a module in the package's root."""
    return next(wing for wing, names in WINGS.items() if folder.partition(".")[0] in names)


def n_lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def lines_of_packages() -> dict[str, int]:
    """Package -> lines of its files; the files of the package's root count together."""
    lines: dict[str, int] = {}
    for path in sources().values():
        first, *rest = path.relative_to(PACKAGE).parts
        name = first if rest else "root"
        lines[name] = lines.get(name, 0) + n_lines(path)
    return lines


def short_files() -> list[str]:
    """Files below MIN_LINES of no registered name, which fewer than two other files use."""
    registered = registered_modules()
    return [
        path.relative_to(PACKAGE).with_suffix("").as_posix()
        for module, path in sources().items()
        if path.name != "__init__.py"
        and n_lines(path) < MIN_LINES
        and module not in registered
        and sum(module in targets for targets in arrows().values()) < 2
    ]


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
            # The registry loads what the catalogue names for its callers: no arrow of its own.
            name = node.value.partition(":")[0]
            if name in sources() and name != "losaw":
                yield name


def layer_of(folder: str) -> int:
    """Number of a folder's layer, from 0; the number of layers for a folder that has none."""
    return next((level for level, layer in enumerate(LAYERS) if folder in layer), len(LAYERS))


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


def files_of(folder: str) -> list[str]:
    """Stems of a folder's files without its ``__init__``."""
    return [
        path.stem
        for module, path in sources().items()
        if folder_of(module) == folder and path.name != "__init__.py"
    ]


def registered_modules() -> set[str]:
    """Modules that the catalogue names."""
    text = (PACKAGE / "registry" / "catalogue.py").read_text(encoding="utf-8")
    return set(re.findall(r'"(losaw\.[\w.]+):\w+"', text))


def first_line(path: Path) -> str:
    """The sentence with which a file's docstring begins, references without their markup."""
    text = (ast.get_docstring(tree(path)) or "").partition("\n\n")[0]
    return re.sub(r":\w+:`~?([\w.]+)`", r"`\1`", " ".join(text.split())).replace("``", "`")


def page() -> str:
    """The text of docs/architecture.md."""
    lines = [(Path(__file__).with_name("architecture_head.md")).read_text(encoding="utf-8")]
    lines += ["## Packages", ""]
    lines.append(
        "Three wings and their ground. The study and a person's table use the methods; they do not "
        "use each other."
    )
    for wing, names in WINGS.items():
        lines += ["", f"### {wing}", "", "| | | lines at most |", "|---|---|---|"]
        lines += [_package_line(name) for name in names]
    lines += ["", "## Layers", "", "From the top down. Imports point downwards only.", ""]
    lines += ["| layer | files and folders |", "|---|---|"]
    for level in range(len(LAYERS) - 1, -1, -1):
        lines.append(f"| {level} | {', '.join(f'`{name}`' for name in LAYERS[level])} |")
    lines += ["", "## Rules that are tested", ""]
    lines += [
        "- No two files import each other, directly or around a circle.",
        "- A package stays within its lines; a budget is raised only as a decision with a reason.",
        "- A folder holds what one listing can show. No file is made or merged for a count's sake;",
        f"  a file below {MIN_LINES} lines has a reason (`SHORT` in `docs/map.py`).",
        "- Heavy libraries are imported late, private names of scikit-learn never.",
        "",
        "What a registered learner, importance, generator or metric has to offer is in",
        "[Extending](extending.md); the columns of a block's rows are in [Results](results.md).",
    ]
    return "\n".join(lines) + "\n"


def _package_line(name: str) -> str:
    folder = PACKAGE / name
    if folder.is_dir():
        return f"| `{name}/` | {first_line(folder / '__init__.py')} | {BUDGETS[name]:,} |"
    return f"| `{name}.py` | {first_line(PACKAGE / f'{name}.py')} | |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
