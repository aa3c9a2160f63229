"""What importances refuse, in one table: the call, and the words that say what to change."""
# ruff: noqa: B023 (a call is made before the next one is asked for)

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xgboost
from scipy.sparse import csr_array
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import get_scorer, make_scorer, mean_pinball_loss
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    TimeSeriesSplit,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.importance import (
    air,
    boruta,
    cpi,
    cpi_pairs,
    hierarchy,
    loco,
    mdi,
    mdi_oob,
    pfi,
    predecomp,
    residual_importance,
    saabas,
    sage,
    subgroups,
    treeinner,
    ufi,
)
from losaw.knockoffs.conditional import ConditionalSampler
from losaw.trends import absolute_traversal_rate, linear_coefficient, relative_traversal_rate

N = 60
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 3))
Y = X[:, 0] + RNG.standard_normal(N)
FRAME = pd.DataFrame(X, columns=list("abc"))
WORDS = np.where(Y > 0, "yes", "no")
THREE = np.arange(N) % 3
PATIENT = np.repeat(np.arange(20), 3)
EARLY, LATE = np.arange(10), np.arange(50, 60)


def line(rows=X, y=Y):
    return LinearRegression().fit(rows, y)


def forest(rows=X, y=Y, **options):
    return RandomForestRegressor(5, random_state=0, **options).fit(rows, y)


def with_gaussian(model, rows, y):
    return cpi(model, rows, y, sampler="gaussian")


def with_value(value, row=7, column=0):
    changed = X.copy()
    changed[row, column] = value
    return changed


def booster(y=Y, rows=X, **parameters):
    return xgboost.train({"nthread": 1, **parameters}, xgboost.DMatrix(rows, y), 3)


