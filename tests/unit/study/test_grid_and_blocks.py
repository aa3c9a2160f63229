"""Settings, learners and blocks are functions of the study file alone.

Of study.design.grid, study.design.blocks, study.design.settings, study.design.expressions.
"""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from losaw.study.design.blocks import BlockName, cut
from losaw.study.design.expressions import evaluate, is_expression
from losaw.study.design.settings import Setting, canonical_json
from losaw.study.errors import StudyError
from losaw.study.running.estimate import seconds_per_seed


class FakeStudy:
    """Just the boundaries."""

    def __init__(self, boundaries):
        self.file = type("File", (), {"seed_blocks": [{"boundaries": boundaries}]})


def boundaries_strategy():
    return st.lists(st.integers(1, 60), min_size=1, max_size=4, unique=True).map(sorted)


@given(boundaries=boundaries_strategy(), n_seeds=st.integers(1, 300))
def test_blocks_partition_the_seeds(boundaries, n_seeds):
    ranges = list(cut(FakeStudy(boundaries), Setting("s", "s", {}, {}), n_seeds))
    assert [seed for seeds in ranges for seed in seeds] == list(range(n_seeds))


@given(boundaries=boundaries_strategy(), n_seeds=st.integers(1, 300), more=st.integers(0, 300))
def test_asking_for_more_seeds_keeps_every_block_but_a_cut_last_one(boundaries, n_seeds, more):
    study, setting = FakeStudy(boundaries), Setting("s", "s", {}, {})
    before = list(cut(study, setting, n_seeds))
    after = list(cut(study, setting, n_seeds + more))
    assert before[:-1] == after[: len(before) - 1]
    assert after[len(before) - 1].start == before[-1].start


def test_a_block_is_found_again_from_its_path():
    block = BlockName("study", "setting-1", "RF+eta=0.1", 20, 124)
    assert BlockName.from_path(block.relative_path) == block
    late = BlockName("study", "setting", "RF", 99_950, 100_049)
    assert BlockName.from_path(late.relative_path) == late


def test_the_grid_is_the_product_of_its_axes(project):
    study = project.session().studies[0]
    assert [tuple(s.axes.values()) for s in study.settings] == [
        (30, 0.5),
        (30, 1.0),
        (60, 0.5),
        (60, 1.0),
    ]
    assert len({s.identifier for s in study.settings}) == 4


def test_a_fixed_generator_parameter_changes_the_identifier(project):
    before = project.session().studies[0].settings[0].identifier
    project.replace(
        project.study_file,
        "correlation: heterogeneous}",
        "correlation: homogeneous}",
    )
    after = project.session().studies[0].settings[0].identifier
    assert before != after
    assert before.rpartition("-")[0] == after.rpartition("-")[0]


def test_each_spreads_a_learner_and_expressions_read_the_setting(project):
    project.replace(
        project.study_file,
        "jitter: 0.3}",
        "jitter: {each: [0.1, n_samples // 4]}}",
    )
    study = project.session().studies[0]
    assert list(study.learners) == [
        "plain",
        "jittered+jitter=0.1",
        "jittered+jitter=n_samples // 4",
    ]
    last = study.learners["jittered+jitter=n_samples // 4"]
    assert last.parameters_for(study.settings[0])["jitter"] == 7


def test_only_arithmetic_is_an_expression():
    assert is_expression("n_features // 3") and is_expression("max(1, n // 2)")
    assert not any(map(is_expression, ["sqrt", "auto", "a-b c", 3, None, "__import__('os')"]))
    assert evaluate("max(1, n // 3) * 2.5", {"n": 2}) == 2.5


def test_the_first_matching_entry_decides_the_number_of_seeds(project):
    project.replace(
        project.study_file,
        "smoke: 5",
        "smoke: [{seeds: 3, n_samples: 30}, {seeds: 1, noise_variance: [0.5]}]",
    )
    session = project.session()
    study = session.studies[0]
    assert [session.n_seeds(study, s) for s in study.settings] == [3, 3, 1, 0]
    assert len(session.settings(study)) == 3


