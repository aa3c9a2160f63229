"""Attributions of boosted trees: exact where the paper proves equality, refused where undefined.

Of importance.tree_inner, importance.total_gain, trees.attributions, trees.booster.
"""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xgboost
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from losaw.importance import predecomp, saabas, treeinner
from losaw.importance.total_gain import reported_total_gain
from losaw.study.generators.low_signal import LowSignalGenerator
from losaw.study.learners.xgboost_trees import XGBoostTrees
from losaw.study.registry import get
from losaw.trees.attributions import attribution_sums
from losaw.trees.booster import read_booster


def in_study(name, **parameters):
    """The importance of a study file's name and parameters."""
    return get("importance", name).create(**parameters)


TASKS = ("regression", "classification")
STANDARD = {"eta": 0.01, "max_depth": 4, "min_child_weight": 1, "reg_lambda": 1}
# The hyperparameters of TreeInner, Table 1, one at a time.
SWEEPS = [
    ("eta", (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)),
    ("max_depth", (2, 6, 8, 10)),
    ("min_child_weight", (0.5, 2, 4, 8)),
    ("num_boost_round", (200, 600, 800, 1000)),
    ("reg_lambda", (0, 0.1, 10, 100)),
]
TABLE_1 = [{name: value} for name, values in SWEEPS for value in values]


def data_of(task, seed=0):
    return LowSignalGenerator(task=task).sample(np.random.default_rng(seed))


def base_score(task):
    return 0.0 if task == "regression" else 0.5


def learner(task, **parameters):
    return XGBoostTrees(task, base_score=base_score(task), **parameters)


@pytest.fixture(scope="module", params=TASKS)
def fitted(request):
    data = data_of(request.param)
    return learner(request.param, num_boost_round=30).fit(*data.train), data


def residuals(model, data, index):
    """y - mu(f before tree ``index``), from xgboost's own predictions."""
    X, y = data.train
    if index == 0:
        return y - base_score(data.task)
    return y - model.booster_.inplace_predict(X, iteration_range=(0, index)).astype(float)


def test_example_1_of_the_paper():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0.0, 1.0, -1.0])
    model = XGBoostTrees(
        eta=1.0, max_depth=1, num_boost_round=1, min_child_weight=0, base_score=0.0
    ).fit(X, y)
    values = read_booster(model.booster_).value
    assert values[0] == pytest.approx(0, abs=1e-7)
    # The tree splits X1 into {A, B} and {C}, or X2 into {A, C} and {B}.
    split_first = values[1] > 0
    expected = [1 / 3, -1 / 2] if split_first else [-1 / 3, 1 / 2]
    np.testing.assert_allclose(values[1:], expected, atol=1e-7)
    # The right half of Table 3: the expected output of the root depends on the split.
    assert saabas(model, X)[1] == pytest.approx(1 / 18 if split_first else -1 / 18, abs=1e-7)


def test_predecomp_and_root_are_the_output_of_every_tree(fitted):
    model, data = fitted
    matrix = xgboost.DMatrix(data.test.X)
    for index in (0, 1, 15, 29):
        tree = model.booster_[index : index + 1]
        attributions, bias = predecomp(tree, data.test.X)
        margin = tree.predict(matrix, output_margin=True).astype(float)
        assert np.abs(attributions.sum(axis=1) + bias - margin).max() < 1e-6


def test_predecomp_and_bias_are_the_margin_of_the_booster(fitted):
    model, data = fitted
    attributions, bias = predecomp(model, data.test.X)
    margin = model.booster_.predict(xgboost.DMatrix(data.test.X), output_margin=True)
    assert np.abs(attributions.sum(axis=1) + bias - margin).max() < 1e-5


@pytest.mark.parametrize("task", TASKS)
def test_saabas_is_predecomp_where_there_is_no_penalty(task):
    data = data_of(task)
    for reg_lambda, is_same in ((0, True), (1, False)):
        model = learner(task, num_boost_round=20, reg_lambda=reg_lambda).fit(*data.train)
        attributions, _ = saabas(model, data.test.X)
        difference = np.abs(attributions - predecomp(model, data.test.X)[0]).max()
        assert (difference < 1e-6) == is_same


