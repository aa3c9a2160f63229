"""Attributions of boosted trees: exact where the paper proves equality, refused where undefined."""

import json

import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from losaw.importance import mdi, predecomp, saabas, treeinner, ufi
from losaw.importance.treeinner import (
    absolute_attribution,
    forest_inner,
    reported_total_gain,
    total_gain_deviation,
)
from losaw.trees import attributions
from losaw.trees.attributions import attribution_sums
from losaw.trees.booster import read_booster

TASKS = ("regression", "classification")
# The hyperparameters of TreeInner, Table 1, one at a time.
SWEEPS = [
    ("eta", (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)),
    ("max_depth", (2, 6, 8, 10)),
    ("min_child_weight", (0.5, 2, 4, 8)),
    ("num_boost_round", (200, 600, 800, 1000)),
    ("reg_lambda", (0, 0.1, 10, 100)),
]
TABLE_1 = [{name: value} for name, values in SWEEPS for value in values]
# Its ends: the whole of it, with all rounds, is for the long tests.
ENDS = [{}, {"eta": 1e-5}, {"eta": 1.0}, {"max_depth": 10}, {"min_child_weight": 0.5}]
ENDS += [{"reg_lambda": 0}, {"reg_lambda": 100}]


NAMES = tuple(f"X{j}" for j in range(1, 51))


def sample(task, rng):
    """The design of TreeInner, Section 4.1: five weak causes among 50 features of few levels."""
    X = np.column_stack([rng.integers(j + 1, size=1000) / j for j in range(1, 51)])
    mean = X[:, 1:10:2].mean(axis=1)
    if task == "classification":
        return X, (rng.random(1000) < 1 / (1 + np.exp(1 - 2 * mean))).astype(float)
    return X, mean + 100 * mean.var() * rng.standard_normal(1000)


def data_of(task, seed=0):
    """Training and test rows."""
    rng = np.random.default_rng(seed)
    return sample(task, rng), sample(task, rng)


def base_score(task):
    return 0.0 if task == "regression" else 0.5


def boosted(task, X, y, num_boost_round=400, **parameters):
    objective = "reg:squarederror" if task == "regression" else "binary:logistic"
    usual = {"objective": objective, "base_score": base_score(task), "eta": 0.01, "max_depth": 4}
    return xgboost.train(
        {"nthread": 1, **usual, **parameters}, xgboost.DMatrix(X, y), num_boost_round
    )


@pytest.fixture(scope="module", params=TASKS)
def fitted(request):
    train, test = data_of(request.param)
    return request.param, boosted(request.param, *train, num_boost_round=30), train, test


def residuals(task, booster, X, y, index):
    """y - mu(f before tree ``index``), from xgboost's own predictions."""
    if index == 0:
        return y - base_score(task)
    return y - booster.inplace_predict(X, iteration_range=(0, index)).astype(float)


def test_example_1_of_the_paper():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0.0, 1.0, -1.0])
    stump = {"eta": 1.0, "max_depth": 1, "min_child_weight": 0}
    model = boosted("regression", X, y, num_boost_round=1, **stump)
    values = read_booster(model).value
    assert values[0] == pytest.approx(0, abs=1e-7)
    # The tree splits X1 into {A, B} and {C}, or X2 into {A, C} and {B}.
    split_first = values[1] > 0
    expected = [1 / 3, -1 / 2] if split_first else [-1 / 3, 1 / 2]
    np.testing.assert_allclose(values[1:], expected, atol=1e-7)
    # The right half of Table 3: the expected output of the root depends on the split.
    assert saabas(model, X)[1] == pytest.approx(1 / 18 if split_first else -1 / 18, abs=1e-7)


def test_predecomp_and_root_are_the_output_of_every_tree(fitted):
    _, booster, _, (X, _) = fitted
    matrix = xgboost.DMatrix(X)
    for index in (0, 1, 15, 29):
        tree = booster[index : index + 1]
        attributions, bias = predecomp(tree, X)
        margin = tree.predict(matrix, output_margin=True).astype(float)
        assert np.abs(attributions.sum(axis=1) + bias - margin).max() < 1e-6


