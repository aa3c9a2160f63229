"""Forests on data frames with categories: what they read, how they split, what they refuse."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from losaw.forest import LosawRandomForestRegressor
from losaw.forest.adjustment import association

TOWNS = ["Ulm", "Aalen", "Linz", "Bern", "Graz"]
SIZES = ["S", "M", "L", "XL"]


def frame(n=300, seed=0):
    """A nominal, an ordered and two continuous columns, and a response that uses three of them."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal(n)
    town = np.digitize(hidden + rng.standard_normal(n), [-1.0, -0.3, 0.3, 1.0])
    size = np.digitize(hidden + rng.standard_normal(n), [-0.8, 0.0, 0.8])
    X = pd.DataFrame(
        {
            "town": pd.Categorical.from_codes(np.array([3, 1, 4, 0, 2])[town], TOWNS),
            "size": pd.Categorical.from_codes(size, SIZES, ordered=True),
            "age": hidden + rng.standard_normal(n),
            "height": rng.standard_normal(n),
        }
    )
    effect = np.array([2.0, -1.0, 0.5, 1.0, -2.0])[X["town"].cat.codes]
    return X, effect + size + hidden + 0.3 * rng.standard_normal(n)


def fitted(**parameters):
    X, y = frame()
    forest = LosawRandomForestRegressor(n_estimators=10, random_state=0, **parameters)
    return forest.fit(X, y), X, y


def test_categories_are_learned_from_the_dtypes():
    forest, X, _ = fitted()
    assert list(forest.feature_names_in_) == ["town", "size", "age", "height"]
    assert forest.is_nominal_.tolist() == [True, False, False, False]
    assert forest.is_discrete_.tolist() == [True, True, False, False]
    assert forest.categories_ == {"town": TOWNS, "size": SIZES}
    np.testing.assert_array_equal(forest.numeric_rows(X)[:, 0], X["town"].cat.codes)
    assert forest.feature_importances_[0] > 0.2


class Subclass(pd.DataFrame):
    """As frames with a geometry are."""

    @property
    def _constructor(self):
        return Subclass


def test_a_frame_of_a_subclass_is_a_frame():
    forest, X, y = fitted()
    again = LosawRandomForestRegressor(n_estimators=10, random_state=0).fit(Subclass(X), y)
    assert again.categories_ == forest.categories_
    np.testing.assert_array_equal(again.predict(Subclass(X)), forest.predict(X))
    np.testing.assert_array_equal(forest.predict(Subclass(X)), forest.predict(X))


def test_an_ordered_category_that_is_taken_as_nominal_keeps_the_names_of_its_levels():
    forest, _, _ = fitted(nominal_features=["town", "size"])
    assert forest.categories_ == {"town": TOWNS, "size": SIZES}


def test_thresholds_of_ordered_categories_are_ranks_and_of_nominal_ones_sets():
    forest, _, _ = fitted()
    for tree in forest.trees_:
        nominal = tree.feature == 0
        assert np.isnan(tree.threshold[nominal]).all()
        assert (tree.left_levels[nominal] & np.uint64(0b11111) != 0).all()
        assert (tree.left_levels[~nominal] == 0).all()
        assert set(tree.threshold[tree.feature == 1]) <= {0.0, 1.0, 2.0}


def test_ordered_categories_are_the_discrete_feature_of_their_ranks():
    X, y = frame()
    coded = X.assign(size=X["size"].cat.codes.astype(float))
    a = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    b = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(coded, y)
    np.testing.assert_array_equal(a.predict(X), b.predict(coded))


@pytest.mark.parametrize("labels", [("no", "yes"), ("yes", "no")])
def test_two_levels_are_a_column_of_zeros_and_ones(labels):
    X, y = frame()
    binary = (X["town"].cat.codes > 1).to_numpy()
    with_levels = X.assign(town=pd.Categorical.from_codes(binary.astype(int), labels))
    numeric = X.assign(town=binary.astype(float))
    a = LosawRandomForestRegressor(n_estimators=10, random_state=0).fit(with_levels, y)
    b = LosawRandomForestRegressor(n_estimators=10, random_state=0).fit(numeric, y)
    np.testing.assert_array_equal(a.adjustment_, b.adjustment_)
    np.testing.assert_array_equal(a.predict(with_levels), b.predict(numeric))
    np.testing.assert_allclose(a.feature_importances_, b.feature_importances_, rtol=1e-12)


def test_the_order_in_which_nominal_levels_are_declared_does_not_matter():
    # with all features drawn: the child that is drawn for first depends on the side it is on
    forest, X, y = fitted(max_features=None)
    other = X.assign(town=X["town"].cat.reorder_categories(sorted(TOWNS)))
    again = clone(forest).fit(other, y)
    np.testing.assert_allclose(forest.predict(X), again.predict(other), atol=1e-6)
    # what the fit learned, not what another frame declares, says which level is which
    np.testing.assert_array_equal(forest.predict(X), forest.predict(other))
    text = X.assign(town=X["town"].astype(str), size=X["size"].astype(str))
    np.testing.assert_array_equal(forest.predict(X), forest.predict(text))


