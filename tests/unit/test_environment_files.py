"""The three lists of dependencies agree, and none names a host."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
# Where a package has another name on conda's channels. Its CPU build of xgboost serves all systems.
CONDA_NAMES = {"xgboost-cpu": "py-xgboost-cpu", "xgboost": "py-xgboost-cpu"}
LISTS = sorted(
    path
    for pattern in ("requirements*.txt", "*.lock", "pylock*.toml", "environment*.y*ml")
    for path in ROOT.glob(pattern)
)


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def name_and_range(requirement: str) -> tuple[str, str]:
    requirement = requirement.partition(";")[0].replace(" ", "")
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name, requirement
    return name[0].lower(), requirement[name.end() :]


def declared() -> dict[str, str]:
    """Name -> range of everything in pyproject.toml, by conda's names."""
    content = project()
    extras = content["project"]["optional-dependencies"]
    requirements = [
        *content["build-system"]["requires"],
        *content["project"]["dependencies"],
        # "gpu" is another build of what is listed already.
        *(r for name, extra in extras.items() if name != "gpu" for r in extra),
        "python" + content["project"]["requires-python"],
    ]
    pairs = [name_and_range(requirement) for requirement in requirements]
    return {CONDA_NAMES.get(name, name): wanted for name, wanted in pairs}


def test_environment_yml_has_the_names_and_ranges_of_pyproject():
    content = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    listed = dict(name_and_range(requirement) for requirement in content["dependencies"])
    assert listed.pop("pip") == ""  # to install losaw itself
    assert listed == declared()


def test_the_locked_versions_cover_every_declared_dependency():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    locked = {name_and_range(line)[0] for line in lines if re.match(r"[A-Za-z0-9]", line)}
    content = project()["project"]
    wanted = [*content["dependencies"], *content["optional-dependencies"]["test"]]
    assert {name_and_range(requirement)[0] for requirement in wanted} - locked == set()


def test_the_lists_that_are_searched_for_hosts_are_found():
    assert {"requirements.txt", "requirements-bootstrap.txt", "environment.yml"} <= {
        path.name for path in LISTS
    }


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_no_list_of_dependencies_names_a_host(path):
    text = path.read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text and "--find-links" not in text
