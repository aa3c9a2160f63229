"""One form for all methods: frames, Pipelines, kinds, groups, weights, folds, threads, results."""

import copy
import json

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import stats
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.decomposition import PCA, FactorAnalysis, TruncatedSVD
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, TargetEncoder

from losaw import Audit, Explanation
from losaw.data import Dataset, Truth
from losaw.forest import Tree
from losaw.importance import (
    GroupTests,
    ImportanceResult,
    boruta,
    cpi,
    groups_of,
    loco,
    mdi,
    pfi,
    residual_importance,
    subgroups,
    tree_permutation,
    ufi,
)
from losaw.scoring.tests import mean_deviations
from losaw.tables import read_table


def frame(n=240, seed=0):
    """Town decides, size adds; noise does nothing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "town": pd.Categorical.from_codes(rng.integers(0, 3, n), ["x", "y", "z"]),
            "size": rng.standard_normal(n),
            "rooms": rng.integers(1, 6, n),
            "owned": rng.random(n) < 0.5,
            "note": rng.choice(["a", "b"], n),
        }
    )
    score = 2.0 * (X["town"] == "x") + X["size"] + 0.5 * rng.standard_normal(n)
    return X, np.where(score > score.median(), "yes", "no")


def pipeline(last=None):
    levels = make_column_selector(dtype_exclude="number")
    return make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), levels), remainder="passthrough"
        ),
        LogisticRegression(max_iter=500) if last is None else last,
    )


def test_the_model_gets_the_dtypes_it_was_fitted_to():
    X, y = frame()
    seen = []

    class Watch(type(pipeline())):
        def predict_proba(self, rows):
            seen.append(rows.dtypes)
            return super().predict_proba(rows)

    model = Watch(pipeline().steps).fit(X, y)
    cpi(model, X, y, random_state=0)
    assert seen and all((dtypes == X.dtypes).all() for dtypes in seen)


def test_a_class_of_an_encoder_named_as_the_rest_of_another_column_is_no_mistake():
    X = pd.DataFrame({"a": list("uvw") * 20, "a_b": list("xyz") * 20})
    encoder = TargetEncoder(random_state=0).fit(X, np.tile(["b", "c", "d"], 20)[::-1])
    assert groups_of(encoder) == {
        "a": ["a_b", "a_c", "a_d"],
        "a_b": ["a_b_b", "a_b_c", "a_b_d"],
    }


@pytest.mark.parametrize("mixes", [PCA(), TruncatedSVD(2), FactorAnalysis(2)])
def test_what_mixes_columns_has_no_groups_whatever_the_columns_are_called(mixes):
    name = type(mixes).__name__.lower()
    X = pd.DataFrame(np.eye(9)[:, :2], columns=[f"{name}0", f"{name}1"])
    with pytest.raises(ValueError, match="mixes its columns, as principal components do"):
        groups_of(mixes.fit(X))


def test_dummies_inside_and_outside_of_a_pipeline_are_one_feature():
    X, y = frame()
    levels = make_column_selector(dtype_exclude="number")
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=False), levels), remainder="passthrough"
    ).set_output(transform="pandas")
    forest = RandomForestClassifier(8, max_depth=4, random_state=0)
    inside = make_pipeline(encoder, forest).fit(X, y)
    dummies = encoder.transform(X)
    outside = RandomForestClassifier(8, max_depth=4, random_state=0).fit(dummies, y)
    groups = groups_of(encoder)
    for method in (ufi, mdi):
        first = method(inside, X, y)
        second = method(outside, dummies, y, groups=groups)
        assert set(first.feature_names) == set(second.feature_names) == set(X)
        scores = dict(zip(second.feature_names, second.scores, strict=True))
        np.testing.assert_allclose(first.scores, [scores[name] for name in first.feature_names])
    assert tree_permutation(inside, X, y, random_state=0).select(top=1)[0] in ("town", "size")


def test_kinds_can_be_overridden_and_a_group_has_those_of_its_columns():
    X, y = frame()
    model = pipeline().fit(X, y)
    asked = {"kinds": {"rooms": "continuous"}, "groups": {"home": ["town", "size"]}}
    found = pfi(model, X, y, **asked, random_state=0)
    assert found.feature_names == ("home", "rooms", "owned", "note")
    assert found.kinds[:2] == ("nominal + continuous", "continuous")
    assert found.select(top=1) == ("home",)


def linear_sample(n=80):
    """y = X1 + little noise, and the linear model of it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    y = X[:, 0] + 0.1 * rng.standard_normal(n)
    return LinearRegression().fit(X, y), X, y