def test_node_predictions_are_those_of_the_training_gradients(fitted):
    # p(t) = eta G / (H + lambda), Equation (7), G and H summed over the rows in the node.
    model, data = fitted
    trees = read_booster(model.booster_)
    leaves = model.booster_.predict(xgboost.DMatrix(data.train.X), pred_leaf=True).astype(int)
    for index in (0, 10, 29):
        residual = residuals(model, data, index)
        mean = data.train.y - residual
        hessian = np.ones_like(mean) if data.task == "regression" else mean * (1 - mean)
        start, end = trees.starts[index : index + 2]
        G, H = np.zeros(end - start), np.zeros(end - start)
        for row, leaf in enumerate(leaves[:, index]):
            node = leaf
            while node >= 0:
                G[node] += residual[row]
                H[node] += hessian[row]
                above = trees.parent[start + node]
                node = above - start if above >= 0 else -1
        expected = trees.eta * G / (H + 1)
        assert np.abs(trees.value[start:end] - expected).max() < 1e-5


@pytest.mark.parametrize(
    "n_rounds", [60, pytest.param(None, id="all rounds", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("changed", [{}, *TABLE_1], ids=str)
def test_proposition_3_holds_over_the_whole_hyperparameter_table(task, changed, n_rounds):
    data = data_of(task)
    rounds = {} if n_rounds is None else {"num_boost_round": n_rounds}
    model = learner(task, **rounds | changed).fit(*data.train)
    result = (
        get("importance", "total-gain-deviation")
        .create()
        .explain(model, data, np.random.default_rng(0))
    )
    assert result.scores.max() < 1e-5


def test_treeinner_on_training_rows_is_the_total_gain_in_size_too(fitted):
    model, data = fitted
    scores = treeinner(model, *data.train).scores
    np.testing.assert_allclose(scores, reported_total_gain(model), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("attribution", ["predecomp", "saabas", "treeshap"])
def test_the_scores_are_the_sums_that_define_them(fitted, attribution):
    model, data = fitted
    X, y = data.train
    eta, n_trees = model.eta, model.num_boost_round
    inner, absolute, total = np.zeros(50), np.zeros(50), np.zeros(len(y))
    forest, matrix = np.zeros(X.shape), xgboost.DMatrix(X)
    for index in range(n_trees):
        tree = model.booster_[index : index + 1]
        if attribution == "predecomp":
            one = predecomp(tree, X)[0]
        else:
            approximate = attribution == "saabas"
            one = tree.predict(matrix, pred_contribs=True, approx_contribs=approximate)[:, :-1]
        residual = residuals(model, data, index)
        inner += one.T @ residual / eta
        absolute += np.abs(one).sum(axis=0)
        total += residual
        forest += one
    rng = np.random.default_rng(0)
    expected = {
        ("tree-inner", ""): inner,
        ("forest-inner", ""): forest.T @ total / eta,
        ("absolute-attribution", "tree"): absolute,
        ("absolute-attribution", "forest"): np.abs(forest).sum(axis=0),
    }
    for (name, level), scores in expected.items():
        options = {"level": level} if level else {}
        importance = in_study(name, rows="train", attribution=attribution, **options)
        found = importance.explain(model, data, rng).scores
        np.testing.assert_allclose(found, scores, rtol=1e-4, atol=1e-4 * np.abs(scores).max())


def test_tree_shap_of_all_trees_is_that_of_the_booster(fitted):
    model, data = fitted
    X, y = data.test
    whole = model.booster_.predict(xgboost.DMatrix(X), pred_contribs=True)[:, :-1]
    forest = attribution_sums(model, X, y, "treeshap").forest
    assert np.abs(forest - whole).max() < 1e-5


def rows_with_gaps(n_features):
    rng = np.random.default_rng(0)
    X = rng.random((400, n_features))
    y = X.sum(axis=1) + rng.standard_normal(400)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


# Every way in which a booster can keep nodes that it deleted, and parameters that go with it.
GROWN = {
    "exact": {"tree_method": "exact"},
    "exact, pruner named": {"updater": "grow_colmaker,prune"},
    "histograms": {"tree_method": "hist"},
    "histograms, pruned": {"tree_method": "hist", "updater": "grow_quantile_histmaker,prune"},
    "approximate, pruned": {"tree_method": "approx", "updater": "grow_histmaker,prune"},
    "by loss": {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 7},
}
LEARNED = [
    {"objective": "reg:squarederror"},
    {"objective": "reg:squarederror", "base_score": 0.7, "reg_lambda": 0.0, "subsample": 0.5},
    {"objective": "binary:logistic"},
    {"objective": "binary:logistic", "base_score": 0.2, "colsample_bytree": 0.5},
]


@pytest.mark.parametrize("gamma", [0.0, 1.0, 1000.0])
@pytest.mark.parametrize("learned", LEARNED, ids=str)
@pytest.mark.parametrize("grown", GROWN.values(), ids=GROWN)
def test_attributions_of_every_booster_add_up_to_its_prediction(grown, learned, gamma):
    X, y = rows_with_gaps(4)
    if learned["objective"] == "binary:logistic":
        y = (y > y.mean()).astype(float)
    parameters = {"max_depth": 5, "gamma": gamma, "nthread": 1, **grown, **learned}
    matrix = xgboost.DMatrix(X, y)
    booster = xgboost.train(parameters, matrix, 8)
    margin = booster.predict(matrix, output_margin=True)
    for function in (predecomp, saabas):
        attributions, bias = function(booster, X)
        np.testing.assert_allclose(attributions.sum(axis=1) + bias, margin, atol=1e-5)
    shapley = attribution_sums(booster, X, y, "treeshap").forest
    expected = booster.predict(matrix, pred_contribs=True)[:, :-1]
    np.testing.assert_allclose(shapley, expected, atol=1e-5)


def test_total_gain_of_a_pruned_booster_is_that_of_the_splits_that_are_left():
    X, y = rows_with_gaps(4)
    parameters = {"max_depth": 5, "tree_method": "exact", "gamma": 3.0, "nthread": 1}
    booster = xgboost.train(parameters, xgboost.DMatrix(X, y), 20)
    assert booster.trees_to_dataframe()["Split"].notna().sum() < grown_splits(booster)
    scores = treeinner(booster, X, y).scores
    np.testing.assert_allclose(scores, reported_total_gain(booster), rtol=1e-4)


def grown_splits(booster):
    """Splits that were made, those that were pruned again included."""
    trees = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
    return sum(len(tree["left_children"]) // 2 for tree in trees)


def test_boosters_that_were_pruned_later_or_trained_further_add_up_too():
    X, y = rows_with_gaps(4)
    matrix, exact = xgboost.DMatrix(X, y), {"tree_method": "exact", "max_depth": 5, "nthread": 1}
    first = xgboost.train(exact, matrix, 6)
    pruned = {"process_type": "update", "updater": "prune", "gamma": 5.0, "nthread": 1}
    for booster in (
        xgboost.train(pruned, matrix, 6, xgb_model=first),
        xgboost.train({**exact, "gamma": 2.0}, matrix, 4, xgb_model=first),
        xgboost.train({**exact, "gamma": 2.0}, matrix, 8)[2:6],
    ):
        margin = booster.predict(matrix, output_margin=True)
        for function in (predecomp, saabas):
            attributions, bias = function(booster, X)
            np.testing.assert_allclose(attributions.sum(axis=1) + bias, margin, atol=1e-5)


def test_rows_with_missing_values_go_where_xgboost_sends_them():
    X, y = data_of("regression").train
    X = X.copy()
    X[::3, 7] = np.nan
    booster = xgboost.train({"max_depth": 4, "nthread": 1}, xgboost.DMatrix(X, y), 20)
    attributions, bias = predecomp(booster, X)
    margin = booster.predict(xgboost.DMatrix(X), output_margin=True)
    assert np.abs(attributions.sum(axis=1) + bias - margin).max() < 1e-5
    np.testing.assert_allclose(
        treeinner(booster, X, y).scores, reported_total_gain(booster), rtol=1e-3, atol=0.1
    )


def test_estimators_and_data_frames_of_your_own_are_taken():
    X, y = data_of("classification").train
    frame = pd.DataFrame(X, columns=[f"gene {index}" for index in range(50)])
    model = xgboost.XGBClassifier(n_estimators=20, n_jobs=1).fit(frame, y)
    result = treeinner(model, frame, y)
    assert result.feature_names[:2] == ("gene 0", "gene 1")
    np.testing.assert_array_equal(result.scores, treeinner(model, X, y).scores)
    np.testing.assert_allclose(result.scores, reported_total_gain(model), rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("attribution", ["predecomp", "saabas", "treeshap"])
@pytest.mark.parametrize("as_frame", [False, True])
def test_the_value_that_an_estimator_takes_for_missing_is_missing(attribution, as_frame):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = X[:, 0] + rng.standard_normal(200)
    X[rng.random(X.shape) < 0.3] = np.nan
    marked = np.where(np.isnan(X), -999.1, X)
    if as_frame:
        X, marked = (pd.DataFrame(rows, columns=list("abc")) for rows in (X, marked))
    usual = xgboost.XGBRegressor(n_estimators=10).fit(X, y)
    other = xgboost.XGBRegressor(n_estimators=10, missing=-999.1).fit(marked, y)
    np.testing.assert_array_equal(other.predict(marked), usual.predict(X))
    np.testing.assert_array_equal(
        treeinner(other, marked, y, attribution=attribution).scores,
        treeinner(usual, X, y, attribution=attribution).scores,
    )
    attributions, bias = predecomp(other, marked)
    np.testing.assert_allclose(attributions.sum(axis=1) + bias, other.predict(marked), atol=1e-5)


def test_of_an_estimator_that_stopped_early_only_the_trees_that_predict_are_explained():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((300, 3)), columns=list("abc"))
    y = X["a"] + rng.standard_normal(300)
    unseen = [(X[200:], y[200:])]
    stopped = xgboost.XGBRegressor(n_estimators=200, early_stopping_rounds=20)
    stopped.fit(X[:200], y[:200], eval_set=unseen, verbose=False)
    n_best = stopped.best_iteration + 1
    assert n_best < stopped.get_booster().num_boosted_rounds()
    short = xgboost.XGBRegressor(n_estimators=n_best).fit(X[:200], y[:200])
    np.testing.assert_array_equal(
        treeinner(stopped, X[200:], y[200:]).scores, treeinner(short, X[200:], y[200:]).scores
    )
    np.testing.assert_allclose(reported_total_gain(stopped), reported_total_gain(short), rtol=1e-6)
    attributions, bias = predecomp(stopped, X)
    np.testing.assert_allclose(attributions.sum(axis=1) + bias, stopped.predict(X), atol=1e-5)


def test_columns_under_other_names_or_in_another_order_are_refused_before_anything_is_kept():
    X, y = data_of("regression").train
    frame = pd.DataFrame(X[:, :3], columns=["age", "size", "height"])
    model = xgboost.XGBRegressor(n_estimators=3, n_jobs=1).fit(frame, y)
    treeinner(model, frame, y)
    with pytest.raises(ValueError, match=r"other names \(Age, size, height\).*X\[booster"):
        treeinner(model, frame.rename(columns={"age": "Age"}), y)
    with pytest.raises(ValueError, match="another order"):
        predecomp(model, frame[["size", "age", "height"]])


def test_x_that_is_no_table_of_the_trained_features_is_refused():
    X, y = data_of("regression").train
    model = xgboost.XGBRegressor(n_estimators=3, n_jobs=1).fit(X, y)
    with pytest.raises(ValueError, match=r"X has shape \(1000, 49\), expected \(n_samples, 50\)"):
        treeinner(model, X[:, 1:], y)
    with pytest.raises(ValueError, match="X must be an array or data frame, got DMatrix"):
        treeinner(model, xgboost.DMatrix(X), y)
    with pytest.raises(ValueError, match="y holds values that are not numbers"):
        treeinner(model, X, np.where(y > 0, "yes", "no"))


def test_a_refitted_estimator_and_changed_rows_are_scored_anew():
    data, other = data_of("regression"), data_of("regression", seed=1)
    model = learner("regression", num_boost_round=5).fit(*data.train)
    X, y = data.test.X.copy(), data.test.y
    first = treeinner(model, X, y).scores
    X[:, 0] = X[::-1, 0]
    X[:, 9] = X[::-1, 9]
    X[:, 20:] = X[::-1, 20:]
    assert not np.array_equal(treeinner(model, X, y).scores, first)
    assert not np.array_equal(treeinner(model, data.test.X, -y).scores, first)
    np.testing.assert_array_equal(treeinner(model, *data.test).scores, first)
    model.fit(*other.train)
    assert not np.array_equal(treeinner(model, *data.test).scores, first)


def booster_with(parameters, y=None, rounds=3, X=None):
    given_X, given_y = data_of("regression").train
    X, y = given_X if X is None else X, given_y if y is None else y
    return xgboost.train({"nthread": 1, **parameters}, xgboost.DMatrix(X, y), rounds)


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"objective": "count:poisson"}, np.ones(1000), "'count:poisson' is not supported"),
        (
            {"objective": "multi:softprob", "num_class": 3},
            np.arange(1000) % 3,
            "'multi:softprob' is not supported",
        ),
        ({"reg_alpha": 1.0}, None, "L1 penalty .*reg_alpha=0"),
        ({"booster": "dart"}, None, "'dart'; only 'gbtree'"),
        ({"booster": "gblinear"}, None, "'gblinear'; only 'gbtree'"),
        ({"num_parallel_tree": 2}, None, "num_parallel_tree is 2"),
        ({"max_delta_step": 0.1, "eta": 1.0}, None, "contradicts .*max_delta_step"),
        (
            {"multi_strategy": "multi_output_tree", "tree_method": "hist"},
            np.zeros((1000, 2)) + np.arange(1000)[:, None],
            "several outputs",
        ),
    ],
)
def test_a_booster_without_defined_node_predictions_is_refused(parameters, y, message):
    X, response = data_of("regression").train
    with pytest.raises(ValueError, match=message):
        treeinner(booster_with(parameters, y), X, response)


def poisson(prediction, matrix):
    return np.exp(prediction) - matrix.get_label(), np.exp(prediction)


def absolute(prediction, matrix):
    return np.sign(prediction - matrix.get_label()), np.ones(len(prediction))


def logistic(prediction, matrix):
    mean = 1 / (1 + np.exp(-prediction))
    return mean - matrix.get_label(), mean * (1 - mean)


NOT_RESIDUALS = {
    "Poisson": ({}, poisson, {}),
    "absolute error": ({}, absolute, {}),
    "log-loss, squared error named": ({}, logistic, {}),
    "squared error, log-loss named": (
        {"objective": "binary:logistic"}, lambda p, d: (p - d.get_label(), np.ones(len(p))), {},
    ),
    "weights": ({}, None, {"weight": np.linspace(0.5, 2, 300)}),
    "weights, log-loss": ({"objective": "binary:logistic"}, None, {"weight": np.r_[1:301] / 9}),
    "positive weight": ({"objective": "binary:logistic", "scale_pos_weight": 3.0}, None, {}),
    "positive weight, squared error": ({"scale_pos_weight": 3.0}, None, {}),
    "base margin": ({}, None, {"base_margin": np.full(300, 2.0)}),
    "base margin, log-loss": (
        {"objective": "binary:logistic"}, None, {"base_margin": np.full(300, 2.0)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOT_RESIDUALS)
def test_trees_of_something_else_than_residuals_are_refused_and_still_add_up(kind):
    parameters, objective, of_rows = NOT_RESIDUALS[kind]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    y = (X[:, 0] + rng.standard_normal(300) > 0.5).astype(float)
    matrix = xgboost.DMatrix(X, y, **of_rows)
    booster = xgboost.train({"nthread": 1, **parameters}, matrix, 5, obj=objective)
    with pytest.raises(ValueError, match=r"were not fitted .*an objective of its own \(obj=\)"):
        treeinner(booster, X, y)
    attributions, bias = predecomp(booster, X)
    margin = booster.predict(xgboost.DMatrix(X), output_margin=True)
    np.testing.assert_allclose(attributions.sum(axis=1) + bias, margin, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"base_score": 0.5}])
def test_an_estimators_own_objective_is_refused(options):
    X, y = data_of("regression").train
    model = xgboost.XGBRegressor(
        n_estimators=2, objective=lambda y, p: (p - y, np.ones(len(p))), **options
    )
    with pytest.raises(ValueError, match=r"an objective of its own .*reg:squarederror"):
        treeinner(model.fit(X, y), X, y)


FITTED_TO_RESIDUALS = [
    {"subsample": 0.5},
    {"base_score": 3.0},
    {"tree_method": "exact", "gamma": 5.0},
    {"grow_policy": "lossguide", "max_leaves": 9},
]


@pytest.mark.parametrize("shift", [0.5, -40.0, 1e4])
@pytest.mark.parametrize("parameters", [{}, *FITTED_TO_RESIDUALS], ids=str)
def test_trees_of_squared_error_are_taken_whatever_the_response(parameters, shift):
    X, y = rows_with_gaps(4)
    booster = xgboost.train({"nthread": 1, **parameters}, xgboost.DMatrix(X, y + shift), 5)
    assert np.isfinite(treeinner(booster, X, y + shift).scores).all()


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_trees_of_log_loss_are_taken_whatever_the_share_of_a_class(share):
    X, y = rows_with_gaps(4)
    X, y = np.tile(X, (20, 1)), np.tile(y, 20)
    classes = (y > np.quantile(y, 1 - share)).astype(float)
    for options in ({}, {"base_score": 0.3}, {"subsample": 0.7}):
        parameters = {"nthread": 1, "objective": "binary:logistic", **options}
        booster = xgboost.train(parameters, xgboost.DMatrix(X, classes), 5)
        assert treeinner(booster, X, classes).scores.max() > 0


@pytest.mark.parametrize("dtype", ["Int64", "Float32", "boolean", "float64[pyarrow]"])
def test_columns_with_missing_values_of_any_dtype_are_what_xgboost_takes(dtype):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, 200).astype(float)
    values[rng.random(200) < 0.2] = np.nan
    frame = pd.DataFrame({"a": pd.array(values).astype(dtype), "b": rng.random(200)})
    y = np.nan_to_num(values, nan=3.0) + rng.standard_normal(200)
    model = xgboost.XGBRegressor(n_estimators=5).fit(frame, y)
    plain = np.column_stack([values, frame["b"]])
    found = treeinner(model, frame, y).scores
    usual = xgboost.XGBRegressor(n_estimators=5).fit(plain, y)
    np.testing.assert_allclose(found, treeinner(usual, plain, y).scores)
    attributions, bias = predecomp(model, frame)
    np.testing.assert_allclose(attributions.sum(axis=1) + bias, model.predict(frame), atol=1e-5)


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "sparse columns", "lists"])
def test_tables_of_any_kind_are_what_xgboost_takes(kind):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 5, 200).astype(float)
    values[::7] = np.nan
    frame = pd.DataFrame({"a": pd.array(values).astype("Int64"), "b": rng.random(200)})
    plain = np.column_stack([values, frame["b"]])
    given = {
        "polars": lambda: pl.from_pandas(frame),
        "pyarrow": lambda: pa.Table.from_pandas(frame),
        "sparse columns": lambda: frame.assign(a=pd.arrays.SparseArray(values)),
        "lists": plain.tolist,
    }[kind]()
    y = np.nan_to_num(values) + frame["b"].to_numpy()
    model = xgboost.XGBRegressor(n_estimators=5).fit(given, y)
    attributions, bias = predecomp(model, given)
    np.testing.assert_allclose(attributions.sum(axis=1) + bias, model.predict(given), atol=1e-5)
    if kind == "pyarrow":
        with pytest.raises(ValueError, match=r"got Table; give X.to_pandas\(\)"):
            treeinner(model, given, y)
    else:
        usual = treeinner(xgboost.XGBRegressor(n_estimators=5).fit(plain, y), plain, y).scores
        np.testing.assert_allclose(treeinner(model, given, y).scores, usual)


