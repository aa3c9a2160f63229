"""One-sided tests against SciPy, adjustments, tests of groups from the top down, sets of ranks."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.stats import binom, t
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeRegressor

from losaw.importance import ImportanceResult, cpi, cpi_pairs, hierarchy, loco, pfi, sage, subgroups
from losaw.importance.group_tree import top_down_tests, tree_of_groups, tree_of_linkage
from losaw.scoring.many_tests import adjust, rank_sets, rank_words
from losaw.scoring.tests import TEST_NAMES, added_by_donors, exchange_deviations, one_sided_test


def run(differences, test, seed=0):
    return one_sided_test(np.asarray(differences), test, np.random.default_rng(seed))


def test_t_is_scipys_and_so_is_binomial_without_zeros():
    x = np.random.default_rng(0).standard_normal(40) + 0.3
    assert run(x, "t") == pytest.approx(stats.ttest_1samp(x, 0, alternative="greater").pvalue)
    x = np.array([1.0, 2.0, -1.0, 0.0, 3.0])
    assert run(x, "binomial") == pytest.approx(stats.binomtest(3, 4, alternative="greater").pvalue)


def test_fishers_p_value_is_the_share_of_flipped_means():
    values = np.array([3.0, 1.0, 2.0, -1.0, 2.0, -1.5, 1.0, 2.0])
    flips = np.array(list(itertools.product([-1, 1], repeat=8))) @ values
    expected = (flips >= values.sum() - 1e-12).mean()
    found = [run(values, "fisher", seed=seed) for seed in range(20)]
    error = np.sqrt(expected * (1 - expected) / 2000 / 20)
    assert abs(np.mean(found) - expected) < 4 * error
    assert run(np.linspace(1, 2, 60), "fisher") == 1 / 2000  # the observed signs count


@pytest.mark.parametrize("n_positive", [5, 6])
def test_flips_of_few_rows_that_leave_the_mean_count(n_positive):
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        values = np.zeros(100)
        values[rng.permutation(100)[:n_positive]] = rng.exponential(size=n_positive)
        found.append(run(values, "fisher", seed=seed))
    assert min(found) > 0.5 * 2.0**-n_positive
    assert np.mean(found) == pytest.approx(2.0**-n_positive, rel=0.15)


@pytest.mark.parametrize("test", TEST_NAMES)
def test_the_level_is_held_on_symmetric_differences(test):
    rng = np.random.default_rng(1)
    rejected = sum(run(x, test) <= 0.05 for x in rng.standard_normal((400, 30)))
    # Exact tests reject at most 5 %: 99.99 % binomial bound.
    assert rejected <= stats.binom.ppf(0.9999, 400, 0.05)


def test_holm_multiplies_by_the_hypotheses_left():
    assert adjust([0.01, 0.04, 0.03], "holm") == pytest.approx([0.03, 0.06, 0.06])
    assert adjust([0.7, 0.6], "holm").tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("n", "method"), [(15, "exact"), (50, "exact"), (51, "approx")])
def test_wilcoxons_p_value_is_exact_up_to_fifty_rows(n, method):
    x = np.random.default_rng(n).standard_normal(n) + 0.2
    expected = stats.wilcoxon(x, alternative="greater", method=method).pvalue
    assert run(x, "wilcoxon") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [3, 4, 9])
def test_wilcoxons_p_value_is_exact_for_a_few_tied_differences(n):
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 3, n).astype(float)
    signs = np.array(list(itertools.product([-1, 1], repeat=n)))
    sums = np.where(signs > 0, stats.rankdata(sizes), 0).sum(axis=1)
    for own, total in zip(signs[::5], sums[::5], strict=True):
        found = one_sided_test(own * sizes, "wilcoxon", rng)
        assert found == pytest.approx((sums >= total).mean())


NAMES = ("a", "b", "c", "d")


def table(n=400, seed=0):
    """Of a and b one is a copy of the other; c matters beyond all other features, d does not."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.standard_normal((n, 4)), columns=NAMES)
    X["b"] = X["a"] + 0.01 * X["b"]
    return X, X["a"] + X["c"] + rng.standard_normal(n)


def fitted(X, y):
    return LinearRegression().fit(X, y)


def line(found, *features):
    rows = found.table[[row == features for row in found.table["features"]]]
    assert len(rows) == 1
    return rows.iloc[0]


