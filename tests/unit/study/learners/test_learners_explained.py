"""Learners of studies under the library's importances, which read their columns and trees."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.preprocessing import OneHotEncoder

from losaw.data import Dataset, Sample
from losaw.forest.ranger import RangerTrees
from losaw.importance import cpi, ufi
from losaw.importance.without_columns import require_names, without
from losaw.scoring.model import exchanged, growing, read_model
from losaw.scoring.rows import ScoringOptions, read_rows
from losaw.study.generators.conditional_dag import ConditionalDagGenerator
from losaw.study.learners.generalized_linear import GeneralizedLinearModel
from losaw.study.learners.r_forests import missing, run_script
from losaw.study.learners.random_forest import RandomForest
from losaw.study.learners.ranger_forest import RangerForest
from losaw.study.registry import entries

RNG = np.random.default_rng(0)
X = RNG.standard_normal((70, 6))
X[:, 4] = RNG.integers(0, 3, 70)
Y = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * RNG.standard_normal(70)
CLASSES = {"task": "classification", "encoding": "dummies", "nominal": (4,)}


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (RandomForest("regression", one_hot=(4,), n_estimators=5), Y),
        (RangerForest(n_estimators=9, random_state=0), Y),
        (RangerForest(**CLASSES, n_estimators=9, random_state=0), (Y > 0).astype(float)),
    ],
    ids=["dummies", "ranger", "ranger of classes"],
)
def test_rows_are_led_through_the_trees_to_the_last_bit(model, y):
    options = ScoringOptions(groups={"two": [0, 3]})
    subject = read_model(model.fit(X, y), read_rows(X, y), options)
    columns, copies, units = subject.columns, subject.columns[::-1], subject.scored_columns
    assert subject.trees is not None
    ((same, *found),) = subject.exchange([copies], 1)
    np.testing.assert_array_equal(same, subject.predict(columns))
    for unit, predicted in zip(units, found, strict=True):
        np.testing.assert_array_equal(predicted, subject.predict(exchanged(columns, copies, unit)))
    (grown,) = subject.grow(columns[:1], copies[:8], [(2, 0, 4, 1, 3)])
    taken = [units[j] for j in (2, 0, 4, 1, 3)]
    expected = subject.predict(growing(columns[0], copies[:8], taken))
    np.testing.assert_array_equal(grown, expected)


def sample(n_samples=120):
    columns = [RNG.integers(0, k + 2, n_samples) for k in range(4)]
    rows = np.column_stack(columns).astype(float)
    return rows, rows[:, 0] + 0.5 * rows[:, 1] + RNG.standard_normal(n_samples)


def test_the_forest_with_dummies_scores_its_factors_as_a_forest_on_encoded_columns():
    X, y = sample()
    encoder = OneHotEncoder(sparse_output=False)
    encoded = np.column_stack([X[:, :1], encoder.fit_transform(X[:, 1:2]), X[:, 2:]])
    ours = RandomForest(one_hot=[1], n_estimators=8, max_depth=3, random_state=1).fit(X, y)
    theirs = RandomForestRegressor(8, max_depth=3, random_state=1).fit(encoded, y)
    groups = {"factor": list(range(1, encoded.shape[1] - 2))}
    expected = ufi(theirs, encoded, y, groups=groups).scores
    np.testing.assert_array_equal(ufi(ours, X, y).scores, expected)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(encoded))
    with pytest.raises(ValueError, match=r"X is not the sample .* reach leaf"):
        ufi(ours, X[:, [0, 1, 3, 2]], y)


def test_a_learner_loses_nominal_columns_by_place_and_names_none_by_default():
    names = ["X1", "X2", "X3", "X4"]
    assert without(RangerForest(nominal=[0, 1, 3]), [1], names).nominal == [0, 2]
    for entry in entries("learner"):
        require_names(entry.create(), names, "")


def mixed_data():
    generator = ConditionalDagGenerator(n_samples=400, categorical="X1+X3", n_levels=4)
    return generator.sample(np.random.default_rng(0))


def explain(data, model, sampler):
    return cpi(model, *data.test, sampler=sampler, kinds=data.feature_kinds, random_state=1)


def columns_seen(sampler):
    """What a model on dummies is asked: the rows, then those with one feature after the other."""
    data = mixed_data()
    seen = []
    model = GeneralizedLinearModel(nominal=[0, 2]).fit(*data.train)
    predict = model.predict_encoded
    model.predict_encoded = lambda columns: (seen.append(columns), predict(columns))[1]
    explain(data, model, sampler)
    return np.concatenate(seen).reshape(-1, len(data.test.y), seen[0].shape[1]), model


def test_dummies_of_a_factor_are_replaced_together_by_real_numbers():
    (original, first, *_), model = columns_seen("gaussian")
    changed = (original != first).any(axis=0)
    assert changed[model.encoding_.groups[0]].all()
    assert not changed[model.encoding_.groups[1]].any()
    assert not set(np.unique(first[:, 0])) <= {0.0, 1.0}


def test_sequential_knockoffs_reach_a_model_on_dummies_as_levels():
    (_, first, *_), model = columns_seen("sequential")
    dummies = first[:, model.encoding_.groups[0]]
    assert set(np.unique(dummies)) == {0.0, 1.0}
    assert (dummies.sum(axis=1) <= 1).all()


@pytest.mark.parametrize("missing_from", ["train", "test"])
@pytest.mark.parametrize("sampler", ["sequential", "gaussian"])
@pytest.mark.parametrize("encoding", ["codes", "dummies"])
def test_a_level_absent_from_train_or_test_is_no_obstacle(missing_from, sampler, encoding):
    data = mixed_data()
    parts = {"train": data.train, "test": data.test}
    X, y = parts[missing_from]
    kept = X[:, 2] != 3
    parts[missing_from] = Sample(X[kept], y[kept])
    data = Dataset(
        parts["train"], parts["test"], data.truth, data.feature_names, data.feature_kinds
    )
    model = RangerForest(encoding=encoding, nominal=[0, 2], n_estimators=20, random_state=1)
    found = explain(data, model.fit(*data.train), sampler)
    assert np.isfinite(found.scores).all()


@pytest.mark.skipif(bool(missing("ranger")), reason=missing("ranger") or "R has ranger")
def test_trees_have_as_many_leaves_as_rangers(tmp_path):
    n_trees = 2000
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal(200), rng.integers(0, 5, 200), rng.random(200) < 0.5])
    y = X[:, 0] + (X[:, 1] == 2) + rng.standard_normal(200)
    np.savetxt(
        tmp_path / "rows.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments=""
    )
    leaves = run_script(
        tmp_path,
        f"""
        data <- read.csv("rows.csv")
        model <- ranger::ranger(y ~ ., data, num.trees = {n_trees}, num.threads = 1, seed = 1)
        count <- function(tree) sum(tree[[1]] == 0)
        write.csv(data.frame(leaves = sapply(model$forest$child.nodeIDs, count)), "out.csv")
        """,
    )
    forest = RangerTrees(n_trees, 5, 1).fit(X, y)
    ours = (np.diff(forest.starts) + 1) / 2
    error = np.sqrt((ours.var() + leaves.var()) / n_trees)
    assert abs(ours.mean() - leaves.mean()) < 4 * error
    redrawn = RangerTrees(n_trees, 5, 1, redraw=True).fit(X, y)
    assert (np.diff(redrawn.starts) + 1).mean() / 2 > leaves.mean() + 10 * error