def of_models():
    """Models that cannot be asked, or do not fit to the rows."""
    for model in (
        LinearRegression(),
        LogisticRegression(),
        make_pipeline(StandardScaler(), LinearRegression()),
        RandomForestClassifier(),
    ):
        yield lambda: pfi(model, X, WORDS), r"the model, a \w+, is not fitted: call its"
    ridge = RidgeClassifier().fit(X, WORDS)
    yield lambda: pfi(ridge, X, WORDS), "predict_proba"
    logit = LogisticRegression().fit(X, WORDS)
    maybe = np.where(np.arange(N) == 3, "maybe", WORDS)
    yield lambda: pfi(logit, X, maybe), r"'maybe' \(row 3\).*'no', 'yes'"
    yield lambda: pfi(logit, X, (WORDS == "yes") * 1), "none of the model's classes"
    exact = line(y=X[:, 0])
    yield lambda: pfi(exact, X, X[:, 0], scale="ratio"), "the loss .* 0 but for rounding"
    for method, given in ((pfi, None), (cpi, np.mean), (sage, StandardScaler())):
        yield lambda: method(given, X, Y), "model must have predict or predict_proba, got "
    yield lambda: pfi(line(), X, Y, cv=KFold), r"got the class; make one: KFold\(\)"
    yield lambda: ufi(line(), X, Y), "LinearRegression is not a fitted random forest"
    losaw = LosawRandomForestRegressor(2, random_state=0).fit(X, Y)
    yield lambda: air(losaw, X, Y), "LosawRandomForestRegressor is not"
    yield lambda: ufi(forest(bootstrap=False), X, Y), "bootstrap=True"
    rare = Y > 1
    for weights, kind in ((np.where(rare, 5.0, 1.0), None), (None, {False: 0.8})):
        weighted = RandomForestClassifier(10, class_weight=kind, random_state=0)
        weighted.fit(X, rare, sample_weight=weights)
        said = "sample or class weights, which are not supported"
        yield lambda: mdi_oob(weighted, X, rare), said
    kinds = LosawRandomForestClassifier(4, random_state=0).fit(X, THREE)
    for model, y in ((losaw, Y), (forest(), Y), (kinds, THREE)):
        yield lambda: ufi(model, X[::-1], y[::-1]), "fitted on"
        yield lambda: ufi(model, X[:-5], y[:-5]), "training sample"
    yield lambda: ufi(forest(), X, Y[1:]), f"y has {N - 1} entries for {N} rows of X"
    several = [line(), line()]
    yield lambda: pfi(several, X, Y), r"a list of 2 models; give the folds .*cv="
    for cv in (2, KFold(2, shuffle=True)):
        yield lambda: pfi(several, X, Y, cv=cv), r"2 models, and cv=.* may draw other folds"
        yield lambda: cpi(several, X, Y, cv=cv), r"2 models, and cv=.* may draw other folds"
    scored = {"cv": KFold(5).split(X), "scoring": "neg_mean_squared_error"}
    yield lambda: pfi([], X, Y, **scored), "0 models for 5 folds"
    for method in (pfi, sage):
        yield lambda: method(line(), X, Y, cv=N), "a fold of cv scores one row"
    own = FixedThresholdClassifier(LogisticRegression(), threshold=0.1).fit(X, Y > 0)
    found = GridSearchCV(own, {"threshold": [0.1]}).fit(X, Y > 0)
    whole = make_pipeline(StandardScaler(), own)
    for last in (
        *(own, whole, found, make_pipeline(StandardScaler(), found)),
        GridSearchCV(whole, {"fixedthresholdclassifier__threshold": [0.1]}).fit(X, Y > 0),
    ):
        given = {"scoring": "accuracy"}
        yield lambda: pfi(last, X, Y > 0, **given), "FixedThresholdClassifier does not predict the"
    said, new = "FixedThresholdClassifier does not", GridSearchCV(own, {"threshold": [0.1]})
    yield lambda: pfi(new, X, Y > 0, cv=2, scoring="accuracy"), said
    for value in (np.nan, np.inf):
        broken = line()
        broken.predict = lambda rows: np.where(np.arange(len(rows)) == 4, value, 0.0)
        words = r"LinearRegression predicts .* for 1 of \d+ rows"
        yield lambda: pfi(broken, X, Y), words
        unsure = LogisticRegression().fit(X, Y > 0)
        unsure.predict_proba = lambda rows: np.full((len(rows), 2), value)
        yield lambda: pfi(unsure, X, Y > 0), "LogisticRegression predicts .* infinite"
    for drawn in (0.5, 0, 7, 1000):
        said = "max_features must be an integer of at least 1 and at most 6"
        yield lambda: air(forest(), X, Y, max_features=drawn), said
    said = "sampler must be one of .* or an object"
    yield lambda: cpi(line(), X, Y, sampler=ConditionalSampler), said
    yield lambda: cpi(line(), X, Y, sampler_parameters=3), "sampler_parameters must be a dict"
    yield lambda: boruta(X, Y, alpha=0), "alpha must be between 0 and 1, got 0"
    for method in (boruta, residual_importance):
        yield lambda: method(X, np.array(list("abc"))[THREE]), "3 classes"
        for task in ("clasification", "regresion"):
            said = f"unknown task '{task}'; did you mean"
            yield lambda: method(X, Y > 0, task=task), said


MEDIANS = r"hold medians \(criterion='absolute_error'\).*criterion='squared_error'"
FEW = {"n_estimators": 3, "random_state": 0}
OTHER_ENSEMBLES = [
    (RandomForestRegressor(criterion="absolute_error", **FEW), MEDIANS),
    (ExtraTreesRegressor(criterion="absolute_error", bootstrap=True, **FEW), MEDIANS),
    (BaggingRegressor(**FEW), "BaggingRegressor is not a fitted random forest; fit a"),
    (GradientBoostingRegressor(**FEW), "is not a fitted random forest"),
    (IsolationForest(**FEW), "is not a fitted random forest"),
    (RandomTreesEmbedding(**FEW), "is not a fitted random forest"),
    (DecisionTreeRegressor(), "is not a fitted random forest"),
]


def of_other_ensembles():
    for model, words in OTHER_ENSEMBLES:
        fitted = model.fit(X, Y)
        yield lambda: ufi(fitted, X, Y), words
        if words == MEDIANS:
            yield lambda: absolute_traversal_rate(fitted), MEDIANS
            yield lambda: relative_traversal_rate(fitted), MEDIANS
        else:
            words = "is not a fitted random forest of scikit-learn"
            yield lambda: air(fitted, X, Y), words