def test_weights_are_repetitions_of_rows():
    model, X, y = linear_sample()
    weights = np.random.default_rng(1).integers(1, 4, 80)
    twice = np.repeat(np.arange(80), weights)
    one = loco(model, X, y, train=(X, y, None), sample_weight=weights)
    other = loco(model, X[twice], y[twice], train=(X, y))
    np.testing.assert_allclose(one.scores, other.scores, rtol=1e-9)
    nested = make_pipeline(make_pipeline(LinearRegression()))
    options = {"cv": 3, "sample_weight": weights, "random_state": 0}
    np.testing.assert_array_equal(
        pfi(nested, X, y, **options).scores, pfi(LinearRegression(), X, y, **options).scores
    )


def test_weights_go_to_the_steps_that_request_them():
    _, X, y = linear_sample()
    options = {"cv": 3, "sample_weight": np.arange(1.0, 81.0), "random_state": 0}
    expected = loco(make_pipeline(LinearRegression()), X, y, **options)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = LinearRegression().set_fit_request(sample_weight=True)
        for model in (asks, make_pipeline(asks), make_pipeline(make_pipeline(asks))):
            np.testing.assert_array_equal(loco(model, X, y, **options).scores, expected.scores)
        with pytest.raises(ValueError, match="set_fit_request"):
            pfi(make_pipeline(LinearRegression()), X, y, **options)


def test_missing_values_go_to_a_model_that_takes_them():
    X, y = frame()
    X = X.assign(size=X["size"].where(np.arange(240) % 7 > 0))
    numbers = X[["size", "rooms"]]
    model = HistGradientBoostingClassifier(max_iter=10).fit(numbers, y)
    assert pfi(model, numbers, y, random_state=0).select(top=1) == ("size",)
    assert cpi(model, numbers, y, random_state=0).select(top=1) == ("size",)
    with pytest.raises(ValueError, match=r"column 'size' has missing values .*conditional"):
        cpi(model, numbers, y, sampler="gaussian")


def test_folds_are_tested_with_the_variance_of_nadeau_and_bengio():
    folds = RepeatedKFold(n_splits=5, n_repeats=2, random_state=0)
    found = loco(*linear_sample(100), cv=folds)
    scores = found.details["fold_scores"]
    error = np.sqrt((1 / 10 + 20 / 80) * scores.var(axis=0, ddof=1))
    np.testing.assert_allclose(
        found.std_error**2, found.rows.var(axis=0, ddof=1) / 100 + 0.25 * scores.var(axis=0, ddof=1)
    )
    np.testing.assert_allclose(found.p_values, stats.t.sf(scores.mean(axis=0) / error, 9))
    assert found.degrees_of_freedom == 9


def result(**changes):
    values = {
        "scores": np.array([0.1, 3.0, 1.0]),
        "feature_names": ("a", "b", "c"),
        "std_error": np.array([0.2, 1.0, 0.4]),
        "std_error_kind": "over rows",
        "p_values": np.array([0.6, 0.001, 0.03]),
        "degrees_of_freedom": 9,
        "method": "mine(x=1)",
    }
    return ImportanceResult(**{**values, **changes})


def test_features_are_selected_at_a_rate():
    found = result()
    assert found.select(fdr=0.05) == ("b", "c")
    assert found.select(fdr=0.04) == ("b",)
    assert found.select(fdr=0.05, procedure="benjamini-yekutieli") == ("b",)
    assert found.select(fwer=0.05) == ("b",)
    assert found.select(top=2) == ("b", "c")
    assert result(p_values=[0.6, 0.001, np.nan]).select(top=2) == ("b", "a")
    assert result(std_error=[0.1, 0.1, 0.1]).std_error.dtype == float
    for asked in ({}, {"fdr": 0.1, "top": 2}):
        with pytest.raises(ValueError, match="exactly one of"):
            found.select(**asked)
    with pytest.raises(ValueError, match="gives no p-values"):
        result(p_values=None).select(fdr=0.1)
    with pytest.raises(ValueError, match="fdr must be between 0 and 1"):
        found.select(fdr=5)


