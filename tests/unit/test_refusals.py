"""What forests, networks, knockoffs, trends and weights refuse: one table for each package.

A line is the call and the words that say what to change; tests/unit/importance has its own.
"""
# ruff: noqa: B023 (a call is made before the next one is asked for)

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    GradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.multioutput import MultiOutputRegressor
from sklearn.tree import DecisionTreeRegressor

from losaw import LosawMiniBatches, LosawNetworkRegressor, NetworkRegressor, explain
from losaw.forest import LosawRandomForestRegressor, PlainRandomForestRegressor, decorrelation
from losaw.forest.as_printed.forest import ForestAsPrinted
from losaw.forest.ranger import RangerTrees
from losaw.importance import ufi
from losaw.knockoffs import make_sampler
from losaw.knockoffs.diagnostics import draw_tests
from losaw.network import FeatureWeights
from losaw.support.arguments import as_floats
from losaw.tables import read_table
from losaw.trends import (
    absolute_traversal_rate,
    linear_coefficient,
    relative_traversal_rate,
    shapley_correlation,
    target_correlation,
)
from losaw.weighting import (
    ClassFrequency,
    GaussianLinear,
    MultinomialLogit,
    NormalDensity,
    cap_weights,
    losaw_weights,
    weighted_correlations,
)

N = 60
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 3))
Y = X[:, 0] + RNG.standard_normal(N)
FRAME = pd.DataFrame(X, columns=["age", "size", "income"])


def with_value(value, rows=X, row=5, column=2):
    changed = np.array(rows, dtype=float)
    changed[(row, column)[: changed.ndim]] = value
    return changed


def losaw(rows=X, y=Y, **options):
    return LosawRandomForestRegressor(**{"n_estimators": 1, "random_state": 0} | options).fit(
        rows, y
    )