def test_categorical_splits_are_refused_by_feature():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, 300)
    frame = pd.DataFrame({"number": rng.random(300), "kind": pd.Categorical(codes)})
    y = np.isin(codes, (1, 4)) + 0.1 * rng.random(300)
    matrix = xgboost.DMatrix(frame, y, enable_categorical=True)
    booster = xgboost.train({"max_depth": 2, "nthread": 1}, matrix, 2)
    with pytest.raises(ValueError, match=r"splits feature 1 \('kind'\) by categories"):
        read_booster(booster)


def test_categories_that_are_no_numbers_are_refused_as_categories():
    rng = np.random.default_rng(0)
    kinds = rng.choice(list("abcdef"), 300)
    frame = pd.DataFrame({"number": rng.random(300), "kind": pd.Categorical(kinds)})
    y = np.isin(kinds, ["b", "e"]) + 0.1 * rng.random(300)
    model = xgboost.XGBRegressor(
        n_estimators=2, max_depth=2, enable_categorical=True, n_jobs=1
    ).fit(frame, y)
    with pytest.raises(ValueError, match=r"splits feature 1 \('kind'\) by categories"):
        treeinner(model, frame, y)


def test_a_loaded_booster_asks_for_its_learning_rate_and_takes_it(tmp_path):
    X, y = data_of("regression").train
    trained = booster_with({"eta": 0.05, "reg_lambda": 3.0}, rounds=10)
    trained.save_model(tmp_path / "model.json")
    loaded = xgboost.Booster(model_file=tmp_path / "model.json")
    with pytest.raises(ValueError, match=r"booster.set_param\(\{'eta'"):
        treeinner(loaded, X, y)
    loaded.set_param({"eta": 0.05, "reg_lambda": 3.0})
    np.testing.assert_allclose(treeinner(loaded, X, y).scores, treeinner(trained, X, y).scores)