def of_rows_and_columns():
    """Tables, names, kinds and groups."""
    model = line(FRAME)
    for column, words in (
        (pd.date_range("2020-01-01", periods=N), "contains dates or times"),
        ([f"comment {i}" for i in range(N)], f"free text or an identifier: {N} different"),
        (np.full(N, np.inf), "infinite"),
    ):
        odd = FRAME.assign(odd=column)
        yield lambda: pfi(model, odd, Y), f"column 'odd' .*{words}"
    for argument in ("features", "kinds"):
        yield lambda: pfi(model, FRAME, Y, **{argument: True}), f"^{argument} must .*, got True"
    unknown = {"size": "continuous"}
    yield lambda: pfi(model, FRAME, Y, kinds={"aa": "continuous"}), "unknown column 'aa'; did you"
    yield lambda: pfi(model, FRAME, Y, kinds={"a": "nominall"}), "did you mean 'nominal'"
    yield lambda: pfi(model, FRAME, Y, kinds=unknown), "unknown column 'size'"
    levels = FRAME.assign(c=WORDS)
    said = "column 'c' is continuous, but it contains levels"
    yield lambda: pfi(model, levels, Y, kinds={"c": "continuous"}), said
    yield lambda: pfi(model, FRAME, Y, groups={"both": [0, 3]}), r"group 'both': .*3"
    yield lambda: pfi(model, FRAME, Y, groups={"both": [0, -1]}), r"group 'both': .*-1"
    yield lambda: cpi(model, FRAME, Y, groups={"g": ["x"]}), "group 'g': unknown feature 'x'"
    numbered = FRAME.set_axis([1, 2, 3], axis=1)
    yield lambda: pfi(line(X), numbered, Y, groups={"g": [0, 1]}), "unknown feature 0"
    yield lambda: ufi(forest(), X, Y, groups=["a", "b"]), "groups must be a dict"
    yield lambda: loco(model, FRAME, Y, features=["aa"]), "did you mean 'a'"
    for features in (["a", "a", "b"], ["a", 0], ["b", 0, "a"]):
        said = "features names 'a' twice; name each feature once"
        yield lambda: pfi(model, FRAME, Y, features=features), said
    turned, said = {"feature_names": ["b", "a", "c"]}, "feature_names has .* column 1 is 'b', not"
    boosted = xgboost.XGBRegressor(n_estimators=2, n_jobs=1).fit(FRAME, Y)
    scaled = make_pipeline(StandardScaler(), LinearRegression()).fit(FRAME, Y)
    own = LosawRandomForestRegressor(2, random_state=0).fit(FRAME, Y)
    for method, named in (
        *((method, model) for method in (pfi, cpi, loco, sage, subgroups, hierarchy)),
        *((pfi, own), (pfi, scaled), (mdi, forest(FRAME)), (ufi, forest(FRAME))),
        *((treeinner, boosted), (treeinner, boosted.get_booster())),
    ):
        options = turned | ({"train": (X, Y)} if method is loco else {})
        yield lambda: method(named, X, Y, **options), said
    for given in (True, 3, "ab"):
        said = r"feature_names must be a sequence of (strings|names)"
        yield lambda: sage(line(), X, Y, feature_names=given), said
    for method in (loco, subgroups):
        for names in (["a", "d", "c"], ["a", "B", "c"]):
            train = (FRAME.set_axis(names, axis=1), Y)
            said = "train has other columns"
            yield lambda: method(model, FRAME, Y, train=train), said
        yield lambda: method(line(), X, Y, train=5), r"train must be \(X, y\).*, got 'int'"
        turned, said = (FRAME[["c", "b", "a"]], Y), r"another order: column 1 is 'c', not 'a'"
        yield lambda: method(model, FRAME, Y, train=turned), said
    said = r"train must be \(X, y\), got 3 parts"
    yield lambda: subgroups(line(), X, Y, train=(X, Y, np.ones(N))), said
    holes = with_value(np.nan)
    for method in (loco, pfi, subgroups, sage, with_gaussian):
        yield lambda: method(line(), holes, Y), "row 7"
    said = r"first: row 7, column 'a'.*Pipeline"
    yield lambda: pfi(model, FRAME.assign(a=holes[:, 0]), Y), said
    for method in (boruta, residual_importance):
        said = "'X1' has missing values"
        yield lambda: method(holes, Y), said
    yield lambda: residual_importance(X[:2], Y[:2]), "X has 2 rows, at least 3"


