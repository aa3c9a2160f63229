"""Exchanging columns in all trees at once gives the very predictions that the model gives."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import KNNImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.scoring.model import exchanged, growing, read_model
from losaw.scoring.rows import Options, read_rows
from losaw.study.learners.random_forest import RandomForest
from losaw.study.learners.ranger_forest import RangerForest

rng = np.random.default_rng(0)
N = 70
X = rng.standard_normal((N, 6))
X[:, 4] = rng.integers(0, 3, N)
Y = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(N)
FRAME = pd.DataFrame(X, columns=list("abcdef")).assign(
    e=pd.Categorical(np.array(["x", "y", "z"])[X[:, 4].astype(int)])
)
GROUPS = {"two": [0, 3]}
THREE = np.digitize(Y, [-0.5, 0.5])


def dummies(model):
    encode = make_column_transformer((OneHotEncoder(), ["e"]), remainder=StandardScaler())
    return make_pipeline(encode, model)


small = {"random_state": 0, "max_depth": 5}
MODELS = {
    "regression": (RandomForestRegressor(9, **small), X, Y),
    "two classes": (RandomForestClassifier(9, **small), X, np.where(Y > 0, "yes", "no")),
    "three classes": (RandomForestClassifier(9, **small), X, THREE),
    "extra trees": (ExtraTreesRegressor(9, **small), X, Y),
    "extra trees, classes": (ExtraTreesClassifier(9, **small), X, THREE),
    "frame": (RandomForestRegressor(9, **small), FRAME.drop(columns="e").assign(e=X[:, 4]), Y),
    "pipeline": (dummies(RandomForestRegressor(9, **small)), FRAME, Y),
    "losaw": (LosawRandomForestRegressor(5, **small), X, Y),
    "losaw, categories": (LosawRandomForestRegressor(5, **small), FRAME, Y),
    "losaw, two classes": (LosawRandomForestClassifier(5, **small), X, Y > 0),
    "losaw, three classes": (LosawRandomForestClassifier(5, **small), X, THREE),
    "learner with dummies": (RandomForest("regression", one_hot=(4,), n_estimators=5), X, Y),
    "ranger": (RangerForest(n_estimators=9, random_state=0), X, Y),
    "ranger, classes": (
        RangerForest(
            "classification", encoding="dummies", nominal=(4,), n_estimators=9, random_state=0
        ),
        X,
        (Y > 0).astype(float),
    ),
}


class Doubled(RandomForestRegressor):
    def predict(self, X):
        return 2 * super().predict(X)


# No means of trees of single columns: the model is asked.
SUMS = FunctionTransformer(np.cumsum, kw_args={"axis": 1})
OTHERS = {
    "a subclass": (Doubled(5), X, Y),
    "boosting": (GradientBoostingRegressor(n_estimators=5), X, Y),
    "an imputer of several columns": (make_pipeline(KNNImputer(), RandomForestRegressor(5)), X, Y),
    "a function": (make_pipeline(SUMS, RandomForestRegressor(5)), X, Y),
    "a selection": (make_pipeline(SelectKBest(k=2), RandomForestRegressor(5)), X, Y),
}


def viewed(case, n_jobs=1):
    model, rows, y = case
    options = Options(groups=GROUPS, n_jobs=n_jobs)
    subject = read_model(model.fit(rows, y), read_rows(rows, y), options)
    columns = subject.columns
    order = np.random.default_rng(1).permutation(len(columns))
    return subject, columns, columns[order], subject.scored_columns


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("name", [*MODELS, *OTHERS])
def test_the_predictions_are_those_of_the_model_to_the_last_bit(name, n_jobs):
    subject, columns, copies, members = viewed((MODELS | OTHERS)[name], n_jobs)
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
    subject = read_model(model, read_rows(rows, rows[:, 0]), Options())
    copies = [own.permuted(rows, axis=0) for _ in range(14)]
    for copy, (_, *found) in zip(copies, subject.exchange(iter(copies), 14), strict=True):
        for j, predicted in enumerate(found):
            changed = exchanged(rows, copy, np.array([j]))
            np.testing.assert_array_equal(predicted, model.predict(changed))


@pytest.mark.parametrize("name", MODELS)
def test_growing_coalitions_too(name):
    subject, columns, copies, members = viewed(MODELS[name])
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
    kept = ~np.isnan(holed).any(axis=1) if only_copies else np.ones(N, dtype=bool)
    subject = read_model(model, read_rows(holed[kept], Y[kept]), Options(groups=GROUPS))
    copies = holed[::-1][: kept.sum()]
    (found,) = subject.exchange([copies], 1)
    expected = subject.predict(exchanged(subject.columns, copies, subject.scored_columns[1]))
    np.testing.assert_array_equal(found[2], expected)
