"""A model without some of its columns has the settings that it had, at the places that are left."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    BaggingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    SplineTransformer,
    StandardScaler,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import all_estimators
from xgboost import XGBRegressor

from losaw import LosawNetworkRegressor, LosawRandomForestRegressor
from losaw.forest import PlainRandomForestRegressor
from losaw.importance import loco
from losaw.importance.without_columns import require_names, without
from losaw.scoring.folds import unfitted
from losaw.scoring.losses import squared_error

NAMES = ["X1", "X2", "X3", "X4"]
RNG = np.random.default_rng(0)
X = np.column_stack([RNG.standard_normal((300, 2)), RNG.integers(0, 3, (300, 2))])
Y = X[:, 0] + X[:, 3] + RNG.standard_normal(300)
FRAME = pd.DataFrame(X, columns=NAMES)


def boosted(**named):
    return HistGradientBoostingRegressor(max_iter=2, **named)


def xgb(**named):
    return XGBRegressor(n_estimators=2, max_depth=2, **named)


def test_a_column_transformer_loses_the_column_and_leaves_the_others_as_they_are():
    steps = [("levels", OneHotEncoder(), ["X4", "X3"]), ("rest", "passthrough", ["X1", "X2"])]
    model = make_pipeline(ColumnTransformer(steps), Ridge()).fit(FRAME, Y)
    listed = [of for *_, of in without(model, [0], NAMES)[0].transformers]
    assert listed == [["X4", "X3"], ["X2"]]
    assert without(model, [2, 3], NAMES)[0].transformers[0][2] == []
    assert without(model, [2, 3], NAMES).fit(FRAME[NAMES[:2]], Y).n_features_in_ == 2


@pytest.mark.parametrize("listed", [make_column_selector("X[34]"), slice("X3", "X4"), ["X4", "X3"]])
def test_names_and_selectors_of_a_column_transformer_are_of_the_columns_left(listed):
    step = ColumnTransformer(
        [("s", OneHotEncoder(min_frequency=2), listed)], remainder=KBinsDiscretizer(3)
    )
    model = make_pipeline(step, LinearRegression()).fit(FRAME, Y)
    for out in range(4):
        rest = FRAME.drop(columns=NAMES[out])
        assert without(model, [out], NAMES).fit(rest, Y).n_features_in_ == 3


def test_models_of_a_list_lose_the_column_and_what_sees_predictions_keeps_its_own():
    forest = RandomForestRegressor(2, max_features=0.5)
    listed = [("ridge", Ridge()), ("forest", forest)]
    for model in (VotingRegressor(listed), StackingRegressor(listed, forest, cv=2)):
        copy = without(model.fit(X, Y), [0], NAMES)
        assert dict(copy.estimators)["forest"].max_features == 2
    assert copy.final_estimator.max_features == 0.5


def test_a_forest_in_a_pipeline_draws_as_many_of_the_columns_that_are_made():
    steps = [("levels", OneHotEncoder(), ["X3", "X4"]), ("rest", "passthrough", ["X1"])]
    forest = RandomForestRegressor(2, max_features=0.5)
    model = make_pipeline(ColumnTransformer(steps), forest).fit(FRAME, Y)
    assert without(model, [0], NAMES)[1].max_features == 3
    assert without(model, [2], NAMES)[1].max_features == 3
    search = GridSearchCV(model, {"randomforestregressor__min_samples_leaf": [1]}, cv=2)
    assert without(search.fit(FRAME, Y), [0], NAMES).estimator[1].max_features == 3


@pytest.mark.parametrize("nominal", [[1, 3], [False, True, False, True], ["X2", "X4"]])
def test_a_losaw_forest_keeps_its_nominal_features(nominal):
    kept = without(LosawRandomForestRegressor(nominal_features=nominal), [0], NAMES)
    if nominal[0] != "X2":
        nominal = [True, False, True]
    assert kept.nominal_features == nominal


KEPT = object()
# A model with a parameter that names columns, and what it says without X2.
NAMED = {
    "a word": (boosted(interaction_cst="pairwise", categorical_features="from_dtype"), KEPT),
    "names": (boosted(categorical_features=["X2", "X4"]), ["X4"]),
    "values by name": (boosted(monotonic_cst={"X1": 1, "X2": -1}), {"X1": 1}),
    "sets of names": (xgb(interaction_constraints=[["X2", "X3"], ["X1"]]), [["X3"], ["X1"]]),
    "a set that goes": (xgb(interaction_constraints=[["X2"], ["X3", "X1"]]), [["X3", "X1"]]),
    "numbers of columns": (SelectKBest(k=3), KEPT),
    **{
        f"draws {most!r} of four": (RandomForestRegressor(max_features=most), left)
        for most, left in (
            (4, 3), (2, KEPT), (0.5, 2), (np.float32(0.5), 2), ("sqrt", 2), ("log2", 2),
            (1.0, KEPT), (None, KEPT),
        )
    },
    "a share of each node": (boosted(max_features=0.5), KEPT),
}  # fmt: skip


@pytest.mark.parametrize(("share", "left"), [(1.0, 2), (0.5, "sqrt")])
def test_trees_of_an_ensemble_that_draws_columns_itself_keep_their_root(share, left):
    bagged = BaggingRegressor(DecisionTreeRegressor(max_features="sqrt"), max_features=share)
    assert without(bagged, [1], NAMES).estimator.max_features == left


@pytest.mark.parametrize("kind", NAMED)
def test_what_is_said_of_columns_is_said_of_those_that_are_left(kind):
    model, expected = NAMED[kind]
    before = clone(model).get_params()
    after = without(model, [1], NAMES).get_params()
    changed = [name for name in after if str(after[name]) != str(before[name])]
    if expected is KEPT:
        assert changed == []
    else:
        (name,) = changed
        assert after[name] == expected


class Foreign(BaseEstimator):
    """A model of another library, which takes parameters by any name, as lightgbm does."""

    def __init__(self, **named):
        self.named = named

    def get_params(self, deep=True):
        return self.named

    def set_params(self, **named):
        self.named.update(named)
        return self


PLACES = {
    "places": boosted(categorical_features=[2, 3]),
    "a mask": boosted(categorical_features=np.array([0, 1, 1, 0], bool)),
    "sets": boosted(interaction_cst=[{1, 2}, [0, 3]]),
    "a value each": boosted(monotonic_cst=[1, -1, 0, 0]),
    "a forest's": RandomForestRegressor(2, monotonic_cst=[1, -1, 0, 0]),
    "text of sets": xgb(interaction_constraints="[[1, 2], [0, 3]]"),
    "values": xgb(monotone_constraints=(1, -1, 0, 0)),
    "text of values": xgb(monotone_constraints="(1,-1,0,0)"),
    "types": xgb(feature_types=["q", "q", "q", "c"]),
    "weights": xgb(feature_weights=[1.0, 2.0, 3.0, 4.0]),
    "levels": OneHotEncoder(categories=[list("ab"), list("cd"), list("ef"), list("gh")]),
    "of lightgbm": Foreign(categorical_feature=[2]),
    "of lightgbm, text": Foreign(categorical_column="0,2"),
    "of lightgbm, one": Foreign(categorical_feature=2),
    "of catboost": Foreign(cat_features=(0, 2)),
    "of an encoder": Foreign(cols=[1]),
    "of two": Foreign(column_groups=[("X1", "X2"), (2,)]),
    "of lightgbm, constraints": Foreign(monotone_constraints=[1, 0, 0, 0]),
    "a grid": GridSearchCV(boosted(), {"categorical_features": [[2], None]}),
    "arguments": FunctionTransformer(np.delete, kw_args={"columns": [2]}),
    "in a list": VotingRegressor([("b", boosted(categorical_features=[2]))]),
    "in a bag": BaggingRegressor(boosted(categorical_features=[2]), max_features=4),
    "behind a step": make_pipeline(PCA(4), boosted(monotonic_cst=[1, 0, 0, 0])),
    "ours behind a step": make_pipeline(PCA(4), LosawRandomForestRegressor(nominal_features=[1])),
    "a step": ColumnTransformer([("rest", "passthrough", [0, -3])]),
    "a mask of a step": ColumnTransformer([("rest", "passthrough", [True, True, False, True])]),
    "levels of a step": ColumnTransformer([("s", OneHotEncoder(categories=[[0, 1]]), ["X3"])]),
    "a step behind a step": make_pipeline(
        StandardScaler(), ColumnTransformer([("levels", OneHotEncoder(), [2])])
    ),
}


@pytest.mark.parametrize("kind", PLACES)
def test_places_of_any_library_are_refused(kind):
    with pytest.raises(ValueError, match=r"\w+ of \w+ names columns by place"):
        without(PLACES[kind], [0], NAMES)


def test_no_default_of_a_learner_names_columns_by_place():
    ours = (LosawRandomForestRegressor, LosawNetworkRegressor, PlainRandomForestRegressor)
    for kind in [*ours, *(kind for _, kind in all_estimators()), XGBRegressor]:
        if not getattr(kind, "_required_parameters", ()):
            try:
                model = kind()
            except TypeError:  # needs an argument
                continue
            require_names(model, NAMES, "")


@pytest.mark.parametrize("cv", [None, 3])
def test_loco_of_a_model_with_places_refits_what_a_function_makes(cv):
    def make(left):
        return boosted(categorical_features=[left.index(name) for name in ("X3",) if name in left])

    train, test = slice(0, 150), slice(150, 300)
    model = make(tuple(NAMES)).fit(X[train], Y[train])
    rows = {"cv": 3} if cv else {"train": (X[train], Y[train])}
    with pytest.raises(ValueError, match=r"features of Hist\w+ names columns by place.*without="):
        loco(model, X[test], Y[test], **rows)
    found = loco(model, X[test], Y[test], without=make, random_state=0, **rows)
    if cv is None:
        by_hand = make(("X1", "X3", "X4")).fit(X[train][:, [0, 2, 3]], Y[train])
        error = (Y[test] - by_hand.predict(X[test][:, [0, 2, 3]])) ** 2
        before = (Y[test] - model.predict(X[test])) ** 2
        assert found.scores[1] == pytest.approx((error - before).mean())
    assert found.scores[[0, 3]].min() > 0


def test_what_no_longer_fits_the_columns_is_refused_by_the_refit_with_a_remedy():
    knots = np.array([[-3.0] * 4, [0.0] * 4, [5.0] * 4])
    model = make_pipeline(SplineTransformer(knots=knots), Ridge()).fit(X, Y)
    with pytest.raises(ValueError, match=r"cannot be fitted without 'X1'.*features=, .*or use cpi"):
        loco(model, X[:100], Y[:100], train=(X, Y))


def test_copies_of_a_weighted_fit_are_fitted_with_its_weights():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((400, 3))
    y = table[:, 0] ** 2 + table[:, 0] + rng.standard_normal(400)
    weights = np.exp(table[:, 0])
    a, b = slice(0, 200), slice(200, 400)
    model = LinearRegression().fit(table[a], y[a], sample_weight=weights[a])
    train = (table[a], y[a], weights[a])
    found = loco(model, table[b], y[b], train=train, sample_weight=weights[b])
    copy = LinearRegression().fit(table[a, 1:], y[a], sample_weight=weights[a])
    increase = (y[b] - copy.predict(table[b, 1:])) ** 2 - (y[b] - model.predict(table[b])) ** 2
    assert found.scores[0] == pytest.approx(np.average(increase, weights=weights[b]))
    assert found.p_values[1] > 0.05
    with pytest.raises(ValueError, match="with which weights the model was fitted"):
        loco(model, table[b], y[b], train=train[:2], sample_weight=weights[b])
    with pytest.raises(ValueError, match="got 1 parts"):
        loco(model, table[b], y[b], train=(table[a],))


def test_names_behind_a_step_that_returns_frames_are_those_that_it_makes():
    step = ColumnTransformer(
        [("s", StandardScaler(), ["X1"])], remainder="passthrough", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    model = make_pipeline(step, boosted(categorical_features=["X3", "X4"])).fit(FRAME, Y)
    assert without(model, [2], NAMES)[1].categorical_features == ["X4"]


@pytest.mark.parametrize(("n_tested", "warns"), [(200, False), (201, True)])
@pytest.mark.parametrize("folds", [False, True])
def test_loco_warns_where_a_noisy_copy_can_have_a_small_p_value(n_tested, warns, folds):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((240, 2))
    y = X[:, 0] + rng.standard_normal(240)
    train = X[n_tested:], y[n_tested:]
    options = {"cv": 3, "random_state": 0} if folds else {"train": train}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loco(LinearRegression().fit(*train), X[:n_tested], y[:n_tested], **options)
    said = [str(one.message) for one in caught if "noisy copy of a cause" in str(one.message)]
    assert len(said) == warns
    assert all(f"{n_tested} test rows" in words for words in said)


def fits_of(model, y, **options):
    """LOCO with half of the rows of the fit."""
    return loco(model.fit(X[:200], y[:200]), X[200:], y[200:], random_state=0, **options)


@pytest.mark.parametrize("options", [{"train": None, "cv": 3}, {"train": (X[:200], Y[:200])}])
@pytest.mark.parametrize(
    ("model", "loss", "made", "said"),
    [
        (LogisticRegression(), None, LinearSVC(), "LinearSVC has no predict_proba"),
        (LogisticRegression(), "brier", RidgeClassifier(), "has no predict_proba"),
        (LogisticRegression(), squared_error, LinearSVC(), "has no predict_proba"),
        (LogisticRegression(), "zero-one", LinearSVC(), None),
        (LinearSVC(), squared_error, LinearSVC(), None),
        (LogisticRegression(), None, LinearRegression(), "without made a LinearReg.*the model a c"),
        (LinearRegression(), None, LogisticRegression(), "without made a LogisticR.*does a class"),
    ],
)
def test_what_is_made_without_a_feature_is_scored_as_the_model_is(options, model, loss, made, said):
    y = (Y.mean() < Y).astype(int)
    options = options | {"train": options["train"] and (X[:200], y[:200])}
    if said is None:
        assert fits_of(model, y, loss=loss, without=lambda names: made, **options).scores[0] > 0
        return
    with pytest.raises(ValueError, match=said):
        fits_of(model, y, loss=loss, without=lambda names: made, **options)


@pytest.mark.parametrize("changed", [{2: 1}, {2: 3}, {1: 0, 2: 0}])
def test_rows_of_other_classes_than_those_of_the_fit_are_refused(changed):
    y = np.digitize(Y, np.quantile(Y, [0.3, 0.6]))
    other = np.array([changed.get(label, label) for label in y[:200].tolist()])
    with pytest.raises(ValueError, match=r"train has other classes .*: [12]\); give the rows of"):
        fits_of(LogisticRegression(), y, train=(X[:200], other))


def test_what_makes_the_reduced_model_makes_it_with_the_same_seed():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + 0.1 * rng.standard_normal(60)
    plain, made = (
        loco(forest(), X, y, cv=3, random_state=0, without=without).scores
        for without in (None, lambda names: forest())
    )
    np.testing.assert_array_equal(plain, made)


def forest():
    """A forest without a seed."""
    return RandomForestRegressor(5, max_features=1.0)


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_copies_of_a_model_with_a_generator_are_equal(make):
    model = LosawRandomForestRegressor(3, random_state=make(7))
    first, second = unfitted(model, 1), unfitted(model, 1)
    assert isinstance(first.random_state, int) and first.random_state == second.random_state
    other = unfitted(LosawRandomForestRegressor(3, random_state=make(8)), 1)
    assert other.random_state != first.random_state


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937])
@pytest.mark.parametrize("used", ["spawned", "restored"])
def test_models_without_a_seed_depend_on_the_state_of_the_generator_alone(bits, used):
    first = np.random.Generator(bits(0))
    other = np.random.Generator(bits(0 if used == "spawned" else 1))
    if used == "spawned":
        other.spawn(2)
    else:
        other.bit_generator.state = first.bit_generator.state
    scores = [
        loco(forest(), X[:60], Y[:60], cv=2, random_state=rng).scores for rng in (first, other)
    ]
    np.testing.assert_array_equal(*scores)
