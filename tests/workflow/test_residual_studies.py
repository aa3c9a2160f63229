"""The studies of the residual-importance paper, run from the command line."""

import pandas as pd
import pytest

from losaw.cli import main
from losaw.datasets import is_there
from losaw.generators import real_rows


def run(tmp_path, *arguments):
    return main(["run", "--scale", "smoke", "--output", str(tmp_path / "results"), *arguments])


def test_a_synthetic_study_leaves_its_comparison_and_figure(tmp_path):
    assert run(tmp_path, "--study", "residual_figure7", "--set", "data_set=syn3") == 0
    comparison = pd.read_csv(tmp_path / "results" / "residual_figure7" / "comparison.csv")
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
    assert (tmp_path / "results" / "figures" / "residual_figure7.pdf").stat().st_size > 0


def test_missing_real_data_are_reported_in_one_message_before_any_block(
    tmp_path, monkeypatch, capsys
):
    def no_network(*arguments, **options):
        raise OSError("no network")

    monkeypatch.setenv("LOSAW_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr("urllib.request.urlopen", no_network)
    real_rows.read_rows.cache_clear()
    assert run(tmp_path, "--study", "residual_figure3") == 2
    error = capsys.readouterr().err
    assert "data set 'fish'" in error and "by hand" in error and "LOSAW_DATA" in error
    assert not list(tmp_path.glob("results/*/blocks/**/*.parquet"))


@pytest.mark.skipif(not is_there("fish"), reason="set LOSAW_DATA to the folder of the real data")
def test_a_study_of_real_data_leaves_its_comparison(tmp_path):
    real_rows.read_rows.cache_clear()
    assert run(tmp_path, "--study", "residual_figure3") == 0
    comparison = pd.read_csv(tmp_path / "results" / "residual_figure3" / "comparison.csv")
    assert (comparison["reproduced"] > 0.5).all()  # all features rise with the length
