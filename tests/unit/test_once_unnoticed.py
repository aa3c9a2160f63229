"""Changes of single places that no test noticed, each with the behaviour that it breaks.

`make test-mutants` found them.

Of scoring.out_of_bag_permutation, scoring.row_differences,
importance.conditional_predictive_impact, importance.conditional_subgroups,
scoring.one_sided_tests, importance.shapley_global_importance, importance.tree_inner,
importance.permutation, scoring.result, weighting.levels, kernels.logit.far_apart,
study.results.kinds, study.results.ending, study.results.manifest, study.results.summary,
study.design.blocks, study.design.identifiers, study.files.folder, study.files.footer,
study.files.run_record, study.files.writing.
"""

import itertools
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from losaw.importance import ImportanceResult, boruta, pfi, sage, subgroups, treeinner
from losaw.importance.permutation import score_of
from losaw.kernels.logit.far_apart import log_probability
from losaw.scoring.one_sided_tests import one_sided_test
from losaw.study.design.identifiers import canonical_json
from losaw.study.errors import StudyError
from losaw.study.files.folder import other_blocks
from losaw.study.files.footer import footer_of, of_the_fit
from losaw.study.files.run_record import check_run_record, read_run_record
from losaw.study.files.writing import write_csv
from losaw.study.results.collect import collect
from losaw.study.results.ending import describe_end
from losaw.study.results.kinds import kinds_of, pooled_deviation
from losaw.study.results.manifest import manifest
from losaw.study.results.summary import differences
from losaw.study.running.runner import run_block
from losaw.tables.kinds import few_levels

rng = np.random.default_rng(0)
X = rng.standard_normal((80, 3))
Y = X[:, 0] + 0.1 * rng.standard_normal(80)
LINEAR = LinearRegression().fit(X, Y)


def test_boruta_finds_what_decides_between_two_classes():
    found = boruta(None, X, X[:, 0] > 0, n_estimators=20, max_runs=15, random_state=0)
    assert found.details["decisions"][0] == 1


@pytest.mark.parametrize(("n_repeats", "freedom"), [(1, None), (2, 1), (4, 3)])
def test_an_error_over_repeats_has_one_degree_of_freedom_less(n_repeats, freedom):
    result = pfi(LINEAR, X, Y, n_repeats=n_repeats, random_state=0)
    assert result.degrees_of_freedom == freedom


def test_subgroups_of_a_group_are_made_for_all_its_features():
    """One split: by the third, from which the second is known; the first alone asks the fourth."""
    third = np.sign(X[:, 2])
    rows = np.column_stack([X[:, 0], third * (1 + 0.01 * X[:, 1]), third, X[:, 0]])

    class Product:
        def predict(self, given):
            return given[:, 1] * given[:, 2]

    found = subgroups(
        Product(), rows, np.ones(80), groups={"pair": [0, 1]}, max_depth=1, random_state=0
    )
    assert abs(found.scores[0]) < 0.01


def test_fishers_p_value_is_the_share_of_flipped_means():
    values = np.array([3.0, 1.0, 2.0, -1.0, 2.0, -1.5, 1.0, 2.0])
    flips = np.array(list(itertools.product([-1, 1], repeat=8))) @ values
    expected = (flips >= values.sum() - 1e-12).mean()
    found = [
        one_sided_test(values, "fisher", 0.95, np.random.default_rng(seed)).p_value
        for seed in range(20)
    ]
    error = np.sqrt(expected * (1 - expected) / 2000 / 20)
    assert abs(np.mean(found) - expected) < 4 * error


def test_rows_of_weight_zero_do_not_count_in_sage():
    wrong = np.vstack([X, X[:20]]), np.concatenate([Y, Y[:20] + 100.0])
    weights = np.r_[np.ones(80), np.zeros(20)]
    options = {"n_background": 16, "max_permutations": 64, "random_state": 0}
    found = sage(LINEAR, *wrong, sample_weight=weights, **options)
    assert np.abs(found.scores - sage(LINEAR, X, Y, **options).scores).max() < 0.5


