"""A model without some of its columns has the settings that it had, at the places that are left."""

import inspect
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    BaggingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    StackingRegressor,
    VotingRegressor,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    SplineTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import all_estimators
from xgboost import XGBClassifier, XGBRegressor

from losaw import LosawRandomForestRegressor
from losaw.importance import loco
from losaw.importance.without_columns import LISTS, SETS, VALUES, without
from losaw.study.learners.ranger_forest import RangerForest
from losaw.study.registry import get, names

NAMES = ["X1", "X2", "X3", "X4"]
RNG = np.random.default_rng(0)
X = np.column_stack([RNG.standard_normal((300, 2)), RNG.integers(0, 3, (300, 2))])
Y = X[:, 0] + X[:, 3] + RNG.standard_normal(300)


def boosted(**named):
    return HistGradientBoostingRegressor(max_iter=2, **named)


def xgb(**named):
    return XGBRegressor(n_estimators=2, max_depth=2, **named)


def of_step(model, left_out, place=-1):
    return without(model.fit(X, Y), [left_out], NAMES)[place].categorical_features


def test_positions_behind_steps_that_keep_the_columns_move_up():
    model = make_pipeline(SimpleImputer(), StandardScaler(), boosted(categorical_features=[2, 3]))
    assert of_step(model, 0) == [1, 2] and of_step(model, 2) == [2] and of_step(model, 3) == [2]


def test_positions_behind_an_encoder_are_those_of_the_columns_that_it_makes():
    encoder = ColumnTransformer([("levels", OneHotEncoder(), [2]), ("rest", "passthrough", [3, 0])])
    model = make_pipeline(encoder, boosted(categorical_features=[0, 3]))
    assert of_step(model, 0) == [0, 3] and of_step(model, 2) == [0] and of_step(model, 3) == [0]


def test_a_column_transformer_behind_a_step_loses_the_column():
    encoder = ColumnTransformer([("levels", OneHotEncoder(), [2])], remainder="passthrough")
    model = make_pipeline(SimpleImputer(), encoder, Ridge()).fit(X, Y)
    assert without(model, [0], NAMES)[1].transformers[0][2] == [1]
    assert without(model, [2], NAMES)[1].transformers == []


def test_positions_within_a_column_transformer_are_of_its_own_columns():
    inner = make_pipeline(SimpleImputer(), ColumnTransformer([("levels", OneHotEncoder(), [-1])]))
    model = make_pipeline(ColumnTransformer([("part", inner, [0, 3, 2])]), Ridge()).fit(X, Y)
    ((_, left, columns),) = without(model, [3], NAMES)[0].transformers
    assert columns == [0, 2] and left[1].transformers[0][2] == [1]


def test_models_of_a_list_lose_the_column_and_what_sees_predictions_keeps_its_own():
    forest = RandomForestRegressor(2, max_features=0.5)
    listed = [("boosting", boosted(categorical_features=[2])), ("forest", forest)]
    for model in (VotingRegressor(listed), StackingRegressor(listed, forest, cv=2)):
        copy = without(model.fit(X, Y), [0], NAMES)
        parts = dict(copy.estimators)
        assert parts["boosting"].categorical_features == [1]
        assert parts["forest"].max_features == 2
    assert copy.final_estimator.max_features == 0.5


def test_a_forest_in_a_pipeline_draws_as_many_of_the_columns_that_are_made():
    encoder = ColumnTransformer([("levels", OneHotEncoder(), [2, 3]), ("rest", "passthrough", [0])])
    model = make_pipeline(encoder, RandomForestRegressor(2, max_features=0.5)).fit(X, Y)
    assert without(model, [0], NAMES)[1].max_features == 3
    assert without(model, [2], NAMES)[1].max_features == 3


@pytest.mark.parametrize("nominal", [[1, 3], [False, True, False, True], ["X2", "X4"]])
def test_a_losaw_forest_keeps_its_nominal_features(nominal):
    kept = without(LosawRandomForestRegressor(nominal_features=nominal), [0], NAMES)
    if nominal[0] != "X2":
        nominal = [True, False, True]
    assert kept.nominal_features == nominal


