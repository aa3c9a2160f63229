"""Refused refits, dates, whole numbers beyond floats, labels in lists."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from losaw import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.forest import PlainRandomForestRegressor
from losaw.network import NetworkRegressor
from losaw.support.arguments import check_same_order

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 8))
Y = X[:, 4] + X[:, 0]
FORESTS = {
    "losaw": (LosawRandomForestRegressor(3, random_state=0), Y),
    "classes": (LosawRandomForestClassifier(3, random_state=0), Y > 0),
    "plain": (PlainRandomForestRegressor(3, random_state=0), Y),
}
# Not the network of tests/unit/support/test_extras.py: a compiled one needs JAX no longer.
NETWORK = NetworkRegressor(2, batch_size=8, kernel_sizes=(2, 1), filters=(2, 2), random_state=0)


@pytest.mark.parametrize(
    "refused",
    [
        lambda model, y: model.fit(X[:, :1], np.ones(80)),
        lambda model, y: model.fit(np.full((80, 2), np.nan), y),
        lambda model, y: model.fit(X[:, :2], y[:70]),
        lambda model, y: model.set_params(**{model.which: -1}).fit(X[:, :2], y),
        lambda model, y: model.fit(pd.DataFrame(X[:, :2], columns=["a", "a"]), y),
    ],
)
@pytest.mark.parametrize("name", [*FORESTS, "network"])
def test_a_refused_refit_leaves_an_unfitted_estimator(name, refused):
    model, y = {**FORESTS, "network": (NETWORK, Y)}[name]
    model = type(model)(**model.get_params()).fit(X, y)
    model.which = "n_steps" if name == "network" else "n_estimators"
    try:
        refused(model, y)
    except ValueError:
        with pytest.raises(NotFittedError):
            model.predict(X[:, : model.n_features_in_])
    else:  # the plain forest takes a constant response
        assert name == "plain" and model.predict(X[:, :1]).shape == (80,)


DAYS = np.datetime64("2024-01-01") + np.arange(80)
HOLE = np.where(np.arange(80) == 5, np.datetime64("NaT"), DAYS)


@pytest.mark.parametrize(
    "rows",
    [
        DAYS[:, None],
        HOLE.astype("datetime64[ns]")[:, None],
        (DAYS - DAYS[0])[:, None],
        pd.DataFrame({"day": DAYS}),
        pd.DataFrame({"x": X[:, 0], "day": DAYS - DAYS[0]}),
        pd.DataFrame({"x": X[:, 0], "day": pd.Series(DAYS).dt.tz_localize("UTC")}),
    ],
)
def test_dates_and_durations_are_refused(rows):
    for model, y in (*FORESTS.values(), (NETWORK, Y)):
        with pytest.raises((TypeError, ValueError), match=r"dates or (durations|times)"):
            model.fit(rows, y)
    given = rows if hasattr(rows, "columns") else pd.DataFrame(rows)
    numbers = given.apply(lambda column: pd.Series(X[:, 0]))
    model = PlainRandomForestRegressor(2).fit(numbers, Y)
    with pytest.raises(ValueError, match="dates or durations"):
        model.predict(given)


@pytest.mark.parametrize(
    "to",
    [
        np.asarray,
        pd.DataFrame,
        lambda rows: pd.DataFrame(rows, dtype="Int64"),
        np.ndarray.tolist,
        lambda rows: rows.astype(object),
    ],
)
def test_whole_numbers_beyond_floats_are_refused(to):
    long = 2**60 + np.arange(80)
    for model, y in (*FORESTS.values(), (NETWORK, Y)):
        with pytest.raises(ValueError, match=r"whole numbers beyond 2\^53"):
            model.fit(to(np.column_stack([long, long])), y)
        if y is Y:
            with pytest.raises(ValueError, match=r"y holds whole numbers beyond 2\^53"):
                model.fit(X, long)


@pytest.mark.parametrize("bad", [float("nan"), None, pd.NA])
def test_missing_labels_in_lists_are_no_class(bad):
    with pytest.raises(ValueError, match="y has 1 missing values"):
        LosawRandomForestClassifier(2).fit(X, ["a", bad] + ["b", "a"] * 39)
    with pytest.raises(ValueError, match="both text"):
        LosawRandomForestClassifier(2).fit(X, ["a", 1] + ["b", "a"] * 39)
    forest = LosawRandomForestClassifier(2, random_state=0).fit(X, ["a", "b"] * 40)
    assert forest.classes_.dtype.kind == "U"


def test_lazy_frames_of_polars_are_rows_to_predict():
    frame = pl.DataFrame(X, schema=list("abcdefgh")).with_columns(t=pl.Series(["u", "v"] * 40))
    frame = frame.with_columns(pl.col("t").cast(pl.Categorical))
    forest = LosawRandomForestRegressor(2, random_state=0).fit(frame.lazy(), Y)
    np.testing.assert_array_equal(forest.predict(frame.lazy()), forest.predict(frame))


@pytest.mark.parametrize("model", [*(forest for forest, _ in FORESTS.values()), NETWORK])
def test_rows_of_one_dimension_and_text_in_an_array_are_named(model):
    frame, y = pd.DataFrame(X, columns=list("abcdefgh")), (Y > 0).astype(int)
    with pytest.raises(ValueError, match=r"(?i)2.dimensional|2D array"):
        model.fit(frame["a"], y)
    with pytest.raises(ValueError, match=r"(?i)2.dimensional|2D array"):
        model.fit(frame, y).predict(frame.iloc[0])
    with pytest.raises(ValueError, match=r"(?i)2.dimensional|2D array"):
        model.fit(pl.Series(X[:, 0]), y)
    text = X.astype(object)
    text[3, 2] = "many"
    for rows in (text, text.tolist(), np.where(text == "many", "many", X.astype(str))):
        with pytest.raises(ValueError, match=r"column 2 of X holds .*many.*OrdinalEncoder"):
            model.fit(rows, y)


@pytest.mark.parametrize("model", [forest for forest, _ in FORESTS.values()])
def test_no_column_and_too_many_trees_are_refused_and_any_depth_is_taken(model):
    model, y = type(model)(2, random_state=0), (Y > 0).astype(int)
    with pytest.raises(ValueError, match="X has no columns"):
        model.fit(pd.DataFrame(index=range(80)), y)
    for name in {"n_estimators", "n_initial_estimators"} & {*model.get_params()}:
        with pytest.raises(ValueError, match=f"{name} must be .* at most 1000000"):
            type(model)(**{name: 10**20}).fit(X, y)
    deep = type(model)(2, max_depth=10**20, random_state=0).fit(X, y)
    np.testing.assert_array_equal(deep.predict(X), model.fit(X, y).predict(X))


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [1.0, 2.0]])
def test_class_labels_in_a_column_of_objects_are_what_they_are(labels):
    y = np.take(labels, Y > 0)
    frame = pd.DataFrame({"y": pd.Series(list(y), dtype=object), "text": "a"})
    model = LosawRandomForestClassifier(3, random_state=0).fit(X, frame.iloc[:, 0])
    assert model.classes_.tolist() == labels and model.classes_.dtype == y.dtype


def equal_indexes():
    days = pd.date_range("2024-01-01", periods=80, tz="UTC")
    numbers = pd.RangeIndex(80)
    letters = [f"{number:02d}" for number in range(80)]
    yield numbers, pd.Index(range(80), dtype="Int64")
    yield numbers, pd.Index(range(80), dtype="int64[pyarrow]")
    yield pd.Index([*range(79), pd.NA], dtype="Int64"), pd.Index([*range(79), None], dtype=object)
    yield pd.Index([*range(79), np.nan]), pd.Index([*range(79), np.nan], dtype=object)
    yield days, days.tz_convert("Europe/Berlin")
    yield pd.CategoricalIndex(letters), pd.CategoricalIndex(letters, ordered=True)
    yield pd.CategoricalIndex(letters), pd.Index(letters)


@pytest.mark.parametrize(("of_rows", "of_responses"), [*equal_indexes()])
def test_rows_are_in_one_order_whatever_the_types_of_their_labels(of_rows, of_responses):
    check_same_order(pd.DataFrame(X, of_rows), "y", pd.Series(Y, of_responses))
    with pytest.raises(ValueError, match="in another order"):
        check_same_order(pd.DataFrame(X, of_rows), "y", pd.Series(Y, of_responses[::-1]))


@pytest.mark.parametrize("forest", ["losaw", "plain"])
@pytest.mark.parametrize("power", [-200, 80, 300, 490])
def test_the_unit_of_the_response_does_not_matter(forest, power):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((600, 3))
    rows[:, 0] *= 100
    rows[:, 1] = rows[:, 0] + 0.5 * rows[:, 1]
    rows[5, 1] += 60  # its weights are the largest that there are
    y = rows[:, 0] / 100 + 0.5 * rows[:, 2] + 0.3 * rng.standard_normal(600)
    model = type(FORESTS[forest][0])(5, random_state=0)
    one, other = model.fit(rows, y).trees_, model.fit(rows, np.ldexp(y, power)).trees_
    for tree, scaled in zip(one, other, strict=True):
        np.testing.assert_array_equal(scaled.threshold, tree.threshold)
        np.testing.assert_array_equal(scaled.value, np.ldexp(tree.value, power))
        np.testing.assert_array_equal(scaled.impurity, np.ldexp(tree.impurity, 2 * power))


def test_a_level_that_was_not_seen_is_named_with_its_column():
    sizes = pd.CategoricalDtype(["S", "M", "L"], ordered=True)
    frame = pd.DataFrame(
        {"size": pd.Series(["S", "M"] * 40, dtype=sizes), "town": [1, 2, 3, 4] * 20}
    )
    model = LosawRandomForestRegressor(3, random_state=0, nominal_features=["size", "town"])
    model.fit(frame.assign(x=Y), Y)
    with pytest.warns(UserWarning) as said:
        model.predict(
            pd.DataFrame({"size": pd.Series(["L"], dtype=sizes), "town": [9], "x": [0.0]})
        )
    words = " ".join(str(warning.message) for warning in said)
    assert "column 'size'" in words and "(L)" in words
    assert "column 'town'" in words and "(9" in words


def test_a_declared_level_without_rows_goes_where_its_rank_says():
    sizes = pd.CategoricalDtype(["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"size": pd.Series(np.where(Y > 0, "L", "S"), dtype=sizes)})
    model = LosawRandomForestRegressor(3, random_state=0).fit(frame, Y)
    small, medium, large = model.predict(
        pd.DataFrame({"size": pd.Series(list("SML"), dtype=sizes)})
    )
    assert small < large and medium == large
