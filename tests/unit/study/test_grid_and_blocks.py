"""Settings, learners, slices and blocks are functions of the study file and the request alone."""

import math
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from losaw.cli import main
from losaw.study.block.blocks import Cell, Slice
from losaw.study.block.recipe import recipe_changes
from losaw.study.block.replicate import ingredients_in
from losaw.study.cost import changes
from losaw.study.errors import StudyError
from losaw.study.registry import RegistryError
from losaw.study.request.settings import Setting, short_digest
from losaw.study.rules import Run, default_configuration, request
from losaw.study.session import Session
from reference.in_process import execute
from reference.repository import CONFIGURATION, REPOSITORY


def slice_of(width, n_seeds):
    study = type("Study", (), {"seeds_in_a_block": lambda self, setting: width})()
    return Slice("s", study, (Cell(Setting("s", "s", {}, {}), "RF", n_seeds),))


@given(width=st.integers(1, 60), n_seeds=st.integers(1, 300), more=st.integers(0, 300))
def test_blocks_partition_the_seeds_and_more_seeds_leave_whole_ones(width, n_seeds, more):
    ranges = list(slice_of(width, n_seeds).ranges())
    assert [seed for seeds in ranges for seed in seeds] == list(range(n_seeds))
    after = list(slice_of(width, n_seeds + more).ranges())
    assert ranges[:-1] == after[: len(ranges) - 1]
    assert after[len(ranges) - 1].start == ranges[-1].start


def test_a_file_that_no_study_asks_for_is_named(monkeypatch):
    monkeypatch.setattr("losaw.study.rules.use_one_thread", lambda: None)  # it sets variables
    run = Run(CONFIGURATION, {"scale": "desk", "studies": ["losaw_forest"]}, is_main=False)
    with pytest.raises(StudyError, match="unknown joint law 'log-barrier'"):
        run.law("log-barrier")
    block = SimpleNamespace(study="losaw_forest", slice="n_samples~7", first="000", last="001")
    with pytest.raises(StudyError, match=r"unknown block .*losaw_forest/blocks/n_samples~7"):
        run.block(block)


TABLES = "results/smoke/losaw_forest/tables"


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        (["--", f"{TABLES}/table_2.csv"], {}, f"is made with its folder; ask for {TABLES}$"),
        (["figures/smoke/losaw_forest/no/such.png"], {}, "ask for figures/smoke/losaw_forest$"),
        (["--config", "function=f3", "--config", "function=f5"], {}, "--config: given twice"),
        (["-C", "a=1", "-C", "b=5"], {}, "--config: given twice; one --config takes several keys"),
        (["-C", "a=1", "--config", "b=5"], {}, "--config: given twice"),
        (["--config=a=1", "--config", "b=5"], {}, "--config: given twice"),
        (["-Ca=1", "-C", "b=5"], {}, "--config: given twice"),
        ([], {"keys": ["function=f3", "seeds=4", "function=f5"]}, "function: given twice"),
        ([], {"basedir": "elsewhere"}, "elsewhere is a checkout, but .* run `make install`"),
        ([], {"name": "losaw"}, "cannot be used as a module"),
    ],
)
def test_what_snakemake_does_not_say_is_said(monkeypatch, tmp_path, words, options, message):
    (tmp_path / "elsewhere" / "src" / "losaw").mkdir(parents=True)
    monkeypatch.setattr("losaw.study.rules.use_one_thread", lambda: None)
    monkeypatch.setattr(sys, "argv", ["snakemake", *words])
    workflow = SimpleNamespace(
        modifier=SimpleNamespace(namespace=options.get("name")),
        basedir=tmp_path / options["basedir"] if "basedir" in options else REPOSITORY,
        config_settings=SimpleNamespace(config_args=options.get("keys")),
        configfiles=[CONFIGURATION],
        is_main_process=False,
    )
    config = {"scale": "smoke", "studies": ["losaw_forest"]}
    with pytest.raises(SystemExit, match=message):
        request(workflow, config)


