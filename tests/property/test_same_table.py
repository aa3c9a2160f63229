"""The same table in another form gives the same scores, whatever public function is asked.

Types of columns, labels of columns and rows, orders of both. A new function is to be named in
``CALLS``, which then holds it to these promises.
"""

import functools
import inspect
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from xgboost import XGBRegressor

import losaw
from losaw import importance, trends

pytestmark = pytest.mark.filterwarnings("ignore")

N = 60
RNG = np.random.default_rng(0)
X = pd.DataFrame(np.rint(RNG.standard_normal((N, 4)) * 8) / 4, columns=list("abcd"))
Y = 2 * X["a"] + X["d"] + 0.3 * RNG.standard_normal(N)


def forest():
    return RandomForestRegressor(4, max_depth=3, random_state=0)


def boosted():
    return XGBRegressor(n_estimators=3, max_depth=2, nthread=1)


def of_model(function, make=LinearRegression, **options):
    """A function of a model that was fitted to the floats of the columns ``fitted``."""

    def call(rows, y, fitted=None, **more):
        table = rows if fitted is None else rows[fitted]
        model = make().fit(table.astype(float), np.asarray(Y))
        return function(model, rows, y, **{**options, **more}).scores

    return call


def own(function, **options):
    return lambda rows, y, **more: function(rows, y, **{**options, **more}).scores


def attributed(function):
    def call(rows, y, fitted=None):
        table = rows if fitted is None else rows[fitted]
        model = boosted().fit(table.astype(float), np.asarray(Y))
        return function(model, rows)[0].mean(axis=0)

    return call


def grown(estimator, **options):
    def call(rows, y):
        return estimator(**options).fit(rows, y).feature_importances_

    return call


def scores_of_groups(rows, y, **more):
    model = LinearRegression().fit(rows.astype(float), np.asarray(Y))
    return importance.hierarchy(model, rows, y, random_state=0, **more).table["score"]


def of_a_table(function, score, **options):
    def call(rows, y):
        target = 99 if isinstance(rows.columns[0], int | np.integer) else "y"
        if rows.columns.nlevels > 1:
            target = ("y", "y")
        frame = rows.copy()
        frame[target] = np.asarray(y)
        return score(function(frame, target, budget=None, folds=3, random_state=0, **options))

    return call


def scores_of_pairs(rows, y, **more):
    model = LinearRegression().fit(rows.astype(float), np.asarray(Y))
    pairs = [tuple(rows.columns[[j, j + 1]]) for j in range(3)]
    return importance.cpi_pairs(model, rows, y, pairs, random_state=0, **more).scores


SEED = {"random_state": 0}
CALLS = {
    "air": of_model(importance.air, forest, **SEED),
    "boruta": own(importance.boruta, n_estimators=4, max_runs=2, **SEED),
    "cpi": of_model(importance.cpi, **SEED),
    "cpi_pairs": scores_of_pairs,
    "hierarchy": scores_of_groups,
    "loco": of_model(importance.loco, cv=2, **SEED),
    "mdi": of_model(importance.mdi, forest),
    "mdi_oob": of_model(importance.mdi_oob, forest),
    "pfi": of_model(importance.pfi, **SEED),
    "predecomp": attributed(importance.predecomp),
    "residual_importance": own(
        importance.residual_importance, n_permutations=1, n_estimators=4, **SEED
    ),
    "saabas": attributed(importance.saabas),
    "sage": of_model(importance.sage, max_permutations=16, **SEED),
    "split_improvement": of_model(importance.split_improvement, forest),
    "subgroups": of_model(importance.subgroups, **SEED),
    "tree_permutation": of_model(importance.tree_permutation, forest, **SEED),
    "treeinner": of_model(importance.treeinner, boosted),
    "ufi": of_model(importance.ufi, forest),
    "absolute_traversal_rate": of_model(
        lambda model, rows, y: trends.absolute_traversal_rate(model), forest
    ),
    "relative_traversal_rate": of_model(
        lambda model, rows, y: trends.relative_traversal_rate(model), forest
    ),
    "linear_coefficient": lambda rows, y: trends.linear_coefficient(rows, y).scores,
    "shapley_correlation": of_model(
        lambda model, rows, y: trends.shapley_correlation(model, rows, **SEED), forest
    ),
    "target_correlation": lambda rows, y: trends.target_correlation(rows, y).scores,
    "LosawRandomForestRegressor": grown(
        losaw.LosawRandomForestRegressor, n_estimators=3, discrete_features=[], **SEED
    ),
    "LosawRandomForestClassifier": lambda rows, y: grown(
        losaw.LosawRandomForestClassifier, n_estimators=3, discrete_features=[], **SEED
    )(rows, y > 0),
    "explain": of_a_table(
        losaw.explain, lambda found: found.results["pfi"].scores, methods="pfi", permutations=1
    ),
    "audit": of_a_table(
        losaw.audit, lambda found: found.to_frame()["pr_auc"], methods="mdi", rounds=5
    ),
}
# Of these there is nothing to compare, or the networks read X by scikit-learn alone.
OTHERS = {
    "Audit", "Explanation", "GroupTests", "ImportanceResult", "LosawMiniBatches",
    "LosawNetworkRegressor", "NetworkRegressor", "__version__", "groups_of", "pinball",
    "show_versions",
}  # fmt: skip
# These take a table with its target, or no response.
WITHOUT_Y = {
    "absolute_traversal_rate", "audit", "explain", "predecomp", "relative_traversal_rate",
    "saabas", "shapley_correlation",
}  # fmt: skip


def test_every_public_function_is_tried():
    public = {*importance.__all__, *losaw.__all__}
    public |= {name for name, one in vars(trends).items() if inspect.isfunction(one)}
    assert public == {*CALLS, *OTHERS}


