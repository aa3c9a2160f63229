"""What other programs read of an archive, and what computing some of its blocks again shows.

Of study.inspecting.crate, study.inspecting.data_package, study.inspecting.pack,
study.inspecting.unpack, study.inspecting.verify.
"""

import csv
import json
import re
import shutil
import tarfile
from importlib import resources
from pathlib import Path
from types import SimpleNamespace

import pytest

from losaw.cli import main
from losaw.study.inspecting.crate import NO_LICENCE
from losaw.study.inspecting.data_package import DESCRIPTIONS
from losaw.study.inspecting.unpack import packed_request, unpack
from losaw.study.running.runner import run_block

LICENCE = "https://creativecommons.org/licenses/by/4.0/"


@pytest.fixture(scope="module")
def project(shared_project):
    """The tiny project, all of it run and summarised."""
    session = shared_project.session()
    for block in session.all_blocks:
        run_block(block)
    assert main(["summarise", "--config", str(shared_project.configuration)]) == 0
    return shared_project


@pytest.fixture(scope="module")
def unpacked(project, tmp_path_factory):
    """An archive of the tiny project, with a licence, unpacked."""
    folder = tmp_path_factory.mktemp("archive")
    words = ["--config", str(project.configuration), "--licence", LICENCE]
    assert main(["pack", str(folder / "a.tar.gz"), *words]) == 0
    (folder / "there").mkdir()
    unpack(folder / "a.tar.gz", folder / "there")
    return folder / "there"


@pytest.fixture(scope="module")
def graph(unpacked):
    """Entities by identifier."""
    crate = json.loads((unpacked / "ro-crate-metadata.json").read_text("utf-8"))
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    return entities


def references(value):
    """Every identifier that an entity points at."""
    if isinstance(value, dict):
        return [value["@id"]] if set(value) == {"@id"} else references(list(value.values()))
    if isinstance(value, list):
        return [name for one in value for name in references(one)]
    return []


