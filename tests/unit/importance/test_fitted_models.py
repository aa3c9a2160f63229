"""Rows of a fit are told from unseen ones; exchanged columns give the model's very predictions."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.importance import cpi, hierarchy, loco, pfi, sage, subgroups
from losaw.scoring.model import exchanged, growing, read_model
from losaw.scoring.rows import ScoringOptions, read_rows

N = 90
BAGGED = {
    "forest": RandomForestRegressor(10, random_state=0),
    "monotone forest": RandomForestRegressor(10, monotonic_cst=[1, 0, 0, 0, 0], random_state=0),
    "forest on parts": RandomForestRegressor(10, max_samples=0.5, random_state=0),
    "losawRF": LosawRandomForestRegressor(10, random_state=0),
    "search": GridSearchCV(RandomForestRegressor(5, random_state=0), {"max_depth": [5]}, cv=2),
    "pipeline": make_pipeline(StandardScaler(), RandomForestRegressor(10, random_state=0)),
    "classes": RandomForestClassifier(10, random_state=0),
    "extra trees of classes": ExtraTreesClassifier(10, bootstrap=True, random_state=0),
    "losawRF of classes": LosawRandomForestClassifier(10, random_state=0),
    "medians": RandomForestRegressor(10, criterion="absolute_error", random_state=0),
    "turned": make_pipeline(PCA(), RandomForestRegressor(10, random_state=0)),
    "squared": make_pipeline(FunctionTransformer(np.square), RandomForestRegressor(10)),
    "weighed classes": RandomForestClassifier(10, class_weight="balanced", random_state=0),
    "classes weighed in bags": RandomForestClassifier(10, class_weight="balanced_subsample"),
}


def table(seed, name):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.standard_normal((N, 4)), columns=list("abcd"))
    X["e"] = rng.integers(0, 3, N)
    y = X["a"] + rng.standard_normal(N)
    return X, y if "classes" not in name else np.where(y > 0.3, "yes", "no")


def seen(model, X, y):
    """Whether rows are taken for those of the fit."""
    first = "a" if isinstance(X, pd.DataFrame) else "X1"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pfi(model, X, y, n_repeats=1, features=[first], random_state=0)
    return any("was fitted to these rows" in str(warning.message) for warning in caught)


@pytest.mark.parametrize("name", BAGGED)
def test_in_bag_counts_tell_rows_of_the_fit_from_others(name):
    X, y = table(0, name)
    model = BAGGED[name].fit(X, y)
    assert seen(model, X, y)
    assert not seen(model, *table(1, name))
    assert not seen(model, X, table(1, name)[1])  # an experiment that was done again
    assert not seen(model, X[:-10], y[:-10])


def test_weights_of_the_fit_do_not_hide_its_rows():
    X, y = table(0, "forest")
    weights = np.random.default_rng(0).exponential(size=N)
    model = RandomForestRegressor(10, random_state=0).fit(X, y, weights)
    assert seen(model, X, y) and not seen(model, *table(1, "forest"))
    assert not seen(RandomForestRegressor(1, max_depth=1).fit(X, y, weights), *table(1, "forest"))


def nested(model):
    """Models that contain another, each of which draws anew without a seed."""
    sub = ShuffleSplit(2)
    return {
        "alone": model,
        "a Pipeline": make_pipeline(StandardScaler(), model),
        "a search": GridSearchCV(model, {"max_depth": [2, 3]}, cv=sub),
        "votes": VotingRegressor([("a", model), ("b", LinearRegression())]),
        "a stack": StackingRegressor([("a", model)], LinearRegression(), cv=2),
        "bags": BaggingRegressor(model, 2),
    }


@pytest.mark.parametrize("name", nested(None))
def test_a_model_without_a_seed_has_that_of_random_state_in_every_fit(name):
    X, y = table(0, "forest")
    model = nested(RandomForestRegressor(3))[name]
    for function in (pfi, loco, cpi, subgroups, sage) if name == "alone" else (pfi,):
        options = {"cv": 2, "n_jobs": 1, "random_state": 0}
        first, second = (function(model, X, y, **options).scores for _ in range(2))
        assert (first == second).all()
    with_seed = {"train": (X, y), "random_state": 0}
    model = model.fit(X, y)
    first, second = (loco(model, X + 0.1, y, **with_seed).scores for _ in range(2))
    assert (first == second).all()


def frozen():
    inner = RandomForestClassifier(3, random_state=0)
    fitted = FrozenEstimator(inner.fit(*table(0, "classes")))
    return {
        "alone": fitted,
        "in a Pipeline": make_pipeline(StandardScaler(), fitted),
        "calibrated": CalibratedClassifierCV(fitted),
        "in votes": VotingClassifier([("a", fitted), ("b", inner)], voting="soft"),
        "prefit stack": StackingClassifier([("a", inner)], inner, cv="prefit"),
        "prefit selection": make_pipeline(SelectFromModel(inner, prefit=True), inner),
    }


@pytest.mark.parametrize("name", frozen())
def test_a_model_that_stays_fitted_is_refused_in_folds(name):
    X, y = table(0, "classes")
    words = r"cannot be fitted again: .*(frozen|fitted already).*Give the estimator inside"
    for function in (cpi, pfi, loco, hierarchy):
        with pytest.raises(ValueError, match=words):
            function(frozen()[name], X, y, cv=3)


@pytest.mark.parametrize("dtype", ["Int64", "Float32", "boolean", "double[pyarrow]"])
def test_missing_values_of_pandas_are_led_by_the_model(dtype):
    X, y = table(0, "forest")
    X["e"] = (X["e"] % 2).astype(dtype)
    X.loc[[3, 70], "e"] = pd.NA
    model = RandomForestRegressor(5, random_state=0).fit(X[:60], y[:60])
    as_numbers = X.assign(e=X["e"].to_numpy(float, na_value=np.nan))
    for function in (pfi, cpi, sage):
        scores = [function(model, rows[60:], y[60:], random_state=0).scores for rows in (X, X)]
        assert np.isfinite(scores).all()
    one, other = (
        pfi(model, rows[60:], y[60:], random_state=0, kinds={"e": "discrete"}).scores
        for rows in (X, as_numbers)
    )
    np.testing.assert_array_equal(one, other)


def test_what_is_scored_on_rows_of_the_fit_has_no_p_values_and_selects_nothing():
    X, y = table(0, "forest")
    model = RandomForestRegressor(10, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match=r"has not seen, or cv=5"):
        found = cpi(model, X, y, sampler="gaussian", random_state=0)
    assert np.isnan(found.p_values).all() and np.isfinite(found.scores).all()
    assert set(found.notes) == set(X.columns)
    assert found.select(fdr=0.9) == found.select(fwer=0.9) == found.select(top=2) == ()
    with pytest.warns(UserWarning, match=r"has not seen, or cv=5"):
        found = loco(model, X, y, train=(X, y), random_state=0)
    assert np.isnan(found.p_values).all()
    with pytest.warns(UserWarning, match=r"has not seen, or cv=5"):
        of_groups = hierarchy(model, X, y, random_state=0)
    assert of_groups.selected == ()
    assert str(of_groups) == "nothing is tested: the model was fitted to these rows"
    for function in (pfi, sage):
        with pytest.warns(UserWarning, match=r"has not seen, or cv=5"):
            assert function(model, X, y, random_state=0).p_values is None


@pytest.mark.filterwarnings("error")
def test_folds_and_models_without_trees_are_not_asked():
    X, y = table(0, "forest")
    in_folds = pfi(RandomForestRegressor(5).fit(X, y), X, y, cv=3, random_state=0)
    of_line = pfi(LinearRegression().fit(X, y), X, y, random_state=0)
    assert not in_folds.notes and not of_line.notes


rng = np.random.default_rng(0)
N_VIEWED = 70
X = rng.standard_normal((N_VIEWED, 6))
X[:, 4] = rng.integers(0, 3, N_VIEWED)
Y = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(N_VIEWED)
FRAME = pd.DataFrame(X, columns=list("abcdef")).assign(
    e=pd.Categorical(np.array(["x", "y", "z"])[X[:, 4].astype(int)])
)
GROUPS = {"two": [0, 3]}
THREE = np.digitize(Y, [-0.5, 0.5])


def dummies(model):
    encode = make_column_transformer((OneHotEncoder(), ["e"]), remainder=StandardScaler())
    return make_pipeline(encode, model)


small = {"random_state": 0, "max_depth": 5}
VIEWED = {
    "regression": (RandomForestRegressor(9, **small), X, Y),
    "two classes": (RandomForestClassifier(9, **small), X, np.where(Y > 0, "yes", "no")),
    "three classes": (RandomForestClassifier(9, **small), X, THREE),
    "extra trees": (ExtraTreesRegressor(9, **small), X, Y),
    "extra trees, classes": (ExtraTreesClassifier(9, **small), X, THREE),
    "frame": (RandomForestRegressor(9, **small), FRAME.drop(columns="e").assign(e=X[:, 4]), Y),
    "losaw": (LosawRandomForestRegressor(5, **small), X, Y),
    "losaw, categories": (LosawRandomForestRegressor(5, **small), FRAME, Y),
    "losaw, two classes": (LosawRandomForestClassifier(5, **small), X, Y > 0),
    "losaw, three classes": (LosawRandomForestClassifier(5, **small), X, THREE),
}


class Doubled(RandomForestRegressor):
    def predict(self, X):
        return 2 * super().predict(X)


# No means of trees of single columns: the model is asked.
SUMS = FunctionTransformer(np.cumsum, kw_args={"axis": 1})
OTHERS = {
    "a subclass": (Doubled(5), X, Y),
    "dummies": (dummies(RandomForestRegressor(9, **small)), FRAME, Y),
    "boosting": (GradientBoostingRegressor(n_estimators=5), X, Y),
    "an imputer of several columns": (make_pipeline(KNNImputer(), RandomForestRegressor(5)), X, Y),
    "a function": (make_pipeline(SUMS, RandomForestRegressor(5)), X, Y),
    "a selection": (make_pipeline(SelectKBest(k=2), RandomForestRegressor(5)), X, Y),
}


def viewed(case, n_jobs=1):
    model, rows, y = case
    options = ScoringOptions(groups=GROUPS, n_jobs=n_jobs)
    subject = read_model(model.fit(rows, y), read_rows(rows, y), options)
    columns = subject.columns
    order = np.random.default_rng(1).permutation(len(columns))
    return subject, columns, columns[order], subject.scored_columns


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("name", [*VIEWED, *OTHERS])
def test_the_predictions_are_those_of_the_model_to_the_last_bit(name, n_jobs):
    subject, columns, copies, members = viewed((VIEWED | OTHERS)[name], n_jobs)
    assert (subject.trees is None) == (name in OTHERS)
    np.testing.assert_array_equal(subject.predictions(), subject.predict(columns))
    several = [copies, columns, columns[::-1]]
    for copy, (same, *found) in zip(several, subject.exchange(several, 3), strict=True):
        np.testing.assert_array_equal(same, subject.predict(columns))
        for unit, predicted in zip(members, found, strict=True):
            np.testing.assert_array_equal(
                predicted, subject.predict(exchanged(columns, copy, unit))
            )


def test_many_rows_and_copies_are_led_in_parts():
    """1,100 rows are two blocks, and 14 copies of 20 features more than are led at once."""
    own = np.random.default_rng(2)
    rows = own.standard_normal((1100, 20))
    model = RandomForestRegressor(3, **small).fit(rows[:200], rows[:200, 0])
    subject = read_model(model, read_rows(rows, rows[:, 0]), ScoringOptions())
    copies = [own.permuted(rows, axis=0) for _ in range(14)]
    for copy, (_, *found) in zip(copies, subject.exchange(iter(copies), 14), strict=True):
        for j, predicted in enumerate(found):
            changed = exchanged(rows, copy, np.array([j]))
            np.testing.assert_array_equal(predicted, model.predict(changed))


@pytest.mark.parametrize("name", VIEWED)
def test_growing_coalitions_too(name):
    subject, columns, copies, members = viewed(VIEWED[name])
    orders = [(2, 0, 4, 1, 3), range(5)]
    found = subject.grow(columns[:2], copies[:8], orders)
    for row, order, predicted in zip(columns[:2], orders, found, strict=True):
        taken = [members[j] for j in order]
        np.testing.assert_array_equal(predicted, subject.predict(growing(row, copies[:8], taken)))


@pytest.mark.parametrize("only_copies", [False, True])
def test_missing_values_are_led_by_the_model(only_copies):
    holed = X.copy()
    holed[::7, 1] = np.nan
    model = RandomForestRegressor(9, **small).fit(holed, Y)
    kept = ~np.isnan(holed).any(axis=1) if only_copies else np.ones(N_VIEWED, dtype=bool)
    subject = read_model(model, read_rows(holed[kept], Y[kept]), ScoringOptions(groups=GROUPS))
    copies = holed[::-1][: kept.sum()]
    (found,) = subject.exchange([copies], 1)
    expected = subject.predict(exchanged(subject.columns, copies, subject.scored_columns[1]))
    np.testing.assert_array_equal(found[2], expected)