@pytest.mark.parametrize("task", TASKS)
def test_saabas_is_predecomp_where_there_is_no_penalty(task):
    train, (X, _) = data_of(task)
    for reg_lambda, is_same in ((0, True), (1, False)):
        model = boosted(task, *train, num_boost_round=20, reg_lambda=reg_lambda)
        attributions, _ = saabas(model, X)
        difference = np.abs(attributions - predecomp(model, X)[0]).max()
        assert (difference < 1e-6) == is_same


def test_node_predictions_are_those_of_the_training_gradients(fitted):
    # p(t) = eta G / (H + lambda), Equation (7), G and H summed over the rows in the node.
    task, booster, (X, y), _ = fitted
    trees = read_booster(booster)
    leaves = booster.predict(xgboost.DMatrix(X), pred_leaf=True).astype(int)
    for index in (0, 10, 29):
        residual = residuals(task, booster, X, y, index)
        mean = y - residual
        hessian = np.ones_like(mean) if task == "regression" else mean * (1 - mean)
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


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    ("changed", "n_rounds"),
    [
        *((changed, 20) for changed in ENDS),
        *(pytest.param(changed, None, marks=pytest.mark.long) for changed in ({}, *TABLE_1)),
    ],
    ids=str,
)
def test_proposition_3_holds_over_the_whole_hyperparameter_table(task, changed, n_rounds):
    train, _ = data_of(task)
    rounds = {} if n_rounds is None else {"num_boost_round": n_rounds}
    model = boosted(task, *train, **rounds | changed)
    result = total_gain_deviation(model, *train, feature_names=NAMES)
    assert result.scores.max() < 1e-5


@pytest.mark.parametrize("attribution", ["predecomp", "saabas", "treeshap"])
def test_the_scores_are_the_sums_that_define_them(fitted, attribution):
    task, booster, (X, y), _ = fitted
    eta, n_trees = 0.01, 30
    inner, absolute, total = np.zeros(50), np.zeros(50), np.zeros(len(y))
    forest, matrix = np.zeros(X.shape), xgboost.DMatrix(X)
    for index in range(n_trees):
        tree = booster[index : index + 1]
        if attribution == "predecomp":
            one = predecomp(tree, X)[0]
        else:
            approximate = attribution == "saabas"
            one = tree.predict(matrix, pred_contribs=True, approx_contribs=approximate)[:, :-1]
        residual = residuals(task, booster, X, y, index)
        inner += one.T @ residual / eta
        absolute += np.abs(one).sum(axis=0)
        total += residual
        forest += one
    for method, options, scores in (
        (treeinner, {}, inner),
        (forest_inner, {}, forest.T @ total / eta),
        (absolute_attribution, {"level": "tree"}, absolute),
        (absolute_attribution, {"level": "forest"}, np.abs(forest).sum(axis=0)),
    ):
        options |= {"attribution": attribution, "feature_names": NAMES}
        found = method(booster, X, y, **options).scores
        np.testing.assert_allclose(found, scores, rtol=1e-4, atol=1e-4 * np.abs(scores).max())


def rows_with_gaps(n_features):
    rng = np.random.default_rng(0)
    X = rng.random((400, n_features))
    y = X.sum(axis=1) + rng.standard_normal(400)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def adds_up(model, X, margin):
    for function in (predecomp, saabas):
        attributions, bias = function(model, X)
        np.testing.assert_allclose(attributions.sum(axis=1) + bias, margin, atol=1e-5)


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
    adds_up(booster, X, booster.predict(matrix, output_margin=True))
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
        adds_up(booster, X, booster.predict(matrix, output_margin=True))


def test_estimators_and_data_frames_of_your_own_are_taken():
    X, y = data_of("classification")[0]
    frame = pd.DataFrame(X, columns=[f"gene {index}" for index in range(50)])
    model = xgboost.XGBClassifier(n_estimators=20, n_jobs=1).fit(frame, y)
    result = treeinner(model, frame, y)
    assert result.feature_names[:2] == ("gene 0", "gene 1")
    for rows in (X, X.astype(">f8")):
        np.testing.assert_array_equal(result.scores, treeinner(model, rows, y).scores)
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
    adds_up(other, marked, other.predict(marked))


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
    adds_up(stopped, X, stopped.predict(X))


