"""The comparison of two results folders."""

import pandas as pd
import pytest

from losaw.cli import main
from losaw.study.running.runner import execute


@pytest.fixture
def two(project, tmp_path):
    """Two folders with the results of the tiny project, the second of a changed learner."""
    project.replace(project.study_file, "[30, 60]", "[30]")
    text = project.study_file.read_text()
    project.study_file.write_text(text[: text.index("published:")])
    execute(project.session().all_blocks, 1)
    second = tmp_path / "second"
    execute(project.session(overrides={"results": str(second)}).all_blocks, 1)
    return project, second


def test_two_runs_of_the_same_code_are_equal_byte_for_byte(two, capsys):
    project, second = two
    assert main(["diff", str(project.results), str(second)]) == 0
    assert capsys.readouterr().out == "equal, byte for byte: 8 blocks\n"


def test_cells_that_moved_are_paired_by_seed_and_the_cause_is_named(two, tmp_path, capsys):
    project, second = two
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.6")
    execute(project.session(overrides={"results": str(second)}).all_blocks, 1)
    table = tmp_path / "moved.csv"
    assert main(["diff", str(project.results), str(second), "--csv", str(table)]) == 1
    said = capsys.readouterr().out
    assert "8 blocks in both; 0 only in the first, 0 only in the second" in said
    assert "4 blocks: equal, byte for byte" in said and "4 blocks: not comparable" in said
    assert "4 blocks: learner parameters jitter: 0.3 -> 0.6" in said
    cells = pd.read_csv(table)
    assert set(cells["learner"]) == {"jittered"} and cells["n_pairs"].eq(5).all()
    assert cells["z"].abs().is_monotonic_decreasing


def test_a_folder_without_blocks_is_refused(two, tmp_path, capsys):
    assert main(["diff", str(two[1]), str(tmp_path)]) == 2
    assert "holds no blocks" in capsys.readouterr().err