def test_classes_other_than_0_and_1_and_wrong_shapes_are_refused():
    data = data_of("classification")
    model = learner("classification", num_boost_round=3).fit(*data.train)
    with pytest.raises(ValueError, match="classes 0 and 1"):
        treeinner(model, data.test.X, data.test.y + 1)
    with pytest.raises(ValueError, match=r"y has shape \(999,\), expected \(1000,\)"):
        treeinner(model, data.test.X, data.test.y[1:])
    with pytest.raises(ValueError, match="classes 0 and 1"):
        learner("classification").fit(data.train.X, data.train.y * 2)


def test_a_model_that_is_not_xgboosts_and_an_unknown_attribution_are_refused():
    from sklearn.ensemble import RandomForestRegressor

    data = data_of("regression")
    forest = RandomForestRegressor(2, max_depth=2).fit(*data.train)
    with pytest.raises(TypeError, match="RandomForestRegressor is not an xgboost model"):
        treeinner(forest, *data.test)
    with pytest.raises(ValueError, match="did you mean 'treeshap'"):
        in_study("tree-inner", attribution="treshap")
    with pytest.raises(ValueError, match="did you mean 'train'"):
        in_study("forest-inner", rows="trains")


def test_sparse_rows_and_two_columns_of_one_name_are_refused():
    from scipy.sparse import csr_array

    X = np.random.default_rng(0).standard_normal((60, 2))
    model = xgboost.XGBRegressor(n_estimators=2, n_jobs=1).fit(X, X[:, 0])
    for function in (predecomp, saabas):
        with pytest.raises(ValueError, match=r"^X is sparse; give X.toarray\(\)"):
            function(model, csr_array(X))
        with pytest.raises(ValueError, match=r"^X has more than one column named 'a'"):
            function(model, pd.DataFrame(X, columns=["a", "a"]))