def test_a_refitted_estimator_and_changed_rows_are_scored_anew():
    train, (rows, y) = data_of("regression")
    model, X = xgboost.XGBRegressor(n_estimators=5, n_jobs=1).fit(*train), rows.copy()
    first = treeinner(model, X, y).scores
    X[:, 0] = X[::-1, 0]
    X[:, 9] = X[::-1, 9]
    X[:, 20:] = X[::-1, 20:]
    assert not np.array_equal(treeinner(model, X, y).scores, first)
    assert not np.array_equal(treeinner(model, rows, -y).scores, first)
    np.testing.assert_array_equal(treeinner(model, rows, y).scores, first)
    model.fit(*data_of("regression", seed=1)[0])
    assert not np.array_equal(treeinner(model, rows, y).scores, first)


def booster_with(parameters, y, X, rounds=5):
    return xgboost.train({"nthread": 1, **parameters}, xgboost.DMatrix(X, y), rounds)


def logistic(prediction, matrix):
    mean = 1 / (1 + np.exp(-prediction))
    return mean - matrix.get_label(), mean * (1 - mean)


NOT_RESIDUALS = {
    "Poisson": ({}, lambda p, d: (np.exp(p) - d.get_label(), np.exp(p)), {}),
    "absolute error": ({}, lambda p, d: (np.sign(p - d.get_label()), np.ones(len(p))), {}),
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
    adds_up(booster, X, booster.predict(xgboost.DMatrix(X), output_margin=True))


FITTED_TO_RESIDUALS = [
    {"subsample": 0.5},
    {"base_score": 3.0},
    {"tree_method": "exact", "gamma": 5.0},
    {"grow_policy": "lossguide", "max_leaves": 9},
]


@pytest.mark.parametrize("parameters", [{}, *FITTED_TO_RESIDUALS], ids=str)
def test_trees_of_residuals_are_taken_whatever_the_response_and_the_share_of_a_class(parameters):
    X, y = rows_with_gaps(4)
    for shift in (0.5, -40.0, 1e4):
        assert np.isfinite(
            treeinner(booster_with(parameters, y + shift, X), X, y + shift).scores
        ).all()
    if "base_score" not in parameters:
        many, numbers = np.tile(X, (20, 1)), np.tile(y, 20)
        for share in (0.02, 0.5):
            classes = (numbers > np.quantile(numbers, 1 - share)).astype(float)
            of_classes = booster_with({"objective": "binary:logistic"} | parameters, classes, many)
            assert treeinner(of_classes, many, classes).scores.max() > 0


@pytest.mark.parametrize(
    ("offset", "parameters"), [(0.0, {}), (2.0, {"base_score": 0.0}), (2.0, {"subsample": 0.9})]
)
def test_a_base_margin_that_leaves_no_trace_is_taken_as_the_page_says(offset, parameters):
    X, y = rows_with_gaps(3)
    margin = np.full(len(y), y.mean() + offset)
    model = xgboost.XGBRegressor(n_estimators=5, **parameters).fit(X, y, base_margin=margin)
    assert np.isfinite(treeinner(model, X, y).scores).all()


def stumps(tmp_path, callbacks=None, **parameters):
    """A booster of trees of one split, the same loaded from its file, and its rows."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 3))
    y = X[:, 0] + 0.5 * X[:, 1] + rng.standard_normal(4000)
    settings = {"max_depth": 1, "nthread": 1, **parameters}
    trained = xgboost.train(settings, xgboost.DMatrix(X, y), 10, callbacks=callbacks)
    trained.save_model(tmp_path / "model.json")
    return trained, xgboost.Booster(model_file=tmp_path / "model.json"), X, y


FORGOTTEN = [{"eta": 0.1}, {"eta": 0.03, "reg_lambda": 0.0}, {"eta": 0.9}]


@pytest.mark.parametrize("parameters", FORGOTTEN, ids=str)
def test_a_loaded_booster_of_stumps_has_forgotten_its_learning_rate_too(parameters, tmp_path):
    trained, loaded, X, y = stumps(tmp_path, **parameters)
    for function in (lambda: treeinner(loaded, X, y), lambda: predecomp(loaded, X)):
        with pytest.raises(ValueError, match=r"tree \d contradicts eta = 0\.3"):
            function()
    loaded.set_param(parameters)
    scores = treeinner(loaded, X, y).scores
    np.testing.assert_allclose(scores, treeinner(trained, X, y).scores)
    np.testing.assert_allclose(scores, reported_total_gain(trained), rtol=1e-4)


@pytest.mark.parametrize("reg_lambda", [0.0, 1.0])
def test_stumps_of_several_learning_rates_are_refused(reg_lambda, tmp_path):
    rates = xgboost.callback.LearningRateScheduler(lambda number: 0.5 * 0.8**number)
    trained, _, X, y = stumps(tmp_path, [rates], reg_lambda=reg_lambda)
    with pytest.raises(ValueError, match=r"contradicts eta.*several learning rates"):
        treeinner(trained, X, y)


def test_a_booster_that_was_refreshed_on_the_same_rows_agrees_with_its_learning_rate(tmp_path):
    trained, _, X, y = stumps(tmp_path, eta=0.1)
    again = {"process_type": "update", "updater": "refresh", "eta": 0.1, "nthread": 1}
    refreshed = xgboost.train(again, xgboost.DMatrix(X, y), 10, xgb_model=trained)
    scores = treeinner(refreshed, X, y).scores
    np.testing.assert_allclose(scores, treeinner(trained, X, y).scores, rtol=1e-4)


def test_a_loaded_booster_asks_for_its_learning_rate_and_takes_it(tmp_path):
    X, y = data_of("regression")[0]
    trained = booster_with({"eta": 0.05, "reg_lambda": 3.0}, y, X, rounds=10)
    trained.save_model(tmp_path / "model.json")
    loaded = xgboost.Booster(model_file=tmp_path / "model.json")
    with pytest.raises(ValueError, match=r"booster.set_param\(\{'eta'"):
        treeinner(loaded, X, y)
    loaded.set_param({"eta": 0.05, "reg_lambda": 3.0})
    np.testing.assert_allclose(treeinner(loaded, X, y).scores, treeinner(trained, X, y).scores)


def test_a_pipeline_is_explained_by_its_booster_and_takes_columns_as_it_does():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((200, 3)), columns=list("abc"))
    whole = make_pipeline(StandardScaler(), xgboost.XGBRegressor(n_estimators=5)).fit(X, X.a)
    alone = treeinner(whole[-1], whole[0].transform(X), X.a)
    np.testing.assert_allclose(treeinner(whole, X, X.a).scores, alone.scores)
    model = make_pipeline(xgboost.XGBRegressor(n_estimators=5)).fit(X, X.a)
    assert treeinner(model, X, X.a).select(top=1) == ("a",)
    with pytest.raises(ValueError, match="starts from 1e\\+07"):
        treeinner(xgboost.XGBRegressor(n_estimators=5).fit(X, X.a + 1e7), X, X.a + 1e7)
    with pytest.raises(ValueError, match="columns"):
        treeinner(model, X[["c", "a", "b"]], X.a)


class NamelessStep(FunctionTransformer):
    """Hands on what it is given, and does not keep the names of its fit."""

    def fit(self, X, y=None):
        return self

    def get_feature_names_out(self, input_features=None):
        return input_features


SCALED = ColumnTransformer([("scale", StandardScaler(), ["b", "a"])], remainder="passthrough")
MODELS = [
    (xgboost.XGBRegressor(n_estimators=5, n_jobs=1), treeinner),
    (RandomForestRegressor(5, random_state=0), ufi),
]


@pytest.mark.parametrize(("model", "method"), MODELS, ids=["booster", "forest"])
@pytest.mark.parametrize(
    "steps",
    [
        [FunctionTransformer(feature_names_out="one-to-one")],
        [SCALED],
        ["passthrough", SCALED],
        [StandardScaler(), "passthrough"],
    ],
    ids=str,
)
def test_columns_of_a_frame_are_taken_by_name_behind_any_steps(steps, model, method):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((200, 3)), columns=list("abc"))
    y = X["a"] + 0.1 * rng.standard_normal(200)
    fitted = make_pipeline(*steps, model).fit(X, y)
    expected, found = (
        dict(zip(result.feature_names, result.scores, strict=True))
        for result in (method(fitted, X, y), method(fitted, X[["c", "a", "b"]], y))
    )
    assert found == expected and max(found, key=found.get) == "a"
    with pytest.raises(ValueError, match="'z', which Pipeline was not fitted to"):
        method(fitted, X.assign(z=1.0)[["z", "c", "a", "b"]], y)


@pytest.mark.parametrize(("model", "method"), MODELS, ids=["booster", "forest"])
def test_another_order_behind_a_step_without_names_is_refused(model, method):
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((200, 3)), columns=list("abc"))
    fitted = make_pipeline(NamelessStep(), model).fit(X, X["a"])
    assert method(fitted, X, X["a"]).select(top=1) == ("a",)
    with pytest.raises(ValueError, match=r"before the model .* another order: column 1 is 'c'"):
        method(fitted, X[["c", "a", "b"]], X["a"])


@pytest.mark.parametrize(("model", "method"), MODELS, ids=["booster", "forest"])
@pytest.mark.parametrize("steps", [["passthrough"], ["passthrough", None]], ids=str)
def test_steps_that_pass_everything_through_are_no_steps(steps, model, method):
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((200, 3)), columns=list("abc"))
    fitted = make_pipeline(*steps, model).fit(X, X["a"])
    found, alone = method(fitted, X, X["a"]), method(fitted[-1], X, X["a"])
    np.testing.assert_array_equal(found.scores, alone.scores)
    if method is treeinner:
        with pytest.raises(ValueError, match="another order"):
            treeinner(fitted, X[["c", "a", "b"]], X["a"])


def test_sums_are_shared_within_a_block_of_a_study_alone(monkeypatch):
    X = np.random.default_rng(0).standard_normal((30, 2))
    booster, computed = xgboost.XGBRegressor(n_estimators=2).fit(X, X[:, 0]), []
    sums = attributions._sums
    monkeypatch.setattr(attributions, "_sums", lambda *of: computed.append(of[-1]) or sums(*of))
    alone = [attribution_sums(booster, X, X[:, 0], "predecomp") for _ in range(2)]
    assert len(computed) == 2 and not np.shares_memory(alone[0].forest, alone[1].forest)
    for _ in range(2):
        with attributions.shared_sums():
            for kind in ("predecomp", "saabas", "predecomp"):
                attribution_sums(booster, X, X[:, 0], kind)
    assert computed[2:] == ["predecomp", "saabas"] * 2


def test_the_scores_of_new_samples_scatter_as_the_error_of_treeinner_says():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((101, 60, 3))
    y = X[..., 0] + 0.5 * X[..., 1] + rng.standard_normal((101, 60))
    model = xgboost.XGBRegressor(n_estimators=5, max_depth=2, n_jobs=1).fit(X[0], y[0])
    found = [treeinner(model, *rows) for rows in zip(X[1:], y[1:], strict=True)]
    error = np.sqrt(np.mean([one.std_error**2 for one in found], axis=0))
    np.testing.assert_allclose(np.std([one.scores for one in found], axis=0), error, rtol=0.25)


@pytest.mark.parametrize("kind", [None, "gain", "weight", "total_gain"])
def test_mdi_of_a_booster_says_what_it_is(kind):
    X = np.random.default_rng(0).standard_normal((30, 2))
    model = xgboost.XGBRegressor(n_estimators=2, importance_type=kind).fit(X, X[:, 0])
    assert mdi(model, X, X[:, 0]).method == f"mdi(importance_type={kind or 'gain'!r})"