def of_forests():
    for parameters, words in (
        ({"eta": 0.0}, r"eta must be a number in \(0, 1\], got 0.0"),
        ({"eta": 1.2}, r"eta must be a number in \(0, 1\], got 1.2"),
        ({"eta": "a"}, "eta must be a number"),
        (
            {"n_estimators": 0},
            "n_estimators must be an integer of at least 1 and at most 1000000, got 0",
        ),
        ({"n_estimators": 1.5}, "n_estimators must be an integer"),
        ({"max_depth": 0}, "max_depth must be an integer of at least 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be an integer of at least 1"),
        ({"max_features": 0}, "max_features must be an integer of at least 1"),
        ({"max_features": 1.5}, r"max_features must be a number in \(0, 1\], got 1.5"),
        ({"max_features": "sqr"}, "did you mean 'sqrt'"),
        ({"n_adjustment": -1}, "n_adjustment must be an integer of at least 0"),
        ({"n_initial_estimators": 0}, "n_initial_estimators must be an"),
        ({"correlation_threshold": 2}, r"must be a number in \[0, 1\], got 2"),
        ({"n_jobs": 0}, "n_jobs must be an integer other than 0, or None, got 0"),
        ({"random_state": "x"}, "random_state must be an int"),
        ({"bootstrap": "no"}, "bootstrap must be True or False, got 'no'"),
        ({"discrete_features": "atuo"}, "did you mean 'auto'"),
        ({"discrete_features": ["b"]}, "X has none: pass a data frame"),
        ({"discrete_features": [3]}, "names column 3, allowed are 0 to 2"),
        ({"discrete_features": [True]}, r"mask of shape \(1,\), expected \(3,\)"),
        ({"discrete_features": [0]}, "60 levels in 60 rows"),
        ({"nominal_features": "all"}, "nominal_features must be 'auto'"),
        ({"min_samples_leaf": 31}, r"n_samples=60 is fewer than 2 \* min_samples_leaf"),
    ):
        yield lambda: losaw(**parameters), words
    yield lambda: losaw(FRAME, discrete_features=["incme"]), "did you mean 'income'"
    said = "nominal_features: unknown column 'agee'; did you mean 'age'"
    yield lambda: losaw(FRAME, nominal_features=["agee"]), said
    for value in (np.nan, np.inf, -np.inf):
        rows = pd.DataFrame(with_value(value), columns=FRAME.columns)
        yield lambda: losaw(rows), r"1 row .* row 5, column 'income'.*SimpleImputer"
        yield lambda: losaw(y=with_value(value, Y)), "NaN|infinity"
    yield lambda: losaw().predict(with_value(np.nan)), "row 5, column 2"
    yield lambda: losaw(with_value(1e200)), "beyond 1e150; first: row 5"
    yield (
        lambda: losaw(y=1e160 * np.sign(Y)),
        "y has 60 missing or infinite values .*beyond 1e150.*another unit",
    )
    yield lambda: losaw(y=np.full(N, 3.0)), r"y is constant \(3\)"
    yield lambda: losaw(y=["a", "b"] * 30), "y holds values that are not numbers"
    yield lambda: losaw(y=1e-170 * Y), "y has no value beyond .*e-170.*another unit"
    tiny = FRAME.assign(income=1e-80 * FRAME["income"])
    for refuses in (losaw, read_table, lambda frame: target_correlation(frame, Y)):
        yield lambda: refuses(tiny), r"column 'income',? has no value beyond .*e-80.*another unit"
    coded = FRAME + 1e9 * (np.arange(N) < 3)[:, None]
    for frame in (coded, np.exp(9.0 * (FRAME + X[:, :1]))):
        yield lambda frame=frame: losaw(frame), "^X: column '[a-z]+' has values so far out .*ranks"
    yield lambda: explain(coded.assign(y=Y), "y", methods="losaw"), "^X: column '[a-z]+' has values"
    yield lambda: losaw([[1.0, 2.0]], [1.0]), "n_samples=1"
    yield lambda: losaw(X, Y[:-1]), "inconsistent"
    many = RNG.integers(0, 80, (4000, 2)).astype(float)
    yield (
        lambda: losaw(many, many[:, 1], discrete_features=[0]),
        "80 levels in 4000 rows; at most 63",
    )
    yield lambda: losaw(np.array([["a", "b"]] * N), Y), "'a'"
    for column, words in (
        (["a", "b"] * 30, r"'bad' contains text \(first value: 'a'\).*category"),
        (pd.date_range("2020", periods=N), "'bad' contains dates or times .*since"),
        (pd.Categorical(["a", None] * 30), "'bad' has 30 missing levels.*row 1"),
        ([{}] * N, "'bad' contains objects that are neither numbers nor levels"),
        (pd.Categorical(range(N)), "'bad' has 60 levels in 60 rows.*merge rare"),
    ):
        yield lambda: losaw(FRAME.assign(bad=column)), words
    wide = pd.DataFrame({"bad": pd.Categorical(np.arange(300) % 100), "y": np.arange(300.0)})
    said = "'bad' has 100 levels in 300 rows; at most 63 are allowed.*: merge rare levels$"
    yield lambda: losaw(wide, wide["y"]), said
    text = pl.DataFrame({"a": X[:, 0], "bad": ["x", "y"] * 30})
    yield lambda: losaw(text), r"'bad' contains text .*polars\.Categorical"
    dates = text.with_columns(bad=pd.date_range("2020", periods=N).to_numpy())
    yield lambda: losaw(dates), "'bad' contains dates"
    sizes = pd.Categorical(np.resize(["S", "M", "L"], N), ["S", "M", "L"], ordered=True)
    ordered = FRAME.assign(size=sizes)
    larger = ordered.assign(size=sizes.add_categories("XXL"))
    larger.loc[3, "size"] = "XXL"
    forest = losaw(ordered)
    yield lambda: forest.predict(larger), r"'size' has the level 'XXL'.*S < M < L"
    yield lambda: forest.predict(X), "fitted on categories.*give a data frame"
    yield lambda: decorrelation(losaw(), X[::-1]), "the rows of the fit in the same order"
    plain = PlainRandomForestRegressor(3, random_state=0).fit(X, Y)
    for other in (plain, RandomForestRegressor(3).fit(X, Y), LosawRandomForestRegressor, None):
        yield lambda: decorrelation(other, X), "forest must be a LosawRandomForestRegressor"
    for options, words in (
        ({"n_estimators": 0}, "n_estimators"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"max_depth": 0}, "max_depth"),
        ({"max_features": "sqr"}, "did you mean 'sqrt'"),
    ):
        yield lambda: PlainRandomForestRegressor(**options).fit(X, Y), words
    plain = PlainRandomForestRegressor()
    yield lambda: plain.fit(FRAME, pd.Series(Y, FRAME.index[::-1])), "labels of X's rows in another"
    yield lambda: plain.fit(X, np.ma.array(Y, mask=Y > 0)), "y contains NaN"
    for options, words in (
        ({"max_features": 0.5}, "max_features must be an integer"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be an integer of at least 1"),
        ({"max_depth": 2.5}, "max_depth must be an integer"),
        ({"correlation_threshold": 5}, "correlation_threshold must be a number in"),
        ({"adjustment": np.ones((3, 3))}, r"mask of shape \(3, 3\), False on its diagonal"),
        ({"adjustment": np.zeros((2, 2))}, r"mask of shape \(3, 3\)"),
    ):
        yield lambda: ForestAsPrinted(**options).fit(X, Y), words
    yield lambda: plain.fit(with_value(np.nan), Y), "row 5, column 2"
    yield (
        lambda: plain.fit(X, with_value(1e200, Y)),
        "y has 1 missing or infinite values .*beyond 1e150",
    )


TINY = {"n_steps": 2, "batch_size": 30, "filters": (4, 6), "units": (6, 4), "random_state": 1}
LEVELS = RNG.integers(-1, 2, (N, 12)).astype(float)


def of_networks():
    for make in (NetworkRegressor, LosawNetworkRegressor):
        for options, words in (
            ({"n_steps": 0}, "n_steps must be an integer of at least 1"),
            ({"batch_size": 61}, "batch_size must be an integer of .* at most 60, got 61"),
            ({"batch_size": 2.5}, "batch_size must be an integer"),
            ({"learning_rate": 0.0}, "learning_rate must be a finite number of at least 1e-30"),
            ({"filters": (3,)}, "filters must be a pair"),
            ({"kernel_sizes": (9, 9)}, "need at least 17"),
            ({"random_state": "seed"}, "random_state"),
        ):
            yield lambda: make(**TINY | options).fit(LEVELS, Y), words
        model = make(**TINY)
        yield lambda: model.fit(LEVELS[:, :6], Y), r"X has 6 features.*need at least 7"
        for value in (np.nan, np.inf):
            yield lambda: model.fit(with_value(value, LEVELS), Y), "row 5, column 2"
            said = r"y has 1 missing or infinite|Input y contains"
            yield lambda: model.fit(LEVELS, with_value(value, Y)), said
        yield lambda: model.fit(LEVELS, np.ones(N)), "y is constant"
        yield lambda: model.predict(LEVELS), "is not fitted yet"
        yield lambda: model.fit(LEVELS[:1], Y[:1]), "y is constant"
        yield lambda: model.fit(LEVELS, 1e149 * Y), r"^y holds values beyond 1e\+18"
        yield lambda: model.fit(1e25 * LEVELS, Y), "the training diverged.*unit size"
        yield lambda: model.fit(LEVELS, Y + 1e9), "^y has values up to .*subtract the mean"
        yield lambda: model.fit(LEVELS + 1.7e9, Y), "^X, column 0, has values .*subtract the mean"
    for eta in (0, -0.1, 1.01):
        yield (
            lambda: LosawNetworkRegressor(eta=eta, **TINY).fit(LEVELS, Y),
            "eta must be a number in",
        )
    for options, words in (
        ({"eta": 1.5}, r"eta must be a number in \(0, 1\]"),
        ({"batch_size": 401}, "batch_size must be an integer of .* at most 60, got 401"),
        ({"batch_size": 0}, "batch_size must be an integer of at least 1"),
        ({"correlation_threshold": 2}, "correlation_threshold must be a number in"),
        ({"discrete_features": "autp"}, "did you mean 'auto'"),
        ({"discrete_features": [True]}, r"mask of shape \(1,\), expected \(12,\)"),
        ({"discrete_features": [0, 1] * 6}, r"must be 'auto' or a boolean mask, got \[0, 1, "),
    ):
        yield lambda: LosawMiniBatches(LEVELS, **{"batch_size": 20} | options), words
    for value in (np.nan, np.inf):
        said = r"1 row with missing or infinite.*row 5, column 'X3'"
        yield lambda: LosawMiniBatches(with_value(value, LEVELS), batch_size=20), said
    batches = LosawMiniBatches(LEVELS, batch_size=20, random_state=1)
    for importances, words in (
        (np.ones(5), r"shape \(5,\), expected \(12,\)"),
        (with_value(-1, np.ones(12)), "finite and in"),
        (with_value(np.nan, np.ones(12)), "finite and in"),
        (lambda rows: np.full((len(rows), 12), 2.0), r"in \[0, 1\]"),
        (lambda rows: np.ones((len(rows), 5)), r"expected \(\d+, 12\)"),
    ):
        yield lambda: batches.draw(importances), words
    yield lambda: batches.draw_rows(-1), "feature must be an integer of at least 0 and at most 11"
    weights = FeatureWeights(LEVELS, 0.2, 0.1)
    for function in (
        weights,
        weights.adjustment_features,
        weights.relative_effective_sample_size,
    ):
        for feature in (12, -1, 1.5):
            said = "feature must be an integer of at least 0 and at most 11"
            yield lambda: function(feature), said
    levels = np.arange(2000) % 100
    of_levels, mixed = np.tile(levels[:, None], 8), levels[:, None] + 0.1 * RNG.random((2000, 600))
    mixed[:, 0] = levels
    for rows, is_level in ((of_levels, np.ones(8, bool)), (mixed, np.arange(600) < 1)):
        said = (
            f"^feature 0 and its {rows.shape[1] - 1} adjustment features: target has 100 levels"
            ".*at most 50000 are fitted: merge levels, leave it out of discrete_features, or raise "
            "correlation_threshold$"
        )
        yield lambda: FeatureWeights(rows, 0.2, 0.1, is_level)(0), said
    for shape in (5, (0, 3), (2, 2, 2)):
        yield lambda: LosawMiniBatches(np.zeros(shape), batch_size=1), "X has (shape|0 rows)"


def of_knockoffs():
    for name in ("gaussian", "sequential", "deep"):
        for value in (np.nan, np.inf):
            said = r"row 5, column 'X3'.*SimpleImputer.*conditional"
            yield lambda: make_sampler(name).fit(with_value(value), None, RNG), said
        yield lambda: make_sampler(name).sample(RNG), "has not been fitted: call fit"
    for rows, kinds, words in (
        (np.zeros(10), None, "shape"),
        (np.zeros((6, 2, 2)), None, "dimension|shape"),
        (np.zeros((3, 2)), None, "X has 3 rows, at least 5 are needed"),
        (np.ones((9, 2)), ("continuous",), "1 entry for 2 columns"),
        (np.ones((9, 1)), ("nominl",), "did you mean 'nominal'"),
        (np.full((9, 1), 0.5), ("nominal",), "holds fractions"),
        ([["a"]] * 9, None, "OrdinalEncoder"),
        (X, True, "kinds must say the kind of each column"),
        (X, "nominal", "kinds must say the kind of each column"),
    ):
        yield lambda: make_sampler("gaussian").fit(rows, kinds), words
    yield lambda: make_sampler("sequentiel"), "did you mean 'sequential'"
    yield lambda: make_sampler("conditional").fit(X, rng="seed"), "must be an int"
    shuffled = pd.Series(np.arange(N)).sample(frac=1, random_state=0)
    for options, words in (
        *(({"weights": w}, "^weights must have a number for each row of X, none of them neg")
          for w in ([1.0], -np.ones(N), with_value(np.nan, np.ones(N)), with_value(np.inf, Y**2),
                    np.zeros(N), np.ones((N, 2)), 1.0)),
        ({"weights": ["a"] * N}, "^weights holds values that are not numbers"),
        ({"weights": shuffled}, "^weights has the labels of X's rows in another order"),
        ({"clusters": shuffled}, "^clusters has the labels of X's rows in another order"),
        ({"given": np.array([99])}, "given: 99 is no number of a column"),
        ({"units": [np.array([0]), np.array([1, 7])]}, "units: 7 is no number of a column"),
        ({"units": [np.array([-1])]}, "units: -1 is no number of a column"),
    ):  # fmt: skip
        yield lambda: make_sampler("conditional").fit(FRAME, rng=RNG, **options), words
    for columns in (0, 1.5, np.int64(1)):
        yield lambda: draw_tests(X, X, columns=columns), "^columns must be a list of numbers of col"
    for columns in ([99], [-1], [(0, 99)], ["a"], [[0, 1]], [1.5]):
        said = r"columns: .* is no number of a column, from 0 to 2"
        yield lambda: draw_tests(X, X, columns=columns), said
    for name, set_later in (
        ("gaussian", {"s_method": "foo"}),
        ("sequential", {"n_penalties": 1}),
        ("deep", {"batch_size": 1}),
        ("deep", {"width": 0}),
    ):
        yield lambda: make_sampler(name).set_params(**set_later).fit(X), next(iter(set_later))
    for name, parameters, words in (
        ("gaussian", {"s_method": "sdb"}, "did you mean 'sdp'"),
        ("sequential", {"n_folds": 1}, "n_folds"),
        ("sequential", {"patience": 0}, "patience"),
        ("deep", {"n_epochs": 0}, "n_epochs"),
        *(("deep", {key: "half"}, f"{key} must be") for key in ("n_epochs", "n_layers")),
        ("deep", {"batch_size": "half"}, "batch_size must be"),
        *(("sequential", {key: "half"}, f"{key} must be") for key in ("n_folds", "n_penalties")),
        ("sequential", {"patience": "half"}, "patience must be"),
        ("conditional", {"n_neighbors": 5}, "unexpected keyword argument 'n_neighbors'"),
    ):
        yield lambda: make_sampler(name, **parameters), words
    for clusters in (np.zeros(N), np.arange(N - 1)):
        said = r"^clusters has shape .* give one number for each row"
        yield lambda: make_sampler("conditional").fit(X, rng=RNG, clusters=clusters), said


def of_truth_values():
    said = "must be True or False, got "
    for value in ("no", None, 2, 0.5):
        forest = RandomForestRegressor(2, random_state=0).fit(X, Y)
        yield lambda: ufi(forest, X, Y, in_bag=value), f"in_bag {said}"
        yield lambda: linear_coefficient(X, Y, standardized=value), f"standardized {said}"
        yield lambda: MultinomialLogit(standardize=value).fit(Y > 0, X), f"standardize {said}"
        yield lambda: RangerTrees(2, 5, 0, redraw=value).fit(X, Y), f"redraw {said}"


def of_linear_trends():
    for estimate in (linear_coefficient, target_correlation):
        for rows, y, words in (
            (with_value(np.nan), Y, r"row 5, column 'X3'.*SimpleImputer"),
            (with_value(np.inf), Y, "missing or infinite"),
            (X[:, 0], Y, rf"X has shape \({N},\).*reshape"),
            (X, Y[:3], f"y has 3 entries for {N} rows of X"),
            (X, with_value(np.nan, Y), "y has 1 missing"),
            ([["a", "b"]] * N, Y, "X holds values that are not numbers.*OrdinalEncoder"),
            (X, ["a"] * N, "y holds values that are not numbers"),
            (X[:1], Y[:1], "X has 1 row, at least"),
            (X[:, :0], Y, "expected"),
            (X, None, r"y has shape \(\), expected"),
        ):
            yield lambda: estimate(rows, y), words
        for values in (
            ["a"] * N,
            pd.date_range("2020", periods=N),
            pd.to_timedelta(range(N), unit="h"),
            [[row] for row in range(N)],
            pd.array(pa.array([[1], [2, 3]] * 30), dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
            np.full(N, 1j),
        ):
            table = FRAME.assign(odd=values, size=1.0)
            yield lambda: estimate(table, Y), "column 'odd' of X ho"


NO_SUM_OF_TREES = (
    AdaBoostRegressor(n_estimators=3, random_state=0),
    StackingRegressor([("tree", DecisionTreeRegressor())], cv=2),
    VotingRegressor([("tree", DecisionTreeRegressor())], weights=[2.0]),
    MultiOutputRegressor(DecisionTreeRegressor()),
    IsolationForest(n_estimators=3, random_state=0),
    RandomTreesEmbedding(n_estimators=3, random_state=0),
    BaggingRegressor(n_estimators=3, random_state=0),
    GradientBoostingRegressor(n_estimators=3, random_state=0),
    LinearRegression(),
)


def of_trends():
    for model in NO_SUM_OF_TREES:
        model.fit(X, Y[:, None] if isinstance(model, MultiOutputRegressor) else Y)
        said = f"{type(model).__name__} has no trees that can be read; expected a fitted Decision"
        yield lambda: absolute_traversal_rate(model), said
        yield lambda: shapley_correlation(model, X), said
    few = RandomForestRegressor(2, random_state=0)
    yield lambda: absolute_traversal_rate(RandomForestRegressor()), "has no trees"
    yield lambda: absolute_traversal_rate(few.fit(X, np.column_stack([Y, Y]))), "2 responses"
    three = RandomForestClassifier(2).fit(X, np.arange(N) % 3)
    yield lambda: absolute_traversal_rate(three), "3 classes"
    tree = DecisionTreeRegressor(max_depth=3).fit(X, Y)
    yield lambda: relative_traversal_rate(tree, form="bound"), "did you mean 'bounded'"
    yield lambda: absolute_traversal_rate(tree, weighting="row"), "did you mean 'rows'"
    said = "X has 1 feature, the model was fitted to 3"
    yield lambda: shapley_correlation(tree, X[:, :1]), said
    yield lambda: shapley_correlation(tree, X, n_rows=2), "n_rows must be an integer of at least 3"
    yield lambda: shapley_correlation(tree, X, n_rows="auto"), "n_rows must be an integer"
    towns = FRAME[["age"]].assign(town=pd.Categorical(list("abcd") * 15))
    sets = losaw(towns, min_samples_leaf=2)
    yield lambda: shapley_correlation(sets, towns), r"into sets of levels.*OneHotEncoder"
    for make in (RandomForestRegressor, LosawRandomForestRegressor):
        model, remedy = make(3, random_state=0).fit(FRAME, Y), r"; give X\[model.feature_names_in_"
        turned = FRAME[["income", "size", "age"]]
        said = f"another order: column 1 is 'income', not 'age'{remedy}"
        yield lambda: shapley_correlation(model, turned, n_rows=3), said
        renamed = FRAME.rename(columns={"size": "beta"})
        said = rf"X has other columns than .* 'beta'\){remedy}"
        yield lambda: shapley_correlation(model, renamed, n_rows=3), said


def of_numbers():
    date = np.array(["2020-01-01"], dtype="M8[D]")
    for values in ([1 + 1j], ["a"], [10**400], date, [[1.0], [1.0, 2.0]]):
        yield lambda: as_floats("column_of_mine", values), "column_of_mine holds"
    for dtype in ("Int64", "Float32", "boolean", "object"):
        column = pd.Series([1, pd.NA, 0] * 20, dtype=dtype)
        said = "X has 20 rows with missing .*first: row 1, column 'rooms'"
        yield lambda: target_correlation(FRAME.assign(rooms=column), Y), said


def of_weights():
    for weights, options, words in (
        ([1.0, -1.0], {}, r"weights\[1\] = -1.0"),
        ([1.0, np.nan], {}, "finite and not negative"),
        ([0.0, 0.0], {}, "all zero"),
        ([], {}, "at least one"),
        ([1.0], {"eta": 0.0}, r"eta must be a number in \(0, 1\], got 0.0"),
        ([1.0], {"eta": 1.5}, r"eta must be a number in \(0, 1\], got 1.5"),
        ([1.0, 2.0], {"counts": [1]}, "one for every weight"),
        ([1.0, 2.0], {"counts": [1, 0]}, "positive"),
    ):
        yield lambda: cap_weights(weights, **{"eta": 0.5} | options), words
    for arguments, options, words in (
        (([1.0, 2.0], [[1.0]]), {}, "one row for every entry"),
        (([1.0, np.nan], [1.0, 2.0]), {}, "does not impute"),
        ((FRAME["age"][::-1], FRAME), {}, r"in adjustment .* give target.loc\[adjustment.index\]"),
        (([1.0, 2.0, 4.0],) * 2, {"propensity": GaussianLinear()}, "point mass"),
        ((np.zeros((4, 2)), X[:4]), {}, "target must be a vector with at least one entry"),
        ((np.zeros(0), X[:0]), {}, "target must be a vector with at least one entry"),
        ((np.arange(2000), RNG.random((2000, 30))), {"propensity": MultinomialLogit()},
         r"target has 2000 levels.*merge levels.*or take propensity=GaussianLinear\(\)$"),
        ((1e-200 * X[:, 0], X), {}, "target has no value beyond .*e-200.*another unit"),
        ((X[:, 0], X), {"reference": 1}, r"reference must be a vector .* got shape \(\)"),
        ((X[:, 0], X), {"propensity": "x"}, r"propensity must be GaussianLinear\(\), .* got 'x'"),
        ((X[:, 0], X), {"propensity": GaussianLinear}, r"propensity must be .* got <class"),
        ((X[:, 0], X), {"propensity": NormalDensity()}, r"propensity must be .* got Normal"),
        ((X[:, 0], X), {"stabilization": GaussianLinear()}, r"stabilization must be Normal"),
        ((X[:, 0], X), {"propensity": "x", "eta": 1.0}, r"propensity must be GaussianLinear\(\)"),
        ((X[:, 0], X), {"propensity": GaussianLinear(), "stabilization": ClassFrequency()},
         r"GaussianLinear\(\) and .* ClassFrequency\(\) are a density and a probability; take"),
        ((X[:, 0], X), {"propensity": MultinomialLogit(), "stabilization": NormalDensity()},
         "are a density and a probability"),
    ):  # fmt: skip
        yield lambda: losaw_weights(*arguments, **options), words
    for model in (GaussianLinear(), MultinomialLogit()):
        yield lambda: model.density(X[:, 0], X[:, 1:]), f"{type(model).__name__} .* not fitted"
    for model in (NormalDensity(), ClassFrequency()):
        yield lambda: model.density(X[:, 0]), f"{type(model).__name__} .* not fitted"
    model = GaussianLinear().fit(X[:, 0], X[:, 1:])
    yield lambda: model.density(X[:, 0], X), "adjustment has 3 columns, but the fit had 2"
    yield lambda: weighted_correlations(X[:, 0], X, np.ones(3)), r"weights has shape \(3,\)"
    vector = "^target must be a vector with at least one entry, got shape "
    for make in (NormalDensity, ClassFrequency):
        fitted = make().fit(np.array([0.0, 1.0, 1.0]))
        for target, words in (
            (np.ones((4, 2)), vector + r"\(4, 2\)"),
            (np.ones(0), vector),
            (3.0, vector + r"\(\)"),
            (
                np.array([0.0, np.nan, 1.0]),
                "target has 1 missing or infinite values .*first: row 1.*does not impute",
            ),
            (["a", "b"], "target holds values that are not numbers"),
            (None, "^target "),
        ):
            yield lambda: make().fit(target), words
            yield lambda: fitted.density(target), words


# The others refuse by a ValueError alone.
OF_TYPES_TOO = (of_truth_values, of_forests, of_networks, of_knockoffs, of_trends)
TABLE = (*OF_TYPES_TOO, of_linear_trends, of_numbers, of_weights)


@pytest.mark.parametrize("calls", TABLE)
def test_what_cannot_be_computed_is_refused_with_the_remedy(calls):
    errors = (ValueError, TypeError) if calls in OF_TYPES_TOO else ValueError
    for call, words in calls():
        with pytest.raises(errors, match=words):
            call()


NO_NUMBERS = {
    "text": ["a", "b"] * 30,
    "string": pd.array(["a", "b"] * 30, dtype="string"),
    "category": pd.Categorical(["a", "b"] * 30),
    "period": pd.period_range("2020", periods=60, freq="D"),
    "date": [datetime.date(2020, 1, 1)] * 60,
    "NA": [1.0, pd.NA] * 30,
}


@pytest.mark.parametrize("name", NO_NUMBERS)
@pytest.mark.parametrize(
    "kind", [PlainRandomForestRegressor, NetworkRegressor, LosawNetworkRegressor]
)
def test_a_column_that_is_no_numbers_is_named_by_what_takes_numbers_alone(kind, name):
    frame = FRAME.assign(town=NO_NUMBERS[name])
    frames = [frame, pl.from_pandas(frame)] if name in ("text", "category", "date") else [frame]
    for given in frames:
        with pytest.raises(ValueError, match=r"^column 'town' of X (holds|has 30 missing)"):
            kind().fit(given, Y)
