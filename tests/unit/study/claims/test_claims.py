"""The claims of the papers name what studies have; every line of the kept run is whole."""

import contextlib
import json
import re
import shutil
from collections import Counter
from itertools import product

import pandas as pd
import pytest

from losaw.study.claims.claim_file import check_claims, read_claims
from losaw.study.claims.weighing import planned_of
from losaw.study.errors import StudyError
from losaw.study.report.page.stored import Shelf
from losaw.study.request.grid import Study
from losaw.study.request.settings import matches
from losaw.study.session import Session
from losaw.study.verify import HEX_DIGITS
from reference.repository import CONFIGURATION, REPOSITORY

PAPERS = ("losaw", "ufi", "treeinner", "cpi", "residual", "others")


@pytest.fixture(scope="module")
def session():
    return Session(CONFIGURATION, {"studies": ["losaw_figure_1"]}, trusted=True)


@pytest.fixture(scope="module")
def studies(session):
    return {name: session.read_study(name, True) for name in session.available_studies()}


@pytest.fixture(scope="module", params=PAPERS)
def claims(request):
    return read_claims(CONFIGURATION.parent / "claims" / f"{request.param}.yaml")


def test_every_file_of_claims_is_of_a_paper_and_every_paper_has_one():
    found = {path.stem for path in (CONFIGURATION.parent / "claims").glob("*.yaml")}
    assert found == set(PAPERS)


def test_names_are_those_of_the_study_files(claims):
    check_claims(CONFIGURATION.parent, claims.studies)
    scripts = re.findall(r"benchmarks/[\w.]*", claims.model_dump_json())
    assert all((REPOSITORY / script).is_file() for script in scripts)  # no folder


def test_a_word_that_bounds_a_size_on_both_sides_is_weighed_on_both(claims):
    found = {c.relation for c in claims.claims if re.search("is weak|compara|about noth", c.says)}
    assert found <= {"near"}


def test_claims_are_about_the_studies_of_their_paper(claims, studies):
    for claim in claims.claims:
        assert claim.study in claims.studies
        assert studies[claim.study].file.paper == claims.paper


def test_a_paper_says_what_it_leaves_open_and_what_rests_on_its_studies(claims):
    assert claims.decisions
    for decision in claims.decisions:
        assert set(decision.studies) <= set(claims.studies)
        assert all([decision.point, decision.decided, decision.why, decision.otherwise])


def test_no_claim_stands_twice_and_none_is_without_words(claims):
    written = Counter(claim.model_dump_json(exclude={"says"}) for claim in claims.claims)
    assert max(written.values()) == 1
    assert all(claim.says and claim.place for claim in claims.claims)
    assert claims.not_checked
    assert claims.does_not_reproduce


def test_the_scale_paper_runs_both_sides(claims, studies):
    used = {claim.study for claim in claims.claims}
    planned = {name: planned_of(Study(studies[name].source.path, "paper")) for name in used}
    for claim in claims.claims:
        for side in claim.sides:
            settings = planned[claim.study].items()
            run = {key[1:] for key, axes in settings if matches(side.where, axes)}
            assert run.issuperset(product(side.method, side.metric)), claim.says


IDENTITY = {"correlation": "identity"}


def check_one_claim(folder, paper=("losaw_figure_1",), **changes):
    """Check a file with one claim, next to the repository's studies."""
    written = {
        "says": "RF finds them", "place": "here", "study": "losaw_figure_1", "metric": "pr_auc",
        "method": "RF", "relation": "above", "than": 0.5,
    }  # fmt: skip
    claims = {"paper": "p", "title": "t", "studies": paper, "claims": [{**written, **changes}]}
    (folder / "claims").mkdir(exist_ok=True)
    (folder / "claims" / "p.yaml").write_text(json.dumps(claims, indent=1))
    if not (folder / "studies").exists():
        (folder / "studies").symlink_to(CONFIGURATION.parent / "studies")
    check_claims(folder, ["losaw_figure_1"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"study": "losaw_figur_1"}, "unknown study 'losaw_figur_1'; did you mean"),
        ({"metric": ["pr_auc", "pr_aux"]}, "unknown metric 'pr_aux'; did you mean 'pr_auc'"),
        ({"method": "R F"}, "unknown method 'R F'; did you mean 'RF'"),
        ({"where": {"corelation": "identity"}}, "unknown setting axis 'corelation'; did you mean"),
        ({"where": {"correlation": "identiti"}}, "unknown correlation 'identiti'; did you mean"),
        ({"than": {"method": "losawRF"}}, "unknown method 'losawRF'"),
        ({"than": {"where": {"correlation": "none"}}}, "unknown correlation 'none'"),
        ({"than": {}}, "'than' names nothing"),
        ({"than": {"method": "RF"}}, "'than' names what is on the left side"),
        ({"than": {"method": "RF", "metric": "pr_auc"}}, "'than' names what is on the left side"),
        (
            {"where": IDENTITY, "than": {"where": IDENTITY}},
            "'than' names what is on the left side",
        ),
        ({"where": IDENTITY, "share_of": IDENTITY}, "'share_of' names the settings of 'where'"),
        ({"relation": "near"}, "'near' needs a margin above 0"),
        *[
            (changes, r"no result can contradict it: 'pr_auc' is from 0 to 1; take another number")
            for changes in (
                {"than": -0.1},
                {"relation": "at least", "than": 0},
                {"relation": "at least", "margin": 0.5},
                {"relation": "at most", "than": 1},
                {"relation": "below", "than": 1.25, "margin": 0.25},
                {"relation": "near", "margin": 0.5},
                {"relation": "near", "margin": 1, "than": {"where": IDENTITY}},
                {"relation": "at most", "margin": 1, "than": {"where": IDENTITY}},
            )
        ],
    ],
)
def test_a_name_that_there_is_not_is_refused_with_the_claim(tmp_path, changes, message):
    words = r"p\.yaml: line 8: claims\.0: 'RF finds them': .*" + message
    with pytest.raises(StudyError, match=words):
        check_one_claim(tmp_path, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"than": 0.01},
        {"relation": "below", "than": 1.25, "margin": 0.5},
        {"relation": "near", "margin": 0.49},
        {"relation": "near", "margin": 0.99, "than": {"where": IDENTITY}},
        {"than": 0, "statistic": "deviation"},
    ],
)
def test_a_claim_that_a_result_can_contradict_is_weighed(tmp_path, changes):
    check_one_claim(tmp_path, **changes)