def test_treeinner_of_a_pipeline_is_that_of_its_booster():
    xgboost = pytest.importorskip("xgboost")
    scaled = StandardScaler().fit(X)
    booster = xgboost.XGBRegressor(n_estimators=3, max_depth=2)
    whole = make_pipeline(StandardScaler(), booster).fit(X, Y)
    alone = treeinner(whole[-1], scaled.transform(X), Y)
    np.testing.assert_allclose(treeinner(whole, X, Y).scores, alone.scores)


def test_an_area_under_the_curve_of_two_classes_is_scored():
    labels = np.where(X[:, 0] > 0, "b", "a")
    score = score_of(LogisticRegression().fit(X, labels), labels)
    assert score(X) > 0.95


def test_an_area_of_three_classes_is_the_mean_over_pairs():
    labels = np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])
    model = LogisticRegression(C=0.01).fit(X[:40, 1:], labels[:40])
    found = score_of(model, labels)(X[:, 1:])
    expected = roc_auc_score(labels, model.predict_proba(X[:, 1:]), multi_class="ovo")
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("freedom", [None, 2])
def test_an_interval_is_students_where_degrees_of_freedom_are_known(freedom):
    result = ImportanceResult(
        np.array([1.0]),
        ("a",),
        std_error=np.array([0.5]),
        std_error_kind="of a test",
        degrees_of_freedom=freedom,
    )
    quantile = stats.norm.ppf(0.975) if freedom is None else stats.t.ppf(0.975, freedom)
    np.testing.assert_allclose(result.interval(0.95), [[1 - 0.5 * quantile, 1 + 0.5 * quantile]])


def test_one_way_to_select_is_asked_for():
    result = ImportanceResult(np.array([1.0, 2.0]), ("a", "b"))
    assert result.select(top=1) == ("b",)
    for asked in ({}, {"top": 1, "fdr": 0.1}):
        with pytest.raises(ValueError, match="exactly one of"):
            result.select(**asked)


def test_as_many_levels_as_are_allowed_count_as_levels():
    assert few_levels(np.tile(np.arange(10.0), 10)) is not None
    assert few_levels(np.tile(np.arange(11.0), 10)) is None


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_probabilities_of_all_classes_add_up_to_one(n_classes):
    predictors = np.linspace(1.0, 3.0, n_classes - 1)
    logs = [log_probability.py_func(predictors, n_classes, k) for k in range(n_classes)]
    assert np.exp(logs).sum() == pytest.approx(1.0)


def test_a_pooled_deviation_weighs_by_degrees_of_freedom():
    found = pooled_deviation(pd.Series([1.0, 2.0, 9.0]), pd.Series([2, 4, 1]))
    assert found == (pytest.approx(math.sqrt((1 * 1 + 3 * 4) / 4)), 4)


def test_a_mean_squared_error_is_no_decision(project):
    study = project.session().studies[0]
    (setting, *_) = study.settings
    row = {"setting_id": setting.identifier, "metric": "r2_test", "method": "plain"}
    frame = pd.DataFrame([row | {"n_seeds": 4, "sd": 0.1}])
    assert not kinds_of(study, frame)["r2_test", "plain"].is_decision


def test_the_last_line_counts_published_values_once(tmp_path):
    verdicts = ["agrees", "agrees", "deviates", "not printed", "not run", "agrees"]
    cells = pd.DataFrame({"verdict": verdicts, "method": list("abcdea"), "published": 0.5})
    cells.to_csv(tmp_path / "comparison.csv", index=False)
    study = SimpleNamespace(file=SimpleNamespace(counted=True))
    said = describe_end([SimpleNamespace(study=study, folder=tmp_path, results=tmp_path)])
    assert "1 study, 3 published values compared (1 deviates, 2 agrees)" in said
    study.file.counted = [{"method": "c"}]
    said = describe_end([SimpleNamespace(study=study, folder=tmp_path, results=tmp_path)])
    assert "1 published values compared (1 deviates)" in said


