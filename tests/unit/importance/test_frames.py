"""Frames of every sort before every method: names, category columns, polars, labels, orders."""

import functools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, RobustScaler, StandardScaler

import losaw.importance
from losaw.importance import ImportanceResult

N = 60
# The least of every method, and what reads the trees of a fitted forest.
OF_TREES = {
    "air": {"random_state": 0},
    "mdi": {},
    "mdi_oob": {},
    "split_improvement": {},
    "tree_permutation": {"random_state": 0},
    "ufi": {},
}
OF_MODELS = {
    "cpi": {"random_state": 0},
    "loco": {"cv": 2, "random_state": 0},
    "pfi": {"random_state": 0},
    "sage": {"n_background": 4, "max_permutations": 8, "random_state": 0},
    "subgroups": {"random_state": 0},
}
METHODS = OF_TREES | OF_MODELS


def numbers():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "first": rng.standard_normal(N),
            "second": rng.standard_normal(N),
            "third": rng.integers(0, 3, N),
        }
    )


def response(X, task):
    signal = np.asarray(X["first"])
    return signal if task == "regression" else np.where(signal > 0, "yes", "no")


def forest(task):
    make = RandomForestRegressor if task == "regression" else RandomForestClassifier
    return make(5, max_depth=3, random_state=0)


def score(method, model, X, y, **changes):
    found = getattr(losaw.importance, method)(model, X, y, **{**METHODS[method], **changes})
    assert np.isfinite(found.scores).all()
    assert found.to_frame()["feature"].iloc[0] == "first" or method == "air"
    return found


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("method", METHODS)
def test_frames_of_either_library_score_alike(method, task):
    X = numbers()
    y = response(X, task)
    expected = score(method, forest(task).fit(X, y), X, y)
    assert expected.feature_names == ("first", "second", "third")
    P = pl.from_pandas(X)
    found = score(method, forest(task).fit(P, y), P, pl.Series(y))
    np.testing.assert_array_equal(found.scores, expected.scores)


@functools.cache
def searched(task):
    """Rows with categories and text, a response, and a search of a Pipeline fitted to them."""
    X = numbers()
    rng = np.random.default_rng(1)
    X["town"] = pd.Categorical(rng.choice(["x", "y", "z"], N))
    X["note"] = rng.choice(["u", "v"], N)
    y = response(X, task)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["town", "note"]), remainder="passthrough"
    )
    steps = make_pipeline(encode, forest(task))
    model = GridSearchCV(steps, {f"{steps.steps[-1][0]}__max_depth": [3]}, cv=2)
    return X, y, model.fit(X, y)


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("method", METHODS)
def test_categories_and_text_in_a_pipeline_in_a_search(method, task):
    X, y, model = searched(task)
    found = score(method, model, X, y)
    assert found.feature_names == tuple(X.columns)
    assert found.kinds[3:] == ("nominal", "nominal")


@pytest.mark.parametrize("method", METHODS)
def test_bools_and_categories_of_numbers_are_the_numbers_that_the_forest_saw(method):
    X = numbers()
    X["open"] = X["second"] > 0
    X["rank"] = pd.Categorical(5 * X["third"], ordered=True)
    y = response(X, "regression")
    model = forest("regression").fit(X, y)
    found = score(method, model, X, y)
    assert found.kinds[3:] == ("nominal", "discrete")
    if method in OF_TREES:
        plain = score(method, model, X.astype(float), y)
        np.testing.assert_array_equal(found.scores, plain.scores)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "loco"])  # it refits
@pytest.mark.parametrize("change", ["lacks the column 'second'", "has the column 'fourth'"])
def test_other_columns_than_those_of_the_fit_are_refused(method, change):
    X = numbers()
    y = response(X, "regression")
    model = forest("regression").fit(X, y)
    other = X.drop(columns="second") if "second" in change else X.assign(fourth=1.5)
    with pytest.raises(ValueError, match=f"X {change}"):
        score(method, model, other, y)


@pytest.mark.parametrize("method", ["pfi", "cpi", "ufi"])
@pytest.mark.parametrize(
    "steps",
    [
        [ColumnTransformer([("all", StandardScaler(), [2, 0, 1])])],
        [ColumnTransformer([("last", StandardScaler(), [-1])], remainder="passthrough")],
        [StandardScaler(), RobustScaler()],
    ],
    ids=["another order", "the last first", "two steps"],
)
def test_steps_without_names_credit_the_column_that_matters(method, steps):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = 3 * X[:, 2] + rng.standard_normal(200)
    # names that scikit-learn would give to the columns of an array, in another order
    table = pd.DataFrame(X, columns=["x2", "x1", "x0"]) if len(steps) > 1 else X
    model = make_pipeline(*steps, RandomForestRegressor(20, random_state=0)).fit(table, y)
    options = {} if method == "ufi" else {"random_state": 0}
    found = getattr(losaw.importance, method)(model, table, y, **options)
    assert found.scores.argmax() == 2 and found.scores[2] > 5 * np.abs(found.scores[:2]).max()


@pytest.mark.parametrize("method", OF_TREES)
def test_text_that_no_plain_forest_was_fitted_to_is_refused_by_its_name(method):
    X = numbers()
    y = response(X, "regression")
    model = forest("regression").fit(X, y)
    with pytest.raises(ValueError, match=r"'third' holds levels.*groups_of"):
        score(method, model, X.assign(third="a"), y)


@pytest.mark.parametrize("steps", [0, 1])
@pytest.mark.parametrize("method", ["mdi", "air", "ufi", "split_improvement"])
def test_a_pipeline_of_one_step_takes_columns_by_name_as_its_forest_does(method, steps):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((150, 3)), columns=list("abc"))
    y = 3 * X.a + X.b
    forest = RandomForestRegressor(5, random_state=0)
    model = (make_pipeline(forest) if steps else forest).fit(X, y)
    function = getattr(losaw.importance, method)
    options = {"random_state": 0} if method == "air" else {}
    result = function(model, X[["c", "a", "b"]], y, **options)
    assert result.select(top=1) == ("a",)


ORDERED, TURNED = pd.Series([0.1, 0.2, 0.3], ["a", "b", "c"]), ["c", "a", "b"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("scores", ORDERED[TURNED]),
        ("scores", ORDERED.set_axis(["c", "b", "a"])),
        ("std_error", ORDERED[TURNED]),
        ("p_values", ORDERED[TURNED]),
        ("kinds", pd.Series("nominal", TURNED)),
        ("rows", pd.DataFrame(1.0, range(5), TURNED)),
        ("deviations", pd.DataFrame(1.0, range(5), TURNED)),
    ],
)
def test_labelled_values_with_the_features_in_another_order_are_refused(name, values):
    right = {"scores": ORDERED, "std_error": ORDERED, "std_error_kind": "over rows"}
    with pytest.raises(ValueError, match=f"^{name} has the features in another order .* than feat"):
        ImportanceResult(**right | {"feature_names": ("a", "b", "c"), name: values})


@pytest.mark.parametrize("labels", [["a", "b", "c"], range(3), ["x", "y", "z"], ["a", "a", "b"]])
def test_labelled_values_with_the_features_in_order_or_other_labels_are_kept(labels):
    result = ImportanceResult(ORDERED.set_axis(labels), ("a", "b", "c"))
    assert result.scores.tolist() == ORDERED.tolist()