def test_the_sign_of_the_response_does_not_matter():
    forest, X, y = fitted()
    np.testing.assert_allclose(clone(forest).fit(X, -y).predict(X), -forest.predict(X), atol=1e-9)


def test_sets_of_levels_fit_better_than_codes_in_an_arbitrary_order():
    X, y = frame(600)
    codes = X.assign(town=X["town"].cat.codes.astype(float))
    forest = LosawRandomForestRegressor(n_estimators=30, max_depth=3, random_state=0)
    as_sets, as_order = (
        clone(forest).fit(rows[:300], y[:300]).score(rows[300:], y[300:]) for rows in (X, codes)
    )
    assert as_sets > as_order + 0.05


def test_nominal_features_can_be_named_where_there_is_no_dtype():
    forest, X, y = fitted()
    codes = X.assign(town=10.0 + 5 * X["town"].cat.codes, size=X["size"].cat.codes.astype(float))
    by_name = clone(forest).set_params(nominal_features=["town"]).fit(codes, y)
    by_mask = clone(forest).set_params(nominal_features=[True, False, False, False])
    np.testing.assert_array_equal(forest.predict(X), by_name.predict(codes))
    np.testing.assert_array_equal(
        forest.predict(X), by_mask.fit(codes.to_numpy(), y).predict(codes.to_numpy())
    )
    assert by_name.categories_ == {"town": [10.0, 15.0, 20.0, 25.0, 30.0]}


def test_polars_frames_are_read_alike():
    polars = pytest.importorskip("polars")
    forest, X, y = fitted(max_features=None)
    theirs = polars.DataFrame(
        {
            "town": polars.Series(X["town"].astype(str).tolist()).cast(polars.Categorical),
            "size": polars.Series(X["size"].astype(str).tolist()).cast(polars.Enum(SIZES)),
            "age": X["age"].to_numpy(),
            "height": X["height"].to_numpy(),
        }
    )
    again = clone(forest).fit(theirs, y)
    assert again.categories_ == {"town": sorted(TOWNS), "size": SIZES}
    np.testing.assert_allclose(again.predict(theirs), forest.predict(X), atol=1e-6)
    np.testing.assert_array_equal(forest.predict(theirs), forest.predict(X))


def test_pickled_forests_predict_alike_and_the_frame_is_left_alone():
    forest, X, _ = fitted()
    before = X.copy()
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.predict(X), forest.predict(X))
    pd.testing.assert_frame_equal(X, before)


def test_a_level_without_rows_goes_to_the_child_with_more_of_them():
    X, y = frame()
    few = X.assign(town=X["town"].where(X["town"] != "Linz").cat.remove_unused_categories())
    few["town"] = few["town"].fillna("Bern")
    forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(few, y)
    assert forest.categories_["town"] == ["Ulm", "Aalen", "Bern", "Graz"]
    with pytest.warns(UserWarning, match=r"'town' has levels .* \(Linz\)"):
        leaves = forest.apply(X)
    rows = forest.numeric_rows(few)
    for row in np.flatnonzero(X["town"] == "Linz")[:5]:
        for t, tree in enumerate(forest.trees_):
            node = 0
            while tree.feature[node] >= 0:
                left, right = tree.children_left[node], tree.children_right[node]
                is_left = rows[row, tree.feature[node]] <= tree.threshold[node]
                if tree.feature[node] == 0:
                    is_left = tree.n_samples[left] >= tree.n_samples[right]
                node = left if is_left else right
            assert leaves[row, t] == node


def test_a_declared_level_without_rows_and_a_category_called_continuous_change_nothing():
    forest, X, y = fitted()
    larger = X.assign(size=X["size"].cat.add_categories("XXL"))
    np.testing.assert_array_equal(forest.predict(larger), forest.predict(X))
    again = LosawRandomForestRegressor(n_estimators=1, discrete_features=[]).fit(X, y)
    assert again.is_discrete_.tolist() == [True, True, False, False]


def test_the_association_of_nominal_features_is_near_zero_without_any():
    rng = np.random.default_rng(0)
    many = rng.integers(0, 40, 2000).astype(float)
    others = [rng.standard_normal(2000), rng.integers(0, 30, 2000).astype(float)]
    assert association(many, others[0], True, False) < 0.1
    assert association(many, others[1], True, True) < 0.1
    assert association(many, np.sin(many), True, False) == pytest.approx(1.0)
    assert association(many, many, True, True) == pytest.approx(1.0)
    # by hand: groups (0, 0), (1, 3), (5, 5) around 7/3: within 2, in all 2 + 64/3
    x, z = np.array([0.0, 0, 1, 1, 2, 2]), np.array([0.0, 0, 1, 3, 5, 5])
    r_squared = 1 - 2 / ((z - z.mean()) ** 2).sum()
    expected = np.sqrt(1 - (1 - r_squared) * 5 / 3)
    assert association(x, z, True, False) == pytest.approx(expected)
    assert association(z, x, False, True) == pytest.approx(expected)
