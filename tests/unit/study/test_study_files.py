"""Every study file of the repository is valid and has something to run at every scale."""

import functools
import json
import re
import runpy

import jsonschema
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, chi, norm

from losaw.study.errors import StudyError
from losaw.study.report.figures import check_figures
from losaw.study.request.published import read_published
from losaw.study.request.study_file import EVERY_STUDY_HAS, SCALES, SourceFile, StudyFile
from losaw.study.results.compare import check_tables, compare
from losaw.study.session import Session
from reference.repository import CONFIGURATION, REPOSITORY

FILES = sorted((CONFIGURATION.parent / "studies").glob("*.yaml"))
STUDIES = [path.stem for path in FILES]
BOTH = re.compile(r"^published: .*^tables:", re.MULTILINE | re.DOTALL)
PRINTED = [path.stem for path in FILES if BOTH.search(path.read_text())]


def session(name: str, scale: str) -> Session:
    with pytest.MonkeyPatch.context() as patch:  # claims are checked in claims/test_claims.py
        patch.setattr("losaw.study.session.check_claims", lambda *of: None)
        return Session(CONFIGURATION, {"studies": [name], "scale": scale})


@functools.cache
def desk(name: str) -> Session:
    return session(name, "desk")


def test_the_schema_for_editors_is_that_of_the_model_and_knows_every_study_and_mistakes():
    schema = json.loads((CONFIGURATION.parent / "schema.json").read_text("utf-8"))
    assert schema == StudyFile.model_json_schema(), "python docs/generate.py writes it"
    studies = [SourceFile(path).data for path in FILES]
    for study in studies:
        jsonschema.validate(study, schema)
    for mistake in ({"titel": "x"}, {"seeds": {"desk": 0}}, {"counted": "no"}, {"margins": [1]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(studies[0] | mistake, schema)


def test_the_page_on_the_files_of_a_study_is_that_of_the_models():
    generate = runpy.run_path(REPOSITORY / "docs" / "generate.py")
    page = (REPOSITORY / "docs" / "study_files.md").read_text("utf-8")
    assert page == "\n".join(generate["study_files"]()), "python docs/generate.py writes it"


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_file_is_valid_and_runs_something_at_every_scale(name):
    seeds = desk(name).studies[0].file.seeds
    for scale in SCALES:
        if scale not in seeds:
            assert scale not in EVERY_STUDY_HAS
            with pytest.raises(
                StudyError, match=f"'{name}' is left out: it has no scale '{scale}'"
            ):
                session(name, scale)
            continue
        one = desk(name) if scale == "desk" else session(name, scale)
        study = one.studies[0]
        # Nothing may run only where every learner is an optional one that this machine lacks.
        assert bool(one.plan(name).blocks) == (set(study.left_out) != set(study.learners))
        for block in one.plan(name).blocks.values():
            pairs = block.recipe.pairs()
            assert sum(len(block.recipe.seeds_of(*pair)) for pair in pairs) == block.n_fits
    check_figures(one.studies[0])
    check_tables(one.studies[0])


def test_the_figures_of_the_documentation_can_be_drawn():
    folder = REPOSITORY / "docs" / "study"
    for study in Session(folder / "config" / "config.yaml").studies:
        check_figures(study)


@pytest.mark.parametrize("name", PRINTED)
def test_every_printed_number_of_a_study_finds_its_cell(name):
    one = desk(name)
    study = one.studies[0]
    published = read_published(study, one.published_folder)
    nothing_run = pd.DataFrame(columns=["setting_id", "metric", "method"])
    frame = compare(study, nothing_run, published)
    assert len(frame) == len(list(study.cells()))
    # A number holds for every value of an axis that print does not have.
    axis = [a for a in study.axes if a in published.columns]
    found = frame[frame["published"].notna()].drop_duplicates(["table", *axis, "metric", "method"])
    assert len(found) == published["published"].notna().sum() > 0


@pytest.mark.parametrize(("n_samples", "n_test"), [(100, 34), (250, 85)])
def test_the_sizes_that_type_1_errors_are_compared_with_are_those_of_theory(n_samples, n_test):
    printed = read_published(desk("cpi_type1").studies[0], CONFIGURATION.parent / "published")
    here = printed[(printed["n_samples"] == n_samples) & (printed["outcome"] == "regression")]
    sizes = here.set_index(["metric", "method"])["published"]
    fair = binom.sf(np.arange(-1, n_test + 1), n_test, 0.5)
    assert sizes["rejected_X2", "gauss-binomial LM"] == round(fair[fair <= 0.05].max(), 4)
    for metric, columns in (("rejected_X1", 3), ("rejected_X2", 1)):
        cost = np.sqrt(n_test / (n_samples - n_test)) / 2
        size = chi(columns).expect(lambda c, cost=cost: norm.cdf(norm.ppf(0.05) - c * cost))
        assert sizes[metric, "loco-t LM"] == round(size, 4)
        assert sizes[metric, "seq-t RF"] == sizes[metric, "gauss-fisher LM"] == 0.05
