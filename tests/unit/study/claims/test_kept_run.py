"""The run that the repository keeps is small, and every line of its evidence is whole."""

import pandas as pd
import pytest

from losaw.study.report.keeping import EVIDENCE, HEX_DIGITS
from losaw.study.report.page.stored import Shelf
from reference.repository import REPOSITORY

REFERENCE = REPOSITORY / "reference"
STUDIES = sorted(path.parent.name for path in REFERENCE.glob("*/summary.csv"))


def test_it_has_at_most_260_files_of_8_megabytes():
    sizes = [path.stat().st_size for path in REFERENCE.rglob("*") if path.is_file()]
    assert len(sizes) <= 260 and sum(sizes) <= 8e6


@pytest.fixture(scope="module")
def shelf():
    return Shelf(REFERENCE, REPOSITORY / "config")


def test_every_study_of_it_has_a_line_on_its_run_and_a_study_file(shelf):
    assert list(shelf.runs) == list(shelf.studies) == STUDIES


@pytest.mark.parametrize("name", STUDIES)
def test_its_evidence_names_settings_and_learners_of_the_study(shelf, name):
    study = shelf.studies[name]
    lines = pd.read_csv(REFERENCE / name / "blocks.csv")
    assert tuple(lines.columns) == EVIDENCE
    assert lines["rows_sha256"].str.fullmatch(f"[0-9a-f]{{{HEX_DIGITS}}}").all()
    assert set(lines["setting"]) <= {setting.identifier for setting in study.settings}
    assert set(lines["learner"]) <= set(study.learners)
    assert not lines.duplicated(["setting", "learner", "first_seed"]).any()
