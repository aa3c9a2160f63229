"""The studies of the residual-importance paper, run in this process."""

import pandas as pd
import pytest

from losaw.study.datasets import is_there
from losaw.study.design.request import request_of
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.generators import real_rows
from losaw.study.report.figures import write_figures
from losaw.study.report.results import StudyResults
from losaw.study.results.outputs import write_outputs
from reference.in_process import execute
from reference.snakemake_runs import REPOSITORY


def session_of(tmp_path, **config):
    places = {"results": str(tmp_path / "results"), "figures": str(tmp_path / "figures")}
    file = REPOSITORY / "config" / "config.yaml"
    return Session(request_of(file, {"scale": "smoke", **places, **config}))


def comparison_of(session):
    execute(session)
    return pd.read_csv(write_outputs(session.plans[0]))


def test_a_synthetic_study_leaves_its_comparison_and_figure(tmp_path):
    session = session_of(tmp_path, studies="residual_figure7", data_set="syn3")
    comparison = comparison_of(session)
    (plan,) = session.plans
    write_figures(plan.study, StudyResults(plan.folder), plan.figures)
    there = comparison[comparison["n_seeds"] > 0]
    assert set(there["method"]) == {
        "impurity",
        "permutation",
        "residual-RF",
        "residual-GS",
        "residual-RF-oob",
        "residual-GS-printed",
    }
    shares = there.groupby("method")["reproduced"].sum()
    assert ((shares - 1).abs() < 1e-9).all()
    assert (plan.figures / "residual_figure7.pdf").stat().st_size > 0


def test_missing_real_data_are_a_reason_not_to_summarise(tmp_path, monkeypatch):
    def no_network(*arguments, **options):
        raise OSError("no network")

    monkeypatch.setenv("LOSAW_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr("urllib.request.urlopen", no_network)
    real_rows.read_rows.cache_clear()
    session = session_of(tmp_path, studies="residual_figure3")  # a dry run goes no further
    with pytest.raises(StudyError, match=r"data set 'fish'.*by hand.*LOSAW_DATA"):
        comparison_of(session)


@pytest.mark.skipif(not is_there("fish"), reason="set LOSAW_DATA to the folder of the real data")
def test_a_study_of_real_data_leaves_its_comparison(tmp_path):
    real_rows.read_rows.cache_clear()
    comparison = comparison_of(session_of(tmp_path, studies="residual_figure3"))
    assert (comparison["reproduced"] > 0.5).all()  # all features rise with the length