def of_responses():
    """Responses, weights, clusters, folds."""
    huge = 1e160 * Y
    for method in (with_gaussian, loco, pfi, subgroups, sage):
        yield lambda: method(forest(), X, huge), r"y .*1e150"
    yield lambda: ufi(forest(), X, huge), r"y has .*1e150"
    yield lambda: mdi_oob(forest(), X, huge), r"y has .*1e150"
    for method in (boruta, residual_importance):
        for y in (np.ones(N), Y > 99):
            yield lambda: method(X, y), "y is constant"
    said = "y holds values that are not numbers"
    yield lambda: boruta(X, WORDS, task="regression", n_estimators=5, max_runs=2), said
    twice = np.column_stack([Y, Y])
    yield lambda: boruta(X, twice), rf"y has shape \({N}, 2\)"
    yield lambda: cpi(line(), X, Y, cv=5, clusters=PATIENT[:50]), "clusters has shape"
    yield lambda: cpi(line(), X, Y, cv=5, clusters=np.zeros(N)), "the same label for all rows"
    yield lambda: cpi(line(), X, Y, cv=5, clusters=[None, *PATIENT[1:]]), "no label for row 0"
    yield lambda: cpi(line(), X, Y, cv=21, clusters=PATIENT), "number of clusters"
    apart = KFold(4, shuffle=True, random_state=0)
    yield lambda: cpi(line(), X, Y, cv=apart, clusters=PATIENT), "separates rows of one cluster"
    said = "clusters is not defined for test='wilcoxon'"
    yield lambda: cpi(line(), X, Y, clusters=PATIENT, test="wilcoxon"), said
    said = "needs the group of every row: give clusters="
    yield lambda: pfi(line(), X, Y, cv=GroupKFold(4)), said
    for cv in (["zz"], [("a", "b")], [([0, 1], [N])], [([0], [])], [(1, 2)], [1, 2], iter([1, 2])):
        said = "fold 0 of cv must be a pair of arrays of row numbers"
        yield lambda: loco(line(), X, Y, cv=cv), said
    twice = [(range(30), [40, 40]), (range(30), [50])]
    yield lambda: pfi(line(), X, Y, cv=twice), "fold 0 of cv scores row 40 more than once"
    for method in (pfi, loco, hierarchy):
        half = np.arange(30)
        seen = [(np.arange(N), half), (half, half + 30)]
        said = r"fold 0 of cv scores 30 rows that it fits to \(first: row 0\)"
        yield lambda: method(line(), X, Y, cv=seen), said
    yield lambda: pfi(line(), X, Y, cv=True), "cv must be from 2"
    yield lambda: pfi(line(), X, Y, cv=KFold(99)), r"cv=KFold\(.*n_splits=99"
    of_words = LogisticRegression().fit(X, WORDS)
    said = "cv=Strat.* cannot divide these rows and y: .*continuous"
    yield lambda: loco(of_words, X, Y, cv=4), said
    for sampler in ("gaussian", "sequential"):
        said = f"a fold of cv scores 4 rows, and {sampler.title()}Knockoffs is fitted to at least 5"
        yield lambda: cpi(line(), X, Y, cv=15, sampler=sampler), said
    said = "a fold of cv scores 1 row, and Gaussian"
    yield lambda: cpi(line(), X, Y, cv=N, sampler="gaussian"), said
    in_order = np.sort(WORDS)
    of_words = LogisticRegression().fit(X, in_order)
    for cv in (KFold(2), TimeSeriesSplit(3), [(LATE, EARLY), (EARLY, LATE)]):
        for method in (pfi, cpi, loco, sage, hierarchy, subgroups):
            said = r"fold [01] of cv fits to rows of the class '(no|yes)' of y alone; give folds"
            yield lambda: method(of_words, X, in_order, cv=cv), said
    folds = RepeatedKFold(n_splits=5, n_repeats=2, random_state=0)
    yield lambda: loco(line(), X, Y, cv=folds, test="wilcoxon"), "use test='t'"


