"""An option means the same in every importance that takes it."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from xgboost import XGBClassifier, XGBRegressor

import losaw.importance
from losaw import LosawRandomForestRegressor

OWN_MODELS = ("boruta", "residual_importance")
COMMON = ("groups", "kinds", "feature_names")
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
NOT_SHOWN = {
    "model",
    "X",
    "y",
    "train",
    "without",
    "features",
    *COMMON,
    "scoring",
    "sample_weight",
    "clusters",
    "n_jobs",
}


def signature(method):
    return inspect.signature(getattr(losaw.importance, method)).parameters


def with_option(option):
    return pytest.mark.parametrize("method", [m for m in METHODS if option in signature(m)])


def explained(method, **options):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((60, 4)), columns=list("abcd"))
    y = X["a"] + X["b"] ** 2
    if method == "treeinner":
        model = XGBRegressor(n_estimators=5, max_depth=2).fit(X, y)
    else:
        model = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, y)
    if "random_state" in signature(method):
        options = {"random_state": 0, **options}
    sample = (X, y) if method in OWN_MODELS else (model, X, y)
    return getattr(losaw.importance, method)(*sample, **{**FEW.get(method, {}), **options})


@pytest.mark.parametrize("method", METHODS)
def test_the_form_is_the_same_for_all(method):
    names = list(signature(method))
    first = ["X", "y"] if method in OWN_MODELS else ["model", "X", "y"]
    assert names[: len(first)] == first
    kinds = {signature(method)[name].kind for name in names[len(first) :]}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("method", METHODS)
def test_features_and_groups_do_what_they_say(method):
    groups = {"both": ["a", "c"]}
    every = explained(method, groups=groups)
    assert every.feature_names == ("both", "b", "d")
    named = explained(method, groups=groups, kinds={"b": "continuous"})
    assert named.kinds[1] == "continuous"
    # Where a feature costs something of its own, some alone can be scored.
    has_cost = method in ("cpi", "loco", "pfi", "subgroups")
    assert ("features" in signature(method)) == has_cost
    if has_cost:
        one = explained(method, groups=groups, features=["b"], kinds={"b": "continuous"})
        assert one.feature_names == ("b",) and one.kinds == ("continuous",)
        assert one.scores[0] == pytest.approx(every.scores[1], rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_the_repr_shows_the_parameters(method):
    shown = repr(explained(method)).splitlines()[0]
    for name in signature(method):
        if name not in NOT_SHOWN | {"random_state"}:
            assert f"{name}=" in shown
    assert "loss=None" not in shown  # but the loss that was taken


@with_option("n_jobs")
def test_threads_change_nothing(method):
    # Several draws, and SAGE ends early, with orders drawn ahead: the stream goes on alike.
    several = {"cpi": {"n_draws": 3}, "sage": {"threshold": 0.5, "max_permutations": 512}}
    options = several.get(method, {})
    streams = [np.random.default_rng(0) for _ in range(2)]
    one, two = (
        explained(method, n_jobs=n_jobs, random_state=stream, **options)
        for n_jobs, stream in zip((1, 3), streams, strict=True)
    )
    np.testing.assert_array_equal(one.scores, two.scores)
    assert streams[0].random() == streams[1].random()
    assert method != "sage" or one.details["n_permutations"] < 100


@with_option("loss")
def test_a_loss_by_name_and_as_a_callable(method):
    by_name = explained(method, loss="absolute-error")
    own = explained(method, loss=lambda y, prediction: np.abs(y - prediction))
    np.testing.assert_allclose(by_name.scores, own.scores)
    assert (by_name.scores != explained(method).scores).any()


@with_option("sample_weight")
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
        assert found.std_error_kind and (found.std_error >= 0).all()


OF_MODELS = [*(m for m in METHODS if m not in OWN_MODELS), "hierarchy", "predecomp", "saabas"]


@pytest.mark.parametrize(
    ("method", "kind"),
    [*((method, RandomForestRegressor) for method in OF_MODELS),
     ("pfi", LosawRandomForestRegressor), ("treeinner", XGBClassifier)],
)  # fmt: skip
def test_a_class_in_place_of_a_model_is_refused_with_the_remedy(method, kind):
    X = np.random.default_rng(0).standard_normal((20, 3))
    sample = (X,) if method in ("predecomp", "saabas") else (X, X[:, 0])
    remedy = rf"make one, as in {kind.__name__}\(\)"
    for options in ({}, {"cv": 2}) if "cv" in signature(method) else ({},):
        with pytest.raises(TypeError, match=f"model.*{kind.__name__}.*{remedy}|{remedy}.*model"):
            getattr(losaw.importance, method)(kind, *sample, **options)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", ["cpi", "loco", "pfi", "sage", "subgroups", "hierarchy"])
def test_a_column_that_is_wholly_missing_in_the_scored_rows_scores_0_and_says_so(method):
    X = np.random.default_rng(0).standard_normal((200, 4))
    model = HistGradientBoostingRegressor(max_iter=5).fit(X[:120], X[:120, 0])
    rows = X[120:].copy()
    rows[:, 2] = np.nan
    options = {"train": (X[:120], X[:120, 0])} if method in ("loco", "subgroups") else {}
    found = getattr(losaw.importance, method)(model, rows, X[120:, 0], random_state=0, **options)
    if method == "hierarchy":
        assert found.selected == (("X1",),)
        return
    assert method == "loco" or found.scores[2] == 0
    if method == "cpi":
        assert found.notes["X3"] == "missing in all rows: there is nothing to test"
        assert np.isnan(found.p_values[2])