def test_a_paper_names_its_studies_and_a_study_is_of_one_paper(tmp_path):
    check_one_claim(tmp_path)
    shutil.copy(tmp_path / "claims" / "p.yaml", tmp_path / "claims" / "a.yaml")
    with pytest.raises(StudyError, match=r"p\.yaml: .*'losaw_figure_1' is named by a\.yaml too"):
        check_one_claim(tmp_path)
    (tmp_path / "claims" / "a.yaml").unlink()
    with pytest.raises(StudyError, match=r"line 6: studies\.1: unknown study 'losaw'"):
        check_one_claim(tmp_path, paper=("losaw_figure_1", "losaw"))


@pytest.mark.parametrize("paper", [("losaw_figur_1",), ("losaw_figure_2", "renamed")])
def test_a_study_of_a_paper_must_be_there_though_none_of_its_studies_is_shown(tmp_path, paper):
    message = rf"p\.yaml: line \d: studies\.{len(paper) - 1}: unknown study '{paper[-1]}'"
    with pytest.raises(StudyError, match=message):
        check_one_claim(tmp_path, paper=paper)


def test_a_file_of_claims_of_another_ending_is_not_passed_over(tmp_path):
    check_one_claim(tmp_path)
    (tmp_path / "claims" / "p.yaml").rename(tmp_path / "claims" / "p.yml")
    with pytest.raises(StudyError, match=r"p\.yml: is not read; rename it to p\.yaml"):
        check_claims(tmp_path, ["losaw_figure_1"])


@pytest.mark.parametrize(
    ("name", "what"),
    [
        *((name, "the front page") for name in ("report", "overview", "README")),
        ("ranking", "a study that it does not"),
        ("losaw_figure_1", ""),
    ],
)
def test_a_page_has_a_name_of_its_own(tmp_path, name, what):
    check_one_claim(tmp_path)
    (tmp_path / "claims" / "p.yaml").rename(tmp_path / "claims" / f"{name}.yaml")
    message = rf"{name}\.yaml: has the name of {what}"
    with pytest.raises(StudyError, match=message) if what else contextlib.nullcontext():
        check_claims(tmp_path, ["losaw_figure_1"])


@pytest.mark.parametrize("key", ["than", "margin"])
@pytest.mark.parametrize("value", [True, "nan", "inf"])
def test_a_claimed_number_is_a_finite_number(tmp_path, key, value):
    with pytest.raises(StudyError, match=rf"claims\.0\.{key}: .*number"):
        check_one_claim(tmp_path, **{key: value})


def test_a_share_is_of_one_value(tmp_path):
    with pytest.raises(StudyError, match=r"claims\.0\.share_of\.correlation: .* at most 1 item"):
        check_one_claim(tmp_path, share_of={"correlation": ["identity", "heterogeneous"]})


def test_a_mistake_in_a_file_of_claims_is_named_with_its_line(tmp_path):
    path = tmp_path / "paper.yaml"
    path.write_text("paper: P\ntitle: T\nstudies: [s]\nclaims:\n  - {says: x, relation: abov}\n")
    with pytest.raises(StudyError, match=r"line 5: claims\.0\.relation: .* mean 'above'\?"):
        read_claims(path)


REFERENCE = REPOSITORY / "reference"
STUDIES = sorted(path.parent.name for path in REFERENCE.glob("*/summary.csv"))


def test_it_has_at_most_300_files_of_9_megabytes():
    sizes = [path.stat().st_size for path in REFERENCE.rglob("*") if path.is_file()]
    assert len(sizes) <= 300 and sum(sizes) <= 9e6


@pytest.fixture(scope="module")
def shelf():
    return Shelf(REFERENCE, REPOSITORY / "config")


def test_every_study_of_it_has_a_line_on_its_run_and_a_study_file(shelf):
    assert list(shelf.runs) == list(shelf.studies) == STUDIES


@pytest.mark.parametrize("name", STUDIES)
def test_its_evidence_names_settings_and_learners_of_the_study(shelf, name):
    study = shelf.studies[name]
    lines = pd.read_csv(REFERENCE / name / "blocks.csv")
    assert lines["rows_sha256"].str.fullmatch(f"[0-9a-f]{{{HEX_DIGITS}}}").all()
    assert set(lines["setting"]) <= {setting.identifier for setting in study.settings}
    assert set(lines["learner"]) <= set(study.learners)
    assert not lines.duplicated(["setting", "learner", "first_seed"]).any()
