"""A learner that a scale computes otherwise: said everywhere, and served to no other scale."""

import pandas as pd
import pytest

from losaw.study.report.tables import write_tables
from reference.in_process import run

OTHER = "scales: {smoke: {learners: {jittered: {jitter: 0.1}}}}"
SAID = "jittered at scale smoke: jitter 0.1 in place of 0.3."


@pytest.fixture
def scaled(project):
    """The tiny study, whose second learner is another one at the scale smoke."""
    project.edit("importances: [reported]", f"{OTHER}\nimportances: [reported]")
    return project


def test_a_scale_has_its_own_learner_in_files_of_its_own(scaled):
    found = {}
    for scale in ("smoke", "desk"):
        block = next(iter(scaled.session(scale=scale).plans[0].blocks.values()))
        found[scale] = block.recipe["learners"]["jittered"]["parameters"]
        assert scale in block.path.parts
    assert found == {"smoke": {"jitter": 0.1}, "desk": {"jitter": 0.3}}


def test_tables_say_what_the_scale_computes_otherwise(scaled):
    session = scaled.session(scale="smoke")
    folder = run(session)
    comparison = pd.read_csv(folder / "comparison.csv")
    write_tables(session.studies[0], comparison, folder / "tables")
    assert SAID in (folder / "tables" / "table_1.md").read_text()
    assert scaled.session(scale="desk").studies[0].differs_at_scale == {}