def arrow(values, dtype):
    return pd.array(pa.array(values, dtype), dtype=pd.ArrowDtype(dtype))


def odd_types():
    """Every column in several types that have the same numbers."""
    whole, quarters = np.rint(X), X
    return {
        "a": [whole["a"].astype("Int64"), whole["a"].astype("int8"), quarters["a"].astype("f2")],
        "b": [
            pd.arrays.SparseArray(quarters["b"], fill_value=0.0),
            arrow([Decimal(str(v)) for v in quarters["b"]], pa.decimal128(8, 2)),
            arrow(whole["b"].astype(int).tolist(), pa.int16()),
        ],
        "c": [
            quarters["c"].astype("Float32"),
            quarters["c"].astype("longdouble"),
            np.array([int(v) for v in whole["c"]], dtype=object),
        ],
        "d": [
            np.array([Decimal(str(v)) for v in quarters["d"]], dtype=object),
            arrow(quarters["d"].tolist(), pa.float32()),
            pd.arrays.SparseArray(whole["d"].astype(int), fill_value=0),
        ],
    }


OF_XGBOOST = {"predecomp", "saabas", "treeinner"}
REFUSED_BY_XGBOOST = ("Sparse", "decimal", "float128", "object")


SLOW = {"audit", "explain"}  # they take seconds, and read a table as all others do


@pytest.mark.parametrize(
    ("name", "which"),
    [(name, which) for name in CALLS for which in range(1 if name in SLOW else 3)],
)
def test_odd_types_score_as_their_floats(name, which):
    odd = pd.DataFrame({column: made[which] for column, made in odd_types().items()})
    if name in OF_XGBOOST:
        refused = [c for c in odd if str(odd.dtypes[c]).startswith(REFUSED_BY_XGBOOST)]
        with pytest.raises(ValueError, match=f"Invalid columns:{refused[0]}"):
            CALLS[name](odd, Y)
        odd = odd.drop(columns=refused)
    np.testing.assert_allclose(CALLS[name](odd, Y), CALLS[name](odd.astype(float), Y), rtol=1e-6)


@functools.cache
def of_the_table(name):
    return CALLS[name](X, Y)


WORDS = pd.Index([f"row {(7 * row) % N}" for row in range(N)])
PAIRS = pd.MultiIndex.from_product([range(N // 4), list("wxyz")])
LABELS = {
    "numbers from 1, rows out of order": ([1, 2, 3, 4], np.roll(np.arange(N), 7), True),
    "numbers out of order, rows of words": ([3, 1, 0, 2], WORDS, False),
    "pairs": ([("a", 1), ("a", 2), ("b", 1), ("b", 2)], PAIRS, True),
    "equal labels of rows": (["X1", "X3", "X2", "0"], [0] * N, True),
}


def relabelled(columns, index):
    names = pd.MultiIndex.from_tuples(columns) if isinstance(columns[0], tuple) else columns
    return X.set_axis(names, axis=1).set_axis(index)


@pytest.mark.parametrize("name", CALLS)
def test_labels_of_columns_and_rows_change_nothing(name):
    expected = of_the_table(name)
    forms = list(LABELS.values())[: 1 if name == "audit" else None]  # it takes seconds
    for columns, index, is_of_y in forms:
        y = Y.set_axis(index) if is_of_y else Y
        np.testing.assert_array_equal(CALLS[name](relabelled(columns, index), y), expected)


def takes(argument):
    functions = {name: getattr(importance, name, None) for name in CALLS}
    return [
        n for n, one in functions.items() if one and argument in inspect.signature(one).parameters
    ]


@pytest.mark.parametrize(
    ("argument", "name"),
    [(argument, n) for argument in ("features", "groups", "kinds") for n in takes(argument)],
)
def test_columns_are_named_by_their_labels(name, argument):
    def given(labels):
        last, first = labels[3], labels[0]
        return {
            "features": [last, first], "groups": {"g": [last, first]}, "kinds": {last: "discrete"},
        }[argument]  # fmt: skip

    expected = CALLS[name](X, Y, **{argument: given(list("abcd"))})
    for columns, index, _ in LABELS.values():
        found = CALLS[name](relabelled(columns, index), np.asarray(Y), **{argument: given(columns)})
        np.testing.assert_array_equal(found, expected)


WITH_Y = sorted({*CALLS} - WITHOUT_Y)
INDICES = [X.index, WORDS, PAIRS]  # each for a third of the functions


@pytest.mark.parametrize(
    ("name", "index"), [(name, INDICES[i % 3]) for i, name in enumerate(WITH_Y)], ids=WITH_Y
)
def test_a_response_in_another_order_of_the_rows_is_refused(name, index):
    rows, y = X.set_axis(index), Y.set_axis(index).sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match=r"y has the labels of X's rows in another order"):
        CALLS[name](rows, y)


FITTED = [name for name, call in CALLS.items() if "fitted" in inspect.signature(call).parameters]
NO_X = {"absolute_traversal_rate", "relative_traversal_rate"}


@pytest.mark.parametrize("name", sorted({*FITTED} - NO_X))
def test_columns_in_another_order_than_that_of_the_fit_are_put_right_or_refused(name):
    turned = X[list("dcba")]
    expected = of_the_table(name)
    try:
        found = CALLS[name](turned, Y, fitted=list("abcd"))[::-1]
    except ValueError as error:
        assert "in another order" in str(error)
        return
    # Draws go by place, so that they are others.
    draws = name not in {"mdi", "mdi_oob", "split_improvement", "treeinner", "ufi"}
    bounds = {"atol": 0.35 * np.abs(expected).max()} if draws else {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(found, expected, **bounds)