def of_meaningless_scores():
    """Ranks without an error."""
    constrained = RandomForestRegressor(2, monotonic_cst=[1, 0, 0])
    yield lambda: absolute_traversal_rate(constrained.fit(X, Y)), "monotonic_cst has moved"
    ratio = {"scale": "ratio", "random_state": 0}
    said = "no errors here that scores can be compared by"
    yield lambda: pfi(line(), X, Y, **ratio).ranks(), said
    yield lambda: cpi(line(), X, Y, sampler="gaussian", random_state=0).ranks(), said
    remembers = RandomForestRegressor(20, random_state=0).fit(X, Y)
    for method in (pfi, sage):
        yield lambda: method(remembers, X, Y, random_state=0).ranks(), said
    said = "level must be between 0 and 1, got 95"
    yield lambda: pfi(line(), X, Y, random_state=0).ranks(level=95), said
    yield lambda: pfi(line(), X, Y, random_state=0).plot(top=0), "top must be an integer"


LISTS = pd.ArrowDtype(pa.list_(pa.int64()))
DATES, NUMBERS = pd.Series(pd.date_range("2020", periods=N)), pd.Series(Y)
BUT_ROW_3 = np.arange(N) != 3


def of_odd_responses():
    """Responses of which one is missing, or that have no unit or are no numbers."""
    model, logit, whole = line(FRAME), LogisticRegression().fit(FRAME, Y > 0), pd.Series(range(N))
    for y in (
        whole.astype("Int64").where(BUT_ROW_3, pd.NA),
        NUMBERS.astype("Float64").where(BUT_ROW_3, pd.NA),
        NUMBERS.where(BUT_ROW_3),
        NUMBERS.astype("double[pyarrow]").where(BUT_ROW_3, pd.NA),
        whole.map(decimal.Decimal).where(BUT_ROW_3, None),
        DATES.where(BUT_ROW_3),
    ):
        yield lambda: pfi(model, FRAME, y), r"y has 1 missing .*row 3\)"
    for y, words in (
        (Y + 1j, "complex"),
        (DATES, r"datetime64.*timedelta64\(1, 'D'\)"),
        (pd.to_timedelta(range(N), unit="h"), "durations"),
        (DATES.dt.tz_localize("UTC"), "not numbers"),
    ):
        yield lambda: pfi(model, FRAME, y), words
    long = 2**60 + np.arange(N)
    yield lambda: pfi(model, FRAME, long, cv=3), r"y holds whole numbers beyond 2\^53"
    yield lambda: linear_coefficient(X, long.tolist()), r"y holds whole numbers beyond 2\^53"
    for nested in (
        pd.array(pa.array([[1], [2, 3]] * (N // 2)), dtype=LISTS),
        pd.array(pa.array([[1, 2]] * N), dtype=LISTS),
        [(row, "a") for row in range(N)],
        [{"a": row} for row in range(N)],
        [np.arange(3)] * N,
    ):
        y, said = pd.Series(nested), r"y holds .* \(row 0\), which is neither a number"
        yield lambda: pfi(model, FRAME, y), said
        yield lambda: pfi(logit, FRAME, y), said


def of_odd_weights_and_rows_of_the_fit():
    model, shuffled = line(FRAME), NUMBERS.sample(frac=1, random_state=0)
    other_order = "has the labels of X's rows in another order"
    for name in ("sample_weight", "clusters"):
        values = {name: shuffled.index.to_series() // 2 + 1}
        said = f"{name} {other_order}"
        yield lambda: cpi(model, FRAME, NUMBERS, sampler="gaussian", **values), said
    one_missing = pd.array([None] + [1] * (N - 1), dtype="Int64")
    for weights in (one_missing, ["a"] * N, np.full(N, 1j), DATES, np.ones((N, 2))):
        yield lambda: pfi(model, FRAME, NUMBERS, sample_weight=weights), "^sample_weight "
    for method, size in ((pfi, 1e308), (loco, 1e-200)):
        weights, said = np.full(N, size), "sample_weight.*another unit"
        yield lambda: method(line(), X, Y, sample_weight=weights), said
    for rows, y, words in (
        (FRAME.replace(X[3, 1], np.inf), NUMBERS, r"column 'b' .*infinite.*row 3"),
        (FRAME, NUMBERS.where(BUT_ROW_3), r"y has 1 missing .*row 3"),
        (FRAME.assign(b=DATES), NUMBERS, "column 'b' contains dates"),
        (FRAME, shuffled, f"y {other_order}"),
    ):
        for method in (loco, subgroups):
            train, said = (rows, y), f"^train: {words}"
            yield lambda: method(model, FRAME, NUMBERS, train=train), said


def of_losses_and_rates():
    """Losses, scores of scikit-learn, error rates, algorithms."""
    logit = LogisticRegression().fit(X, WORDS)
    yield lambda: pfi(logit, X, WORDS, loss="brierr"), "did you mean 'brier'"
    for loss in ("log-loss", "brier", "zero-one"):
        said = "not defined for a regression"
        yield lambda: cpi(line(), X, Y, loss=loss), said
    for asked, words in (
        ({"scoring": "r2"}, r"scoring='r2' is not known to be a mean over rows.*loss="),
        ({"scoring": "neg_mean_squared_eror"}, "did you mean 'neg_mean_squared_error'"),
        ({"scoring": make_scorer(mean_pinball_loss, alpha=0.9)}, "mean over rows"),
        ({"scoring": lambda model, X, y: 0.0}, "mean over rows"),
        ({"scoring": "accuracy"}, "score of a classification"),
        ({"scoring": "neg_mean_squared_error", "loss": "squared-error"}, "not both"),
        ({"loss": get_scorer("r2")}, "a scorer is for scoring="),
        ({"scale": "ratio", "loss": lambda y, p: -np.exp(-np.abs(y - p))},
         "needs a loss above 0, and the model's is -"),
    ):  # fmt: skip
        yield lambda: pfi(line(), X, Y, **asked), words
    model = line(FRAME)
    for options, words in (
        ({"groups": {"g": ["a", "size"]}}, "group 'g': unknown feature 'size'"),
        ({"groups": {"g": ["a"], "h": ["a", "b"]}}, "'a' is in the groups 'g' and 'h'"),
        ({"groups": {"g": []}}, "group 'g' has no columns"),
        ({"groups": {1: ["a"], "1": ["b"]}}, "two groups are called '1'"),
        ({"groups": {"g": 3}}, "group 'g' must be a list"),
        ({"groups": ["a", "b"]}, "groups must be a dict"),
        ({"groups": np.array(["a", "b"])}, "groups must be a dict"),
        ({"groups": []}, "groups must be a dict"),
        ({"groups": {}}, "groups has no features; None clusters"),
        ({"groups": {"a": ["b", "c"]}}, "'a' has the name of a column .*give it another name"),
        ({"fwer": 1.0}, "fwer must be between 0 and 1"),
        ({"fwer": "low"}, "fwer must be a finite number"),
        ({"n_draws": 0}, "n_draws"),
    ):
        yield lambda: hierarchy(model, FRAME, Y, **options), words
    for options, words in (
        ({"algorithm": "gram-schmid"}, "did you mean 'gram-schmidt'"),
        ({"algorithm": LinearRegression()}, "unknown algorithm"),
        ({"algorithm": None}, "unknown algorithm None"),
        ({"n_permutations": 0}, "n_permutations must be an integer of at least 1, got 0"),
        ({"n_estimators": 2.5}, "n_estimators must be an integer of at least 1, got 2.5"),
        ({"random_state": "seed"}, "random_state must be an int"),
    ):
        yield lambda: residual_importance(X, Y, **options), words
    no_trees = {"algorithm": "random-forest-out-of-bag", "n_estimators": 1}
    yield lambda: residual_importance(X, Y, **no_trees), "raise n_estimators"


def of_boosters():
    """Boosters whose nodes have no defined prediction, and rows that are not theirs."""
    own = "an objective of its own .*reg:squarederror"
    ranks = np.arange(N)
    for parameters, y, words in (
        ({"objective": "count:poisson"}, np.ones(N), "'count:poisson' is not supported"),
        ({"objective": "multi:softprob", "num_class": 3}, THREE, "'multi:softprob' is not supp"),
        ({"reg_alpha": 1.0}, Y, "L1 penalty .*reg_alpha=0"),
        ({"booster": "dart"}, Y, "'dart'; only 'gbtree'"),
        ({"booster": "gblinear"}, Y, "'gblinear'; only 'gbtree'"),
        ({"num_parallel_tree": 2}, Y, "num_parallel_tree is 2"),
        ({"max_delta_step": 0.1, "eta": 1.0}, 9 * Y, "contradicts .*max_delta_step"),
        ({"multi_strategy": "multi_output_tree", "tree_method": "hist"},
         np.column_stack([ranks, ranks]), "several outputs"),
    ):  # fmt: skip
        yield lambda: treeinner(booster(y, **parameters), X, Y), words
    for options in ({}, {"base_score": 0.5}):
        loss = lambda y, p: (p - y, np.ones(len(p)))  # noqa: E731
        model = xgboost.XGBRegressor(n_estimators=2, objective=loss, **options).fit(X, Y)
        yield lambda: treeinner(model, X, Y), own
    model = xgboost.XGBRegressor(n_estimators=3, n_jobs=1).fit(FRAME, Y)
    renamed = FRAME.rename(columns={"a": "A"})
    yield lambda: treeinner(model, renamed, Y), r"first difference: 'A'.*X\[booster"
    yield lambda: predecomp(model, FRAME[["b", "c", "a"]]), "another order"
    plain = xgboost.XGBRegressor(n_estimators=3, n_jobs=1).fit(X, Y)
    said = rf"X has shape \({N}, 2\), expected \(n_samples, 3\)"
    yield lambda: treeinner(plain, X[:, 1:], Y), said
    said = "X must be an array or data frame, got DMatrix"
    yield lambda: treeinner(plain, xgboost.DMatrix(X), Y), said
    yield lambda: treeinner(plain, X, WORDS), "y holds values that are not numbers"
    yield lambda: treeinner(forest(), X, Y), "RandomForestRegressor is not an xgboost model"
    for method in (pfi, cpi, sage, subgroups):
        said = r"model is a Booster.*XGBRegressor"
        yield lambda: method(plain.get_booster(), X, Y), said
    for function in (predecomp, saabas):
        said = "^X is sparse, and absent entries are missing values to xgboost; fit and explain d"
        yield lambda: function(plain, csr_array(X)), said
        equal = FRAME.set_axis(["a", "a", "b"], axis=1)
        yield lambda: function(plain, equal), "^X has more than one column named 'a'"
        yield lambda: function(plain, X[:0]), r"^X has shape \(0, 3\), .* with one row or more"
    said = r"^X is sparse; .*\(to xgboost absent entries are missing values: fit it to dense rows"
    yield lambda: treeinner(plain, csr_array(X), Y), said
    sparse = make_pipeline(OneHotEncoder(), xgboost.XGBRegressor(n_estimators=2, n_jobs=1))
    said = r"pipeline gives sparse rows, .* missing values to xgboost; .*\(sparse_output=False\)"
    yield lambda: treeinner(sparse.fit(THREE[:, None], Y), THREE[:, None], Y), said
    yield lambda: predecomp(plain, 1e40 * X), r"X holds values beyond 3\.4e38"
    yield lambda: treeinner(plain, 1e40 * X, Y), r"X holds values beyond 3\.4e38"
    yield (
        lambda: predecomp(plain, with_value(1e39).astype(object)),
        r"X holds values beyond 3\.4e38",
    )
    yield lambda: predecomp(plain, np.array([["1", "2", "x"]])), "X holds values that are not numb"
    huge = FRAME.assign(b=with_value(-1e39, column=1)[:, 1])
    for frame in (huge, pl.from_pandas(huge), huge.astype("Float64")):
        for call in (lambda: predecomp(model, frame), lambda: treeinner(model, frame, Y)):
            yield call, r"^column 'b' of X holds values beyond 3\.4e38.*another unit"
    linear = xgboost.XGBRegressor(n_estimators=9, booster="gblinear", early_stopping_rounds=2)
    linear.fit(X, Y, eval_set=[(X, -Y)], verbose=False)
    yield lambda: treeinner(linear, X, Y), "'gblinear'; only 'gbtree'"
    for label in (0, 1):
        one_class = booster(np.full(N, label), objective="binary:logistic")
        said = f"starts from the probability {label}: .* one class only; train it on rows of both"
        yield lambda: predecomp(one_class, X), said
        yield lambda: treeinner(one_class, X, np.full(N, label)), said
    for kinds in (THREE, np.array(list("uvw"))[THREE]):
        frame = FRAME.assign(b=pd.Categorical(kinds))
        split = {"n_estimators": 2, "enable_categorical": True, "n_jobs": 1}
        tree = xgboost.XGBRegressor(**split).fit(frame, 1.0 * (THREE == 1))
        said = r"splits feature 1 \('b'\) by categories"
        yield lambda: treeinner(tree, frame, Y), said
    classes = xgboost.XGBClassifier(n_estimators=3, n_jobs=1).fit(X, Y > 0)
    yield lambda: treeinner(classes, X, (Y > 0) + 1), "classes 0 and 1"
    said = rf"y has shape \({N - 1},\), expected \({N},\)"
    yield lambda: treeinner(classes, X, (Y > 0)[1:]), said


def of_given_columns_and_pairs():
    def drawn(given=("b",), **options):
        return lambda: cpi(line(), FRAME, Y, given=given, **options)

    yield drawn(["bb"]), "given: unknown feature 'bb'"
    yield drawn(["b", "b"]), "given names 'b' twice"
    yield drawn(1.5), "given must be names of features"
    yield drawn("abc"), "given: unknown feature 'abc'"
    yield drawn(features=["a", "b"]), "given: 'b' is scored and given at once"
    yield drawn(groups={"g": ["a", "b"]}), "given: 'b', of the group 'g', is scored and given"
    yield drawn(groups={"g": ["b"]}, features=["g"]), "given: 'b', of the group 'g'"
    yield drawn(list("abc")), "given names every feature"
    for sampler in ("gaussian", "sequential"):
        yield drawn(sampler=sampler), "Knockoffs draws given all other columns; use sampler='cond"
    for pairs in (["ab"], [("a",)], [("a", "b", "c")], [3], "ab"):
        yield lambda: cpi_pairs(line(), FRAME, Y, pairs), "is not a pair of features"
    for pairs in (None, 3, True):
        yield lambda: cpi_pairs(line(), FRAME, Y, pairs), "^pairs must be a list of pairs of feat"
    yield lambda: cpi_pairs(line(), FRAME, Y, [("a", "d")]), "pairs: unknown feature 'd'"
    yield lambda: cpi_pairs(line(), FRAME, Y, [("a", "a")]), "pairs names 'a' twice"
    for pairs in ([], [("a", "b"), ("b", "a")]):
        yield lambda: cpi_pairs(line(), FRAME, Y, pairs), "pairs must name one pair"


# The others refuse by a ValueError alone.
OF_TYPES_TOO = (
    of_models,
    of_other_ensembles,
    of_rows_and_columns,
    of_losses_and_rates,
    of_boosters,
    of_given_columns_and_pairs,
)
TABLE = (
    *OF_TYPES_TOO,
    of_responses,
    of_odd_responses,
    of_odd_weights_and_rows_of_the_fit,
    of_meaningless_scores,
)


@pytest.mark.parametrize("calls", TABLE)
def test_what_cannot_be_scored_is_refused_with_the_remedy(calls):
    errors = (ValueError, TypeError) if calls in OF_TYPES_TOO else ValueError
    for call, words in calls():
        with pytest.raises(errors, match=words):
            call()
