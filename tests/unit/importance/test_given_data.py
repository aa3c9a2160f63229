"""Data as people give them: models that write into rows, lists, folds, exact functions, units."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from losaw.importance import cpi, hierarchy, loco, mdi, mdi_oob, pfi, sage, subgroups, ufi
from losaw.scoring.result import ImportanceResult
from losaw.trends import linear_coefficient
from losaw.weighting import GaussianLinear, NormalDensity

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 3)) + 5
Y = X[:, 0] + X[:, 1] / 2 + RNG.standard_normal(120)
HOLES = np.where(RNG.uniform(size=X.shape) < 0.1, np.nan, X)
SCORES = {"pfi": pfi, "cpi": cpi, "loco": loco, "subgroups": subgroups, "sage": sage}
OF_TREES = {"ufi": ufi, "mdi": mdi, "mdi oob": mdi_oob}


class Writing(LinearRegression):
    """A model that uses the rows that it is given as its own."""

    def __init__(self, copies=True):
        super().__init__()
        self.copies = copies

    def predict(self, X):
        # Of a frame pandas allows no writing.
        rows = np.array(X, copy=self.copies or isinstance(X, pd.DataFrame) or None)
        rows -= 5
        return super().predict(rows)


def doubled(X, copies):
    rows = X.copy() if copies else X
    rows *= 2
    return rows


def doubling(copies):
    more = {"kw_args": {"copies": copies}, "feature_names_out": "one-to-one"}
    return FunctionTransformer(doubled, **more)


MODELS = {
    "scaler": (lambda c, last: make_pipeline(StandardScaler(copy=c), last), X),
    "imputer": (lambda c, last: make_pipeline(SimpleImputer(copy=c), last), HOLES),
    "function": (lambda c, last: make_pipeline(doubling(c), last), X),
    "own": (lambda c, last: Writing(c), X),
}


@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize(
    ("kind", "make"), [("scaler", "frame"), *((kind, "array") for kind in MODELS)]
)
def test_a_model_that_writes_into_its_rows_changes_no_score_and_no_data(kind, cv, make):
    of_model, rows = MODELS[kind]
    given = rows.copy() if make == "array" else pd.DataFrame(rows.copy(), columns=list("abc"))
    for name, score in SCORES.items():
        scores = []
        for copies in (True, False):
            model = of_model(copies, LinearRegression())
            more = {"cv": cv}
            if cv is None:
                model.fit(given[:60].copy(), Y[:60])
                more = {"train": (given[:60], Y[:60])} if name == "loco" else {}
            scores.append(score(model, given[60:], Y[60:], random_state=0, **more).scores)
        # A copy may lie in memory in another order, which moves last bits.
        np.testing.assert_allclose(*scores, rtol=1e-9, atol=1e-12, err_msg=name)
        np.testing.assert_array_equal(given, rows, name)


@pytest.mark.parametrize("kind", ["scaler", "imputer", "function"])
def test_importances_of_trees_leave_the_rows_as_they_are(kind):
    of_model, rows = MODELS[kind]
    for name, score in OF_TREES.items():
        given, forest = rows.copy(), RandomForestRegressor(5, random_state=0)
        model = of_model(False, forest).fit(rows.copy(), Y)
        score(model, given, Y)
        np.testing.assert_array_equal(given, rows, name)


@pytest.mark.parametrize("draw", ["integers", "normal", "near copies", "large"])
def test_of_an_exact_function_of_the_features_rounding_is_not_found(draw):
    """Over .35 of 100 tables would be found at .05, of loco .18, without the bound."""
    found = {"coefficient": 0, "standardised": 0, "loco": 0, "loco, absolute": 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        A = rng.standard_normal((90, 3))
        A = {"integers": np.round(3 * A), "large": 1e6 + A}.get(draw, A)
        if draw == "near copies":
            A[:, 1] = A[:, 0] + 1e-3 * A[:, 1]
        y = 2 * A[:, 0] - A[:, 1]
        train = A[:60], y[:60]
        model = LinearRegression().fit(*train)
        found["coefficient"] += "X3" in linear_coefficient(A, y).select(fwer=0.05)
        found["standardised"] += "X3" in linear_coefficient(A, y, standardized=True).select(fdr=0.1)
        for name, loss in (("loco", None), ("loco, absolute", "absolute-error")):
            result = loco(model, A[60:], y[60:], train=train, loss=loss, random_state=0)
            found[name] += "X3" in result.select(fwer=0.05)
            assert set(result.select(fwer=0.05)) == {"X1", "X2"}
    assert set(found.values()) == {0}


FOLDS = [(list(range(60)), list(range(60, 120))), (list(range(60, 120)), list(range(60)))]


@pytest.mark.parametrize(
    "made", [list, tuple, np.array, pd.Index, lambda a: range(a[0], a[-1] + 1)]
)
def test_folds_are_any_sequences_of_row_numbers(made):
    cv = [(made(a), made(b)) for a, b in FOLDS]
    arrays = [(np.array(a), np.array(b)) for a, b in FOLDS]
    for name, score in SCORES.items():
        of = [score(LinearRegression(), X, Y, cv=folds, random_state=0) for folds in (cv, arrays)]
        np.testing.assert_array_equal(of[0].scores, of[1].scores, name)
    groups = {"g": ["X1", "X2"]}
    assert len(cpi(LinearRegression(), X, Y, cv=cv, groups=groups, random_state=0).scores) == 2
    hierarchy(LinearRegression(), X, Y, cv=cv, random_state=0)


@pytest.mark.parametrize(
    "values", [["a", "b", float("nan")], ["a", None, "b"], ("a", "b", np.nan), ["a", "b", pd.NA]]
)
def test_missing_labels_in_lists_are_missing(values):
    labels = list(values) * 40
    labels = tuple(labels) if isinstance(values, tuple) else labels
    with pytest.raises(ValueError, match="y has 40 missing values"):
        pfi(LogisticRegression(), X, labels, cv=3)
    with pytest.raises(ValueError, match="clusters has no label for row"):
        cpi(LinearRegression(), X, Y, cv=3, clusters=labels)


def test_numbers_beside_text_in_lists_stay_numbers():
    rows = [[int(i % 3), "uv"[i % 2]] for i in range(120)]
    y = np.arange(120) % 3 + np.arange(120) % 2
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LinearRegression()).fit(rows, y)
    of_array = pfi(model, np.array(rows, dtype=object), y, random_state=0).scores
    np.testing.assert_array_equal(pfi(model, rows, y, random_state=0).scores, of_array)
    assert (of_array > 0.1).all()


def test_error_bars_stand_at_their_features_on_axes_that_have_others():
    _, axes = plt.subplots(1, 2, sharey=True)
    for ax, scores in zip(axes, ([3.0, 2.0, 1.0], [1.0, 2.0, 3.0]), strict=True):
        of = np.array(scores)
        ImportanceResult(of, ("a", "b", "c"), std_error=of / 10, std_error_kind="k").plot(ax=ax)
        bars = {round(p.get_y() + p.get_height() / 2): p.get_width() for p in ax.patches}
        segments = ax.containers[-1].lines[2][0].get_segments()
        middles = {round(ends[0, 1]): ends[:, 0].mean() for ends in segments}
        assert middles == pytest.approx(bars)
    plt.close("all")


@pytest.mark.parametrize("value", [0.1, 1.1, 1e6 / 3])
@pytest.mark.parametrize("n", [10, 60, 1000])
def test_a_constant_has_no_density_whatever_rounding_leaves(value, n):
    with pytest.raises(ValueError, match="constant"):
        NormalDensity().fit(np.full(n, value))
    with pytest.raises(ValueError, match="linear function"):
        GaussianLinear().fit(np.full(n, value), np.linspace(0, 1, n))


FITTED = LinearRegression().fit(X, Y)


def test_a_loss_may_write_into_what_it_is_given():
    def writing(y, prediction):
        prediction -= y
        prediction **= 2
        return prediction

    for score, more in ((pfi, {}), (cpi, {"n_draws": 3}), (subgroups, {})):
        of = [score(FITTED, X, Y, loss=loss, random_state=0, **more) for loss in (writing, None)]
        np.testing.assert_array_equal(of[0].scores, of[1].scores)


def test_names_with_commas_stand_in_quotes_in_statements():
    frame = pd.DataFrame(X, columns=["a,b", "c", "d"])
    found = hierarchy(LinearRegression(), frame, 3 * X[:, 0], cv=4, random_state=0)
    assert any(words.startswith("“a,b” matters") for words in found.statements)