def test_where_a_smaller_score_is_more_it_comes_first():
    found = result(
        higher_is_more=False, p_values=[0.001, 0.6, 0.03], deviations=np.eye(10)[:, :3] / 100
    )
    for one in (found.to_frame(), found.ranks()):
        assert one["feature"].tolist() == ["a", "c", "b"]
    assert found.ranks()["ranks"].tolist() == ["1st", "2nd", "3rd"]
    assert found.select(top=1) == ("a",) and found.select(fdr=0.05) == ("a", "c")


def test_intervals_have_students_quantile():
    lower, upper = result().interval(0.9)[1]
    assert upper - 3.0 == pytest.approx(stats.t.ppf(0.95, 9)) == pytest.approx(3.0 - lower)
    normal = result(degrees_of_freedom=None).interval(0.9)[1, 1]
    assert normal - 3.0 == pytest.approx(stats.norm.ppf(0.95))
    with pytest.raises(ValueError, match="no standard error"):
        result(std_error=None, std_error_kind=None).interval()


def intervals_of_samples(rows):
    """Rows (n_rows, n_samples), of which each sample is a feature."""
    deviations, freedom = mean_deviations(rows - rows.mean(axis=0), None, None)
    found = ImportanceResult(
        rows.mean(axis=0),
        tuple(map(str, range(rows.shape[1]))),
        std_error=np.sqrt((deviations**2).sum(axis=0)),
        std_error_kind="over rows",
        degrees_of_freedom=freedom,
        deviations=deviations,
    )
    return found.interval().T


@pytest.mark.parametrize("law", [stats.chi2(1), stats.lognorm(0.6), stats.expon(), stats.norm()])
@pytest.mark.parametrize("sign", [1, -1])
def test_intervals_of_skewed_rows_cover(law, sign):
    low, high = intervals_of_samples(sign * law.rvs((30, 2000), random_state=1))
    held = ((low <= sign * law.mean()) & (sign * law.mean() <= high)).sum()
    assert stats.binom.ppf(1e-4, 2000, 0.95) <= held <= stats.binom.isf(1e-4, 2000, 0.95)


@pytest.mark.parametrize("law", [stats.f(1, 5), stats.f(1, 6), stats.pareto(3.5), stats.t(3)])
def test_intervals_of_few_rows_of_heavy_tails_cover(law):
    low, high = intervals_of_samples(law.rvs((150, 4000), random_state=1))
    held = ((low <= law.mean()) & (law.mean() <= high)).sum()
    assert held >= stats.binom.ppf(1e-4, 4000, 0.95)


def test_rows_of_even_spread_keep_their_degrees_of_freedom():
    rows = np.repeat([[-1.0], [1.0]], 20, axis=0)
    half = stats.t.ppf(0.975, 39) * np.sqrt(40 / 39 / 40)
    np.testing.assert_allclose(intervals_of_samples(rows).ravel(), [-half, half])


def test_an_interval_of_rows_without_spread_is_the_score():
    found = result(std_error=np.zeros(3), deviations=np.zeros((40, 3)), degrees_of_freedom=39.0)
    np.testing.assert_array_equal(found.interval().T, [found.scores, found.scores])


def test_a_result_is_written_and_shown(tmp_path):
    content = json.loads(result(p_values=np.array([np.nan, 0.1, 0.2])).to_json(tmp_path / "r.json"))
    assert content["scores"] == [0.1, 3.0, 1.0]
    assert content["p_values"][0] is None
    assert json.loads((tmp_path / "r.json").read_text()) == content
    assert repr(result()).startswith("mine(x=1)")


def test_scores_are_drawn_with_their_intervals():
    matplotlib.use("Agg")
    assert "\n99.9% interval over rows" in result().plot(level=0.999).get_xlabel()


@pytest.mark.parametrize("kind", ["over folds", "over other samples " * 8])
def test_the_label_of_a_drawing_is_not_cut(kind):
    matplotlib.use("Agg")
    axes = result(std_error_kind=kind).plot()
    axes.figure.canvas.draw()
    box, whole = axes.xaxis.label.get_window_extent(), axes.figure.bbox
    assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and box.y0 >= whole.y0


def test_names_are_drawn_as_text_not_as_formulas():
    matplotlib.use("Agg")
    axes = result(feature_names=("a $$ b", "$x^2", "$y_1$")).plot()
    axes.figure.canvas.draw()
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert shown == [r"a \$\$ b", r"\$y_1\$", r"\$x^2"]