KEPT = object()
# A model with a parameter that names columns, and what it says without X2.
NAMED = {
    "sets": (boosted(interaction_cst=[{1, 2}, [0, 3]]), [[1], [0, 2]]),
    "a set that goes": (boosted(interaction_cst=[{1}, {2, 3}]), [[1, 2]]),
    "a word": (boosted(interaction_cst="pairwise"), KEPT),
    "places": (boosted(categorical_features=[2, 3]), [1, 2]),
    "a mask": (boosted(categorical_features=np.array([0, 1, 1, 0], bool)), [False, True, False]),
    "a value each": (boosted(monotonic_cst=[1, -1, 0, 0]), [1, 0, 0]),
    "values by name": (boosted(monotonic_cst={"X1": 1, "X2": -1}), {"X1": 1}),
    "trees": (RandomForestRegressor(2, monotonic_cst=[1, -1, 0, 0]), [1, 0, 0]),
    "xgboost, text": (xgb(interaction_constraints="[[1, 2], [0, 3]]"), "[[1], [0, 2]]"),
    "xgboost, names": (xgb(interaction_constraints=[["X2", "X3"], ["X1"]]), [["X3"], ["X1"]]),
    "xgboost, values": (xgb(monotone_constraints=(1, -1, 0, 0)), (1, 0, 0)),
    "xgboost, text of values": (xgb(monotone_constraints="(1,-1,0,0)"), "(1, 0, 0)"),
    "xgboost, by name": (xgb(monotone_constraints={"X2": -1, "X4": 1}), {"X4": 1}),
    "xgboost, types": (xgb(feature_types=["q", "q", "q", "c"]), ["q", "q", "c"]),
    "xgboost, weights": (xgb(feature_weights=[1.0, 2.0, 3.0, 4.0]), [1.0, 3.0, 4.0]),
    "levels": (OneHotEncoder(categories=[[0], [1], [2], [3]]), [[0], [2], [3]]),
    "levels dropped": (OneHotEncoder(drop=[0, 1, 2, 3]), [0, 2, 3]),
    "bins": (KBinsDiscretizer(n_bins=[2, 3, 4, 5]), [2, 4, 5]),
    "nominal, by position": (RangerForest(nominal=[0, 1, 3]), [0, 2]),
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


@pytest.mark.parametrize(
    ("step", "learner"),
    [
        (PCA(4), boosted(categorical_features=[2])),
        (SelectKBest(k=3), boosted(categorical_features=[2])),
        (PCA(4), boosted(interaction_cst=[{1, 2}])),
        (PCA(4), boosted(monotonic_cst=[1, 0, 0, 0])),
        (PCA(4), xgb(interaction_constraints="[[0, 1]]")),
        (PCA(4), xgb(monotone_constraints=(1, 0, 0, 0))),
    ],
    ids=lambda one: type(one).__name__,
)
def test_positions_behind_a_step_that_mixes_or_selects_columns_are_refused(step, learner):
    fitted = step.fit(X, Y)
    with pytest.raises(ValueError, match=r"(features|cst|constraints) of \w+ names columns by pos"):
        without(make_pipeline(fitted, learner), [0], NAMES)
    assert without(make_pipeline(fitted, Ridge()), [0], NAMES)
    kept = make_pipeline(StandardScaler(), learner).fit(X, Y)
    assert str(without(kept, [0], NAMES)[-1].get_params()) != str(learner.get_params())


@pytest.mark.parametrize("make", [HistGradientBoostingRegressor, XGBRegressor])
def test_loco_under_constraints_is_that_of_refits_by_hand(make):
    rng = np.random.default_rng(0)
    table = rng.standard_normal((300, 3))
    y = table[:, 0] + table[:, 1] * table[:, 2] + 0.1 * rng.standard_normal(300)
    train, test = slice(0, 150), slice(150, 300)

    def constrained(sets):
        if make is XGBRegressor:  # takes positions as text only
            return make(interaction_constraints=str(sets))
        return make(interaction_cst=sets)

    fitted = constrained([[1, 2]]).fit(table[train], y[train])
    found = loco(fitted, table[test], y[test], train=(table[train], y[train]))
    for out, left in enumerate(([[0, 1]], [[1]], [[1]])):
        kept = [column for column in range(3) if column != out]
        by_hand = constrained(left).fit(table[train][:, kept], y[train])
        error = (y[test] - by_hand.predict(table[test][:, kept])) ** 2
        before = (y[test] - fitted.predict(table[test])) ** 2
        assert found.scores[out] == pytest.approx((error - before).mean())
        spread = (error - before).std(ddof=1)
        assert found.std_error[out] == pytest.approx(spread / np.sqrt(150))


# Of these a refit refuses what no longer fits the columns, so that nothing is wrong in silence.
REFUSED_BY_A_REFIT = {
    "V_init", "connectivity", "covariance_prior", "dict_init", "dictionary", "init", "knots",
    "mean_prior", "means_init", "noise_variance_init", "precisions_init", "precompute", "seeds",
}  # fmt: skip
# These speak of numbers of columns, of columns that are made, or of rows.
NAMES_NO_COLUMN = {
    "features", "interaction_only", "keep_empty_features", "kernel_sizes", "max_categories",
    "K_fit_rows_", "See", "affinity", "alpha", "alternate_sign", "analyzer", "batch_size",
    "bootstrap_features", "class_weight", "colsample_bylevel", "colsample_bynode",
    "colsample_bytree", "compute_full_tree", "degrees_of_freedom_prior", "density", "dual",
    "enable_categorical", "feature_name_combiner", "feature_names_in_", "feature_names_out",
    "feature_range", "feature_selector", "gamma", "gcv_mode", "importance_getter", "kernel",
    "linkage", "max_bins", "max_cat_threshold", "max_cat_to_onehot", "max_features",
    "max_features_", "max_iter", "max_subpopulation", "min_features_to_select",
    "missing_values", "mode", "n_components", "n_features", "n_features_in_",
    "n_features_to_select", "n_nonzero_coefs", "n_subsamples", "noise_variance", "percentile",
    "random_state", "reg_param", "shrinkage", "solver", "sort", "step", "strategy", "subsample",
    "support_fraction", "svd_solver", "tol", "transform_n_nonzero_coefs", "transformers",
    "use_legacy_attributes", "verbose_feature_names_out", "whiten_solver",
}  # fmt: skip
SPEAKS_OF_COLUMNS = re.compile(
    r"n_features|(each|per) (feature|column)|of features|(feature|column)s? (name|ind|numb)", re.I
)
NAMES_COLUMNS = re.compile(r"feature|column|constraint|categor|nominal|monoton|interact|one_hot")


def parameters_about_columns():
    """Parameters whose names or descriptions speak of columns, of three libraries."""
    learners = [get("learner", name) for name in names("learner")]
    ours = [learner.load() for learner in learners]
    theirs = [kind for _, kind in all_estimators()]
    found = set()
    for kind in [*theirs, XGBClassifier, XGBRegressor, LosawRandomForestRegressor, *ours]:
        if not inspect.isclass(kind):
            continue
        taken = set(inspect.signature(kind).parameters)
        found |= {name for name in taken if NAMES_COLUMNS.search(name)}
        for part in re.split(r"\n(?=\w[\w, ]*\s?:)", inspect.getdoc(kind) or ""):
            named = {name.strip() for name in part.partition(":")[0].split(",")}
            if SPEAKS_OF_COLUMNS.search(part):
                found |= named & taken
    return found


def test_every_parameter_that_can_name_a_column_is_known():
    known = {*LISTS, *VALUES, *SETS} | REFUSED_BY_A_REFIT | NAMES_NO_COLUMN
    assert parameters_about_columns() - known == set()


def test_what_no_longer_fits_the_columns_is_refused_by_the_refit_with_a_remedy():
    knots = np.array([[-3.0] * 4, [0.0] * 4, [5.0] * 4])
    model = make_pipeline(SplineTransformer(knots=knots), Ridge()).fit(X, Y)
    with pytest.raises(ValueError, match=r"cannot be fitted without 'X1'.*features=, or use cpi"):
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
    frame = pd.DataFrame(X, columns=NAMES)
    step = ColumnTransformer(
        [("s", StandardScaler(), ["X1"])], remainder="passthrough", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    model = make_pipeline(step, boosted(categorical_features=["X3", "X4"])).fit(frame, Y)
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


class Foreign(DecisionTreeRegressor):
    """A model of another library, which names columns in its own way."""

    def __init__(self, cat_features=None, column_groups=None):
        super().__init__()
        self.cat_features, self.column_groups = cat_features, column_groups


@pytest.mark.parametrize("named", [{"cat_features": [2]}, {"column_groups": [(0, 1), (2,)]}])
def test_places_under_names_of_other_libraries_are_refused(named):
    with pytest.raises(ValueError, match=f"{next(iter(named))} of Foreign names columns by place"):
        without(make_pipeline(StandardScaler(), Foreign(**named)).fit(X, Y), [0], NAMES)