def test_costs_of_a_seed_may_be_given_for_several_learners_at_once(project):
    text = project.study_file.read_text()
    entries = "[{learner: [plain, jittered], n_samples: 30, seconds: 7}, {seconds: 3}]"
    project.study_file.write_text(f"{text}seconds_per_seed: {entries}\n")
    session = project.session()
    study = session.studies[0]
    for block in session.blocks(study):
        is_small = block.series.setting.axes["n_samples"] == 30
        assert seconds_per_seed(block) == (7 if is_small else 3)


def test_a_selection_narrows_the_blocks(project):
    session = project.session(selection={"n_samples": ("30",), "learner": ("plain",)}, seeds=3)
    blocks = [block.name for block in session.all_blocks]
    assert {b.learner for b in blocks} == {"plain"}
    assert len({b.setting for b in blocks}) == 2
    assert [(b.first, b.last) for b in blocks] == [(0, 1), (2, 2)] * 2


def test_the_first_word_of_study_names_asks_for_all_of_them(project):
    text = project.study_file.read_text()
    for name in ("tiny_a", "tiny_b", "other_c"):
        file = project.study_file.with_name(f"{name}.yaml")
        file.write_text(text.replace("study: tiny", f"study: {name}"))
    project.study_file.unlink()
    assert [s.name for s in project.session().studies] == ["tiny_a", "tiny_b"]


def test_asked_seeds_count_for_the_settings_that_the_scale_runs(project):
    project.replace(project.study_file, "smoke: 5", "smoke: [{seeds: 3, n_samples: 30}]")
    session = project.session(seeds=4)
    assert [session.n_seeds(session.studies[0], s) for s in session.studies[0].settings] == [
        4, 4, 0, 0,
    ]  # fmt: skip
    assert {block.name.last for block in session.all_blocks} == {1, 3}


def test_a_selection_that_the_scale_leaves_out_is_refused(project):
    project.replace(project.study_file, "smoke: 5", "smoke: [{seeds: 3, n_samples: 30}]")
    with pytest.raises(StudyError, match=r"the scale 'smoke' leaves out .* \(n_samples=60\)"):
        project.session(selection={"n_samples": ("60",)}, seeds=4)


def test_a_study_that_has_nothing_of_the_selection_is_left_out(project):
    text = project.study_file.read_text()
    other = project.study_file.with_name("other.yaml")
    other.write_text(text.replace("study: tiny", "study: other").replace("[30, 60]", "[90]"))
    project.replace(project.configuration, "studies: [tiny]", "studies: [tiny, other]")
    assert len(project.session().studies) == 2
    chosen = project.session(selection={"n_samples": ("90",)})
    assert [study.name for study in chosen.studies] == ["other"]


@pytest.mark.parametrize(
    ("boundaries", "n_seeds", "ends"),
    [
        ([50], 130, [50, 100, 130]),
        ([2, 5], 12, [2, 5, 8, 11, 12]),
        ([10, 30], 70, [10, 30, 50, 70]),
    ],
)
def test_past_the_last_boundary_the_width_of_the_last_block_repeats(boundaries, n_seeds, ends):
    ranges = cut(FakeStudy(boundaries), Setting("s", "s", {}, {}), n_seeds)
    assert [seeds.stop for seeds in ranges] == ends


def test_studies_that_share_an_experiment_share_its_streams(project):
    assert project.session().studies[0].experiment == "tiny"
    project.replace(project.study_file, "title:", "experiment: other\ntitle:")
    assert project.session().studies[0].experiment == "other"


def test_two_blocks_of_one_name_are_equal_wherever_they_lie(project):
    block = project.session().all_blocks[0]
    assert replace(block, results=Path("elsewhere")) == block


def test_equal_values_have_one_spelling_whatever_their_order_and_nan_has_none():
    assert canonical_json({"b": 1, "a": [1.5, True]}) == '{"a":[1.5,true],"b":1}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": math.nan})