@pytest.mark.parametrize("labels", [("no", "yes"), pd.Categorical([1, 2])])
def test_boruta_takes_labels_of_text_or_categories_and_levels(labels):
    X, y = frame(120)
    y = pd.Series(labels).take((y == "yes").astype(int))
    found = boruta(X[["size", "note"]], y, n_estimators=20, max_runs=12, random_state=0)
    assert found.details["selected"].tolist() == [True, False]
    assert "task='classification'" in found.method
    with_columns = boruta(
        X[["size", "note"]], y.to_frame(), n_estimators=20, max_runs=12, random_state=0
    )
    assert with_columns.method == found.method
    np.testing.assert_array_equal(with_columns.scores, found.scores)


@pytest.mark.parametrize("method", [boruta, residual_importance])
@pytest.mark.parametrize("labels", [(1, 2, 3), (0.5, 1.0, 1.5), ("a", "b", "c")])
def test_three_categories_are_refused_in_a_series_and_in_a_frame(labels, method):
    X, _ = frame(60)
    y = pd.Series(pd.Categorical(labels * 20))
    for response in (y, y.to_frame(), y.to_frame().set_axis(["town"], axis=1)):
        with pytest.raises(ValueError, match="y has 3 classes"):
            method(X[["size"]], response)


@pytest.mark.parametrize("of", [pfi, subgroups])
def test_an_error_is_over_rows_and_that_over_permutations_is_apart(of):
    alone, several = (of(*linear_sample(), n_repeats=n, random_state=0) for n in (1, 4))
    assert alone.std_error is not None and "permutation_error" not in alone.details
    assert alone.degrees_of_freedom == several.degrees_of_freedom == len(several.rows) - 1
    error = several.details["repeats"].std(axis=0, ddof=1) / 2
    np.testing.assert_allclose(several.details["permutation_error"], error)
    np.testing.assert_allclose(several.scores, several.details["repeats"].mean(axis=0))
    assert (several.std_error > 1.5 * error).all()


def test_a_frame_has_the_interval_at_its_level():
    found = result()
    frame = found.to_frame(level=0.8).set_index("feature").loc[["a", "b", "c"]]
    np.testing.assert_allclose(frame[["low", "high"]], found.interval(0.8))


WHOLE = ["uint8", "int8", "uint16", "int64", "uint64"]


def rebuilt(X):
    """Numbers out of the range of every type, and one within it, as rows of the type of X."""
    rows = np.asarray(read_table(X).rebuild(np.array([[-1e30], [3.4], [1e30]])), dtype=object)
    return rows.ravel().tolist()


@pytest.mark.parametrize("dtype", [*WHOLE, "UInt8", "Int16", "uint8[pyarrow]", "Int64"])
def test_draws_out_of_the_range_of_a_whole_type_are_its_ends(dtype):
    values = [1, 2, 3] * 10
    pieces = [pd.DataFrame({"a": pd.array(values, dtype=dtype)})]
    if dtype in WHOLE:
        array = np.array(values, dtype=dtype)
        pieces += [array[:, None], pl.DataFrame({"a": array})]
    width = np.iinfo(dtype.removesuffix("[pyarrow]").lower())
    for X in pieces:
        low, middle, high = rebuilt(X)
        # The last whole float that a type of 64 bits holds is a little below its end.
        assert (low, middle) == (width.min, 3) and 0 <= width.max - high <= 2**11


def test_draws_of_truth_values_are_truth_values():
    X = np.tile([[True], [False]], (15, 1))
    codes = np.array([[-1.0], [0.2], [0.7], [2.0]])
    for given in (X, pd.DataFrame(X), pl.DataFrame(X)):
        rows = np.asarray(read_table(given).rebuild(codes))
        assert rows.ravel().tolist() == [False, False, True, True]


@pytest.mark.parametrize(
    "kind", [ImportanceResult, GroupTests, Audit, Explanation, Dataset, Truth, Tree]
)
def test_what_holds_arrays_is_equal_to_itself_alone(kind):
    one, other = object.__new__(kind), object.__new__(kind)
    assert one == one and one != other and len({one, other, one}) == 2


def test_a_result_is_no_copy_of_it():
    found = result()
    assert found == found and found != copy.deepcopy(found) and found in {found}
