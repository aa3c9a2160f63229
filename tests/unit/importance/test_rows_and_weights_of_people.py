"""Responses, row labels and weights as people have them: the right value or a clear refusal."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

import losaw.scoring.tests as scoring
from losaw import LosawRandomForestClassifier, LosawRandomForestRegressor
from losaw.importance import cpi, hierarchy, loco, pfi, residual_importance, sage, subgroups
from losaw.scoring.folds import fits
from losaw.scoring.rows import ScoringOptions, read_rows
from losaw.scoring.tests import Differences
from losaw.tables import read_table
from losaw.trends import linear_coefficient, target_correlation

N = 80
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.standard_normal((N, 3)), columns=list("abc"))
Y = X["a"] + RNG.standard_normal(N)
LINE = LinearRegression().fit(X.to_numpy(), Y.to_numpy())
LINE_OF_FRAME = LinearRegression().fit(X, Y)


LABELS = np.where(Y > 0, "yes", "no").astype(object)
MISSING_LABELS = {
    "object None": pd.Series(LABELS).where(Y.index != 3, None),
    "object NaN": pd.Series(LABELS).where(Y.index != 3, np.nan),
    "string": pd.Series(LABELS, dtype="string").where(Y.index != 3, pd.NA),
    "category": pd.Series(LABELS, dtype="category").where(Y.index != 3),
    "arrow": pd.Series(LABELS, dtype="string[pyarrow]").where(Y.index != 3, pd.NA),
    "boolean": pd.Series(LABELS == "yes", dtype="boolean").where(Y.index != 3, pd.NA),
    "Int64": pd.Series(LABELS == "yes", dtype="Int64").where(Y.index != 3, pd.NA),
    "float": pd.Series((LABELS == "yes").astype(float)).where(Y.index != 3),
    "list": [None if row == 3 else label for row, label in enumerate(LABELS)],
}


@pytest.mark.parametrize("dtype", MISSING_LABELS)
@pytest.mark.parametrize("function", [pfi, loco])
def test_missing_classes_are_named_by_their_row(dtype, function):
    y = MISSING_LABELS[dtype]
    known = pd.Series(y).dropna()
    classes = known.to_numpy(dtype=object if known.dtype.kind in "OTU" else None)
    classes = np.array(classes.tolist())
    model = LogisticRegression().fit(X.loc[known.index], classes)
    with pytest.raises(ValueError, match=r"y has 1 missing values \(first: row 3\)"):
        function(model, X, y)


@pytest.mark.parametrize("dtype", MISSING_LABELS)
def test_losaw_forests_name_the_row_of_a_missing_class(dtype):
    with pytest.raises(ValueError, match=r"y has 1 missing values \(first: row 3\)|contains NaN"):
        LosawRandomForestClassifier(2).fit(X, MISSING_LABELS[dtype])


MASKED = np.ma.masked_array(X, X > 2.2)
ON_MASKED = {
    "pfi": lambda rows, y: pfi(LINE, rows, y),
    "loco": lambda rows, y: loco(LINE, rows, y, cv=2),
    "residual": lambda rows, y: residual_importance(rows, y),
    "linear": linear_coefficient,
    "correlation": target_correlation,
    "losawRF": lambda rows, y: LosawRandomForestRegressor(2).fit(rows, y),
}


@pytest.mark.parametrize("name", ON_MASKED)
def test_masked_values_are_missing(name):
    row = "|".join(map(str, np.flatnonzero((X > 2.2).any(axis=1))))
    with pytest.raises(ValueError, match=rf"missing.* row ({row})\b"):
        ON_MASKED[name](MASKED, Y.to_numpy())
    with pytest.raises(ValueError, match=r"y (has \d missing|contains NaN)"):
        ON_MASKED[name](X.to_numpy(), np.ma.masked_array(Y, Y > 2.2))


@pytest.mark.parametrize("name", ON_MASKED)
def test_two_columns_of_one_name_are_refused(name):
    with pytest.raises(ValueError, match="X has more than one column named 'a'; rename them"):
        ON_MASKED[name](X.set_axis(["a", "b", "a"], axis=1), Y)


def test_masked_whole_numbers_are_shown_as_missing_and_masked_weights_refused():
    whole = np.ma.masked_array(np.arange(N * 2).reshape(N, 2), np.arange(N * 2).reshape(N, 2) == 7)
    shown = read_table(whole).rows()
    assert np.argwhere(np.isnan(shown)).tolist() == [[3, 1]] and shown[3, 0] == 6
    for name in ("sample_weight", "clusters"):
        with pytest.raises(ValueError, match=name):
            pfi(LINE, X.to_numpy(), Y, **{name: np.ma.masked_array(np.arange(N), X["a"] > 2)})


FOLDS = [(np.arange(20, N), np.arange(20)), (np.arange(60), np.arange(60, N))]


@pytest.mark.parametrize("name", ["pfi", "cpi", "loco", "sage", "hierarchy"])
def test_a_fold_without_weight_or_with_an_unknown_class_is_refused_by_its_number(name):
    function = {"pfi": pfi, "cpi": cpi, "loco": loco, "sage": sage, "hierarchy": hierarchy}[name]
    weights = (np.arange(N) < 60).astype(float)
    with pytest.raises(ValueError, match=r"fold 1 of cv scores rows whose sample_weight is 0"):
        function(LINE_OF_FRAME, X, Y, cv=FOLDS, sample_weight=weights)
    with pytest.raises(ValueError, match=r"fold 0 of cv fits to rows whose sample_weight is 0"):
        function(LINE_OF_FRAME, X, Y, cv=FOLDS, sample_weight=(np.arange(N) < 20) * 2)
    classes = np.where(np.arange(N) == 7, "rare", np.where(Y > 0, "yes", "no"))
    model = LogisticRegression().fit(X, classes)
    with pytest.raises(ValueError, match=r"fold 0 of cv scores rows of the class 'rare'.*1 of 80"):
        function(model, X, classes, cv=FOLDS)
    few, said = pytest.warns(UserWarning, match="least populated"), r"fold \d .*class 'rare'"
    with few, pytest.raises(ValueError, match=said):
        function(model, X, classes, cv=3, random_state=0)


def test_weights_of_one_row_are_refused_and_few_are_warned_of():
    huge, single = np.ones(N), np.zeros(N)
    huge[0], single[0] = 1e12, 1.0
    for weights in (huge, single):
        with pytest.raises(ValueError, match=r"sample_weight leaves 1.0 effective rows"):
            cpi(LINE_OF_FRAME, X, Y, sampler="gaussian", sample_weight=weights)
        with pytest.raises(ValueError, match=r"sample_weight leaves 1.0 effective rows"):
            sage(LINE_OF_FRAME, X, Y, sample_weight=weights)  # its scores would all be 0
    few = np.where(np.arange(N) < 12, 1.0, 0.01)
    with pytest.warns(UserWarning, match=r"leaves 13.\d effective rows of 80"):
        found = cpi(LINE_OF_FRAME, X, Y, sampler="gaussian", sample_weight=few, random_state=0)
    expected = few.sum() ** 2 / (few**2).sum() - 1
    assert found.degrees_of_freedom == pytest.approx(expected)
    with pytest.raises(ValueError, match="effective clusters"):
        cpi(LINE_OF_FRAME, X, Y, sampler="gaussian", sample_weight=few, clusters=np.arange(N) // 40)


def test_rows_of_weight_0_are_as_if_they_were_not_there():
    rows, y, weights = X.to_numpy(), Y.to_numpy(), (np.arange(N) < 40).astype(float)
    found = loco(LINE, rows, y, train=(rows, y, None), sample_weight=weights)
    half = loco(LINE, rows[:40], y[:40], train=(rows, y, None))
    np.testing.assert_allclose(found.scores, half.scores)
    np.testing.assert_allclose(found.std_error, half.std_error)
    np.testing.assert_allclose(found.p_values, half.p_values)


@pytest.mark.filterwarnings("ignore:sample_weight leaves")
def test_noise_is_found_at_the_level_with_twelve_effective_rows():
    # 1,000 features whose differences are normal noise: .06 stands for the linearised error.
    rng = np.random.default_rng(1)
    table, y = rng.standard_normal((60, 1000)), rng.standard_normal(60)
    weights = np.where(np.arange(60) < 10, 1.0, 0.02)
    rows = read_rows(table, y, sample_weight=weights)
    given = fits(LinearRegression().fit(table, y), rows, ScoringOptions(), None, rng)
    noise = Differences(rng.standard_normal((60, 1000)))
    found = scoring.infer(lambda *_: noise, given, rows, scoring.Inference(), rng)
    assert found.degrees_of_freedom == pytest.approx(11**2 / (10 + 50 * 0.02**2) - 1)
    assert (found.p_values < 0.05).sum() <= binom.ppf(0.999, 1000, 0.06)


def test_what_cannot_be_tested_has_no_p_value_and_is_never_selected():
    rows = X.assign(copy=X["a"] * 2, same=1.0)
    model = RandomForestRegressor(20, random_state=0).fit(rows[:40], Y[:40])
    found = cpi(model, rows[40:], Y[40:], adjustment="holm", random_state=0)
    untestable = set(found.notes)
    assert {"a", "copy", "same"} <= untestable and "note" in found.to_frame()
    assert "untestable" in found.notes["copy"] and "constant" in found.notes["same"]
    gone = [name in untestable for name in found.feature_names]
    assert np.isnan(found.p_values[gone]).all() and np.isfinite(found.p_values).sum() == 2
    for asked in ({"fdr": 0.999}, {"fwer": 0.999}, {"top": 5}):
        assert not untestable & set(found.select(**asked))
    assert np.isfinite(found.scores).all() and np.isfinite(found.std_error).all()


def test_more_orders_than_rows_do_not_make_the_error_of_sage_smaller():
    # The scores of 30 samples scatter as their errors say, whatever the number of orders.
    rng = np.random.default_rng(3)
    found = []
    for seed in range(30):
        rows = rng.standard_normal((20, 3))
        y = rows[:, 0] + rng.standard_normal(20)
        found.append(sage(LINE, rows, y, threshold=None, max_permutations=200, random_state=seed))
    spread = np.std([one.scores[0] for one in found], ddof=1)
    assert 0.7 < np.sqrt(np.mean([one.std_error[0] ** 2 for one in found])) / spread < 1.5


def test_rows_of_a_cluster_are_one_observation_to_sage():
    some = X.to_numpy()[:20], Y.to_numpy()[:20]
    rows, y = (np.repeat(part, 4, axis=0) for part in some)
    options = {"threshold": None, "max_permutations": 400, "random_state": 0}
    found = sage(LINE, rows, y, clusters=np.arange(80) // 4, **options)
    assert found.degrees_of_freedom == 19 and "clusters" in found.std_error_kind
    assert found.std_error[0] > 1.5 * sage(LINE, rows, y, **options).std_error[0]
    weights = np.where(np.arange(80) < 4, 1.0, 1e-9)
    with pytest.raises(ValueError, match=r"1\.0 effective clusters"):
        sage(LINE, rows, y, sample_weight=weights, clusters=np.arange(80) // 4, **options)


def test_subgroups_take_values_from_rows_as_often_as_they_weigh():
    wild = pd.concat([X, 50 * X], ignore_index=True)
    y, weights = pd.concat([Y, Y], ignore_index=True), np.repeat([1.0, 0.0], N)
    expected = subgroups(LINE_OF_FRAME, X, Y, n_repeats=30, random_state=0)
    found = subgroups(LINE_OF_FRAME, wild, y, n_repeats=30, sample_weight=weights, random_state=0)
    np.testing.assert_allclose(found.scores, expected.scores, atol=0.25)


@pytest.mark.parametrize("kind", ["continuous", "nominal"])
@pytest.mark.parametrize("options", [{}, {"cv": 2}])
def test_subgroups_of_what_is_known_in_rows_without_weight_alone_are_all_rows(kind, options):
    rows, weights = X.to_numpy().copy(), (np.arange(N) < 60).astype(float)
    rows[:, 2] = np.where(weights > 0, np.nan, np.arange(N) % 3)
    model = DecisionTreeRegressor(max_depth=2, random_state=0).fit(rows, Y)
    found = subgroups(
        model, rows, Y, kinds={"X3": kind}, sample_weight=weights, random_state=0, **options
    )
    assert np.isfinite(found.scores).all() and found.scores[2] == 0


def test_folds_or_rows_with_one_and_the_same_score_are_no_test():
    differences = Differences(None, np.array([0.05, 0.0, 0.1]))
    rng, rows = np.random.default_rng(0), read_rows(X, Y)
    models = fits(LinearRegression(), rows, ScoringOptions(), 3, rng)
    found = scoring.infer(lambda fit: differences, models, rows, scoring.Inference(), rng)
    assert np.isnan(found.p_values[[0, 2]]).all() and found.p_values[1] == 1
    assert found.notes["a"].startswith("not tested: every fold scores it alike")
    differences = Differences(np.full((N, 3), 0.1))
    models = fits(LINE_OF_FRAME, rows, ScoringOptions(), None, rng)
    found = scoring.infer(lambda fit: differences, models, rows, scoring.Inference(), rng)
    assert np.isnan(found.p_values).all() and "every row scores it alike" in found.notes["a"]