def test_near_copies_give_a_statement_of_their_group_and_a_cause_one_of_itself():
    X, y = table()
    found = hierarchy(fitted(X[:200], y[:200]), X[200:], y[200:], random_state=0)
    assert set(found.statements) == {
        "c matters beyond all other features",
        "one of {a, b} matters, but the data do not tell which",
    }
    assert set(found.selected) == {("a", "b"), ("c",)}
    assert str(found).splitlines() == list(found.statements)


def test_the_score_of_a_group_is_what_the_model_loses_with_it():
    """Of a linear model with known coefficients a draw of c adds 2 b^2 Var(c | others)."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((4000, 3))
    model = LinearRegression().fit(X, X @ [1.0, 1.0, 0.0])
    y = X @ [1.0, 1.0, 0.0] + rng.standard_normal(4000)
    found = hierarchy(model, X, y, groups={"pair": ["X1", "X2"]}, random_state=0)
    pair, single = line(found, "X1", "X2"), line(found, "X1")
    assert pair["score"] == pytest.approx(4.0, abs=5 * pair["std_error"])
    assert single["score"] == pytest.approx(2.0, abs=5 * single["std_error"])
    assert pair["lower"] < pair["score"] < pair["upper"]
    assert pair["parent"] == "X1 + X2 + X3" and single["parent"] == "pair"


def test_single_features_have_the_scores_of_cpi_whatever_the_tree():
    X, y = table()
    model = fitted(X[:200], y[:200])
    one = hierarchy(model, X[200:], y[200:], groups={"copies": ["a", "b"]}, random_state=0)
    other = hierarchy(model, X[200:], y[200:], groups={"rest": ["c", "d"]}, random_state=0)
    assert line(one, "c")["score"] == line(other, "c")["score"]
    alone = cpi(model, X[200:], y[200:], random_state=0)
    score = alone.scores[list(NAMES).index("c")]
    assert line(one, "c")["score"] == pytest.approx(score, rel=0.3)


def test_with_cv_each_fold_has_its_model_and_tests_are_those_of_ten_folds():
    X, y = table()
    found = hierarchy(LinearRegression(), X, y, cv=10, random_state=0)
    assert set(found.selected) == {("a", "b"), ("c",)}
    tested = found.table.dropna(subset="p_value")
    np.testing.assert_allclose(
        tested["upper"] - tested["score"], t.ppf(0.975, 9) * tested["std_error"]
    )


def test_nothing_is_tested_below_a_group_that_is_not_rejected():
    X, y = table()
    found = hierarchy(fitted(X, np.zeros(len(X))), X, y, random_state=0)
    assert len(found.table) == 1 and found.selected == ()
    assert found.statements[0].startswith("no group of features is found to matter")
    found = outcome(dict.fromkeys(("a + b + c + 1 more", "left", "right", *NAMES), 0.04))
    assert found["a + b + c + 1 more"] == (0.04, 0.04)
    assert found["left"][1] > 0.05 and np.isnan(found["a"][0])


def test_all_features_together_are_rejected_at_the_rate_that_is_asked_for():
    X, y = ranked(60, (0.4, 0.0))
    options = {"X": X, "y": y, "random_state": 0}
    p_value = hierarchy(fitted(X, y), **options).table["p_value"][0]
    assert 0.001 < p_value < 0.5
    for fwer in (0.9 * p_value, 1.1 * p_value):
        found = hierarchy(fitted(X, y), fwer=fwer, **options)
        assert bool(found.selected) == (len(found.table) > 1) == (fwer > p_value)


def tree_of_four():
    return tree_of_groups(NAMES, {"left": ["a", "b"], "right": ["c", "d"]})


def outcome(p_of, level=0.05):
    tree = tree_of_four()
    raw, adjusted = top_down_tests(
        tree, lambda places: np.array([p_of[tree[place].name] for place in places]), level
    )
    return {node.name: (raw[i], adjusted[i]) for i, node in enumerate(tree)}


def test_a_group_is_tested_at_the_level_of_its_share_of_what_is_left():
    p_of = {"a + b + c + 1 more": 1e-4, "left": 0.02, "right": 0.03, "a": 0.012, "b": 0.5}
    found = outcome({**p_of, "c": 1.0, "d": 1.0})
    assert found["left"] == (0.02, 0.04)  # 2 of 4 features
    assert found["a"] == (0.012, pytest.approx(0.048))  # 1 of 4
    # a is rejected as a single feature: 3 are left, and the right pair has 2 of them.
    assert found["right"] == (0.03, pytest.approx(0.048))
    assert found["b"][1] > 0.05 and found["c"][1] > 0.05


def test_no_tree_of_p_values_has_more_false_rejections_than_the_level():
    """c and d have no effect; their p-values and that of their group are uniform and dependent."""
    tree, rng, false = tree_of_four(), np.random.default_rng(0), 0
    runs = 4000
    for _ in range(runs):
        null = dict(zip(("right", "c", "d"), rng.random(3), strict=True))

        def p_values(places, null=null):
            return np.array([null.get(tree[place].name, 0.0) for place in places])

        _, adjusted = top_down_tests(tree, p_values, 0.1)
        false += any(adjusted[place] <= 0.1 for place, node in enumerate(tree) if node.name in null)
    assert binom.ppf(1e-4, runs, 0.05) < false <= binom.isf(1e-4, runs, 0.1)


def test_groups_and_other_features_are_parts_of_all_and_groups_are_not_nested():
    tree = tree_of_groups(NAMES, {"one": ["d"], "inner": ["b", "a"]})
    names = ["a + b + c + 1 more", "one", "inner", "a", "b", "c"]
    assert [node.name for node in tree] == names
    assert [node.parent for node in tree] == [-1, 0, 0, 2, 2, 0]
    assert tree[2].members.tolist() == [0, 1]
    with pytest.raises(TypeError, match="group 'outer' must be a list of columns"):
        tree_of_groups(NAMES, {"outer": {"inner": ["a", "b"]}})
    one_by_one = np.column_stack([np.r_[0, 1200:2398], np.arange(1, 1200)])
    assert len(tree_of_linkage("x" * 1200, one_by_one)) == 2399  # whatever the depth


def test_a_feature_named_as_an_inner_group_is_no_obstacle():
    X, y = table()
    X = X.rename(columns={"d": "group 0"})
    found = hierarchy(fitted(X[:200], y[:200]), X[200:], y[200:], random_state=0)
    assert ("c",) in found.selected


def ranked(n=400, coefficients=(2.0, 1.0, 1.0, 0.0), seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, len(coefficients)))
    return X, X @ np.array(coefficients) + rng.standard_normal(n)


@pytest.mark.parametrize("of", [pfi, cpi, loco, sage])
@pytest.mark.parametrize("cv", [None, 10])
def test_certain_differences_make_narrow_sets_and_uncertain_ones_wide_sets(of, cv):
    X, y = ranked()
    model = LinearRegression().fit(X[:200], y[:200])
    rows = {"cv": 10} if cv else ({"train": (X[:200], y[:200])} if of is loco else {})
    data = (X, y) if cv else (X[200:], y[200:])
    ranks = of(model, *data, random_state=0, **rows).ranks().set_index("feature")["ranks"]
    assert ranks.to_dict() == {"X1": "1st", "X2": "2nd to 3rd", "X3": "2nd to 3rd", "X4": "4th"}


@pytest.mark.parametrize(
    ("of", "more", "n_tables", "coefficients"),
    [
        (pfi, {}, 200, (1, 1, 1, 1, 0, 0)),
        (pfi, {}, 200, (1, 0.9, 0.75, 0.6, 0.45, 0.3)),
        (cpi, {"n_draws": 5}, 30, (1, 1, 1, 1, 0, 0)),
        (sage, {"threshold": None}, 30, (1, 1, 1, 1, 0, 0)),
    ],
)
def test_all_sets_contain_the_true_ranks_as_often_as_is_said(of, more, n_tables, coefficients):
    """Of a known model they follow b^2; rows give each other values, which counts."""
    b, level = np.array(coefficients, dtype=float), 0.9
    model = LinearRegression(fit_intercept=False).fit(np.eye(len(b)), b)
    true = 2 * b**2
    first = 1 + (true > true[:, None]).sum(axis=1)
    last = len(b) - (true < true[:, None]).sum(axis=1)
    rng, covered = np.random.default_rng(0), 0
    for _ in range(n_tables):
        X = rng.standard_normal((150, len(b)))
        y = X @ b + 0.3 * rng.standard_normal(150)
        sets = of(model, X, y, random_state=rng, **more).ranks(level).sort_values("feature")
        covered += bool(((sets["best"] <= first) & (sets["worst"] >= last)).all())
    assert covered >= binom.ppf(0.001, n_tables, level)


def test_equal_columns_are_equal_for_certain_and_no_rank_is_lost():
    sets = rank_sets(np.array([1.0, 1.0, 0.0]), np.array([[1, 1, 0], [-1, -1, 0]]) / 100, 50, 0.95)
    assert sets.tolist() == [[1, 2], [1, 2], [3, 3]]
    near = rank_sets(np.array([0.5, 0.5 + 3e-16, 0.1]), np.ones((9, 3)) / 100, 8, 0.95)
    assert near.tolist() == [[1, 2], [1, 2], [3, 3]]
    rows = np.random.default_rng(7).standard_normal((50, 2)) @ [[1, 1], [0, 1e-9]]
    deviations = (rows - rows.mean(axis=0)) / 50
    assert rank_sets(rows.mean(axis=0), deviations, 49, 0.95).tolist() == [[1, 2], [1, 2]]
    # Two folds with the same lead: of a few values, as numbers of wrong rows, they agree by chance.
    assert rank_sets(np.array([0.3, 0.1]), np.ones((2, 2)), 1, 0.95).tolist() == [[1, 2], [1, 2]]


def test_a_feature_that_cannot_be_tested_can_have_any_rank():
    X, y = ranked()
    X[:, 3] = X[:, 0]
    model = LinearRegression().fit(X[:200], y[:200])
    ranks = cpi(model, X[200:], y[200:], random_state=0).ranks().set_index("feature")
    assert ranks.loc[["X1", "X4"], "ranks"].tolist() == ["1st to 4th"] * 2
    assert ranks.loc["X2", "worst"] == 4


def test_clusters_and_values_of_other_folds_widen_the_error_that_ranks_rest_on():
    X, y = ranked()
    model = LinearRegression().fit(X[:200], y[:200])
    of_rows, times = np.repeat(X[200:250], 20, axis=0), np.repeat(y[200:250], 20)
    alone = pfi(model, of_rows, times, random_state=0)
    together = pfi(model, of_rows, times, random_state=0, clusters=np.repeat(np.arange(50), 20))
    assert len(alone.deviations) == 1000 and len(together.deviations) == 50
    narrow, wide = (np.sqrt((one.deviations**2).sum(axis=0)) for one in (alone, together))
    assert (wide[:3] > 2 * narrow[:3]).all()
    alone, together = (of(LinearRegression(), X, y, cv=20, random_state=0) for of in (pfi, cpi))
    for one in (alone, together):
        assert np.sqrt((one.deviations**2).sum(axis=0)) == pytest.approx(one.std_error)
        of_rows = np.sqrt((one.deviations[:-20] ** 2).sum(axis=0))  # with what they give
        taking = one.rows.std(axis=0, ddof=1) / np.sqrt(len(X))
        assert (of_rows[:3] > 1.15 * taking[:3]).all()


@pytest.mark.parametrize(
    ("of", "draws"),
    [
        (cpi, "n_draws"),
        (hierarchy, "n_draws"),
        (partial(cpi_pairs, pairs=[("X1", "X2")]), "n_draws"),
        (pfi, "n_repeats"),
    ],
    ids=["cpi", "hierarchy", "cpi_pairs", "pfi"],
)
def test_the_error_of_several_draws_is_smaller_and_rows_without_weight_add_nothing(of, draws):
    X, y = ranked(160, (1.0, 1.0))
    y, weights = y + X[:, 0] * X[:, 1], np.repeat([1.0, 0.0], 80)
    # With a product, so that y plays a part in the losses of pairs too.
    model = make_pipeline(PolynomialFeatures(2, interaction_only=True), LinearRegression())
    model.fit(X, y)

    def errors(n_rows, n_draws, y=y, seed=0, **more):
        found = of(model, X[:n_rows], y[:n_rows], random_state=seed, **{draws: n_draws}, **more)
        return np.asarray(found.table["std_error"] if of is hierarchy else found.std_error)

    several, one = (
        np.sqrt(np.mean([errors(80, n, seed=seed) ** 2 for seed in range(4)], axis=0))
        for n in (8, 1)
    )
    # Of one normal feature with an additive effect .65 is expected, from 2 + 2 + 8 / n_draws.
    assert np.mean(several / one) < 0.9
    wild = errors(160, 8, np.where(weights > 0, y, 1000 * y), sample_weight=weights)
    assert (wild < 3 * several).all()


@pytest.mark.parametrize("sizes", [[8] * 3, [8] * 4, [20, 20, 4], [16, 8, 8]])
def test_intervals_of_few_clusters_that_exchange_values_cover(sizes):
    # Effects of the cluster that takes and of the one that gives; each column is a sample.
    rng, n_samples = np.random.default_rng(0), 2000
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    taking, giving = rng.standard_normal((2, len(sizes), n_samples))
    others = [np.flatnonzero(clusters != own) for own in clusters]
    donors = np.array([rng.choice(rows, n_samples) for rows in others])
    changes = taking[clusters] + np.take_along_axis(giving[clusters], donors, axis=0)
    donated = added_by_donors(changes, donors, None, len(clusters))
    scores = changes.mean(axis=0)
    deviations, freedom = exchange_deviations(changes - scores, None, clusters, donated)
    half = t.ppf(0.975, freedom) * np.sqrt((deviations**2).sum(axis=0))
    assert (np.abs(scores) <= half).sum() >= binom.ppf(1e-4, n_samples, 0.93)


@pytest.mark.filterwarnings("ignore:sample_weight leaves")
def test_of_two_parts_that_give_to_each_other_no_error_is_known():
    X, y = ranked()
    model = LinearRegression().fit(X[:200], y[:200])
    half, two = np.arange(200) // 100, (np.arange(200) < 2) * 1.0
    for part in ({"clusters": half}, {"clusters": np.arange(200) > 50}, {"sample_weight": two}):
        options = {**part, "random_state": 0}
        for of in (cpi, pfi, subgroups):
            found = of(model, X[200:400], y[200:400], **options)
            assert np.isnan(found.std_error).all() and np.isnan(found.interval()).all()
            assert found.ranks()["best"].tolist() == [1] * X.shape[1]
        tree = hierarchy(model, X[200:400], y[200:400], **options).table
        assert np.isnan(tree[["std_error", "lower", "upper"]].to_numpy()).all()
        pair = cpi_pairs(model, X[200:400], y[200:400], [("X1", "X2")], **options)
        assert np.isnan(pair.std_error).all()
    assert np.isnan(pfi(model, X[200:202], y[200:202], random_state=0).std_error).all()
    stump = DecisionTreeRegressor(max_depth=1).fit(X[:200], y[:200])
    found = cpi(stump, X[200:400], y[200:400], clusters=half, random_state=0)
    assert np.isnan(found.std_error[0]) and (found.std_error[1:] == 0).all()


@pytest.mark.parametrize(("freedom", "first"), [(99, "1st"), (4, "1st to 2nd")])
def test_ranks_have_the_degrees_of_freedom_of_their_error(freedom, first):
    # A lead of 2.3 errors: the quantile of two hypotheses at .05 is 1.98 or 2.78.
    scores, lead = np.array([2.3, 0.0]), np.eye(100)[:, :2] * [1.0, 0.0]
    found = ImportanceResult(scores, ("a", "b"), deviations=lead, deviations_freedom=freedom)
    assert found.ranks()["ranks"][0] == first


@pytest.mark.parametrize("of", [pfi, cpi])
@pytest.mark.parametrize("rows", [{}, {"cv": 4}])
def test_weights_lower_the_degrees_of_freedom_of_ranks(of, rows):
    X, y = ranked()
    model = LinearRegression().fit(X[:200], y[:200])
    weights = np.where(np.arange(200) < 30, 1.0, 1e-9)
    weighted = {} if rows else {"sample_weight": weights}
    found = of(model, X[200:400], y[200:400], random_state=0, **weighted, **rows)
    assert found.deviations_freedom == pytest.approx(3 if rows else 29, abs=1e-3)


def test_ordinals():
    words = "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd"
    assert " ".join(rank_words(n, n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102)) == words


@pytest.mark.parametrize("names", [["a"], ["a", "b"], [*NAMES]])
def test_a_group_of_all_features_is_one_node(names):
    first, *rest = tree_of_groups(names, {"all": names})
    assert first.name == "all" and list(first.members) == list(range(len(names)))
    assert [node.name for node in rest] == (names if len(names) > 1 else [])
    assert {node.parent for node in rest} <= {0} and first.parent == -1
