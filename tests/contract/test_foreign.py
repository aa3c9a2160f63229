"""Importances of other packages: they score as the packages do, or are skipped by name."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance

from losaw.cli import main
from losaw.rng import seed_integer
from losaw.study.contracts import SKIPPED, check_entry, example_data
from losaw.study.registry.plugins import plugin_entries

pytestmark = pytest.mark.usefixtures("plugins_forgotten")
FILE = Path(__file__).parents[2] / "examples" / "foreign" / "importances.py"


def permuted(model, train, test, seed):
    found = permutation_importance(
        model, *test, scoring="neg_mean_squared_error", random_state=seed
    )
    return found["importances"].mean(axis=1)


def cfi(model, train, test, seed):
    import hidimstat

    return hidimstat.CFI(model, n_permutations=2, random_state=seed).fit(*train).importance(*test)


def loco(model, train, test, seed):
    import hidimstat

    return hidimstat.LOCO(model).fit(*train).importance(*test)


def sage(model, train, test, seed):
    from sage import MarginalImputer, PermutationEstimator

    estimator = PermutationEstimator(
        MarginalImputer(model, train.X[:8]), loss="mse", random_state=seed
    )
    return estimator(test.X, test.y, batch_size=16, thresh=0.2, bar=False).values


def shapley(model, train, test, seed):
    import shap

    explainer = shap.explainers.Permutation(model.predict, train.X[:10], seed=seed)
    return np.abs(explainer(test.X[:5], silent=True).values).mean(axis=0)


def boruta(model, train, test, seed):
    from boruta import BorutaPy

    forest = RandomForestRegressor(max_depth=5)
    return BorutaPy(forest, n_estimators=20, max_iter=15, random_state=seed).fit(*train).ranking_


def disentangled(model, train, test, seed):
    from fdfi.explainers import OTExplainer

    explainer = OTExplainer(model.predict, train.X, nsamples=5, random_state=seed)
    return explainer(test.X, test.y)["phi_X"]


DIRECT = {
    "boruta-py": boruta,
    "fdfi": disentangled,
    "hidimstat-cfi": cfi,
    "hidimstat-loco": loco,
    "sage-importance": sage,
    "shap": shapley,
    "sklearn-permutation": permuted,
}


def test_every_arm_is_compared():
    assert sorted(entry.name for entry in plugin_entries(FILE)) == sorted(DIRECT)


# It compiles its loops anew in every process.
SLOW = pytest.param("shap", marks=pytest.mark.long)


@pytest.mark.parametrize("name", [*sorted({*DIRECT} - {"shap"}), SLOW])
def test_an_arm_keeps_its_contract_and_scores_as_a_direct_call(name):
    entry = next(entry for entry in plugin_entries(FILE) if entry.name == name)
    if reason := entry.load().unavailable():
        pytest.skip(reason)
    assert [outcome for outcome in check_entry(entry) if outcome.message] == []
    data = example_data()
    model = RandomForestRegressor(10, random_state=0).fit(*data.train)
    few = getattr(entry.load(), "examples", ({},))[0]
    found = entry.create(**few).explain(model, data, np.random.default_rng(1))
    seed = seed_integer(np.random.default_rng(1))
    expected = DIRECT[name](model, data.train, data.test, seed)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-9)
    assert len({*found.scores}) > 1


def test_an_arm_without_its_package_is_skipped_by_name(monkeypatch, capsys):
    entries = plugin_entries(FILE)
    module = __import__(entries[0].load().__module__)
    monkeypatch.setattr(module, "find_spec", lambda library: None)
    assert {check_entry(entry)[0].check for entry in entries} == {SKIPPED}
    assert main(["check", str(FILE)]) == 0
    shown = capsys.readouterr().out
    assert "skipped importance hidimstat-cfi: 'hidimstat' is not installed" in shown
    assert shown.count("'.[peers]'") == len(DIRECT)
