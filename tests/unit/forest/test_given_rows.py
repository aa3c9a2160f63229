"""Refused refits, dates, whole numbers beyond floats, labels in lists."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from losaw import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.forest import PlainRandomForestRegressor
from losaw.network import NetworkRegressor

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
    "to", [np.asarray, pd.DataFrame, lambda rows: pd.DataFrame(rows, dtype="Int64")]
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
