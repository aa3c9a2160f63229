"""Methods of installed packages are found by their entry points (group ``losaw.methods``).

Of registry.
"""

import sys

import numpy as np
import pytest

from losaw import registry
from losaw.contracts import check_entry
from losaw.contracts.starter import template

METADATA = "Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes a package with an importance and the entry points that it is given."""

    def write(entry_points):
        source = template("importance", "shuffled-loss").replace("@register", "# @register")
        (tmp_path / "other_package.py").write_text(source)
        folder = tmp_path / "other_package-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(METADATA)
        (folder / "entry_points.txt").write_text(f"[losaw.methods]\n{entry_points}\n")
        monkeypatch.syspath_prepend(tmp_path)
        registry._fill_from_packages.cache_clear()

    registry.names("learner")  # the built-in names first
    known = dict(registry._entries)
    yield write
    registry._entries.clear()
    registry._entries.update(known)
    registry._fill_from_packages.cache_clear()
    sys.modules.pop("other_package", None)


def test_an_installed_method_has_its_name_and_is_imported_only_when_it_is_used(package):
    package("importance.shuffled-loss = other_package:ShuffledLoss")
    entry = registry.get("importance", "shuffled-loss")
    assert entry in registry.entries("importance") and "other_package" not in sys.modules
    assert registry.package_of(entry.target) == "other-package 1.0"  # part of the results version
    assert entry.create(n_repeats=2).n_repeats == 2
    assert "n_repeats" in entry.accepted_parameters()


def test_an_installed_method_passes_the_contract_tests_and_ranks_as_ours_do(package):
    package("importance.shuffled-loss = other_package:ShuffledLoss")
    outcomes = check_entry(registry.get("importance", "shuffled-loss"))
    assert [outcome for outcome in outcomes if outcome.message] == []


@pytest.mark.parametrize(
    ("entry_point", "reason"),
    [
        ("importance.mdi = other_package:ShuffledLoss", "'mdi' is taken by losaw"),
        ("importanse.shuffled = other_package:ShuffledLoss", "did you mean 'importance'"),
    ],
)
def test_a_name_that_cannot_be_used_is_left_out_with_a_warning(package, entry_point, reason):
    package(entry_point)
    with pytest.warns(UserWarning, match=f"package 'other-package'.*left out.*{reason}"):
        names = registry.names("importance")
    assert "mdi" in names and "shuffled" not in names
    assert registry.get("importance", "mdi").target.startswith("losaw.")


def test_built_in_names_are_found_without_a_look_at_what_is_installed(package, monkeypatch):
    def look(**_):
        raise AssertionError("looked at the installed packages")

    package("importance.shuffled-loss = other_package:ShuffledLoss")
    monkeypatch.setattr(registry.importlib.metadata, "entry_points", look)
    assert np.isscalar(registry.get("importance", "pfi-ratio").create().parameters["n_repeats"])


def test_the_name_of_another_kind_is_recognised():
    with pytest.raises(registry.RegistryError, match="name of something of the kind 'learner'"):
        registry.get("importance", "losaw")