@pytest.mark.parametrize("has_file", [False, True])
@pytest.mark.parametrize("is_main", [False, True])
@pytest.mark.parametrize("directory", [None, Path("taepr")])
def test_a_folder_that_is_named_has_a_configuration_of_its_own(
    monkeypatch, tmp_path, capsys, has_file, is_main, directory
):
    monkeypatch.chdir(tmp_path)
    workflow = SimpleNamespace(is_main_process=is_main, overwrite_workdir=directory)
    own = Path("config", "config.yaml")
    if has_file:
        own.parent.mkdir()
        own.touch()
    if is_main and directory and not has_file:
        message = f"losaw: {tmp_path}: has no {own}; correct --directory, or name .* --configfile"
        with pytest.raises(SystemExit, match=message):
            default_configuration(workflow)
        return
    assert default_configuration(workflow) == (own if has_file else CONFIGURATION)
    assert ("losaw: no config" in capsys.readouterr().err) == (is_main and not has_file)


def test_a_command_in_another_checkout_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "src" / "losaw").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert main(["plan"]) == 2 and f"{tmp_path} is a checkout, but" in capsys.readouterr().err


def test_a_sampler_cannot_be_an_axis(project):
    cpi = "{a: {importance: cpi-sequential, sampler: {axis: by}}}"
    project.edit("[reported]", cpi)
    axis = "counted: false\nlearner_axes: [by]\nsettings:\n  by: [gaussian, sequential]\n"
    project.edit("settings:\n", axis)
    (first, *_) = project.session().plans[0].blocks.values()
    with pytest.raises(RegistryError, match=r"knockoff .*axis.* is not registered"):
        str(first.recipe)


def paths(project, **changes):
    session = project.session(**changes)
    return [path.removeprefix(f"{project.results}/") for path in session.plans[0].blocks]


def test_a_block_is_named_by_scale_study_values_and_seeds(project):
    assert paths(project)[:4] == [
        "smoke/tiny/blocks/n_samples~30_noise_variance~0.5/seeds_000-001.parquet",
        "smoke/tiny/blocks/n_samples~30_noise_variance~0.5/seeds_002-003.parquet",
        "smoke/tiny/blocks/n_samples~30_noise_variance~0.5/seeds_004-004.parquet",
        "smoke/tiny/blocks/n_samples~30_noise_variance~1.0/seeds_000-001.parquet",
    ]


def test_axes_inside_lie_in_one_file_and_a_selection_of_them_in_another(project):
    project.edit("blocks: {seeds: 2}", "blocks: {inside: [n_samples], seeds: 5}")
    whole = paths(project)
    assert whole == [
        f"smoke/tiny/blocks/noise_variance~{value}/seeds_000-004.parquet" for value in (0.5, 1.0)
    ]
    part = {"n_samples": ("30",), "noise_variance": (0.5,)}
    assert paths(project, **part) == [
        "smoke/tiny/blocks/noise_variance~0.5_n_samples~30/seeds_000-004.parquet"
    ]
    # What asks for all of it, or for another axis, shares the files of the whole.
    assert paths(project, n_samples=(60, 30)) == whole
    assert paths(project, noise_variance=(1.0,)) == whole[1:]


@pytest.mark.parametrize("values", ["30,60", "60,3e1", "30.0,60,30", (60, 30)])
def test_one_selection_has_one_folder_however_it_is_written(project, values):
    session = project.session(n_samples=values, noise_variance="5e-1")
    assert session.selected == "n_samples~30+60_noise_variance~0.5"


def test_a_selection_of_learners_is_in_the_name(project):
    (first, *_) = paths(project, learner=("plain",))
    assert "noise_variance~0.5_learner~plain/" in first


