"""Which importance takes which option: one table, that of docs/start.md, held against signatures.

A method that cannot have an option has a reason here, and nothing else is missing.
"""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

import losaw.importance

FOREST_ONLY = "reads a fitted forest"
REASONS = {
    "loss": {
        "air": "the impurity of the splits is what is compared",
        "boruta": "R's importance has the squared error, or zero-one",
        "mdi": "the impurity of the splits is what is summed",
        "mdi_oob": "defined by a product, not a loss",
        "residual_importance": "the impurity of the splits is what is compared",
        "split_improvement": "the impurity of the splits is what is summed",
        "treeinner": "defined by a product, not a loss",
        "ufi": "the impurity of the splits is what is summed",
    },
    "sample_weight": dict.fromkeys(
        ("air", "mdi", "mdi_oob", "split_improvement", "tree_permutation", "ufi"),
        "the forest weighed its rows itself, and one that was fitted with weights is refused",
    )
    | dict.fromkeys(
        ("boruta", "residual_importance", "treeinner"), "the source defines it without weights"
    ),
    "cv": dict.fromkeys(
        ("air", "mdi", "mdi_oob", "split_improvement", "tree_permutation", "treeinner", "ufi"),
        "explains the very trees that it is given",
    )
    | dict.fromkeys(("boruta", "residual_importance"), "fits models to all rows by definition"),
    "clusters": dict.fromkeys(
        ("air", "mdi", "mdi_oob", "split_improvement", "tree_permutation", "treeinner", "ufi"),
        "explains the very trees that it is given, on the rows of their fit",
    )
    | dict.fromkeys(("boruta", "residual_importance"), "fits models to all rows by definition"),
    "n_jobs": dict.fromkeys(
        ("mdi", "mdi_oob", "split_improvement", "treeinner", "ufi"),
        "takes a small part of the time of the fit that it explains",
    ),
    "verbose": dict.fromkeys(
        ("air", "mdi", "mdi_oob", "split_improvement", "treeinner", "ufi"), "has no loop to show"
    ),
    "random_state": dict.fromkeys(
        ("mdi", "mdi_oob", "split_improvement", "treeinner", "ufi"), "draws nothing"
    ),
}
COMMON = ("features", "groups", "kinds", "feature_names")
METHODS = (
    "air",
    "boruta",
    "cpi",
    "loco",
    "mdi",
    "mdi_oob",
    "pfi",
    "residual_importance",
    "sage",
    "split_improvement",
    "subgroups",
    "tree_permutation",
    "treeinner",
    "ufi",
)
FEW = {
    "boruta": {"n_estimators": 5, "max_runs": 3},
    "cpi": {"sampler": "gaussian"},
    "loco": {"cv": 2},
    "residual_importance": {"n_permutations": 2, "n_estimators": 5},
    "sage": {"n_background": 4, "max_permutations": 8},
}
# They tell of the data or the machine, not of what is computed.
NOT_SHOWN = {"model", "X", "y", "train", *COMMON, "sample_weight", "clusters", "n_jobs", "verbose"}


def signature(method):
    return inspect.signature(getattr(losaw.importance, method)).parameters


def explained(method, **options):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((60, 4)), columns=list("abcd"))
    y = X["a"] + X["b"] ** 2
    if method == "treeinner":
        xgboost = pytest.importorskip("xgboost")
        model = xgboost.XGBRegressor(n_estimators=5, max_depth=2).fit(X, y)
    else:
        model = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y)
    if "random_state" in signature(method):
        options = {"random_state": 0, **options}
    return getattr(losaw.importance, method)(model, X, y, **{**FEW.get(method, {}), **options})


@pytest.mark.parametrize("method", METHODS)
def test_the_form_is_the_same_for_all(method):
    names = list(signature(method))
    assert names[:3] == ["model", "X", "y"]
    kinds = {signature(method)[name].kind for name in names[3:]}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("option", [*COMMON, *REASONS])
def test_an_option_is_taken_or_there_is_a_reason(option):
    reasons = REASONS.get(option, {})
    lacking = {method for method in METHODS if option not in signature(method)}
    assert lacking == set(reasons)


@pytest.mark.parametrize("method", METHODS)
def test_features_and_groups_do_what_they_say(method):
    groups = {"both": ["a", "c"]}
    every = explained(method, groups=groups)
    assert every.feature_names == ("both", "b", "d")
    one = explained(method, groups=groups, features=["b"], kinds={"b": "continuous"})
    assert one.feature_names == ("b",) and one.kinds == ("continuous",)
    assert one.scores[0] == pytest.approx(every.scores[1], rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_the_repr_shows_the_parameters(method):
    shown = repr(explained(method)).splitlines()[0]
    for name in signature(method):
        if name not in NOT_SHOWN | {"random_state"}:
            assert f"{name}=" in shown


@pytest.mark.parametrize("method", [m for m in METHODS if m not in REASONS["n_jobs"]])
def test_threads_and_a_progress_bar_change_nothing(method, capsys):
    one, two = explained(method, n_jobs=1), explained(method, n_jobs=2)
    np.testing.assert_array_equal(one.scores, two.scores)
    if method in REASONS["verbose"]:
        return
    assert capsys.readouterr().err == ""
    np.testing.assert_array_equal(explained(method, verbose=True).scores, one.scores)
    assert capsys.readouterr().err != ""


@pytest.mark.parametrize("method", [m for m in METHODS if m not in REASONS["loss"]])
def test_a_loss_by_name_and_as_a_callable(method):
    by_name = explained(method, loss="absolute-error")
    own = explained(method, loss=lambda y, prediction: np.abs(y - prediction))
    np.testing.assert_allclose(by_name.scores, own.scores)
    assert (by_name.scores != explained(method).scores).any()


@pytest.mark.parametrize("method", [m for m in METHODS if m not in REASONS["sample_weight"]])
def test_weights_of_rows_are_taken(method):
    plain = explained(method)
    even = explained(method, sample_weight=np.full(60, 3.0))
    if method not in ("loco", "sage"):  # refits with weights, and rows drawn by their weights
        np.testing.assert_allclose(even.scores, plain.scores)
    uneven = explained(method, sample_weight=np.arange(60.0))
    assert (uneven.scores != plain.scores).any()


# Where there is none the docstring says why.
@pytest.mark.parametrize("method", METHODS)
def test_there_is_a_standard_error_or_the_docstring_says_why_not(method):
    found = explained(method)
    if found.std_error is None:
        assert "No standard error" in getattr(losaw.importance, method).__doc__
    else:
        assert f"{found.std_error_kind}" and (found.std_error >= 0).all()