def test_the_root_says_what_ro_crate_demands(graph):
    descriptor, root = graph["ro-crate-metadata.json"], graph["./"]
    assert descriptor["@type"] == "CreativeWork" and descriptor["about"] == {"@id": "./"}
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert root["@type"] == "Dataset" and root["name"] and root["description"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", root["datePublished"])
    assert root["license"] == {"@id": LICENCE} and graph[LICENCE]["@type"] == "CreativeWork"


def test_every_file_is_listed_once_with_its_size(unpacked, graph):
    files = {p.relative_to(unpacked).as_posix() for p in unpacked.rglob("*") if p.is_file()}
    listed = [part["@id"] for part in graph["./"]["hasPart"]]
    assert sorted(listed) == sorted(files - {"ro-crate-metadata.json"})
    for name in set(listed) - {"SHA256SUMS"}:
        assert graph[name]["@type"] == "File"
        assert graph[name]["contentSize"] == str((unpacked / name).stat().st_size)


def test_every_reference_leads_to_an_entity(graph):
    outside = {"https://w3id.org/ro/crate/1.1"}
    for entity in graph.values():
        assert {"@id", "@type"} <= set(entity)
        assert set(references(list(entity.values()))) <= set(graph) | outside


def test_the_computation_leads_from_studies_to_results(graph):
    computation = graph["#computation"]
    assert {"@id": "config/studies/tiny.yaml"} in computation["object"]
    assert {"@id": "plugins/plugin.py"} in computation["object"]
    assert {"@id": "results/tiny/comparison.csv"} in computation["result"]
    assert graph[computation["instrument"]["@id"]]["name"] == "losaw"


def test_the_crate_names_no_path_of_this_machine(project, unpacked):
    for name in ("ro-crate-metadata.json", "datapackage.json"):
        assert str(project.folder) not in (unpacked / name).read_text("utf-8")


def test_without_a_licence_the_crate_says_so(project, tmp_path):
    words = ["--config", str(project.configuration)]
    assert main(["pack", str(tmp_path / "a.tar.gz"), *words]) == 0
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        crate = json.load(tar.extractfile("ro-crate-metadata.json"))
    assert crate["@graph"][1]["license"] == NO_LICENCE


# Of the context of RO-Crate 1.1: a term that it does not have would be lost to a reader.
TERMS = {
    *("about", "citation", "conformsTo", "contentSize", "datePublished", "description"),
    *("encodingFormat", "endTime", "hasPart", "instrument", "license", "mentions", "name"),
    *("object", "result", "softwareVersion"),
}
TYPES = {"CreateAction", "CreativeWork", "Dataset", "File", "SoftwareApplication"}


def test_all_terms_are_of_the_context(graph):
    assert {term for entity in graph.values() for term in entity} <= TERMS | {"@id", "@type"}
    assert {entity["@type"] for entity in graph.values()} <= TYPES


def test_a_validator_finds_nothing_that_ro_crate_requires(unpacked, monkeypatch):
    """With the context of rocrate's copy instead of the network: 1.3, whose terms hold 1.1's."""
    rocrate = pytest.importorskip("rocrate", reason="rocrate is not installed")
    services = pytest.importorskip(
        "rocrate_validator.services", reason="roc-validator is not installed"
    )
    from rocrate_validator.models import Severity, ValidationSettings
    from rocrate_validator.utils.http import HttpRequester

    copy = (resources.files(rocrate) / "data" / "ro-crate.jsonld").read_text("utf-8")

    def get(self, url, **options):
        assert url == "https://w3id.org/ro/crate/1.1/context"
        headers = {"Content-Type": "application/ld+json"}
        return SimpleNamespace(
            status_code=200, headers=headers, text=copy, url=url, json=lambda: json.loads(copy)
        )

    monkeypatch.setattr(HttpRequester, "get", get, raising=False)

    def issues(folder):
        settings = ValidationSettings(
            rocrate_uri=str(folder),
            profile_identifier="ro-crate-1.1",
            requirement_severity=Severity.REQUIRED,
            offline=True,
        )
        found = services.validate(settings).get_issues()
        return [(issue.severity.name, issue.message) for issue in found]

    assert issues(unpacked) == []
    crate = json.loads((unpacked / "ro-crate-metadata.json").read_text("utf-8"))
    del crate["@graph"][1]["datePublished"]
    broken = unpacked.parent / "broken"
    shutil.copytree(unpacked, broken)
    (broken / "ro-crate-metadata.json").write_text(json.dumps(crate))
    assert [severity for severity, _ in issues(broken)] == ["REQUIRED"]


def test_the_data_package_describes_every_table(unpacked):
    package = json.loads((unpacked / "datapackage.json").read_text("utf-8"))
    assert re.fullmatch(r"[a-z0-9._-]+", package["name"])
    by_path = {resource["path"]: resource for resource in package["resources"]}
    results = unpacked / "results" / "tiny"
    csvs = [*results.glob("*.csv"), *results.glob("tables/*.csv")]
    assert {path.relative_to(unpacked).as_posix() for path in csvs} | {
        "results/tiny/results.parquet",
        "results/tiny/scores.parquet",
    } == set(by_path)
    assert len({resource["name"] for resource in by_path.values()}) == len(by_path)
    for path in csvs:
        fields = by_path[path.relative_to(unpacked).as_posix()]["schema"]["fields"]
        with path.open(newline="") as file:
            assert [field["name"] for field in fields] == next(csv.reader(file))
    types = {f["name"]: f["type"] for f in by_path["results/tiny/summary.csv"]["schema"]["fields"]}
    assert types["mean"] == types["noise_variance"] == "number"
    assert types["n_seeds"] == "integer" and types["learner"] == "string"


def test_frictionless_validates_the_tables(unpacked):
    frictionless = pytest.importorskip("frictionless", reason="frictionless is not installed")
    package = frictionless.Package(str(unpacked / "datapackage.json"))
    for resource in list(package.resources):
        if resource.format == "parquet":  # read by a plugin of its own
            package.remove_resource(resource.name)
    report = package.validate()
    assert report.flatten(["title", "fieldName", "message"]) == [] and report.valid


def test_described_columns_are_on_the_page_of_results():
    page = (Path(__file__).parents[3] / "docs" / "results.md").read_text("utf-8")
    assert [name for name in DESCRIPTIONS if f"| `{name}` |" not in page] == []


def test_verify_says_what_its_sample_would_have_missed(project, capsys):
    words = ["verify", "--config", str(project.configuration)]
    assert main([*words, "--recompute", "2"]) == 0
    text = capsys.readouterr().out
    # 16 blocks, of which one is altered: 2 of 16 find it.
    assert "If 1 of the 16 stored blocks (5 %) had been altered" in text
    assert f"with probability {100 * 14 / 16:.2g} %" in text


def test_a_study_file_has_the_title_of_its_study_and_other_files_have_names(graph):
    assert graph["config/studies/tiny.yaml"]["name"] == "Study file: A study that takes a moment"
    assert graph["results/tiny/summary.csv"]["name"] == "summary.csv"


def test_files_of_an_archive_belong_to_nobody_and_are_read_by_all(project, tmp_path):
    assert main(["pack", str(tmp_path / "a.tar.gz"), "--config", str(project.configuration)]) == 0
    with tarfile.open(tmp_path / "a.tar.gz") as tar:
        owners = {(one.mode, one.uid, one.gid, one.uname, one.mtime) for one in tar.getmembers()}
    assert owners == {(0o644, 0, 0, "", 0)}


def test_the_request_of_an_archive_points_into_it(unpacked):
    request = packed_request(unpacked, run_plugins=True)
    assert request.configuration == unpacked / "config" / "config.yaml"
    assert request.overrides["results"] == str(unpacked / "results")
    assert request.overrides["plugins"] == [str(unpacked / "plugins" / "plugin.py")]