def test_outputs_of_a_selection_have_a_folder_of_their_own(project):
    whole = project.session()
    part = project.session(n_samples=("30",), seeds=3)
    assert whole.plans[0].folder == project.results / "smoke" / "tiny"
    assert part.plans[0].folder == project.results / "smoke" / "n_samples~30_seeds~3" / "tiny"
    assert part.pages == part.plans[0].folder.parent != whole.pages
    assert part.figures != whole.figures


def test_many_studies_have_a_folder_of_a_name_that_is_not_too_long(project):
    text, names = project.study_file.read_text(), [f"tiny{'y' * i}" for i in range(30)]
    for name in names:
        file = project.study_file.with_name(f"{name}.yaml")
        file.write_text(text.replace("study: tiny", f"counted: false\nstudy: {name}"))
    few, many = project.session(studies=names[:2]), project.session(studies=names)
    assert few.pages.name == "studies~tiny+tinyy" and len(many.pages.name) < 20
    for name in ("report", "overview", "README"):
        file.with_name(f"{name}.yaml").write_text(text.replace("study: tiny", f"study: {name}"))
        with pytest.raises(StudyError, match=r"study: is the name of the front page"):
            project.session(studies=[name])


def test_a_fixed_generator_parameter_changes_identifier_and_recipe(project):
    def first():
        session = project.session()
        (block, *_) = session.plans[0].blocks.values()
        return session.studies[0].settings[0], block.recipe.to_dict()

    before, old = first()
    project.edit("correlation: heterogeneous}", "correlation: homogeneous}")
    after, new = first()
    assert before.identifier != after.identifier
    assert before.identifier.rpartition("-")[0] == after.identifier.rpartition("-")[0]
    words = "generator.parameters.correlation was 'heterogeneous', now 'homogeneous'"
    assert next(recipe_changes(old, new)) == words and not list(recipe_changes(old, old))


def test_the_plan_says_which_stored_blocks_are_of_another_recipe_and_what_differs(project):
    project.edit("[30, 60]", "[30]")
    execute(project.session())
    assert not list(changes(project.session().plans[0]))
    project.edit("jitter: 0.3", "jitter: 0.6")
    first, *places = changes(project.session().plans[0])
    assert first.startswith("tiny: stored blocks of another recipe: 6 of 6")
    assert places == ["  learners.jittered.parameters.jitter was 0.3, now 0.6 (6 of them)"]


def test_a_parameter_by_an_axis_is_in_the_recipe_of_its_own_settings_alone(project):
    lookup = "jitter: {axis: n_samples, values: {30: 0.1, 60: 0.2}}}"
    project.edit("jitter: 0.3}", lookup)
    blocks = project.session().plans[0].blocks.values()
    jitters = [block.recipe.learners["jittered"].parameters["jitter"] for block in blocks]
    assert jitters == [0.1] * 6 + [0.2] * 6


def test_the_first_matching_entry_decides_the_number_of_seeds(project):
    project.edit(
        "smoke: 5",
        "smoke: [{seeds: 3, n_samples: 30}, {seeds: 1, noise_variance: [0.5]}]",
    )
    session = project.session()
    study = session.studies[0]
    assert [study.seeds("smoke", s, "plain") for s in study.settings] == [3, 3, 1, 0]
    assert len(session.plans[0].settings) == 3


def test_the_number_of_seeds_in_a_block_may_depend_on_the_setting(project):
    widths = "blocks: {seeds: [{seeds: 5, n_samples: 30}, {seeds: 3}]}"
    project.edit("blocks: {seeds: 2}", widths)
    assert [path.rpartition("/")[2] for path in paths(project)] == [
        *["seeds_000-004.parquet"] * 2,
        *["seeds_000-002.parquet", "seeds_003-004.parquet"] * 2,
    ]


