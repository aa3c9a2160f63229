"""Rows that belong together: folds, tests over clusters, and refusals."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, TimeSeriesSplit
from sklearn.tree import DecisionTreeRegressor

from losaw.importance import cpi, hierarchy, loco, pfi
from losaw.scoring.fits import folds
from losaw.scoring.rows import read_rows

PATIENT = np.repeat(np.arange(20), 6)
X = np.random.default_rng(0).standard_normal((120, 3))
Y = X[:, 0] + np.random.default_rng(1).standard_normal(120)


@pytest.mark.parametrize("model", [LinearRegression(), LogisticRegression()])
def test_a_cluster_stays_in_one_fold(model):
    y = Y if isinstance(model, LinearRegression) else np.where(Y > 0, "yes", "no")
    labels = np.array([f"patient {number}" for number in PATIENT])
    rows = read_rows(X, y, clusters=labels)
    for n_folds in (4, np.int64(4)):
        held = []
        for fitted, tested in folds(n_folds, model, rows, np.random.default_rng(0)):
            assert not set(labels[fitted]) & set(labels[tested])
            held += tested.tolist()
        assert sorted(held) == list(range(120)) != held


def test_folds_of_groups_are_taken_as_row_numbers_and_with_clusters():
    rows = list(GroupKFold(4).split(X, Y, PATIENT))
    found = pfi(LinearRegression(), X, Y, cv=rows)
    assert len(found.details["fold_scores"]) == 4
    assert "cv=4 folds)" in repr(found)  # without the row numbers
    assert "cv=folds)" in repr(pfi(LinearRegression(), X, Y, cv=iter(rows)))  # or an address
    found = pfi(LinearRegression(), X, Y, cv=GroupKFold(4), clusters=PATIENT)
    assert len(found.details["fold_scores"]) == 4


def noise_of_patients(seed):
    """Twelve rows of each patient, an effect of the patient, and a feature of the patient."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(30), 12)
    noise, effect = rng.standard_normal((2, 30, 1))
    X = np.column_stack([noise[patient], rng.standard_normal((360, 1))])
    return X, effect[patient, 0] + X[:, 1] + 0.3 * rng.standard_normal(360), patient


def test_noise_of_patients_is_found_without_clusters_and_not_with_them():
    alone = together = 0
    for seed in range(20):
        X, y, patient = noise_of_patients(seed)
        model = DecisionTreeRegressor(min_samples_leaf=5, random_state=0)
        options = {"cv": 5, "features": ["X1"], "random_state": seed}
        alone += pfi(model, X, y, **options).p_values[0] < 0.05
        together += pfi(model, X, y, clusters=patient, **options).p_values[0] < 0.05
    assert alone == 20
    assert together <= 5  # more come with probability 1e-4 at the level .05


@pytest.mark.parametrize("weights", [None, np.full(120, 2.0)])
def test_without_folds_the_error_is_that_of_the_means_of_equal_clusters(weights):
    model = LinearRegression().fit(X, Y)
    found = cpi(model, X, Y, clusters=PATIENT, sample_weight=weights, random_state=0)
    means = found.rows.reshape(20, 6, 3).mean(axis=1)
    np.testing.assert_allclose(found.scores, means.mean(axis=0))
    np.testing.assert_allclose(found.std_error, means.std(axis=0, ddof=1) / np.sqrt(20))
    assert found.degrees_of_freedom == 19
    assert found.std_error_kind.startswith("over test clusters of rows")


def test_a_cluster_for_every_row_changes_nothing():
    model = LinearRegression().fit(X, Y)
    options = {"train": (X, Y), "random_state": 0}
    plain = loco(model, X, Y, **options)
    single = loco(model, X, Y, clusters=np.arange(120), **options)
    np.testing.assert_allclose(single.std_error, plain.std_error)
    np.testing.assert_allclose(single.p_values, plain.p_values)


def test_groups_are_tested_over_folds_of_clusters_and_over_time():
    for options in ({"cv": 10, "clusters": PATIENT}, {"cv": TimeSeriesSplit(10)}):
        found = hierarchy(LinearRegression(), X, Y, random_state=0, **options)
        assert found.selected == (("X1",),)


def test_features_that_are_constant_within_clusters_have_the_cpi_of_independent_ones():
    patient = np.repeat(np.arange(100), 4)
    rejected = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        features = rng.standard_normal((100, 3))[patient]
        y = features[:, 0] + rng.standard_normal(400)
        found = cpi(LinearRegression(), features, y, cv=5, clusters=patient, random_state=seed)
        # Twice the variance, whose error over 100 patients is .14 of it, as is that of the draws.
        assert found.scores[0] == pytest.approx(2 * features[:, 0].var(), abs=0.5)
        assert found.p_values[0] < 0.05 and not found.notes
        rejected += (found.p_values[1:] < 0.05).sum()
    assert rejected <= 3  # of 6; more come with probability 9e-5 at the level .05
    tree = hierarchy(LinearRegression(), features, y, cv=5, clusters=patient, random_state=0)
    assert tree.selected == (("X1",),)