def small():
    """A small booster with its features and response."""
    X = np.random.default_rng(0).standard_normal((40, 2))
    return xgboost.XGBRegressor(n_estimators=2, max_depth=2).fit(X, X[:, 0]), X, X[:, 0]


def test_treeinner_of_a_pipeline_is_that_of_its_booster():
    booster, X, y = small()
    scaled = StandardScaler().fit(X)
    whole = make_pipeline(StandardScaler(), booster).fit(X, y)
    alone = treeinner(whole[-1], scaled.transform(X), y)
    np.testing.assert_allclose(treeinner(whole, X, y).scores, alone.scores)


@pytest.mark.parametrize("attribute", [predecomp, treeinner])
def test_values_beyond_single_precision_are_refused_by_name(attribute):
    booster, X, y = small()
    with pytest.raises(ValueError, match=r"X holds values beyond 3\.4e38"):
        attribute(booster, 1e40 * X, *[y] * (attribute is treeinner))


def test_numbers_in_the_other_order_of_bytes_are_read():
    model, X, _ = small()
    found, expected = predecomp(model, X.astype(">f8")), predecomp(model, X)
    np.testing.assert_array_equal(found[0], expected[0])


def test_a_model_that_is_loaded_anew_is_explained_anew(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    xgboost.XGBRegressor(n_estimators=5).fit(X, 5 * X[:, 2]).save_model(tmp_path / "other.json")
    model = xgboost.XGBRegressor(n_estimators=5).fit(X, X[:, 0])
    assert treeinner(model, X, X[:, 0]).select(top=1) == ("X1",)
    predecomp(model, X)
    model.load_model(tmp_path / "other.json")
    assert treeinner(model, X, 5 * X[:, 2]).select(top=1) == ("X3",)
    attributions, bias = predecomp(model, X)
    np.testing.assert_allclose(attributions.sum(axis=1) + bias, model.predict(X), atol=1e-4)


def test_a_pipeline_of_one_step_takes_columns_as_its_model_does():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((200, 3)), columns=list("abc"))
    model = make_pipeline(xgboost.XGBRegressor(n_estimators=5)).fit(X, X.a)
    assert treeinner(model, X, X.a).select(top=1) == ("a",)
    with pytest.raises(ValueError, match="columns"):
        treeinner(model, X[["c", "a", "b"]], X.a)