def test_costs_of_a_seed_may_be_given_for_several_learners_at_once(project):
    text = project.study_file.read_text()
    entries = "[{learner: [plain, jittered], n_samples: 30, seconds: 7}, {seconds: 3}]"
    project.study_file.write_text(f"{text}seconds_per_seed: {entries}\n")
    study = project.session().studies[0]
    for setting in study.settings:
        cost = (7.0 if setting.axes["n_samples"] == 30 else 3.0), True
        assert study.cost_of_seed(setting, "plain") == cost


def test_asked_seeds_count_for_the_settings_that_the_scale_runs(project):
    project.edit("smoke: 5", "smoke: [{seeds: 3, n_samples: 30}]")
    plan = project.session(seeds=4).plans[0]
    assert len(plan.settings) == 2 and plan.n_seeds == [4] and plan.n_fits == 2 * 2 * 4


def test_a_selection_that_the_scale_leaves_out_is_refused(project):
    project.edit("smoke: 5", "smoke: [{seeds: 3, n_samples: 30}]")
    with pytest.raises(StudyError, match=r"nothing to run: .*the scale 'smoke' has no seeds"):
        project.session(n_samples=("60",), seeds=4)


def test_a_study_that_has_nothing_of_the_selection_is_left_out_and_named(project):
    text = project.study_file.read_text()
    other = project.study_file.with_name("other.yaml")
    unprinted = text.replace("published: tiny.csv\n", "").replace("[30, 60]", "[90]")
    other.write_text(unprinted.replace("study: tiny", "study: other"))
    project.replace(project.configuration, "studies: [tiny]", "studies: [tiny, other]")
    assert len(project.session().studies) == 2
    chosen = project.session(n_samples=("90",))
    assert [study.name for study in chosen.studies] == ["other"]
    assert chosen.notes == ["study 'tiny' is left out: it has no n_samples=90"]
    fixed = text[: text.index("published:")].replace("  noise_variance: [0.5, 1.0]\n", "")
    fixed = fixed.replace("heterogeneous", "heterogeneous, noise_variance: 0.5")
    other.write_text(fixed.replace("study: tiny", "study: other"))
    chosen = project.session(noise_variance=0.5)
    assert chosen.notes == ["study 'other' is left out: it has no noise_variance=0.5"]


def test_studies_that_share_an_experiment_share_its_streams(project):
    text = project.study_file.read_text()
    drawn = {}
    for name, key in (("tiny", ""), ("twin", "experiment: tiny\n"), ("other", "")):
        file = project.study_file.with_name(f"{name}.yaml")
        file.write_text(key + text.replace("study: tiny", f"study: {name}"))
        study = project.session(studies=[name]).studies[0]
        drawn[name] = ingredients_in(study, study.settings[0], "plain").data(0).train.X
    np.testing.assert_array_equal(drawn["twin"], drawn["tiny"])
    assert not np.array_equal(drawn["other"], drawn["tiny"])


def test_nan_has_no_digest():
    with pytest.raises(ValueError, match="not JSON compliant"):
        short_digest({"a": math.nan})


def test_no_name_of_a_file_is_longer_than_a_file_system_allows_and_none_is_of_two_parts():
    values = [f".{hundredth:02d}" for hundredth in range(1, 70)]
    config = {"studies": "residual_figure2", "scale": "smoke"}
    made = [
        Session(CONFIGURATION, {**config, "noise_share": ",".join(some)}, trusted=True)
        for some in (values, values[:-1])
    ]
    one, other = ({*session.plans[0].blocks, str(session.outputs)} for session in made)
    assert one and all(len(part) <= 255 for path in one for part in Path(path).parts)
    assert not one & other


@pytest.mark.parametrize("folder", [".", "./made", "made/"])
def test_the_files_of_blocks_have_the_pattern_of_their_rule(project, folder):
    asked = Run(project.configuration, {"results": folder}, is_main=False)
    begin = asked.block_file("blocks", "parquet").partition("{study}")[0]
    assert all(path.startswith(begin) for path in asked.blocks)
