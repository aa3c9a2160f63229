"""Importances as studies have them: what they compute, and what is refused when a file is read."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score

from losaw.data import Sample, Truth
from losaw.importance import ImportanceResult
from losaw.study.block.replicate import checked, predict
from losaw.study.contracts import example_data
from losaw.study.importances.permutation import score_of
from losaw.study.registry import get
from reference.in_study import data_of, in_study

N = 60
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 3))
Y = X[:, 0] + RNG.standard_normal(N)
ROWS = np.ones((4, 5))


def test_sizes_as_importances_come_with_p_values_where_there_are_any():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    data = data_of(X, X[:, 0] + rng.standard_normal(60))
    result = in_study("linear-coefficient").explain(None, data, rng)
    assert result.p_values[0] < 0.001 < result.p_values[1]
    assert in_study("linear-coefficient", signed=True).explain(None, data, rng).p_values is None
    twice = data_of(X[:, [0, 0]], X[:, 0])
    assert in_study("linear-coefficient").explain(None, twice, rng).p_values is None


NAMES = ("atr", "rtr", "linear-coefficient", "pearson", "spearman", "shap-pearson", "shap-spearman")


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    data = data_of(X, X[:, 0] - X[:, 1] + 5)
    return RandomForestRegressor(10, random_state=0).fit(*data.train), data


@pytest.mark.parametrize("name", NAMES)
def test_signed_scores_are_the_estimates_and_others_their_size(fitted, name):
    options = {"n_rows": 40} if name.startswith("shap") else {}
    signed, size = (
        in_study(name, signed=signed, **options).explain(*fitted, np.random.default_rng(0))
        for signed in (True, False)
    )
    assert signed.scores[0] > 0 > signed.scores[1]
    np.testing.assert_array_equal(np.abs(signed.scores), size.scores)
    assert size.feature_names == ("X1", "X2", "X3")


def test_permutation_importance_of_a_linear_model_is_the_formula():
    # E (y - f(x^pi))^2 - E (y - f(x))^2 = 2 b_j^2 var(x_j) for an independent feature.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 2))
    y = X @ [2.0, 0.0]
    model = LinearRegression().fit(X, y)
    result = in_study("permutation", rows="train", n_repeats=20).explain(model, data_of(X, y), rng)
    assert result.scores[0] == pytest.approx(8 * X[:, 0].var(), rel=0.05)
    assert result.scores[1] == pytest.approx(0, abs=1e-12)
    assert result.std_error_kind == "over permutations"


@pytest.mark.parametrize("cuts", [[0.0], [-0.7, 0.7]])
def test_an_area_under_the_curve_is_that_of_two_classes_or_the_mean_over_pairs(cuts):
    X = np.random.default_rng(0).standard_normal((80, 3))
    labels = np.digitize(X[:, 0] + X[:, 1], cuts)
    model = LogisticRegression(C=0.01).fit(X[:40, 1:], labels[:40])
    shares = model.predict_proba(X[:, 1:])
    expected = roc_auc_score(labels, shares[:, 1] if len(cuts) == 1 else shares, multi_class="ovo")
    assert score_of(model, labels)(X[:, 1:]) == pytest.approx(expected)


# When the file of a study is read: name, parameters, words.
OF_STUDY_FILES = [
    ("cpi-conditional", {"sampler": "gausian"}, "did you mean 'gaussian'"),
    ("cpi-conditional", {"test": "z"}, "unknown test"),
    ("cpi-conditional", {"adjustment": "holms"}, "did you mean 'holm'"),
    ("cpi-conditional", {"n_draws": 0}, "n_draws"),
    ("cpi-conditional", {"sampler": "sequential", "sampler_parameters": {"n_folds": 1}}, "n_folds"),
    ("pfi-difference", {"scale": "ratios"}, "did you mean 'ratio'"),
    ("pfi-difference", {"n_repeats": 0}, "n_repeats"),
    ("sage", {"n_background": 1}, "n_background"),
    ("sage", {"threshold": 0}, "threshold"),
    ("loco", {"test": "tt"}, "did you mean 't'"),
    ("permutation", {"rows": "tests"}, "did you mean 'test'"),
    ("permutation", {"rows": "trian"}, "did you mean 'train'"),
    ("tree-inner", {"attribution": "treshap"}, "did you mean 'treeshap'"),
    ("forest-inner", {"rows": "trains"}, "did you mean 'train'"),
    ("absolute-attribution", {"level": "trees"}, "did you mean 'tree'"),
    ("residual-gram-schmidt", {"top_features": 0}, "top_features must be"),
    ("pearson", {"form": "mean"}, r"pearson has no option 'form' \(its options: none\)"),
    ("atr", {"estimator": "atrr"}, "unknown trend estimator 'atrr'; did you mean 'atr'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameters", "words"), OF_STUDY_FILES)
def test_parameters_are_refused_when_a_study_is_read(name, parameters, words):
    with pytest.raises((ValueError, TypeError), match=words):
        get("importance", name).create(**parameters)


def test_a_frame_in_the_engines_data_names_the_way_for_frames_and_objects_their_dtype():
    data = example_data()
    for rows, words in (
        (pd.DataFrame(data.train.X), r"losaw\.importance\.cpi"),
        (data.train.X.astype(object), r"train.X must be an array of numbers.* of dtype object"),
    ):
        with pytest.raises(TypeError, match=words):
            replace(data, train=Sample(rows, data.train.y))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"feature_kinds": ("continuous",)}, "feature_kinds must name"),
        ({"feature_kinds": ("banana",) * 5}, "feature_kinds must name"),
        ({"feature_names": ("a", "b")}, "5 different names"),
        ({"truth": Truth((0,), 3)}, "truth.n_features must be 5"),
        ({"task": "ranking"}, "task must be one of"),
        ({"feature_names": (0, 1, 2, 3, 4)}, "feature_names must be texts, got 0"),
        ({"feature_names": ("a", "b", "c", "d", None)}, "feature_names must be texts, got None"),
        ({"train": (ROWS, [1.0] * 4)}, r"train must be a Sample\(X, y\), got tuple"),
        ({"test": [ROWS, ROWS[:, 0]]}, r"test must be a Sample\(X, y\), got list"),
        ({"independent": Sample(ROWS, [1.0] * 4)}, "independent.y must be an array"),
        *[
            (
                {name: Sample(np.ones(shape), np.ones(4))},
                rf"{name}.X must have shape \(n_samples, n_",
            )
            for name in ("train", "test", "independent")
            for shape in (4, (4, 5, 1), ())
        ],
        ({"feature_kinds": None}, "feature_kinds must be a sequence.* got None"),
        ({"feature_kinds": (["continuous"],) * 5}, "feature_kinds must name"),
        ({"feature_names": None}, "feature_names must be a sequence.* got None"),
        ({"truth": None}, "truth must be a Truth, got NoneType"),
    ],
)
def test_data_of_a_study_whose_parts_do_not_fit_are_refused(changes, words):
    with pytest.raises((TypeError, ValueError), match=words):
        replace(example_data(), **changes)


@pytest.mark.parametrize(
    "signal", [(1.0,), (True,), ("X1",), (0, 0), (-1,), (5,), (np.True_,), ([0],)]
)
def test_a_signal_that_is_no_column_is_refused(signal):
    with pytest.raises(ValueError, match="signal must be different columns from 0 to 4"):
        Truth(signal, 5)


@pytest.mark.parametrize("n_features", [3.0, "3", None, -1])
def test_a_number_of_features_that_is_no_whole_number_is_refused(n_features):
    with pytest.raises(TypeError, match="n_features must be an integer of 0 or more, got "):
        Truth((), n_features)


def test_a_signal_is_any_row_of_columns():
    for signal in ((0, 2), [0, 2], {0, 2}, np.array([0, 2]), (one for one in (0, 2))):
        assert Truth(signal, 3).signal == (0, 2)


@pytest.mark.parametrize("signal", [0, None, 1.5, np.array(1)])
def test_a_signal_that_is_no_sequence_is_refused(signal):
    with pytest.raises(TypeError, match=re.escape(f"of columns, got {signal!r}")):
        Truth(signal, 3)


def test_names_and_columns_may_be_of_numpy_or_in_lists():
    names = np.array(["a", "b", "c", "d", "e"])
    data = replace(example_data(), feature_names=names, truth=Truth(np.array([0, 2]), 5))
    assert data.feature_names == tuple("abcde") and data.truth.signal == (0, 2)
    for same in (names, list(names), data.feature_names):
        assert checked(ImportanceResult(np.ones(5), same), data).feature_names == tuple("abcde")


def test_a_model_of_another_task_than_the_data_is_refused():
    logit, rows = LogisticRegression().fit(X, Y > 0), data_of(X, Y > 0)
    for ask in (predict, lambda *of: in_study("pfi-difference").explain(*of, RNG)):
        with pytest.raises(ValueError, match="task='classification'"):
            ask(logit, rows)
    with pytest.raises(ValueError, match="is not a classifier"):
        predict(LinearRegression().fit(X, Y), replace(rows, task="classification"))


def test_rtr_of_classes_is_refused():
    forest, rows = RandomForestClassifier(5, random_state=0), data_of(X, Y > 0, "classification")
    with pytest.raises(ValueError, match="names of the classes; use atr"):
        in_study("rtr").explain(forest.fit(*rows.train), rows, RNG)