def test_a_manifest_counts_the_blocks_that_were_asked_for(project):
    project.replace(project.configuration, "max_failed_share: 0.0", "max_failed_share: 1.0")
    plan = project.session().plan("tiny")
    run_block(plan.blocks[0])
    assert manifest(plan, collect(plan))["blocks"] == len(plan.blocks) > 0


def test_every_two_learners_have_paired_differences():
    study = SimpleNamespace(learners=("a", "b", "c"), axes=())
    values = {
        ("a", 0): 1.0,
        ("b", 0): 3.0,
        ("c", 0): 7.0,
        ("a", 1): 2.0,
        ("b", 1): 4.0,
        ("c", 1): 9.0,
    }
    rows = [("s", name, "", seed, "m", value, "ok") for (name, seed), value in values.items()]
    columns = ["setting_id", "learner", "importance", "seed", "metric", "value", "status"]
    collection = SimpleNamespace(
        results=pd.DataFrame(rows, columns=columns), settings=pd.DataFrame({"setting_id": ["s"]})
    )
    listed = differences(study, collection)
    assert listed.index.tolist() == [0, 1, 2]
    found = listed.set_index(["learner", "minus"])
    assert found["difference"].to_dict() == {("b", "a"): 2.0, ("c", "a"): 6.5, ("c", "b"): 4.5}
    assert found.loc[("c", "b"), "mc_se"] == pytest.approx(0.5)


def test_two_blocks_of_one_name_are_equal_wherever_they_lie(project):
    block = project.session().all_blocks[0]
    assert replace(block, results=Path("elsewhere")) == block


def test_equal_values_have_one_spelling_whatever_their_order_and_nan_has_none():
    assert canonical_json({"b": 1, "a": [1.5, True]}) == '{"a":[1.5,true],"b":1}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"a": math.nan})


def test_other_blocks_are_those_that_are_not_asked_for(project):
    block = project.session(selection={"n_samples": ("30",)}).plan("tiny").blocks[0]
    run_block(block)
    assert other_blocks(project.session().plan("tiny")) == []
    assert other_blocks(project.session(selection={"n_samples": ("60",)}).plan("tiny")) == [block]


@pytest.mark.parametrize(
    ("key", "is_of_the_fit"),
    [("metrics", False), ("results_version", False), ("learner", True), ("joint_law", True)],
)
def test_files_of_the_same_fits_may_differ_in_metrics_and_seeds_alone(project, key, is_of_the_fit):
    footer = footer_of(project.session().all_blocks[0], None)
    changed = {"name": "changed", "parameters": {}} if key == "learner" else "changed"
    other = {**footer, key: changed}
    assert (of_the_fit(footer) != of_the_fit(other)) == is_of_the_fit
    elsewhere = {**footer, "block": {**footer["block"], "seeds": [100, 119]}}
    assert of_the_fit(elsewhere) == of_the_fit(footer)
    elsewhere["block"] = {**footer["block"], "setting": "another"}
    assert of_the_fit(elsewhere) != of_the_fit(footer)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"{}", b"\xff", b'{"seconds": 1}'])
def test_a_damaged_run_record_is_refused_by_name(project, damage):
    block = project.session().all_blocks[0]
    assert check_run_record(block.record_path) is None
    run_block(block)
    assert check_run_record(block.record_path).failed_seeds == 0
    block.record_path.write_bytes(damage)
    with pytest.raises(StudyError, match="is damaged: how the block was run is not known"):
        check_run_record(block.record_path)
    assert read_run_record(block.record_path) is None


def test_a_table_is_written_with_its_columns_and_no_more(tmp_path):
    write_csv(tmp_path / "a.csv", pd.DataFrame({"a": [1, 2], "b": [0.1, 1 / 3]}))
    assert (tmp_path / "a.csv").read_bytes() == b"a,b\n1,0.1\n2,0.3333333333333333\n"
